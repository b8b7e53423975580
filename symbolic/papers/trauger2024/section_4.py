"""Section 4: one layer by peeling, several layers by covering."""

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr, Gt, Integer, Min, Product, Rational, Sum, Symbol, log, sqrt

from maurey.symbolic.allocation import quadratic_total, whole_total
from maurey.symbolic.capacity import capacity_steps, term
from maurey.symbolic.chain import Dudley, chained_linear, levelled
from maurey.symbolic.claim import Assumption, Claim, Form, Part, Setting
from maurey.symbolic.covers import Cover, closed_columns, entrywise_l1, length_free, maurey_entries
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import Entropy, quadratic
from maurey.symbolic.modules import Linear, Module, Signal, Weight, square, times
from maurey.symbolic.names import C0, EXPONENT, KAPPA, indexed, parameters, symbols
from maurey.symbolic.networks import network, network_gap, readout
from maurey.symbolic.norms import Matrix
from maurey.symbolic.peeling import averages, largest_of_signs, peel, peel_columns, score_weight
from maurey.symbolic.route import LENGTH_FREE, PAPER, Route
from maurey.symbolic.softmax import BEST_CONSTANT

from . import repaired

TWO_THIRDS, THIRD = Rational(2, 3), Rational(1, 3)
eps, d, k, m, T, L, H, i, j, c0, c_L = symbols("eps d k m T L H i j C0 c_L")
L_sigma, B_X, B_w, B_C, B_V, B_QK, C_F, C_1, C_X = symbols("L_sigma B_X B_w B_C B_V B_QK C_F C_1 C_X")
B_w_1, B_C_1, B_V_1, B_QK_11, B_11 = symbols("B_w_1 B_C_1inf B_V_1inf B_QK_11 B_W_11")
alpha, tau, R_Fs = indexed("alpha tau R_F")

# --- 4.1: one layer, w^T W_c^T sigma(W_v^T X^T softmax(X W_QK x_CLS)), only W_QK covered ----------------------------


def outer(D: Derivation, by_rows: bool, best: bool = False) -> Expr:
    """The maps W_c^T and W_v^T: their (1, inf) norms as stated bound columns, and duality wants rows."""
    side = "row_l1" if by_rows else "column_l1"
    C, V = Matrix("C", "C", d, k, **{side: B_C_1}), Matrix("V", "V", k, d, **{side: B_V_1})
    return (peel if by_rows or not best else peel_columns)(D, B_w_1, C, L_sigma, V)


def peeled() -> Expr:
    """The product of the outer bounds."""
    return B_w_1 * B_C_1 * L_sigma * B_V_1


def outer_range(D: Derivation, by_rows: bool, x: Signal) -> Expr:
    """The largest value of the layer. Rows bounded in l1 carry the largest coordinate through, columns the l1 norm."""
    radius = x.radius if by_rows or x.radius_1 is not None else sqrt(d) * x.radius
    carried = "the largest coordinate" if by_rows else r"the $\ell_1$ norm"
    reason = f"every map carries {carried} through, and an average of tokens has theirs"
    return D.let("A", "A", peeled() * radius, reason)


def query_key(**norms: Expr) -> Matrix:
    """x -> W_QK x, which acts on the query [CLS]."""
    return Matrix("QK", "QK", d, d, **norms)


def layer(x: Signal, QK: Matrix, cover: Cover, by_rows: bool) -> list[Step]:
    D = Derivation()
    F = outer(D, by_rows)
    weight = score_weight(D, PAPER.kappa, QK, x)
    R = averages(D, term(weight, cover(D, weight)), d, x.radius, m)
    return D.steps_to(D.let("R_layer", "", F * R, "what was peeled off, times what is left"))


def sharp_layer(x: Signal, QK: Matrix, by_rows: bool, cover: Cover | None = None) -> list[Step]:
    """With the best chain for one coordinate. Where tokens are bounded in l1, the scores are covered, unless columns of
    W_QK lie in l1 balls: then either these are covered or, for the scores, their entries, and the entropy is K/eps."""
    D = Derivation()
    F = outer(D, by_rows, best=True)
    weight = score_weight(D, BEST_CONSTANT, QK, x, scalar=x.radius_1 is not None and QK.column_l1 is None)
    entropy = (cover or closed_columns)(D, weight)
    own = [term(weight, entropy)]
    p, C = quadratic_total(D, own)
    whole = None if p is None else whole_total(D, own, "_whole")
    R = levelled(D, C, A=x.radius, m=m, p=p, proper=entropy.proper, name="R_one", whole=whole)
    if cover is None:
        scores = score_weight(D, BEST_CONSTANT, QK, x, scalar=True)
        K = times(scores.coefficient, d * entrywise_l1(times(QK.column_l1, scores.radius_1), d))
        K = D.let("K_F", r"K_{\mathcal F}", K, "the entries of every column", "maurey/entrywise")
        linear = Min(R, chained_linear(K, x.radius, m))
        R = D.let("R_linear", r"\hat{\mathcal R}'", linear, "or a geometric series", "maurey/chaining")
    R = largest_of_signs(D, R, d, x.radius, m)
    A = outer_range(D, by_rows, x)
    return D.steps_to(D.let("R_layer", "", Min(F * R, A), "what was peeled off, times what is left; or the range"))


