"""Inequalities lhs <= rhs over norm classes: what varies in which class, both sides, and what an attack says of them.

Tensors carry a leading dimension E of independent starts. An inequality is written once, for tensors and for balls
(arrays of Arb numbers), so that what floats say can be confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

from sympy import Eq, Expr, Symbol, sympify, true

from maurey.numeric.balls import Balls
from maurey.numeric.walk import Undefined, run, walk
from maurey.symbolic.derivation import Step
from maurey.verify.tensors import torch

Values = Mapping[str, Any]  # bounds and variables by name: tensors (E, ...), or balls
Sides = Mapping[str, tuple[Any, Any, Any]]  # target: lhs, rhs, and the size that rounding errors are relative to


@dataclass(frozen=True)
class Variable:
    """A matrix in the intersection of norm balls, or, with `near`, the moved copy of another variable."""

    shape: tuple[int, ...]
    norms: Mapping[str, Expr | str | float] = field(default_factory=dict)  # kind: bound
    near: str = ""


@dataclass(frozen=True)
class Inequality:
    """`bounds` gives each name the decades from which a start draws it (one entry of a list each, where there is a
    list); `sides` computes both sides from bounds and variables; `given` what depends on the bounds alone, once."""

    variables: Mapping[str, Variable]
    bounds: Mapping[str, Any]
    sides: Callable[[Values], Sides]
    given: Callable[[Values], Values] = lambda bounds: {}
    still: tuple[str, ...] = ()  # targets that speak of one point, whatever is moved: few starts suffice
    hint: Mapping[str, Any] | None = None  # values of all variables for the first start, as nested lists
    point: Callable[[Values], Values] = lambda values: {}  # what a claim calls bounds and movements, for its forms


@dataclass(frozen=True)
class Found:
    ratio: float  # at the rounded instance
    instance: Mapping[str, Any]  # bounds and variables as lists of floats, each an exact binary fraction
    refuted: bool | None = False  # None: floats say so, balls cannot tell

    def rank(self) -> tuple[int, float]:
        """A refutation before an open question before a mere ratio."""
        return {True: 2, None: 1, False: 0}[self.refuted], self.ratio


@dataclass(frozen=True)
class Outcome:
    effective: Mapping[str, int]  # target: starts whose best point meets the hypotheses
    best: Mapping[str, Found]
    tightness: Mapping[tuple[str, str], float]  # by target and by what was moved


# --- numbers: one formula for tensors and balls ------------------------------------------------------------------


class Tensors:
    """The field of float tensors, for `walk`."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def rational(self, value: Fraction) -> Any:
        return torch.tensor(float(value), dtype=torch.float64)

    def add(self, terms: list[Any]) -> Any:
        return reduce(add, terms)

    def multiply(self, factors: list[Any]) -> Any:
        return reduce(mul, factors)

    def power(self, base: Any, exponent: Fraction) -> Any:
        return base ** float(exponent)

    def power_of(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def apply(self, name: str, arguments: list[Any]) -> Any:
        pairwise = {"min": torch.minimum, "max": torch.maximum}
        return reduce(pairwise[name], arguments) if name in pairwise else getattr(torch, name)(*arguments)

    def integer(self, x: Any) -> int:
        return int(x.flatten()[0])

    def ceiling(self, x: Any, node: Expr, env: Values) -> Any:
        raise Undefined("a count in an inequality between real numbers")

    def select(self, branches: list[Any], env: Values) -> Any:
        """By the index of a layer; real numbers are not told apart."""
        for condition, value in branches:
            if condition == true or (isinstance(condition, Eq) and self._same(condition, env)):
                return value()
            if not isinstance(condition, Eq):
                raise Undefined("cases in an inequality between real numbers")
        raise Undefined("no case applies")

    def _same(self, condition: Eq, env: Values) -> bool:
        return bool((walk(condition.lhs, env, self) == walk(condition.rhs, env, self)).all())

    def integrate(self, node: Expr, env: Values) -> Any:
        raise Undefined("an integral in an inequality between real numbers")


def through(function: Callable[[Any], Any], x: Any) -> Any:
    """To every entry of nested lists."""
    return [through(function, y) for y in x] if isinstance(x, list) else function(x)


def run_steps(steps: list[Step], values: Values) -> Any:
    """The last step, for tensors or for balls, whichever the values are."""
    floats = any(torch.is_tensor(leaf) for v in values.values() for leaf in (v if isinstance(v, list) else [v]))
    return run(steps, values, Tensors() if floats else Balls(steps))


def bound_of(bound: Expr | str | float, bounds: Values) -> Any:
    """A bound of a norm: a name, a number or an expression in names."""
    expr = Symbol(bound) if isinstance(bound, str) else sympify(Fraction(bound) if isinstance(bound, float) else bound)
    return run_steps([Step("bound", "", expr, "")], bounds)
