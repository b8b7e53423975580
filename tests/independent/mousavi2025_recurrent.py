"""The second computation: Mousavi-Hosseini et al. 2025, its recurrent and feedforward networks, its lower
bounds and its auxiliary lemmas; and Bach 2017.
"""

from itertools import pairwise

from mpmath import exp, log, mpf, pi, sqrt

from independent.forms import FORMS, form, several
from independent.mousavi2025 import HALF, P, deviation, e, long_token

BOTH, ALL = ("printed", "derived"), ("printed", "derived", "sharp")
TINY = mpf(10) ** -40
LEVEL, EIGHTH, SIXTH = (mpf(1) / x for x in (400, 8, 6))

# --- few heads, and feedforward networks -----------------------------------------------------------------------------


@form(P + "4", "risk", "printed")
def _(q, d, H, **_):
    return 1 - H / d - H / q


@form(P + "4", "risk", "derived")
def _(N, q, d, H):
    return max(mpf(0), 1 - H / d - H / q) if q + q < N else mpf(0)


@form(P + "4", "risk", "sharp")
def _(N, q, d, H):
    return max(mpf(0), 1 - H / q) * max(mpf(0), 1 - H / d) if q + q < N else mpf(0)


@form(P + "21", "risk", "printed")
def _(q, H, **_):
    return 1 - H / q


@form(P + "21", "risk", "derived")
def _(N, q, H):
    return max(mpf(0), (q - H) / q) if q + q < N else mpf(0)


@form(P + "9", "risk", "printed")
def _(n, N, d):
    return 1 - n / (N * d)


@form(P + "9", "risk", "derived")
def _(n, N, d):
    return max(mpf(0), 1 - n / (N * d))


# --- auxiliary lemmas ------------------------------------------------------------------------------------------------


@several(P + "40", "variance", BOTH)
def _(n, eigenvalue, mean):
    return sum(2 * x**2 + 4 * x * m**2 for x, m in zip(eigenvalue, mean, strict=True))


@several(P + "41", "volume", BOTH)
def _(eps, d):
    return d * (log(eps + 2) - log(eps))


@form(P + "41", "log_P", "printed")
def _(eps, d):
    return min(d * log((eps + 2) / eps), (1 + log(1 + 2 * d * eps**2)) / eps**2)


@form(P + "41", "log_P", "derived")
def _(eps, d):
    return mpf(0) if eps > 2 else d * log((eps + 2) / eps)


@form("bach2017/1", "units", "printed")
def _(eps, d, C_d=1):
    return C_d * (1 / eps) ** (2 * d / (d + 3))


@form("bach2017/6", "error", "printed")
def _(LR, variation, d, C_d=1):
    return C_d * LR * (LR / variation) ** (2 / (d + 1)) * (log(variation) - log(LR))


def bach(LR, error, d, C_d):
    """The variation norm at which Bach's Proposition 6 is within half the error, and twice the units that his
    Proposition 1 asks for to come within the other half."""
    A = 1 + 2 * C_d * (d + 1) * LR / error
    delta = LR * (A + A * log(A)) ** ((mpf(d) + 1) / 2)
    return delta, 2 * C_d * (2 * delta / error) ** (2 * mpf(d) / (d + 3))


def ratio(LR, eps):
    return LR / eps * (1 + log(LR) - log(eps))


@form(P + "42", "width", "printed")
def _(LR, eps, d, C_d=1, **_):
    return C_d * ratio(LR, eps) ** d


@form(P + "42", "width", "derived")
def _(LR, eps, d, C_d=1, **_):
    return bach(LR, eps, d, C_d)[1]


@form(P + "42", "a", "printed")
def _(LR, eps, d, m, C_d=1, **_):
    return C_d * LR * ratio(LR, eps) ** ((d + 1) / 2) / sqrt(m)


@form(P + "42", "a", "derived")
def _(LR, eps, d, m, C_d=1, **_):
    return bach(LR, eps, d, C_d)[0] * sqrt(2 / m)


FORMS[P + "42", "W", "printed"] = lambda R, **_: 1 / R
FORMS[P + "42", "b", "printed"] = lambda **_: mpf(1)

# --- the networks of the transition ----------------------------------------------------------------------------------


