"""A bound on the gap of a trained network, certified, and how many samples it would take to say something.

Norms are computed in doubles; here they are rounded up, and from there on every number is an upper end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from sympy import Symbol, exp, log

from maurey.numeric.evaluation import upper_end, value_of
from maurey.numeric.types import Ball
from maurey.symbolic.derivation import Step

DIGITS = 10
ABOVE = Context(prec=DIGITS, rounding=ROUND_CEILING)
FLOATS = Decimal("1.000000001")  # a norm computed in doubles is short by less
MANY = Decimal(10) ** 90  # samples with which a search begins
ENOUGH = Decimal("1e-4")  # relative, of the gap that is asked for
LEAST_SLOPE = Decimal("-0.1")  # of a bound, in logarithms, where a search goes on: it may be level
LOSS = [Step("b", "b", log(1 + exp(Symbol("A"))), "the largest cross-entropy where |z| <= A")]

Values = Mapping[str, Any]  # exact, by name
Gap = Callable[[int], Decimal]  # from the number of samples


@dataclass(frozen=True)
class Stated:
    """A form of a claim, carried to the gap of one network: an upper bound on it, which may be negative."""

    key: str
    part: str
    form: str
    largest: Decimal  # the largest loss of the class
    trained_on: int
    least: int  # samples of which the claim speaks
    at: Gap

    @property
    def label(self) -> str:
        return f"{self.key}:{self.part}" if self.part else self.key

    @property
    def gap(self) -> Decimal | None:
        """None where the claim does not speak of so few samples."""
        return self.at(self.trained_on) if self.trained_on >= self.least else None

    def samples(self, gap: float) -> Decimal:
        """With about how many the bound is down to this gap; the least of which it speaks, if it always is.

        Secants in logarithms, from the right: a bound falls like a logarithm over sqrt(m), which is concave there, so
        that no secant goes beyond the crossing. Left of it a printed form may have a peak and be negative.
        """
        least, target, slope = Decimal(self.least), Decimal(gap).ln(), Decimal("-0.5")
        many, log_gap = MANY, self.at(int(MANY)).ln()
        while abs(log_gap - target) > ENOUGH:
            fewer = max(least, (many.ln() + (target - log_gap) / slope).exp())
            bound = self.at(int(fewer))
            if bound <= 0 or (fewer == least and bound <= gap):
                return least
            if int(fewer) == int(many):
                return fewer
            slope = min(LEAST_SLOPE, (bound.ln() - log_gap) / (fewer / many).ln())
            many, log_gap = fewer, bound.ln()
        return many


def above(x: Any) -> Any:
    """Rounded up."""
    return [above(y) for y in x] if isinstance(x, list) else Fraction(ABOVE.multiply(Decimal(x), FLOATS))


def rounded_up(x: Fraction) -> Decimal:
    """In digits, rounded up."""
    return ABOVE.divide(Decimal(x.numerator), Decimal(x.denominator))


def upper(ball: Ball) -> Decimal:
    return upper_end(ball, 2 * DIGITS)


def largest_loss(range_: Decimal | Fraction) -> Fraction:
    found: Fraction = above(upper(value_of(LOSS, {"A": Fraction(range_)})))
    return found
