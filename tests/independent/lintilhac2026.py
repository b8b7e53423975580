"""The second computation: Lintilhac and Shaikh 2026, PAC-Bayes bounds, chain of thought and property
testing; and the theorems that these rest on.
"""

from fractions import Fraction
from math import isqrt

from mpmath import exp, factorial, log, mp, mpf, sqrt, workdps

from independent.forms import COMPOSED, FORMS, form, near, several, up
from independent.lintilhac2026_sharpness import G_u, cost, gradient, norms, perturbed

P = "lintilhac2026/"
BOTH, ALL = ("printed", "derived"), ("printed", "derived", "sharp")

# --- the theorems ----------------------------------------------------------------------------------------------------


def inverse(q, c):
    """The largest p with kl(q||p) <= c, by bisection."""
    if q == 1:
        return q
    with workdps(160):
        low, high = mpf(q), mpf(1)
        while high - low > high * mpf(10) ** -62:
            p = (low + high) / 2
            first = q * log(q / p) if q else 0
            low, high = (p, high) if first + (1 - q) * log((1 - q) / (1 - p)) <= c else (low, p)
    return +low


def seeger_rate(KL, m, delta):
    return KL / m + log(2 / delta) / m + log(m) / (2 * m)


def gaussians(norm_squared, sigma):
    return norm_squared / sigma**2 / 2


def excess(K, Sigma, m):
    """At the best temperature."""
    return Sigma * sqrt(2 * K / m)


@form("hoeffding1963/lemma", "Sigma", "printed")
def _(b):
    return b / 2


@form("alquier2024/sub-gaussian", "risk", "printed")
def _(m, delta, KL, Sigma, temperature, loss_hat):
    return loss_hat + (KL - log(delta)) / temperature + temperature * Sigma**2 / 2 / m


@form("neyshabur2017/mcallester", "risk", "printed")
def _(m, delta, KL, loss_hat):
    return loss_hat + sqrt(16 * (KL + log(2 * m) - log(delta)) / m)


@form("maurer2004/5", "rate", "printed")
def _(m, delta, KL, **_):
    return seeger_rate(KL, m, delta)


@form("maurer2004/5", "risk", "printed")
def _(m, delta, KL, loss_hat):
    return inverse(loss_hat, seeger_rate(KL, m, delta))


@form("maurer2004/5", "root", "printed")
def _(m, delta, KL, loss_hat):
    return loss_hat + sqrt(seeger_rate(KL, m, delta) / 2)


# --- 12 and E.2 ------------------------------------------------------------------------------------------------------


@several(P + "12", "quadratic", BOTH)
def _(sigma, trace, **_):
    return sigma**2 * trace / 2


@several(P + "12", "remainder", BOTH)
def _(sigma, Delta, n, **_):
    return sigma**2 * n * Delta / 2


@several(P + "12", "expectation", BOTH)
def _(sigma, trace, Delta, n):
    return sigma**2 * (trace + n * Delta) / 2


@form(P + "E.2", "KL", "printed")
def _(sigma, norm_squared, **_):
    return gaussians(norm_squared, sigma)


@several(P + "E.2", "fixed", BOTH)
def _(m, delta, Sigma, sigma, temperature, norm_squared, loss_hat, **_):
    K = gaussians(norm_squared, sigma) + log(1 / delta)
    return loss_hat + K / temperature + temperature * Sigma**2 / (2 * m)


@several(P + "E.2", "temperature", BOTH)
def _(m, delta, Sigma, sigma, norm_squared, **_):
    return sqrt(m * norm_squared / sigma**2 + 2 * m * log(1 / delta)) / Sigma


@several(P + "E.2", "risk", BOTH)
def _(m, delta, Sigma, sigma, norm_squared, loss_hat, **_):
    return loss_hat + excess(gaussians(norm_squared, sigma) + log(1 / delta), Sigma, m)


