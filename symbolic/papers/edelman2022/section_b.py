"""Appendix B: sparse Boolean functions by attention. One part per stated norm, size and error."""

from collections.abc import Callable

from sympy import Expr, Integer, Lt, Max, exp, log

from ...claim import Assumption, Claim, Form, Part
from ...names import C0, DEGREE, parameters, symbols

T, s, gamma, Delta, R, n, d_f, B, delta, f_max = symbols("T s gamma coherence scale n d_f B ramp f_max")
c0, c_s = symbols("C0 c_s")

COHERENT = Assumption(Lt(s * Delta, 1), "s times the coherence is below 1")
SPARSE = Assumption(s <= T, "s is at most T")
WORDS = {"F": "Frobenius norm", r"\infty": "largest entry", "2,1": "sum of the row norms"}

Formula = Callable[[], Expr]


def form(value: Formula) -> Form:
    return lambda _: value()


def norms(values: dict[str, Formula], norm: str = "F", suffix: str = "", of: str = "") -> tuple[Part, ...]:
    """One part for each matrix: the stated bound on its norm."""
    return tuple(
        Part(f"{matrix}{suffix}", rf"\|{latex(matrix)}\|_{{{norm}}}", f"{WORDS[norm]} of ${latex(matrix)}${of}",
             printed=form(value))
        for matrix, value in values.items()
    )  # fmt: skip


def latex(matrix: str) -> str:
    return r"P^\top" if matrix == "P" else matrix


def sizes(values: dict[str, Formula]) -> tuple[Part, ...]:
    return tuple(Part(name, name, "width of a layer", "=", printed=form(v)) for name, v in values.items())


def error(value: Formula, of: str = "") -> Part:
    words = f"error of the approximation{of}"
    return Part("error", r"\max_b\|\hat f(X(b))-g_{\mathcal I}(b)\|_\infty", words, printed=form(value))


def number(value: int) -> Formula:
    return lambda: Integer(value)


theorem_b1 = Claim(
    key="edelman2022/B.1",
    title="Sparse variable creation with Transformers",
    kind="representation",
    statement=r"""For deterministic or trainable positional embeddings and for bags of vectors: attention alone
approximates a particular monotone symmetric $s$-sparse function with the norms of B.2, B.3 or B.4; with a
three-layer ReLU network behind it, one head represents every symmetric $s$-sparse function exactly with network
norms polynomial in $s$, and $s$ heads (one, for bags) every $s$-sparse function with norms $2^s$ times a
polynomial.""",
    symbols=parameters("s"),
    uses=("edelman2022/B.2", "edelman2022/B.3", "edelman2022/B.4", "edelman2022/B.5", "edelman2022/B.6"),
    constants=(C0, DEGREE),
    parts=(
        Part("mlp_symmetric", r"\|W_1\|_F,\|W_2\|_F,\|w\|_F", "network norms, symmetric targets", "<~",
             "an absolute constant and the degree of a polynomial", printed=lambda _: c0 * s**c_s),
        Part("mlp_sparse", r"\|W_1\|_F,\|W_2\|_F,\|w\|_F", "network norms, all sparse targets", "<~",
             "an absolute constant and the degree of a polynomial", printed=lambda _: c0 * s**c_s * 2**s),
    ),
)  # fmt: skip

lemma_b2 = Claim(
    key="edelman2022/B.2",
    title="Deterministic positions, attention only",
    kind="construction",
    statement=r"""Inputs $X(b)=P+E_b$ with embedding vectors whose inner products are at most $\Delta<1/s$. One
head approximates, within $\gamma/4$, a 1-bounded $(2/s)$-strictly monotone symmetric function of the $s$
relevant bits; $s$ heads a 1-bounded 2-injective one with values in $\mathbb R^s$; the stated norms suffice.""",
    symbols=parameters("T s gamma coherence"),
    assumes=(COHERENT, SPARSE),
    uses=("edelman2022/B.7",),
    parts=(
        *norms({"W_Q": lambda: log(8 * T / gamma) / (1 - s * Delta), "W_K": lambda: s, "W_V": number(2),
                "W_C": number(1)}),
        error(lambda: gamma / 4),
        *norms({"W_Q": lambda: log(8 * T / gamma) / (1 - s * Delta), "W_K": number(1), "W_V": number(2),
                "W_C": number(1)}, suffix="_heads", of=", each of $s$ heads"),
    ),
)  # fmt: skip

