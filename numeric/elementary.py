"""Elementary functions of balls: rational where they are, undefined where they have no value, open where a ball leaves
their domain open."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from flint import arb, fmpq, fmpz

from .inverse_kl import of_balls
from .powers import EXACT_BITS
from .tails import of_binomial, of_hypergeometric, of_mixture
from .types import Ball
from .walk import Undefined


class Unresolved(ArithmeticError):
    """Open at this precision."""


def to_arb(x: Ball) -> arb:
    return arb(x) if isinstance(x, fmpq) else x


def _log(x: Ball) -> Ball:
    if isinstance(x, fmpq):
        if x <= 0:
            raise Undefined("the logarithm of a number that is not positive")
        return fmpq(0) if x == 1 else arb(x).log()
    if not x > 0:
        if x <= 0:
            raise Undefined("the logarithm of a number that is not positive")
        raise Unresolved("the sign of the argument of a logarithm")
    return x.log()


def _binomial(n: Ball, k: Ball) -> Ball:
    if not (isinstance(n, fmpq) and isinstance(k, fmpq) and n.q == k.q == 1 and k >= 0):
        raise Undefined("a binomial of numbers that are not integers")
    if k > n:
        return fmpq(0)
    if n <= EXACT_BITS:
        return fmpq(fmpz.bin_uiui(int(n.p), int(k.p)))
    log = (arb(n) + 1).lgamma() - (arb(k) + 1).lgamma() - (arb(n) - arb(k) + 1).lgamma()
    return log.exp()


def _ceil_log2(n: Ball) -> fmpq:
    if not (isinstance(n, fmpq) and n.q == 1 and n >= 1):
        raise Undefined("log2 of a number that is not a positive integer")
    return fmpq((int(n.p) - 1).bit_length())


def _inverse_kl(q: Ball, c: Ball) -> Ball:
    if q < 0 or q > 1 or c < 0:
        raise Undefined("the inverse of the divergence at a mean outside [0, 1], or at a negative divergence")
    if isinstance(q, fmpq) and (q == 1 or (isinstance(c, fmpq) and c == 0)):
        return q
    found = of_balls(q, c)
    if found is None:
        raise Unresolved("the inverse of the divergence")
    return found


def _tail(inverse: Callable[..., Ball | None]) -> Callable[..., Ball]:
    def of(*arguments: Ball) -> Ball:
        found = inverse(*arguments)
        if found is None:
            raise Unresolved("the inverse of a tail")
        return found

    return of


def _smaller(a: Ball, b: Ball) -> Ball:
    """The smaller one itself where that is certain, so that a rational stays exact; else the ball around both."""
    return a if a <= b else b if b <= a else to_arb(a).min(to_arb(b))


def _least(*xs: Ball) -> Ball:
    return reduce(_smaller, xs)


def _largest(*xs: Ball) -> Ball:
    return -reduce(_smaller, (-x for x in xs))


def _from_zero(function: Callable[[arb], arb], at_zero: int = 0) -> Callable[[Ball], Ball]:
    """A function that is rational at zero, and kept so."""
    return lambda x: fmpq(at_zero) if x == 0 else function(to_arb(x))


def _within(function: Callable[[arb], arb], what: str, low: int, high: int | None = None) -> Callable[[Ball], Ball]:
    """A function with a domain: beyond it there is no value, and a ball across its end is left open."""

    def of(x: Ball) -> Ball:
        if x < low or (high is not None and x > high):
            raise Undefined(f"{what} outside its domain")
        if not (x >= low and (high is None or x <= high)):
            raise Unresolved(f"whether the argument of {what} is in its domain")
        value = function(to_arb(x))
        if not value.is_finite():
            raise Undefined(f"{what} at the end of its domain")
        return fmpq(0) if isinstance(x, fmpq) and value == 0 else value

    return of


def _floor(x: Ball) -> fmpq:
    n = x.floor() if isinstance(x, fmpq) else x.floor().unique_fmpz()
    if n is None:
        raise Unresolved("a floor")
    return fmpq(n)


def _sign(x: Ball) -> fmpq:
    if not (x > 0 or x < 0 or x == 0):
        raise Unresolved("the sign of a number")
    return fmpq(1 if x > 0 else -1 if x < 0 else 0)


def _absolute(x: Ball) -> Ball:
    return x if x >= 0 else -x if x <= 0 else abs(x)


def _tangent(x: Ball) -> Ball:
    value = to_arb(x).tan()
    if not value.is_finite():
        raise Unresolved("a tangent near its pole")
    return fmpq(0) if x == 0 else value


FUNCTIONS: dict[str, Callable[..., Ball]] = {
    "log": _log,
    "exp": _from_zero(arb.exp, 1),
    "sin": _from_zero(arb.sin),
    "cos": _from_zero(arb.cos, 1),
    "tan": _tangent,
    "asin": _within(arb.asin, "an arcsine", -1, 1),
    "acos": _within(arb.acos, "an arccosine", -1, 1),
    "atan": _from_zero(arb.atan),
    "sinh": _from_zero(arb.sinh),
    "cosh": _from_zero(arb.cosh, 1),
    "tanh": _from_zero(arb.tanh),
    "asinh": _from_zero(arb.asinh),
    "acosh": _within(arb.acosh, "an inverse hyperbolic cosine", 1),
    "atanh": _within(arb.atanh, "an inverse hyperbolic tangent", -1, 1),
    "erf": _from_zero(arb.erf),
    "erfc": _from_zero(arb.erfc, 1),
    "abs": _absolute,
    "sign": _sign,
    "floor": _floor,
    "pi": arb.pi,
    "binomial": _binomial,
    "ceil_log2": _ceil_log2,
    "inverse_kl": _inverse_kl,
    "binomial_inverse": _tail(of_binomial),
    "hypergeometric_inverse": _tail(of_hypergeometric),
    "mixture_inverse": _tail(of_mixture),
    "min": _least,
    "max": _largest,
}