@form(P + "E.2", "chosen", "derived")
def _(m, delta, Sigma, sigma, norm_squared, loss_hat, grid, **_):
    """Temperatures from the best for no divergence on, each twice the one before."""
    ell = log(grid / delta)
    K = gaussians(norm_squared, sigma) + ell
    beyond = sqrt(K / ell) / 2 ** (grid - 1)
    factor = max(sqrt(mpf(2)), beyond)
    return loss_hat + excess(K, Sigma, m) * (factor + 1 / factor) / 2


@form(P + "E.2", "risk", "sharp")
def _(m, delta, Sigma, sigma, norm_squared, loss_hat, **_):
    b = 2 * Sigma
    return b * inverse(min(mpf(1), loss_hat / b), seeger_rate(gaussians(norm_squared, sigma), m, delta))


@form(P + "E.2", "mcallester", "printed")
def _(m, delta, sigma, norm_squared, loss_hat, **_):
    return loss_hat + 4 * sqrt((gaussians(norm_squared, sigma) + log(2 * m / delta)) / m)


@form(P + "E.2", "mcallester", "derived")
def _(m, delta, sigma, norm_squared, loss_hat, **_):
    return loss_hat + sqrt(seeger_rate(gaussians(norm_squared, sigma), m, delta) / 2)


@form(P + "E.2", "mcallester", "sharp")
def _(m, delta, sigma, norm_squared, loss_hat, **_):
    return inverse(loss_hat, seeger_rate(gaussians(norm_squared, sigma), m, delta))


def best_deviation(slope, norm_squared, Sigma, m):
    """The root of 2 slope s = Sigma sqrt(norm^2/m)/s^2."""
    return mp.cbrt(Sigma * sqrt(norm_squared / m) / (2 * slope))


@form(P + "E.2", "sigma", "printed")
def _(m, Sigma, norm_squared, trace, **_):
    return best_deviation(trace / 2, norm_squared, Sigma, m)


@several(P + "E.2", "least", BOTH)
def _(m, Sigma, norm_squared, trace, **_):
    return 3 * trace / 2 * best_deviation(trace / 2, norm_squared, Sigma, m) ** 2


@form(P + "E.2", "at_best", "derived")
def _(m, delta, Sigma, norm_squared, trace, grid, **_):
    s = best_deviation(trace / 2, norm_squared, Sigma, m)
    return trace / 2 * s**2 + excess(gaussians(norm_squared, s) + log(grid / delta), Sigma, m)


# --- 2, 4, 5, 6 and E.3 ----------------------------------------------------------------------------------------------


def L(omega, D, T):
    return 1 + omega + (8 + 16 * D**2) * (D + 1) + 4 * omega * (D + 1) * log(T) ** 2


def size(omega, D, T):
    return sum(norms(omega, D, T).values())


def slope(omega, D, T):
    return sum(gradient(omega, D, T).values())


def printed_P(omega, D, T, sigma):
    return cost(omega, D, T, sigma, None, "printed")[1]


def perturbed_loss(omega, D, T, sigma, failing, best):
    """On the event: |f moves| <= |grad f . eps| + G_p |eps|, in mean square; or by the output itself."""
    G, moved = slope(omega, D, T), perturbed(omega, D, T, sigma, failing, best)
    count = FORMS[P + "B", "count", "printed"](D=D, T=T)
    through_gradient = sigma**2 * (sqrt(G) + sqrt(count) * moved["gradient"]) ** 2
    return min(through_gradient, sigma**2 * G + moved["f"] ** 2) if best else through_gradient


def gibbs(mean, norm_squared, sigma, m, delta, Sigma, grid, best):
    KL = gaussians(norm_squared, sigma)
    found = mean + excess(KL + log(grid / delta), Sigma, m)
    if not best:
        return found
    b = 2 * Sigma
    return min(found, b * inverse(min(mpf(1), mean / b), seeger_rate(KL, m, delta / grid)))


