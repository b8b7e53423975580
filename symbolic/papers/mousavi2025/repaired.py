"""As they should read: complexities, gaps and risks of Transformers, the cover of recurrent networks, and the widths
and norms of appendices B and C, each in one display."""

from collections.abc import Callable

from sympy import E, Expr, Integer, Max, Min, Piecewise, Rational, Symbol, exp, log, sqrt

from maurey.symbolic.chain import EXCESS
from maurey.symbolic.claim import REPAIRED, Form, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.names import symbols

eps, n, N, m, d, q, H, D_e, d_e, r_z, r_x, R = symbols("eps n N m d q H D_e d_e r_z r_x R")
B_a, B_W, B_QK, tau, delta, C_x, eps_2NN, c, C_d = symbols("B_a B_W_F B_QK_21 tau delta C_x eps_2NN c C_d")
p, r_h, LR = symbols("p r_h LR")


def step(name: str, latex: str, value: Expr) -> Step:
    return Step(name, latex, value, REPAIRED)


# --- 18, 19, 10: the truncated loss -----------------------------------------------------------------------------------


def complexity(heads: Expr, width: Expr, radius: Expr, embedding: Expr, matrices: Expr, gain: Expr, level: Expr,
               name: str) -> list[Step]:  # fmt: skip
    """One cover of all entries at one resolution; or the matrices chained, and the block counted at their finest
    level. `matrices` bounds |W_QK|_{2,1} of every head, `gain` the product of the norms of a and (W, b)."""
    block = width * (heads * embedding + 2) * log(1 + 16 * gain * sqrt((1 + heads * radius**2) * n / level))
    entries = heads * embedding**2 * log(1 + 8 * sqrt(heads) * matrices * radius**3 * gain * sqrt(n / level))
    columns = sqrt(48 * level * log(16 * heads**2 * embedding**2 * n + 1) / n)
    link = Max(level / sqrt(n), gain * radius**3 * heads * matrices * columns)
    S, QK, s = symbols("S_block S_QK link")
    counted = level / sqrt(n) + level * sqrt((S + QK) / (2 * n))
    chained = E * s * (EXCESS + log(level / (2 * s))) + Rational(9, 10) * level * sqrt(2 * S / n)
    return [
        step("S_block", "S", block),
        step("S_QK", "S_{QK}", entries),
        step("link", r"\lambda", Min(level / (2 * E), link)),
        step(name, r"\hat{\mathfrak R}_n", Min(level / 2, counted, chained)),
    ]


def deviation(level: Expr, odds: Expr) -> Expr:
    return 2 * level * sqrt(log(odds) / (2 * n))


def of_class(_: Setting) -> list[Step]:
    return complexity(H, m, r_z, D_e, B_QK, gain=B_a * B_W, level=tau, name="Rad")


def radii() -> list[Step]:
    x = Symbol("radius_x")
    return [
        step("radius_x", "r_x", sqrt(3 * E * C_x * d * log(n * N))),
        step("radius_z", "r_z", sqrt(x**2 + d * (1 + 1 / q))),
        step("embedding", "D_e", d + (q + 1) * d_e),
    ]


RADIUS, EMBEDDING = symbols("radius_z embedding")


def gap(_: Setting) -> list[Step]:
    return [
        *radii(),
        *complexity(H, m, RADIUS, EMBEDDING, B_QK, gain=B_a * B_W, level=tau, name="Rad"),
        step("gap", "", 2 * Symbol("Rad") + deviation(tau, 1 / delta)),
    ]


def risk(level: Callable[[], list[Step]], norm: Callable[[], Expr], gain: Expr) -> Form:
    """Theorem 10: fit, gap, what truncation takes off. `norm` is that of a head's matrix, from r_x."""
    tau = Symbol("level")

    def build(_: Setting) -> list[Step]:
        return [
            *radii(),
            step("bound_QK", "r_{QK}", norm()),
            *level(),
            *complexity(q, m, RADIUS, EMBEDDING, Symbol("bound_QK"), gain=gain, level=tau, name="R_class"),
            step("risk", "", 4 * eps_2NN + 2 * Symbol("R_class") + deviation(tau, n**c) + 1 / sqrt(n)),
        ]

    return build


