"""The second computation: Trauger and Tewari 2024, and the sharpenings that its sharp forms use."""

from fractions import Fraction
from typing import NamedTuple

from mpmath import binomial, exp, log, mpf, sqrt

from independent.edelman2022 import (
    THIRD,
    E,
    best_chain,
    best_sides,
    by_volume,
    layer_moves,
    linear_class,
    proper_grid,
    split,
    two_sided,
    unrolled_effects,
    zhang,
)
from independent.forms import FORMS, form, near, several, up

TINY = mpf(10) ** -40
P, M = "trauger2024/", "maurey/"

# --- covers of l1 balls and other classes -----------------------------------------------------------------------------


class Cover(NamedTuple):
    cost: object  # of an error of 1
    size: object  # the log-size at an error
    rounding: object  # what rounding up adds to it
    whole: object = None  # C with C/e^2 at every error


def atoms(n, radius):
    """Lemma 3.1: the mean of ceil((radius/e)^2) of the 2n + 1 signed atoms."""
    return Cover(radius**2 * log(2 * n + 1), lambda e: up((radius / e) ** 2) * log(2 * n + 1), log(2 * n + 1))


def lattice_points(n, a):
    """The closed bounds on the two lattices' counts, spelled out."""
    if a <= 1 + TINY:
        return mpf(0)
    steps = mpf(1) if a <= 4 else up(a / 2) - 1
    return min(steps * log(2 * n + 1), n * log(2 * steps + 1), up(a / 4) * log(4 * n + 1))


def lattice(n, radius):
    cost, whole = radius**2 * log(4 * n + 1) / 4, radius**2 * log(2 * n + 1)
    return Cover(cost, lambda e: lattice_points(n, (radius / e) ** 2), log(4 * n + 1), whole)


def times(number, cover):
    cost, size, rounding, whole = cover
    return Cover(number * cost, lambda e: number * size(e), number * rounding, whole and number * whole)


def pure(C, radius=None):
    """C/e^2; nothing from the radius of the class on."""
    return Cover(C, lambda e: mpf(0) if radius is not None and e >= radius * (1 - TINY) else C / e**2, mpf(0), C)


def best(*covers):
    costs, sizes, roundings, wholes = zip(*covers, strict=True)
    return Cover(min(costs), lambda e: min(size(e) for size in sizes), max(roundings), min(wholes))


def or_smaller(cover, *sizes):
    """Whatever is known at an error, for a cover that the error is shared by."""
    return cover._replace(size=lambda e: min(size(e) for size in (cover.size, *sizes)))


def counted(entries, B, R):
    """Every entry, by volume."""
    return lambda e: entries * log(1 + 2 * B * R / e)


def everywhere(F, R, inputs, outputs):
    return pure((mpf(64) / 49 * F * R) ** 2 * log(mpf(5) ** (inputs + outputs) + 1))


# --- from entropies p + C/eps^2 to complexities ---------------------------------------------------------------------


def textbook(A, C, m, p=0, cut=4, slope=12):
    """cut tau + slope times the integral, the root split; at the zero of the derivative if that is below A."""
    s, r = sqrt(C / m), sqrt(p / m)
    if slope * s >= (cut - slope * r) * A:
        return A
    return min(A, slope * s * (1 + log(A * (cut - slope * r) / (slope * s))) + slope * r * A)


def at_cut_off(A, log_N, constant, m, p=0):
    """Only (log_N - constant) eps^2 does not increase: from A/sqrt(m) on, its value there stands for it."""
    tau = A / sqrt(m)
    C = tau**2 * (log_N(tau) - constant)
    return min(A, 4 * tau + 12 * (sqrt((p + constant) / m) * (A - tau) + sqrt(C / m) * log(sqrt(m))))


def levelled(A, cover, m, proper=True, scale=1):
    """As many levels as serve best; the shares of the rounding are of links no longer than 9/5 A, or 13/5 A."""
    links, external = (mpf(9) / 5, 0) if proper else (mpf(13) / 5, 1)
    one = best_chain(A, cover.cost * scale, m, external) + links * A * sqrt(2 * cover.rounding / m)
    if cover.whole is not None and cover.rounding:
        one = min(one, best_chain(A, cover.whole * scale, m, external))
    return min(A, one)


def chained(A, C, m, p=0, proper=True):
    if A**2 * m < C:
        return A
    s, each = sqrt(2 * C / m), 0 if proper else 1
    return min(A, (exp(mpf(1)) + each) * s * (1 + log(A / s)) + (2 + 2 * each) * A * sqrt(2 * p / m))