@form(P + "2", "risk", "printed")
def _(omega, D, T, m, delta, Sigma, sigma, grid=1, P=None, **_):
    beyond = printed_P(omega, D, T, sigma) if P is None else P
    return sigma**2 * (G_u(omega, D) + beyond / 2) + excess(gaussians(L(omega, D, T), sigma) - log(delta), Sigma, m)


def full(omega, D, T, m, delta, Sigma, sigma, grid, best, P=None, **_):
    if P is None:
        mean = perturbed_loss(omega, D, T, sigma, 1 / m, best) + 2 * Sigma / m
    else:
        mean = sigma**2 * (slope(omega, D, T) + P / 2)
    return gibbs(mean, size(omega, D, T), sigma, m, delta, Sigma, grid, best)


for name in ("derived", "sharp"):
    FORMS[P + "2", "risk", name] = lambda name=name, **at: full(best=name == "sharp", **at)
    FORMS[P + "E.3", "full", name] = lambda P=None, name=name, **at: full(best=name == "sharp", **at)


@form(P + "2", "temperature", "printed")
def _(omega, D, T, m, delta, Sigma, sigma, **_):
    return sqrt(2 * m * (gaussians(L(omega, D, T), sigma) + log(1 / delta))) / Sigma


def printed_deviation(omega, D, T, m, Sigma):
    return best_deviation(G_u(omega, D), L(omega, D, T), Sigma, m)


for key in ("2", "E.3"):
    FORMS[P + key, "sigma", "printed"] = lambda omega, D, T, m, Sigma, **_: printed_deviation(omega, D, T, m, Sigma)


@form(P + "2", "least", "printed")
def _(omega, D, T, m, Sigma, **_):
    return 3 * G_u(omega, D) * printed_deviation(omega, D, T, m, Sigma) ** 2


@form(P + "4", "Sigma", "printed")
def _(b):
    return b / 2


@form(P + "5", "trace", "printed")
def _(omega, D, **_):
    return 2 * G_u(omega, D)


@form(P + "5", "order", "printed")
def _(omega, D, C0=1, **_):
    return C0 * omega * D**3


for part in ("trace", "order"):
    FORMS[P + "5", part, "derived"] = lambda omega, D, T, **_: 2 * slope(omega, D, T)


@form(P + "6", "loss", "printed")
def _(omega, D, T, sigma, **_):
    return sigma**2 * (G_u(omega, D) + printed_P(omega, D, T, sigma) / 2)


for name in ("derived", "sharp"):
    FORMS[P + "6", "loss", name] = lambda omega, D, T, sigma, delta, name=name: perturbed_loss(
        omega, D, T, sigma, delta, name == "sharp"
    )


def stated(omega, D, T, m, delta, Sigma, beyond):
    """Objective (9) at the best deviation for what it truncates."""
    s = printed_deviation(omega, D, T, m, Sigma)
    return s**2 * (G_u(omega, D) + beyond / 2), excess(gaussians(L(omega, D, T), s) + log(1 / delta), Sigma, m)


FORMS[P + "E.3", "truncated", "printed"] = lambda omega, D, T, m, delta, Sigma, **_: sum(
    stated(omega, D, T, m, delta, Sigma, 0)
)
FORMS[P + "E.3", "semi", "printed"] = lambda omega, D, T, m, delta, Sigma, P, **_: sum(
    stated(omega, D, T, m, delta, Sigma, P)
)
FORMS[P + "E.3", "sharpness", "printed"] = lambda omega, D, T, m, delta, Sigma, **_: stated(
    omega, D, T, m, delta, Sigma, 0
)[0]
FORMS[P + "E.3", "norm_term", "printed"] = lambda omega, D, T, m, delta, Sigma, **_: stated(
    omega, D, T, m, delta, Sigma, 0
)[1]
FORMS[P + "E.3", "full", "printed"] = lambda P=None, **at: FORMS["lintilhac2026/2", "risk", "printed"](**at)


