"""Appendix A, first part: Lipschitz lemmas, allocation, Zhang's cover, positional embeddings, several heads."""

from sympy import Eq, Expr, Integer, Le, Piecewise, Rational, Sum, ceiling, log

from maurey.symbolic.allocation import Term, allocate, total
from maurey.symbolic.capacity import capacity_steps
from maurey.symbolic.claim import Assumption, Claim, Part, Setting
from maurey.symbolic.covers import Cover, online, zhang
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import quadratic
from maurey.symbolic.modules import EqualHeads, Heads, Linear, Offset, Projection, Signal, compose, times
from maurey.symbolic.names import C0, KAPPA, indexed, parameters, symbols
from maurey.symbolic.route import PAPER, SHARP, Route
from maurey.symbolic.softmax import entrywise_jacobian, finite_shift

from .section_2 import linear_functions
from .section_4 import EXPONENTS, HEAD_DEPARTURES, TWO_THIRDS, head, head_capacity, hidden_part, repaired_head

THIRD = Rational(1, 3)

eps, d, m, T, N, H, h, L_sigma = symbols("eps d m T N H h L_sigma")
B_X, B_P, B_V, B_V_inf, B_QK_inf, B_w, c0 = symbols("B_X B_P B_V B_V_inf B_QK_inf B_w C0")
Delta, c_f, p, C, n, i, j, gamma = symbols("Delta c_f p C n i j gamma")
alpha, beta, B_Vs, B_V_infs, B_QK_infs = indexed("alpha beta B_V B_V_inf B_QK_inf")

# --- A.6 and A.7: the softmax ---------------------------------------------------------------------------------


def from_jacobian(jacobian: Expr, reason: str) -> list[Step]:
    """A.6: the average of the Jacobian along the segment has no larger norm, and |Ax|_1 <= |A|_{1,1} |x|_inf."""
    D = Derivation()
    c = D.let("jacobian", r"\sup\|J\|_{1,1}", jacobian, reason)
    moved = r"mean value along the segment; the $(1,1)$ norm bounds the map from $\ell_\infty$ to $\ell_1$"
    return D.steps_to(D.let("moved", r"\|f(\theta_1)-f(\theta_2)\|_1", c * Delta, moved, "edelman2022/A.6"))


lemma_a6 = Claim(
    key="edelman2022/A.6",
    title=r"A Jacobian bounded in the $(1,1)$ norm is Lipschitz from $\ell_\infty$ to $\ell_1$",
    kind="lipschitz",
    statement=r"""If $f:\mathbb R^d\to\Delta^{d-1}$ has $\|J_f(\theta)\|_{1,1}\le c_f$ everywhere, then $f$
moves in $\ell_1$ by at most $c_f$ times the distance $\Delta=\|\theta_1-\theta_2\|_\infty$.""",
    symbols=parameters("c_f Delta"),
    parts=(
        Part("moved", r"\|f(\theta_1)-f(\theta_2)\|_1", "movement of the function", printed=lambda _: c_f * Delta),
    ),
)  # fmt: skip


def _a7_sharp(_: Setting) -> list[Step]:
    reason = r"the logit of any event moves by at most $2\Delta$"
    return [Step("moved", r"\|f(\theta_1)-f(\theta_2)\|_1", finite_shift(Delta), reason, "maurey/softmax")]


lemma_a7 = Claim(
    key="edelman2022/A.7",
    title="The softmax is 2-Lipschitz",
    kind="lipschitz",
    statement=r"""For $\theta_1,\theta_2\in\mathbb R^p$ with $\Delta=\|\theta_1-\theta_2\|_\infty$.""",
    symbols=parameters("Delta p"),
    uses=("edelman2022/A.6", "maurey/softmax"),
    parts=(
        Part("moved", r"\|\mathrm{softmax}(\theta_1)-\mathrm{softmax}(\theta_2)\|_1", "movement of the softmax",
             printed=lambda _: 2 * Delta,
             derived=lambda _: from_jacobian(entrywise_jacobian(p), r"$2\sum_is_i(1-s_i)$, and $\sum_is_i^2\ge1/p$"),
             sharp=_a7_sharp),
    ),
)  # fmt: skip

# --- A.8: allocation -------------------------------------------------------------------------------------------

GAMMA = Step("gamma", r"\gamma", Sum(alpha[j] ** THIRD * beta[j] ** TWO_THIRDS, (j, 1, n)), "as printed")


def _terms(setting: Setting) -> list[Term]:
    return [Term(str(t), str(t), beta[t], quadratic(alpha[t])) for t in range(1, setting.size("n") + 1)]