def powers(x, eps, of_x, of_log):
    """x^p (log(x/eps)/eps)^r, which is not real where log(x/eps) < 0 and r is not an integer."""
    return x**of_x * ((log(x) - log(eps)) / eps) ** of_log


@form(P + "22", "width", "printed")
def _(eps, d_e, C0=1, **_):
    return C0 * powers(d_e, eps, 3, 2)


def inner(eps, d_e, C_d):
    """d_e products of two coordinates, each within eps/d_e and with LR = 2: width, and the l1 norm of the output."""
    delta, width = bach(mpf(2), eps / d_e, 2, C_d)
    return d_e * width, d_e * sqrt(mpf(2)) * delta


@form(P + "22", "width", "derived")
def _(eps, d_e, C_d=1, **_):
    return inner(eps, d_e, C_d)[0]


@form(P + "22", "a", "printed")
def _(eps, d_e, m, C0=1, **_):
    return C0 * powers(d_e, eps, mpf(5) / 2, mpf(3) / 2) / sqrt(m)


@form(P + "22", "a", "derived")
def _(eps, d_e, m, C_d=1, **_):
    return inner(eps, d_e, C_d)[1] / sqrt(m)


@form(P + "23", "width", "printed")
def _(eps, d, q, d_e, C0=1, **_):
    return 2 * d + q * C0 * powers(d_e, eps, 3, 2)


@form(P + "23", "width", "derived")
def _(eps, d, q, d_e, C_d=1, **_):
    return 2 * d + q * inner(eps, d_e, C_d)[0]


@form(P + "23", "A", "printed")
def _(eps, d_e, C0=1, **_):
    return C0 * powers(d_e, eps, mpf(5) / 2, mpf(3) / 2)


@form(P + "23", "A", "derived")
def _(eps, d_e, C_d=1, **_):
    return inner(eps, d_e, C_d)[1]


for name in BOTH:
    for number in ("22", "23", "26"):
        FORMS[P + number, "error", name] = lambda eps, **_: eps
    FORMS[P + "26", "off", name] = lambda **_: mpf(0)
    FORMS[P + "22", "W", name] = lambda **_: mpf(1)
for number in ("25", "27"):
    FORMS[P + number, "error", "printed"] = lambda eps, **_: eps
for number, part in (("23", "token"), ("27", "ahead")):
    FORMS[P + number, part, "printed"] = lambda **_: mpf(0)
for number in ("22", "25"):
    FORMS[P + number, "b", "printed"] = lambda **_: mpf(1)
for part in ("W", "b"):
    FORMS[P + "23", part, "printed"] = lambda C0=1, **_: mpf(C0)
    FORMS[P + "23", part, "derived"] = lambda **_: mpf(1)


def gated(R, eps, dimension, C_d):
    """LR = 2 R^2; rows and biases divided by the root of the dimension: width, and the l1 norm of the output."""
    delta, width = bach(2 * R**2, eps, dimension, C_d)
    return width, sqrt(mpf(2) * dimension) * delta


for part, dimension, of_width, of_output in (("", 3, (6, 3), (6, 2)), ("_plain", 2, (4, 2), (5, mpf(3) / 2))):
    FORMS[P + "24", "width" + part, "printed"] = lambda R, eps, C0=1, of=of_width, **_: C0 * powers(R, eps, *of)
    FORMS[P + "24", "width" + part, "derived"] = lambda R, eps, C_d=1, k=dimension, **_: gated(R, eps, k, C_d)[0]
    FORMS[P + "24", "a" + part, "printed"] = lambda R, eps, m, C0=1, of=of_output, **_: (
        C0 * powers(R, eps, *of) / sqrt(m)
    )
    FORMS[P + "24", "a" + part, "derived"] = lambda R, eps, m, C_d=1, k=dimension, **_: (
        gated(R, eps, k, C_d)[1] / sqrt(m)
    )
FORMS[P + "24", "W", "printed"] = FORMS[P + "24", "W", "derived"] = lambda R, **_: 1 / R
FORMS[P + "24", "b", "printed"] = lambda **_: mpf(1)
FORMS[P + "24", "b", "derived"] = lambda **_: sqrt(mpf(1) / 3)


@form(P + "25", "width", "printed")
def _(eps, d, q, R, C0=1, **_):
    return q * d * C0 * powers(R, eps, 4, 2)