def at_best(omega, D, T, m, delta, Sigma, grid, beyond, best):
    s = best_deviation(slope(omega, D, T), size(omega, D, T), Sigma, m)
    mean = s**2 * (slope(omega, D, T) + beyond / 2)
    return gibbs(mean, size(omega, D, T), s, m, delta, Sigma, grid, best)


for name in ("derived", "sharp"):
    FORMS[P + "E.3", "truncated", name] = lambda sigma=None, P=None, name=name, **at: at_best(
        beyond=0, best=name == "sharp", **at
    )
    FORMS[P + "E.3", "semi", name] = lambda sigma=None, P=None, name=name, **at: at_best(
        beyond=P, best=name == "sharp", **at
    )

BUDGETS = {  # sums of the norms of columns
    "B_W_1": (lambda omega, D, T: sqrt(T + 2) * 2 * log(T) * sqrt(omega * D), "W_1", lambda omega, D: omega),
    "B_W_V": (lambda omega, D, T: sqrt(T + 2), "W_V", lambda omega, D: 1),
    "B_M": (lambda omega, D, T: 4 * (D + 1), "M", lambda omega, D: 4 * (D + 1)),
    "B_F": (lambda omega, D, T: sqrt(T + 2) * 4 * D * sqrt(D + 1), "F", lambda omega, D: 1),
    "B_W_2": (lambda omega, D, T: sqrt((T + 2) * omega) * 2 * log(T), "W_2", lambda omega, D: 1),
}
for part, (printed, block, columns) in BUDGETS.items():
    FORMS[P + "E.3", part, "printed"] = lambda omega, D, T, printed=printed, **_: printed(omega, D, T)
    FORMS[P + "E.3", part, "derived"] = lambda omega, D, T, block=block, columns=columns, **_: (
        columns(omega, D) * sqrt(norms(omega, D, T)[block] / columns(omega, D))
    )

# --- 7, 8 and 16 -----------------------------------------------------------------------------------------------------


def core(D, T, m, Sigma, sigma):
    """The exponent for one component of this degree."""
    P = printed_P(mpf(1), mpf(D), T, sigma)
    return m * sigma**2 * (2 * G_u(1, D) + P) / (2 * Sigma) ** 2 + gaussians(L(1, D, T), sigma)


@form(P + "7", "error", "printed")
def _(T, m, Sigma, sigma, **_):
    return 4 * T * exp(core(2, T, m, Sigma, sigma) - m / (8 * Sigma**2))


@form(P + "7", "step", "printed")
def _(T, m, Sigma, sigma, **_):
    return exp(core(2, T, m, Sigma, sigma) - m / (8 * Sigma**2) + log(4))


@form(P + "8", "error", "printed")
def _(T, m, Sigma, sigma, **_):
    return 4 * exp(core(T, T, m, Sigma, sigma) - m / (8 * Sigma**2))


def step_size(T):
    """T entries 2 log T, one value, 12 units, their offsets and weights, and a read-out."""
    offsets = sum((mpf(o) / 8 - mpf(i) / 2) ** 2 for i in range(3) for o in (-2, -1, 1, 2))
    return 4 * T * log(T) ** 2 + 1 + 12 + offsets + 8 * mpf(8) ** 2 + 1


def wrong(passes, omega, D, positions, norm_squared, m, delta, Sigma, sigma, grid, best):
    mean = perturbed_loss(omega, D, positions, sigma, 1 / m, best)
    KL = gaussians(norm_squared, sigma)
    if best:  # a wrong bit costs 1/4: four times the loss, clipped there, is at least the share of wrong bits
        return passes * inverse(min(mpf(1), 4 * mean + 1 / m), seeger_rate(KL, m, delta / grid))
    b = 2 * Sigma
    return passes / min(mpf(1) / 4, b) * (mean + b / m + excess(KL + log(grid / delta), Sigma, m))


