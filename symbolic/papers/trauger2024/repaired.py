"""As they should read: the bounds of Sections 2, 4 and 5 and of appendices C, D and F, each in one display."""

from collections.abc import Callable

from sympy import E, Expr, Integer, Max, Min, Piecewise, Rational, Sum, Symbol, log, sqrt

from maurey.symbolic.chain import EXCESS
from maurey.symbolic.claim import REPAIRED, Form, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.names import indexed, symbols

TWO_THIRDS, THIRD = Rational(2, 3), Rational(1, 3)
eps, d, k, m, L, i, K = symbols("eps d k m L i K")
B_w_1, B_C_1, B_V_1, C_F = symbols("B_w_1 B_C_1inf B_V_1inf C_F")
B_QK_11, B_QK_1inf, B_QK_21 = symbols("B_QK_11 B_QK_1inf B_QK_21")
L_sigma, B_X, B_X_1, B_w, B_C, B_V, B_QK, C_1, C_X = symbols("L_sigma B_X B_X_1 B_w B_C B_V B_QK C_1 C_X")
B_11, B_1inf, B_21 = symbols("B_W_11 B_W_1inf B_W_21")
(alpha,) = indexed("alpha")

# --- 2.5: two shapes ------------------------------------------------------------------------------------------------


def counting() -> Expr:
    return Min(B_X * B_11, B_X * B_11 / sqrt(m) * (1 + sqrt(2 * d * k * log(1 + 2 * sqrt(m)))))


def norms(_: Setting) -> list[Step]:
    A, s = symbols("A s")
    return [
        Step("A", "A", B_X * B_11, "the range"),
        Step("s", "s", Min(A, A * sqrt(2 * log(2 * d * k + 1) / m)), "one link of a chain"),
        Step("norms", "", Min(A, E * s * (1 + log(A / s))), REPAIRED),
    ]


# --- 4.1 and its corollaries: one layer -------------------------------------------------------------------------------

ROOT = sqrt(log(2 * d))


def least_cut_off() -> Expr:
    return Min(B_X, 2 * B_X**2 * sqrt(C_F) / (sqrt(m) - ROOT))


def least_sum(_: Setting) -> list[Step]:
    """Appendix C's value where its cut-off is below the range; else the range."""
    s = Symbol("s")
    value = s + B_X * (ROOT / sqrt(m)) + s * log((sqrt(m) - ROOT) / (2 * B_X * sqrt(C_F)))
    where = 2 * B_X * sqrt(C_F) <= sqrt(m) - ROOT
    return [
        Step("s", "s", 2 * B_X**2 * sqrt(C_F) / sqrt(m), "what Dudley's integral multiplies"),
        Step("E", "", Piecewise((value, where), (B_X, True)), REPAIRED),
    ]


def one_layer(entropy: Callable[[], Expr], radius: Expr, range_: Expr) -> Callable[[bool], Form]:
    """The theorem's display for either reading: with columns bounded, all k units count, and their d coordinates, and
    values are at most `range_`. The entropy is the root of that of W_QK on the tokens, at an error of 1."""

    def of(rows: bool) -> Form:
        def build(_: Setting) -> list[Step]:
            B, s = Symbol("B"), Symbol("s")
            inner = E * s * (EXCESS + log(radius / s)) + radius * sqrt(2 * log(2 * d) / m)
            value = Min(B * radius, 2 * B * inner) if rows else Min(range_, 2 * d * k * B * inner)
            return [
                Step("B", "B", B_w_1 * B_C_1 * L_sigma * B_V_1, "the product of the outer bounds"),
                Step("s", "s", Min(radius / E, radius**2 * entropy() * sqrt(2 / m)), "one link of a chain"),
                Step("R", "", value, REPAIRED),
            ]

        return build

    return of


def theorem() -> Callable[[bool], Form]:
    return one_layer(lambda: sqrt(C_F), B_X, sqrt(d) * Symbol("B") * B_X)


def corollary(alpha: Callable[[], Expr], radius: Expr, range_: Expr) -> Callable[[bool], Form]:
    """With the entropy of W_QK: alpha^2 on inputs of norm 1."""
    of = one_layer(lambda: radius * Symbol("alpha_QK"), radius, range_)

    def both(rows: bool) -> Form:
        def build(setting: Setting) -> list[Step]:
            steps = of(rows)(setting)
            assert isinstance(steps, list)
            return [Step("alpha_QK", r"\alpha", alpha(), "the root of the entropy's coefficient"), *steps]

        return build

    return both


def entries() -> Callable[[bool], Form]:
    return corollary(lambda: B_QK_11 * sqrt(log(2 * d**2 + 1)), B_X, sqrt(d) * Symbol("B") * B_X)


def columns() -> Callable[[bool], Form]:
    return corollary(lambda: B_QK_1inf * sqrt(d * log(2 * d + 1)), B_X_1, Symbol("B") * B_X_1)


def sums() -> Callable[[bool], Form]:
    return corollary(lambda: B_QK_21 * sqrt(log(2 * d**2 + 1)), B_X_1, Symbol("B") * B_X_1)


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