@form(P + "25", "width", "derived")
def _(eps, d, q, R, C_d=1, **_):
    return q * d * gated(R, eps, 2, C_d)[0]


@form(P + "25", "A", "printed")
def _(eps, R, C0=1, c_R=1, **_):
    return C0 * powers(R, eps, c_R, mpf(3) / 2)


@form(P + "25", "A", "derived")
def _(eps, R, C_d=1, **_):
    return gated(R, eps, 2, C_d)[1]


FORMS[P + "25", "W", "printed"] = lambda **_: mpf(1)
FORMS[P + "25", "W", "derived"] = lambda R, **_: 1 / R


def layers(eps, d, q, d_e, r_x, C_d):
    """Widths of the two layers, l1 norms of the rows of W_2 A_1 and of A_2. The second layer is within eps/4, and the
    first as close as makes another eps/4 through the second, whose rows have l1 norm 1/R."""
    R = sqrt(1 + r_x**2)
    second, output = gated(R, eps / 4, 2, C_d)
    first, sums = inner(eps / 4 / (output / R), d_e, C_d)
    return 2 * d + q * first, q * d * second, sums / R, output


def sum_to(c_P, *terms):
    return (1 + sum(terms)) ** c_P


@several(P + "26", "norm", ["printed"])
@several(P + "26", "width", ["printed"])
def _(eps, d, q, d_e, r_x, C0=1, c_P=1, **_):
    return C0 * sum_to(c_P, r_x, d + (q + 1) * d_e, 1 / eps)


def transition_norm(eps, d, q, d_e, r_x, C_d):
    """Squared: W and b of the first two layers, W_3 and b_3 of the rectifier, and W_4."""
    m_1, m_2, middle, output = layers(eps, d, q, d_e, r_x, C_d)
    return m_1 + m_1 + m_2 * middle**2 + m_2 + 2 * q * d * output**2 + 2 * q * d * (eps / 2) ** 2 + 2 * q * d


@form(P + "26", "norm", "derived")
def _(eps, d, q, d_e, r_x, C_d=1, **_):
    return sqrt(transition_norm(eps, d, q, d_e, r_x, C_d))


@form(P + "26", "width", "derived")
def _(eps, d, q, d_e, r_x, C_d=1, **_):
    return sum(layers(eps, d, q, d_e, r_x, C_d)[:2]) + 2 * q * d


@several(P + "27", "state", BOTH)
def _(eps, d, q, r_x):
    return sqrt(q) * r_x + sqrt(q * d) * eps


# --- 28 --------------------------------------------------------------------------------------------------------------


def state_error(d, q, r_a, r_w, eps_2NN):
    return min(mpf(1), sqrt(eps_2NN / (q * d)) / (4 * r_a * r_w))


@form(P + "28", "squared_error", "printed")
def _(eps_2NN, **_):
    return 4 * eps_2NN


@form(P + "28", "squared_error", "derived")
def _(d, q, r_a, r_w, eps_2NN, **_):
    """The link's error, half as much again from the token itself, and what both directions store."""
    stored = 2 * sqrt(q * d) * r_a * r_w * state_error(d, q, r_a, r_w, eps_2NN)
    return (sqrt(eps_2NN) * 3 / 2 + stored) ** 2


@form(P + "28", "radius", "printed")
def _(q, r_x, r_a, r_w, eps_2NN, **_):
    return sqrt(q) * r_x + sqrt(eps_2NN) / (r_a * r_w)


def radius(d, q, r_x, r_a, r_w, eps_2NN):
    return sqrt(q) * r_x + sqrt(q * d) * state_error(d, q, r_a, r_w, eps_2NN)


@form(P + "28", "radius", "derived")
def _(d, q, r_x, r_a, r_w, eps_2NN, **_):
    return radius(d, q, r_x, r_a, r_w, eps_2NN)


@form(P + "28", "norm", "printed")
def _(d, q, d_e, r_x, r_a, r_w, eps_2NN, C0=1, c_P=1, **_):
    return C0 * sum_to(c_P, r_x, d + (q + 1) * d_e, r_w, r_a, 1 / eps_2NN)


