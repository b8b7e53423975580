"""The second computation: Mousavi-Hosseini et al. 2025, its Transformers."""

from fractions import Fraction

from mpmath import binomial, exp, log, mpf, sqrt

from independent.forms import COMPOSED, FORMS, assumed, form, near, up
from independent.trauger2024 import pure

P = "mousavi2025/"
e = exp(mpf(1))
HALF = mpf(1) / 2

# --- appendix C and A: norms, blocks, tails -------------------------------------------------------------------------


@form("maurey/deviation", "above", "printed")
def _(b, delta, m, R_F, L_loss=None):
    """McDiarmid at delta/2 for the supremum, and at delta/2 for the complexity, which counts twice."""
    once = b * sqrt(log(2 / delta) / (2 * m))
    return 2 * (R_F + once) + once


@form(P + "39", "norm", "printed")
def _(A_norm, column_norm, s, n):
    return A_norm * sum(b**s for b in column_norm) ** (1 / s)


@form(P + "39", "norm", "derived")
def _(A_norm, column_norm, s, n):
    return sum((A_norm * b) ** s for b in column_norm) ** (1 / s)


FORMS[P + "11", "a", "printed"] = lambda r_a, m, **_: r_a / sqrt(m)
FORMS[P + "11", "W_b", "printed"] = lambda r_w, m, **_: r_w * sqrt(m)
FORMS[P + "13", "log_N", "printed"] = lambda E_2NN, E_attn, **_: E_2NN + E_attn
for name in ("printed", "derived"):
    FORMS[P + "eqA.2", "op", name] = lambda alpha, d_e: alpha
    FORMS[P + "eqA.2", "F", name] = lambda alpha, d_e: sqrt(d_e * alpha * alpha)
    FORMS[P + "eqA.2", "QK_21", name] = lambda alpha, d_e: d_e * alpha
    FORMS[P + "13", "moved", name] = lambda Delta_2NN, L_f, Delta_attn, **_: Delta_2NN + L_f * Delta_attn
    FORMS[P + "13", "radius", name] = lambda H, r_z, **_: sqrt(H * r_z**2)
    FORMS[P + "20", "cost", name] = lambda n, C0=1, name=name, **_: (C0 if name == "printed" else 1) / sqrt(n)


def effect(q, r_a, r_w, r_x):
    """All weight of all q heads on wrong tokens, which are 2 r_x away, through a network of gain r_a r_w."""
    return r_a * r_w * sqrt(q) * 2 * r_x


def alpha(N, d, q, r_x, r_a, r_w, eps_2NN, sharp=False):
    ratio = effect(q, r_a, r_w, r_x) / sqrt(eps_2NN)  # one over the share of the weight that may be wrong
    if not sharp:
        return 2 * q / d * log(N * ratio) if N * ratio > 1 else mpf(0)
    if ratio <= 1 or (N - 1) * (ratio - 1) <= 1:  # the uniform weights are right enough
        return mpf(0)
    return 2 * q / d * (log(N - 1) + log(ratio - 1))


@form(P + "11", "error", "printed")
def _(eps_2NN, **_):
    return 2 * sqrt(eps_2NN)


@form(P + "11", "error", "derived")
def _(N, d, q, r_x, r_a, r_w, eps_2NN, **_):
    each = exp(-alpha(N, d, q, r_x, r_a, r_w, eps_2NN) * d / (2 * q))
    return sqrt(eps_2NN) + effect(q, r_a, r_w, r_x) * N * each


@form(P + "11", "error", "sharp")
def _(N, d, q, r_x, r_a, r_w, eps_2NN, **_):
    each = exp(-alpha(N, d, q, r_x, r_a, r_w, eps_2NN, True) * d / (2 * q))
    return sqrt(eps_2NN) + effect(q, r_a, r_w, r_x) * (N - 1) / (1 / each + N - 1)


@form(P + "11", "QK_21", "printed")
def _(N, d, q, d_e, r_x, r_a, r_w, eps_2NN, **_):
    return 2 * d_e * q / d * log(2 * r_a * r_w * r_x * N * sqrt(q / eps_2NN))


@form(P + "11", "QK_21", "derived")
def _(N, d, q, d_e, r_x, r_a, r_w, eps_2NN, **_):
    return d_e * alpha(N, d, q, r_x, r_a, r_w, eps_2NN)


