"""Exact radicals: decide whether an expression equals an integer, where a ball never can.

A number is a fraction of sums of r * p_1^(e_1) ... p_k^(e_k), with r rational, p_i distinct primes and 0 < e_i < 1.
Such radicals are linearly independent over the rationals (Besicovitch 1940), so a sum vanishes exactly when all its
coefficients do. A logarithm of a rational enters as one more letter, to any power: if the coefficients vanish the sum
does, whatever the letter stands for. This settles the ties that natural inputs cause under a ceiling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

from flint import arb, fmpq, fmpz
from sympy import Expr

from .walk import walk

Letter = tuple[str, Fraction]  # ("prime", p) or ("log", q)
Monomial = tuple[tuple[Letter, Fraction], ...]
Sum = dict[Monomial, Fraction]
MOST_BITS, MOST_TERMS = 160, 200
SMALL_PRIMES = [p for p in range(2, 100) if fmpz(p).is_prime()]


class Unsupported(ArithmeticError):
    """Not a radical expression, or too large to factor."""


@dataclass(frozen=True)
class Surd:
    above: Sum
    below: Sum


ONE: Sum = {(): Fraction(1)}


def _rational(x: Surd) -> Fraction:
    if set(x.below) != {()} or set(x.above) - {()}:
        raise Unsupported
    return x.above.get((), Fraction(0)) / x.below[()]


def _plus(a: Sum, b: Sum) -> Sum:
    out = dict(a)
    for monomial, r in b.items():
        out[monomial] = out.get(monomial, Fraction(0)) + r
    return {monomial: r for monomial, r in out.items() if r}


def _times(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > MOST_TERMS:
        raise Unsupported
    if a is ONE or b is ONE:
        return b if a is ONE else a
    out: Sum = {}
    for ma, ra in a.items():
        for mb, rb in b.items():
            monomial, r = _product(ma, mb)
            out[monomial] = out.get(monomial, 0) + ra * rb * r
    return {monomial: r for monomial, r in out.items() if r}


@lru_cache(maxsize=10_000)
def _product(a: Monomial, b: Monomial) -> tuple[Monomial, Fraction]:
    if not a or not b:
        return a or b, Fraction(1)
    exponents = dict(a)
    for p, e in b:
        exponents[p] = exponents.get(p, Fraction(0)) + e
    return _collected(exponents)


def _collected(exponents: dict[Letter, Fraction]) -> tuple[Monomial, Fraction]:
    """The monomial, and whole powers of primes apart from it."""
    r = Fraction(1)
    kept = []
    for (kind, x), e in sorted(exponents.items()):
        whole = math.floor(e) if kind == "prime" else 0
        r *= x**whole
        if e != whole:
            kept.append(((kind, x), e - whole))
    return tuple(kept), r


def _factors(n: int) -> dict[int, int]:
    """Prime factors: small ones by division, so that powers of ten of any size pass, the rest if not too large."""
    found: dict[int, int] = {}
    for p in SMALL_PRIMES:
        while n % p == 0:
            n, found[p] = n // p, found.get(p, 0) + 1
    if n.bit_length() > MOST_BITS:
        raise Unsupported
    return found | {int(p): int(e) for p, e in fmpz(n).factor()}


def _root(a: Sum, exponent: Fraction) -> Sum:
    """A single term to a rational power, by factoring its coefficient."""
    if a is ONE:
        return ONE
    if len(a) != 1:
        raise Unsupported
    ((monomial, r),) = a.items()
    if r <= 0:
        raise Unsupported
    root, whole = _power(monomial, r, exponent)
    return {root: whole}


@lru_cache(maxsize=10_000)
def _power(monomial: Monomial, r: Fraction, exponent: Fraction) -> tuple[Monomial, Fraction]:
    exponents: dict[Letter, Fraction] = {letter: e * exponent for letter, e in monomial}
    for part, sign in ((r.numerator, 1), (r.denominator, -1)):
        for p, e in _factors(part).items():
            prime = ("prime", Fraction(p))
            exponents[prime] = exponents.get(prime, Fraction(0)) + sign * e * exponent
    return _collected(exponents)


def _ball(a: Sum) -> arb:
    """The value at the current precision."""
    total = arb(0)
    for monomial, r in a.items():
        term = arb(fmpq(r.numerator, r.denominator))
        for (kind, x), e in monomial:
            base = arb(fmpq(x.numerator, x.denominator))
            term *= (base.log() if kind == "log" else base) ** arb(fmpq(e.numerator, e.denominator))
        total += term
    return total


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
        return int(_rational(x))

    def power_of(self, base: Surd, exponent: Surd) -> Surd:
        e = _rational(exponent)
        if abs(e) > MOST_BITS:
            raise Unsupported
        return self.power(base, e)

    def apply(self, name: str, arguments: list[Surd]) -> Surd:
        if name == "log":
            argument = _rational(arguments[0])
            return Surd({((("log", argument), Fraction(1)),): Fraction(1)}, ONE)
        if name == "min":
            return reduce(self._smaller, arguments)
        raise Unsupported

    def _smaller(self, a: Surd, b: Surd) -> Surd:
        difference = self.add([a, self.multiply([self.rational(Fraction(-1)), b])])
        sign = _ball(difference.above) / _ball(difference.below)
        if difference.above and not (sign < 0 or sign > 0):
            raise Unsupported
        return a if sign < 0 else b

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        raise Unsupported

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Any:
        raise Unsupported

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any:
        raise Unsupported


def vanishes(expr: Expr, env: Mapping[str, Any]) -> bool | None:
    """Is the expression exactly zero? None where radicals cannot tell."""
    try:
        return not walk(expr, env, Surds()).above
    except Unsupported:
        return None