def chained_linear(A, K, m):
    """(1 + rho)/(sqrt(rho) - 1) at sqrt(rho) = 1 + sqrt(2)."""
    x = 1 + sqrt(mpf(2))
    return min(A, (1 + x**2) / (x - 1) * sqrt(2 * K * A / m))


def one_resolution(A, log_N, m):
    tau = A / sqrt(m)
    return min(A, tau + A * sqrt(2 * log_N(tau) / m))


# --- the new claims of other sources --------------------------------------------------------------------------------


@form(M + "chaining", "R", "printed")
def _(A, C_F, p_0, K_F, m):
    return chained(A, C_F, m, p_0)


@form(M + "chaining", "external", "printed")
def _(A, C_F, p_0, K_F, m):
    return chained(A, C_F, m, p_0, proper=False)


@form(M + "chaining", "linear", "printed")
def _(A, C_F, p_0, K_F, m):
    return chained_linear(A, K_F, m)


@form(M + "lattice", "closed", "printed")
def _(eps, n, rho):
    return lattice_points(n, (rho / eps) ** 2)


@form(M + "union", "R", "printed")
def _(n, A, m, R_F):
    return R_F + A * sqrt(2 * log(n) / m)


@form(M + "peeling", "duality", "printed")
def _(B_w_1, Delta, **_):
    return B_w_1 * Delta


@form(M + "peeling", "sign", "printed")
def _(R_F, **_):
    return 2 * R_F


@form(M + "entrywise", "moved", "printed")
def _(B_X_1, Delta, **_):
    return B_X_1**2 * Delta


@form(M + "entrywise", "l2", "printed")
def _(eps, n, rho, **_):
    return (up((rho / eps) ** 2) - 1) * log(2 * n + 1)


@form(M + "entrywise", "l1", "printed")
def _(eps, n, rho, **_):
    return rho / eps * log(2 * n + 1)


@form(M + "vocabulary", "moved", "printed")
def _(B_w, Delta_g, Delta_w):
    return B_w * Delta_g + Delta_w


@form("ledoux1991/4.12", "R", "printed")
def _(L_sigma, R_F):
    return L_sigma * R_F


@form("foster2019/1", "R", "printed")
def _(L_loss, K, R_F, C0=1):
    return C0 * L_loss * sqrt(K) * R_F


@form("shalev2014/26.5", "gap", "printed")
def one_sided(b, delta, m, R_F):
    return 2 * R_F + 4 * b * sqrt(2 * log(4 / delta) / m)


# --- 2 to 3: background, linear covers --------------------------------------------------------------------------------

FORMS[P + "S2.3", "gap", "printed"] = one_sided


@form(P + "S2.3", "gap", "derived")
def _(b, delta, m, R_F):
    return one_sided(b, delta / 2, m, R_F)


@form(P + "S2.3", "gap", "sharp")
def _(b, delta, m, R_F):
    return best_sides(1, b, delta, m, R_F)


@form(P + "S2.5", "counting", "printed")
def _(d, k, m, B_X, B_W_11, C0=1, **_):
    return C0 * sqrt(d * k * log(B_X * B_W_11) / m)


@form(P + "S2.5", "norms", "printed")
def _(d, k, m, B_X, B_W_11, C0=1, **_):
    return C0 * sqrt(B_X * B_W_11 * log(d * k)) / sqrt(m)


@form(P + "S2.5", "counting", "derived")
def _(d, k, m, B_X, B_W_11, **_):
    return one_resolution(B_X * B_W_11, lambda tau: d * k * log(1 + 2 * B_X * B_W_11 / tau), m)


@form(P + "S2.5", "norms", "derived")
def _(d, k, m, B_X, B_W_11, **_):
    C, _, p, _ = atoms(d * k, B_X * B_W_11)
    return textbook(B_X * B_W_11, C, m, p)


@form(P + "S2.5", "norms", "sharp")
def _(d, k, m, B_X, B_W_11, **_):
    return levelled(B_X * B_W_11, lattice(d * k, B_X * B_W_11), m)


@form(P + "S2.5", "log_N_counting", "derived")
def _(d, k, B_X, B_W_11, eps, **_):
    return d * k * log(1 + 2 * B_X * B_W_11 / eps)


def entries_of_a_map(cover):
    return lambda d, k, B_X, B_W_11, eps, **_: cover(d * k, B_X * B_W_11)[1](eps)


FORMS[P + "S2.5", "log_N_norms", "derived"] = FORMS[P + "3.6", "log_N", "derived"] = entries_of_a_map(atoms)


