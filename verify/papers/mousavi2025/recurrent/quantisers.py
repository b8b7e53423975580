"""Quantisers of a standard Gaussian, with certified error: cells between thresholds, each read as its mean.

The error is 1 less the second moment of the means, sum_i (phi(a_i) - phi(a_{i+1}))^2 / p_i over cells of mass p_i. All
are symmetric, with an even number of cells, so that the positive half tells everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from maurey.numeric.exact import to_ball

PRECISION = 128
UNIT = 10**6  # thresholds are rationals with this denominator


@dataclass(frozen=True)
class Quantiser:
    """2^bits cells."""

    bits: int
    thresholds: tuple[Fraction, ...]  # those that are not negative, the first of them 0
    levels: tuple[arb, ...]  # the positive ones
    error: arb

    @property
    def width(self) -> arb:
        """How far the extreme levels are apart."""
        return 2 * self.levels[-1]

    @property
    def values(self) -> NDArray[np.float64]:
        positive = np.array([float(level) for level in self.levels])
        return np.concatenate([-positive[::-1], positive])

    def cells(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
        right = np.array([float(a) for a in self.thresholds])
        return np.searchsorted(np.concatenate([-right[:0:-1], right]), x)


@cache
def quantiser(bits: int) -> Quantiser:
    """Thresholds near Lloyd's and Max's, halfway between the means beside them. They need not be the best: the error is
    that of the thresholds taken."""
    thresholds = tuple(Fraction(round(a * UNIT), UNIT) for a in _halfway(1 << (bits - 1)))
    with ctx.workprec(PRECISION):
        tails = [(to_ball(a) / arb(2).sqrt()).erfc() / 2 for a in thresholds] + [arb(0)]
        heights = [(-(to_ball(a) ** 2) / 2).exp() / (2 * arb.pi()).sqrt() for a in thresholds] + [arb(0)]
        masses = [a - b for a, b in pairwise(tails)]
        means = [(a - b) / p for (a, b), p in zip(pairwise(heights), masses, strict=True)]
        error = 1 - 2 * sum((p * m**2 for p, m in zip(masses, means, strict=True)), arb(0))
        return Quantiser(bits, thresholds, tuple(means), error)


def _halfway(count: int) -> list[float]:
    """So many thresholds, in doubles: alternately means of cells and points halfway between them."""
    a = np.linspace(0, 3, count + 1)[:-1]
    for _ in range(400):
        tails = np.array([*(math.erfc(x / math.sqrt(2)) / 2 for x in a), 0.0])
        heights = np.append(np.exp(-(a**2) / 2) / math.sqrt(2 * math.pi), 0.0)
        means = np.diff(heights) / np.diff(tails)
        a = np.concatenate([[0.0], (means[1:] + means[:-1]) / 2])
    return [float(x) for x in a]