@form(P + "11", "QK_21", "sharp")
def _(N, d, q, d_e, r_x, r_a, r_w, eps_2NN, **_):
    return d_e * alpha(N, d, q, r_x, r_a, r_w, eps_2NN, True)


def long_token(number, x):
    """Markov's inequality at the best order from 1 on, for so many tokens; x is the squared radius over C_x e d."""
    if x == 0:
        return mpf(1)
    p = max(mpf(1), x)
    return min(mpf(1), number * (p / (e * x)) ** (p / 2))


@form(P + "12", "P", "printed")
def _(n, N, d, r_x, C_x):
    return n * N * exp(-(r_x**2) / (2 * C_x * e * d))


@form(P + "12", "P", "derived")
def _(n, N, d, r_x, C_x):
    return long_token(n * N, r_x**2 / (C_x * e * d))


@form(P + "12", "P_usual", "printed")
def _(n, N, **_):
    return 1 / sqrt(n * N)


@form(P + "12", "P_usual", "derived")
def _(n, N, **_):
    return long_token(n * N, 3 * log(n * N))


# --- covers -----------------------------------------------------------------------------------------------------------


def two_layers(p, B, r_0, norm, eps):
    """|f - f'| <= B r_0 |W - W'| + B |b - b'| + (B r_0 + B) |a - a'|; then a packing of the parameters by volume."""
    reach = norm * sqrt((B * r_0) ** 2 + B**2 + (B * r_0 + B) ** 2)
    return p * log(1 + 2 * reach / eps)


@form(P + "14", "log_N", "printed")
def _(eps, m, H, D_e, R, C0=1, c_R=1):
    return C0 * m * H * D_e * log(1 + (1 + R) ** c_R / eps)


@form(P + "14", "log_N", "derived")
def _(eps, m, H, D_e, R, **_):
    return two_layers(m * (H * D_e + 2), R, sqrt(H) * R, R, eps)


@form(P + "14", "log_N", "sharp")
def _(eps, m, H, D_e, R, **_):
    largest = R / 2 * sqrt((R * sqrt(H) * R) ** 2 + R**2)
    return mpf(0) if eps >= largest * (1 - mpf(10) ** -40) else in_ball(m * (H * D_e + 2), R, sqrt(H) * R, eps)


def in_ball(p, R, r_0, eps):
    """All parameters of the block together, which move it by R sqrt(1 + r_0^2) each."""
    return p * log(1 + 2 * R * sqrt(R**2 + (R * r_0) ** 2) / eps)


for name in ("printed", "derived", "sharp"):
    softmax = {"printed": lambda _: 2, "derived": lambda kappa: kappa, "sharp": lambda _: 1}[name]
    FORMS[P + "15", "moved", name] = lambda r_z, Delta_QK, kappa=2, c=softmax, **_: c(kappa) * r_z**2 * Delta_QK
    FORMS[P + "15", "eps_QK", name] = lambda r_z, eps, kappa=2, c=softmax, **_: eps / (c(kappa) * r_z**2)


def rows(n, H, D_e, r_z, B_21, eps):
    """Zhang for columns whose norms sum to B_21, centres moved into the class: what changes with eps."""
    ratio = 2 * B_21 * r_z / (eps / 2)
    return 36 * ratio**2 * log(2 * up(4 * ratio + 2) * n + 1)


def profiles(H, D_e):
    return log(binomial(2 * H * D_e, H * D_e))


def entries(H, D_e, r_z, B_F, eps):
    return H * D_e**2 * log(1 + 2 * B_F * r_z / eps)


@form(P + "16", "log_N", "printed")
def _(eps, n, H, D_e, r_z, B_QK_21, B_QK_F, C0=1):
    by_norms = (r_z * B_QK_21 / eps) ** 2 * log(2 * H * D_e**2)
    return C0 * min(by_norms, entries(H, D_e, r_z, B_QK_F, eps))


@form(P + "16", "log_N", "derived")
def _(eps, n, H, D_e, r_z, B_QK_21, B_QK_F, **_):
    by_norms = profiles(H, D_e) + rows(n, H, D_e, r_z, B_QK_21, eps)
    return min(by_norms, entries(H, D_e, r_z, B_QK_F, eps))


def net_or_all(F, R, n, inputs, outputs):
    """The C of C/eps^2: corrections along a net of the outputs' sphere, or for all inputs at once."""
    net = log(mpf(5) ** outputs * n + 1) * (F * R) ** 2 * 64 / 49
    return min(net, log(mpf(5) ** (inputs + outputs) + 1) * (F * R * 64 / 49) ** 2)


