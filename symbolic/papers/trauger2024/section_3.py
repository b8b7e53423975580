"""Section 3: covers of linear maps that do not count their inputs."""

from sympy import Expr, Ge, Gt, Integer, Le, Piecewise, Rational, binomial, log

from maurey.symbolic.capacity import capacity_steps
from maurey.symbolic.claim import Assumption, Claim, Part, Setting
from maurey.symbolic.covers import (
    Cover,
    by_columns,
    by_entries,
    length_free,
    maurey_columns,
    maurey_entries,
    on_basis,
    online,
    rows_on_basis,
    zhang,
    zhang_basis,
)
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import maurey
from maurey.symbolic.modules import Linear, Signal, Weight
from maurey.symbolic.names import C0, parameters, symbols
from maurey.symbolic.norms import Matrix, norm
from maurey.symbolic.papers.edelman2022.section_4 import entropy_value

eps, N, d, k, q, b, gamma, f_norm, E_in, c0 = symbols("eps N d k q b gamma f_norm E_in C0")
B_X, B_X_1, B_11, B_1inf, B_21 = symbols("B_X B_X_1 B_W_11 B_W_1inf B_W_21")
LINEAR = r"\log\mathcal N_\infty(\mathcal F,\epsilon,N,\|\cdot\|_2)"
KEPT = ("T", "k", "d")
LOGARITHMS = "an absolute constant, and logarithms of all quantities but T, k and d"

# --- 3.1 --------------------------------------------------------------------------------------------------------------


def variance(_: Setting) -> list[Step]:
    """Draw each of k terms to be V_i with probability alpha_i and 0 else: their mean is f, and the mean of |V|^2 is at
    most gamma b^2."""
    D = Derivation()
    one = D.let(
        "variance", r"\sigma^2", gamma * b**2 - f_norm**2, r"one term: $V_i$ with probability $\alpha_i$, else 0"
    )
    return D.steps_to(D.let("error", "", one / k, "some draw does no worse than the mean of them all"))


def _tuples(_: Setting) -> list[Step]:
    return [Step("count", "", binomial(d + k, k), "what is left to $k$ is one more part: multisets")]


lemma_3_1 = Claim(
    key="trauger2024/3.1",
    title="Maurey's sparsification lemma",
    kind="covering",
    statement=r"""Let $f=\sum_{i\le d}\alpha_iV_i$ in a Hilbert space, $\|V_i\|\le b$, $\alpha_i\ge0$ and
$\gamma=\|\alpha\|_1\le1$. For any $k\in\mathbb N$ there are integers $k_i\ge0$ with $\sum_ik_i\le k$ and
$\|f-\frac1k\sum_ik_iV_i\|^2$ at most the stated amount. A remark counts the tuples $(k_1,\dots,k_d)$.""",
    symbols=parameters(
        "d k b gamma f_norm",
        d={"meaning": "number of vectors"},
        k={"meaning": "number of terms"},
        b={"meaning": r"bound on $\|V_i\|$"},
        gamma={"meaning": r"$\|\alpha\|_1$", "domain": "in (0, 1]"},
    ),
    assumes=(Assumption(Le(f_norm, gamma * b), "the norm of f is at most gamma b"),),
    differs={
        "variance": r"it has $\gamma^2$ for $\gamma$, as if the mean of the terms were multiplied by $\gamma$",
        "count": "it counts as if the tuples summed to $k$",
    },
    parts=(
        Part("error", r"\|f-\frac1k\sum_ik_iV_i\|^2", "squared error",
             printed=lambda _: (gamma**2 * b**2 - f_norm**2) / k, repaired=lambda _: (gamma * b**2 - f_norm**2) / k,
             derived=variance),
        Part("count", r"|\{(k_1,\dots,k_d):\textstyle\sum_ik_i\le k\}|", "number of tuples",
             printed=lambda _: d**k, repaired=lambda _: (d + 1) ** k, derived=_tuples),
    ),
)  # fmt: skip

# --- 3.2 --------------------------------------------------------------------------------------------------------------


