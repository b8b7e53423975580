"""Appendix B: sparse Boolean functions by attention. One part per stated norm, size, error and margin."""

from sympy import Expr, Lt, Max, exp, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import C0, DEGREE, parameters

from .section_b_weights import (
    BUMP,
    COHERENT,
    EVEN,
    NETWORK,
    PLATEAU,
    SPARSE,
    TRUNCATION,
    B,
    Delta,
    R,
    T,
    c0,
    c_s,
    d_f,
    delta,
    dominance,
    dual_query,
    error,
    exact,
    f_max,
    form,
    gamma,
    gap,
    margin,
    moved,
    n,
    network_norms,
    norms,
    number,
    repaired_head,
    repaired_key,
    s,
    scaled,
    selection_error,
    two_units,
    widths,
)

BITS = {"meaning": "number of input bits; with [CLS] there are $T+1$ tokens"}
BASIS = r"""All $v_t$ have norm 1; those of the two bits and of [CLS] are unit vectors orthogonal to them and to each
other."""

theorem_b1 = Claim(
    key="edelman2022/B.1",
    title="Sparse variable creation with Transformers",
    kind="representation",
    statement=r"""For deterministic or trainable positional embeddings and for bags of vectors: attention alone
approximates a particular monotone symmetric $s$-sparse function with the norms of B.2, B.3 or B.4; with a
three-layer ReLU network behind it, one head represents every symmetric $s$-sparse function exactly with network
norms polynomial in $s$, and $s$ heads (one, for bags) every $s$-sparse function with norms $2^s$ times a
polynomial.""",
    symbols=parameters("T s gamma coherence", T=BITS),
    assumes=(COHERENT, SPARSE),
    uses=("edelman2022/B.2", "edelman2022/B.3", "edelman2022/B.4", "edelman2022/B.5", "edelman2022/B.6"),
    constants=(C0, DEGREE),
    parts=(
        Part("error", r"\max_b|\hat f(X(b))-g_{\mathcal I}(b)|",
             "error of attention alone, with weights within the norms of B.2, B.3 or B.4",
             printed=form(lambda: gamma / 4)),
        Part("mlp_symmetric", r"\|W_1\|_F,\|W_2\|_F,\|w\|_F", "network norms, symmetric targets", "<~",
             "an absolute constant and the degree of a polynomial", printed=lambda _: c0 * s**c_s),
        Part("mlp_sparse", r"\|W_1\|_F,\|W_2\|_F,\|w\|_F", "network norms, all sparse targets", "<~",
             "an absolute constant and the degree of a polynomial", printed=lambda _: c0 * s**c_s * 2**s),
    ),
)  # fmt: skip


def _head_scale(D: Derivation) -> Expr:
    room = D.let("room_heads", r"\rho", 1 - Delta, "each head has one relevant position")
    return D.let("R", "R", gap(D) / room, "so that the scores differ by the gap")


def _head_error(D: Derivation) -> Expr:
    return D.let("error_heads", "", moved(D, T, gap(D)), "Hölder in each coordinate: the values are at most 1")


lemma_b2 = Claim(
    key="edelman2022/B.2",
    title="Deterministic positions, attention only",
    kind="construction",
    statement=rf"""Inputs $X(b)=P+E_b$, rows $v_1,\dots,v_T$ of $P$ with $|v_i^\top v_j|\le\Delta<1/s$. {BASIS} One head
approximates, within $\gamma/4$, a 1-bounded $(2/s)$-strictly monotone symmetric function of the $s$ relevant bits;
$s$ heads a 1-bounded 2-injective one with values in $\mathbb R^s$; the stated norms suffice. The derived and
repaired forms of one head are for $(2s-1)\Delta<1$.""",
    symbols=parameters("T s gamma coherence", T=BITS),
    assumes=(COHERENT, SPARSE),
    uses=(TRUNCATION,),
    differs={"mu": EVEN},
    parts=(
        *norms({"W_Q": lambda: log(8 * T / gamma) / (1 - s * Delta), "W_K": lambda: s, "W_V": number(2),
                "W_C": number(1)}, W_Q=lambda D: dual_query(D, gap(D), s), W_V=two_units,
               repaired={"W_Q": repaired_head(number(1)), "W_K": repaired_key, "W_V": lambda: sqrt(2),
                         "W_C": number(1)}),
        error(lambda: gamma / 4, selection_error, repaired=lambda: gamma / 4),
        margin(lambda: 2 / s),
        *norms({"W_Q": lambda: log(8 * T / gamma) / (1 - s * Delta), "W_K": number(1), "W_V": number(2),
                "W_C": number(1)}, suffix="_heads", of=", each of $s$ heads",
               damaged="the item is lost; the proof takes the same R", W_Q=scaled(_head_scale), W_V=two_units,
               repaired={"W_Q": lambda: log(8 * T / gamma) / (1 - Delta), "W_V": lambda: sqrt(2)}),
        error(lambda: gamma / 4, _head_error, suffix="_heads", of=", $s$ heads"),
    ),
)  # fmt: skip

