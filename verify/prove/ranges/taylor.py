"""Derivatives over a cell, of any order: power series of balls along one direction.

`derivatives` encloses the derivatives of s -> f(x + s d) at s = 0, divided by k!, for every x of the cell: by Taylor's
theorem with Lagrange's remainder, f has the sign of the first that does not vanish at a point where all before it do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

from flint import arb, arb_series, ctx, fmpq
from sympy import Expr, true

from maurey.numeric.walk import Undefined, walk


def repeated(x: Any, times: int) -> Any:
    """x^times by squares. Arb's own takes a logarithm, which a ball around zero does not have."""
    if times == 1:
        return x
    square = repeated(x * x, times // 2)
    return square * x if times % 2 else square


class Series:
    """The field of power series, cut off at the order asked for."""

    def __init__(self, order: int) -> None:
        self.indices: list[int] = []
        self.length = order + 1

    def series(self, x: Any) -> arb_series:
        return x if isinstance(x, arb_series) else arb_series([arb(x)], prec=self.length)

    def rational(self, value: Fraction) -> Any:
        return arb(fmpq(*value.as_integer_ratio()))

    def add(self, terms: list[Any]) -> Any:
        return reduce(add, terms)

    def multiply(self, factors: list[Any]) -> Any:
        return reduce(mul, factors)

    def power(self, base: Any, exponent: Fraction) -> Any:
        p, q = exponent.as_integer_ratio()
        base = self.series(base)
        if q == 1:
            whole = repeated(base, abs(p))
            return whole if p > 0 else self.inverse(whole)
        self.need(first(base) > 0, "a root")
        if q == 2:
            root = base.sqrt()
            whole = repeated(root, abs(p))
            return whole if p > 0 else self.inverse(whole)
        return (base.log() * arb(fmpq(p, q))).exp()

    def power_of(self, base: Any, exponent: Any) -> Any:
        return (self.apply("log", [base]) * exponent).exp() if _moves(base, exponent) else base**exponent

    def inverse(self, x: Any) -> Any:
        self.need(first(x) > 0 or first(x) < 0, "a quotient")
        return 1 / x

    def need(self, condition: Any, what: str) -> None:
        if not condition:
            raise Undefined(f"{what} that is not smooth over the cell")

    def apply(self, name: str, arguments: list[Any]) -> Any:
        if name in ("min", "max"):
            return reduce(lambda a, b: self.smaller(a, b) if name == "min" else self.larger(a, b), arguments)
        if name == "pi":
            return arb.pi()
        (x,) = arguments
        x = self.series(x)
        if name in ("abs", "sign", "floor"):
            return self.piece(name, x)
        if name in DOMAINS:
            self.need(DOMAINS[name](first(x)), name)
        return getattr(x, name)() if name in OWN else BY_OTHERS[name](self, x)

    def piece(self, name: str, x: Any) -> Any:
        at = first(x)
        if name == "floor":
            n = at.floor().unique_fmpz()
            self.need(n is not None and at > n, "a floor")
            return arb(n)
        self.need(at > 0 or at < 0, name)
        sign = 1 if at > 0 else -1
        return sign * x if name == "abs" else arb(sign)

    def smaller(self, a: Any, b: Any) -> Any:
        difference = first(self.series(a)) - first(self.series(b))
        self.need(difference < 0 or difference > 0, "a minimum")
        return a if difference < 0 else b

    def larger(self, a: Any, b: Any) -> Any:
        return b if self.smaller(a, b) is a else a

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        return -self.piece("floor", -self.series(x))

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any:
        for condition, value in branches:
            if condition == true:
                return value()
            difference = first(self.series(walk(condition.lhs, env, self) - walk(condition.rhs, env, self)))
            self.need(difference > 0 or difference < 0, "a case")
            if condition.rel_op in ((">", ">=", "!=") if difference > 0 else ("<", "<=", "!=")):
                return value()
        raise Undefined("no case applies")

    def integer(self, x: Any) -> int:
        n = first(self.series(x)).unique_fmpz()
        if n is None:
            raise Undefined("a sum whose limits are not integers")
        return int(n)

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any:
        raise Undefined("an integral over a cell")


def first(x: arb_series) -> arb:
    return x[0]


def _moves(*xs: Any) -> bool:
    return any(isinstance(x, arb_series) for x in xs)


OWN = ("exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "erf", "erfc")
DOMAINS: dict[str, Callable[[arb], bool]] = {
    "log": lambda x: x > 0,
    "asin": lambda x: -1 < x < 1,
    "acos": lambda x: -1 < x < 1,
    "acosh": lambda x: x > 1,
    "atanh": lambda x: -1 < x < 1,
    "tan": lambda x: x.tan().is_finite(),
}
BY_OTHERS: dict[str, Callable[[Series, Any], Any]] = {
    "sinh": lambda field, x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda field, x: (x.exp() + (-x).exp()) / 2,
    "tanh": lambda field, x: 1 - 2 / ((2 * x).exp() + 1),
    "asinh": lambda field, x: (x + (x * x + 1).sqrt()).log(),
    "acosh": lambda field, x: (x + (x * x - 1).sqrt()).log(),
    "atanh": lambda field, x: ((1 + x) / (1 - x)).log() / 2,
}


def derivatives(expr: Expr, cell: Mapping[str, arb], direction: Mapping[str, Any], order: int) -> list[arb] | None:
    """Of the orders 0 to `order`, each divided by k!; None where the function is not smooth over the cell."""
    field, before = Series(order), ctx.cap
    ctx.cap = order + 1
    try:
        env = {n: arb_series([x, arb(direction.get(n, 0))], prec=order + 1) for n, x in cell.items()}
        series = field.series(walk(expr, env, field))
        found = [series[k] for k in range(order + 1)]
    except (Undefined, ZeroDivisionError, ValueError):
        return None
    finally:
        ctx.cap = before
    return found if all(x.is_finite() for x in found) else None
