"""What counts of trials are worth: intervals of fractions, resampled thresholds, and laws of growth fitted to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054  # the 0.975 quantile of the standard normal law
TAILS = (0.025, 0.975)
ROUNDS = 500  # of a fit with limits
DECIMALS = 6  # of an exponent, so that rounding errors do not put it below 1
Numbers = NDArray[np.float64]
Sides = NDArray[np.int64]  # of a threshold: 0 it is the value, 1 it is beyond, -1 it is the value or below


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a probability: all q with |k/n - q| <= z sqrt(q (1 - q) / n), that is
    (k/n + z²/2n ± z sqrt(k/n (1 - k/n) / n + z²/4n²)) / (1 + z²/n)."""
    if not trials:
        return 0.0, 1.0
    share, scale = successes / trials, 1 + Z**2 / trials
    middle = (share + Z**2 / (2 * trials)) / scale
    half = Z * math.sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


def difference(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float, float]:
    """p - q of two counts (successes, trials), and Newcombe's 95 % interval from the Wilson intervals [l, u] of each:
    from p - q - sqrt((p - l_p)² + (u_q - q)²) to p - q + sqrt((u_p - p)² + (q - l_q)²)."""
    p, q = (successes / trials for successes, trials in (first, second))
    (low_p, high_p), (low_q, high_q) = wilson(*first), wilson(*second)
    return p - q, p - q - math.hypot(p - low_p, high_q - q), p - q + math.hypot(high_p - p, q - low_q)


def threshold(grid: Sequence[int], reached: NDArray[np.bool_]) -> tuple[Numbers, Sides]:
    """Row by row of `reached` (rows, grid), the smallest value of the grid that is reached. If none is, the threshold
    is beyond the last; if the first is, it is there or below."""
    values, at, some = np.array(grid, dtype=float), reached.argmax(1), reached.any(1)
    return np.where(some, values[at], values[-1]), np.where(some, np.where(at == 0, -1, 0), 1)


def resampled(successes: Sequence[int], trials: Sequence[int], number: int, seed: Sequence[int]) -> Numbers:
    """Fractions (number, cells) of trials drawn again from each cell, with replacement: binomial(n, k/n) / n."""
    k, n = np.array(successes), np.array(trials)
    return np.random.Generator(np.random.Philox(list(seed))).binomial(n, k / n, (number, len(n))) / n


def line(x: Numbers, y: Numbers, sides: Sides) -> tuple[Numbers, Numbers, Numbers]:
    """a and b, row by row of y (rows, points), that minimise the sum over i of the squared distance from a + b x_i to
    what is known: the point y_i, all above it (side 1) or all below it (side -1). And the root mean square distance.

    The sum is convex. A limit counts as met where the line is on its side; solving again with the line's own value
    there never raises the sum, and repeats until nothing moves.
    """
    design = np.stack([np.ones_like(x), x], 1)  # (points, 2)
    solve, known = np.linalg.pinv(design).T, y
    for _ in range(ROUNDS if sides.any() else 1):
        ends = known @ solve  # (rows, 2)
        fitted = ends @ design.T
        met = (fitted - y) * sides > 0
        known = np.where(met, fitted, y)
    return ends[:, 0], ends[:, 1], np.sqrt(((known - fitted) ** 2).mean(1))


@dataclass(frozen=True)
class Growth:
    """Two laws for thresholds m against T: a + b log T, and c T^p with an interval of p."""

    a: float
    b: float
    c: float
    p: float
    interval: tuple[float, float]
    residuals: tuple[float, float]  # root mean square, in samples, of the one and the other

    @property
    def sublinear(self) -> bool | None:
        """Whether p < 1, if the whole interval says so."""
        low, high = self.interval
        return True if high < 1 else False if low >= 1 else None


def growth(T: Sequence[int], sizes: Numbers, sides: Sides, again: Numbers, sides_again: Sides) -> Growth:
    """Least squares in m for a + b log T and in log m for c T^p, from thresholds (T,) and resampled ones (rows, T). The
    interval of p has 95 % of its resampled values."""
    x = np.log(np.array(T, dtype=float))
    (a,), (b,), (off,) = line(x, sizes[None], sides[None])
    (c,), (p,), _ = line(x, np.log(sizes)[None], sides[None])
    power = np.exp(c + p * x)
    wrong = np.where((power - sizes) * sides > 0, 0.0, power - sizes)
    low, high = np.quantile(line(x, np.log(again), sides_again)[1], TAILS)
    return Growth(
        float(a), float(b), float(np.exp(c)), round(float(p), DECIMALS),
        (round(float(low), DECIMALS), round(float(high), DECIMALS)),
        (float(off), float(np.sqrt((wrong**2).mean()))),
    )  # fmt: skip


@cache
def student(freedom: int) -> float:
    """The 0.975 quantile of Student's law: P(|t| > x) = I_{n/(n + x²)}(n/2, 1/2) is 0.05 there."""
    import mpmath

    outside = lambda x: mpmath.betainc(freedom / 2, 0.5, 0, freedom / (freedom + x**2), regularized=True)  # noqa: E731
    return float(mpmath.findroot(lambda x: outside(x) - 0.05, (1.5, 13.0), solver="anderson"))


def trend(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float] | None:
    """The slope of the least-squares line through the points and its 95 % interval, b ± t sqrt(sum of squared residuals
    / (n - 2) / sum of (x - mean)²); three points at least."""
    at, values = np.array(x, dtype=float), np.array(y, dtype=float)
    if len(at) < 3:
        return None
    spread = at - at.mean()
    b = float(spread @ values / (spread @ spread))
    left = values - values.mean() - b * spread
    half = student(len(at) - 2) * math.sqrt(float(left @ left) / (len(at) - 2) / float(spread @ spread))
    return b, b - half, b + half
