"""Expressions at many points at once, in doubles: where to look, never what to believe."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from sympy import Expr, true

from maurey.numeric.types import Array
from maurey.numeric.walk import Undefined, walk

_each = np.vectorize


class Floats:
    """The field of arrays of doubles, for `walk`; nan where there is no real value."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def rational(self, value: Fraction) -> Any:
        return np.float64(value.numerator / value.denominator)

    def add(self, terms: list[Any]) -> Any:
        return reduce(add, terms)

    def multiply(self, factors: list[Any]) -> Any:
        return reduce(mul, factors)

    def power(self, base: Any, exponent: Fraction) -> Any:
        if exponent.denominator == 1:
            return np.power(base, float(exponent.numerator))
        return np.power(np.where(base < 0, np.nan, base), float(exponent))

    def power_of(self, base: Any, exponent: Any) -> Any:
        return np.power(base, exponent)  # nan for a root of a negative number

    def apply(self, name: str, arguments: list[Any]) -> Any:
        return FUNCTIONS[name](*arguments)

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        return np.ceil(x)

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any:
        value: Any = np.float64(np.nan)
        for condition, branch in reversed(branches):
            here = branch()
            value = here if condition == true else np.where(self.holds(condition, env), here, value)
        return value

    def holds(self, condition: Any, env: Mapping[str, Any]) -> Any:
        left, right = walk(condition.lhs, env, self), walk(condition.rhs, env, self)
        operations = {
            "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
            "!=": np.not_equal,
        }  # fmt: skip
        return operations[condition.rel_op](left, right)

    def integer(self, x: Any) -> int:
        return int(x)

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any:
        raise Undefined("an integral at many points")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "pi": lambda: np.float64(math.pi),
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "abs", "sign")},
    **{name: getattr(np, "arc" + name[1:]) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "erf": _each(math.erf, otypes=[float]),
    "erfc": _each(math.erfc, otypes=[float]),
    "floor": np.floor,
    "min": lambda *xs: reduce(np.minimum, xs),
    "max": lambda *xs: reduce(np.maximum, xs),
}


def values(expr: Expr, points: Mapping[str, Array]) -> Array:
    """(N,) of points given as one array per name."""
    size = max((len(x) for x in points.values()), default=1)
    with np.errstate(all="ignore"):
        try:
            return np.broadcast_to(np.asarray(walk(expr, points, Floats()), dtype=float), (size,))
        except (Undefined, ZeroDivisionError, OverflowError):
            return np.full(size, np.nan)