def by_columns(n, H, D_e, r_z, B_21):
    """The same by norms of the columns, which sum to B_21: powers of 17/16 down to 1/16 of a mean."""
    columns = H * D_e
    levels = log(16 * columns, mpf(17) / 16) + 2
    return (mpf(17) / 16 + mpf(1) / 16) * (B_21 * r_z) ** 2 * log(2 * columns * n * levels + 1)


def corrections(n, H, D_e, r_z, B_21, B_F):
    return min(by_columns(n, H, D_e, r_z, B_21), net_or_all(B_F, r_z, n, D_e, H * D_e))


@form(P + "16", "log_N", "sharp")
def _(eps, n, H, D_e, r_z, B_QK_21, B_QK_F, **_):
    F = min(B_QK_21, B_QK_F)
    size = pure(corrections(n, H, D_e, r_z, B_QK_21, F), F * r_z)[1]
    return min(size(eps), entries(H, D_e, r_z, F, eps))


def parts_at(eps, n, m, H, D_e, r_z, a, W, B_F, B_21, kappa):
    """Half of the error for the block, half for attention: the block, the profiles, the rows, the entries."""
    bound = max(a, W, r_z)
    block = two_layers(m * (H * D_e + 2), bound, sqrt(H) * r_z, sqrt(a**2 + W**2), eps / 2)
    own = eps / (2 * a * W * kappa * r_z**2)
    by_rows = None if B_21 is None else rows(n, H, D_e, r_z, B_21, own)
    return block, profiles(H, D_e), by_rows, entries(H, D_e, r_z, B_F, own)


def joint(H, B_QK_21):
    return {"B_F": sqrt(H) * B_QK_21, "B_21": H * B_QK_21}


@form(P + "17", "log_N", "printed")
def _(eps, n, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, C0=1, **_):
    gain = B_a * B_W_F * r_z**3 * B_QK_21
    by_norms = (H * gain / eps) ** 2 * log(H * D_e**2)
    by_count = H * D_e**2 * log(1 + sqrt(H) * gain / eps)
    return C0 * (m * H * D_e * log(1 + max(B_a, B_W_F, r_z) / eps) + min(by_norms, by_count))


@form(P + "17", "log_N", "derived")
def _(eps, n, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, kappa=2, **_):
    block, flat, by_rows, counted = parts_at(eps, n, m, H, D_e, r_z, B_a, B_W_F, **joint(H, B_QK_21), kappa=kappa)
    return block + min(flat + by_rows, counted)


@form(P + "17", "log_N", "sharp")
def _(eps, n, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, **_):
    """The matrices by norms of their columns or by entries, W and a by entries."""
    F = sqrt(H) * B_QK_21
    matrices, others = counted_weights(eps, m, H, D_e, r_z, B_a, B_W_F, F)
    corrected = pure(by_columns(n, H, D_e, r_z, H * B_QK_21), F * r_z)[1]
    return min(corrected(eps / (2 * B_a * B_W_F * r_z**2)), matrices) + others


# --- complexity and gap of the truncated loss -------------------------------------------------------------------------


def dudley(tau, n, **net):
    """4 cut + 12 times the integral from 1/sqrt(n) to tau, the root of a sum split, each part at its largest."""
    cut = min(tau, 1 / sqrt(n))
    block, flat, by_rows, counted = parts_at(cut / (2 * sqrt(tau)), n, **net)
    matrices = tau * sqrt(counted / n)
    if by_rows is not None:
        matrices = min(matrices, cut * sqrt(by_rows / n) * log(tau / cut) + tau * sqrt(flat / n))
    return min(tau, 4 * cut + 12 * (tau * sqrt(block / n) + matrices))


def counted_weights(eps, m, H, D_e, r_z, a, W, B_F):
    """The entries of the matrices at half the error, of W and of a at a quarter each."""
    r_v = sqrt(H * r_z**2 + 1)
    matrices = H * D_e**2 * log(1 + 2 * B_F * r_z * a * W * r_z**2 / (eps / 2))
    inner = m * (H * D_e + 1) * log(1 + 2 * W * r_v * a / (eps / 4))
    return matrices, inner + m * log(1 + 2 * a * W * r_v / (eps / 4))


