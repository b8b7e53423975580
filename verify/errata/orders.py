"""Orders of growth as terms of z3, and sizes: quantities of which no more is known than their orders.

A size is an interval of orders where the ray leaves it open: at a tie the factors before the powers decide, of which
only the ranges of what is bounded are known. What may be negative is a difference of two sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import z3

Term: TypeAlias = Any  # a fraction, or a term of z3
Number: TypeAlias = Any  # a fraction, a double, or an exponent that is left open, as a term of z3
Fact: TypeAlias = Any  # a bool, or a formula of z3


@dataclass(frozen=True, eq=False)
class Order:
    """t^power (log t)^log, compared lexicographically."""

    power: Term
    log: Term = Fraction(0)

    def __add__(self, other: Order) -> Order:
        """Of a product."""
        return Order(self.power + other.power, self.log + other.log)

    @property
    def key(self) -> tuple[Any, Any]:
        """Equal for the same terms."""
        return tuple(f"#{x.get_id()}" if is_term(x) else x for x in (self.power, self.log))  # type: ignore[return-value]

    def times(self, q: Number) -> Order:
        """Of a power."""
        q = Fraction(q) if isinstance(q, float) else q
        return Order(q * self.power, q * self.log)


CONSTANT = Order(Fraction(0))
NOTHING = Order(Fraction(-(10**9)))  # of zero: rays are scaled, so that no other power is so small
BEYOND = Order(Fraction(10**6))  # every power of t
ITERATED = Fraction(1, 1000)  # log log t, as a power of log t that is less than all others


def is_term(x: Any) -> bool:
    return isinstance(x, z3.ExprRef)


def same(x: Order, y: Order) -> bool:
    """At sight."""
    return x is y or (_same(x.power, y.power) and _same(x.log, y.log))


def _same(x: Term, y: Term) -> bool:
    return bool(x.eq(y)) if is_term(x) and is_term(y) else not is_term(x) and not is_term(y) and x == y


def below(x: Order, y: Order) -> Fact:
    """x grows more slowly."""
    if _same(x.log, y.log):
        return x.power < y.power
    if _same(x.power, y.power):
        return x.log < y.log
    return negation(both(negation(x.power < y.power), negation(both(x.power == y.power, x.log < y.log))))


def is_(x: Order, y: Order) -> Fact:
    return x.power == y.power if _same(x.log, y.log) else both(x.power == y.power, x.log == y.log)


def both(x: Fact, y: Fact) -> Fact:
    if isinstance(x, bool) or isinstance(y, bool):
        return (y if x else False) if isinstance(x, bool) else (x if y else False)
    return z3.And(x, y)


def negation(fact: Fact) -> Fact:
    return not fact if isinstance(fact, bool) else z3.Not(fact)


@dataclass(frozen=True, eq=False)
class Size:
    """A quantity of an order between `low` and `high`, less one between the two of `minus`."""

    low: Order
    high: Order
    minus: tuple[Order, Order] | None = None
    number: Number | None = None  # what it is, where it does not move
    least: float = 0.0  # bounds on its value from some t on
    most: float = math.inf
    beyond_one: Size | None = None  # x, of 1 + x
    counted: Size | None = None  # x, of the ceiling of x
    exponential: Order | None = None  # of its exponential, where that is known

    @property
    def exact(self) -> bool:
        return self.low is self.high

    @property
    def ends(self) -> tuple[float, float]:
        return self.least, self.most


@dataclass(frozen=True, eq=False)
class Tower:
    """What may grow faster than every power of t, by its logarithm."""

    log: Size


def number(value: Number) -> Size:
    if is_term(value):
        return Size(CONSTANT, CONSTANT, number=value)
    order = CONSTANT if value else NOTHING
    size = Size(order, order, number=value, least=float(value), most=float(value), exponential=CONSTANT)
    return size if value >= 0 else replace(size, low=NOTHING, high=NOTHING, minus=(order, order))


def is_number(x: Any, value: int) -> bool:
    return isinstance(x, Size) and x.number is not None and not is_term(x.number) and bool(x.number == value)


def scaled(x: Size, factor: Number) -> Size:
    """A multiple."""
    if is_term(factor):
        return Size(x.low, x.high, x.minus)
    least, most = sorted(product(float(factor), end) for end in x.ends)
    exponential = None if x.exponential is None else x.exponential.times(factor)
    if factor > 0:
        return Size(x.low, x.high, x.minus, least=least, most=most, exponential=exponential)
    low, high = x.minus or (NOTHING, NOTHING)
    return Size(low, high, (x.low, x.high), least=least, most=most, exponential=exponential)


def product(x: float, y: float) -> float:
    """Zero times infinity is zero: bounds, not values."""
    return 0.0 if 0.0 in (x, y) else x * y


def raised(x: float, exponent: Number) -> float:
    if x in (0.0, math.inf):
        return x if exponent > 0 else math.inf - x if x == 0 else 0.0
    try:
        return float(x ** float(exponent))
    except OverflowError:
        return math.inf


def logarithm(x: float) -> float:
    return -math.inf if x <= 0 else math.log(x)