def linear_map(**norms: Expr) -> Matrix:
    """x -> Wx, W of size k x d: the norms are those of W itself."""
    return Matrix("W", "W", k, d, **norms)


def _any_points(_: Setting) -> list[Step]:
    D = Derivation()
    weight = Weight(linear_map(), Integer(1), B_X_1, N, "", radius_1=B_X_1)
    size = on_basis(lambda *_: entropy_value(E_in))(D, weight).at(eps)
    reason = r"an input is a mixture of $\pm B_xe_i$, a norm of a mixture at most the largest"
    return D.steps_to(D.let("log_N", "", size, reason))


lemma_3_2 = Claim(
    key="trauger2024/3.2",
    title="Basis vectors stand for all inputs",
    kind="covering",
    statement=r"""For $\mathcal F=\{x\mapsto Wx:W\in\mathcal W\}$, $\mathcal W\subset\mathbb R^{k\times d}$, inputs
$\|x\|_1\le B_x$ and $N\ge d$: the covering number for the worst $N$ points equals that for
$B_xe_1,\dots,B_xe_d$, in $\|\cdot\|_q$. Section 2.4 allows every $q>0$; the derivation is for $q\ge1$.""",
    symbols=parameters(
        "eps N d k q B_X_1 E_in", eps=r"\epsilon", B_X_1="B_x",
        E_in={"latex": r"\log\mathcal N_{\mathrm{basis}}", "meaning": "log covering number on the scaled basis"},
    ),
    assumes=(Assumption(Ge(N, d), "there are at least d points"),),
    differs={"log_N": r"it takes $\|\cdot\|_q$ to be a norm, which it is only for $q\ge1$"},
    parts=(
        Part("log_N", r"\log\mathcal N_\infty(\mathcal F,\epsilon,N,\|\cdot\|_q)", "log covering number", "=",
             printed=lambda _: E_in, repaired=lambda _: Piecewise((E_in, Ge(q, 1))), derived=_any_points),
    ),
)  # fmt: skip

# --- 3.3 to 3.6 -------------------------------------------------------------------------------------------------------

IN_L1 = Signal(B_X_1, N, Integer(1), radius_1=B_X_1)
IN_L2 = Signal(B_X, N, Integer(1))


def linear_cover(x: Signal, cover: Cover, **norms: Expr) -> list[Step]:
    return capacity_steps(Linear(linear_map(**norms)), x, eps, cover)


ENOUGH = Assumption(Ge(N, d), "there are at least d points")

lemma_3_3 = Claim(
    key="trauger2024/3.3",
    title=r"Linear cover, $\|x\|_1$ and $\|W\|_{1,\infty}$",
    kind="covering",
    statement=r"""For $\mathcal W=\{W\in\mathbb R^{k\times d}:\|W\|_{1,\infty}\le B_w\}$, inputs $\|x\|_1\le B_x$
and $N\ge d$ points: by Lemma 3.1 for each column.""",
    symbols=parameters("eps N d k B_X_1 B_W_1inf", eps=r"\epsilon", B_X_1="B_x"),
    assumes=(ENOUGH,),
    uses=("trauger2024/3.1", "trauger2024/3.2", "maurey/lattice", "maurey/online"),
    differs={"log_N": "it takes the number of terms of 3.1 to be any real number"},
    parts=(
        Part("log_N", LINEAR, "log covering number of the linear maps",
             printed=lambda _: (d * B_1inf**2 * B_X_1**2 / eps**2) * log(2 * k + 1),
             derived=lambda _: linear_cover(IN_L1, maurey_columns, column_l1=B_1inf),
             sharp=lambda _: linear_cover(IN_L1, length_free, column_l1=B_1inf)),
    ),
)  # fmt: skip


def _by_net(radius: Expr, number: Expr) -> Expr:
    """Columns summed bound the Frobenius norm: corrections along a net of the outputs' sphere."""
    return Rational(64, 49) * (B_21**2 * radius**2 / eps**2) * log(5**k * number + 1)


def _by_rows(radius: Expr, number: Expr) -> Expr:
    return Rational(3, 2) * (B_21**2 * radius**2 / eps**2) * log(16 * k**2 * number + 1)