def _minimum(setting: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(total(D, _terms(setting), C, "minimum", r"\sum_i\alpha_i/x_i^2"))


def _minimizer(setting: Setting) -> list[Step]:
    D = Derivation()
    shares = allocate(D, _terms(setting), C)
    cases = [(x, Eq(i, t)) for t, x in enumerate(shares, 1)]
    return D.steps_to(D.let("minimizer", "x_i", Piecewise(*cases), "the term asked for"))


lemma_a8 = Claim(
    key="edelman2022/A.8",
    title="Optimal error allocation",
    kind="optimization",
    statement=r"""For $\alpha_i,\beta_i\ge0$, $i\in[n]$, and $C>0$: $\min\sum_i\alpha_i/x_i^2$ subject to
$\sum_i\beta_ix_i=C$, its value and where it is attained. One line of Hölder gives all $n$ at once:
$\gamma\le(\sum_i\alpha_i/x_i^2)^{1/3}(\sum_i\beta_ix_i)^{2/3}$.""",
    symbols=parameters("alpha[n] beta[n] C n i"),
    source="damaged: exponents are read with the Lagrange condition, and as Trauger and Tewari restate the lemma",
    assumes=(Assumption(Le(i, n), "the index i is at most n"),),
    parts=(
        Part("minimum", r"\min_x\sum_{i=1}^n\alpha_i/x_i^2", "value of the problem", relation="=",
             printed=lambda _: [GAMMA, Step("minimum", "", gamma**3 / C**2, "as printed")], derived=_minimum),
        Part("minimizer", "x_i", "where it is attained", relation="=",
             printed=lambda _: [GAMMA, Step("minimizer", "", C / gamma * (alpha[i] / beta[i]) ** THIRD, "as printed")],
             derived=_minimizer),
    ),
)  # fmt: skip

# --- A.9 and A.10: projection, Zhang's theorem -------------------------------------------------------------------


def _projection(_: Setting) -> list[Step]:
    D = Derivation()
    lipschitz = Projection().sensitivity(D, Signal(B_X, m, T)).lipschitz()
    moved = times(lipschitz, Delta)
    return D.steps_to(D.let("moved", r"\|\Pi(u)-\Pi(v)\|", moved, "projection onto a convex set contracts"))


lemma_a9 = Claim(
    key="edelman2022/A.9",
    title=r"Contraction of $\Pi_{\mathrm{norm}}$",
    kind="lipschitz",
    statement=r"""$\Pi_{\mathrm{norm}}(u)=u/\max(1,\|u\|_2)$ does not increase the distance $\Delta=\|u-v\|$.""",
    symbols=parameters("Delta"),
    parts=(
        Part("moved", r"\|\Pi_{\mathrm{norm}}(u)-\Pi_{\mathrm{norm}}(v)\|", "distance of the projections",
             printed=lambda _: Delta, derived=_projection),
    ),
)  # fmt: skip


def _scalar(cover: Cover) -> list[Step]:
    return capacity_steps(Linear(linear_functions(B_w)), Signal(B_X, N, Integer(1)), eps, cover)


def _printed_a10(_: Setting) -> Expr:
    return 36 * (B_w**2 * B_X**2 / eps**2) * log(2 * ceiling(4 * B_w * B_X / eps + 2) * N + 1)


theorem_a10 = Claim(
    key="edelman2022/A.10",
    title="Zhang (2002), Theorem 4, restated",
    kind="covering",
    statement=r"""For $\mathcal F_{\mathrm{linear}}=\{x\mapsto v^\top x:\|v\|\le B_1\}$ and $\|x^{(i)}\|\le
B_2$, $i\in[N]$, any $\varepsilon>0$.""",
    symbols=parameters("eps N B_w B_X", B_w="B_1", B_X="B_2"),
    differs={"delta": "it restates Zhang's count, whose centres are any vectors of values, for centres in the class"},
    uses=("edelman2022/2.1", "zhang2002/4", "maurey/online"),
    parts=(
        Part("log_N", r"\log\mathcal N_\infty(\mathcal F_{\mathrm{linear}};\varepsilon;x^{(1)},\dots,x^{(N)})",
             "log covering number of the linear functions", printed=_printed_a10,
             derived=lambda _: _scalar(zhang), sharp=lambda _: _scalar(online)),
    ),
)  # fmt: skip

# --- A.11: fixed positional embeddings ---------------------------------------------------------------------------


POSITIONS = r"\log\mathcal N_\infty(\mathcal F_{\text{tf-pos}}(P);\varepsilon;X^{(1)},\dots,X^{(m)},\|\cdot\|_2)"


def _positional(setting: Setting, route: Route) -> list[Step]:
    return head_capacity(compose(Offset(B_P), head(setting, route)), route)


def _printed_a11(_: Setting) -> Expr:
    pair = (B_V_inf**TWO_THIRDS + (2 * B_QK_inf * B_V * (B_X + B_P)) ** TWO_THIRDS) ** 3
    return c0 * (d * L_sigma * (B_X + B_P)) ** 2 * (pair / eps**2) * log(m * T)


def _repaired_a11(_: Setting) -> Expr:
    radius = B_X + B_P
    return repaired_head(B_V_inf**TWO_THIRDS + (B_QK_inf * B_V * radius**2) ** TWO_THIRDS, radius)


lemma_a11 = Claim(
    key="edelman2022/A.11",
    title="Capacity with fixed positional embeddings",
    kind="covering",
    statement=r"""The head of 4.4 on $X+P$ for one fixed $P$ with $\|P^\top\|_{2,\infty}\le B_P$, tokens of norm
at most $B_X$.""",
    symbols=parameters("eps d m T L_sigma B_X B_P B_V B_V_inf B_QK_inf B_V_F? B_QK_F?"),
    uses=("edelman2022/4.4",),
    constants=(C0, KAPPA),
    differs=HEAD_DEPARTURES,
    parts=(
        hidden_part("log_N", POSITIONS, "log covering number of the head with positions", _printed_a11,
                    lambda setting: _positional(setting, PAPER), lambda setting: _positional(setting, SHARP),
                    repaired=_repaired_a11, source=EXPONENTS),
    ),
)  # fmt: skip

# --- A.12: several heads, summed ----------------------------------------------------------------------------------

HEADS = r"\log\mathcal N_\infty(\mathcal F_{\text{tf-heads}};\varepsilon;X^{(1)},\dots,X^{(m)},\|\cdot\|_2)"


def _heads(setting: Setting, route: Route) -> list[Step]:
    heads = tuple(head(setting, route, index) for index in range(1, setting.size("H") + 1))
    return head_capacity(Heads(heads), route)


def _printed_a12(_: Setting) -> Expr:
    pair = B_V_infs[h] ** TWO_THIRDS + (2 * B_QK_infs[h] * B_Vs[h]) ** TWO_THIRDS
    return c0 * (d * L_sigma * B_X) ** 2 * (Sum(pair, (h, 1, H)) ** 3 / eps**2) * log(m * T)


def _repaired_a12(_: Setting) -> Expr:
    pair = B_V_infs[h] ** TWO_THIRDS + (B_QK_infs[h] * B_Vs[h] * B_X**2) ** TWO_THIRDS
    return repaired_head(Sum(pair, (h, 1, H)), B_X)


lemma_a12 = Claim(
    key="edelman2022/A.12",
    title="Capacity of multi-head attention",
    kind="covering",
    statement=r"""The sum of $H$ heads of 4.4, each with its own bounds; both terms stand inside the sum over
heads.""",
    symbols=parameters("eps d m T H L_sigma B_X B_V[H] B_V_inf[H] B_QK_inf[H] B_V_F[H]? B_QK_F[H]?"),
    uses=("edelman2022/4.4", "edelman2022/A.8"),
    constants=(C0, KAPPA),
    differs=HEAD_DEPARTURES,
    parts=(
        hidden_part("log_N", HEADS, "log covering number of the sum of heads", _printed_a12,
                    lambda setting: _heads(setting, PAPER), lambda setting: _heads(setting, SHARP),
                    repaired=_repaired_a12, source=EXPONENTS),
    ),
)  # fmt: skip


def _equal_heads(setting: Setting, route: Route) -> list[Step]:
    return head_capacity(EqualHeads(H, head(setting, route)), route)


def _printed_equal_heads(_: Setting) -> Expr:
    pair = (B_V_inf**TWO_THIRDS + (2 * B_QK_inf * B_V) ** TWO_THIRDS) ** 3
    return c0 * (d * L_sigma * B_X) ** 2 * H**3 * (pair / eps**2) * log(m * T)


def _repaired_equal_heads(_: Setting) -> Expr:
    pair = B_V_inf**TWO_THIRDS + (B_QK_inf * B_V * B_X**2) ** TWO_THIRDS
    return (d * L_sigma * B_X) ** 2 * H**3 * (pair**3 / eps**2) * log(2 * d * m * T + 1)


equal_heads = Claim(
    key="edelman2022/A.12-equal-heads",
    title="Equal heads",
    kind="covering",
    statement=r"""A.12 with the same bounds for all $H$ heads.""",
    symbols=parameters("eps d m T H L_sigma B_X B_V B_V_inf B_QK_inf B_V_F? B_QK_F?"),
    uses=("edelman2022/A.12",),
    constants=(C0, KAPPA),
    differs=HEAD_DEPARTURES,
    parts=(
        hidden_part("log_N", HEADS, "log covering number of the sum of equal heads", _printed_equal_heads,
                    lambda setting: _equal_heads(setting, PAPER), lambda setting: _equal_heads(setting, SHARP),
                    repaired=_repaired_equal_heads, source=EXPONENTS),
    ),
)  # fmt: skip
