"""Appendix B.3: ReLU networks that store the relevant tokens in the hidden state, layer by layer."""

from fractions import Fraction

from sympy import Expr, Integer, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Constant, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.names import C0, OPEN, symbols
from maurey.symbolic.papers.bach2017 import DIMENSION

from . import repaired
from .letters import letters
from .section_a_covers import DEGREE_R
from .section_c import LipschitzNetwork

eps, d, q, m, d_e, R, r_x, r_h = symbols("eps d q m d_e R r_x r_h")
r_a, r_w, eps_2NN, c0, c_R, c_P = symbols("r_a r_w eps_2NN C0 c_R c_P")

ERROR = {"latex": r"\varepsilon", "meaning": "error", "domain": "in (0, 1]"}
WIDTH = {"meaning": "width of the network"}
SCALE = {"meaning": r"radius of the inputs, $\sqrt{1+r_x^2+r_h^2}$"}
ABSOLUTE, POLYNOMIAL = "an absolute constant", "an absolute constant and the degree of a polynomial"
DEGREE = Constant("c_P", Fraction(1), "c_P", "the degree of the polynomial", OPEN, left_open=True)
LIPSCHITZ = "mousavi2025/42"
TWO, THREE = Integer(2), Integer(3)
LARGE = Assumption(R >= 1, "R is at least 1")


def norm_of(name: str, lhs: str, meaning: str, value: int, derived: Steps | None = None) -> Part:
    """A norm whose bound is printed as a number."""
    return Part(name, lhs, meaning, printed=lambda _: Integer(value), derived=derived and steps(derived))


def stated_error(lhs: str, derived: Steps | None = None) -> Part:
    return Part("error", lhs, "largest error", printed=lambda _: eps, derived=derived and steps(derived))


# --- 22, 23: inner products of position vectors ----------------------------------------------------------------------
#
# One product e_1 e_2 of two coordinates, on the disc of radius sqrt(2), is sqrt(2)-Lipschitz and at most 1: LR = 2.


def product_error(D: Derivation, error: Expr) -> Expr:
    return D.let("product_error", r"\varepsilon'", error / d_e, "one product of two coordinates")


def product(D: Derivation, error: Expr) -> LipschitzNetwork:
    return LipschitzNetwork(TWO, product_error(D, error), TWO, LIPSCHITZ)


def product_width(D: Derivation, error: Expr, name: str = "inner_width") -> Expr:
    return D.let(name, r"\tilde m_1", d_e * product(D, error).width(D), "one network for each coordinate")


def product_sum(D: Derivation, error: Expr) -> Expr:
    """The l1 norm of the output weights: sqrt(width) times the l2 norm."""
    value = sqrt(TWO) * d_e * product(D, error).variation(D)
    return D.let("inner_sum", "S_1", value, r"$\|a\|_1\le\sqrt{\tilde m_1}\|a\|_2$")


def _product_output(D: Derivation) -> Expr:
    one = product(D, eps).output(D, m / d_e)
    return D.let("a", "", sqrt(d_e) * one, "one network of width $m/d_e$ for each coordinate")


def _sum_of_products(D: Derivation) -> Expr:
    return D.let("error", "", d_e * product_error(D, eps), "errors of the products add")


def _product_row(D: Derivation) -> Expr:
    row = D.let("row", r"\|w\|_2", 1 / sqrt(TWO), r"$1/R$ with $R=\sqrt2$", LIPSCHITZ)
    return D.let("W", "", sqrt(TWO) * row, r"two entries: $\|w\|_1\le\sqrt2\|w\|_2$")


def _unit_bias(name: str) -> Steps:
    return lambda D: D.let(name, "", Integer(1), "as in the network for one function", LIPSCHITZ)


def printed_inner_width() -> Expr:
    return d_e**3 * (log(d_e / eps) / eps) ** 2