@several(P + "S2.5", "log_N_norms", ["sharp"])
@several(P + "3.6", "log_N", ["sharp"])
def _(d, k, B_X, B_W_11, eps, **_):
    return min(lattice(d * k, B_X * B_W_11).size(eps), by_volume(d, k, B_W_11, B_X, eps))


@form(P + "3.1", "error", "printed")
def _(k, b, gamma, f_norm, **_):
    return (gamma**2 * b**2 - f_norm**2) / k


@form(P + "3.1", "error", "derived")
def _(k, b, gamma, f_norm, **_):
    return (gamma * b**2 - f_norm**2) / k


@form(P + "3.1", "count", "printed")
def _(d, k, **_):
    return d**k


@form(P + "3.1", "count", "derived")
def _(d, k, **_):
    """Tuples with sum exactly t, for t up to k."""
    return sum(binomial(d - 1 + t, t) for t in range(int(k) + 1))


for key in ("3.2", "B"):

    @several(P + key, "log_N", ["printed", "derived"])
    def _(E_in, **_):
        return E_in


@form(P + "3.3", "log_N", "printed")
def _(eps, d, k, B_X_1, B_W_1inf, **_):
    return d * B_W_1inf**2 * B_X_1**2 / eps**2 * log(2 * k + 1)


@form(P + "3.3", "log_N", "derived")
def _(eps, d, k, B_X_1, B_W_1inf, **_):
    return sum(up((B_W_1inf * B_X_1 / eps) ** 2) for _ in range(int(d))) * log(2 * k + 1)


@form(P + "3.4", "log_N", "printed")
def _(eps, d, k, B_X_1, B_W_21, C0=1, **_):
    return C0 * B_W_21**2 * B_X_1**2 / eps**2 * log(d * k)


@form(P + "3.4", "log_N", "derived")
def _(eps, d, k, B_X_1, B_W_21, **_):
    """k rows whose norms sum to at most sqrt(k) times the Frobenius norm, on the d scaled basis vectors."""
    return proper_grid(sqrt(k) * B_W_21, B_X_1, d, k, eps)


@form(P + "3.5", "log_N", "printed")
def _(eps, N, d, k, B_X, B_W_21, C0=1, **_):
    return C0 * B_W_21**2 * B_X**2 / eps**2 * log(d * N)


@form(P + "3.5", "log_N", "derived")
def _(eps, N, d, k, B_X, B_W_21, **_):
    return proper_grid(sqrt(k) * B_W_21, B_X, N, k, eps)


@form(P + "3.4", "log_N_rows", "printed")
def _(eps, d, k, B_X_1, B_W_21, C0=1, **_):
    return C0 * (B_W_21 * B_X_1 / eps) ** 2 * (log(d) + log(k))


@form(P + "3.4", "log_N_rows", "derived")
def _(eps, d, k, B_X_1, B_W_21, **_):
    return proper_grid(B_W_21, B_X_1, d, k, eps)


@form(P + "3.4", "log_N_rows", "sharp")
def _(eps, d, k, B_X_1, B_W_21, **_):
    """At the d scaled basis vectors: corrections along coordinates, along a net, or row by row."""
    levels = 2 + log(16 * k) / log(mpf(17) / 16)
    costs = k * log(2 * k * d + 1), mpf(64) / 49 * log(mpf(5) ** k * d + 1), mpf(9) / 8 * log(2 * k * d * levels + 1)
    by_corrections = pure(min(costs) * (B_W_21 * B_X_1) ** 2, B_W_21 * B_X_1)[1](eps)
    return min(by_corrections, by_volume(d, k, B_W_21, B_X_1, eps))


@form(P + "3.5", "log_N_rows", "printed")
def _(eps, N, k, B_X, B_W_21, C0=1, **_):
    return C0 * (B_W_21 * B_X / eps) ** 2 * (log(k) + log(N))


@form(P + "3.5", "log_N_rows", "derived")
def _(eps, N, k, B_X, B_W_21, **_):
    return proper_grid(B_W_21, B_X, N, k, eps)


@form(P + "3.5", "log_N_rows", "sharp")
def _(eps, N, d, k, B_X, B_W_21, **_):
    return linear_class(eps, N, d, k, B_X, B_W_21, B_W_21)


@form(P + "3.5", "log_N", "sharp")
def _(eps, N, d, k, B_X, B_W_21, **_):
    return linear_class(eps, N, d, k, B_X, B_W_21)


@form(P + "3.6", "log_N", "printed")
def _(eps, d, k, B_X, B_W_11, **_):
    return B_X**2 * B_W_11**2 / eps**2 * log(2 * d * k + 1)


@several(P + "S3.4", "sum", ["printed", "derived"])
def _(d, B_W_1inf, **_):
    return sum(B_W_1inf for _ in range(int(d)))