lemma_b3 = Claim(
    key="edelman2022/B.3",
    title="Trainable positions, attention only",
    kind="construction",
    statement=r"""As B.2 with positional embeddings that are trained: the stated norms suffice for one head and
for each of $s$ heads, with $P$ shared.""",
    symbols=parameters("T s gamma", T=BITS),
    assumes=(SPARSE,),
    uses=(TRUNCATION, "edelman2022/B.2"),
    parts=(
        *norms({"P": lambda: s}, norm="2,1"),
        *norms({"W_Q": lambda: log(8 * T / gamma), "W_K": number(1), "W_V": number(2), "W_C": number(1)},
               W_Q=scaled(gap), W_V=two_units),
        error(lambda: gamma / 4, selection_error),
        margin(lambda: 2 / s),
    ),
)  # fmt: skip


def _bag_error(D: Derivation) -> Expr:
    moves = moved(D, T, gap(D, s))
    return D.let("error", "", s * moves, "Hölder: the values are at most $s$, and exact where the mass belongs")


def _bag_value(D: Derivation) -> Expr:
    reason = r"columns $v_i^*-v_{[CLS]}$ with the dual basis $v_i^*$, $\|v_i^*\|^2=(G^{-1})_{ii}\le1/\mu$"
    return D.let("W_V", "", sqrt(s * (1 / dominance(D) + 1)), reason)


lemma_b4 = Claim(
    key="edelman2022/B.4",
    title="Bags of vectors, attention only",
    kind="construction",
    statement=rf"""Token $t$ is $b_tv_t$ with $|v_i^\top v_j|\le\Delta$, $s\Delta<\gamma<1$ and $s\Delta<1$. {BASIS} One
head approximates, within $\gamma/4$, an $s$-bounded $(1/s)$-strictly monotone symmetric function, or a 1-bounded
$(1/s)$-injective one with values in $\mathbb R^s$; the stated norms suffice. The argument of the logarithm is badly
damaged in the source and is read from its fragments. The derived and repaired forms are for $(2s-1)\Delta<1$ and
any $\gamma$.""",
    symbols=parameters("T s gamma coherence", T=BITS),
    assumes=(COHERENT, SPARSE, Assumption(Lt(s * Delta, gamma), "s times the coherence is below gamma"),
             Assumption(Lt(gamma, 1), "gamma is below 1")),
    uses=(TRUNCATION,),
    differs={
        "mu": EVEN,
        "moved": r"it adds an error $s\Delta$ of the values, which no $R$ removes, and asks for $s\Delta<\gamma$ only",
    },
    parts=(
        *norms({"W_Q": lambda: log(8 * T * s * (1 + Delta) / (gamma - s * Delta)) / (1 - s * Delta),
                "W_K": lambda: s + 1, "W_V": lambda: 2 * s, "W_C": lambda: s},
               damaged="the argument of the logarithm is read from fragments, and from the error of the proof",
               W_Q=lambda D: dual_query(D, gap(D, s), s + 1, beside=1), W_V=_bag_value,
               W_C=lambda D: D.let("W_C", "", sqrt(s), "$s$ entries"),
               repaired={"W_Q": repaired_head(lambda: s), "W_K": lambda: repaired_key(1),
                         "W_V": lambda: sqrt(s + s / (1 - (s - 1) * Delta)), "W_C": lambda: sqrt(s)}),
        error(lambda: gamma / 4, _bag_error, repaired=lambda: gamma / 4),
        margin(lambda: 1 / s, source="damaged: the target is read from the limit of the construction"),
    ),
)  # fmt: skip

