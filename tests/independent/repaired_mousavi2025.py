"""The second computation of the repaired forms of Mousavi-Hosseini et al. 2025: from their proofs, not from the
displays."""

from mpmath import exp, log, mpf, sqrt

from independent.forms import FORMS, form, near, number, rounded
from independent.mousavi2025 import HALF, alpha, counted_weights, deviation, entries, in_ball, predicted, radii, width

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


# --- the truncated loss -----------------------------------------------------------------------------------------------


def complexity(tau, n, m, H, D_e, r_z, a, W, each):
    """Losses less tau/2: one cover at tau/sqrt(n); or the matrices chained down to one link, by fine norms of their
    columns, and W and a counted as if at tau/sqrt(n)."""
    e, to_f = exp(mpf(1)), 2 * sqrt(tau)
    cut = tau / sqrt(n)
    matrices, block = counted_weights(cut / to_f, m, H, D_e, r_z, a, W, sqrt(H) * each)
    one = cut + tau / 2 * sqrt(2 * (matrices + block) / n)
    C = fine(n, H, D_e, r_z, H * each, 1) * (to_f * 2 * a * W * r_z**2) ** 2
    s = min(tau / 2 / e, max(cut, sqrt(2 * C / n)))
    chained = e * s * (log(tau / 2 / s) + mpf("0.0853")) + mpf(9) / 5 * tau / 2 * sqrt(2 * block / n)
    return min(tau / 2, one, chained)


@form(P + "18", "Rad", "repaired")
def _(n, tau, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, **_):
    return complexity(tau, n, m, H, D_e, r_z, B_a, B_W_F, B_QK_21)


@form(P + "19", "gap", "repaired")
def _(n, N, m, d, q, H, d_e, B_a, B_W_F, B_QK_21, tau, delta, C_x, **_):
    r_z = radii(n, N, d, q, C_x)[1]
    rad = complexity(tau, n, m, H, width(d, q, d_e), r_z, B_a, B_W_F, B_QK_21)
    return 2 * rad + deviation(tau, delta, n, sharp=True)


@form(P + "10", "risk", "repaired")
def _(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, C_y, s, c=HALF, **_):
    r_x, r_z = radii(n, N, d, q, C_x)
    tau = level(n, N, d, q, q, r_a * r_w, C_x, C_y, s)
    each = d_e * alpha(N, d, q, r_x, r_a, r_w, eps_2NN)
    rad = complexity(tau, n, m, q, width(d, q, d_e), r_z, r_a / sqrt(m), r_w * sqrt(m), each)
    return 4 * eps_2NN + 2 * rad + deviation(tau, n**-c, n, sharp=True) + 1 / sqrt(n)


def ball(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x):
    """The squared radius: a, (W, b) and q blocks of d_e equal entries."""
    one = alpha(N, d, q, radii(n, N, d, q, C_x)[0], r_a, r_w, eps_2NN)
    return (r_a / sqrt(m)) ** 2 + (r_w * sqrt(m)) ** 2 + sum(d_e * one**2 for _ in range(int(q)))


@form(P + "3", "squared_radius", "repaired")
def _(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, **_):
    return ball(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x)


@form(P + "3", "risk", "repaired")
def _(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, C_y, s, c=HALF, **_):
    R = sqrt(ball(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x))
    r_z, D_e = radii(n, N, d, q, C_x)[1], width(d, q, d_e)
    tau = level(n, N, d, q, q, R**2 / 2, C_x, C_y, s)
    at = tau / sqrt(n) / (2 * sqrt(tau)) / 2
    size = in_ball(m * (q * D_e + 2), R, sqrt(q) * r_z, at)
    size += q * D_e**2 * log(1 + 2 * R * r_z / (at / (R**2 / 2 * r_z**2)))
    rad = min(tau / 2, tau / sqrt(n) + tau / 2 * sqrt(2 * size / n))
    return 4 * eps_2NN + 2 * rad + deviation(tau, n**-c, n, sharp=True) + 1 / sqrt(n)


@form(P + "12", "P", "repaired")
def _(n, N, d, r_x, C_x):
    order = r_x**2 / (C_x * exp(mpf(1)) * d)
    return min(mpf(1), n * N * exp(-order / 2)) if order >= 1 else mpf(1)


@form(P + "31", "log_N", "repaired")
def _(eps, N, p, R, r_h, L_h, L_y, **_):
    """Reach of the read-out at eps/2; of the transitions, at eps/2 over what the read-out and N steps make of them, of
    which (e - 1) N is taken as 2N. A layer's radius is at most the power of R times that of the inputs and 4."""
    r = sqrt(R**2 + 2 * r_h**2) + 4
    readout, transition = sqrt(L_y) * R**L_y * r, sqrt(L_h) * R**L_h * r
    return p * log(1 + 2 * readout / (eps / 2) + 2 * transition * 2 * R**L_y * 2 * N / (eps / 2))


for key_, part_ in (("22", "width"), ("23", "A"), ("42", "width"), ("42", "a")):
    FORMS[P + key_, part_, "repaired"] = lambda key=key_, part=part_, **at: FORMS[P + key, part, "derived"](**at)


@near(P + "18", P + "19")
def _(claim, at, rng):
    """Matrices too large to be counted, and one link of the size of the range."""
    if rng.random() < 0.3:
        at |= {"n": str(10**14), "H": "1", "m": "1", "d_e" if claim.number == "19" else "D_e": str(10**8)}
        x = {name: number(value) for name, value in at.items()}
        r_z = x["r_z"] if "r_z" in x else radii(x["n"], x["N"], x["d"], x["q"], x["C_x"])[1]
        D_e = x["D_e"] if "D_e" in x else width(x["d"], x["q"], x["d_e"])
        one = x["B_a"] * x["B_W_F"] * r_z**3 * sqrt(48 * x["tau"] * log(16 * D_e**2 * x["n"] + 1) / x["n"])
        at["B_QK_21"] = rounded(x["tau"] / 2 / one * rng.uniform(0.3, 0.9))