@form(P + "S3.4", "ratio", "printed")
def _(d, k, **_):
    return d * log(2 * d * k + 1) / log(2 * k + 1)


@form(P + "S3.4", "ratio", "derived")
def _(d, k, B_X_1, B_W_1inf):
    return atoms(d * k, d * B_W_1inf * B_X_1)[0] / times(d, atoms(k, B_W_1inf * B_X_1))[0]


@several(P + "A", "log_N", ["printed", "derived"])
def _(k, E_in, **_):
    return sum(E_in for _ in range(int(k)))


@several(P + "A", "eps_map", ["printed", "derived"])
def _(eps, k, q, **_):
    return exp(log(k * eps**q) / q)


@several(P + "G", "moved", ["printed", "derived"])
def _(Delta):
    return 2 * Delta


# --- the covers of Section 3 for one map, on vectors of norm R; R_1 is their l1 norm where it is stated ---------------


def l1(inputs, R, R_1):
    return sqrt(inputs) * R if R_1 is None else R_1


def in_entries(B, F):
    def derived(outputs, inputs, R, R_1, spectral):
        return atoms(outputs * inputs, B * R)

    def sharp(outputs, inputs, R, R_1, spectral):
        largest = spectral if spectral is not None else B if F is None else min(F, B)
        return or_smaller(lattice(outputs * inputs, B * R), counted(outputs * inputs, largest, R))

    return derived, sharp


def on_basis(F, R_1, inputs, outputs):
    """Corrections along a net of the outputs, at as many scaled basis vectors as inputs."""
    return pure(mpf(64) / 49 * (F * R_1) ** 2 * log(mpf(5) ** outputs * inputs + 1))


def of_all_inputs(outputs, inputs, R, R_1, spectral, F):
    """By corrections: on the scaled basis where the l1 norm is stated, else along nets on both sides."""
    if R_1 is None:
        return everywhere(F, R, inputs, outputs)
    return on_basis(F, R_1, inputs, outputs)


def frobenius(given, outputs, inputs, spectral):
    return min(given, sqrt(min(outputs, inputs)) * spectral)


def moved_in(cover):
    """Half the error is kept for moving the centres into the class."""
    cost, size, rounding, whole = cover
    return Cover(4 * cost, lambda e: size(e / 2), rounding, whole and 4 * whole)


def in_columns(B, F):
    """Every column has l1 norm at most B. Centres that are made column by column may break the class's other bound,
    spectral or, of the read-out, F."""

    def derived(outputs, inputs, R, R_1, spectral):
        return moved_in(times(inputs, atoms(outputs, B * l1(inputs, R, R_1))))

    def sharp(outputs, inputs, R, R_1, spectral):
        if R_1 is None:
            largest = min(F, sqrt(inputs) * B) if spectral is None else spectral
            return or_smaller(lattice(outputs * inputs, inputs * B * R), counted(outputs * inputs, largest, R))
        return moved_in(by_column(outputs, inputs, B, R_1))

    return derived, sharp


def in_column_sums(B, F):
    """The columns' l2 norms sum to at most B. The third number of the derived cover is its grid's log-size."""

    def derived(outputs, inputs, R, R_1, spectral):
        radius = l1(inputs, R, R_1)
        if spectral is None:  # the read-out: one row of norm at most F
            return Cover(144 * (F * radius) ** 2, lambda e: zhang(F, radius, inputs, e / 2), mpf(0))
        rows = sqrt(outputs) * B
        size = lambda e: proper_grid(rows, radius, inputs, outputs, e)  # noqa: E731
        return Cover(144 * (2 * rows * radius) ** 2, size, log(binomial(2 * outputs, outputs)))

    def sharp(outputs, inputs, R, R_1, spectral):
        size = min(F, B) if spectral is None else frobenius(B, outputs, inputs, spectral)
        found = best(
            lattice(outputs * inputs, sqrt(outputs) * B * R),
            of_all_inputs(outputs, inputs, R, R_1, spectral, size),
        )
        largest = size if spectral is None else spectral
        sizes = [counted(outputs * inputs, largest, R)]
        if R_1 is not None:
            sizes.append(few_columns(inputs, outputs, B * R_1))
        return or_smaller(found, *sizes)

    return derived, sharp


def by_column(outputs, inputs, B, R_1):
    """Each column on a lattice, or all of them by their entries."""
    return or_smaller(times(inputs, lattice(outputs, B * R_1)), counted(outputs * inputs, B, R_1))


