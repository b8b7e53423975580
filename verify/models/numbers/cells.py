"""Numbers that are read off a trained network, rounded up to a grid that was there before: maurey/posthoc.

The weight of a class is a rational below the exact one, and its norms are rationals above the exact ones, so that what
is computed with them is certified.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, prod

PER_OCTAVE = 8
TOTAL = Fraction(228986814, 10**8)  # above pi^2/3 - 1 = 2.289868133...
LEAST = Fraction(1, 1 << 40)  # a norm that is less, zero for one, is put in the cell of this
BITS = 60


@dataclass(frozen=True)
class Cell:
    """What is at most 2^(k/8)."""

    k: int

    @property
    def bound(self) -> Fraction:
        """Not below 2^(k/8), and above by less than 2^-59, relative."""
        whole, rest = divmod(self.k, PER_OCTAVE)
        eighth = isqrt(isqrt(isqrt(1 << (rest + PER_OCTAVE * BITS)))) + (rest > 0)
        return Fraction(2) ** whole * Fraction(eighth, 1 << BITS)

    @property
    def place(self) -> int:
        return 1 + abs(self.k)


def cell(x: Fraction) -> Cell:
    """The smallest that holds x, or LEAST."""
    power = max(x, LEAST) ** PER_OCTAVE
    k = power.numerator.bit_length() - power.denominator.bit_length()  # off by one at most
    k = next(j for j in (k - 1, k, k + 1) if power <= Fraction(2) ** j)
    return Cell(k)


def weight(cells: Iterable[Cell]) -> Fraction:
    """By which delta is multiplied."""
    places = [one.place for one in cells]
    return Fraction(1, prod(places) ** 2) / TOTAL ** len(places)