lemma_3_4 = Claim(
    key="trauger2024/3.4",
    title=r"Linear cover, $\|x\|_1$ and $\|W\|_{2,1}$",
    kind="covering",
    statement=r"""For $\mathcal W=\{W\in\mathbb R^{k\times d}:\|W\|_{2,1}\le B_w\}$, the columns' norms summed, inputs
$\|x\|_1\le B_x$ and $N>d$ points: the cover of Lemma 3.5 on the scaled basis. Both readings are parts: the columns
summed as stated, and the rows, which are dotted with $x$, as in the lemma that 3.5 quotes.""",
    symbols=parameters("eps N d k B_X_1 B_W_21", eps=r"\epsilon", B_X_1="B_x", B_W_21="B_w"),
    assumes=(Assumption(Gt(N, d), "there are more than d points"),),
    uses=("trauger2024/3.2", "trauger2024/3.5", "maurey/lattice", "maurey/online", "maurey/columns"),
    constants=(C0,),
    differs={
        "bound_W": r"the lemma it uses bounds the rows that are dotted with $x$; here columns are bounded",
        "delta": "its centres are not shown to lie in the class",
    },
    parts=(
        Part(
            name="log_N",
            lhs=LINEAR,
            meaning="log covering number of the linear maps",
            relation="<~",
            hides=LOGARITHMS,
            keeps=KEPT,
            printed=lambda _: c0 * (B_21**2 * B_X_1**2 / eps**2) * log(d * k),
            repaired=lambda _: _by_net(B_X_1, d),
            derived=lambda _: linear_cover(IN_L1, zhang_basis, column_sum=B_21),
            sharp=lambda _: linear_cover(IN_L1, length_free, column_sum=B_21),
        ),
        Part(
            name="log_N_rows",
            lhs=LINEAR,
            meaning="the same, the rows' norms summed",
            relation="<~",
            hides=LOGARITHMS,
            keeps=KEPT,
            printed=lambda _: c0 * (B_21**2 * B_X_1**2 / eps**2) * log(d * k),
            repaired=lambda _: _by_rows(B_X_1, d),
            derived=lambda _: linear_cover(IN_L1, zhang_basis, row_sum=B_21),
            sharp=lambda _: linear_cover(IN_L1, rows_on_basis, row_sum=B_21),
        ),
    ),
)

lemma_3_5 = Claim(
    key="trauger2024/3.5",
    title=r"Linear cover, $\|x\|_2$ and $\|W\|_{2,1}$, imported",
    kind="covering",
    statement=r"""For $\mathcal W=\{W\in\mathbb R^{k\times d}:\|W\|_{2,1}\le B_w\}$, the columns' norms summed,
and any $n$ points with $\|x_i\|_2\le B_x$. Quoted from Edelman et al., whose maps are $x\mapsto W^\top x$: there
the columns of $W$ are dotted with $x$, here they are not. Both readings are parts: the columns summed as stated; and
the rows, with the number $k$ of outputs in the logarithm, as Lemma 3.4 uses it.""",
    symbols=parameters("eps N d k B_X B_W_21", eps=r"\epsilon", B_X="B_x", B_W_21="B_w", N="n"),
    uses=("edelman2022icml/4.6", "maurey/online", "maurey/columns"),
    constants=(C0,),
    differs={
        "bound_W": r"the lemma it quotes bounds the rows that are dotted with $x$; here columns are bounded",
        "delta": "its centres are not shown to lie in the class",
    },
    parts=(
        Part(name="log_N", lhs=r"\log\mathcal N_\infty(\mathcal F,\epsilon,\{x_i\}_{i=1}^n,\|\cdot\|_2)",
             meaning="log covering number of the linear maps", relation="<~", hides="an absolute constant", keeps=None,
             printed=lambda _: c0 * (B_21**2 * B_X**2 / eps**2) * log(d * N),
             repaired=lambda _: _by_net(B_X, N),
             derived=lambda _: linear_cover(IN_L2, zhang, column_sum=B_21),
             sharp=lambda _: linear_cover(IN_L2, online, column_sum=B_21)),
        Part(name="log_N_rows", lhs=r"\log\mathcal N_\infty(\mathcal F,\epsilon,\{x_i\}_{i=1}^n,\|\cdot\|_2)",
             meaning="the same, the rows' norms summed", relation="<~", hides="an absolute constant", keeps=None,
             source="damaged: the dimension in the logarithm is read as the number of outputs",
             printed=lambda _: c0 * (B_21**2 * B_X**2 / eps**2) * log(k * N),
             repaired=lambda _: _by_rows(B_X, N),
             derived=lambda _: linear_cover(IN_L2, zhang, row_sum=B_21),
             sharp=lambda _: linear_cover(IN_L2, online, row_sum=B_21)),
    ),
)  # fmt: skip