def few_columns(d, k, radius):
    """radius/e columns, chosen out of d, each in k dimensions at three times its share: 3^k, and e (k + 1) for the
    multinomial coefficients."""
    return lambda e: radius / e * (k * log(mpf(3)) + log(d) + log(k + 1) + 1)


@form(P + "3.3", "log_N", "sharp")
def _(eps, d, k, B_X_1, B_W_1inf, **_):
    return by_column(k, d, B_W_1inf, B_X_1).size(eps)


@form(M + "few-columns", "log_N", "printed")
def _(eps, d, k, B_X_1, B_W_21):
    return few_columns(d, k, B_X_1 * B_W_21)(eps)


@form(P + "3.4", "log_N", "sharp")
def _(eps, d, k, B_X_1, B_W_21, **_):
    found = best(lattice(d * k, sqrt(k) * B_W_21 * B_X_1), on_basis(B_W_21, B_X_1, d, k))
    return or_smaller(found, counted(d * k, B_W_21, B_X_1), few_columns(d, k, B_W_21 * B_X_1)).size(eps)


# --- 4.1: one layer. Duality peels w, W_c and W_v off; the class and its negative cost 2, the activation L_sigma ------


def peeled(rows, d, k, L_sigma, B_w_1, B_C_1inf, B_V_1inf):
    """A row of W_c^T has k entries, one of W_v^T has d; each is at most its column's bound."""
    C, V = (B_C_1inf, B_V_1inf) if rows else (k * B_C_1inf, d * B_V_1inf)
    return 2 * B_w_1 * C * L_sigma * V


def printed_layer(outer, C0, B_x, slope, inside, d, m):
    return C0 * outer * (slope / sqrt(m) * (1 + log(inside)) + B_x * sqrt(log(2 * d) / m))


def units(k):
    """Of so many units whose norms have a bounded sum: each for itself, or two for every halving and the rest."""
    halvings = next(n for n in range(200) if 2**n >= k)
    return min(k, 1 + 2 * halvings)


def averages(B_x, C, p, d, m, kappa):
    """Signed coordinates of averages of tokens: W_QK within e moves them by kappa B_x^2 e."""
    return textbook(B_x, (kappa * B_x**2) ** 2 * C, m, log(2 * d) + p)


def sharp_layer(rows, one, B_x, l1_norm, d, k, m, L_sigma, B_w_1, B_C_1inf, B_V_1inf):
    """`one` is the complexity of one coordinate; the largest of 2d of them, peeled, or the range of the layer."""
    union = min(B_x, one + B_x * sqrt(2 * log(2 * d) / m))
    outer = B_w_1 * B_C_1inf * L_sigma * B_V_1inf
    return min(2 * outer * (1 if rows else d * units(k)) * union, outer * (B_x if rows else l1_norm))