def coefficients(**found: tuple[str, Expr, str]) -> tuple[list[Step], list[Expr]]:
    """Of the entropies of the matrices: as steps, and as letters for what follows."""
    steps = [Step(name, latex, value, f"the entropy's coefficient {of}") for name, (latex, value, of) in found.items()]
    return steps, [Symbol(step.name) for step in steps]


def given(_: Setting) -> list[Step]:
    """Theorem 4.2 for the two constants of a linear cover."""
    return several_layers(C_1, C_1, (C_X, C_1), (C_X, C_1), B_X)


def by_entries(_: Setting, outputs: Expr = d) -> list[Step]:
    """The read-out has so many entries."""
    steps, (w, C, QK) = coefficients(
        C_w=("C_w", B_11**2 * log(2 * outputs + 1), "of the read-out"),
        C_1=("C_1", B_11**2 * log(2 * d * k + 1), "of W_c and W_v, on vectors of norm 1"),
        C_QK=("C_{QK}", B_11**2 * log(2 * d**2 + 1), "of W_QK, on vectors of norm 1"),
    )
    return [*steps, *several_layers(w, C, (B_X**2 * C, C), (B_X**2 * QK, QK), B_X)]


def words(setting: Setting) -> list[Step]:
    """K rows in the place of w, each of norm at most B_w: losses move twice as far as scores."""
    *before, _ = by_entries(setting, K * d)
    s = Symbol("s")
    return [
        *before,
        Step("C_class", r"C_{\mathcal F}", (Symbol("gamma") + Symbol("eta")) ** 3, "the entropy's coefficient"),
        Step("s", "s", Min(B_w, sqrt(2 * Symbol("C_class") / m)), "one link of a chain"),
        Step("R", "", 2 * Min(B_w, E * s * (1 + log(B_w / s))), REPAIRED),
    ]


def simplified(_: Setting) -> list[Step]:
    """One logarithm for all matrices."""
    first = 1 + (B_X * B_C) ** TWO_THIRDS + (2 * B_X**3 * B_C * B_V) ** TWO_THIRDS
    others = 1 + B_C**TWO_THIRDS + (2 * B_C * B_V) ** TWO_THIRDS
    a = Symbol("a")
    layers = a ** (2 * (L - 1) / 3) * first + others * Sum(a ** (2 * (L - i) / 3), (i, 2, L))
    value = B_11**2 * log(2 * d * Max(d, k) + 1) / eps**2 * (1 + (B_w * L_sigma) ** TWO_THIRDS * layers) ** 3
    return [Step("a", "a", gain(), "by how much a layer amplifies an error"), Step("log_N", "", value, REPAIRED)]


def by_columns(_: Setting) -> list[Step]:
    """Behind a projection only the norm of a vector is known: there all columns share the error."""
    B = B_1inf**2
    steps, (w, C, V_1, QK_1, V, QK) = coefficients(
        C_w=("C_w", d**2 * B * log(3), "of the read-out"),
        C_C=("C_c", k**2 * B * log(2 * d + 1), "of W_c, on vectors of norm 1"),
        C_V_1=("C_{v,1}", 4 * d * B_X_1**2 * B * log(2 * k + 1), "of W_v, on the tokens"),
        C_QK_1=("C_{QK,1}", 4 * d * B_X_1**2 * B * log(2 * d + 1), "of W_QK, on the tokens"),
        C_V=("C_v", d**2 * B * log(2 * k + 1), "of W_v, on vectors of norm 1"),
        C_QK=("C_{QK}", d**2 * B * log(2 * d + 1), "of W_QK, on vectors of norm 1"),
    )
    return [*steps, *several_layers(w, C, (V_1, V), (QK_1, QK), B_X_1)]


def by_rows(_: Setting) -> list[Step]:
    """The same with the rows bounded, in every layer: all rows share the error."""
    B = B_1inf**2
    steps, (w, C, V, QK) = coefficients(
        C_w=("C_w", B * log(2 * d + 1), "of the read-out"),
        C_C=("C_c", d**2 * B * log(2 * k + 1), "of W_c, on vectors of norm 1"),
        C_V=("C_v", k**2 * B * log(2 * d + 1), "of W_v, on vectors of norm 1"),
        C_QK=("C_{QK}", d**2 * B * log(2 * d + 1), "of W_QK, on vectors of norm 1"),
    )
    return [*steps, *several_layers(w, C, (B_X_1**2 * V, V), (B_X_1**2 * QK, QK), B_X_1)]


def by_sums(_: Setting, rows: bool = False) -> list[Step]:
    """For all vectors of norm 1 at once, and in the first layer on the basis."""
    D, B = Max(d, k), B_21**2
    columns = Rational(64, 49) * B_X_1**2 * B * log(5**D * d + 1)
    first = Rational(3, 2) * B_X_1**2 * B * log(16 * D**2 * d + 1) if rows else columns
    steps, (C, on_tokens) = coefficients(
        C_1=("C_1", Rational(64, 49) ** 2 * B * log(5 ** (2 * D) + 1), "of every matrix, on vectors of norm 1"),
        C_X=("C_{B_x}", first, "of W_v and W_QK, on the tokens"),
    )
    return [*steps, *several_layers(C, C, (on_tokens, C), (on_tokens, C), B_X_1)]
