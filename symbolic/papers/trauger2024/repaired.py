"""As they should read: the bounds of Section 4 and of appendices D and F, each in one display."""

from sympy import Expr, Integer, Max, Rational, Sum, Symbol, log

from maurey.symbolic.claim import REPAIRED, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.names import indexed, symbols

TWO_THIRDS, THIRD = Rational(2, 3), Rational(1, 3)
eps, d, k, m, L, i = symbols("eps d k m L i")
L_sigma, B_X, B_X_1, B_w, B_C, B_V, B_QK, C_1, C_X = symbols("L_sigma B_X B_X_1 B_w B_C B_V B_QK C_1 C_X")
B_11, B_1inf, B_21 = symbols("B_W_11 B_W_1inf B_W_21")
(alpha,) = indexed("alpha")

# --- 4.2 and its corollaries: several layers ------------------------------------------------------------------------


def gain() -> Expr:
    """What a layer makes of an error below it."""
    return L_sigma * B_C * B_V * (1 + 4 * B_QK)


def several_layers(w: Expr, C: Expr, V: tuple[Expr, Expr], QK: tuple[Expr, Expr], radius: Expr) -> list[Step]:
    """The theorem with one constant for every matrix, of values and scores one for the first layer and one for the
    others. Inputs of W_c have norm L_sigma; an error of the first layer's scores moves them by the square of the
    tokens' norm, and all layers above amplify it."""

    def layer(V: Expr, score: Expr, QK: Expr) -> Expr:
        outer = (C * L_sigma**2) ** THIRD + V**THIRD * (L_sigma * B_C) ** TWO_THIRDS
        return outer + QK**THIRD * (score * L_sigma * B_C * B_V) ** TWO_THIRDS

    first = w**THIRD + (B_w * alpha[1]) ** TWO_THIRDS * layer(V[0], 2 * radius**2, QK[0])
    others = B_w**TWO_THIRDS * layer(V[1], Integer(2), QK[1]) * Sum(alpha[i] ** TWO_THIRDS, (i, 2, L))
    return [
        Step("alpha", r"\alpha", gain() ** (L - i), "an error is amplified by the layers above", over=(i, L)),
        Step("gamma", r"\gamma", first, "the read-out and the first layer"),
        Step("eta", r"\eta", others, "the other layers"),
        Step("log_N", "", (Symbol("gamma") + Symbol("eta")) ** 3 / eps**2, REPAIRED),
    ]


def given(_: Setting) -> list[Step]:
    """Theorem 4.2 for the two constants of a linear cover."""
    return several_layers(C_1, C_1, (C_X, C_1), (C_X, C_1), B_X)


def by_entries(_: Setting) -> list[Step]:
    w, C, QK = (B_11**2 * log(2 * n + 1) for n in (d, d * k, d**2))
    return several_layers(w, C, (B_X**2 * C, C), (B_X**2 * QK, QK), B_X)


def simplified(_: Setting) -> Expr:
    """One logarithm for all matrices."""
    first = 1 + (B_X * B_C) ** TWO_THIRDS + (2 * B_X**3 * B_C * B_V) ** TWO_THIRDS
    others = 1 + B_C**TWO_THIRDS + (2 * B_C * B_V) ** TWO_THIRDS
    a = gain() ** TWO_THIRDS
    layers = a ** (L - 1) * first + others * Sum(a ** (L - i), (i, 2, L))
    return B_11**2 * log(2 * d * Max(d, k) + 1) / eps**2 * (1 + (B_w * L_sigma) ** TWO_THIRDS * layers) ** 3


def by_columns(_: Setting) -> list[Step]:
    """Behind a projection only the norm of a vector is known: there all columns share the error."""
    B = B_1inf**2
    V, QK = (tuple(c * B * log(2 * n + 1) for c in (4 * d * B_X_1**2, d**2)) for n in (k, d))
    return several_layers(d**2 * B * log(3), k**2 * B * log(2 * d + 1), (V[0], V[1]), (QK[0], QK[1]), B_X_1)


def by_sums(_: Setting) -> list[Step]:
    """For all vectors of norm 1 at once, and in the first layer on the basis."""
    D, B = Max(d, k), B_21**2
    C, first = Rational(64, 49) ** 2 * B * log(5 ** (2 * D) + 1), Rational(64, 49) * B_X_1**2 * B * log(5**D * d + 1)
    return several_layers(C, C, (first, C), (first, C), B_X_1)