def layers(part, rows):
    @form(P + "4.1", part, "printed")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X, C_F, C0=1, **_):
        outer, s = B_w_1 * B_C_1inf * L_sigma * B_V_1inf, 2 * B_X**2 * sqrt(C_F)
        return printed_layer(outer, C0, B_X, s, sqrt(m) / (2 * B_X * sqrt(C_F)), d, m)

    @form(P + "4.1", part, "derived")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X, C_F, kappa=2, **_):
        return peeled(rows, d, k, L_sigma, B_w_1, B_C_1inf, B_V_1inf) * averages(B_X, C_F, 0, d, m, kappa)

    @form(P + "4.1", part, "sharp")
    def _(*, d, m, k=1, B_X, C_F, C0=1, kappa=2, **outer):
        return sharp_layer(rows, best_chain(B_X, B_X**4 * C_F, m), B_X, sqrt(d) * B_X, d, k, m, **outer)

    @form(P + "4.1.1", part, "printed")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X, B_QK_11, C0=1, **_):
        a = B_QK_11 * sqrt(2 * log(2 * d**2 + 1))
        return printed_layer(B_w_1 * B_C_1inf**2 * L_sigma, C0, B_X, B_X**3 * a, sqrt(m) / (B_X**2 * a), d, m)

    @form(P + "4.1.1", part, "derived")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X, B_QK_11, kappa=2, **_):
        C, _, p, _ = atoms(d * d, B_QK_11 * B_X)
        return peeled(rows, d, k, L_sigma, B_w_1, B_C_1inf, B_V_1inf) * averages(B_X, C, p, d, m, kappa)

    @form(P + "4.1.1", part, "sharp")
    def _(*, d, m, k=1, B_X, B_QK_11, C0=1, kappa=2, **outer):
        one = levelled(B_X, lattice(d * d, B_QK_11 * B_X), m, scale=B_X**4)
        return sharp_layer(rows, one, B_X, sqrt(d) * B_X, d, k, m, **outer)

    @form(P + "D.0.1", part, "printed")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X_1, B_QK_1inf, C0=1, **_):
        outer, a = B_w_1 * B_C_1inf * L_sigma * B_V_1inf, 2 * B_QK_1inf * sqrt(d * log(2 * d + 1))
        inside = (sqrt(m) - sqrt(log(2 * d))) / (B_X_1**2 * a)
        return printed_layer(outer, C0, B_X_1, B_X_1**3 * a, inside, d, m)

    @form(P + "D.0.1", part, "derived")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X_1, B_QK_1inf, kappa=2, **_):
        C, _, p, _ = times(d, atoms(d, B_QK_1inf * B_X_1))
        return peeled(rows, d, k, L_sigma, B_w_1, B_C_1inf, B_V_1inf) * averages(B_X_1, C, p, d, m, kappa)

    @form(P + "D.0.1", part, "sharp")
    def _(*, d, m, k=1, B_X_1, B_QK_1inf, C0=1, kappa=2, **outer):
        """The entries within e/B_x^3, column by column; or the columns within e/B_x^2."""
        K = d * B_QK_1inf * B_X_1**3 * log(2 * d + 1)
        C = d * log(2 * d + 1) * (B_QK_1inf * B_X_1) ** 2
        one = min(best_chain(B_X_1, B_X_1**4 * C, m), chained_linear(B_X_1, K, m))
        return sharp_layer(rows, one, B_X_1, B_X_1, d, k, m, **outer)

    @form(P + "D.0.2", part, "printed")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X_1, B_QK_21, C0=1, **_):
        outer, a = B_w_1 * B_C_1inf * L_sigma * B_V_1inf, 2 * B_QK_21 * sqrt(2 * log(d))
        inside = (sqrt(m) - sqrt(log(2 * d))) / (B_X_1**2 * a)
        return printed_layer(outer, C0, B_X_1, B_X_1**3 * a, inside, d, m)

    @form(P + "D.0.2", part, "derived")
    def _(*, d, m, k=1, L_sigma, B_w_1, B_C_1inf, B_V_1inf, B_X_1, B_QK_21, kappa=2, **_):
        """Zhang's external cover of d rows over a grid of norms; the grid's size holds at every resolution."""
        rows_sum = 2 * sqrt(d) * B_QK_21
        grid = log(binomial(2 * d, d))
        size = lambda eps: grid + zhang(rows_sum, B_X_1, d, eps / (kappa * B_X_1**2))  # noqa: E731
        left = at_cut_off(B_X_1, size, grid, m, log(2 * d))
        return peeled(rows, d, k, L_sigma, B_w_1, B_C_1inf, B_V_1inf) * left

    @form(P + "D.0.2", part, "sharp")
    def _(*, d, m, k=1, B_X_1, B_QK_21, C0=1, kappa=2, **outer):
        """Corrections of single entries: scores are mixtures of d^2 of them, of size B_x^2."""
        C = (B_QK_21 * B_X_1**3) ** 2 * log(2 * d**2 + 1)
        return sharp_layer(rows, best_chain(B_X_1, C, m), B_X_1, B_X_1, d, k, m, **outer)


for part, rows in (("R", False), ("R_rows", True)):
    layers(part, rows)


@form(P + "4.1", "delta_star", "printed")
def _(d, m, B_X, C_F, **_):
    return 2 * B_X**2 * sqrt(C_F) / (sqrt(m) - sqrt(log(2 * d)))


@form(P + "4.1", "delta_star", "derived")
def _(d, m, B_X, C_F, kappa=2, **_):
    s, left = kappa * B_X**2 * sqrt(C_F), sqrt(m) - sqrt(log(2 * d))
    return B_X if s >= left * B_X else s / left


@form(P + "4.1", "E", "printed")
def _(d, m, B_X, C_F, **_):
    s, root = 2 * B_X**2 * sqrt(C_F), sqrt(log(2 * d))
    return (s + B_X * root + s * log((sqrt(m) - root) / (2 * B_X * sqrt(C_F)))) / sqrt(m)


@form(P + "4.1", "E", "derived")
def _(d, m, B_X, C_F, kappa=2, **_):
    return textbook(B_X, (kappa * B_X**2) ** 2 * C_F, m, log(2 * d), cut=1, slope=1)


@form(P + "S4.2", "R", "printed")
def _(H, R_F):
    return sum(R_F)


# --- 4.2: several layers --------------------------------------------------------------------------------------------