lemma_b5 = Claim(
    key="edelman2022/B.5",
    title="From monotone to symmetric functions",
    kind="construction",
    statement=r"""If attention approximates, within $\gamma/4$, a $B$-bounded $\gamma$-strictly monotone
symmetric function of the relevant bits, a three-layer ReLU network behind it represents any symmetric
$s$-sparse $f$ exactly.""",
    symbols=parameters("s gamma B f_max", B={"meaning": "bound on the approximated function"}),
    uses=(NETWORK,),
    differs={"ramp": PLATEAU},
    parts=(
        *widths(lambda: 4 * (s + 1), lambda: 2 * (s + 1)),
        *network_norms(number(1), number(1)),
        exact("b"),
    ),
)

lemma_b6 = Claim(
    key="edelman2022/B.6",
    title="From injective to arbitrary functions",
    kind="construction",
    statement=r"""As B.5 for any $s$-sparse $f$, when attention approximates a $\gamma$-injective function with
values in $\mathbb R^s$.""",
    symbols=parameters("s gamma B f_max", B={"meaning": "bound on the approximated function"}),
    uses=(NETWORK,),
    differs={"ramp": PLATEAU},
    parts=(
        *widths(lambda: 4 * s * 2**s, lambda: 2 * 2**s),
        *network_norms(lambda: s, lambda: Max(1, s - 1)),
        exact("b"),
    ),
)

SOFTMAX = r"\|\mathrm{softmax}(z')-\mathrm{softmax}(z)\|_1"


def _truncated(D: Derivation) -> Expr:
    inside = D.let("inside", "A", s * exp(R), r"at least: the sum of $e^{z_t}$ over $t\le s$")
    outside = D.let("outside", "C", T - s, r"at most: the sum of $e^{z_t}$ over $t>s$")
    reason = "what leaves the others arrives at the relevant ones: twice the mass outside, largest at these sums"
    return D.let("moved", "", 2 * (outside / (inside + outside)), reason)


TRUNCATED = steps(_truncated)

lemma_b7 = Claim(
    key="edelman2022/B.7",
    title="Softmax truncation",
    kind="approximation",
    statement=r"""If $z_t\ge R$ for $t\le s$ and $z_t\le0$ for $t>s$, and $z'$ is $z$ with $-\infty$ beyond $s$,
the softmax moves by at most the first amount, which is below the second.""",
    symbols=parameters("T s scale"),
    assumes=(SPARSE,),
    parts=(
        Part("moved", SOFTMAX, "movement of the softmax", printed=lambda _: 2 * ((T - s) / (s * exp(R))),
             derived=TRUNCATED),
        Part("crude", SOFTMAX, "the same, coarser", printed=lambda _: 2 * T / exp(R), derived=TRUNCATED),
    ),
)  # fmt: skip


def _wide_entries(D: Derivation) -> Expr:
    reason = r"plateaus are $3\delta$ from other centres, so a bump may fall over $2\delta$: $\frac12((u+3)_+-(u+1)_+-"
    reason += r"(u-1)_++(u-3)_+)$"
    wide = D.let("slope", "a", 1 / (2 * delta), reason)
    begin = D.let("bias", r"\beta", wide * (B + 3 * delta), "the outermost pieces begin $3\\delta$ from the centre")
    return D.let("W_1", "", Max(wide, begin), "weights and biases")


def _unit_threshold(D: Derivation) -> Expr:
    return D.let("W_2", "", d_f, "the largest bias of a ramp of width 1 that ends at $d_f$")


lemma_b8 = Claim(
    key="edelman2022/B.8",
    title="Exact representation by a three-layer ReLU network",
    kind="construction",
    statement=r"""For $n$ points with $\|x_i\|_\infty\le B$ and $\|x_i-x_j\|_\infty\ge4\delta$, a network of the
stated size and entries has the value $f(x_i)$ on all of $x_i+[-\delta,\delta]^{d_f}$.""",
    symbols=parameters("n d_f B ramp f_max", n={"meaning": "number of points"}),
    differs={"bias": BUMP, "W_2": r"its ramp, of width $\delta$, is wider than the gap of 1 when $\delta>1$"},
    parts=(
        *widths(lambda: 4 * n * d_f, lambda: 2 * n),
        *norms({"W_1": lambda: Max(1, B) / delta, "W_2": lambda: d_f / delta, "w": lambda: f_max}, norm=r"\infty",
               W_1=_wide_entries, W_2=_unit_threshold,
               repaired={"W_1": lambda: Max(1, B + 3 * delta) / (2 * delta), "W_2": lambda: Max(1, d_f - 1)}),
        exact(r"i,\,\|z\|_\infty\le\delta"),
    ),
)  # fmt: skip