def given(C: Expr) -> Cover:
    return lambda *_: quadratic(C)


def printed_layer(B: Expr, C: Expr, inside: Expr, B_x: Expr) -> Expr:
    return c0 * B * ((C / sqrt(m)) * (1 + log(inside)) + B_x * sqrt(log(2 * d) / m))


LAYER = r"\hat{\mathcal R}_m(\{w^\top Y_{\mathrm{[CLS]}}\})"
CONDITIONS = (
    Assumption(Gt(m, d), "m > d"),
    Assumption(Gt(m, log(2 * d)), "m > ln(2d)"),
)
AS_STATED = r"""The theorem bounds $\|W_c^\top\|_{1,\infty}$ and $\|W_v^\top\|_{1,\infty}$, that is columns of
$W_c^\top$ and $W_v^\top$; its proof takes a row of each from an $\ell_1$ ball. Both readings are parts: as stated, and
with the rows bounded."""
PEELING_USES = ("trauger2024/C.1", "edelman2022/4.3", "trauger2024/S2.4", "ledoux1991/4.12", "maurey/peeling",
                "maurey/union", "maurey/units", "maurey/chaining", "maurey/levels", "maurey/softmax")  # fmt: skip
LAYER_DEPARTURES = {
    "bound_C": r"it takes the row $e_j^\top W_c^\top$ to have $\ell_1$ norm at most $B_{W_c}$, which bounds columns",
    "bound_V": r"it takes the row $e_j^\top W_v^\top$ to have $\ell_1$ norm at most $B_{W_v}$, which bounds columns",
    "tau_best": "it does not ask whether the cut-off lies below the range of the class",
}


def both_readings(
    printed: Form,
    derived: Callable[[bool], list[Step]],
    sharp: Callable[[bool], list[Step]],
    corrected: Callable[[bool], Form],
    hides: str = "an absolute constant",
    keeps: tuple[str, ...] | None = None,
) -> tuple[Part, ...]:
    def part(name: str, meaning: str, rows: bool) -> Part:
        return Part(
            name=name,
            lhs=LAYER,
            meaning=meaning,
            relation="<~",
            hides=hides,
            keeps=keeps,
            printed=printed,
            repaired=corrected(rows),
            derived=lambda _: derived(rows),
            sharp=lambda _: sharp(rows),
        )

    return (
        part("R", "Rademacher complexity of the layer, columns bounded as stated", False),
        part("R_rows", "the same, rows bounded", True),
    )


TOKENS = Signal(B_X, m, T)
UNIT = Dudley(Integer(1), Integer(1), "trauger2024/S2.4")


def _dudley_of_c(end: str) -> list[Step]:
    """Appendix C's integral, divided by the constant c."""
    D = Derivation()
    weight = score_weight(D, PAPER.kappa, query_key(), TOKENS)
    averages(D, term(weight, quadratic(C_F)), d, B_X, m, UNIT)
    return D.steps_to(Symbol(end))


def _printed_value(_: Setting) -> Expr:
    s, root = 2 * B_X**2 * sqrt(C_F) / sqrt(m), sqrt(log(2 * d))
    return s + B_X * (root / sqrt(m)) + s * log((sqrt(m) - root) / (2 * B_X * sqrt(C_F)))