def printed_deep(eps, L, L_sigma, B_w, B_C, B_V, B_QK, C_1, C_X):
    L, gain, two = int(L), L_sigma * B_C * B_V * (1 + 4 * B_QK), 2 * THIRD
    alpha = {i: gain ** (L - i) for i in range(1, L + 1)}
    tau = [a**two + (2 * a * L_sigma * B_C * B_V) ** two + (a * L_sigma * B_V) ** two for a in alpha.values()]
    gamma = C_X**THIRD * (2 * L_sigma * B_C * B_V * alpha[1] * B_w) ** two
    gamma += C_1**THIRD * (1 + (B_w * L_sigma * B_V) ** two)
    return (gamma + C_1**THIRD * B_w**two * sum(tau[1:])) ** 3 / eps**2


def deep_covers(cover, sharp, L, L_sigma, B_w, B_C, B_V, B_QK, d, k, X, X_1=None, kappa=2, words=1):
    """One (cost, effect, size, rounding) for every matrix: radii forward, effects by pushing one unit at a time.

    Sharp forms keep radii below 1 through the projections, and have the best gain and the softmax's best constant.
    """
    L = int(L)
    radii, inner = [X], []
    for i in range(L):
        inner.append(L_sigma * (min(1, B_V * radii[i]) if sharp else 1))
        radii.append(min(mpf(1), B_C * inner[i]) if sharp else mpf(1))
    if sharp:
        gains = [R**2 * B_QK + sqrt(1 + (R**2 * B_QK) ** 2) for R in radii]
    else:
        gains = [1 + 2 * kappa * R**2 * B_QK for R in radii]
    scores = [(1 if sharp else kappa) * R**2 for R in radii]
    effects = unrolled_effects(L, L_sigma, B_w, [B_C] * L, [B_V] * L, gains, scores)
    found = []
    for i in range(L):
        R_1 = X_1 if i == 0 else None
        found.append(cover(d, d, radii[i], R_1, B_QK))
        found.append(cover(k, d, radii[i], R_1, B_V))
        found.append(cover(d, k, inner[i], None, B_C))
    found.append(cover(words, d, radii[L], None, None))
    return list(zip(found, effects, strict=True))


def log_size(terms, eps):
    return split([(cover.cost, effect, cover.size) for cover, effect in terms], eps)


def leading(terms, which="cost"):
    return sum(getattr(cover, which) ** THIRD * effect ** (2 * THIRD) for cover, effect in terms) ** 3


def rounding(terms):
    return sum(cover.rounding for cover, _ in terms)


def deep_complexity(terms, sharp, A, m, eps_inside=False):
    if eps_inside:
        return at_cut_off(A, lambda tau: log_size(terms, tau), rounding(terms), m)
    if not sharp:
        return textbook(A, leading(terms), m, rounding(terms))
    return levelled(A, Cover(leading(terms), None, rounding(terms), leading(terms, "whole")), m)


def _given(C_1, C_X):
    """C_X for the first layer's queries and values, else C_1 scaled to the radius. The first layer is known by R_1."""
    return lambda outputs, inputs, R, R_1, spectral: pure(C_X if R_1 is not None else C_1 * R**2)


@form(P + "4.2", "log_N", "printed")
def _(eps, L, L_sigma, B_w, B_C, B_V, B_QK, B_X, C_1, C_X, **_):
    return printed_deep(eps, L, L_sigma, B_w, B_C, B_V, B_QK, C_1, C_X)


for name in ("derived", "sharp"):

    @form(P + "4.2", "log_N", name)
    def _(eps, B_X, C_1, C_X, sharp=name == "sharp", **net):
        return log_size(deep_covers(_given(C_1, C_X), sharp, d=1, k=1, X=B_X, X_1=B_X, **net), eps)


def corollary(key, norm, token, covers, printed_cost):
    """The printed, derived and sharp forms with one of the three covers; the l1 norm of tokens where that is stated."""

    @form(P + key, "log_N", "printed")
    def _(eps, L, L_sigma, B_w, B_C, B_V, B_QK, d, k, **rest):
        C_1 = printed_cost(d, k) * rest[norm] ** 2
        return printed_deep(eps, L, L_sigma, B_w, B_C, B_V, B_QK, C_1, C_1 * rest[token] ** 2)

    def terms(sharp, values):
        net = {n: values[n] for n in ("L", "L_sigma", "B_w", "B_C", "B_V", "B_QK", "d", "k")}
        stated = values[token] if token == "B_X_1" else None
        cover = covers(values[norm], values["B_w"])[sharp]
        return deep_covers(cover, sharp, X=values[token], X_1=stated, kappa=values.get("kappa", 2), **net)

    for name in ("derived", "sharp"):

        @form(P + key, "log_N", name)
        def _(sharp=name == "sharp", **values):
            return log_size(terms(sharp, values), values["eps"])

        @form(P + key, "gap", name)
        def _(sharp=name == "sharp", **values):
            zhangs = key == "F.0.2" and not sharp
            R = deep_complexity(terms(sharp, values), sharp, values["B_w"], values["m"], zhangs)
            gap = (values["L_loss"], values["b"], values["delta"], values["m"], R)
            return best_sides(*gap, every=True) if sharp else two_sided(*gap)