def squared_norm(d, q, d_e, r_x, r_a, r_w, eps_2NN, C_d):
    """Both transitions; of the read-out the first two layers, the pairs that carry both states twice, that add the
    three, and A_2; and the link at its best scale."""
    error = state_error(d, q, r_a, r_w, eps_2NN)
    m_1, m_2, middle, output = layers(error, d, q, d_e, r_x, C_d)
    readout = 2 * m_1 + m_2 * (1 + middle**2) + 4 * q * d + 8 * q * d + 2 * q * d * (4 + output**2)
    return 2 * transition_norm(error, d, q, d_e, r_x, C_d) + readout + sqrt(mpf(8)) * r_a * r_w


@form(P + "28", "norm", "derived")
def _(C_d=1, C0=1, c_P=1, m=None, **at):
    return sqrt(squared_norm(C_d=C_d, **at))


@form(P + "28", "parameters", "printed")
def _(d, q, d_e, m, r_x, r_a, r_w, eps_2NN, C0=1, c_P=1, **_):
    return C0 * sum_to(c_P, r_x, d + (q + 1) * d_e, r_w, r_a, 1 / eps_2NN, m)


def network(*widths):
    """The parameters of a network with these widths, inputs first; no bias at the end."""
    return sum((a + 1) * b for a, b in pairwise(widths)) - widths[-1]


def count(d, q, d_e, m, r_x, r_a, r_w, eps_2NN, C_d):
    m_1, m_2 = layers(state_error(d, q, r_a, r_w, eps_2NN), d, q, d_e, r_x, C_d)[:2]
    token, state = d + (q + 1) * d_e, q * d
    transition = network(state + token, m_1, m_2, 2 * state, state)
    return 2 * transition + network(2 * state + token, 4 * state + m_1, 4 * state + m_2, 2 * state, m, mpf(1))


@form(P + "28", "parameters", "derived")
def _(C_d=1, C0=1, c_P=1, **at):
    return count(C_d=C_d, **at)


# --- covers ----------------------------------------------------------------------------------------------------------


@form(P + "29", "log_N", "printed")
def _(E_y, E_h, E_back, **_):
    return E_back + E_h + E_y


@form(P + "29", "eps_y", "printed")
def _(eps, **_):
    return eps * HALF


@form(P + "29", "eps_h", "printed")
def _(eps, N, C_y_W, **_):
    return eps / (4 * e * C_y_W * N)


@form(P + "29", "eps_h", "derived")
def _(eps, N, C_y_W, **_):
    return eps / (4 * (e - 1) * C_y_W * N)


@form(P + "29", "eps_h", "sharp")
def _(eps, N, C_y_W, alpha_N, **_):
    growth = N - 1 if alpha_N == 0 else ((1 + alpha_N) ** (N - 1) - 1) / alpha_N
    return eps / (sqrt(mpf(8)) * C_y_W * max(mpf(1), growth))


def largest(L, B, r):
    """What the last matrix gives, from inputs of norm r."""
    for _ in range(int(L) - 1):
        r = B * (r + 1)
    return B * r


def movement(L, B, r):
    """The squares of what each block counts for, recursively: what moved before moves B times as far in each layer."""
    squares = mpf(0)
    for _ in range(int(L) - 1):
        squares = (squares + r**2 + 1) * B**2
        r = B * (r + 1)
    return sqrt(squares + r**2)


@form(P + "30", "log_N", "printed")
def _(eps, p, R, L, C0=1, c_R=1):
    return C0 * p * log(1 + (1 + R) ** c_R / eps)


@form(P + "30", "log_N", "derived")
def _(eps, p, R, L, **_):
    return p * log(1 + 2 * sqrt(2 * L - 1) * R * movement(L, R, R) / eps)


@form(P + "30", "log_N", "sharp")
def _(eps, p, R, L, **_):
    if eps >= largest(L, R, R) * (1 - TINY):
        return mpf(0)
    return p * log(1 + 2 * sqrt(2 * L - 1) * R * movement(L, R, R) / eps)


def recurrent(eps, N, p, inputs, B, r_h, L_h, L_y, sharp=False, projected=False):
    """All p parameters, within the radius B; the read-out moves at eps/2, a transition through the read-out and N."""
    growth = (exp(mpf(1)) - 1) * N
    state = r_h if projected else min(r_h, growth * largest(L_h, B, inputs))
    gain = sqrt(mpf(2)) * (B / sqrt(mpf(L_y))) ** L_y if sharp else 2 * B**L_y
    readout = B * movement(L_y, B, sqrt(inputs**2 + 2 * state**2))
    transition = B * movement(L_h, B, sqrt(inputs**2 + state**2)) * gain * growth
    return p * log(1 + 4 * (readout + transition) / eps)