def printed_inner_sum() -> Expr:
    return d_e ** (Integer(5) / 2) * (log(d_e / eps) / eps) ** (Integer(3) / 2)


lemma_22 = Claim(
    key="mousavi2025/22",
    title="Inner products of unit vectors by a ReLU network",
    kind="approximation",
    statement=r"""For every $\varepsilon$ some two-layer network $a^\top\sigma(W(w_1;w_2)+b)$ of width $m$ is within
$\varepsilon$ of $\langle w_1,w_2\rangle$ for all unit vectors of $\mathbb R^{d_e}$, with the stated width and norms.
For $\varepsilon\le1$; beyond, the zero network serves. The power of $d_e$ in the norm of $a$ is damaged in the
source.""",
    symbols=letters("eps d_e m", eps=ERROR, m=WIDTH),
    uses=(LIPSCHITZ,),
    constants=(C0, DIMENSION),
    samples="n",
    parts=(
        stated_error(r"\sup|\langle w_1,w_2\rangle-\hat f|", _sum_of_products),
        Part("width", "m", "width", "<~", ABSOLUTE, printed=lambda _: c0 * printed_inner_width(),
             repaired=repaired.products_width, derived=steps(lambda D: product_width(D, eps, "width"))),
        Part("a", r"\|a\|_2", "norm of the output weights", "<~", ABSOLUTE,
             printed=lambda _: c0 * printed_inner_sum() / sqrt(m), derived=steps(_product_output), source="damaged"),
        norm_of("W", r"\|W^\top\|_{1,\infty}", r"largest row of $W$ in $\ell_1$", 1, _product_row),
        norm_of("b", r"\|b\|_\infty", "largest bias", 1),
    ),
)  # fmt: skip


def first_width(D: Derivation, error: Expr, name: str = "m_1") -> Expr:
    reason = r"pairs $\sigma(u)-\sigma(-u)=u$ for the token, and $q$ networks for inner products"
    return D.let(name, "m_1", 2 * d + q * product_width(D, error), reason, "mousavi2025/22")


def first_sum(D: Derivation, error: Expr, name: str = "sum_1") -> Expr:
    reason = r"the output of a network for inner products; a pair has 2, which is less"
    return D.let(name, r"\|A_1^\top\|_{1,\infty}", product_sum(D, error), reason, "mousavi2025/22")


def _first_row(D: Derivation) -> Expr:
    return D.let("W", "", Integer(1), "one coordinate; the rows for inner products are no longer", "mousavi2025/22")


lemma_23 = Claim(
    key="mousavi2025/23",
    title="First layer of the transition: the token and inner products",
    kind="construction",
    statement=r"""From $\chi_0=(h,x,w_i,w_{t_1},\dots,w_{t_q})$ the layer $\chi_1=A_1\sigma(W_1\chi_0+b_1)$ of width
$m_1$ gives $x$ exactly and every $\langle w_i,w_{t_l}\rangle$ within $\varepsilon$, for all unit position vectors,
with the stated width and norms; it does not read $h$.""",
    symbols=letters("eps d q d_e", eps=ERROR),
    uses=("mousavi2025/22",),
    constants=(C0, DIMENSION),
    parts=(
        stated_error(r"\max_l|\chi_1^{id}(l)-\langle w_i,w_{t_l}\rangle|", _sum_of_products),
        norm_of("token", r"\|\chi_1^x-x\|", "error of the token", 0),
        Part("width", "m_1", "width", "<~", ABSOLUTE, printed=lambda _: 2 * d + q * (c0 * printed_inner_width()),
             derived=steps(lambda D: first_width(D, eps, "width"))),
        Part("A", r"\|A_1^\top\|_{1,\infty}", r"largest row of $A_1$ in $\ell_1$", "<~", ABSOLUTE,
             printed=lambda _: c0 * printed_inner_sum(), repaired=repaired.products_sum,
             derived=steps(lambda D: first_sum(D, eps, "A")),
             source="damaged"),
        Part("W", r"\|W_1^\top\|_{1,\infty}", r"largest row of $W_1$ in $\ell_1$", "<~", ABSOLUTE,
             printed=lambda _: c0, derived=steps(_first_row)),
        Part("b", r"\|b_1\|_\infty", "largest bias", "<~", ABSOLUTE, printed=lambda _: c0,
             derived=steps(_unit_bias("b"))),
    ),
)  # fmt: skip

