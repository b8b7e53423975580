"""Each bound put to its test: whether a mean above it would be rejected at its level. Balls decide, or integers; what
stays open does not pass. No risk is above 1."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isqrt

from flint import arb, fmpq

from ..wording import CAP, FINE, UNIT

BITS = 160


def ball(x: Fraction | int) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def log_of(delta: Fraction) -> arb:
    """log(1/delta)"""
    return ball(1 / delta).log()


def by_count(b: Fraction, k: int, n: int, delta: Fraction) -> bool:
    """P(Bin(n, b) <= k) <= delta, an incomplete beta integral."""
    if b >= 1:
        return True
    if k >= n:
        return False
    return bool((1 - ball(b)).beta_lower(n - k, k + 1, True) <= ball(delta))


def by_pool(b: Fraction, k: int, n: int, N: int, delta: Fraction) -> bool:
    """No pool with more than b N errors shows so few with probability delta or more; in integers."""
    M = b.numerator * N // b.denominator + 1
    if M > N:
        return True
    few = range(max(0, n - (N - M)), min(k, M) + 1)
    if not few:
        return True
    way = comb(M, few[0]) * comb(N - M, n - few[0])
    total = way
    for j in few[1:]:
        way = way * (M - j + 1) * (n - j + 1) // (j * (N - M - n + j))
        total += way
    return total * delta.denominator < comb(N, n) * delta.numerator


def by_divergence(b: Fraction, q: Fraction, rate: arb) -> bool:
    """kl(q||b) >= rate, and b is not below q."""
    if b >= 1:
        return True
    if b < q or b <= 0:
        return False
    p = ball(b)
    first = ball(q) * (ball(q) / p).log() if q else arb(0)
    return bool(first + (1 - ball(q)) * ((1 - ball(q)) / (1 - p)).log() >= rate)


def by_variance(b: Fraction, units: list[int], delta: Fraction) -> bool:
    n, total = len(units), sum(units)
    mean = Fraction(total, n * UNIT)
    distances = Fraction(sum(x * x for x in units), UNIT**2) - n * mean**2  # squared, from the mean
    price = ball(2 / delta).log()
    root = (2 * ball(distances / (n - 1)) * price / n).sqrt()
    return b >= 1 or bool(ball(mean) + root + 7 * price / (3 * (n - 1)) <= ball(b))


def by_mixture(b: Fraction, S: int, n: int, delta: Fraction) -> bool:
    """int_0^1 u^S/(1 - b + b u)^n du >= 1/delta; with v = b u/(1 - b + b u) it is an incomplete beta integral."""
    if b >= 1:
        return True
    if n - 2 < S or b <= 0:
        return False
    p, rest = ball(b), n - S - 1
    return bool(p.beta_lower(S + 1, rest, False) >= p ** (S + 1) * (1 - p) ** rest / ball(delta))


def by_squares(b: Fraction, units: list[int], slope: Fraction, delta: Fraction) -> bool:
    """One slope, which has all of delta here; guesses are means of what was before, and of one half."""
    if b >= 1:
        return True
    n, known, surprise = len(units), UNIT // 2, 0
    for t in range(n):
        surprise += (units[t] - known // (t + 1)) ** 2
        known += units[t]
    s = ball(slope)
    psi = -(1 - s).log() - s
    above = ball(Fraction(sum(units), n * UNIT)) + (log_of(delta) + psi * ball(Fraction(surprise, UNIT**2))) / (s * n)
    return bool(above <= ball(b))


def by_betting(b: Fraction, units: list[int], delta: Fraction, N: int = 0) -> bool:
    """The capital against a mean of b reaches 1/delta; without replacement from N, if that is given."""
    if b >= 1:
        return True
    n, goal, capital = len(units), 1 / ball(delta), arb(1)
    logarithm = (log_of(delta) * FINE).floor().unique_fmpz()
    if logarithm is None:
        return False
    seen, spread, mean, cap = 0, UNIT**2 // 4, ball(b), ball(CAP)
    highest = cap / (1 - mean)
    for t in range(n):
        if N:
            left = (b * N - Fraction(seen, UNIT)) / (N - t)
            if left > 1:
                return True
            mean = ball(left)
            highest = cap / (1 - mean) if left < 1 else None
        x = units[t]
        stake = arb(isqrt(2 * int(logarithm) * FINE * (t + 1) * UNIT**2 // (n * spread))) / FINE
        stake = stake if highest is None else stake.min(highest)
        capital *= 1 + stake * (mean - arb(x) / UNIT)
        if capital >= goal:
            return True
        spread += (x - (UNIT // 2 + seen) // (t + 1)) ** 2
        seen += x
    return False


def head_loss(margins: list[Fraction], KL: Fraction) -> arb:
    """The mean of Phi(-sqrt(2 KL) margin)."""
    scale = (2 * ball(KL)).sqrt()
    found = arb(0)
    for margin in margins:
        found += (scale * ball(margin) / arb(2).sqrt()).erfc()
    return found / (2 * len(margins))


def divergence(pairs: list[list[Fraction]], others: list[list[Fraction]]) -> arb:
    """Of the Gaussians (mean, deviation) from the others, coordinate by coordinate."""
    found = arb(0)
    for (m, s), (m_0, s_0) in zip(pairs, others, strict=True):
        found += ball(s_0 / s).log() - ball(Fraction(1, 2)) + ball((s * s + (m - m_0) ** 2) / (2 * s_0 * s_0))
    return found
