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


Env = Mapping[str, Any]  # values by name
Reading = Callable[[Env, Field], Any]  # what an expression is worth, once names have values in a field


def walk(expr: Expr, env: Env, field: Field) -> Any:
    return reading(expr)(env, field)


MOST_READINGS = 1 << 16
_readings: dict[int, tuple[Expr, Reading]] = {}


def reading(expr: Expr) -> Reading:
    """The expression as a function. Kept by identity, for to compare two expressions takes longer than to evaluate
    one."""
    found = _readings.get(id(expr))
    if found is None:
        if len(_readings) >= MOST_READINGS:
            _readings.clear()
        found = _readings[id(expr)] = expr, _read(expr)
    return found[1]


def _read(expr: Expr) -> Reading:
    return next(READERS[kind] for kind in type(expr).__mro__ if kind in READERS)(expr)


def _symbol(expr: Any) -> Reading:
    name = expr.name
    return lambda env, field: env[name]


def _number(expr: Any) -> Reading:
    value = Fraction(expr.p, expr.q)
    return lambda env, field: field.rational(value)


def _entry(expr: Any) -> Reading:
    name, index = expr.base.label.name, _read(expr.indices[0])
    if isinstance(expr.indices[0], sympy.Integer):
        place = int(expr.indices[0]) - 1
        return lambda env, field: env[name][place]
    return lambda env, field: env[name][field.integer(index(env, field)) - 1]


def _sum(expr: Any) -> Reading:
    terms = [_read(term) for term in expr.args]
    return lambda env, field: field.add([term(env, field) for term in terms])


def _factors(expr: Any) -> list[Any]:
    """A product of products is one product."""
    nested = [_factors(x) if isinstance(x, sympy.Mul) else [x] for x in expr.args]
    return [factor for factors in nested for factor in factors]


def _product(expr: Any) -> Reading:
    factors = [_read(factor) for factor in _factors(expr)]
    if len(factors) == 2:  # the most frequent
        first, second = factors
        return lambda env, field: field.multiply([first(env, field), second(env, field)])
    return lambda env, field: field.multiply([factor(env, field) for factor in factors])


def _power(expr: Any) -> Reading:
    base, exponent = _read(expr.base), expr.exp
    if isinstance(exponent, sympy.Rational):
        known = Fraction(exponent.p, exponent.q)
        return lambda env, field: field.power(base(env, field), known)
    varying = _read(exponent)
    return lambda env, field: field.power_of(base(env, field), varying(env, field))


def _ceiling(expr: Any) -> Reading:
    inner = _read(expr.args[0])
    return lambda env, field: field.ceiling(inner(env, field), expr, env)


def _cases(expr: Any) -> Reading:
    cases = [(case.cond, _read(case.expr)) for case in expr.args]
    return lambda env, field: field.select([(c, partial(value, env, field)) for c, value in cases], env)


def _integral(expr: Any) -> Reading:
    return lambda env, field: field.integrate(expr, env)


def _function(name: str) -> Callable[[Any], Reading]:
    def read(expr: Any) -> Reading:
        arguments = [_read(argument) for argument in expr.args]
        return lambda env, field: field.apply(name, [argument(env, field) for argument in arguments])

    return read


def _loop(expr: Any) -> Reading:
    """A sum or a product over an index."""
    index, *ends = expr.limits[0]
    low, high, term = _read(ends[0]), _read(ends[1]), _read(expr.function)
    additive = isinstance(expr, sympy.Sum)

    def total(env: Env, field: Field) -> Any:
        first, last = field.integer(low(env, field)), field.integer(high(env, field))
        if last - first > MOST_TERMS:
            raise Undefined(f"a sum of more than {MOST_TERMS} terms is too long to be taken exactly")
        terms = []
        for i in range(first, last + 1):
            field.indices.append(i)
            terms.append(term({**env, index.name: field.rational(Fraction(i))}, field))
            field.indices.pop()
        if not terms:
            return field.rational(Fraction(0 if additive else 1))
        return field.add(terms) if additive else field.multiply(terms)

    return total


READERS: dict[type, Callable[[Any], Reading]] = {
    sympy.Symbol: _symbol,
    sympy.Rational: _number,
    sympy.Indexed: _entry,
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.ceiling: _ceiling,
    sympy.Piecewise: _cases,
    sympy.Sum: _loop,
    sympy.Product: _loop,
    sympy.Integral: _integral,
    type(sympy.E): lambda expr: lambda env, field: field.apply("exp", [field.rational(Fraction(1))]),
    type(sympy.pi): _function("pi"),
    sympy.log: _function("log"),
    sympy.exp: _function("exp"),
    sympy.tanh: _function("tanh"),
    sympy.binomial: _function("binomial"),
    sympy.Min: _function("min"),
    sympy.Max: _function("max"),
    ceil_log2: _function("ceil_log2"),
    inverse_kl: _function("inverse_kl"),
}


def _each(step: Step, env: Env, field: Field) -> list[Any]:
    assert step.over is not None
    index, count = step.over
    entries = range(1, field.integer(walk(count, env, field)) + 1)
    return [walk(step.expr, {**env, index.name: field.rational(Fraction(i))}, field) for i in entries]


def run(steps: list[Step], values: Env, field: Field) -> Any:
    """The value of the last step."""
    env = dict(values)
    for step in steps:
        try:
            env[step.name] = walk(step.expr, env, field) if step.over is None else _each(step, env, field)
        except Undefined as undefined:
            raise Undefined(f"{step.name} is undefined here: {undefined}") from None
    return env[steps[-1].name]