theorem_4_1 = Claim(
    key="trauger2024/4.1",
    title="One layer: Rademacher complexity from a cover of the query-key map",
    kind="rademacher",
    statement=rf"""For $w^\top W_c^\top\sigma(W_v^\top
X^\top\mathrm{{softmax}}(XW_{{QK}}x_{{\mathrm{{[CLS]}}}}))$ with $\|w\|_1\le B_w$, $\|W_c^\top\|_{{1,\infty}}\le
B_{{W_c}}$, $\|W_v^\top\|_{{1,\infty}}\le B_{{W_v}}$, tokens $\|x\|_2<B_x$ and a log covering number $C/\epsilon^2$
of $x\mapsto W_{{QK}}x$ on them, $m>d$ and $m>\ln(2d)$. {AS_STATED} Two more parts are appendix C's
minimiser, and its value, of Dudley's sum divided by its constant.""",
    symbols=parameters("d k m L_sigma B_w_1 B_C_1inf B_V_1inf B_X C_F", B_X="B_x",
                       B_C_1inf="B_{W_c}", B_V_1inf="B_{W_v}",
                       C_F={"latex": "C", "meaning": r"coefficient of the entropy of $x\mapsto W_{QK}x$"}),
    assumes=CONDITIONS,
    uses=PEELING_USES,
    constants=(C0, KAPPA),
    differs=LAYER_DEPARTURES,
    parts=(
        *both_readings(
            lambda _: printed_layer(peeled(), 2 * B_X**2 * sqrt(C_F), sqrt(m) / (2 * B_X * sqrt(C_F)), B_X
            ),
            lambda rows: layer(TOKENS, query_key(), given(C_F), rows),
            lambda rows: sharp_layer(TOKENS, query_key(), rows, given(C_F)),
            repaired.theorem(),
        ),
        Part("delta_star", r"\delta^\star", "minimiser of Dudley's sum over the range of the class", "=",
             printed=lambda _: 2 * B_X**2 * sqrt(C_F) / (sqrt(m) - sqrt(log(2 * d))),
             repaired=lambda _: repaired.least_cut_off(),
             derived=lambda _: _dudley_of_c("tau_best")),
        Part("E", r"E/c", "Dudley's sum at the minimiser, divided by its constant",
             printed=_printed_value, repaired=repaired.least_sum, derived=lambda _: _dudley_of_c("R")),
    ),
)  # fmt: skip


def _printed_4_1_1(_: Setting) -> list[Step]:
    a = Symbol("alpha_QK")
    return [
        Step("alpha_QK", r"\alpha", B_QK_11 * sqrt(2 * log(2 * d**2 + 1)), "as printed"),
        Step("R", "", printed_layer(B_w_1 * B_C_1 * L_sigma * B_C_1, B_X**3 * a, sqrt(m) / (B_X**2 * a), B_X),
             "as printed"),
    ]  # fmt: skip


corollary_4_1_1 = Claim(
    key="trauger2024/4.1.1",
    title=r"One layer, $\|W_{QK}\|_{1,1}$",
    kind="rademacher",
    statement=rf"""Theorem 4.1 with the cover of Lemma 3.6 for $\|W_{{QK}}\|_{{1,1}}\le B_{{W_{{QK}}}}$. The
product of the outer bounds is printed with $B_{{W_c}}$ twice and without $B_{{W_v}}$. {AS_STATED}""",
    symbols=parameters("d k m L_sigma B_w_1 B_C_1inf B_V_1inf B_X B_QK_11", B_X="B_x", B_C_1inf="B_{W_c}",
                       B_V_1inf="B_{W_v}", B_QK_11="B_{W_{QK}}"),
    assumes=CONDITIONS,
    uses=("trauger2024/4.1", "trauger2024/3.6", *PEELING_USES, "maurey/lattice"),
    constants=(C0, KAPPA),
    differs=LAYER_DEPARTURES | {"F_V": r"it has $B_{W_c}$ in the place of $B_{W_v}$"},
    parts=both_readings(
        _printed_4_1_1,
        lambda rows: layer(TOKENS, query_key(entries=B_QK_11), maurey_entries, rows),
        lambda rows: sharp_layer(TOKENS, query_key(entries=B_QK_11), rows, length_free),
        repaired.entries(),
    ),
)  # fmt: skip

# --- 4.2: several heads ---------------------------------------------------------------------------------------------


several_heads = Claim(
    key="trauger2024/S4.2",
    title="One layer, several heads",
    kind="rademacher",
    statement=r"""For heads with weights of their own, summed, and one read-out $w$, $\mathbb
E\sup_{Y_1,\dots,Y_H}\sum_i\epsilon_iw^\top\sum_jY_j(X_i)$ is the sum over $j$ of $\mathbb
E\sup_{Y_j}\sum_i\epsilon_iw^\top Y_j(X_i)$; so equal bounds are multiplied by $H$. Read with $w$ fixed.""",
    symbols=parameters("H R_F[H]", R_F={"meaning": "complexity of one head"}),
    uses=("trauger2024/4.1",),
    parts=(
        Part("R", r"\hat{\mathcal R}_m(\{w^\top\textstyle\sum_jY_j\})", "complexity of the layer", "=",
             printed=lambda _: Sum(R_Fs[j], (j, 1, H))),
    ),
)  # fmt: skip

