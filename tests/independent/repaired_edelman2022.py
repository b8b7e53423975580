"""The second computation of the repaired forms of Edelman et al. 2022: from their proofs, error by error, not from the
displays."""

from mpmath import exp, log, mpf, sqrt

from independent.edelman2022 import split
from independent.forms import FORMS, form, several

E = "edelman2022/"


def corrections(F, R, outputs, logarithm):
    """The numerator of C/eps^2: corrections along coordinates."""
    return outputs * (F * R) ** 2 * logarithm


def quadratics(terms, eps):
    """(C, beta): each cost is C/e^2."""
    return split([(C, beta, lambda e, C=C: C / e**2) for C, beta in terms], eps)


def heads(eps, d, m, T, L_sigma, R, bounds):
    """(B_V, B_V_inf, B_QK_inf) of every head; |W|_F <= sqrt(d) times the largest row or column."""
    ell = log(2 * d * m * T + 1)
    terms = []
    for B_V, B_V_inf, B_QK_inf in bounds:
        terms.append((corrections(sqrt(d) * B_V_inf, R, d, ell), L_sigma))
        terms.append((corrections(sqrt(d) * B_QK_inf, R, d, ell), L_sigma * B_V * R * R))
    return quadratics(terms, eps)


def deep(eps, d, k, m, T, L_sigma, B_w, layers, radii, rows=False):
    """Layers from the top down; `layers` has (C, C_inf, V, V_inf, QK, QK_inf) of each. W_C has k rows, W_V has d."""
    of_C, of_V = (k, d) if rows else (d, k)
    ell = log(2 * max(d, k) * m * T + 1)
    terms, gain = [(corrections(B_w, 1, 1, ell), mpf(1))], B_w
    for (C, C_inf, V, V_inf, QK, QK_inf), R in reversed(list(zip(layers, radii, strict=True))):
        terms.append((corrections(sqrt(of_C) * C_inf, L_sigma, d, ell), gain))
        terms.append((corrections(sqrt(of_V) * V_inf, R, k, ell), gain * C * L_sigma))
        terms.append((corrections(sqrt(d) * QK_inf, R, d, ell), gain * C * L_sigma * 2 * V * R * R))
        gain = gain * L_sigma * C * V * (1 + 4 * QK)
    return quadratics(terms, eps)


@several(E + "4.4", "log_N", ["repaired"])
@several(E + "4.4", "log_N_appendix", ["repaired"])
def _(eps, d, m, T, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, **_):
    return heads(eps, d, m, T, L_sigma, B_X, [(B_V, B_V_inf, B_QK_inf)])


@form(E + "A.11", "log_N", "repaired")
def _(eps, d, m, T, L_sigma, B_X, B_P, B_V, B_V_inf, B_QK_inf, **_):
    return heads(eps, d, m, T, L_sigma, B_X + B_P, [(B_V, B_V_inf, B_QK_inf)])


@form(E + "A.12", "log_N", "repaired")
def _(eps, d, m, T, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, **_):
    return heads(eps, d, m, T, L_sigma, B_X, list(zip(B_V, B_V_inf, B_QK_inf, strict=True)))


@form(E + "A.12-equal-heads", "log_N", "repaired")
def _(eps, d, m, T, H, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, **_):
    return heads(eps, d, m, T, L_sigma, B_X, [(B_V, B_V_inf, B_QK_inf)] * int(H))


@form(E + "4.5", "log_N", "repaired")
def _(eps, N, d_2, B_X, B_W_inf, **_):
    return corrections(sqrt(d_2 * B_W_inf**2), B_X, d_2, log(2 * d_2 * N + 1)) / eps**2


@form(E + "4.5-stronger", "log_N", "repaired")
def _(eps, N, d_2, B_X, B_W_inf, B_W_21, **_):
    return corrections(sqrt(B_W_inf * B_W_21), B_X, d_2, log(2 * d_2 * N + 1)) / eps**2


def readings_of_a17(part, rows):
    @form(E + "A.17", part, "repaired")
    def _(eps, d, k, m, T, L, L_sigma, B_w, B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, B_X=1, **_):
        layers = list(zip(B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, strict=True))
        return deep(eps, d, k, m, T, L_sigma, B_w, layers, [B_X] + [mpf(1)] * (int(L) - 1), rows)


readings_of_a17("log_N", rows=False)
readings_of_a17("log_N_rows", rows=True)