for name in ("derived", "sharp"):
    FORMS[P + "7", "error", name] = lambda T, name=name, **at: wrong(
        T, mpf(1), mpf(2), 2 * T, step_size(T), best=name == "sharp", **at
    )
    FORMS[P + "7", "step", name] = lambda T, name=name, **at: wrong(
        1, mpf(1), mpf(2), 2 * T, step_size(T), best=name == "sharp", **at
    )
    FORMS[P + "8", "error", name] = lambda T, name=name, **at: wrong(
        1, mpf(1), T, T, size(mpf(1), T, T), best=name == "sharp", **at
    )

LOWER = {
    "gradient": lambda D, T, **_: G_u(1, D),
    "norm": lambda D, T, **_: L(1, D, T),
    "cost": lambda D, T, sigma, **_: printed_P(mpf(1), mpf(D), T, sigma),
    "log_core": core,
}
for part, quantity in LOWER.items():
    FORMS[P + "16", part, "printed"] = lambda T, quantity=quantity, **at: T * quantity(2, T, **at)
    FORMS[P + "16", part, "derived"] = lambda T, quantity=quantity, **at: quantity(T, T, **at)

# --- property testing ------------------------------------------------------------------------------------------------


def bijections(k):
    return factorial(k + 1) / (k + 2) ** (k + 1)


def trials(p, delta, name):
    return up(log(1 / delta) / (-log(1 - p) if name == "sharp" else p))


for name in ("printed", "sharp"):
    FORMS[P + "H", "repetitions", name] = lambda hit, delta, name=name, **_: trials(hit, delta, name)
for name in ALL:
    FORMS[P + "H", "queries", name] = lambda hit, k, delta, name=name, **_: trials(hit, delta, name) * 2 ** (k + 1)
    FORMS[P + "H", "component", name] = lambda k, delta, name=name, **_: (
        trials(bijections(k), delta, name) * 2 ** (k + 1)
    )
    FORMS[P + "H", "components", name] = lambda k, omega, delta, name=name, **_: (
        trials(bijections(k) / (1 if name == "printed" else omega), delta, name) * 2 ** (k + 1)
    )
    FORMS[P + "H", "slices", name] = lambda eps, free, delta, name=name, **_: trials(eps, delta, name) * 2**free
for name in BOTH:
    FORMS[P + "H", "hit", name] = lambda k, **_: bijections(k)

COMPOSED |= {P + "7", P + "8", P + "16"}  # the steps of 2 and 17 for one component
# put together from the steps of 14, 24, 30 and 31
COMPOSED |= {(P + "17", part, name) for part in ("trace", "P") for name in ("derived", "sharp")}


# --- points ----------------------------------------------------------------------------------------------------------


@near("lintilhac2026")
def _(claim, at, rng):
    """What the claims on sparse Boolean functions assume, and perturbations for which units do or do not cross."""
    if "T" in at:
        at["T"] = str(max(int(at.get(name, 4)) for name in ("T", "omega", "D")))
    for name in ("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V"):
        if name in at:
            at[name] = str(Fraction(rng.randint(1, 99), 3000 * int(at.get("D", 1))))
    if "x" in at:
        at["x"] = str(Fraction(rng.randint(0, 400), 100 * int(at["D"])))
    if claim.number in ("7", "8", "16"):  # two bits at least; exponents that leave a number with decimals
        at |= {"T": str(max(int(at["T"]), 2)), "m": str(rng.randint(1, 10 ** rng.randint(1, 7)))}
    if "sigma" in at:
        at["sigma"] = str(Fraction(rng.randint(1, 99), 10 ** rng.randint(2, 9)))
    if {"sigma", "D", "T"} <= set(at) and rng.random() < 0.5:  # near where units begin to cross
        far = 1000 * int(at["D"]) * (8 + isqrt(int(at["T"])))
        at["sigma"] = str(Fraction(rng.randint(20, 120), far))


@near(P + "B")
def _(claim, at, rng):
    at["T"] = str(max(int(at["T"]), 4))


@near(P + "H")
def _(claim, at, rng):
    """Doubles tell 1 - p from 1."""
    at["k"] = str(rng.randint(1, 5))
