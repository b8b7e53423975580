"""Betting against a mean, loss by loss: the capital of the claims waudbysmith2024, at any number of losses.

Before loss t, with m_t the mean of those before and of one more, 1/2, and v_t the mean of (x_i - m_i)^2 over those
before and of one more, 1/4, the stake is min(sqrt(2 log(1/delta)/(n v_t)), c/(1 - mu)), c = CAP: rounded down to
multiples of 1/FINE, in integers, so that it is one number everywhere. A mean is rejected once the capital has reached
1/delta; it increases with the mean, so that one search finds the least mean, in multiples of 1/GRID, that is
certainly rejected.

Doubles say where to look, and balls decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import isqrt, log

import numpy as np
from flint import arb, ctx, fmpq

from maurey.numeric.exact import to_rational

from .wording import CAP, FINE, GRID, UNIT

BITS = 128


def stakes(units: Sequence[int], delta: Fraction) -> list[int]:
    """In multiples of 1/FINE, before they are capped; each from the losses before."""
    n, total, squares, found = len(units), UNIT // 2, UNIT * UNIT // 4, []
    logarithm = _logarithm(delta)
    for t, x in enumerate(units, 1):
        found.append(isqrt(2 * logarithm * FINE * t * UNIT * UNIT // (n * squares)))
        squares += (x - total // t) ** 2
        total += x
    return found


def _logarithm(delta: Fraction) -> int:
    """log(1/delta) in multiples of 1/FINE, rounded down."""
    bits = BITS
    while True:
        with ctx.workprec(bits):
            found = (arb(to_rational(1 / delta)).log() * FINE).floor().unique_fmpz()
        if found is not None:
            return int(found)
        bits *= 2


def upper(units: Sequence[int], delta: Fraction, pool: int | None = None) -> int:
    """The least mean that is rejected, in multiples of 1/GRID; GRID if none is."""
    own = stakes(units, delta)
    guess, step = _guess(units, own, delta, pool), 1
    low, high = max(-1, guess - 2), guess
    while low >= 0 and rejected(low, units, own, delta, pool):
        low, high, step = max(-1, low - step), low, 4 * step
    while high < GRID and not rejected(high, units, own, delta, pool):
        low, high, step = high, min(GRID, high + step), 4 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rejected(middle, units, own, delta, pool) else (middle, high)
    return high


def _guess(units: Sequence[int], own: Sequence[int], delta: Fraction, pool: int | None) -> int:
    """By doubles."""
    low, high = 0.0, 1.0
    x, bets = np.array(units) / UNIT, np.array(own) / FINE
    before, wanted = np.concatenate([[0.0], np.cumsum(x)[:-1]]), log(delta.denominator) - log(delta.numerator)
    for _ in range(44):
        mean = (low + high) / 2
        low, high = (low, mean) if _won(mean, x, bets, before, pool).max() >= wanted else (mean, high)
    return min(GRID, round(high * GRID))


def _won(mean: float, x: np.ndarray, bets: np.ndarray, before: np.ndarray, pool: int | None) -> np.ndarray:
    """Logarithms of the capital, in doubles."""
    left = np.full(len(x), mean) if pool is None else (pool * mean - before) / (pool - np.arange(len(x)))
    with np.errstate(divide="ignore", invalid="ignore"):
        capped = np.where(left < 1, np.minimum(bets, float(CAP) / (1 - left)), bets)
        found = np.cumsum(np.log1p(capped * (left - x)))
    return np.where(np.logical_or.accumulate(left > 1), np.inf, found)


def rejected(mean: int, units: Sequence[int], own: Sequence[int], delta: Fraction, pool: int | None = None) -> bool:
    """Certainly: in balls, until the capital has reached 1/delta. A mean that those left of a pool cannot have is."""
    with ctx.workprec(BITS):
        capital, target, left = arb(1), to_rational(1 / delta), arb(fmpq(mean, GRID))
        most = to_rational(CAP) / (1 - left)
        for t, (x, stake, before) in enumerate(zip(units, own, accumulate([0, *units]), strict=False)):
            if pool is not None:
                exactly = fmpq(pool * mean * UNIT - before * GRID, (pool - t) * GRID * UNIT)
                if exactly > 1:
                    return True
                left, most = arb(exactly), to_rational(CAP) / (1 - arb(exactly)) if exactly < 1 else arb(FINE**4)
            bet = arb(stake) / FINE
            capital *= 1 + (bet if mean == GRID else bet.min(most)) * (left - arb(x) / UNIT)
            if capital >= target:
                return True
    return False
