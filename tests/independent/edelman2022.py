"""The second computation: Edelman et al. 2022, written from the paper's text with plain mpmath."""

from fractions import Fraction
from itertools import product
from math import comb

from mpmath import asinh, binomial, exp, floor, log, mpf, sqrt, tanh

from independent.forms import FORMS, form, near, several, up

THIRD = mpf(1) / 3

# --- scalar and vector linear covers -----------------------------------------------------------------------------


def zhang(B, R, N, eps):
    """Theorem 4 of Zhang 2002."""
    return 36 * B**2 * R**2 / eps**2 * log(2 * up(4 * B * R / eps + 2) * N + 1)


def proper_columns(B_inf, R, N, d, eps):
    """d coordinates, each covered externally at eps/2/sqrt(d): the factor 2 moves centres into the class."""
    return d * zhang(B_inf, R, N, eps / (2 * sqrt(d)))


def proper_grid(B_1, R, N, d, eps):
    """Worst profile of the printed proof of 4.5 with B_1 in its grid, at eps/2.

    For integer profiles k with sum k_i <= d the proof covers column i of norm B_1 (k_i+1)/d at
    eps sqrt((k_i+1)/(2d)). The derived form bounds every profile by one row of norm 2 B_1; the sum below is the
    exact cost of that bound, spelled out from sum (b_i/e_i)^2 <= 4 (B_1/eps)^2.
    """
    half = eps / 2
    ratio_squared = 4 * (B_1 / half) ** 2
    largest = 2 * B_1 / half
    return log(binomial(2 * d, d)) + 36 * ratio_squared * R**2 * log(2 * up(4 * largest * R + 2) * N + 1)


def online_scalar(B, R, N, eps):
    return (up((B * R) ** 2 / eps**2) - 1) * log(2 * N + 1)


def online_vector(F, R, N, d_in, d_out, B_1=None):
    """The numerator C of C/eps^2, the best of (a) to (d)."""
    FR2 = (F * R) ** 2
    found = [
        d_out * FR2 * log(2 * d_out * N + 1),
        mpf(64) / 49 * FR2 * log(mpf(5) ** d_out * N + 1),
        (mpf(64) / 49) ** 2 * FR2 * log(mpf(5) ** (d_in + d_out) + 1),
    ]
    if B_1 is not None:
        levels = log(16 * d_out) / log(mpf(17) / 16) + 2
        found.append(9 * (B_1 * R) ** 2 * log(2 * d_out * N * levels + 1) / 8)
    return min(found)


def by_volume(d_in, d_out, B, R, e):
    """A maximal packing of the matrices at e/R: every entry counts."""
    return d_in * d_out * log(1 + 2 * B * R / e)


def delannoy(n, a):
    """The two lattice counts of the l1 ball, by summation over supports."""
    if a <= 1:
        return mpf(0)
    M = 1 if a <= 4 else int(up(a / 2)) - 1
    S = int(up(a / 4))
    n = int(n)
    dense = sum(2**j * comb(n, j) * comb(M, j) for j in range(min(n, M) + 1))
    sparse = sum(2**j * comb(n, j) * comb(2 * S, j) for j in range(min(n, S) + 1))
    return min(log(mpf(dense)), log(mpf(sparse)))


# --- allocation and heads ----------------------------------------------------------------------------------------


def split(terms, eps):
    """Lemma A.8: terms are (alpha, beta, cost at an error)."""
    gamma = sum(a**THIRD * b ** (2 * THIRD) for a, b, _ in terms)
    return sum(cost(eps / gamma * (a / b) ** THIRD) for a, b, cost in terms)


def derived_heads(eps, d, m, T, L_sigma, R, heads, kappa=2):
    """heads: (B_V, B_V_inf, B_QK_inf). Scores: W_QK^T on the m queries, whose rows have norm B_QK_inf. Values: W_V^T on
    the mT tokens; the columns of W_V sum to at most sqrt(d) |W_V|_F <= d B_V_inf."""
    terms = []
    for B_V, B_V_inf, B_QK_inf in heads:
        terms.append((
            4 * 36 * (d * B_QK_inf * R) ** 2, kappa * L_sigma * B_V * R**2,
            lambda e, b=B_QK_inf: proper_columns(b, R, m, d, e),
        ))  # fmt: skip
        terms.append((
            16 * 36 * (d * B_V_inf * R) ** 2, L_sigma, lambda e, b=B_V_inf: proper_grid(d * b, R, m * T, d, e),
        ))  # fmt: skip
    return split(terms, eps)


def sharp_heads(eps, d, m, T, L_sigma, R, heads):
    """Scores as numbers with features of norm R^2; values by counting corrections; softmax constant 1."""
    terms = []
    for B_V, F_V, F_QK in heads:
        C = online_vector(F_V, R, m * T, d, d)
        terms.append((
            (F_QK * R**2) ** 2 * log(2 * m * T + 1), L_sigma * B_V * R,
            lambda e, f=F_QK: min(online_scalar(f, R**2, m * T, e), by_volume(d, d, f, R**2, e)),
        ))  # fmt: skip
        terms.append((C, L_sigma, lambda e, c=C, b=B_V: min(_vector(e, c, b * R), by_volume(d, d, b, R, e))))
    return split(terms, eps)


