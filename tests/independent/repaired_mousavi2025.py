"""The second computation of the repaired forms of Mousavi-Hosseini et al. 2025: from their proofs, not from the
displays."""

from mpmath import exp, log, mpf, sqrt

from independent.forms import FORMS, form
from independent.mousavi2025 import counted_weights, entries, predicted

P = "mousavi2025/"

FORMS[P + "41", "log_P", "repaired"] = FORMS[P + "41", "log_P", "derived"]
FORMS[P + "11", "QK_21", "repaired"] = FORMS[P + "11", "QK_21", "derived"]


@form(P + "4", "risk", "repaired")
def _(N, q, d, H):
    """Half of the positions, each with twice the dimension that no head sees, in units of q d."""
    unseen = max(mpf(0), q - H) * max(mpf(0), d - H)
    return unseen / (q * d) if q < N / 2 else mpf(0)


@form(P + "21", "risk", "repaired")
def _(N, q, H):
    return max(mpf(0), q - H) / q if q < N / 2 else mpf(0)


@form(P + "14", "log_N", "repaired")
def _(eps, m, H, D_e, R, **_):
    """Inputs with a one appended; the volume of the ball of parameters at eps over the Lipschitz constant."""
    lipschitz = R * sqrt((sqrt(H) * R) ** 2 + 1)
    return (m * H * D_e + m + m) * log(1 + R / (eps / lipschitz / 2))


def fine(n, H, D_e, r_z, B_21, eps):
    """Corrections by norms of the columns: 5/4 + 1/4 times the squared range; a sign, a column, an input, a norm."""
    columns = H * D_e
    return (mpf(5) / 4 + mpf(1) / 4) * (B_21 * r_z / eps) ** 2 * log(2 * columns * n * 8 * columns + 1)


@form(P + "16", "log_N", "repaired")
def _(eps, n, H, D_e, r_z, B_QK_21, B_QK_F, **_):
    return min(fine(n, H, D_e, r_z, B_QK_21, eps), entries(H, D_e, r_z, B_QK_F, eps))


@form(P + "17", "log_N", "repaired")
def _(eps, n, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, **_):
    matrices, others = counted_weights(eps, m, H, D_e, r_z, B_a, B_W_F, sqrt(H) * B_QK_21)
    own = eps / 2 / (B_a * B_W_F * r_z**2)
    return min(fine(n, H, D_e, r_z, H * B_QK_21, own), matrices) + others


def level(n, N, d, q, H, gain, C_x, C_y, s):
    """As the sharp one, but (u + v)^2 <= 2 u^2 + 2 v^2 for the fourth moment."""
    e = exp(mpf(1))
    longest = sqrt(e) * 4 * C_x * d * max(mpf(1), log(N))
    M = 2 * (C_y * mpf(4) ** s + predicted(longest, d, q, H, gain, True))
    tail = 1 / (2 * n * M**2)
    token = C_x * d * e * max(mpf(1), -2 * log(tail / N))
    label = C_y * (e * max(mpf(1), -2 * log(tail) / s)) ** s
    return 4 * max(label, predicted(token, d, q, H, gain, True))


@form(P + "20", "level", "repaired")
def _(n, N, d, q, H, B_a, B_W_F, C_x, C_y, s, **_):
    return level(n, N, d, q, H, B_a * B_W_F, C_x, C_y, s)