@form(P + "31", "log_N", "printed")
def _(eps, N, p, R, C0=1, c_R=1, **_):
    return C0 * p * log(1 + (1 + R) ** c_R * N / eps)


@form(P + "31", "log_N", "derived")
def _(eps, N, p, R, r_h, L_h, L_y, **_):
    return recurrent(eps, N, p, R, R, r_h, L_h, L_y)


@form(P + "31", "log_N", "sharp")
def _(eps, N, p, R, r_h, L_h, L_y, **_):
    """Nothing, once the error is as large as every output: two states and a token go into the read-out."""
    state = min(r_h, (exp(mpf(1)) - 1) * N * largest(L_h, R, R))
    if eps >= largest(L_y, R, sqrt(R**2 + 2 * state**2)):
        return mpf(0)
    return recurrent(eps, N, p, R, R, r_h, L_h, L_y, sharp=True)


def massart(tau, n, sharp, **net):
    """One cover of the losses, 2 sqrt(tau) times coarser than that of the predictions; the sharp one of losses less
    half their range, at that share of it."""
    A = tau / 2 if sharp else tau
    cut = tau / sqrt(n) if sharp else min(A, 1 / sqrt(n))
    return min(A, cut + A * sqrt(2 * recurrent(cut / (2 * sqrt(tau)), sharp=sharp, **net) / n))


@form(P + "32", "Rad", "printed")
def _(n, N, p, R, tau, C0=1, **_):
    return C0 * tau * sqrt(p * (log(R) + log(N) + log(n) + log(tau)) / n)


@form(P + "33", "gap", "printed")
def _(n, N, p, R, tau, delta, C0=1, **_):
    return C0 * tau * (sqrt(p * log(R * N * n * tau) / n) + sqrt(-log(delta) / n))


for name in ("derived", "sharp"):
    FORMS[P + "32", "Rad", name] = lambda n, N, p, R, r_h, L_h, L_y, tau, name=name, **_: massart(
        tau, n, name == "sharp", N=N, p=p, inputs=R, B=R, r_h=r_h, L_h=L_h, L_y=L_y
    )
    FORMS[P + "33", "gap", name] = lambda n, N, p, R, r_h, L_h, L_y, tau, delta, name=name, **_: (
        2 * massart(tau, n, name == "sharp", N=N, p=p, inputs=R, B=R, r_h=r_h, L_h=L_h, L_y=L_y)
        + deviation(tau, delta, n, name == "sharp")
    )


@form(P + "33", "failure", "printed")
def _(n, N, delta, **_):
    return delta + (n * N) ** -HALF


@form(P + "33", "failure", "derived")
def _(n, N, delta, **_):
    return delta + long_token(n * N, 3 * log(n * N))


def truncation(n, d, q, B, r_h, L_y, C_x, C_y, s, sharp):
    """The level: four times the larger of the squares that label and prediction exceed with probability 1/(2 n M^2) at
    most, where M bounds the square root of the error's fourth moment."""

    def predicted(token):
        return largest(L_y, B, sqrt(2 * r_h**2 + q + 1 + token)) ** 2

    label, prediction = C_y * 4**s, predicted(4 * C_x * d)
    M = (sqrt(label) + sqrt(prediction)) ** 2 if sharp else 2 * (label + prediction)
    tail = 1 / (2 * n * M**2)
    token = -2 * log(tail) * C_x * e * d
    return 4 * max(predicted(token), C_y * (-2 * e * log(tail) / s) ** s)


@form(P + "34", "level", "printed")
def _(n, R, C0=1, c_R=1, **_):
    return C0 * (1 + R) ** c_R * (1 + log(n)) ** c_R


for name in ("derived", "sharp"):
    FORMS[P + "34", "level", name] = lambda n, d, q, R, r_h, L_y, C_x, C_y, s, name=name, **_: truncation(
        n, d, q, R, r_h, L_y, C_x, C_y, s, name == "sharp"
    )