# --- 4.3: several layers --------------------------------------------------------------------------------------------

Constants = Callable[[], tuple[Expr, Expr]]  # C_1 and C_Bx of a linear cover, built in the paper's order


def printed_deep(constants: Constants) -> Form:
    """The theorem, for the two constants of a linear cover."""

    def build(_: Setting) -> list[Step]:
        (C_1, C_X), a, gain = constants(), alpha[i], L_sigma * B_C * B_V * (1 + 4 * B_QK)
        terms = a**TWO_THIRDS + (2 * a * L_sigma * B_C * B_V) ** TWO_THIRDS + (a * L_sigma * B_V) ** TWO_THIRDS
        first = C_X**THIRD * (2 * L_sigma * B_C * B_V * alpha[1] * B_w) ** TWO_THIRDS
        others = C_1**THIRD * (1 + (B_w * L_sigma * B_V) ** TWO_THIRDS)
        return [
            Step("alpha", r"\alpha", Product(gain, (j, i + 1, L)), "as printed", over=(i, L)),
            Step("tau", r"\tau", terms, "as printed", over=(i, L)),
            Step("gamma", r"\gamma", first + others, "as printed"),
            Step("eta", r"\eta", C_1**THIRD * (B_w**TWO_THIRDS * Sum(tau[i], (i, 2, L))), "as printed"),
            Step("log_N", "", (Symbol("gamma") + Symbol("eta")) ** 3 / eps**2, "as printed"),
        ]

    return build


def deep(
    setting: Setting, route: Route, suffix: str = "", bound: Expr | None = None, last: Linear | None = None
) -> Module:
    """The network of A.17 with all layers alike; every map and the read-out have the bound in the cover's norm."""
    norms: dict[str, Expr | None] = {"V": B_V, "QK": B_QK, "C": B_C}
    if suffix:
        norms |= {f"{name}{suffix}": bound for name in ("V", "QK", "C", "w")}
    return network(route, [norms] * setting.size("L"), last=last or readout(norms))


def deep_parts(
    constants: Constants,
    x: Signal,
    route: Route,
    suffix: str,
    bound: Expr,
    corrected: Form,
    *,
    rows: Form | None = None,
) -> tuple[Part, ...]:
    """The log covering number, and the gap that follows by Dudley's integral and symmetrization. `rows`: the number as
    it should read where the norm is one of rows."""
    by_rows = (Part("log_N_rows", DEEP, "log covering number, rows bounded", repaired=rows),) if rows else ()

    def log_N(route: Route) -> Form:
        return lambda setting: capacity_steps(deep(setting, route, suffix, bound), x, eps, route.cover)

    def gap_of(route: Route) -> Form:
        def build(setting: Setting) -> list[Step]:
            D = Derivation()
            return D.steps_to(network_gap(D, route, deep(setting, route, suffix, bound), x))

        return build

    return (
        Part("log_N", DEEP, "log covering number of the network", printed=printed_deep(constants),
             repaired=corrected, derived=log_N(route), sharp=log_N(LENGTH_FREE)),
        Part("gap", r"|\mathrm{risk}-\widehat{\mathrm{risk}}|", "generalization gap, by Dudley and symmetrization",
             derived=gap_of(route), sharp=gap_of(LENGTH_FREE)),
        *by_rows,
    )  # fmt: skip


def given_linear(D: Derivation, w: Weight) -> Entropy:
    """The stated covers: on inputs of norm B_x, or at most 1; between those the class is scaled."""
    return quadratic(C_X if w.radius == B_X else times(C_1, square(w.radius)))


DEEP = r"\log\mathcal N_\infty(g^{L+1}_{\mathrm{scalar}},\epsilon,m)"
DEEP_LETTERS = {"eps": r"\epsilon", "B_X": "B_x", "B_C": "B_{c2}", "B_V": "B_{v2}", "B_QK": "B_{QK2}"}
DEEP_NAMES = "eps L L_sigma B_w B_C B_V B_QK"
DEEP_DEPARTURES = {
    "beta_QK_1": r"it loses the norms of query and token of the first layer, $B_x^2$",
    "beta_V": r"it has $B_{v2}$ for $B_{c2}$, and in the first layer loses $\alpha_1$",
    "eps_C_1": r"it leaves $W_c^{(1)}$ out",
    "E_V_1": r"it covers $W_v^{(1)}$ on inputs of norm 1; they have norm $B_x$",
    "alpha_C": r"it takes the inputs of $W_c$ to have norm at most 1; after the activation they have norm $L_\sigma$",
}
DEEP_USES = ("trauger2024/E.1", "trauger2024/E.2", "trauger2024/E.3", "edelman2022/A.17")
GAP_NAMES, GAP_LETTERS = "m L_loss b delta", DEEP_LETTERS | {"L_loss": r"L_\ell"}
SHARPENINGS = ("maurey/lattice", "maurey/softmax", "maurey/attention", "maurey/levels", "maurey/deviation",
               "maurey/sides", "dudley1967/integral")  # fmt: skip