def printed_head(eps, d, m, T, L_sigma, R, C0, pairs):
    return (
        C0
        * (d * L_sigma * R) ** 2
        * sum(a ** (2 * THIRD) + b ** (2 * THIRD) for a, b in pairs) ** 3
        / eps**2
        * log(m * T)
    )


# --- every form by (key, part, form) ---------------------------------------------------------------------------------

E = "edelman2022/"


@form(E + "sec2-linear-cover", "N_inf", "printed")
def _(eps, m, B_X, B_w, C0=1, **_):
    return C0 * B_X**2 * B_w**2 / eps**2 * log(B_X * B_w * m / eps)


@form(E + "sec2-linear-cover", "N_inf", "derived")
def _(eps, m, B_X, B_w, C0=1, **_):
    return exp(zhang(B_w, B_X, m, eps / 2))


@form(E + "sec2-linear-cover", "N_inf", "sharp")
def _(eps, m, B_X, B_w, C0=1, **_):
    return exp(online_scalar(B_w, B_X, m, eps))


@several(E + "4.2", "log_N", ["printed", "derived"])
def _(E_score, E_in, **_):
    return E_score + E_in


@several(E + "4.2", "eps_score", ["printed", "derived"])
def _(eps, share, C_Norm, L_out, B_in, B_X, **_):
    return share * eps / (C_Norm * L_out * B_in * B_X)


@several(E + "4.2", "eps_in", ["printed", "derived"])
def _(eps, share, L_out, **_):
    return (1 - share) * eps / L_out


@form(E + "4.2-scalar", "log_N", "printed")
def _(E_head, **_):
    return E_head


@form(E + "4.2-scalar", "eps_head", "printed")
def _(eps, B_w, **_):
    return eps / B_w


@several(E + "4.3", "moved", ["printed", "derived"])
def _(C_Norm, L_out, B_in, B_X, Delta_score, Delta_in):
    return C_Norm * L_out * B_in * B_X * Delta_score + L_out * Delta_in