FORMS[P + "34", "cost", "printed"] = lambda n, C0=1, **_: C0 / sqrt(n)
FORMS[P + "34", "cost", "derived"] = lambda n, **_: 1 / sqrt(n)

# --- 5 ---------------------------------------------------------------------------------------------------------------


@form(P + "5", "risk", "printed")
def _(n, N, d, q, m, r_a, r_w, eps_2NN, C0=1, c_P=1, C_P=1, **_):
    inside = C_P * (1 + d + q + m + r_a + r_w + 1 / eps_2NN + log(n) + log(N))
    return C0 * (eps_2NN + inside ** (mpf(c_P) / 2) / sqrt(n))


def learned(n, N, d, q, d_e, m, r_a, r_w, eps_2NN, C_x, C_y, s, C_d, c, sharp):
    r_x = sqrt(3 * e * C_x * d * log(n * N))
    link = {"d": d, "q": q, "r_x": r_x, "r_a": r_a, "r_w": r_w, "eps_2NN": eps_2NN}
    R, p = sqrt(squared_norm(d_e=d_e, C_d=C_d, **link)), count(d_e=d_e, m=m, C_d=C_d, **link)
    r_h = radius(**link)
    tau = truncation(n, d, q, R, r_h, 5, C_x, C_y, s, sharp)
    tokens = sqrt(r_x**2 + q + 1)
    gap = 2 * massart(tau, n, sharp, N=N, p=p, inputs=tokens, B=R, r_h=r_h, L_h=4, L_y=5, projected=True)
    gap += deviation(tau, n**-c, n, sharp)
    return 4 * eps_2NN + gap + 1 / sqrt(n)


for name in ("derived", "sharp"):
    FORMS[P + "5", "risk", name] = lambda C_d=1, c=HALF, C0=1, c_P=1, C_P=1, name=name, **at: learned(
        C_d=C_d, c=c, sharp=name == "sharp", **at
    )
FORMS[P + "5", "failure", "printed"] = lambda n, C0=1, c=HALF, **_: C0 / n**c
FORMS[P + "5", "failure", "derived"] = lambda n, N, c=HALF, **_: 1 / n**c + long_token(n * N, 3 * log(n * N))

# --- lower bounds for recurrent networks -----------------------------------------------------------------------------


def known_apart(N, c, sharp):
    """(log of how many hidden states, how far apart their outputs are, over sqrt(N)). Values differ by sqrt((N-1)/pi)
    for all pairs of x prompts, x^2 = e^((N-1)/(4 pi))/2, or, from the chi-square tail, e^((N-1) times its rate)."""
    rate = (log(2 * pi) + 1 / (2 * pi) - 1) / 4
    size = rate * (N - 1) if sharp else (N - 1) / (8 * pi) - log(mpf(2)) / 2
    apart, errors = sqrt((N - 1) / (N * pi)), 4 * sqrt(c)
    if apart <= errors:
        return mpf(0), errors
    return size - log(mpf(7)), apart - errors


def never_below(N, c):
    """L_f times the norm of U, below which outputs are too close to one vector."""
    return (sqrt(1 - 1 / N) - sqrt(c)) / sqrt(mpf(2))


def by_volume(N, reach, c, sharp=False, small=False):
    states, distance = known_apart(N, c, sharp)
    X = sqrt(mpf(8)) * reach / distance
    return states / 2 / log(1 + (min(X, X**2) if small else X))


def least_width(N, reach, c, sharp):
    few = (never_below(N, c) / reach) ** 2 if c < 1 - 1 / N else mpf(0)
    return max(mpf(1), few, by_volume(N, reach, c, sharp, small=True))


def least_reach(N, d_h, c, sharp=False):
    states, distance = known_apart(N, c, sharp)
    return max(never_below(N, c), distance / sqrt(mpf(8)) * (exp(states / (2 * d_h)) - 1))


for key in (P + "6", P + "35"):
    FORMS[key, "width", "printed"] = lambda N, B_U, L_f, C0=1, **_: C0 * N / log(1 + (L_f * B_U) ** 2)
    FORMS[key, "norm", "printed"] = lambda N, d_h, L_f, C0=1, **_: C0 * N / L_f**2 / log(1 + d_h)
    for name in ("derived", "sharp"):
        FORMS[key, "width", name] = lambda N, B_U, L_f, c=LEVEL, name=name, **_: least_width(
            N, L_f * B_U, c, name == "sharp"
        )
        FORMS[key, "norm", name] = lambda N, d_h, L_f, c=LEVEL, name=name, **_: (
            (least_reach(N, d_h, c, name == "sharp") / L_f) ** 2
        )


