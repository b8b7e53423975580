r"""Multi-head attention with output projection, as Transformers have it:

    y_i = O (c_i1, ..., c_iH) + o,   c_ih = sum_t a_t (V_g x_t + v_g),   a = softmax over t of score_h(i, t),
    score_h(i, t) = (Q_h x_i + q_h) . (K_g x_t + k_g) / sqrt(k),

tokens of radius R, H heads of width k, of which H/G share the keys and values of a group g (G = H unless told
otherwise). Norms are those of the whole matrices; a head's block has no larger one. With n = H/G,

* the averages of all heads together have norm at most R sqrt(sum_h |V_h|^2) + sqrt(n) |v|, and sum_h |V_h|^2 is at
  most H |V|^2 and at most n |V|_F^2. Not R |V|: heads may attend to different tokens.
* One head moves by at most |V_h| g Delta if its tokens move by Delta. Without key bias (it adds the same to all scores
  of a query, and has no effect) the score is a linear function a . x_t of the key, a = K^T(Qx_i + q)/sqrt(k), and as in
  maurey/attention g = s R^2 + sqrt(1 + R^2 |a|^2), with s = |K||Q|/sqrt(k) and |a| <= sR + |K||q|/sqrt(k). A fixed
  number added to a score (ALiBi, a mask) and a trained one (T5) change the weights alone, which are arbitrary there.
* With rotations (RoPE) a depends on t, and the proof fails; so does the constant. Then g = 1 + R (score's constant),
  where a score moves by (L_q |key| + |query| L_k)/sqrt(k), rotations being isometries.
* With QK-norm, query and key are g * n_eps(.), of length at most |g|_inf sqrt(k), and move 1/sqrt(eps) times as fast.
* A head moves by |V_h| R per unit of its scores, and O joins the heads: |O| times the root of the sum of their squares.
  The movement of the queries Q x is shared by the heads, and squares add. The keys' and values' are not: in each head
  another token may be the one whose key (value) moves most, which costs sqrt(H). Their biases are the same for all
  tokens, and cost sqrt(n).
* In the order Q, q, K, k, V, v, O, o each weight acts on vectors of the perturbed network.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Min, sqrt

from ..derivation import Derivation
from ..norms import Matrix, norm
from .maps import MOVES, bias_weight, shift
from .signals import Sensitivity, Signal, Weight, plus, square, times

ONE = Integer(1)
QUERY = r"a query meets the longest key, a head moves by $|V_h|R$ per unit of score; squares add over the heads"
KEY = r"the same for keys, of which each head may see another one move: a factor $\sqrt H$"
VALUE = r"heads may attend to different tokens: the root of the number of heads"
QUERY_GAIN = r"a gain moves the queries of all heads at once"
KEY_GAIN = r"a gain moves the keys of all heads at once"
RELATIVE = r"a trained number moves the scores it is added to, in all heads at once"


@dataclass(frozen=True)
class QKNorm:
    """LayerNorm or RMSNorm of every head's query and key, with gains that the heads share."""

    eps: Expr
    query_gain: Matrix | None = None
    key_gain: Matrix | None = None
    centred: bool = False


