"""The second computation of the repaired forms of Edelman et al. 2022: from their proofs, error by error, not from the
displays."""

from mpmath import log, mpf, sqrt

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


def deep(eps, d, k, m, T, L_sigma, B_w, layers, radii):
    """Layers from the top down; `layers` has (C, C_inf, V, V_inf, QK, QK_inf) of each."""
    ell = log(2 * max(d, k) * m * T + 1)
    terms, gain = [(corrections(B_w, 1, 1, ell), mpf(1))], B_w
    for (C, C_inf, V, V_inf, QK, QK_inf), R in reversed(list(zip(layers, radii, strict=True))):
        terms.append((corrections(sqrt(d) * C_inf, L_sigma, d, ell), gain))
        terms.append((corrections(sqrt(k) * V_inf, R, k, ell), gain * C * L_sigma))
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


@form(E + "A.17", "log_N", "repaired")
def _(eps, d, k, m, T, L, L_sigma, B_w, B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, B_X=1, **_):
    layers = list(zip(B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf, strict=True))
    return deep(eps, d, k, m, T, L_sigma, B_w, layers, [B_X] + [mpf(1)] * (int(L) - 1))


@form(E + "4.6", "log_N", "repaired")
def _(eps, d, m, T, L, L_sigma, B_X, B_w, C_2, C_inf, **_):
    layers = [(C_2, C_inf, C_2, C_inf, C_2, C_inf)] * int(L)
    return deep(eps, d, d, m, T, L_sigma, B_w, layers, [B_X] + [mpf(1)] * (int(L) - 1))


for own, other in (("4.5", "4.4"), ("4.7", "4.6")):
    for part in ("log_N", "log_N_appendix"):
        if (E + other, part, "repaired") in FORMS:
            FORMS[f"edelman2022icml/{own}", part, "repaired"] = FORMS[E + other, part, "repaired"]