@form(P + "7", "samples", "printed")
def _(N, C0=1, c_1=EIGHTH, **_):
    return C0 * N**c_1


@form(P + "7", "samples", "derived")
def _(N, d_h, L_y, c, c_3=LEVEL, **_):
    narrow = max(d_h, by_volume(N, exp(N**c) / sqrt(L_y) ** L_y, c_3))
    squared = L_y * least_reach(N, d_h, c_3) ** (2 / L_y)
    through = 2 * interpolating(mpf(1))
    wide = (max(mpf(0), squared - 2 * L_y + 4) / through) ** (mpf(1) / 3)
    return min(narrow, wide)


@form("maurey/readout", "product", "printed")
def _(N, L_y, risk):
    """The layers' sums of squares, one after the other: each activation brings both signs."""
    squares = mpf(1)
    for _ in range(int(L_y) - 1):
        squares += squares
    near = sqrt(risk * N * (N - 1))
    return max(mpf(0), N - 1 - near) / sqrt(2 * squares * max(mpf(1), N - 1))


@form(P + "7", "samples", "sharp")
def _(N, d_h, L_y, c, c_3=LEVEL, **_):
    narrow = max(d_h, by_volume(N, exp(N**c) / sqrt(L_y) ** L_y, c_3, sharp=True))
    squared = L_y * FORMS["maurey/readout", "product", "printed"](N, L_y, c_3) ** (2 / L_y)
    wide = (max(mpf(0), squared - 2 * L_y + 4) / (2 * interpolating(mpf(1)))) ** (mpf(1) / 3)
    return min(narrow, wide)


FORMS[P + "7", "probability", "printed"] = lambda c_2=SIXTH, **_: mpf(c_2)
FORMS[P + "7", "probability", "derived"] = FORMS[P + "36", "probability", "derived"] = lambda **_: SIXTH

# --- interpolation ---------------------------------------------------------------------------------------------------


def interpolating(n):
    """19 |y| sqrt(n + |z|^2)/eps with |y|^2 = 6n, |z|^2 = 3n and eps = sqrt(pi)/(3 n^2)."""
    return 19 * sqrt(6 * n) * sqrt(4 * n) * 3 * n**2 / sqrt(pi)


FORMS[P + "36", "total", "printed"] = lambda n, C0=1: C0 * n**3
FORMS[P + "36", "total", "derived"] = lambda n, **_: interpolating(n)
FORMS[P + "36", "probability", "printed"] = lambda C0=1, **_: mpf(C0)


@form(P + "36", "total", "sharp")
def _(n, **_):
    pairs = max(mpf(1), n * (n - 1) / 2)
    return 8 * sqrt(6 * n) * sqrt(10 * n + 2) * 3 * pairs / sqrt(pi)


FORMS[P + "37", "gap", "printed"] = lambda n, C0=1: C0 / n**2
FORMS[P + "37", "gap", "derived"] = lambda n, **_: sqrt(pi) / (3 * n**2)
FORMS[P + "37", "gap", "sharp"] = lambda n, **_: 2 * sqrt(pi) / (3 * max(mpf(2), n * (n - 1)))
FORMS[P + "37", "squares", "printed"] = lambda n, C0=1: C0 * n
FORMS[P + "37", "squares", "derived"] = lambda n, **_: 3 * n
for name in BOTH:
    FORMS[P + "37", "probability", name] = lambda **_: mpf(1) / 3
FORMS[P + "38", "width", "printed"] = lambda n, **_: n


@form(P + "38", "total", "printed")
def _(n, eps, y_norm, z_norm, C0=1):
    return C0 * y_norm / eps * sqrt(n + z_norm**2)


@form(P + "38", "total", "derived")
def _(n, eps, y_norm, z_norm, **_):
    return 19 * y_norm / eps * sqrt(n + z_norm**2)


@form(P + "38", "total", "sharp")
def _(n, eps, y_norm, z_norm, **_):
    return 8 * y_norm / eps * sqrt(n + 2 + 3 * z_norm**2)