@form(E + "4.6", "log_N", "repaired")
def _(eps, d, m, T, L, L_sigma, B_X, B_w, C_2, C_inf, **_):
    layers = [(C_2, C_inf, C_2, C_inf, C_2, C_inf)] * int(L)
    return deep(eps, d, d, m, T, L_sigma, B_w, layers, [B_X] + [mpf(1)] * (int(L) - 1))


@form(E + "sec2-linear-cover", "N_inf", "repaired")
def _(eps, m, B_X, B_w, **_):
    """So many lists of (B_X B_w/eps)^2 corrections, each one of 2m or none."""
    return exp((B_X * B_w / eps) ** 2 * log(2 * m + 1))


@form("edelman2022icml/4.6", "log_N", "repaired")
def _(eps, N, d_2, B_X, B_W_21, **_):
    """Columns' norms rounded up to 8 d_2 powers of 4/5, which sum to at most 3/2."""
    return (mpf(5) / 4 + mpf(1) / 4) * (B_W_21 * B_X / eps) ** 2 * log(2 * d_2 * N * 8 * d_2 + 1)


# --- appendix B: the weights of the worst case, all inner products of relevant vectors equal to -Delta ----------------


def equal_scores(s, Delta):
    """The coefficients of the key in the relevant vectors, all the same, and its squared norm."""
    own = 1 / (1 - (s - 1) * Delta)
    return own, s * own


def scale(T, s, gamma, Delta, largest=1):
    """Elsewhere the key has a product of at most s own Delta; the gap is left for the logarithm."""
    own, _ = equal_scores(s, Delta)
    room = 1 - s * own * Delta
    return log(8 * T * largest / gamma) / room if room > 0 else mpf(1) / 0


@form(E + "B.2", "W_Q", "repaired")
def _(T, s, gamma, coherence):
    return scale(T, s, gamma, coherence)


@form(E + "B.2", "W_K", "repaired")
def _(T, s, gamma, coherence):
    return sqrt(equal_scores(s, coherence)[1])


@form(E + "B.4", "W_Q", "repaired")
def _(T, s, gamma, coherence):
    return scale(T, s, gamma, coherence, largest=s)


@form(E + "B.4", "W_K", "repaired")
def _(T, s, gamma, coherence):
    return sqrt(equal_scores(s, coherence)[1] + 1)


@form(E + "B.4", "W_V", "repaired")
def _(T, s, gamma, coherence):
    """s columns, each a dual vector and the negative of [CLS]."""
    return sqrt(sum(equal_scores(s, coherence)[0] + 1 for _ in range(int(s))))


@form(E + "B.4", "W_C", "repaired")
def _(s, **_):
    return sqrt(s)


@several(E + "B.2", "W_V", ["repaired"])
@several(E + "B.2", "W_V_heads", ["repaired"])
def _(**_):
    return sqrt(mpf(2))


@form(E + "B.2", "W_C", "repaired")
def _(**_):
    return mpf(1)


@form(E + "B.2", "W_Q_heads", "repaired")
def _(T, s, gamma, coherence):
    """One relevant position: its score exceeds the others by 1 - coherence."""
    return log(8 * T / gamma) / (1 - coherence)


@several(E + "B.2", "error", ["repaired"])
@several(E + "B.4", "error", ["repaired"])
def _(gamma, **_):
    return gamma / 4


def bumps(B, half):
    """Plateaus of this half-width, bumps that fall over twice of it: the slope, and the bias of the outermost piece of
    one at -B or B."""
    return max(1 / (2 * half), (B + 3 * half) / (2 * half))


@form(E + "B.8", "W_1", "repaired")
def _(B, ramp, **_):
    return bumps(B, ramp)


@form(E + "B.8", "W_2", "repaired")
def _(d_f, **_):
    """Weights 1, and the bias of what exceeds d_f - 1."""
    return max(mpf(1), d_f - 1)


for key, dimension in (("B.5", lambda s: 1), ("B.6", lambda s: s)):

    @form(E + key, "W_1", "repaired")
    def _(gamma, B, **_):
        return bumps(B, gamma / 4)

    @form(E + key, "W_2", "repaired")
    def _(s, dimension=dimension, **_):
        return max(mpf(1), dimension(s) - 1)


for own, other in (("4.5", "4.4"), ("4.7", "4.6")):
    for part in ("log_N", "log_N_appendix"):
        if (E + other, part, "repaired") in FORMS:
            FORMS[f"edelman2022icml/{own}", part, "repaired"] = FORMS[E + other, part, "repaired"]