@form(E + "4.4", "log_N", "printed")
def _(eps, d, m, T, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    return printed_head(eps, d, m, T, L_sigma, B_X, C0, [(B_V_inf, B_QK_inf * B_V)])


@form(E + "4.4", "log_N_appendix", "printed")
def _(eps, d, m, T, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    return printed_head(eps, d, m, T, L_sigma, B_X, C0, [(B_V_inf, B_QK_inf * B_V * B_X)])


for part in ("log_N", "log_N_appendix"):

    @form(E + "4.4", part, "derived")
    def _(eps, d, m, T, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, kappa=2, C0=1):
        return derived_heads(eps, d, m, T, L_sigma, B_X, [(B_V, B_V_inf, B_QK_inf)], kappa)

    @form(E + "4.4", part, "sharp")
    def _(eps, d, m, T, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
        return sharp_heads(eps, d, m, T, L_sigma, B_X, [(B_V, sqrt(d) * min(B_V_inf, B_V), sqrt(d) * B_QK_inf)])


@form(E + "4.5", "log_N", "printed")
def _(eps, N, d_1, d_2, B_X, B_W_inf, C0=1, **_):
    return C0 * (d_2 * B_W_inf * B_X) ** 2 / eps**2 * log(N)


@form(E + "4.5", "log_N", "derived")
def _(eps, N, d_1, d_2, B_X, B_W_inf, C0=1, **_):
    return proper_columns(B_W_inf, B_X, N, d_2, eps)


def _vector(eps, C, radius):
    return mpf(0) if eps >= radius * (1 - mpf(10) ** -40) else C / eps**2


def linear_class(eps, N, d_in, d_out, R, F, B_1=None):
    """Corrections or entries, the Frobenius norm being at most F."""
    return min(_vector(eps, online_vector(F, R, N, d_in, d_out, B_1), F * R), by_volume(d_in, d_out, F, R, eps))


@form(E + "4.5", "log_N", "sharp")
def _(eps, N, d_1, d_2, B_X, B_W_inf, C0=1, **_):
    F = sqrt(d_2) * B_W_inf
    return linear_class(eps, N, d_1, d_2, B_X, F)


@form(E + "4.5-stronger", "log_N", "printed")
def _(eps, N, d_1, d_2, B_X, B_W_inf, B_W_21, C0=1, **_):
    return C0 * d_2 * B_W_inf * B_W_21 * B_X**2 / eps**2 * log(N)


@form(E + "4.5-stronger", "log_N", "derived")
def _(eps, N, d_1, d_2, B_X, B_W_inf, B_W_21, C0=1, **_):
    return proper_grid(B_W_21, B_X, N, d_2, eps)


@form(E + "4.5-stronger", "log_N", "sharp")
def _(eps, N, d_1, d_2, B_X, B_W_inf, B_W_21, C0=1, **_):
    F = min(sqrt(d_2) * B_W_inf, B_W_21, sqrt(B_W_inf * B_W_21))
    return linear_class(eps, N, d_1, d_2, B_X, F, B_W_21)


@form("edelman2022icml/4.6", "log_N", "printed")
def _(eps, N, d_1, d_2, B_X, B_W_21, C0=1, **_):
    return C0 * B_W_21**2 * B_X**2 / eps**2 * log(d_2 * N)


@form("edelman2022icml/4.6", "log_N", "derived")
def _(eps, N, d_1, d_2, B_X, B_W_21, C0=1, **_):
    return proper_grid(B_W_21, B_X, N, d_2, eps)


@form("edelman2022icml/4.6", "log_N", "sharp")
def _(eps, N, d_1, d_2, B_X, B_W_21, C0=1, **_):
    return linear_class(eps, N, d_1, d_2, B_X, B_W_21, B_W_21)


@form(E + "A.6", "moved", "printed")
def _(c_f, Delta):
    return c_f * Delta


@form(E + "A.7", "moved", "printed")
def _(Delta, p):
    return 2 * Delta


@form(E + "A.7", "moved", "derived")
def _(Delta, p):
    return 2 * sum((1 / p) * (1 - 1 / p) for _ in range(int(p))) * Delta  # the Jacobian at the uniform point


@form(E + "A.7", "moved", "sharp")
def _(Delta, p):
    return 2 * (exp(Delta) - 1) / (exp(Delta) + 1)


@several(E + "A.8", "minimum", ["printed", "derived"])
def _(alpha, beta, C, n, i):
    return sum(a**THIRD * b ** (2 * THIRD) for a, b in zip(alpha, beta, strict=True)) ** 3 / C**2


@several(E + "A.8", "minimizer", ["printed", "derived"])
def _(alpha, beta, C, n, i):
    gamma = sum(a**THIRD * b ** (2 * THIRD) for a, b in zip(alpha, beta, strict=True))
    return C / gamma * (alpha[int(i) - 1] / beta[int(i) - 1]) ** THIRD


@several(E + "A.9", "moved", ["printed", "derived"])
def _(Delta):
    return Delta


@form(E + "A.10", "log_N", "printed")
def _(eps, N, B_w, B_X):
    return zhang(B_w, B_X, N, eps)


@form(E + "A.10", "log_N", "derived")
def _(eps, N, B_w, B_X):
    return zhang(B_w, B_X, N, eps / 2)


@form(E + "A.10", "log_N", "sharp")
def _(eps, N, B_w, B_X):
    return online_scalar(B_w, B_X, N, eps)


@form(E + "A.11", "log_N", "printed")
def _(eps, d, m, T, L_sigma, B_X, B_P, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    R = B_X + B_P
    return printed_head(eps, d, m, T, L_sigma, R, C0, [(B_V_inf, 2 * B_QK_inf * B_V * R)])


@form(E + "A.11", "log_N", "derived")
def _(eps, d, m, T, L_sigma, B_X, B_P, B_V, B_V_inf, B_QK_inf, kappa=2, C0=1):
    return derived_heads(eps, d, m, T, L_sigma, B_X + B_P, [(B_V, B_V_inf, B_QK_inf)], kappa)


@form(E + "A.11", "log_N", "sharp")
def _(eps, d, m, T, L_sigma, B_X, B_P, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    return sharp_heads(eps, d, m, T, L_sigma, B_X + B_P, [(B_V, sqrt(d) * min(B_V_inf, B_V), sqrt(d) * B_QK_inf)])


@form(E + "A.12", "log_N", "printed")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    pairs = [(v, 2 * q * s) for v, q, s in zip(B_V_inf, B_QK_inf, B_V, strict=True)]
    return printed_head(eps, d, m, T, L_sigma, B_X, C0, pairs)


@form(E + "A.12", "log_N", "derived")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, kappa=2, C0=1):
    return derived_heads(eps, d, m, T, L_sigma, B_X, list(zip(B_V, B_V_inf, B_QK_inf, strict=True)), kappa)


@form(E + "A.12", "log_N", "sharp")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    heads = [(s, sqrt(d) * min(v, s), sqrt(d) * q) for s, v, q in zip(B_V, B_V_inf, B_QK_inf, strict=True)]
    return sharp_heads(eps, d, m, T, L_sigma, B_X, heads)


@form(E + "A.12-equal-heads", "log_N", "printed")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    return H**3 * printed_head(eps, d, m, T, L_sigma, B_X, C0, [(B_V_inf, 2 * B_QK_inf * B_V)])


@form(E + "A.12-equal-heads", "log_N", "derived")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, kappa=2, C0=1):
    return derived_heads(eps, d, m, T, L_sigma, B_X, [(B_V, B_V_inf, B_QK_inf)] * int(H), kappa)


@form(E + "A.12-equal-heads", "log_N", "sharp")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, C0=1, **_):
    return sharp_heads(eps, d, m, T, L_sigma, B_X, [(B_V, sqrt(d) * min(B_V_inf, B_V), sqrt(d) * B_QK_inf)] * int(H))


@form("zhang2002/4", "log_N", "printed")
def _(eps, N, B_w, B_X):
    return zhang(B_w, B_X, N, eps)


@form("maurey/softmax", "linear", "printed")
def _(Delta):
    return Delta


@form("maurey/softmax", "finite", "printed")
def _(Delta):
    return 2 * tanh(Delta / 2)


@form("maurey/lattice", "lattice", "printed")
def _(eps, n, rho):
    return delannoy(n, (rho / eps) ** 2)


@form("maurey/score", "score", "printed")
def _(eps, m, T, B_X, B_QK_F):
    return online_scalar(B_QK_F, B_X**2, m * T, eps)


@form("maurey/online", "scalar", "printed")
def _(eps, N, B_X, B_w, **_):
    return online_scalar(B_w, B_X, N, eps)


@form("maurey/online", "coordinates", "printed")
def _(eps, N, d_2, B_X, B_W_F, **_):
    return d_2 * (B_W_F * B_X / eps) ** 2 * log(2 * d_2 * N + 1)


@form("maurey/online", "net", "printed")
def _(eps, N, d_2, B_X, B_W_F, **_):
    return mpf(64) / 49 * (B_W_F * B_X / eps) ** 2 * log(mpf(5) ** d_2 * N + 1)


@form("maurey/online", "everywhere", "printed")
def _(eps, d_1, d_2, B_X, B_W_F, **_):
    return (mpf(64) / 49) ** 2 * (B_W_F * B_X / eps) ** 2 * log(mpf(5) ** (d_1 + d_2) + 1)


@form("maurey/online", "columns", "printed")
def _(eps, N, d_2, B_X, B_W_21, **_):
    return 3 * (B_W_21 * B_X / eps) ** 2 * log(2 * d_2 * N * ((int(d_2) - 1).bit_length() + 1) + 1)


@form("maurey/online", "fine", "printed")
def _(eps, N, d_2, B_X, B_W_21, **_):
    return (B_W_21 * B_X / eps) ** 2 * log(2 * d_2 * N * 8 * d_2 + 1) * 3 / 2


def worst_profile(B_1, R, N, d, eps):
    """The largest exact log-size over all profiles of the grid, by enumeration (tiny d; external, at eps)."""
    worst, profiles = mpf(0), 0
    for k in product(range(d + 1), repeat=d):
        if sum(k) > d:
            continue
        profiles += 1
        cost = sum(zhang(B_1 * (i + 1) / mpf(d), R, N, eps * sqrt(mpf(i + 1) / (2 * d))) for i in k)
        worst = max(worst, cost)
    return profiles, log(mpf(profiles)) + worst


def profile_of(norms, B_1):
    d = len(norms)
    return [int(floor(d * v / B_1)) for v in norms]


# --- deep networks: Lemmas A.13 to A.17, unrolled as recursions -------------------------------------------------------


@form(E + "A.13", "moved", "printed")
def _(B_V, Delta_QK, Delta_V, **_):
    return 2 * B_V * Delta_QK + Delta_V


@form(E + "A.13", "moved", "derived")
def _(B_V, Delta_QK, Delta_V, kappa=2):
    return kappa * B_V * Delta_QK + Delta_V


@form(E + "A.13", "moved", "sharp")
def _(B_V, Delta_QK, Delta_V, **_):
    return B_V * Delta_QK + Delta_V


@form(E + "A.14", "moved", "printed")
def _(B_V, B_QK, Delta, **_):
    return (B_V + 4 * B_V * B_QK) * Delta


@form(E + "A.14", "moved", "derived")
def _(B_V, B_QK, Delta, kappa=2):
    return (B_V + 2 * kappa * B_V * B_QK) * Delta


@form(E + "A.14", "moved", "sharp")
def _(B_V, B_QK, Delta, **_):
    return B_V * Delta / (sqrt(1 + B_QK**2) - B_QK)


def layer_moves(L_sigma, B_C, B_V, gain, softmax, below, Delta_C, Delta_QK, Delta_V):
    """A.15, from the inside out: attention, activation, W_C."""
    attended = B_V * gain * below + softmax * B_V * Delta_QK + Delta_V
    return B_C * (L_sigma * attended) + Delta_C


@form(E + "A.15", "moved", "printed")
def _(L_sigma, B_C, B_V, B_QK, Delta_g, Delta_C, Delta_QK, Delta_V, **_):
    return layer_moves(L_sigma, B_C, B_V, 1 + 4 * B_QK, 2, Delta_g, Delta_C, Delta_QK, Delta_V)


@form(E + "A.15", "moved", "derived")
def _(L_sigma, B_C, B_V, B_QK, Delta_g, Delta_C, Delta_QK, Delta_V, kappa=2):
    return layer_moves(L_sigma, B_C, B_V, 1 + 2 * kappa * B_QK, kappa, Delta_g, Delta_C, Delta_QK, Delta_V)


@form(E + "A.15", "moved", "sharp")
def _(L_sigma, B_C, B_V, B_QK, Delta_g, Delta_C, Delta_QK, Delta_V, **_):
    return layer_moves(L_sigma, B_C, B_V, 1 / (sqrt(1 + B_QK**2) - B_QK), 1, Delta_g, Delta_C, Delta_QK, Delta_V)


@several(E + "A.16", "moved", ["printed", "derived"])
def _(B_w, Delta_g, Delta_w):
    return B_w * Delta_g + Delta_w


@form("maurey/attention", "moved", "printed")
def _(B_V, B_QK, B_X, Delta):
    return B_V * Delta / (sqrt(1 + (B_X**2 * B_QK) ** 2) - B_X**2 * B_QK)


@form(E + "A.17", "log_N", "printed")
def _(eps, d, k, m, T, L, L_sigma, B_w, B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, C0=1, **_):
    total, alpha = B_w ** (2 * THIRD), mpf(1)
    for i in range(int(L)):
        terms = [d * B_C_inf[i], 2 * d * L_sigma * B_C[i] * B_V[i] * B_QK_inf[i], k * L_sigma * B_C[i] * B_V_inf[i]]
        total += alpha ** (2 * THIRD) * sum(t ** (2 * THIRD) for t in terms)
        alpha *= L_sigma * B_C[i] * B_V[i] * (1 + 4 * B_QK[i])
    return C0 * log(m * T) / eps**2 * total**3


def unrolled_effects(L, L_sigma, B_w, B_C, B_V, gains, softmax):
    """How far the output moves per unit of each movement: push one unit through A.15 and A.16, one weight at a time.
    `softmax` says how far the average moves per unit of B_V and of score, layer by layer."""
    effects = []
    for i in range(L):
        for which in ("QK", "V", "C"):
            below = mpf(0)
            for n in range(L):
                unit = {name: mpf(name == which and n == i) for name in ("QK", "V", "C")}
                below = layer_moves(
                    L_sigma, B_C[n], B_V[n], gains[n], softmax[n], below, unit["C"], unit["QK"], unit["V"]
                )
            effects.append(B_w * below)
    return [*effects, mpf(1)]


@form(E + "A.17", "log_N", "derived")
def _(eps, d, k, m, T, L, L_sigma, B_w, B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, kappa=2, B_X=1, **_):
    L, N = int(L), m * T
    gains = [1 + 2 * kappa * b for b in B_QK]
    betas = unrolled_effects(L, L_sigma, B_w, B_C, B_V, gains, [kappa * B_X**2] + [kappa] * (L - 1))
    terms = []
    for i in range(L):
        R = B_X if i == 0 else mpf(1)
        for B, radius, outputs in ((B_QK_inf[i], R, d), (B_V_inf[i], R, k), (B_C_inf[i], L_sigma, d)):
            cost = lambda e, B=B, r=radius, o=outputs: proper_columns(B, r, N, o, e)  # noqa: E731
            terms.append((144 * (outputs * B * radius) ** 2, betas[len(terms)], cost))
    terms.append((144 * B_w**2, betas[-1], lambda e: zhang(B_w, 1, m, e / 2)))
    return split(terms, eps)


@form(E + "A.17", "log_N", "sharp")
def _(eps, d, k, m, T, L, L_sigma, B_w, B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, B_X=1, watch=None, **_):
    L = int(L)
    radii, inner = [mpf(B_X)], []
    for i in range(L):
        inner.append(L_sigma * min(1, B_V[i] * radii[i]))
        radii.append(min(mpf(1), B_C[i] * inner[i]))
    gains = [R**2 * b + sqrt(1 + (R**2 * b) ** 2) for R, b in zip(radii, B_QK, strict=False)]
    betas = unrolled_effects(L, L_sigma, B_w, B_C, B_V, gains, radii)
    terms = []
    for i in range(L):
        R, last = radii[i], i == L - 1
        pairs, outputs = (m * T, m) if last else (m * T * T, m * T)
        F, rank = sqrt(d) * min(B_QK_inf[i], B_QK[i]), sqrt(min(d, k))
        score = lambda e, F=F, R=R, p=pairs: min(online_scalar(F, R**2, p, e), by_volume(d, d, F, R**2, e))  # noqa: E731
        terms.append(((F * R**2) ** 2 * log(2 * pairs + 1), betas[3 * i], score))
        C_V = online_vector(min(sqrt(k) * B_V_inf[i], rank * B_V[i]), R, m * T, d, k)
        terms.append(
            (C_V, betas[3 * i + 1], lambda e, c=C_V, r=B_V[i] * R: min(_vector(e, c, r), by_volume(d, k, r, 1, e)))
        )
        C_C = online_vector(min(sqrt(d) * B_C_inf[i], rank * B_C[i]), inner[i], outputs, k, d)
        terms.append(
            (
                C_C,
                betas[3 * i + 2],
                lambda e, c=C_C, r=B_C[i] * inner[i]: min(_vector(e, c, r), by_volume(k, d, r, 1, e)),
            )
        )
    read = lambda e: min(online_scalar(B_w, radii[L], m, e), by_volume(d, 1, B_w, radii[L], e))  # noqa: E731
    terms.append(((B_w * radii[L]) ** 2 * log(2 * m + 1), betas[-1], read))
    if watch is not None:
        watch += terms
    return split(terms, eps)


# --- from entropies to a gap: closed forms where the sources have them


def area(p, C, m, low, high):
    """The integral of sqrt((p + C/u^2)/m), by its primitive."""
    if low == high:
        return mpf(0)
    if p == 0:
        return sqrt(C / m) * log(high / low)

    def primitive(u):
        return sqrt(p * u**2 + C) - sqrt(C) * asinh(sqrt(C / p) / u)

    return (primitive(high) - primitive(low)) / sqrt(m)


@form("dudley1967/integral", "R", "printed")
def _(A, C_F, p_0, m, tau):
    return 4 * tau + 12 * area(p_0, C_F, m, tau, A)


@form("maurey/dudley", "proper", "printed")
def _(A, C_F, p_0, m, tau):
    return 2 * tau + sqrt(mpf(32)) * area(p_0, C_F, m, tau, A)


@form("maurey/dudley", "external", "printed")
def _(A, C_F, p_0, m, tau):
    return 2 * tau + sqrt(mpf(72)) * area(p_0, C_F, m, tau, A)


@form(E + "A.2", "R", "printed")
def _(A, C_F, p_0, m, tau, c=12):
    return c * (tau + area(p_0, C_F, m, tau, A))


@form(E + "A.2", "R", "derived")
def _(A, C_F, p_0, m, tau, **_):
    return 4 * tau + 12 * area(p_0, C_F, m, tau, A)


@form(E + "A.2", "R", "sharp")
def _(A, C_F, p_0, m, tau, **_):
    return 2 * tau + sqrt(mpf(32)) * area(p_0, C_F, m, tau, A)


@form(E + "A.3", "R", "printed")
def _(A, C_F, m, c=12):
    return c * sqrt(C_F / m) * (1 + log(A / sqrt(C_F / m)))


@form(E + "A.3", "R", "derived")
def textbook_complexity(A, C_F, m, **_):
    """The sum 4 tau + 12 s log(A/tau) at its stationary point 3 s, if that is below A."""
    s = sqrt(C_F / m)
    return A if 3 * s > A else min(A, 12 * s + 12 * s * log(A / (3 * s)))


def chained_complexity(A, C_F, m, **_):
    s = sqrt(2 * C_F / m)
    return A if A**2 * m < C_F else min(A, exp(mpf(1)) * s * (1 + log(A / s)))


def best_chain(A, C_F, m, external=0):
    """The link length s times the best of N e^(u/N), u = log(A/s), which is at most e (u + c) from u = 1 on."""
    s = sqrt(2 * C_F / m)
    return A if s >= A / exp(mpf(1)) else min(A, (exp(mpf(1)) + external) * s * (log(A / s) + mpf("0.0853")))


FORMS[E + "A.3", "R", "sharp"] = lambda A, C_F, m, **_: best_chain(A, C_F, m)
FORMS[E + "A.3", "R", "repaired"] = chained_complexity


@form(E + "A.4", "gap", "printed")
def _(L_loss, b, delta, m, R_F):
    return 4 * L_loss * R_F + b * sqrt(2 * log(1 / delta) / m)


def two_sided(L_loss, b, delta, m, R_F):
    return 2 * L_loss * R_F + b * sqrt(18 * log(3 / delta) / m)


def best_sides(L_loss, b, delta, m, R_F, every=False):
    """McDiarmid for each side at delta/2: differences of 2 b/m, and as much again unless every sample's complexity is
    bounded."""
    each = 2 * b / m * (1 if every else 2)
    return 2 * L_loss * R_F + sqrt(m * each**2 * log(2 / delta) / 2)


FORMS[E + "A.4", "gap", "derived"] = FORMS["maurey/deviation", "gap", "printed"] = two_sided
FORMS[E + "A.4", "gap", "sharp"] = FORMS[E + "A.4", "gap", "repaired"] = best_sides


@form("bartlett2002/8", "gap", "printed")
def _(m, delta, R_F):
    return R_F + 2 * sqrt(2 * log(2 / delta) / m)


for key in ("2.2", "A.5"):

    @form(E + key, "gap", "printed")
    def _(L_loss, C_F, A, b, delta, m, c=12):
        s = sqrt(C_F / m)
        return 4 * c * L_loss * s * (1 + log(A / s)) + b * sqrt(2 * log(1 / delta) / m)

    @form(E + key, "gap", "derived")
    def _(L_loss, C_F, A, b, delta, m, **_):
        return two_sided(L_loss, b, delta, m, textbook_complexity(A, C_F, m))

    @form(E + key, "gap", "sharp")
    def _(L_loss, C_F, A, b, delta, m, **_):
        return best_sides(L_loss, b, delta, m, best_chain(A, C_F, m), every=True)

    @form(E + key, "gap", "repaired")
    def _(L_loss, C_F, A, b, delta, m, **_):
        return best_sides(L_loss, b, delta, m, chained_complexity(A, C_F, m), every=True)


# --- 4.6, 4.7 and Appendix B


@form(E + "4.6", "log_N", "printed")
def _(eps, d, m, T, L, L_sigma, B_X, B_w, C_2, C_inf, C0=1, c_L=1, **_):
    return C0 * (C_2 * L_sigma) ** (c_L * L) * (B_X * B_w * d * C_inf) ** 2 / eps**2 * log(m * T)


def equal_layers(name):
    def value(eps, d, m, T, L, L_sigma, B_X, B_w, C_2, C_inf, **more):
        each = {key: [x] * int(L) for key, x in dict(B_C=C_2, B_V=C_2, B_QK=C_2).items()}
        each |= {key: [C_inf] * int(L) for key in ("B_C_inf", "B_V_inf", "B_QK_inf")}
        kappa = {"kappa": more.get("kappa", 2)} if name == "derived" else {}
        deep = FORMS[E + "A.17", "log_N", name]
        return deep(eps=eps, d=d, k=d, m=m, T=T, L=L, L_sigma=L_sigma, B_w=B_w, B_X=B_X, **each, **kappa)

    return value


FORMS[E + "4.6", "log_N", "derived"] = equal_layers("derived")
FORMS[E + "4.6", "log_N", "sharp"] = equal_layers("sharp")


def printed(key, **parts):
    for part, function in parts.items():
        FORMS[E + key, part, "printed"] = function


def two():
    return {"W_V": lambda **_: mpf(2), "W_C": lambda **_: mpf(1), "error": lambda gamma, **_: gamma / 4}


def network_norms():
    return {
        "W_1": lambda gamma, B, **_: 8 * max(mpf(1), B) / gamma,
        "W_2": lambda gamma, s, **_: 8 * s / gamma,
        "w": lambda f_max, **_: f_max,
        "error": lambda **_: mpf(0),
    }


printed(
    "4.7",
    W_Q=lambda T, s, C0=1, **_: C0 * log(T * s),
    W_K=lambda s, C0=1, **_: C0 * s,
    mlp_symmetric=lambda s, C0=1, c_s=1, **_: C0 * s**c_s,
    mlp_sparse=lambda s, C0=1, c_s=1, **_: C0 * 2**s * s**c_s,
)
printed(
    "B.1",
    error=lambda gamma, **_: gamma / 4,
    mlp_symmetric=lambda s, C0=1, c_s=1, **_: C0 * s**c_s,
    mlp_sparse=lambda s, C0=1, c_s=1, **_: C0 * 2**s * s**c_s,
)
printed(
    "B.2",
    W_Q=lambda T, s, gamma, coherence: log(8 * T / gamma) / (1 - s * coherence),
    W_K=lambda s, **_: s,
    W_Q_heads=lambda T, s, gamma, coherence: log(8 * T / gamma) / (1 - s * coherence),
    W_K_heads=lambda **_: mpf(1),
    W_V_heads=lambda **_: mpf(2),
    W_C_heads=lambda **_: mpf(1),
    error_heads=lambda gamma, **_: gamma / 4,
    margin=lambda s, **_: 2 / s,
    **two(),
)
printed(
    "B.3",
    P=lambda s, **_: s,
    W_Q=lambda T, gamma, **_: log(8 * T / gamma),
    W_K=lambda **_: mpf(1),
    margin=lambda s, **_: 2 / s,
    **two(),
)
printed(
    "B.4",
    W_Q=lambda T, s, gamma, coherence: log(8 * T * s * (1 + coherence) / (gamma - s * coherence)) / (1 - s * coherence),
    W_K=lambda s, **_: s + 1,
    W_V=lambda s, **_: 2 * s,
    W_C=lambda s, **_: s,
    error=lambda gamma, **_: gamma / 4,
    margin=lambda s, **_: 1 / s,
)
printed("B.5", d_2=lambda s, **_: 4 * s + 4, d_3=lambda s, **_: 2 * s + 2, **network_norms())
printed("B.6", d_2=lambda s, **_: 4 * s * 2**s, d_3=lambda s, **_: 2 ** (s + 1), **network_norms())
printed("B.7", moved=lambda T, s, scale: 2 * (T - s) / s * exp(-scale), crude=lambda T, s, scale: 2 * T * exp(-scale))
printed(
    "B.8",
    d_2=lambda n, d_f, **_: 4 * n * d_f,
    d_3=lambda n, **_: 2 * n,
    W_1=lambda B, ramp, **_: max(mpf(1), B) / ramp,
    W_2=lambda d_f, ramp, **_: d_f / ramp,
    w=lambda f_max, **_: f_max,
    error=lambda **_: mpf(0),
)

# the constructions that work: equal scores on the relevant positions, trapezoids with plateaus of the right width


def derived(key, **parts):
    for part, function in parts.items():
        FORMS[E + key, part, "derived"] = function


def worst_inverse(s, coherence):
    """The largest entry sum of a row of the inverse Gram matrix of s unit vectors: all pairs at -coherence."""
    return 1 / (1 + coherence - s * coherence)


def truncated(outside, inside_over_outside):
    """Mass that a softmax moves when it forgets the outside: each of its tokens is so much smaller."""
    return 2 - 2 / (1 + outside / inside_over_outside)


def dual_query(T, s, gamma, coherence, value=1):
    """Relevant scores R, others R s coherence times the worst inverse at most: log(8 T value/gamma) between them."""
    return (log(T) + log(8 * value / gamma)) * (1 - (s - 1) * coherence) / (1 - (2 * s - 1) * coherence)


ROOT_2 = lambda **_: sqrt(mpf(2))  # noqa: E731

derived(
    "B.2",
    W_Q=lambda T, s, gamma, coherence: (
        dual_query(T, s, gamma, coherence) * sqrt(s * worst_inverse(s, coherence)) / s  # the key has norm s
    ),
    W_V=ROOT_2,
    error=lambda T, s, gamma, **_: truncated((T + 1 - s) / s, 8 * T / gamma),
    W_Q_heads=lambda T, gamma, coherence, **_: log(8 * T / gamma) / (1 - coherence),
    W_V_heads=ROOT_2,
    error_heads=lambda T, gamma, **_: 2 * gamma / (8 + gamma),
)
derived(
    "B.3",
    W_Q=lambda T, gamma, **_: log(8) + log(T) - log(gamma),
    W_V=ROOT_2,
    error=lambda T, s, gamma, **_: truncated((T + 1 - s) / s, 8 * T / gamma),
)
derived(
    "B.4",
    W_Q=lambda T, s, gamma, coherence: (
        dual_query(T, s, gamma, coherence, value=s) * sqrt(1 + s * worst_inverse(s, coherence)) / (s + 1)
    ),
    W_V=lambda s, coherence, **_: sqrt(s + s * worst_inverse(s, coherence)),
    W_C=lambda s, **_: sqrt(s),
    error=lambda T, s, gamma, **_: s * truncated(T, 8 * T * s / gamma),
)


def trapezoid_entries(B, ramp):
    """A trapezoid of plateau [-ramp, ramp] and foot [-2 ramp, 2 ramp] around a point of size B, slopes 1/ramp."""
    return max(mpf(1), B + 2 * ramp) / ramp


for number_, dimension in (("B.5", lambda s: 1), ("B.6", lambda s: s)):
    derived(
        number_,
        W_1=lambda gamma, B, **_: trapezoid_entries(B, gamma / 4),
        W_2=lambda gamma, s, d=dimension, **_: 4 * d(s) / gamma,
    )
truncation = lambda T, s, scale: truncated((T - s) / s, exp(scale))  # noqa: E731
derived("B.7", moved=truncation, crude=truncation)
derived("B.8", W_1=lambda B, ramp, **_: max(mpf(1), B + 3 * ramp) / (2 * ramp), W_2=lambda d_f, **_: d_f)


def deep_gap(name):
    def value(L_loss, b, delta, **deep):
        m, A = deep["m"], deep["B_w"]
        if name == "derived":
            tau = A / sqrt(m)
            C = tau**2 * FORMS[E + "A.17", "log_N", "derived"](eps=tau, **deep)
            R = min(A, 4 * tau + 12 * sqrt(C / m) * log(sqrt(m)))
        else:
            # gamma^3 is what the terms cost together at eps = 1 when no count is rounded
            terms = []
            FORMS[E + "A.17", "log_N", "sharp"](eps=mpf(1), watch=terms, **deep)
            R = best_chain(A, sum(a**THIRD * b ** (2 * THIRD) for a, b, _ in terms) ** 3, m)
            return best_sides(L_loss, b, delta, m, R, every=True)
        return two_sided(L_loss, b, delta, m, R)

    return lambda eps=1, **values: value(**values)


FORMS[E + "A.17", "gap", "derived"] = deep_gap("derived")
FORMS[E + "A.17", "gap", "sharp"] = deep_gap("sharp")

for old, new in (("4.4", "4.5"), ("4.6", "4.7")):
    FORMS |= {(f"edelman2022icml/{new}", p, f): v for (key, p, f), v in FORMS.items() if key == E + old}


# --- points ----------------------------------------------------------------------------------------------------------


@near("edelman2022")
def _(claim, at, rng):
    """What the constructions of appendix B assume."""
    if "coherence" in at:  # s Delta < gamma < 1
        at["gamma"] = str(Fraction(rng.randint(50, 99), 100))
        at["coherence"] = str(Fraction(rng.randint(1, 49), 100) / int(at["s"]))
    if "f_norm" in at:  # at most gamma b
        at["f_norm"] = str(Fraction(rng.randint(0, 100), 100) * Fraction(at["gamma"]) * Fraction(at["b"]))