@dataclass(frozen=True)
class MultiHead:
    query: Matrix  # H k x d
    key: Matrix  # G k x d
    value: Matrix  # G k x d
    output: Matrix  # d x H k
    heads: Expr
    width: Expr  # k, of a head
    query_bias: Matrix | None = None
    key_bias: Matrix | None = None  # without effect, unless keys are turned or normalised
    value_bias: Matrix | None = None
    output_bias: Matrix | None = None
    groups: Expr | None = None
    causal: bool = False
    rotary: Expr | None = None  # RoPE: the base of its angles
    alibi: bool = False
    relative: Matrix | None = None  # T5: a column of one number for each head and bucket
    qk_norm: QKNorm | None = None

    @property
    def refusal(self) -> str:
        """Why no bound on a risk follows, if none does."""
        return "a norm with eps = 0 has no Lipschitz constant" if self.qk_norm and self.qk_norm.eps == 0 else ""

    @property
    def shared(self) -> Expr:
        """How many heads have the keys and values of a group."""
        return ONE if self.groups is None else self.heads / self.groups

    @property
    def turned(self) -> bool:
        """Scores are no linear function of the key's token: the same vector for all keys does not exist."""
        return self.rotary is not None or self.qk_norm is not None

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        R, B_O = x.radius, norm(D, self.output, "spectral")
        blocks = D.fresh("s", "s", self._blocks(D), r"$(\sum_h|V_h|^2)^{1/2}$: heads may attend to different tokens")
        b_V = shift(D, self.value_bias)
        averages = plus(times(blocks, R), times(sqrt(self.shared), b_V))
        averages = D.fresh("R", "R", averages, "the averages of all heads together")
        radius = plus(times(B_O, averages), shift(D, self.output_bias))
        gain = self._gain(D, R)
        weights = (*self._score_weights(D, x, times(B_O, norm(D, self.value, "spectral"), R)),
                   *self._value_weights(x, B_O, averages))  # fmt: skip
        return Sensitivity(x.to(radius), lambda: times(B_O, blocks, gain()), weights)

    def _blocks(self, D: Derivation) -> Expr:
        V = self.value
        each = times(sqrt(self.heads), norm(D, V, "spectral"))
        if V.frobenius is None:
            return each
        together = times(sqrt(self.shared), V.frobenius)
        return together if V.spectral is None else Min(each, together)

    def _side(self, D: Derivation, M: Matrix, bias: Matrix | None, gain: Matrix | None, R: Expr) -> tuple[Expr, ...]:
        """Of queries, or of keys: their length, their Lipschitz constant, and how far they move with Mx."""
        B = norm(D, M, "spectral")
        if self.qk_norm is None:
            return plus(times(B, R), shift(D, bias)), B, ONE
        g = ONE if gain is None else norm(D, gain, "rows")
        steep = g / sqrt(self.qk_norm.eps)
        return times(g, sqrt(self.width)), times(steep, B), steep

    def _sides(self, D: Derivation, R: Expr) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        gains = (self.qk_norm.query_gain, self.qk_norm.key_gain) if self.qk_norm else (None, None)
        bias = self.key_bias if self.turned else None
        return self._side(D, self.query, self.query_bias, gains[0], R), self._side(D, self.key, bias, gains[1], R)

    def _gain(self, D: Derivation, R: Expr):  # type: ignore[no-untyped-def]
        """How far a head moves, per unit of its values' norm and of its tokens' movement."""

        def gain() -> Expr:
            root = sqrt(self.width)
            if self.turned:
                (query, L_q, _), (key, L_k, _) = self._sides(D, R)
                return 1 + times(R, plus(times(L_q, key), times(query, L_k))) / root
            B_Q, B_K = norm(D, self.query, "spectral"), norm(D, self.key, "spectral")
            s = D.fresh("s", "s", times(B_K, B_Q) / root, "the largest score of two unit tokens")
            b = shift(D, self.query_bias)
            a = plus(times(s, R), times(B_K, b) / root if b != 0 else b)
            a = D.fresh("a", "a", a, "the vector that keys are dotted with")
            return times(s, square(R)) + sqrt(1 + square(times(R, a)))

        return gain

    def _score_weights(self, D: Derivation, x: Signal, per_score: Expr) -> tuple[Weight, ...]:
        """`per_score`: how far the output moves if the scores move by one in all heads together, in l2."""
        R, root, every = x.radius, sqrt(self.width), sqrt(self.heads)
        (query, _, steep_q), (key, _, steep_k) = self._sides(D, R)
        per_query = times(per_score, key, steep_q) / root
        per_key = times(per_score, every, query, steep_k) / root
        found = [
            Weight(self.query, per_query, R, x.number, QUERY), *bias_weight(self.query_bias, per_query),
            Weight(self.key, per_key, R, x.number, KEY),
        ]  # fmt: skip
        if self.turned:
            found += bias_weight(self.key_bias, times(per_score, sqrt(self.shared), query, steep_k) / root)
        if self.qk_norm is not None:
            for gain, other, number, reason in (
                (self.qk_norm.query_gain, key, self.heads, QUERY_GAIN),
                (self.qk_norm.key_gain, query, self.groups or self.heads, KEY_GAIN),
            ):
                if gain is not None:
                    effect = times(per_score, every, other) / root
                    found.append(Weight(gain, effect, root, times(x.number, number), reason, by="rows"))
        if self.relative is not None:
            found.append(Weight(self.relative, times(per_score, every), ONE, ONE, RELATIVE, by="rows"))
        return tuple(found)

    def _value_weights(self, x: Signal, B_O: Expr, averages: Expr) -> tuple[Weight, ...]:
        return (
            Weight(self.value, times(B_O, sqrt(self.heads)), x.radius, x.number, VALUE),
            *bias_weight(self.value_bias, times(B_O, sqrt(self.shared))),
            Weight(self.output, ONE, averages, x.number, MOVES),
            *bias_weight(self.output_bias),
        )