corollary("4.2.1", "B_W_11", "B_X", in_entries, lambda d, k: log(2 * d * k + 1))
corollary("F.0.1", "B_W_1inf", "B_X_1", in_columns, lambda d, k: d * log(2 * k + 1))
corollary("F.0.2", "B_W_21", "B_X_1", in_column_sums, lambda d, k: log(d * k))


@form(P + "4.2.1-simplified", "log_N", "printed")
def _(eps, L, L_sigma, B_w, B_C, B_V, B_QK, B_X, B_W_11, C0=1, c_L=1, **_):
    return C0 * (B_W_11 * B_X * B_w / eps) ** 2 * (L_sigma * B_C * B_V * B_QK) ** (c_L * L)


for name in ("derived", "sharp"):
    FORMS[P + "4.2.1-simplified", "log_N", name] = FORMS[P + "4.2.1", "log_N", name]

    def counted_network(m, B_X, L, L_sigma, B_w, B_C, B_V, B_QK, d, k, kappa=2, sharp=name == "sharp", **_):
        """Every entry counted: (1 + 2 B R/e)^(entries) points, B the spectral norm."""

        def entries(outputs, inputs, R, R_1, spectral):
            B, n = B_w if spectral is None else spectral, outputs * inputs
            return Cover(n * (2 * B * R) ** 2, counted(n, B, R), None)

        return deep_covers(entries, sharp, L, L_sigma, B_w, B_C, B_V, B_QK, d, k, B_X, kappa=kappa)

    @form(P + "S2.5", "log_N_network", name)
    def _(eps, network=counted_network, **values):
        return log_size(network(**values), eps)

    @form(P + "S2.5", "gap_network", name)
    def _(L_loss, b, delta, m, network=counted_network, sharp=name == "sharp", **values):
        terms = network(m=m, **values)
        gap = (L_loss, b, delta, m, one_resolution(values["B_w"], lambda tau: log_size(terms, tau), m))
        return best_sides(*gap, every=True) if sharp else two_sided(*gap)

    @form(P + "5.1", "R_vocabulary", name)
    def _(K, m, B_X, B_W_11, R_F=None, C0=None, sharp=name == "sharp", **net):
        cover = in_entries(B_W_11, None)[sharp]
        return 2 * deep_complexity(deep_covers(cover, sharp, X=B_X, words=K, **net), sharp, net["B_w"], m)


for part in ("R", "R_worst"):

    @form(P + "5.1", part, "printed")
    def _(K, R_F, C0=1, **_):
        return C0 * sqrt(K) * R_F


@form(P + "E.2", "moved_first", "printed")
def _(L_sigma, B_C, B_V, Delta_C, Delta_QK, Delta_V, **_):
    return layer_moves(L_sigma, B_C, B_V, 0, 2, 0, Delta_C, Delta_QK, Delta_V)


@form(P + "E.2", "moved_first", "derived")
def _(L_sigma, B_C, B_V, B_X, Delta_C, Delta_QK, Delta_V, kappa=2, **_):
    return layer_moves(L_sigma, B_C, B_V, 0, kappa * B_X**2, 0, Delta_C, Delta_QK, Delta_V)


@form(P + "E.2", "moved_first", "sharp")
def _(L_sigma, B_C, B_V, B_X, Delta_C, Delta_QK, Delta_V, **_):
    return layer_moves(L_sigma, B_C, B_V, 0, B_X**2, 0, Delta_C, Delta_QK, Delta_V)


def restated(new, old):
    """The same forms under another key; a restatement may have symbols that they do not use."""
    for (key, part, name), function in list(FORMS.items()):
        if key == E + old:
            FORMS[P + new, part, name] = lambda B_X=None, function=function, **values: function(**values)


for new, old in (("S2.4", "A.2"), ("C.1", "A.7"), ("E.1", "A.8"), ("E.2", "A.15"), ("E.3", "A.16")):
    restated(new, old)


@near(P + "S2.5")
def _(claim, at, rng):
    """The root of a logarithm of norms."""
    product = Fraction(rng.randint(101, rng.choice([10**3, 10**5])), 100)
    at["B_X"] = str(product / Fraction(at["B_W_11"]))
