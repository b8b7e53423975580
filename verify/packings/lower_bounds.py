"""Certified lower bounds on log covering numbers, and the best of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from flint import arb, ctx

from maurey.numeric.exact import PRECISION, logarithm, short


class Lower(NamedTuple):
    """log N is at least `log`, a ball whose lower end counts; `how` says by what."""

    log: arb
    how: str

    def times(self, copies: int, how: str = "") -> Lower:
        """The product of so many copies, in the largest deviation: points multiply, and so does what a ball holds."""
        with ctx.workprec(PRECISION):
            return Lower(self.log * copies, how or f"{short(copies)} copies of {self.how}" if copies > 1 else self.how)

    def whole(self) -> Lower:
        """A number of centres is an integer."""
        if self.log.mid() > 30:
            return self
        with ctx.workprec(PRECISION):
            return Lower(logarithm(int(self.log.exp().lower().ceil().unique_fmpz())), self.how)


NOTHING = Lower(arb(0), "the class is not empty")


def best(candidates: Iterable[Lower]) -> Lower:
    return max(candidates, key=lambda one: one.log.mid(), default=NOTHING)


def spread(low: int, high: int, number: int = 8) -> list[int]:
    """A few integers from low to high, in geometric steps."""
    if high < low:
        return []
    steps = (round(low * (high / low) ** (i / (number - 1))) for i in range(number))
    return sorted({min(max(i, low), high) for i in steps} | {low, high})
