"""One walk over an expression for every kind of number.

A field supplies the arithmetic (balls, mpmath numbers, log-arrays, exact radicals); the walk knows SymPy's nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import sympy
from sympy import Expr

from maurey.symbolic.covers import ceil_log2
from maurey.symbolic.derivation import Step
from maurey.symbolic.pacbayes import inverse_kl


class Undefined(ArithmeticError):
    """The expression has no value here (a division by zero, the logarithm of zero), or none in reach."""


class Undecided(ArithmeticError):
    """A count or a branch that could not be decided; never guessed."""


MOST_TERMS = 2_000


class Field(Protocol):
    indices: list[int]  # where the enclosing sums stand, so that a decision can be told from its neighbours

    def rational(self, value: Fraction) -> Any: ...
    def add(self, terms: list[Any]) -> Any: ...
    def multiply(self, factors: list[Any]) -> Any: ...
    def power(self, base: Any, exponent: Fraction) -> Any: ...
    def power_of(self, base: Any, exponent: Any) -> Any: ...
    def apply(self, name: str, arguments: list[Any]) -> Any: ...
    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any: ...
    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any: ...
    def integer(self, x: Any) -> int: ...
    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any: ...


APPLIED = {
    sympy.log: "log",
    sympy.exp: "exp",
    sympy.tanh: "tanh",
    sympy.binomial: "binomial",
    ceil_log2: "ceil_log2",
    inverse_kl: "inverse_kl",
    sympy.Min: "min",
    sympy.Max: "max",
}


def walk(expr: Expr, env: Mapping[str, Any], field: Field) -> Any:
    if isinstance(expr, sympy.Symbol):
        return env[expr.name]
    if isinstance(expr, sympy.Rational):
        return field.rational(Fraction(expr.p, expr.q))
    if isinstance(expr, sympy.Indexed):
        return env[expr.base.label.name][field.integer(walk(expr.indices[0], env, field)) - 1]
    if isinstance(expr, sympy.Pow):
        base = walk(expr.base, env, field)
        if isinstance(expr.exp, sympy.Rational):
            return field.power(base, Fraction(expr.exp.p, expr.exp.q))
        return field.power_of(base, walk(expr.exp, env, field))
    if isinstance(expr, (sympy.Sum, sympy.Product)):
        return _loop(expr, env, field)
    if isinstance(expr, sympy.Integral):
        return field.integrate(expr, env)
    if expr is sympy.E:
        return field.apply("exp", [field.rational(Fraction(1))])
    if expr is sympy.pi:
        return field.apply("pi", [])
    if isinstance(expr, sympy.Piecewise):
        return field.select([(b.cond, partial(walk, b.expr, env, field)) for b in expr.args], env)
    arguments = [walk(argument, env, field) for argument in expr.args]
    if isinstance(expr, sympy.Add):
        return field.add(arguments)
    if isinstance(expr, sympy.Mul):
        return field.multiply(arguments)
    if isinstance(expr, sympy.ceiling):
        return field.ceiling(arguments[0], expr, env)
    return field.apply(APPLIED[expr.func], arguments)


def _loop(expr: Any, env: Mapping[str, Any], field: Field) -> Any:
    index, low, high = expr.limits[0]
    first, last = field.integer(walk(low, env, field)), field.integer(walk(high, env, field))
    if last - first > MOST_TERMS:
        raise Undefined(f"a sum of more than {MOST_TERMS} terms is too long to be taken exactly")
    terms = []
    for i in range(first, last + 1):
        field.indices.append(i)
        terms.append(walk(expr.function, {**env, index.name: field.rational(Fraction(i))}, field))
        field.indices.pop()
    if not terms:
        return field.rational(Fraction(0 if isinstance(expr, sympy.Sum) else 1))
    return field.add(terms) if isinstance(expr, sympy.Sum) else field.multiply(terms)


def _each(step: Step, env: Mapping[str, Any], field: Field) -> list[Any]:
    assert step.over is not None
    index, count = step.over
    entries = range(1, field.integer(walk(count, env, field)) + 1)
    return [walk(step.expr, {**env, index.name: field.rational(Fraction(i))}, field) for i in entries]


def run(steps: list[Step], values: Mapping[str, Any], field: Field) -> Any:
    """The value of the last step."""
    env = dict(values)
    for step in steps:
        try:
            env[step.name] = walk(step.expr, env, field) if step.over is None else _each(step, env, field)
        except Undefined as undefined:
            raise Undefined(f"{step.name} is undefined here: {undefined}") from None
    return env[steps[-1].name]
