"""Tails of Gaussian vectors: exact in balls, where they fall to a probability, and Chernoff's bound as a proof."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq
from sympy import Expr, diff, exp, log

from maurey.numeric.exact import to_ball
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof

FAILING = tuple(Fraction(1, k) for k in (2, 10, 10**3, 10**9))  # probabilities
DIMENSIONS = (1, 2, 3, 10, 100, 1000)


def longer(n: int, level: arb) -> arb:
    """P(|X| > level) for a standard Gaussian vector of n entries."""
    return (level * level / 2).gamma_upper(arb(fmpq(n, 2)), regularized=1)


def beyond(level: arb) -> arb:
    """P(|g| > level) for one of them."""
    return (level / arb(2).sqrt()).erfc()


def quantile(chance: Callable[[arb], arb], failing: Fraction, above: float) -> float:
    """Where a tail falls to the given probability, at most `above`."""
    low, high = 0.0, above
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(arb(middle)) > to_ball(failing) else (low, middle)
    return high


def chernoff(level: Callable[[Expr, Expr], Expr]) -> list[Proof]:
    """|X|^2/sigma^2 has the moment generating function (1 - 2 lambda)^(-n/2). With |X|^2 = n sigma^2 (1 + u) and
    lambda = u/(2(1 + u)) the tail is at most exp(-n (u - log(1 + u))/2). Of a failing probability exp(-n s^2) the level
    has u = 2s + 2s^2, and s - log(1 + u)/2 increases from 0."""
    n, s, u = positive("n s u")
    at, rate = u / (2 * (1 + u)), n * (u - log(1 + u)) / 2
    h = s - log(1 + 2 * s + 2 * s**2) / 2
    rising = 2 * s**2 / (1 + 2 * s + 2 * s**2)
    return [
        same(level(n, exp(-n * s**2)) ** 2 / n, 1 + 2 * s + 2 * s**2),
        same(at * n * (1 + u) + n * log(1 - 2 * at) / 2, rate),
        same(rate.subs(u, 2 * s + 2 * s**2) - n * s**2, n * h),
        same(h.subs(s, 0), 0),
        same(diff(h, s), rising),
        polynomial(rising >= 0, control=rising >= 1 - less),
    ]