# --- 24, 25: a token times a gate ------------------------------------------------------------------------------------
#
# h + 2 x s(z - 1/2) has the gradient (1, 2 s(z - 1/2), 2x or 0), of squared norm 1 + 4 (z - 1/2)^2 + 4 x^2 <= 4 R^2
# for z >= 1/2, x^2 + z^2 <= R^2, and values at most R + R^2: LR = 2 R^2 where R >= 1. Bach's rows are bounded in l2;
# dividing them and the biases by the root of the dimension bounds them in l1, and the output weights pay for it.


def gate(D: Derivation, radius: Expr, error: Expr, dimension: Expr) -> LipschitzNetwork:
    reason = r"$LR$: $2R$-Lipschitz, and at most $R+R^2$, on the ball of radius $R$"
    scale = D.let("gate", r"K_\sigma", 2 * radius**2, reason)
    return LipschitzNetwork(scale, error, dimension, LIPSCHITZ, "_gate", r"\sigma")


def gate_width(D: Derivation, radius: Expr, error: Expr, dimension: Expr, name: str = "gate_width") -> Expr:
    return D.let(name, r"\tilde m_2", gate(D, radius, error, dimension).width(D), "one network")


def row_scale(D: Derivation, dimension: Expr) -> Expr:
    return D.let(
        "row_scale", r"\lambda", sqrt(dimension), r"from $\ell_2$ to $\ell_1$: rows and biases are divided by this"
    )


def gate_sum(D: Derivation, radius: Expr, error: Expr, dimension: Expr) -> Expr:
    value = row_scale(D, dimension) * sqrt(TWO) * gate(D, radius, error, dimension).variation(D)
    return D.let("gate_sum", "S_2", value, r"$\|a\|_1\le\sqrt{\tilde m_2}\|a\|_2$, and output weights pay for the rows")


def _gate_output(dimension: Expr) -> Steps:
    def of(D: Derivation) -> Expr:
        one = gate(D, R, eps, dimension).output(D, m)
        return D.let("a", "", row_scale(D, dimension) * one, "output weights pay for the rows")

    return of


def gate_row(D: Derivation, radius: Expr, dimension: Expr, name: str = "gate_row") -> Expr:
    row = D.let("row", r"\theta_0", sqrt(dimension) / radius, r"$\|w\|_1\le\sqrt{\mathrm{dim}}\,\|w\|_2$", LIPSCHITZ)
    return D.let(name, r"\theta_1", row / row_scale(D, dimension), "after the division")


def _gate_bias(D: Derivation) -> Expr:
    return D.let("b", "", 1 / row_scale(D, THREE), "divided as well", LIPSCHITZ)


