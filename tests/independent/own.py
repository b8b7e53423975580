"""The second computation: what is proved here of routes and of modules, from the statements."""

from fractions import Fraction

from mpmath import asin, erf, exp, findroot, log, mpf, pi, sin, sqrt

from independent.forms import FORMS, form, near, several

M = "maurey/"


# --- routes -----------------------------------------------------------------------------------------------------------


@form(M + "packing", "log_N", "printed")
def _(n, count, reach, x):
    """The volumes of products of balls, one over the other."""
    ratio = mpf(1)
    for p, D, own in zip(count, reach, x, strict=True):
        ratio *= ((D + own / 2) / (own / 2)) ** p
    return log(ratio)


@several(M + "counting-allocation", "value", ("printed", "derived"))
def _(n, eps, count, reach, beta):
    shares = [eps * p / sum(count) / b for p, b in zip(count, beta, strict=True)]
    return sum(p * log((x + D) / x) for p, D, x in zip(count, reach, shares, strict=True))


@form(M + "counting-allocation", "least", "printed")
def _(n, eps, count, reach, beta):
    shares = [eps * p / sum(count) / b for p, b in zip(count, beta, strict=True)]
    return sum(p * (log(D) - log(x)) for p, D, x in zip(count, reach, shares, strict=True))


@form(M + "net", "gap", "printed")
def _(eps, m, b, delta, E):
    """b t with e^E e^(-2 m t^2) = delta."""
    return eps + eps + b * sqrt(-log(delta * exp(-E)) / 2 / m)


@form(M + "bits", "gap", "printed")
def _(m, b, delta, bits):
    return b * sqrt(-log(delta / mpf(2) ** int(bits)) / 2 / m)


def one_scale(A, tau, m, E):
    return min(A, tau + A * sqrt(2 * E) / sqrt(m))


@form(M + "one-scale", "R", "printed")
def _(A, tau, m, E, **_):
    return one_scale(A, tau, m, E)


@form(M + "one-scale", "gap", "printed")
def _(tau, m, b, delta, E, **_):
    """McDiarmid at delta/2 for the supremum, and at delta/2 for the complexity of losses in [0, b], counted twice."""
    return 2 * one_scale(b / 2, tau, m, E) + (1 + 2) * b * sqrt(log(2 / delta) / (2 * m))


# --- norms ------------------------------------------------------------------------------------------------------------


@form(M + "layernorm", "moved", "printed")
def _(eps_LN, Delta, **_):
    return Delta / sqrt(eps_LN)


@form(M + "layernorm", "far", "printed")
def _(d, eps_LN, Delta, r, **_):
    return sqrt(d) * Delta / sqrt(r * r + d * eps_LN)


@form(M + "layernorm", "chord", "printed")
def _(d, eps_LN, spread, step, **_):
    """Two points of the sphere of radius sqrt(d) at the angle whose sine is t over the distance from zero."""
    return 2 * sqrt(d) * sin(asin(step / sqrt(spread**2 + d * eps_LN)) / 2)


@form(M + "layernorm", "radius", "printed")
def _(d, eps_LN, B_X, **_):
    return B_X / sqrt(B_X**2 / d + eps_LN)


@near(M + "layernorm")
def steps_that_are_short(claim, at, rng):
    """Some just below what is allowed, most below the spread."""
    at["step"] = str(Fraction(at["spread"]) * Fraction(rng.randint(1, 99), 100))


# --- activations ------------------------------------------------------------------------------------------------------


def up(x):
    """In the twentieth digit."""
    scaled = x * mpf(10) ** 19
    return (int(scaled) + 1) / mpf(10) ** 19


def silu_slope():
    """At its largest, tanh(u/2) = 2/u: with s = s(u) the second derivative is s(1 - s)(2 + u(1 - 2s))."""
    u = findroot(lambda u: 2 / u - (1 - 2 / (1 + exp(u))), 2.4)
    s = 1 / (1 + exp(-u))
    return s + u * s * (1 - s)


def tanh_slope():
    c, k = sqrt(2 / pi), mpf("0.044715")

    def slope(u):
        t = 1 - 2 / (exp(2 * c * (u + k * u**3)) + 1)
        return (1 + t) / 2 + u / 2 * (1 - t**2) * c * (1 + 3 * k * u**2)

    step = mpf(10) ** -25
    return slope(findroot(lambda u: (slope(u + step) - slope(u - step)) / step, 1.42))


SILU = mpf("1.0998393201288669170")
SLOPES = {
    "gelu": lambda: (1 + erf(mpf(1))) / 2 + 1 / (exp(mpf(1)) * sqrt(pi)),
    "gelu_tanh": tanh_slope,
    "silu": silu_slope,
}
for name, slope in SLOPES.items():
    FORMS[M + "activations", name, "printed"] = lambda Delta, slope=slope: up(slope()) * Delta


# --- gates and heads --------------------------------------------------------------------------------------------------


@form(M + "gated", "radius", "printed")
def _(B_X, B_G, B_U, B_D, B_G_rows, B_U_rows, **_):
    return B_D * B_X * B_X * min(B_G_rows * B_U, B_G * B_U_rows)


@form(M + "gated", "moved", "printed")
def _(B_X, Delta, B_G, B_U, B_D, B_G_rows, B_U_rows, L_silu=SILU):
    gate, up = L_silu * B_G * Delta, B_U * Delta
    return B_D * (gate * (B_U_rows * B_X) + (B_G_rows * B_X) * up)


@form(M + "heads", "radius", "printed")
def _(B_X, H, B_V, B_O, **_):
    return sqrt(H * (B_O * B_V * B_X) ** 2)


@form(M + "heads", "moved", "printed")
def _(B_X, Delta, H, k, B_Q, B_K, B_V, B_O, B_Q_bias, **_):
    """Keys and values, by which all heads move: sum_h |V|^2 (1 + R^2 |a_h|^2); and the query."""
    most = B_K / sqrt(k) * (B_Q * B_X + B_Q_bias)
    together = B_V * sqrt(H + (B_X * most) ** 2)
    return B_O * Delta * (together + B_V * B_X**2 * B_K * B_Q / sqrt(k))


@form(M + "heads", "turned", "printed")
def _(B_X, Delta, H, k, B_Q, B_K, B_V, B_O, B_Q_bias, B_K_bias):
    query, key = B_Q * B_X + B_Q_bias, B_K * B_X + B_K_bias
    score = (B_Q * Delta * key + query * B_K * Delta) / sqrt(k)
    return B_O * B_V * (sqrt(H) * Delta + B_X * score)
