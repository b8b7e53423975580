"""The second computation: bounds for one trained network, from sums over outcomes and integrals."""

from fractions import Fraction
from math import comb

from mpmath import betainc, erf, exp, log, mp, mpf, ncdf, sqrt, workdps

from independent.forms import form, near, several
from independent.lintilhac2026 import inverse, seeger_rate

BOTH = ("printed", "derived")


@near("clopper1934/upper", "maurey/occam", "maurey/prequential", "maurey/finite-pool")
def _(claim, at, rng):
    """Samples that can be counted, and no more errors than these."""
    at["m"] = str(rng.choice([1, 3, 10, rng.randint(4, 300)]))
    for name in {"errors", "total"} & set(at):
        at[name] = str(rng.randint(0, int(at["m"])))


@near("maurey/finite-pool", "hoeffding1963/4")
def _(claim, at, rng):
    at["N"] = str(int(at["m"]) + rng.randint(0, 60))


@near("maurey/prequential", "maurey/martingale-bernstein")
def _(claim, at, rng):
    """Where 1 - exp(-x) and log(1 - x) have digits in doubles."""
    at["m"] = str(rng.choice([3, 10, 300]))


@near("waudbysmith2024/without-replacement")
def _(claim, at, rng):
    at["N"] = str(int(at["n"]) + rng.randint(0, 9))


def root(f, rising):
    """Where f crosses 1 on (0, 1), by halving in the odds."""
    low, high = mpf(-400), mpf(400)
    with workdps(90):
        while high - low > mpf(10) ** -66:
            x = (low + high) / 2
            above = f(1 / (1 + exp(-x))) > 1
            low, high = (low, x) if above == rising else (x, high)
        return 1 / (1 + exp(-low))


def binomial(k, m, delta):
    """P(Bin(m, p) > k) is an incomplete beta integral; here summed."""
    k, m = int(k), int(m)

    def up_to(j, p):
        return sum(comb(m, i) * p**i * (1 - p) ** (m - i) for i in range(j + 1))

    if k == m:
        return mpf(1)
    if k > m - k:  # the complement has fewer terms
        return 1 - root(lambda q: up_to(m - k - 1, q) / (1 - delta), False)
    return root(lambda p: up_to(k, p) / delta, False)


@form("clopper1934/upper", "risk", "printed")
def _(errors, m, delta):
    return binomial(errors, m, delta)


@form("maurey/occam", "count", "derived")
def _(errors, m, delta, bits, **_):
    return binomial(errors, m, delta / 2**bits)


@several("maurey/occam", "mean", BOTH)
def _(loss_hat, m, delta, bits, **_):
    return inverse(loss_hat, (bits * log(2) - log(delta)) / m)


@form("maurey/finite-pool", "share", "printed")
def _(errors, m, N, delta):
    k, m, N = int(errors), int(m), int(N)
    level = Fraction(str(mp.nstr(delta, 20))).limit_denominator(1000)
    likely = [
        M for M in range(k, N - m + k + 1)
        if Fraction(sum(comb(M, j) * comb(N - M, m - j) for j in range(k + 1)), comb(N, m)) >= level
    ]  # fmt: skip
    return mpf(max(likely)) / N


@several("hoeffding1963/1", "risk", ("printed",))
def _(m, delta, loss_hat):
    return inverse(loss_hat, -log(delta) / m)


@form("hoeffding1963/1", "root", "printed")
def _(m, delta, loss_hat):
    return loss_hat + sqrt(-log(delta) / m / 2)


@form("hoeffding1963/4", "risk", "printed")
def _(m, delta, loss_hat, **_):
    return inverse(loss_hat, -log(delta) / m)


@form("hoeffding1963/4", "root", "printed")
def _(m, delta, loss_hat, **_):
    return loss_hat + sqrt(-log(delta) / m / 2)


@form("maurer2009/4", "risk", "printed")
def _(m, delta, loss_hat, variance):
    price = log(2) - log(delta)
    return loss_hat + sqrt(variance * price * 2 / m) + price * 7 / (3 * m - 3)


@form("waudbysmith2024/capital", "capital", "printed")
def _(mu, bet, loss, **_):
    won = mpf(1)
    for stake, x in zip(bet, loss, strict=True):
        won += won * stake * (mu - x)
    return won


@form("waudbysmith2024/without-replacement", "capital", "printed")
def _(mu, N, bet, loss, **_):
    won, left, total = mpf(1), N, N * mu
    for stake, x in zip(bet, loss, strict=True):
        won += won * stake * (total / left - x)
        left, total = left - 1, total - x
    return won


@form("maurey/martingale-bernstein", "risk", "printed")
def _(m, delta, loss_hat, squares, slope):
    return loss_hat - log(delta) / (m * slope) - squares * (1 + log(1 - slope) / slope)


@form("maurey/prequential", "fixed", "printed")
def _(m, delta, loss_hat, temperature, **_):
    u = exp(-temperature)
    return (1 - u**loss_hat * delta ** (1 / m)) / (1 - u)


@form("maurey/prequential", "mixture", "printed")
def _(total, m, delta, **_):
    """The integral by the substitution v = mu u/(1 - mu + mu u): an incomplete beta function."""
    S, m = int(total), int(m)
    if m - 2 < S:
        return mpf(1)

    def integral(mu):
        return betainc(S + 1, m - S - 1, 0, mu) / (mu ** (S + 1) * (1 - mu) ** (m - S - 1))

    return root(lambda mu: integral(mu) * delta, True)


@several("maurey/drawn", "risk", BOTH)
def _(m, delta, KL, draws, split, loss_hat):
    gibbs = inverse(loss_hat, -(log(split) + log(delta)) / draws)
    return inverse(gibbs, seeger_rate(KL, m, (1 - split) * delta))


@form("maurey/linear-head", "KL", "printed")
def _(scale, **_):
    return scale**2 / 2


@form("maurey/linear-head", "loss", "printed")
def _(n, scale, margin, **_):
    return sum(1 - erf(scale * x / sqrt(2)) for x in margin) / (2 * n)


@form("maurey/linear-head", "risk", "derived")
def _(n, delta, scale, margin):
    return inverse(sum(ncdf(-scale * x) for x in margin) / n, seeger_rate(scale**2 / 2, n, delta))
