"""A bound over a whole range of m: its value at the lower end, and how fast it can grow from there.

A quantity q is kept as a line on logarithmic axes: for any m < n in the range, q(n) = q(m) (n/m)^s for some s in
`slope`. Slopes add under products, average under sums of one sign and scale under powers, so they stay narrow however
wide the range is. A ceiling that varies over the range is x (1 + v) with v between 0 and 1/x, and the rest holds for
every such v held fixed. Whatever fits none of these is left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from flint import arb, fmpq
from sympy import Expr, Mul, Pow, Rational
from sympy.core.relational import Ge, Gt, Le, Lt, Relational

from maurey.symbolic.derivation import Step
from maurey.symbolic.expressions import text_of

from .balls import ZERO, Balls, Unresolved, number, to_arb
from .powers import rational_power
from .types import Ball
from .walk import RULES, Env, Reader, Reading, factors_of, readers, walk


@dataclass(frozen=True, slots=True)
class Line:
    at: Ball  # at the lower end
    slope: Ball


def _at(x: Any) -> Ball:
    return x.at if isinstance(x, Line) else x


def _slope(x: Any) -> Ball:
    return x.slope if isinstance(x, Line) else fmpq(0)


def _moves(*xs: Any) -> bool:
    return Line in map(type, xs)


def _zero(x: Any) -> bool:
    return bool(_at(x) == 0)  # certainly, unlike the negation of !=


def _hull(slopes: list[Ball]) -> Ball:
    first = slopes[0]
    return first if all(s is first or s == first for s in slopes) else reduce(arb.union, map(to_arb, slopes))


class Slopes(Balls):
    """Lines over the reals from low to high; what does not depend on m stays a ball."""

    def __init__(self, steps: list[Step], low: int, high: int) -> None:
        super().__init__(steps)
        self.width = arb(fmpq(high, low)).log()
        self.span = arb(0).union(self.width)

    def at_most(self, x: Any, gap: fmpq) -> bool:
        """Certainly at or below the gap, which is positive, over the whole range?"""
        at, slope = _at(x), _slope(x)  # what is negative at the lower end stays so
        return bool(at <= gap and (slope <= 0 or at * (slope * self.width).exp() <= gap))

    def add(self, terms: list[Any]) -> Any:
        if not _moves(*terms):
            return super().add(terms)
        at = [_at(x) for x in terms]
        if not (all(x >= 0 for x in at) or all(x <= 0 for x in at)):
            raise Unresolved("a difference over a range")
        return Line(super().add(at), _hull([_slope(x) for x in terms if not _zero(x)] or [fmpq(0)]))

    def multiply(self, factors: list[Any]) -> Any:
        if not _moves(*factors):
            return super().multiply(factors)
        slope = reduce(add, [x.slope for x in factors if isinstance(x, Line)])
        return Line(super().multiply([_at(x) for x in factors]), slope)

    def power(self, base: Any, exponent: Fraction) -> Any:
        if not isinstance(base, Line):
            return super().power(base, exponent)
        return Line(super().power(base.at, exponent), base.slope * self.rational(exponent))

    def power_of(self, base: Any, exponent: Any) -> Any:
        if _moves(exponent) or (_moves(base) and not isinstance(exponent, fmpq)):
            raise Unresolved("a power over a range")
        return super().power_of(base, exponent)

    def apply(self, name: str, arguments: list[Any]) -> Any:
        if not _moves(*arguments):
            return super().apply(name, arguments)
        if name == "min" and all(_at(x) > 0 for x in arguments):
            return reduce(self._smaller, arguments)
        if name == "inverse_kl" and all(_at(x) >= 0 for x in arguments):
            # the logarithm of the value moves with those of q and c by shares that are not negative, at most 1 together
            at = super().apply(name, [_at(x) for x in arguments])
            return Line(at, _hull([fmpq(0), *(_slope(x) for x in arguments if not _zero(x))]))
        if name == "exp":  # the derivative of x, in log m, at some point between
            (x,) = arguments
            return Line(super().apply("exp", [x.at]), x.slope * x.at * (x.slope * self.span).exp())
        if name != "log":
            raise Unresolved(f"{name} over a range")
        at, slope = super().apply("log", [_at(arguments[0])]), _slope(arguments[0])
        over = at + slope * self.span
        if not (over > 0 or over < 0):
            raise Unresolved("the sign of a logarithm over a range")
        return Line(at, slope / over)

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        if not isinstance(x, Line):
            return super().ceiling(x, node, env)
        growth = (x.slope * self.span).exp()
        count = (x.at * growth).ceil().unique_fmpz()
        if count is not None:
            return fmpq(count)
        if not x.at > 0:
            raise Unresolved(text_of(node))
        v = arb(0).union(((-x.slope * self.span).exp() / x.at).upper())
        return Line(x.at * (1 + v), x.slope)

    def _log_ratio(self, x: Any, y: Any) -> arb:
        """Over the range, of two that are positive."""
        return (to_arb(_at(x)) / _at(y)).log() + (_slope(x) - _slope(y)) * self.span

    def _smaller(self, x: Any, y: Any) -> Any:
        order = self._log_ratio(x, y)
        if order <= 0 or order >= 0:
            return x if order <= 0 else y
        return Line(super().apply("min", [_at(x), _at(y)]), _hull([_slope(x), _slope(y)]))

    def _holds(self, relation: Relational, env: Mapping[str, Any]) -> bool:
        left, right = walk(relation.lhs, env, self), walk(relation.rhs, env, self)
        if not _moves(left, right):
            return super()._holds(relation, env)
        order = self._log_ratio(left, right) if _at(left) > 0 and _at(right) > 0 else arb("nan")
        if not (order > 0 or order < 0):
            raise Unresolved(text_of(relation))
        return relation.func in ((Gt, Ge) if order > 0 else (Lt, Le))

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any:
        """A sum of values of one sign: its slopes are those of the integrand, octave by octave of the variable."""
        variable, *ends = node.limits[0]
        low, high = (walk(end, env, self) for end in ends)
        if _moves(low, high) or not 0 < low < high:
            raise Unresolved("an integral with such ends")
        fixed = {symbol.name: _at(env[symbol.name]) for symbol in node.free_symbols}
        area, slopes = super().integrate(node, fixed), []
        while not low >= high:
            octave = walk(node.function, {**env, variable.name: to_arb(low).union(to_arb(2 * low))}, self)
            if not _at(octave) >= 0:
                raise Unresolved("the sign of an integrand")
            slopes.append(_slope(octave))
            low = 2 * low
        return Line(area, _hull(slopes))

    def _vanishes(self, expr: Expr, env: Mapping[str, Any]) -> bool:
        return False  # a range is not a point


# --- rules for `walk`: what `multiply` and `power` do, in fewer calls -------------------------------------------------


def _product(expr: Any, read: Any) -> Reading:
    first, *rest = [read(factor) for factor in factors_of(expr)]

    def product(env: Env, field: Any) -> Any:
        x = first(env, field)
        at, slope = (x.at, x.slope) if type(x) is Line else (x, None)
        for factor in rest:
            x = factor(env, field)
            if type(x) is Line:
                slope = x.slope if slope is None else slope + x.slope
                x = x.at
            at = at * x if at and x else ZERO
        return at if slope is None else Line(at, slope)

    return product


def _power(expr: Any, read: Any) -> Reading:
    if not isinstance(expr.exp, Rational):
        return RULES[Pow](expr, read)
    base, p, q, share = read(expr.base), expr.exp.p, expr.exp.q, fmpq(expr.exp.p, expr.exp.q)

    def power(env: Env, field: Any) -> Any:
        x = base(env, field)
        return Line(rational_power(x.at, p, q), x.slope * share) if type(x) is Line else rational_power(x, p, q)

    return power


readers[Slopes] = Reader(RULES | {Rational: number, Mul: _product, Pow: _power})
