"""Exact radicals: decide whether an expression equals an integer, where a ball never can.

A number is a fraction of sums of r * p_1^(e_1) ... p_k^(e_k), with r rational, p_i distinct primes and 0 < e_i < 1.
Such radicals are linearly independent over the rationals (Besicovitch 1940), so a sum vanishes exactly when all its
coefficients do. This settles the ties that natural inputs cause under a ceiling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz
from sympy import Expr

from .walk import walk

Monomial = tuple[tuple[int, Fraction], ...]
Sum = dict[Monomial, Fraction]
MOST_BITS, MOST_TERMS = 160, 200


class Unsupported(ArithmeticError):
    """Not a radical expression, or too large to factor."""


@dataclass(frozen=True)
class Surd:
    above: Sum
    below: Sum


ONE: Sum = {(): Fraction(1)}


def _plus(a: Sum, b: Sum) -> Sum:
    out = dict(a)
    for monomial, r in b.items():
        out[monomial] = out.get(monomial, Fraction(0)) + r
    return {monomial: r for monomial, r in out.items() if r}


def _times(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > MOST_TERMS:
        raise Unsupported
    out: Sum = {}
    for ma, ra in a.items():
        for mb, rb in b.items():
            exponents = dict(ma)
            r = ra * rb
            for p, e in mb:
                exponents[p] = exponents.get(p, Fraction(0)) + e
            for p, e in list(exponents.items()):
                if e >= 1:
                    r, exponents[p] = r * p, e - 1
            monomial = tuple(sorted((p, e) for p, e in exponents.items() if e))
            out = _plus(out, {monomial: r})
    return out


def _root(a: Sum, exponent: Fraction) -> Sum:
    """A single term to a rational power, by factoring its coefficient."""
    if len(a) != 1:
        raise Unsupported
    ((monomial, r),) = a.items()
    if r <= 0 or max(r.numerator.bit_length(), r.denominator.bit_length()) > MOST_BITS:
        raise Unsupported
    exponents: dict[int, Fraction] = {p: e * exponent for p, e in monomial}
    for part, sign in ((r.numerator, 1), (r.denominator, -1)):
        for p, e in fmpz(part).factor():
            exponents[int(p)] = exponents.get(int(p), Fraction(0)) + sign * e * exponent
    coefficient, kept = Fraction(1), []
    for p, e in sorted(exponents.items()):
        whole = e.numerator // e.denominator
        coefficient *= Fraction(p) ** whole
        if e != whole:
            kept.append((p, e - whole))
    return {tuple(kept): coefficient}


class Surds:
    """The field for `walk`; anything that is not a radical expression raises Unsupported."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def rational(self, value: Fraction) -> Surd:
        return Surd({(): value} if value else {}, ONE)

    def add(self, terms: list[Surd]) -> Surd:
        total = self.rational(Fraction(0))
        for t in terms:
            if t.below == total.below:
                total = Surd(_plus(total.above, t.above), total.below)
            else:
                above = _plus(_times(total.above, t.below), _times(t.above, total.below))
                total = Surd(above, _times(total.below, t.below))
        return total

    def multiply(self, factors: list[Surd]) -> Surd:
        product = Surd(ONE, ONE)
        for f in factors:
            product = Surd(_times(product.above, f.above), _times(product.below, f.below))
        return product

    def power(self, base: Surd, exponent: Fraction) -> Surd:
        if exponent < 0:
            if not base.above:
                raise Unsupported
            return self.power(Surd(base.below, base.above), -exponent)
        if exponent.denominator == 1 and exponent <= 8:
            return self.multiply([base] * int(exponent))
        return Surd(_root(base.above, exponent), _root(base.below, exponent))

    def integer(self, x: Surd) -> int:
        if x.below != ONE or set(x.above) - {()}:
            raise Unsupported
        return int(x.above.get((), Fraction(0)))

    def power_of(self, base: Any, exponent: Any) -> Any:
        raise Unsupported

    def apply(self, name: str, arguments: list[Any]) -> Any:
        raise Unsupported

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        raise Unsupported

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any:
        raise Unsupported


def vanishes(expr: Expr, env: Mapping[str, Any]) -> bool | None:
    """Is the expression exactly zero? None where radicals cannot tell."""
    try:
        return not walk(expr, env, Surds()).above
    except Unsupported:
        return None