def sharp_complexity(tau, n, m, H, D_e, r_z, a, W, B_F, B_21):
    """The losses less tau/2; everything counted at one resolution, or the matrices by chaining."""
    A, to_f = tau / 2, 2 * sqrt(tau)
    cut = tau / sqrt(n)
    if B_21 is None:  # one ball, of radius a = W: the block is Lipschitz with half of its square
        at = cut / to_f / 2
        matrices = H * D_e**2 * log(1 + 2 * B_F * r_z * a**2 / 2 * r_z**2 / at)
        size = matrices + in_ball(m * (H * D_e + 2), a, sqrt(H) * r_z, at)
        return min(A, cut + A * sqrt(2 * size / n))
    sizes = counted_weights(cut / to_f, m, H, D_e, r_z, a, W, B_F)
    one = min(A, cut + A * sqrt(2 * sum(sizes) / n))
    C = by_columns(n, H, D_e, r_z, B_21) * (to_f * 2 * a * W * r_z**2) ** 2
    s = min(A / e, max(cut, sqrt(2 * C / n)))
    rest = counted_weights(s / to_f, m, H, D_e, r_z, a, W, B_F)[1]
    levels = e * s * (log(A / s) + mpf("0.0853"))
    return min(one, A, levels + mpf(9) / 5 * A * sqrt(2 * rest / n))


def deviation(tau, delta, n, sharp=False):
    """One side: McDiarmid twice at delta/2; or once, for the supremum less twice the complexity."""
    return (2 * sqrt(log(1 / delta)) if sharp else 3 * sqrt(log(2 / delta))) * tau / sqrt(2 * n)


def constants(m, H, D_e, r_z, B_a, B_W_F, B_QK_21):
    return m * H * D_e + min((r_z**3 * B_W_F * B_a * H * B_QK_21) ** 2, H * D_e**2)


@form(P + "18", "Rad", "printed")
def _(n, tau, C0=1, kappa=2, **net):
    return C0 * tau * sqrt(constants(**net) / n)


@form(P + "18", "Rad", "derived")
def _(n, tau, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, kappa=2, **_):
    return dudley(tau, n, m=m, H=H, D_e=D_e, r_z=r_z, a=B_a, W=B_W_F, kappa=kappa, **joint(H, B_QK_21))


@form(P + "18", "Rad", "sharp")
def _(n, tau, m, H, D_e, r_z, B_a, B_W_F, B_QK_21, **_):
    return sharp_complexity(tau, n, m, H, D_e, r_z, B_a, B_W_F, **joint(H, B_QK_21))


def radii(n, N, d, q, C_x):
    r_x = sqrt(3 * e * C_x * d * log(n * N))
    return r_x, sqrt(r_x**2 + d + d / q)


def width(d, q, d_e):
    return d + (q + 1) * d_e


@form(P + "19", "gap", "printed")
def _(n, N, m, d, q, H, d_e, B_a, B_W_F, B_QK_21, tau, delta, C_x, C0=1, **_):
    sizes = constants(m, H, width(d, q, d_e), radii(n, N, d, q, C_x)[1], B_a, B_W_F, B_QK_21)
    return C0 * (tau * sqrt(sizes / n) + tau * sqrt(log(1 / delta) / n))


@form(P + "19", "gap", "derived")
def _(n, N, m, d, q, H, d_e, B_a, B_W_F, B_QK_21, tau, delta, C_x, kappa=2, **_):
    net = {"m": m, "H": H, "D_e": width(d, q, d_e), "r_z": radii(n, N, d, q, C_x)[1], "a": B_a, "W": B_W_F}
    return 2 * dudley(tau, n, kappa=kappa, **net, **joint(H, B_QK_21)) + deviation(tau, delta, n)


@form(P + "19", "gap", "sharp")
def _(n, N, m, d, q, H, d_e, B_a, B_W_F, B_QK_21, tau, delta, C_x, **_):
    net = {"m": m, "H": H, "D_e": width(d, q, d_e), "r_z": radii(n, N, d, q, C_x)[1], "a": B_a, "W": B_W_F}
    return 2 * sharp_complexity(tau, n, **net, **joint(H, B_QK_21)) + deviation(tau, delta, n, sharp=True)


@form(P + "19", "failure", "printed")
def _(n, N, delta, **_):
    return delta + 1 / sqrt(n * N)


