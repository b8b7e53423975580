"""Section 4, end: deep networks and sparse variable creation, as the main text states them."""

from sympy import Expr, Integer, Sum, log

from maurey.symbolic.claim import REPAIRED, Claim, Part, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.modules import square, times
from maurey.symbolic.names import C0, DEGREE, EXPONENT, KAPPA, parameters, symbols
from maurey.symbolic.networks import Norms
from maurey.symbolic.route import PAPER, SHARP, Route

from .section_4 import HIDES, TWO_THIRDS, hidden_part
from .section_a3_deep import DEEP_DEPARTURES, deep_capacity

eps, d, m, T, L, L_sigma, B_X, B_w, C_2, C_inf, c0, c_L, c_s, s, a, j = symbols(
    "eps d m T L L_sigma B_X B_w C_2 C_inf C0 c_L c_s s a j"
)


def _equal_layers(setting: Setting, route: Route) -> list[Step]:
    """A.17 with all spectral norms C_2, all (2, inf) norms C_inf, k = d and tokens of norm B_X."""
    layer: Norms = dict.fromkeys(("V", "QK", "C"), C_2) | {f"{name}_inf": C_inf for name in ("V", "QK", "C")}
    return deep_capacity(setting, route, [layer] * setting.size("L"), radius=B_X, width=d)


def _repaired_4_6(_: Setting) -> list[Step]:
    """A.17 with equal bounds: the first layer sees tokens of norm B_X, the others what a projection leaves."""

    def layer(R: Expr) -> Expr:
        return 1 + times(2 * C_2**2, square(R), R) ** TWO_THIRDS + times(C_2, R) ** TWO_THIRDS

    above = layer(Integer(1)) * Sum(a ** (2 * j / Integer(3)), (j, 0, L - 2))
    first = layer(B_X) * a ** (2 * (L - 1) / Integer(3))
    inside = 1 + (d * L_sigma * C_inf) ** TWO_THIRDS * (above + first)
    return [
        Step("a", "a", L_sigma * C_2**2 * (1 + 4 * C_2), "by how much a layer amplifies an error"),
        Step("log_N", "", B_w**2 * log(2 * d * m * T + 1) / eps**2 * inside**3, REPAIRED),
    ]


theorem_4_6 = Claim(
    key="edelman2022/4.6",
    title="Deep Transformer capacity, simplified",
    kind="covering",
    statement=r"""A.17 with all spectral norms at most $C_2$, all $(2,\infty)$ norms at most $C_\infty$, $k=d$,
a read-out of norm at most $B_w$ and tokens of norm at most $B_X$. The exponent is printed as $O(L)$. The
numerator is damaged in the source; its dependence on $d$ and $C_\infty$ is read from the sentence after the
theorem, which calls both quadratic.""",
    symbols=parameters("eps d m T L L_sigma B_X B_w C_2 C_inf"),
    unrolled=("L",),
    uses=("edelman2022/A.17",),
    constants=(C0, EXPONENT, KAPPA),
    differs=DEEP_DEPARTURES,
    parts=(
        hidden_part(
            "log_N",
            r"\log\mathcal N_\infty(\mathcal F^{(L)}_{\text{tf-scalar}};\varepsilon;X^{(1)},\dots,X^{(m)})",
            "log covering number of the network",
            lambda _: c0 * (C_2 * L_sigma) ** (c_L * L) * (B_X**2 * B_w**2 * d**2 * C_inf**2 / eps**2) * log(m * T),
            lambda setting: _equal_layers(setting, PAPER),
            lambda setting: _equal_layers(setting, SHARP),
            repaired=_repaired_4_6,
            hides=f"{HIDES}, and a factor in the exponent",
            source="damaged: the powers of d and of the (2, inf) norms are read from the sentence after the theorem",
        ),
    ),
)

POLY = "an absolute constant and the degree of a polynomial"

theorem_4_7 = Claim(
    key="edelman2022/4.7",
    title="Sparse variable creation, informal",
    kind="representation",
    statement=r"""Attention alone approximates a particular monotone symmetric $s$-sparse Boolean function with
$\|W_Q\|_F$ of order $\log(Ts)$ and the other norms of order $s$; with a three-layer network behind it every
symmetric $s$-sparse function is represented exactly with network norms polynomial in $s$, and every $s$-sparse
function with norms $2^s$ times a polynomial.""",
    symbols=parameters("T s"),
    uses=("edelman2022/B.1",),
    constants=(C0, DEGREE),
    parts=(
        Part("W_Q", r"\|W_Q\|_F", "norm of the query matrix", "<~", "an absolute constant",
             printed=lambda _: c0 * log(T * s)),
        Part("W_K", r"\|W_K\|_F,\|W_V\|_F,\|W_C\|_F", "norms of the other matrices", "<~", "an absolute constant",
             printed=lambda _: c0 * s),
        Part("mlp_symmetric", r"\|W_1\|_F,\|W_2\|_F,\|w\|_F", "network norms, symmetric targets", "<~", POLY,
             printed=lambda _: c0 * s**c_s),
        Part("mlp_sparse", r"\|W_1\|_F,\|W_2\|_F,\|w\|_F", "network norms, all sparse targets", "<~", POLY,
             printed=lambda _: c0 * 2**s * s**c_s),
    ),
)  # fmt: skip
