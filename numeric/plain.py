"""Plain high-precision values (mpmath). Integers and branches are those that ball arithmetic decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
from mpmath import mp
from sympy import Expr, true

from maurey.symbolic.claim import Claim

from .balls import enclose_steps
from .binding import bind
from .exact import check_digits
from .inverse_kl import of_plain
from .tails import of_binomial, of_hypergeometric, of_mixture, plainly
from .walk import Undefined, run, walk

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": mpmath.log,
    "exp": mpmath.exp,
    "tanh": mpmath.tanh,
    "erfc": mpmath.erfc,
    "pi": lambda: +mp.pi,
    "binomial": mpmath.binomial,
    "ceil_log2": lambda n: mp.mpf((int(n) - 1).bit_length()),
    "inverse_kl": of_plain,
    "binomial_inverse": plainly(of_binomial),
    "hypergeometric_inverse": plainly(of_hypergeometric),
    "mixture_inverse": plainly(of_mixture),
    "min": min,
    "max": max,
}


SPARE = (15, 100, 1000)  # digits beyond those asked for


class Plain:
    """The field of mpmath numbers."""

    def __init__(self, decisions: Mapping[tuple[Any, tuple[int, ...]], Any]) -> None:
        self.indices: list[int] = []
        self.decisions = decisions

    def rational(self, value: Fraction) -> Any:
        return mp.mpf(value.numerator) / value.denominator

    def add(self, terms: list[Any]) -> Any:
        return mpmath.fsum(terms)

    def multiply(self, factors: list[Any]) -> Any:
        return mpmath.fprod(factors)

    def power(self, base: Any, exponent: Fraction) -> Any:
        if exponent.denominator == 1:
            return base ** int(exponent)
        return mpmath.root(base, exponent.denominator) ** exponent.numerator

    def power_of(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def apply(self, name: str, arguments: list[Any]) -> Any:
        return FUNCTIONS[name](*arguments)

    def integer(self, x: Any) -> int:
        return int(x)

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        return mp.mpf(self.decisions[node, tuple(self.indices)])

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any:
        decided = (value for c, value in branches if c == true or self.decisions[c, tuple(self.indices)])
        return next(decided)()

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any:
        variable, low, high = node.limits[0]
        a, b = walk(low, env, self), walk(high, env, self)
        # in the logarithm of the variable the integrand is smooth over many orders of magnitude
        f = lambda t: mpmath.exp(t) * walk(node.function, {**env, variable.name: mpmath.exp(t)}, self)  # noqa: E731
        return mpmath.quad(f, mpmath.linspace(mpmath.log(a), mpmath.log(b), 9)) if a != b else mp.mpf(0)


def _as_mpf(value: Any) -> Any:
    return [_as_mpf(v) for v in value] if isinstance(value, list) else mp.mpf(value.numerator) / value.denominator


def evaluate(claim: Claim, form: str = "", part: str = "", digits: int = 15, **values: Any) -> Any:
    """The value of a form at a point, as an mpmath number."""
    digits = check_digits(digits)
    bound = bind(claim, form, part, values)
    decisions = enclose_steps(bound.steps, bound.values, 5)[1].decisions
    for spare in SPARE:
        with mp.workdps(digits + spare):
            try:
                value = run(bound.steps, {name: _as_mpf(v) for name, v in bound.values.items()}, Plain(decisions))
            except ZeroDivisionError:  # a small divisor that was lost beside a large number
                continue
        with mp.workdps(digits):
            return +value
    raise Undefined(f"a divisor is zero to {digits + SPARE[-1]} digits; ask for an enclosure")
