r"""Multi-head attention with output projection, as Transformers have it:

    y_i = O (c_i1, ..., c_iH) + o,   c_ih = sum_t a_t (V_g x_t + v_g),   a = softmax over t of score_h(i, t),
    score_h(i, t) = (Q_h x_i + q_h) . (K_g x_t + k_g) / sqrt(k),

tokens of radius R, H heads of width k, of which n = H/G share the keys and values of a group g (G = H unless told
otherwise). Norms are those of the whole matrices; a head's block has no larger one. O joins the heads, so what counts
is |O| times the root of the sum of the squares of what the heads do.

* The averages have norm at most b R + sqrt(n) |v| together, b^2 = sum_h |V_h|^2 <= min(H |V|^2, n |V|_F^2). Not |V| R:
  heads may attend to different tokens.
* Without key bias (it adds the same to all scores of a query, and has no effect) the score is a linear function of the
  key, a_h . x_t with a_h = K_h^T(Q_h x_i + q_h)/sqrt(k). As in maurey/attention a head moves, per unit by which tokens
  move, by |V_h| sqrt(1 + R^2 |a_h|^2) through its keys and values, and by |V_h| R^2 |K_h| |Q_h dx_i|/sqrt(k) by its
  query. Squares add over the heads, and so do those of Q_h x_i: with s = |K||Q|/sqrt(k) and |a| = sR + |K||q|/sqrt(k)
  the heads move by sqrt(b^2 + |V|^2 R^2 |a|^2) + |V| s R^2. A fixed number added to a score (ALiBi, a mask) and a
  trained one (T5) change the weights a_t alone, which are arbitrary in that proof.
* With rotations (RoPE) a_h depends on t, and the proof fails; so does the constant. Then values move the heads by b,
  and scores, which move by (|Q_h dx||key| + |query||K_h dx|)/sqrt(k), by |V| R each; rotations are isometries.
* With QK-norm, query and key are g * n_eps(.), of length at most |g|_inf sqrt(k), and move |g|_inf/sqrt(eps) times as
  fast. All queries together are sqrt(H) times as long.
* A head moves by |V| R per unit of its scores. A query is dotted with the longest key; keys are dotted with the queries
  of all heads, the squares of which add. Values: each head may see another token, whose value moves most: sqrt(H).
* In the order Q, q, K, k, V, v, O, o each weight acts on vectors of the perturbed network.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Min, sqrt

from ..derivation import Derivation
from ..norms import Matrix, norm
from .maps import MOVES, bias_weight, shift
from .signals import Sensitivity, Signal, Weight, plus, root, square, times

ONE = Integer(1)
QUERY = r"a query is dotted with the longest key; a head moves by $|V|R$ per unit of score"
KEY = r"a key is dotted with the queries of all heads, the squares of whose lengths add"
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
        x = x.by_length()
        R, B_O = x.radius, norm(D, self.output, "spectral")
        blocks = D.fresh("b", "b", self._blocks(D), r"$(\sum_h|V_h|^2)^{1/2}$: heads may attend to different tokens")
        b_V = shift(D, self.value_bias)
        averages = plus(times(blocks, R), times(root(self.shared), b_V))
        averages = D.fresh("R", "R", averages, "the averages of all heads together")
        radius = plus(times(B_O, averages), shift(D, self.output_bias))
        per_score = times(norm(D, self.value, "spectral"), R)
        weights = (*self._score_weights(D, x, times(B_O, per_score)), *self._value_weights(x, B_O, averages))
        return Sensitivity(x.to(radius), lambda: times(B_O, self._heads_move(D, R, blocks, per_score)), weights)

    def _blocks(self, D: Derivation) -> Expr:
        V = self.value
        each = times(root(self.heads), norm(D, V, "spectral"))
        if V.frobenius is None:
            return each
        together = times(root(self.shared), V.frobenius)
        return together if V.spectral is None else Min(each, together)

    def _side(self, D: Derivation, M: Matrix, bias: Matrix | None, gain: Matrix | None, R: Expr) -> tuple[Expr, ...]:
        """Of queries, or of keys: their length in one head, that of all heads together, and how far they move with
        Mx."""
        if self.qk_norm is None:
            length = plus(times(norm(D, M, "spectral"), R), shift(D, bias))
            return length, length, ONE
        g = ONE if gain is None else norm(D, gain, "rows")
        length = times(g, root(self.width))
        return length, times(root(self.heads), length), g / sqrt(self.qk_norm.eps)

    def _sides(self, D: Derivation, R: Expr) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        gains = (self.qk_norm.query_gain, self.qk_norm.key_gain) if self.qk_norm else (None, None)
        bias = self.key_bias if self.turned else None
        return self._side(D, self.query, self.query_bias, gains[0], R), self._side(D, self.key, bias, gains[1], R)

    def _heads_move(self, D: Derivation, R: Expr, blocks: Expr, per_score: Expr) -> Expr:
        """All heads together, per unit by which the tokens move."""
        scale, B_Q, B_K = root(self.width), norm(D, self.query, "spectral"), norm(D, self.key, "spectral")
        if self.turned:
            (_, queries, steep_q), (key, _, steep_k) = self._sides(D, R)
            scores = plus(times(steep_q, B_Q, key), times(queries, steep_k, B_K)) / scale
            return blocks + times(per_score, scores)
        s = D.fresh("s", "s", times(B_K, B_Q) / scale, "the largest score of two unit tokens")
        b = shift(D, self.query_bias)
        a = plus(times(s, R), times(B_K, b) / scale if b != 0 else b)
        a = D.fresh("a", "a", a, "the vectors that keys are dotted with, of all heads together")
        return sqrt(square(blocks) + square(times(per_score, a))) + times(per_score, s, R)

    def _score_weights(self, D: Derivation, x: Signal, per_score: Expr) -> tuple[Weight, ...]:
        """`per_score`: how far the output moves if the scores move by one in all heads together, in l2."""
        R, scale, every = x.radius, root(self.width), root(self.heads)
        (_, queries, steep_q), (key, _, steep_k) = self._sides(D, R)
        per_query, per_key = times(per_score, key, steep_q) / scale, times(per_score, queries, steep_k) / scale
        found = [
            Weight(self.query, per_query, R, x.number, QUERY), *bias_weight(self.query_bias, per_query),
            Weight(self.key, per_key, R, x.number, KEY),
        ]  # fmt: skip
        if self.turned:
            found += bias_weight(self.key_bias, per_key)
        if self.qk_norm is not None:
            for gain, other, number, reason in (
                (self.qk_norm.query_gain, times(every, key), self.heads, QUERY_GAIN),
                (self.qk_norm.key_gain, queries, self.groups or self.heads, KEY_GAIN),
            ):
                if gain is not None:
                    effect = times(per_score, other) / scale
                    found.append(Weight(gain, effect, scale, times(x.number, number), reason, by="rows"))
        if self.relative is not None:
            found.append(Weight(self.relative, times(per_score, every), ONE, ONE, RELATIVE, by="rows"))
        return tuple(found)

    def _value_weights(self, x: Signal, B_O: Expr, averages: Expr) -> tuple[Weight, ...]:
        return (
            Weight(self.value, times(B_O, root(self.heads)), x.radius, x.number, VALUE),
            *bias_weight(self.value_bias, times(B_O, root(self.shared))),
            Weight(self.output, ONE, averages, x.number, MOVES),
            *bias_weight(self.output_bias),
        )
