r"""What doubles say of a real number, with the error they may have made.

u = 2^-53 is the unit roundoff. A sum of n products, in any order, with or without fused operations, is off by at most
gamma(n) times the sum of the absolute products, gamma(n) = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical
Algorithms, 3.1 and 3.5); if the terms are not negative, that is a relative error. What underflows on the way is less
than 2^-1022 for each operation; numbers here are scaled such that all of it together is far below one unit in the last
place of what is asked for, and `between` gives away some of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

UNIT = 2.0**-53
SPARE = 4 * UNIT  # for the handful of operations on scalars


@dataclass(frozen=True)
class Between:
    """A real number, by exact ends."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper:
            raise ValueError(f"{self.lower} to {self.upper} holds no norm")


ZERO = Between(Fraction(0), Fraction(0))


def gamma(n: int) -> float:
    """Rounded up."""
    if n * UNIT > 0.01:
        raise ValueError(f"sums of {n} terms in doubles say too little")
    return n * UNIT / (1 - n * UNIT) * (1 + SPARE)


def above(x: float) -> float:
    return math.nextafter(x * (1 + SPARE), math.inf)


def below(x: float) -> float:
    return max(0.0, math.nextafter(x * (1 - SPARE), -math.inf))


def between(low: float, high: float, exponent: int = 0) -> Between:
    """Times 2^exponent, a little wider."""
    scale = Fraction(2) ** exponent
    return Between(Fraction(below(low)) * scale, Fraction(above(high)) * scale)


def around(x: float, error: float, exponent: int = 0) -> Between:
    """Whatever x is with this relative error."""
    return between(x / (1 + error), x / (1 - error), exponent)


def root_around(x: float, error: float, exponent: int = 0) -> Between:
    """The root of it."""
    return between(math.sqrt(x / (1 + error)), math.sqrt(x / (1 - error)), exponent)