lemma_b3 = Claim(
    key="edelman2022/B.3",
    title="Trainable positions, attention only",
    kind="construction",
    statement=r"""As B.2 with positional embeddings that are trained: the stated norms suffice for one head and
for each of $s$ heads, with $P$ shared.""",
    symbols=parameters("T s gamma"),
    assumes=(SPARSE,),
    uses=("edelman2022/B.7", "edelman2022/B.2"),
    parts=(
        *norms({"P": lambda: s}, norm="2,1"),
        *norms({"W_Q": lambda: log(8 * T / gamma), "W_K": number(1), "W_V": number(2), "W_C": number(1)}),
        error(lambda: gamma / 4),
    ),
)  # fmt: skip

lemma_b4 = Claim(
    key="edelman2022/B.4",
    title="Bags of vectors, attention only",
    kind="construction",
    statement=r"""Token $t$ is $b_tv_t$ with inner products at most $\Delta$, $s\Delta<\gamma<1$ and
$s\Delta<1$. One head approximates, within $\gamma/4$, an $s$-bounded $(1/s)$-strictly monotone symmetric
function, or a 1-bounded $(1/s)$-injective one with values in $\mathbb R^s$; the stated norms suffice. The
argument of the logarithm is badly damaged in the source and is read from its fragments.""",
    symbols=parameters("T s gamma coherence"),
    assumes=(COHERENT, SPARSE, Assumption(Lt(s * Delta, gamma), "s times the coherence is below gamma"),
             Assumption(Lt(gamma, 1), "gamma is below 1")),
    uses=("edelman2022/B.7",),
    parts=(
        *norms({"W_Q": lambda: log(8 * T * s * (1 + Delta) / (gamma - s * Delta)) / (1 - s * Delta),
                "W_K": lambda: s + 1, "W_V": lambda: 2 * s, "W_C": lambda: s}),
        error(lambda: gamma / 4),
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
    uses=("edelman2022/B.8",),
    parts=(
        *sizes({"d_2": lambda: 4 * (s + 1), "d_3": lambda: 2 * (s + 1)}),
        *norms(
            {"W_1": lambda: 8 * Max(1, B) / gamma, "W_2": lambda: 8 * s / gamma, "w": lambda: f_max}, norm=r"\infty"
        ),
    ),
)

lemma_b6 = Claim(
    key="edelman2022/B.6",
    title="From injective to arbitrary functions",
    kind="construction",
    statement=r"""As B.5 for any $s$-sparse $f$, when attention approximates a $\gamma$-injective function with
values in $\mathbb R^s$.""",
    symbols=parameters("s gamma B f_max", B={"meaning": "bound on the approximated function"}),
    uses=("edelman2022/B.8",),
    parts=(
        *sizes({"d_2": lambda: 4 * s * 2**s, "d_3": lambda: 2 * 2**s}),
        *norms(
            {"W_1": lambda: 8 * Max(1, B) / gamma, "W_2": lambda: 8 * s / gamma, "w": lambda: f_max}, norm=r"\infty"
        ),
    ),
)

SOFTMAX = r"\|\mathrm{softmax}(z')-\mathrm{softmax}(z)\|_1"

lemma_b7 = Claim(
    key="edelman2022/B.7",
    title="Softmax truncation",
    kind="approximation",
    statement=r"""If $z_t\ge R$ for $t\le s$ and $z_t\le0$ for $t>s$, and $z'$ is $z$ with $-\infty$ beyond $s$,
the softmax moves by at most the first amount, which is below the second.""",
    symbols=parameters("T s scale"),
    assumes=(SPARSE,),
    parts=(
        Part("moved", SOFTMAX, "movement of the softmax", printed=lambda _: 2 * ((T - s) / (s * exp(R)))),
        Part("crude", SOFTMAX, "the same, coarser", printed=lambda _: 2 * T / exp(R)),
    ),
)

lemma_b8 = Claim(
    key="edelman2022/B.8",
    title="Exact representation by a three-layer ReLU network",
    kind="construction",
    statement=r"""For $n$ points with $\|x_i\|_\infty\le B$ and $\|x_i-x_j\|_\infty\ge4\delta$, a network of the
stated size and entries has the value $f(x_i)$ on all of $x_i+[-\delta,\delta]^{d_f}$.""",
    symbols=parameters("n d_f B ramp f_max", n={"meaning": "number of points"}),
    parts=(
        *sizes({"d_2": lambda: 4 * n * d_f, "d_3": lambda: 2 * n}),
        *norms({"W_1": lambda: Max(1, B) / delta, "W_2": lambda: d_f / delta, "w": lambda: f_max}, norm=r"\infty"),
    ),
)
