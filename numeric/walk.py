"""One walk over an expression for every kind of number.

A field supplies the arithmetic (balls, mpmath numbers, log-arrays, exact radicals); the walk knows SymPy's nodes.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Protocol

import sympy
from sympy import Expr

from maurey.symbolic.covers import ceil_log2
from maurey.symbolic.derivation import Step
from maurey.symbolic.errors import InputError
from maurey.symbolic.pacbayes import inverse_kl
from maurey.symbolic.tails import binomial_inverse, hypergeometric_inverse, mixture_inverse


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
Rule = Callable[[Any, Callable[[Expr], Reading]], Reading]  # from a node, and from how to read what is under it

MOST_READINGS = 1 << 16


class Reader:
    """Expressions as functions, by a rule for each kind of node."""

    def __init__(self, rules: Mapping[type, Rule]) -> None:
        self.rules = rules
        self.kept: dict[int, tuple[Expr, Reading]] = {}

    def __call__(self, expr: Expr) -> Reading:
        """Kept by identity, for to compare two expressions takes longer than to evaluate one."""
        found = self.kept.get(id(expr))
        if found is None:
            if len(self.kept) >= MOST_READINGS:
                self.kept.clear()
            found = self.kept[id(expr)] = expr, self.read(expr)
        return found[1]

    def read(self, expr: Expr) -> Reading:
        rule = next((self.rules[kind] for kind in type(expr).__mro__ if kind in self.rules), None)
        if rule is None:
            raise Undefined(f"no value is known for {type(expr).__name__}")
        return rule(expr, self.read)


# leaves: one function for all places where it stands, of which a deep form has thousands


def _symbol(expr: Any, read: Any) -> Reading:
    return _named(expr.name)


@lru_cache(maxsize=MOST_READINGS)
def _named(name: str) -> Reading:
    return lambda env, field: env[name]


def _number(expr: Any, read: Any) -> Reading:
    value = Fraction(expr.p, expr.q)
    return lambda env, field: field.rational(value)


def _entry(expr: Any, read: Any) -> Reading:
    name = expr.base.label.name
    if isinstance(expr.indices[0], sympy.Integer):
        return _placed(name, int(expr.indices[0]) - 1)
    index = read(expr.indices[0])
    return lambda env, field: env[name][field.integer(index(env, field)) - 1]


@lru_cache(maxsize=MOST_READINGS)
def _placed(name: str, place: int) -> Reading:
    def entry(env: Any, field: Any) -> Any:
        try:
            return env[name][place]
        except IndexError:
            raise InputError(f"{name} has {len(env[name])} values, and number {place + 1} is asked for") from None

    return entry


def _sum(expr: Any, read: Any) -> Reading:
    terms = [read(term) for term in expr.args]
    return lambda env, field: field.add([term(env, field) for term in terms])


def factors_of(expr: Any) -> list[Any]:
    """A product of products is one product."""
    nested = [factors_of(x) if isinstance(x, sympy.Mul) else [x] for x in expr.args]
    return [factor for factors in nested for factor in factors]


def _product(expr: Any, read: Any) -> Reading:
    factors = [read(factor) for factor in factors_of(expr)]
    return lambda env, field: field.multiply([factor(env, field) for factor in factors])


def _power(expr: Any, read: Any) -> Reading:
    base, exponent = read(expr.base), expr.exp
    if isinstance(exponent, sympy.Rational):
        known = Fraction(exponent.p, exponent.q)
        return lambda env, field: field.power(base(env, field), known)
    varying = read(exponent)
    return lambda env, field: field.power_of(base(env, field), varying(env, field))


def _ceiling(expr: Any, read: Any) -> Reading:
    inner = read(expr.args[0])
    return lambda env, field: field.ceiling(inner(env, field), expr, env)


def _cases(expr: Any, read: Any) -> Reading:
    cases = [(case.cond, read(case.expr)) for case in expr.args]
    return lambda env, field: field.select([(c, partial(value, env, field)) for c, value in cases], env)


def _integral(expr: Any, read: Any) -> Reading:
    return lambda env, field: field.integrate(expr, env)


def _function(name: str) -> Rule:
    def rule(expr: Any, read: Any) -> Reading:
        arguments = [read(argument) for argument in expr.args]
        return lambda env, field: field.apply(name, [argument(env, field) for argument in arguments])

    return rule


def extended(env: Env) -> MutableMapping[str, Any]:
    """The same names, to which others may be added; what is computed when it is asked for stays so."""
    return dict(env) if isinstance(env, dict) else ChainMap({}, env)  # type: ignore[arg-type]


def _loop(expr: Any, read: Any) -> Reading:
    """A sum or a product over an index."""
    index, *ends = expr.limits[0]
    low, high, term = read(ends[0]), read(ends[1]), read(expr.function)
    additive = isinstance(expr, sympy.Sum)

    def total(env: Env, field: Field) -> Any:
        first, last = field.integer(low(env, field)), field.integer(high(env, field))
        if last - first > MOST_TERMS:
            raise Undefined(f"a sum of more than {MOST_TERMS} terms is too long to be taken exactly")
        terms, inner = [], extended(env)
        for i in range(first, last + 1):
            field.indices.append(i)
            inner[index.name] = field.rational(Fraction(i))
            terms.append(term(inner, field))
            field.indices.pop()
        if not terms:
            return field.rational(Fraction(0 if additive else 1))
        return field.add(terms) if additive else field.multiply(terms)

    return total


ELEMENTARY = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("erf", "erfc", "sign", "floor"),
)

RULES: dict[type, Rule] = {
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
    type(sympy.E): lambda expr, read: lambda env, field: field.apply("exp", [field.rational(Fraction(1))]),
    type(sympy.pi): _function("pi"),
    sympy.log: _function("log"),
    sympy.exp: _function("exp"),
    **{getattr(sympy, name): _function(name) for name in ELEMENTARY},
    sympy.Abs: _function("abs"),
    sympy.binomial: _function("binomial"),
    sympy.Min: _function("min"),
    sympy.Max: _function("max"),
    ceil_log2: _function("ceil_log2"),
    inverse_kl: _function("inverse_kl"),
    **{kind: _function(kind.__name__) for kind in (binomial_inverse, hypergeometric_inverse, mixture_inverse)},
}


general = Reader(RULES)
readers: dict[type, Reader] = {}  # of fields that have rules of their own, which do the same in fewer calls


def walk(expr: Expr, env: Env, field: Field) -> Any:
    return readers.get(type(field), general)(expr)(env, field)


def each(step: Step, env: Env, field: Field) -> list[Any]:
    """One after the other: an entry may speak of those before it."""
    assert step.over is not None
    index, count = step.over
    entries: list[Any] = []
    known = extended(env)
    known[step.name] = entries
    for i in range(1, field.integer(walk(count, env, field)) + 1):
        field.indices.append(i)
        known[index.name] = field.rational(Fraction(i))
        entries.append(walk(step.expr, known, field))
        field.indices.pop()
    return entries


def run(steps: list[Step], values: Env, field: Field) -> Any:
    """The value of the last step."""
    return run_all(steps, values, field)[steps[-1].name]


def run_all(steps: list[Step], values: Env, field: Field) -> dict[str, Any]:
    """The values of all steps, beside those that are given."""
    env, reading = dict(values), readers.get(type(field), general)
    for step in steps:
        try:
            env[step.name] = reading(step.expr)(env, field) if step.over is None else each(step, env, field)
        except Undefined as undefined:
            raise Undefined(f"{step.name} is undefined here: {undefined}") from None
    return env