GIVEN = replace(PAPER, cover=given_linear)
GIVEN_SHARP = replace(LENGTH_FREE, cover=given_linear)

theorem_4_2 = Claim(
    key="trauger2024/4.2",
    title="Several layers: log covering number from linear covers",
    kind="covering",
    statement=r"""For $L$ layers with spectral norms at most $B_{c2}$, $B_{v2}$, $B_{QK2}$, $\|w\|\le B_w$, and log
covering numbers $C_1/\epsilon^2$ of the linear maps on $\|x\|_2\le1$ and $C_{B_x}/\epsilon^2$ on $\|x\|_2\le B_x$.
Only the first layer sees the inputs.""",
    symbols=parameters(f"{DEEP_NAMES} B_X C_1 C_X", **DEEP_LETTERS),
    uses=(*DEEP_USES, "maurey/softmax", "maurey/attention", "maurey/orientation"),
    constants=(KAPPA,),
    unrolled=("L",),
    differs=DEEP_DEPARTURES,
    parts=(
        Part("log_N", DEEP, "log covering number of the network", printed=printed_deep(lambda: (C_1, C_X)),
             repaired=repaired.given,
             derived=lambda s: capacity_steps(deep(s, GIVEN), TOKENS, eps, given_linear),
             sharp=lambda s: capacity_steps(deep(s, GIVEN_SHARP), TOKENS, eps, given_linear)),
    ),
)  # fmt: skip


def _by_entries() -> tuple[Expr, Expr]:
    size = log(2 * d * k + 1)
    return B_11**2 * size, B_11**2 * B_X**2 * size


BY_ENTRIES = replace(PAPER, cover=maurey_entries)

corollary_4_2_1 = Claim(
    key="trauger2024/4.2.1",
    title=r"Several layers, $(1,1)$ norms",
    kind="covering",
    statement=r"""Theorem 4.2 with the cover of Lemma 3.6: every $W_c$, $W_v$, $W_{QK}$ and $w$ has its absolute
entries sum to at most $B$, and tokens satisfy $\|x\|_2\le B_x$.""",
    symbols=parameters(f"{DEEP_NAMES} d k B_X B_W_11 {GAP_NAMES}", **GAP_LETTERS,
                       B_W_11={"latex": "B", "meaning": r"bound on all $(1,1)$ norms, that of $w$ included"}),
    uses=("trauger2024/4.2", "trauger2024/3.6", "trauger2024/S2.4", *SHARPENINGS),
    constants=(KAPPA,),
    unrolled=("L",),
    differs=DEEP_DEPARTURES,
    parts=deep_parts(_by_entries, TOKENS, BY_ENTRIES, "_11", B_11, repaired.by_entries),
)  # fmt: skip

simplified = Claim(
    key="trauger2024/4.2.1-simplified",
    title="Corollary 4.2.1, up to logarithms and constants",
    kind="covering",
    statement=r"""Corollary 4.2.1 with polylogarithmic terms and constants left out; the exponent is printed as
$O(L)$.""",
    symbols=tuple(p for p in corollary_4_2_1.symbols if p.name not in GAP_NAMES.split()),
    uses=("trauger2024/4.2.1",),
    constants=(C0, EXPONENT, KAPPA),
    unrolled=("L",),
    differs=DEEP_DEPARTURES,
    parts=(
        Part(
            name="log_N",
            lhs=DEEP,
            meaning="log covering number of the network",
            relation="<~",
            hides="a constant and all logarithms",
            keeps=(),
            printed=lambda _: c0 * B_11**2 * B_X**2 * B_w**2 * (L_sigma * B_C * B_V * B_QK) ** (c_L * L) * (1 / eps**2),
            repaired=repaired.simplified,
            derived=corollary_4_2_1.parts[0].derived,
            sharp=corollary_4_2_1.parts[0].sharp,
        ),
    ),
)