@form(P + "19", "failure", "derived")
def _(n, N, delta, **_):
    return delta + long_token(n * N, 3 * log(n * N))


# --- truncation -------------------------------------------------------------------------------------------------------


def predicted(squared, d, q, H, gain, sharp):
    """The squared prediction, from the square of the longest token."""
    z = squared + d + d / q
    return gain**2 * (1 + H * z) if sharp else gain**2 * H * (1 + sqrt(z)) ** 2


def level(n, N, d, q, H, gain, C_x, C_y, s, sharp=False):
    """tau: label and prediction are each above sqrt(tau)/2 with probability at most 1/(2 n M^2)."""
    longest = sqrt(e) * 4 * C_x * d * max(mpf(1), log(N))
    y, prediction = C_y * mpf(4) ** s, predicted(longest, d, q, H, gain, sharp)
    M = (sqrt(y) + sqrt(prediction)) ** 2 if sharp else 2 * y + 2 * prediction
    inverse = 2 * n * M**2
    token = C_x * e * d * max(mpf(1), 2 * log(N * inverse))
    label = C_y * (e * max(mpf(1), 2 * log(inverse) / s)) ** s
    return 4 * max(label, predicted(token, d, q, H, gain, sharp))


@form(P + "20", "level", "printed")
def _(n, N, d, q, H, B_a, B_W_F, C_x, s, C0=1, **_):
    square = H * (B_a * B_W_F * radii(n, N, d, q, C_x)[1]) ** 2
    return C0 * (square * log(square * N * sqrt(n)) + log(square * sqrt(n)) ** s)


for name in ("derived", "sharp"):

    @form(P + "20", "level", name)
    def _(n, N, d, q, H, B_a, B_W_F, C_x, C_y, s, sharp=name == "sharp", **_):
        return level(n, N, d, q, H, B_a * B_W_F, C_x, C_y, s, sharp)


# --- the theorems -----------------------------------------------------------------------------------------------------


def squared_ball(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, sharp):
    scale = alpha(N, d, q, radii(n, N, d, q, C_x)[0], r_a, r_w, eps_2NN, sharp)
    return r_a**2 / m + m * r_w**2 + q * d_e * scale**2


def risk(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, C_y, s, c, kappa, sharp, ball):
    """4 eps for the fit, the gap of the truncated risk, and 1/sqrt(n) for what was truncated."""
    r_x, r_z = radii(n, N, d, q, C_x)
    if ball:
        a = W = B_F = sqrt(squared_ball(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, sharp))
        B_21 = None
    else:
        a, W = r_a / sqrt(m), r_w * sqrt(m)
        each = d_e * alpha(N, d, q, r_x, r_a, r_w, eps_2NN, sharp)
        B_F, B_21 = sqrt(q) * each, q * each
    tau = level(n, N, d, q, q, a * W / 2 if ball and sharp else a * W, C_x, C_y, s, sharp)
    net = {"m": m, "H": q, "D_e": width(d, q, d_e), "r_z": r_z, "a": a, "W": W, "B_F": B_F, "B_21": B_21}
    rad = sharp_complexity(tau, n, **net) if sharp else dudley(tau, n, kappa=kappa, **net)
    return 4 * eps_2NN + 2 * rad + deviation(tau, n ** (-c), n, sharp) + 1 / sqrt(n)


@form(P + "10", "risk", "printed")
def _(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, C0=1, **_):
    r_x, r_z = radii(n, N, d, q, C_x)
    a = -2 * d_e * q / d * log(sqrt(eps_2NN / q) / (2 * r_a * r_w * r_x * N))
    inside = m * q * (d + q) + min((r_z**3 * r_a * r_w * q * a) ** 2, q * (q**2 + d**2))
    return C0 * (eps_2NN + q * (r_a * r_w * r_z) ** 2 * sqrt(inside / n))


@form(P + "3", "risk", "printed")
def _(n, N, m, d, q, r_a, r_w, eps_2NN, C0=1, **_):
    R_2 = r_a**2 / m + m * r_w**2 + q**3 / d**2
    return C0 * (eps_2NN + R_2**2 * q * d * sqrt((m * q * (d + q) + q**3 + q * d**2) / n))


@form(P + "3", "squared_radius", "printed")
def _(m, d, q, r_a, r_w, C0=1, **_):
    return C0 * (r_a**2 / m + m * r_w**2 + q**3 / d**2)


