"""Tails of counts and of their mixture, and their inverses, in balls.

A sum of probabilities begins at its largest index that counts and goes on while terms are large: each is the one before
times a ratio that falls from term to term, so that what is left out is at most term * ratio/(1 - ratio).

An inverse is a root in the logit x = log(p/(1 - p)). Newton's steps in midpoints find it, and on both sides of where
they end the sign is checked, in balls. Where it stays open (1 - p below 2^-bits) the ball goes up to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb, exp, isfinite, log, nan, sqrt
from typing import Any

from flint import arb, ctx, fmpq
from mpmath import mp
from mpmath.libmp import to_rational

from .types import Ball
from .walk import Undefined

MOST = 10**8  # trials: sums have up to some square roots of them as terms
SPARE = 48  # bits that a long sum may lose
MOST_STEPS = 300
MOST_BITS = 1 << 14
Log = Callable[[arb], tuple[arb, arb]]  # of the logit: the logarithm of a monotone quantity, and its derivative


def logit(p: float) -> float:
    return log(p / (1 - p))


def _logits(x: arb) -> tuple[arb, arb]:
    """p and 1 - p."""
    return 1 / (1 + (-x).exp()), 1 / (1 + x.exp())


# --- sums -------------------------------------------------------------------------------------------------------------


def _series(first: int, last: int, ratio: Callable[[int], arb]) -> arb:
    """1 + r_first + r_first r_(first+1) + ... + r_first ... r_last, where the ratios fall."""
    total, term = arb(1), arb(1)
    for i in range(first, last + 1):
        r = ratio(i)
        term *= r
        total += term
        if i % 16 == 0 and r < 1:
            rest = term * r / (1 - r)
            if rest < total * arb(2) ** -(ctx.prec - SPARE // 2):
                return total + arb(0).union(rest)
    return total


def log_below(k: int, m: int, x: arb) -> tuple[arb, arb]:
    """The logarithm of P(Bin(m, p) <= k), k < m, and its derivative in the logit. Right of the mean it is summed from k
    down; left of it, what is above k is, from k + 1 up."""
    p, q = _logits(x)
    log_term = _log_choose(m, k) + k * p.log() + (m - k) * q.log()
    slope = (m - k) * p
    if p * (m + 1) > k:
        odds = (-x).exp()
        sums = _series(1, k, lambda i: odds * (k - i + 1) / (m - k + i))
        return log_term + sums.log(), -slope / sums
    odds = x.exp()
    sums = _series(1, m - k - 1, lambda i: odds * (m - k - i) / (k + i + 1))
    log = (-(log_term + x).exp() * sums * (m - k) / (k + 1)).log1p()
    return log, -slope * (log_term - log).exp()


def log_mixture(S: int, m: int, x: arb) -> tuple[arb, arb]:
    """The same of the mixture at the sum S < m - 1."""
    (p, q), odds = _logits(x), x.exp()
    value = _series(S + 1, m - 2, lambda i: odds * (m - 1 - i) / (i + 1)) / (S + 1) / q
    return value.log(), 1 / value - (S + 1) + m * p


def hypergeometric(k: int, m: int, N: int, M: int) -> arb:
    """P(Hyp(N, M, m) <= k): of M errors among N, at most k among m."""
    top, low = min(k, m, M), max(0, m - (N - M))
    if top < low:
        return arb(0)
    logs = (_log_choose(M, top), _log_choose(N - M, m - top), -_log_choose(N, m))
    sums = _series(1, top - low, lambda i: arb(top - i + 1) * (N - M - m + top - i + 1) / (M - top + i) / (m - top + i))
    return sum(logs, arb(0)).exp() * sums


def _log_choose(n: int, k: int) -> arb:
    return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()


# --- inverses ---------------------------------------------------------------------------------------------------------


def _root(log: Log, level: arb | fmpq, start: float, width: float, sign: int) -> arb | None:
    """p where the quantity is at the level, if that is decided at this precision; it rises in the logit, or falls (sign
    -1), and the root is sought from the start outward."""
    bits = ctx.prec
    with ctx.workprec(bits + SPARE):
        wanted = arb(level).log()
        low = high = arb(start)
        step = arb(width)
        while not sign * (log(low)[0] - wanted) < 0:
            low, step = low - step, 2 * step
            if low < -MOST_BITS:
                return None
        step = arb(width)
        while not sign * (log(high)[0] - wanted) > 0:
            if high > 4 * bits:
                return _logits(high)[0].union(arb(1))
            high, step = high + step, 2 * step
        x = ((low + high) / 2).mid()
        for _ in range(MOST_STEPS):
            value, slope = log(x)
            gap = (value - wanted).mid()
            low, high = (x, high) if sign * gap < 0 else (low, x)
            step = (gap / slope).mid()
            if abs(step) < arb(2) ** -(bits + 8):
                break
            x = (x - step).mid() if low < x - step < high else ((low + high) / 2).mid()
        ends = x - arb(2) ** -(bits + 4), x + arb(2) ** -(bits + 4)
        below, above = (sign * (log(end)[0] - wanted) for end in ends)
        return _logits(ends[0].union(ends[1]))[0] if below < 0 and above > 0 else None


def _checked(k: Ball, m: Ball, delta: Ball) -> tuple[int, int]:
    whole = all(isinstance(x, fmpq) and x.q == 1 for x in (k, m))
    if not whole or not 0 <= k <= m or not (delta > 0 and delta <= 1):
        raise Undefined("a tail of counts that are not whole, or not in their range, or at a level outside (0, 1]")
    if m > MOST:
        raise Undefined(f"a tail of more than {MOST} trials is too long to be summed")
    return int(k.p), int(m.p)


def _inverse(log: Log, seen: int, m: int, wanted: Ball, sign: int) -> arb | None:
    """At both ends of a level that is a ball."""
    start, width = logit((seen + 0.5) / (m + 1)), 1 / sqrt(seen + 1)
    levels = [wanted] if isinstance(wanted, fmpq) else [wanted.lower(), wanted.upper()]
    found = [_root(log, level, start, width, sign) for level in levels]
    ends = [end for end in found if end is not None]
    return None if len(ends) < len(found) else ends[0].union(ends[-1])


def of_binomial(k: Ball, m: Ball, delta: Ball) -> Ball | None:
    """A ball around the inverse, or none at this precision."""
    errors, trials = _checked(k, m, delta)
    if errors == trials:
        return fmpq(1)
    return _inverse(lambda x: log_below(errors, trials, x), errors, trials, delta, -1) if delta != 1 else fmpq(0)


def of_mixture(S: Ball, m: Ball, delta: Ball) -> Ball | None:
    total, trials = _checked(S, m, delta)
    if total > trials - 2:
        return fmpq(1)
    return _inverse(lambda x: log_mixture(total, trials, x), total, trials, 1 / delta, 1)


def of_hypergeometric(k: Ball, m: Ball, N: Ball, delta: Ball) -> Ball | None:
    """An exact rational: M is found by halving, and what a ball leaves open is counted in integers."""
    errors, drawn = _checked(k, m, delta)
    if not (isinstance(N, fmpq) and N.q == 1 and m <= N):
        raise Undefined("a sample that is larger than its pool")
    pool = int(N.p)
    low, high = errors, pool - (drawn - errors) + 1  # all that were drawn and are no errors are none
    while high - low > 1:
        middle = (low + high) // 2
        enough = _enough(errors, drawn, pool, middle, delta)
        if enough is None:
            return None
        low, high = (middle, high) if enough else (low, middle)
    return fmpq(low, pool)


def _enough(k: int, m: int, N: int, M: int, delta: Ball) -> bool | None:
    tail = hypergeometric(k, m, N, M)
    if tail >= delta:
        return True
    if tail < delta:
        return False
    if ctx.prec < 512 or not isinstance(delta, fmpq):
        return None
    counted = sum(comb(M, j) * comb(N - M, m - j) for j in range(min(k, M) + 1))
    return bool(fmpq(counted, comb(N, m)) >= delta)


# --- other numbers ----------------------------------------------------------------------------------------------------


def plainly(of: Callable[..., Ball | None]) -> Callable[..., Any]:
    """For mpmath, to its precision."""

    def plain(*arguments: Any) -> Any:
        *counts, level = arguments
        with ctx.workprec(mp.prec + SPARE):
            return mp.mpf(arb(_found(of, [fmpq(int(n)) for n in counts], _level(*to_rational(level._mpf_)))).mid())

    return plain


def on_arrays(of: Callable[..., Ball | None]) -> Callable[..., Any]:
    """For doubles, point by point; the last argument is the logarithm of the level."""

    @lru_cache(maxsize=1 << 14)
    def at(*arguments: float) -> float:
        *counts, log = arguments
        if not (log <= 0 and all(isfinite(n) and abs(n - round(n)) <= 1e-9 * n for n in counts)):
            return nan  # counts are exponentials of logarithms
        level = _level(*exp(log).as_integer_ratio()) if log > -700 else arb(log).exp()
        try:
            with ctx.workprec(80):
                return float(arb(_found(of, [fmpq(round(n)) for n in counts], level)).mid())
        except Undefined:
            return nan

    def over(*arguments: Any) -> Any:
        import numpy as np

        return np.vectorize(at, otypes=[float])(*arguments)

    return over


def _found(of: Callable[..., Ball | None], counts: list[fmpq], level: Ball) -> Ball:
    """At as many bits as it takes."""
    while ctx.prec <= MOST_BITS:
        if (found := of(*counts, level)) is not None:
            return found
        ctx.prec *= 2
    raise Undefined("a tail of counts that stays open")


def _level(p: int, q: int) -> fmpq:
    """A level that is rounded from a simple fraction is that fraction: M jumps there."""
    simple = Fraction(p, q).limit_denominator(10**6)
    near = simple > 0 and abs(simple * q / p - 1) < Fraction(1, 10**14)
    return fmpq(simple.numerator, simple.denominator) if near else fmpq(p, q)
