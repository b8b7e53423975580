"""Intervals with infinite ends, rounded outward: what a function can be over a whole cell.

The value of an expression is the hull of its values at the points of the cell where it is real: a logarithm or a root
looks at the part of its argument on which it is defined. `Intervals.whole` says that nothing was cut off in that way
and that no pole or jump was met, so that the expression is continuous over the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

from flint import arb, fmpq
from sympy import Expr, true
from sympy.core.relational import Relational

from maurey.numeric.walk import Undefined, walk

INFINITY = arb.pos_inf()
ZERO, ONE = arb(0), arb(1)


class Nowhere(Undefined):
    """No point of the cell has a real value."""


class Interval:
    __slots__ = ("high", "low")

    def __init__(self, low: arb, high: arb) -> None:
        self.low, self.high = low, high

    def __add__(self, other: Interval) -> Interval:
        low, high = self.low + other.low, self.high + other.high
        return Interval(-INFINITY if low.is_nan() else low.lower(), INFINITY if high.is_nan() else high.upper())

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __mul__(self, other: Interval) -> Interval:
        if self.low >= 0 and other.low >= 0:
            return Interval(_times(self.low, other.low).lower(), _times(self.high, other.high).upper())
        ends = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(_least(ends), _largest(ends))

    def inverse(self) -> Interval:
        if self.low >= 0 or self.high <= 0:
            low = -INFINITY if self.high == 0 else (ONE / self.high).lower()
            high = INFINITY if self.low == 0 else (ONE / self.low).upper()
            if self.low == self.high == 0:
                raise Nowhere
            return Interval(low, high)
        return EVERYTHING

    def holds_zero(self) -> bool:
        return not (self.low > 0 or self.high < 0)

    def union(self, other: Interval) -> Interval:
        return Interval(_least([self.low, other.low]), _largest([self.high, other.high]))


EVERYTHING = Interval(-INFINITY, INFINITY)


def _times(a: arb, b: arb) -> arb:
    """Ends are limits of finite numbers: zero times any of those is zero."""
    return ZERO if a == 0 or b == 0 else a * b


def _least(values: list[arb]) -> arb:
    return reduce(lambda a, b: a if a <= b else b, [x.lower() for x in values])


def _largest(values: list[arb]) -> arb:
    return reduce(lambda a, b: a if a >= b else b, [x.upper() for x in values])


def between(low: Any, high: Any) -> Interval:
    """Of two numbers, rational or infinite."""
    return Interval(arb(low).lower(), arb(high).upper())


def entropy(u: Interval) -> Interval:
    """u log u where u >= 0: 0 at 0, least at 1/e. As a product of intervals it had no lower end beside 0."""
    low, high = _largest([u.low, ZERO]), u.high
    ends = [ZERO if x == 0 else x if x == INFINITY else x * x.log() for x in (low, high)]
    bottom = (-ONE).exp()
    inside = not (low > bottom or high < bottom)
    return Interval(_least([*ends, -bottom]) if inside else _least(ends), _largest(ends))


class Intervals:
    """The field of intervals, for `walk`."""

    def __init__(self) -> None:
        self.indices: list[int] = []
        self.whole = True

    def rational(self, value: Fraction) -> Interval:
        x = arb(fmpq(*value.as_integer_ratio()))
        return Interval(x.lower(), x.upper())

    def add(self, terms: list[Interval]) -> Interval:
        return reduce(add, terms)

    def multiply(self, factors: list[Interval]) -> Interval:
        return reduce(mul, factors)

    def power(self, base: Interval, exponent: Fraction) -> Interval:
        p, q = exponent.as_integer_ratio()
        if q > 1:
            base = self.cut(base, ZERO, INFINITY)
            base = Interval(_root(base.low, q).lower(), _root(base.high, q).upper())
        if p < 0:
            self.whole = self.whole and not base.holds_zero()
            base, p = base.inverse(), -p
        if p == 1:
            return base
        if p % 2 or base.low >= 0:
            return Interval(_power(base.low, p).lower(), _power(base.high, p).upper())
        if base.high <= 0:
            return Interval(_power(base.high, p).lower(), _power(base.low, p).upper())
        return Interval(ZERO, _largest([_power(base.low, p), _power(base.high, p)]))

    def power_of(self, base: Interval, exponent: Interval) -> Interval:
        if base.low == base.high == 1:
            return base
        self.whole = self.whole and bool(base.low > 0)
        return self.apply("exp", [exponent * self.apply("log", [self.cut(base, ZERO, INFINITY)])])

    def apply(self, name: str, arguments: list[Interval]) -> Interval:
        return FUNCTIONS[name](self, *arguments)

    def cut(self, x: Interval, low: arb, high: arb) -> Interval:
        """To where a function is defined."""
        if x.low >= low and x.high <= high:
            return x
        self.whole = False
        if x.high < low or x.low > high:
            raise Nowhere
        return Interval(_largest([x.low, low]), _least([x.high, high]))

    def ceiling(self, x: Interval, node: Expr, env: Mapping[str, Any]) -> Interval:
        return _steps(self, x, arb.ceil)

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Interval:
        hull: Interval | None = None
        for condition, value in branches:
            holds = True if condition == true else self.holds(condition, env)
            if holds is False:
                continue
            try:
                here = value()
            except Nowhere:
                if holds:
                    if hull is None:
                        raise
                    return hull
                continue
            hull = here if hull is None else hull.union(here)
            if holds:
                return hull
            self.whole = False
        raise Undefined("no case applies")

    def holds(self, condition: Any, env: Mapping[str, Any]) -> bool | None:
        """Over the whole cell; None if that cannot be told."""
        if not isinstance(condition, Relational):
            return None
        left, right = walk(condition.lhs, env, self), walk(condition.rhs, env, self)
        difference = left + -right
        if condition.rel_op in ("<", "<="):
            difference = -difference
        if condition.rel_op in ("==", "!="):
            return None if difference.holds_zero() else condition.rel_op == "!="
        if difference.low > 0 or (difference.low >= 0 and condition.rel_op in (">=", "<=")):
            return True
        if difference.high < 0 or (difference.high <= 0 and condition.rel_op in (">", "<")):
            return False
        return None

    def integer(self, x: Interval) -> int:
        n = x.low.unique_fmpz() if x.low == x.high else None
        if n is None:
            raise Undefined("a sum whose limits are not integers")
        return int(n)

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any:
        raise Undefined("an integral over a cell")


# --- functions ----------------------------------------------------------------------------------------------------


def _power(x: arb, n: int) -> arb:
    return x if x == INFINITY or (x == -INFINITY and n % 2) else INFINITY if x == -INFINITY else x**n


def _root(x: arb, n: int) -> arb:
    return x if x == 0 or x == INFINITY else x.root(n)


def _rising(function: Callable[[arb], arb], low: Any = None, high: Any = None) -> Callable[..., Interval]:
    """A function that rises from `low` at -oo to `high` at oo (None: as far as the numbers go)."""

    def at(x: arb) -> arb:
        if x == INFINITY or x == -INFINITY:
            end = high if x > 0 else low
            return x if end is None else end()
        return function(x)

    return lambda field, x: Interval(at(x.low).lower(), at(x.high).upper())


def _falling(rising: Callable[..., Interval]) -> Callable[..., Interval]:
    return lambda field, x: rising(field, -x)


def _log(field: Intervals, x: Interval) -> Interval:
    if x.low == x.high == 0:
        raise Nowhere
    field.whole = field.whole and bool(x.low > 0)
    x = field.cut(x, ZERO, INFINITY)
    return Interval(-INFINITY if x.low == 0 else _logarithm(x.low).lower(), _logarithm(x.high).upper())


def _logarithm(x: arb) -> arb:
    return -INFINITY if x == 0 else x if x == INFINITY else x.log()


def _even(function: Callable[[arb], arb]) -> Callable[..., Interval]:
    """One that rises with the absolute value."""

    def of(field: Intervals, x: Interval) -> Interval:
        x = _absolute(field, x)
        return Interval(function(x.low).lower(), INFINITY if x.high == INFINITY else function(x.high).upper())

    return of


def _absolute(field: Intervals, x: Interval) -> Interval:
    if x.low >= 0:
        return x
    return -x if x.high <= 0 else Interval(ZERO, _largest([-x.low, x.high]))


def _on(function: Callable[[arb], arb], low: arb, high: arb, falls: bool = False) -> Callable[..., Interval]:
    """A monotone function on an interval; at an end where it is infinite Arb gives no number."""

    def at(x: arb, up: bool) -> arb:
        value = function(x)
        if value.is_finite():
            return value
        return INFINITY if up else -INFINITY

    def of(field: Intervals, x: Interval) -> Interval:
        x = field.cut(x, low, high)
        if falls:
            return Interval(at(x.high, False).lower(), at(x.low, True).upper())
        return Interval(at(x.low, False).lower(), at(x.high, True).upper())

    return of


def _inside(function: Callable[[arb], arb], low: arb, high: arb) -> Callable[..., Interval]:
    """One with a pole at both ends of where it is defined."""
    on = _on(function, low, high)

    def of(field: Intervals, x: Interval) -> Interval:
        field.whole = field.whole and bool(x.low > low and x.high < high)
        return on(field, x)

    return of


def _wave(shift: fmpq, function: Callable[[arb], arb]) -> Callable[..., Interval]:
    """Sine (shift 1/2) and cosine (shift 0): largest at (shift + 2n) pi, least half a turn later."""

    def of(field: Intervals, x: Interval) -> Interval:
        if not (x.low.is_finite() and x.high.is_finite()) or x.high - x.low >= 7:
            return Interval(-ONE, ONE)
        first, last = (arb(end) / arb.pi() - arb(shift) for end in (x.low, x.high))
        ends = [function(x.low), function(x.high)]
        high = ONE if _meets(first / 2, last / 2) else _least([_largest(ends), ONE])
        low = -ONE if _meets((first - 1) / 2, (last - 1) / 2) else _largest([_least(ends), -ONE])
        return Interval(low, high)

    return of


def _meets(first: arb, last: arb) -> bool:
    """May an integer lie between?"""
    return not first.lower().ceil() > last.upper()


def _tangent(field: Intervals, x: Interval) -> Interval:
    if x.low.is_finite() and x.high.is_finite():
        first, last = (end / arb.pi() - arb(fmpq(1, 2)) for end in (x.low, x.high))
        if not _meets(first, last):
            return Interval(x.low.tan().lower(), x.high.tan().upper())
    field.whole = False
    return EVERYTHING


def _steps(field: Intervals, x: Interval, function: Callable[[arb], arb]) -> Interval:
    low, high = (end if not end.is_finite() else function(end) for end in (x.low, x.high))
    field.whole = field.whole and bool(low == high)
    return Interval(low.lower(), high.upper())


def _sign(field: Intervals, x: Interval) -> Interval:
    field.whole = field.whole and not x.holds_zero()
    low = ONE if x.low > 0 else ZERO if x.low == 0 else -ONE
    return Interval(low, -ONE if x.high < 0 else ZERO if x.high == 0 else ONE)


def _minimum(field: Intervals, *xs: Interval) -> Interval:
    return Interval(_least([x.low for x in xs]), _least([x.high for x in xs]))


def _maximum(field: Intervals, *xs: Interval) -> Interval:
    return Interval(_largest([x.low for x in xs]), _largest([x.high for x in xs]))


def _pi(field: Intervals) -> Interval:
    x = arb.pi()
    return Interval(x.lower(), x.upper())


def _one() -> arb:
    return ONE


FUNCTIONS: dict[str, Callable[..., Interval]] = {
    "pi": _pi,
    "exp": _rising(arb.exp, low=lambda: ZERO),
    "log": _log,
    "sin": _wave(fmpq(1, 2), arb.sin),
    "cos": _wave(fmpq(0), arb.cos),
    "tan": _tangent,
    "asin": _on(arb.asin, -ONE, ONE),
    "acos": _on(arb.acos, -ONE, ONE, falls=True),
    "atan": _rising(arb.atan, low=lambda: -arb.pi() / 2, high=lambda: arb.pi() / 2),
    "sinh": _rising(arb.sinh),
    "cosh": _even(arb.cosh),
    "tanh": _rising(arb.tanh, low=lambda: -ONE, high=_one),
    "asinh": _rising(arb.asinh),
    "acosh": _on(arb.acosh, ONE, INFINITY),
    "atanh": _inside(arb.atanh, -ONE, ONE),
    "erf": _rising(arb.erf, low=lambda: -ONE, high=_one),
    "erfc": _falling(_rising(lambda x: (-x).erfc(), low=lambda: ZERO, high=lambda: arb(2))),
    "abs": _absolute,
    "sign": _sign,
    "floor": lambda field, x: _steps(field, x, arb.floor),
    "min": _minimum,
    "max": _maximum,
}


def over(expr: Expr, cell: Mapping[str, Interval]) -> tuple[Interval | None, bool]:
    """The hull of the values, and whether the expression is continuous there; everything where nothing is known, and
    None where there certainly is no value."""
    field = Intervals()
    try:
        value = walk(expr, cell, field)
    except Nowhere:
        return None, False
    except Undefined:
        return EVERYTHING, False
    if value.low.is_nan() or value.high.is_nan():
        return EVERYTHING, False
    return value, field.whole