for name in ("derived", "sharp"):

    @form(P + "3", "squared_radius", name)
    def _(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, sharp=name == "sharp", **_):
        return squared_ball(n, N, m, d, q, d_e, r_a, r_w, eps_2NN, C_x, sharp)

    for number, ball in (("3", True), ("10", False)):

        @form(P + number, "risk", name)
        def _(sharp=name == "sharp", ball=ball, c=HALF, kappa=2, C0=None, **values):
            return risk(c=c, kappa=kappa, sharp=sharp, ball=ball, **values)


for number in ("3", "10"):
    FORMS[P + number, "failure", "printed"] = lambda n, c=HALF, C0=1, **_: C0 * n ** (-c)
    FORMS[P + number, "failure", "derived"] = lambda n, N, c=HALF, **_: n ** (-c) + long_token(n * N, 3 * log(n * N))

# put together from the steps of 28, 33 and 34, which are mutated there; here terms differ by hundreds of orders
COMPOSED |= {(P + "5", "risk", name) for name in ("derived", "sharp")}


# --- points ----------------------------------------------------------------------------------------------------------


@near("mousavi2025")
def _(claim, at, rng):
    """Where moments of order 1 decide, where key-query matrices are better covered by their norms, and what the claims
    assume."""
    names = assumed(claim)
    if {"n", "N", "C_y"} <= set(at) and rng.random() < 0.2:
        at |= {"n": "1", "C_y": "1/100", "s": rng.choice("13")}
        at["N"] = str(1 + int(at["d"])) if "N" in names and "q" not in names else "1"
        at |= {name: "1/4" if name[0] in "Br" else "1" for name in ("B_a", "B_W_F", "r_a", "r_w", "m") if name in at}
    size = next((name for name in ("D_e", "d_e") if name in at), "")
    if size and {"B_QK_21", "r_a"} & set(at) and rng.random() < 0.4:
        small = Fraction(1, 10 ** rng.randint(0, 10))
        at[size] = str(rng.randint(30, 300))
        at |= {"B_QK_21": str(small)} if "B_QK_21" in at else {"r_a": str(small), "eps_2NN": str(small**2 / 100)}
    if {"q", "N"} <= names:
        at["q"] = str(min(int(at["q"]), int(at["N"])))
    if "s" in names:
        at["s"] = str(max(Fraction(1), Fraction(at["s"])))
    if "R" in names:  # at least sqrt(2), and all that it bounds
        least = [Fraction(3, 2), *(Fraction(at[name]) + 1 for name in ("q", "r_h") if name in names)]
        least += [Fraction(at["C_x"]) * int(at["d"]) + 1] if "C_x" in names else []
        at["R"] = str(max(least) + Fraction(rng.randint(0, 200), 100))
    if "tau" in names and "A" not in at:
        at["tau"] = str(1 + Fraction(rng.randint(0, 900), 100))
    if "alpha_N" in names:
        at["alpha_N"] = str(Fraction(max(0, rng.randint(-50, 100)), 100) / int(at["N"]))
    if "variation" in names:
        at["variation"] = str(Fraction(at["LR"]) * Fraction(rng.randint(101, 900), 100))
    if "L_y" in names:
        at["L_y"] = str(rng.randint(2, 5))
    if "r_h" in at and "r_h" not in names:  # a projection that may never be active
        at["r_h"] = str(Fraction(at["r_h"]) * rng.choice([1, 10**3]))


@near(P + "6", P + "7", P + "35")
def _(claim, at, rng):
    """A risk that is small enough."""
    small = Fraction(rng.randint(1, 25), 1000) if rng.random() < 0.8 else Fraction(rng.randint(1, 200), 100)
    at["c_3" if claim.number == "7" else "c"] = str(small)


@near(P + "7")
def _(claim, at, rng):
    at["c"] = str(Fraction(rng.randint(1, 98), 100))
    at["N"] = str(rng.randint(1, rng.choice([9, 10**3, 10**6, 10**18])))


@near(P + "31")
def _(claim, at, rng):
    """An error as large as every output."""
    if rng.random() < 0.2:
        at["eps"] = str(rng.randint(10, 10**4))


@near(P + "38")
def _(claim, at, rng):
    at["eps"] = str(Fraction(rng.randint(1, 100), 100))


@near(P + "42")
def _(claim, at, rng):
    at["eps"] = str(Fraction(at["LR"]) * Fraction(rng.randint(1, 100), 100))