def ball_risk(level: Callable[[], list[Step]], square: Callable[[], Expr]) -> Form:
    """Theorem 3: the block in all its parameters together, Lipschitz with R^2/2; everything counted at one
    resolution."""
    tau, ball = symbols("level ball")

    def build(_: Setting) -> list[Step]:
        root = sqrt((1 + q * RADIUS**2) * n / tau)
        block = m * (q * EMBEDDING + 2) * log(1 + 8 * ball**2 * root)
        entries = q * EMBEDDING**2 * log(1 + 4 * ball**3 * RADIUS**3 * sqrt(n / tau))
        S, QK = symbols("S_block S_QK")
        counted = Min(tau / 2, tau / sqrt(n) + tau * sqrt((S + QK) / (2 * n)))
        return [
            *radii(),
            step("ball", "R", sqrt(square())),
            step("gain", r"\Lambda", ball**2 / 2),
            *level(),
            step("S_block", "S", block),
            step("S_QK", "S_{QK}", entries),
            step("R_class", r"\hat{\mathfrak R}_n", counted),
            step("risk", "", 4 * eps_2NN + 2 * Symbol("R_class") + deviation(tau, n**c) + 1 / sqrt(n)),
        ]

    return build


# --- 12, 31 -----------------------------------------------------------------------------------------------------------


def too_long() -> Expr:
    """Moments are bounded from order 1 on; no probability exceeds 1."""
    bound = n * N * exp(-(r_x**2) / (2 * C_x * E * d))
    return Piecewise((Min(1, bound), r_x**2 >= E * C_x * d), (Integer(1), True))


def recurrent(setting: Setting) -> list[Step]:
    """The radius of states beside that of the tokens; R^2 >= 2, so that powers of R add up to 3.42 times the last."""
    depth_h, depth_y = setting.size("L_h"), setting.size("L_y")
    r = Symbol("inputs")
    grown = sqrt(Integer(depth_y)) + 4 * sqrt(Integer(depth_h)) * R**depth_h * N
    return [
        step("inputs", "r", sqrt(R**2 + 2 * r_h**2)),
        step("log_N", "", p * log(1 + 4 * R**depth_y * (r + 4) * grown / eps)),
    ]


# --- 22, 23, 42: two layers for Lipschitz functions -------------------------------------------------------------------


def _lipschitz() -> list[Step]:
    Q = Symbol("ratio")
    return [
        step("ratio", "Q", 1 + 2 * C_d * (d + 1) * LR / eps),
        step("variation_norm", "V", LR * (Q * (1 + log(Q))) ** ((d + 1) / 2)),
    ]


def lipschitz_width(_: Setting) -> list[Step]:
    return [*_lipschitz(), step("width", "", 2 * C_d * (2 * Symbol("variation_norm") / eps) ** (2 * d / (d + 3)))]


def lipschitz_output(_: Setting) -> list[Step]:
    return [*_lipschitz(), step("a", "", sqrt(2) * Symbol("variation_norm") / sqrt(m))]


def _products() -> list[Step]:
    Q = Symbol("ratio")
    return [
        step("ratio", "Q", 1 + 12 * C_d * d_e / eps),
        step("variation_norm", "V", 2 * (Q * (1 + log(Q))) ** Rational(3, 2)),
    ]


def products_width(_: Setting) -> list[Step]:
    each = 2 * d_e * C_d * (2 * d_e * Symbol("variation_norm") / eps) ** Rational(4, 5)
    return [*_products(), step("width", "", each)]


def products_sum(_: Setting) -> list[Step]:
    return [*_products(), step("A", "", sqrt(2) * d_e * Symbol("variation_norm"))]