lemma_3_6 = Claim(
    key="trauger2024/3.6",
    title=r"Linear cover, $\|x\|_2$ and $\|W\|_{1,1}$",
    kind="covering",
    statement=r"""For $\mathcal W=\{W\in\mathbb R^{k\times d}:\|W\|_{1,1}\le B_w\}$, inputs $\|x\|_2\le B_x$ and
$N\ge d$ points: Lemma 3.1 for all entries as one vector.""",
    symbols=parameters("eps N d k B_X B_W_11", eps=r"\epsilon", B_X="B_x"),
    assumes=(ENOUGH,),
    uses=("trauger2024/3.1", "maurey/lattice"),
    differs={"log_N": "it takes the number of terms of 3.1 to be any real number"},
    parts=(
        Part("log_N", LINEAR, "log covering number of the linear maps",
             printed=lambda _: (B_X**2 * B_11**2 / eps**2) * log(2 * d * k + 1),
             derived=lambda _: linear_cover(IN_L2, maurey_entries, entries=B_11),
             sharp=lambda _: linear_cover(IN_L2, length_free, entries=B_11)),
    ),
)  # fmt: skip

# --- the observations of 3.4 ------------------------------------------------------------------------------------------


def _sum_of_columns(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(norm(D, linear_map(column_l1=B_1inf), "entries"))


def _ratio(_: Setting) -> list[Step]:
    """Matrices with columns in an l1 ball of radius B have entries in one of radius d B."""
    D = Derivation()
    columns = Weight(linear_map(column_l1=B_1inf), Integer(1), B_X_1, N, "", radius_1=B_X_1)
    by = {name: cover(maurey, D, columns) for name, cover in (("entries", by_entries), ("columns", by_columns))}
    entries = D.let("C_entries", "C_{1,1}", by["entries"].coefficient, "all entries at once", "trauger2024/3.6")
    apart = D.let("C_columns", r"C_{1,\infty}", by["columns"].coefficient, "column by column", "trauger2024/3.3")
    return D.steps_to(D.let("ratio", "", entries / apart, "the resolution cancels"))


comparison = Claim(
    key="trauger2024/S3.4",
    title="The three covers compared",
    kind="covering",
    statement=r"""None of the three counts points. Since $\|W\|_{p,1}\le d\|W\|_{p,\infty}$, Lemmas 3.4 and 3.6 for
$(2,\infty)$ and $(1,\infty)$ bounds have $d^2B_w^2$ where Lemma 3.3 has $dB_w^2$: with $B_w\leftarrow dB_w$ the bound
of 3.6 is the stated multiple of that of 3.3.""",
    symbols=parameters("d k B_X_1 B_W_1inf", B_X_1="B_x"),
    uses=("trauger2024/3.3", "trauger2024/3.6"),
    parts=(
        Part("sum", r"\|W\|_{p,1}", "the sum of the columns' norms",
             printed=lambda _: d * B_1inf, derived=_sum_of_columns),
        Part("ratio", r"C_{3.6}/C_{3.3}", "ratio of the bounds of 3.6 and 3.3", "=",
             printed=lambda _: d * log(2 * d * k + 1) / log(2 * k + 1), derived=_ratio),
    ),
)  # fmt: skip