lemma_24 = Claim(
    key="mousavi2025/24",
    title="A gated coordinate by a ReLU network",
    kind="approximation",
    statement=r"""For $|h|\le r_h'$, $|x|\le r_x'$, $|z|\le1$ and $R=\sqrt{1+r_x'^2+r_h'^2}$ a two-layer network of
width $m$ is within $\varepsilon$ of $h+2x\sigma(z-\frac12)$, with the stated width and norms; without $h$ the last
two hold, with $R=\sqrt{1+r_x'^2}$. Powers of $R$ are damaged in the source.""",
    symbols=letters("eps R m", eps=ERROR, R=SCALE, m=WIDTH),
    assumes=(LARGE,),
    uses=(LIPSCHITZ,),
    constants=(C0, DIMENSION),
    samples="n",
    differs={"row_scale": r"its network is bounded in $\|W^\top\|_{2,\infty}$, not in $\|W^\top\|_{1,\infty}$"},
    source="damaged",
    parts=(
        Part("width", "m", "width", "<~", ABSOLUTE, printed=lambda _: c0 * R**6 * (log(R / eps) / eps) ** 3,
             derived=steps(lambda D: gate_width(D, R, eps, THREE, "width"))),
        Part("a", r"\|a\|_2", "norm of the output weights", "<~", ABSOLUTE,
             printed=lambda _: c0 * R**6 * (log(R / eps) / eps) ** 2 / sqrt(m), derived=steps(_gate_output(THREE))),
        Part("W", r"\|W^\top\|_{1,\infty}", r"largest row of $W$ in $\ell_1$", printed=lambda _: 1 / R,
             derived=steps(lambda D: gate_row(D, R, THREE, "W"))),
        norm_of("b", r"\|b\|_\infty", "largest bias", 1, _gate_bias),
        Part("width_plain", "m", "width without $h$", "<~", ABSOLUTE,
             printed=lambda _: c0 * R**4 * (log(R / eps) / eps) ** 2,
             derived=steps(lambda D: gate_width(D, R, eps, TWO, "width_plain"))),
        Part("a_plain", r"\|a\|_2", "norm of the output weights without $h$", "<~", ABSOLUTE,
             printed=lambda _: c0 * R**5 * (log(R / eps) / eps) ** (THREE / 2) / sqrt(m),
             derived=steps(_gate_output(TWO))),
    ),
)  # fmt: skip


def second_width(D: Derivation, radius: Expr, error: Expr, name: str = "m_2") -> Expr:
    count = q * d * gate_width(D, radius, error, TWO)
    return D.let(name, "m_2", count, "one network for each coordinate of each token", "mousavi2025/24")


lemma_25 = Claim(
    key="mousavi2025/25",
    title="Second layer of the transition: tokens behind gates",
    kind="construction",
    statement=r"""For $\|\chi_1^x\|_\infty\le r_x$ and $|\chi_1^{id}(l)|\le1$, with $R=\sqrt{1+r_x^2}$, the layer
$\chi_2=A_2\sigma(W_2\chi_1+b_2)$ of width $m_2$ is within $\varepsilon$, in every coordinate, of
$2\chi_1^x\sigma(\chi_1^{id}(l)-\frac12)$ for all $l\le q$, with the stated width and norms. The power in the width is
damaged in the source and is taken from mousavi2025/24.""",
    symbols=letters("eps d q R", eps=ERROR, R=SCALE | {"meaning": r"$\sqrt{1+r_x^2}$"}),
    assumes=(LARGE,),
    uses=("mousavi2025/24",),
    constants=(C0, DEGREE_R, DIMENSION),
    parts=(
        stated_error(r"\|\chi_2(l)-2\chi_1^x\sigma(\chi_1^{id}(l)-\tfrac12)\|_\infty"),
        Part("width", "m_2", "width", "<~", ABSOLUTE, printed=lambda _: q * d * (c0 * R**4 * (log(R / eps) / eps) ** 2),
             derived=steps(lambda D: second_width(D, R, eps, "width")), source="damaged"),
        Part("A", r"\|A_2^\top\|_{1,\infty}", r"largest row of $A_2$ in $\ell_1$", "<~", POLYNOMIAL,
             printed=lambda _: c0 * R**c_R * (log(R / eps) / eps) ** (THREE / 2),
             derived=steps(lambda D: gate_sum(D, R, eps, TWO)), source="damaged"),
        norm_of("W", r"\|W_2^\top\|_{1,\infty}", r"largest row of $W_2$ in $\ell_1$", 1,
                lambda D: gate_row(D, R, TWO, "W")),
        norm_of("b", r"\|b_2\|_\infty", "largest bias", 1),
    ),
)  # fmt: skip
