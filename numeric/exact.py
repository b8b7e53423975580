"""Exact numbers and their decimals: integers and rationals, logarithms of counts, and safe texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from maurey.symbolic.errors import InputError, cut

from .types import Point

PRECISION = 512  # of logarithms of factorials: counts may have hundreds of digits, of which the leading ones cancel
EXACT = 64  # terms of a binomial up to which counts are taken as integers


def context(digits: int, rounding: str = ROUND_HALF_EVEN) -> Context:
    """Decimals with so many digits, and exponents as large as they come."""
    return Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


SIX_UP = context(6, ROUND_CEILING)
MOST_DIGITS = 10_000


def check_digits(digits: Any) -> int:
    """Of a value that is asked for."""
    if not isinstance(digits, Integral) or isinstance(digits, bool) or not 1 <= int(digits) <= MOST_DIGITS:
        raise InputError(f"digits must be an integer from 1 to {MOST_DIGITS}, got {cut(str(digits))}")
    return int(digits)


# --- integers and rationals -------------------------------------------------------------------------------------------


def below(x: Fraction) -> int:
    """The largest integer less than x."""
    return math.ceil(x) - 1


def ceil_root(x: Fraction) -> int:
    """The least integer whose square is at least x > 0."""
    return math.isqrt(math.ceil(x) - 1) + 1


def to_rational(value: Any) -> Any:
    """For Arb; of lists, entry by entry."""
    return [to_rational(v) for v in value] if isinstance(value, list) else fmpq(value.numerator, value.denominator)


def to_ball(x: Fraction) -> arb:
    return arb(to_rational(x))


# --- logarithms of counts ---------------------------------------------------------------------------------------------


def logarithm(count: int) -> arb:
    with ctx.workprec(PRECISION):
        return arb(fmpz(count)).log()


def log_ratio(points: int, most: int) -> arb:
    """Not rounded to an integer: what counting gives multiplies over products, numbers of centres need not."""
    with ctx.workprec(PRECISION):
        return arb(fmpz(points)).log() - arb(fmpz(most)).log()


def log_binomial(n: int, j: int) -> arb:
    if min(j, n - j) <= EXACT:
        return logarithm(math.comb(n, j))
    with ctx.workprec(PRECISION):
        return (arb(fmpz(n)) + 1).lgamma() - (arb(fmpz(j)) + 1).lgamma() - (arb(fmpz(n - j)) + 1).lgamma()


def log_ball(n: int, squared_radius: Fraction = Fraction(1)) -> arb:
    """The volume of the Euclidean ball."""
    with ctx.workprec(PRECISION):
        half = arb(fmpz(n)) / 2
        return half * (arb.pi() * to_ball(squared_radius)).log() - (half + 1).lgamma()


# --- texts ------------------------------------------------------------------------------------------------------------


def decimal(x: arb | fmpq, up: bool = True) -> str:
    """Six digits, rounded up (a form, a ratio) or down (a lower bound)."""
    with ctx.workprec(PRECISION):
        middle, radius, exponent = (int(v) for v in arb(x).mid_rad_10exp(20))
    exact = Decimal(middle + radius if up else middle - radius).scaleb(exponent, context(60))
    rounded = SIX_UP.plus(exact) if up else -SIX_UP.plus(-exact)
    return str(rounded.normalize(SIX_UP)) if rounded else "0"


def short(n: int) -> str:
    return str(n) if n < 10**7 else f"{Decimal(n):.2E}"


def cut_number(value: Decimal | int, digits: int = 40) -> str:
    """As it is; of a long one the first digits, and its size."""
    text = str(value)
    return text if len(text) <= 2 * digits else f"{context(digits).create_decimal(value):.{digits - 1}E}..."


def plain_number(value: Any) -> Any:
    """Decimals where they end, fractions where they do not."""
    if isinstance(value, list):
        return [plain_number(v) for v in value]
    digits = value.denominator.bit_length()
    scaled = value * 10**digits
    if scaled.denominator > 1:
        return str(value)
    wide = context(10_000)
    return format(Decimal(scaled.numerator).scaleb(-digits, wide).normalize(wide), "f")


# --- points -----------------------------------------------------------------------------------------------------------


def texts(point: Mapping[str, Any]) -> dict[str, Any]:
    """A point as it is stored: every number as text."""
    return {n: [str(v) for v in x] if isinstance(x, list) else str(x) for n, x in point.items()}


def fractions(point: Mapping[str, Any]) -> dict[str, Any]:
    """A stored point as exact numbers."""
    return {n: [Fraction(v) for v in x] if isinstance(x, list) else Fraction(x) for n, x in point.items()}


def each(point: Point, of: Callable[[str, Any], Any]) -> Point:
    """The point with every number replaced, entries of lists under names like B_V[2]."""
    return {
        name: [of(f"{name}[{i}]", v) for i, v in enumerate(value, 1)] if isinstance(value, list) else of(name, value)
        for name, value in point.items()
    }
