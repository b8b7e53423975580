"""How far Gaussian perturbations move a network, and how often: lower bounds that hold for every sigma, in balls.

One component of degree one, at a string of zeros. Its position attends to one token whatever happens, and the output
to its position, so that with independent Gaussians N everywhere

  b = sigma N (T+2 of them),  units N(b_data + Gamma_u, sigma^2 (|b|^2 + 1)), 8 of them,
  g: in the positions N(e_1, sigma^2 |r|^2), T+1 of them,  f = N(g_data, sigma^2 |g|^2),

each given the ones before. Every line is bounded from below by a threshold and the probability to pass it; the last by
what is most concentrated, a Gaussian around the value that f is compared with. So f is of order sigma^4, its gradient
contains g, which is of order sigma^3, its Hessian r, of order sigma^2. f is linear in every block: its Hessian has no
trace, and that of the loss has twice the squared gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from typing import NamedTuple

from flint import arb, ctx

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import BITS
from maurey.numeric.exact import decimal, to_ball
from maurey.symbolic import registry
from maurey.verify.complexity.gaussian_tails import beyond, longer, quantile

AT = {"omega": 1, "D": 1, "T": 2}
FAILING = Fraction(1, 10)
UNITS, LOWEST = 8, Fraction(3, 2)  # hidden units, and minus the least entry of Gamma
SIGMAS = tuple(10**k for k in range(7))
HALF, ONE = Fraction(1, 2), Fraction(1)
THRESHOLDS = tuple(product((1, 2), (HALF / 2, HALF, ONE), (1, 2), (HALF, ONE)))


class Far(NamedTuple):
    """r and g are at least so long, with at least these probabilities."""

    r: arb
    often_r: arb
    g: arb
    often_g: arb


def far(T: int, sigma: int) -> Iterator[Far]:
    deviation = arb(sigma)
    for b, a, j, x in THRESHOLDS:
        s = deviation * (deviation**2 * b**2 + 1).sqrt()  # the least deviation of a unit, if |b| >= sigma b
        one = beyond(to_ball(a) + 1 / deviation + to_ball(LOWEST) / s) / 2
        some = sum((comb(UNITS, k) * one**k * (1 - one) ** (UNITS - k) for k in range(j, UNITS + 1)), arb(0))
        r, often = to_ball(a) * s * arb(j).sqrt(), longer(T + 2, arb(b)) * some
        yield Far(r, often, deviation * r * to_ball(x), often * longer(T + 1, to_ball(x)))


def output(T: int, sigma: int) -> arb:
    """|f~ - f| exceeds this with a probability above FAILING."""
    found = [arb(0)]
    for one in far(T, sigma):
        if one.often_g > to_ball(FAILING):
            left = Fraction(str(decimal((to_ball(FAILING) / one.often_g).upper())))
            deviations = quantile(beyond, left, 100.0) if left < 1 else 0.0
            while deviations > 0 and not one.often_g * beyond(arb(deviations)) > to_ball(FAILING):
                deviations *= 1 - 1e-6
            found.append(sigma * one.g * arb(deviations))
    return max(found, key=float)


def gradient(T: int, sigma: int) -> arb:
    """What the gradient with respect to v_2 moves by: from (e_1, 1) to g."""
    return max(
        (one.g - arb(2).sqrt() for one in far(T, sigma) if one.often_g > to_ball(FAILING)), key=float, default=arb(0)
    )


def hessian(T: int, sigma: int) -> arb:
    """The mixed derivative in v_2 and F at one position is r."""
    return max((one.r for one in far(T, sigma) if one.often_r > to_ball(FAILING)), key=float, default=arb(0))


def trace(T: int, sigma: int) -> arb:
    """Of the loss, which is twice the squared gradient."""
    return max((2 * one.g**2 for one in far(T, sigma) if one.often_g > to_ball(FAILING)), key=float, default=arb(0))


def exceeded(key: str, part: str, at_least: Callable[[int, int], arb]) -> str:
    """The printed form, which knows no probability, at the first power of ten where it is exceeded: far beyond what the
    lemmas allow."""
    claim = replace(registry.find(key), assumes=())
    with ctx.workprec(BITS):
        for sigma in SIGMAS:
            said = Fraction(enclose(claim, "printed", part, **AT, sigma=sigma).upper)
            true = at_least(AT["T"], sigma)
            if true > to_ball(said):
                return (
                    "It keeps first powers of sigma alone, and fails where sigma is far from small: for one bit of "
                    f"two, the string 00 and sigma = {sigma}, {float(true):.4g} is exceeded with a probability above "
                    f"{FAILING}, and it says {float(said):.4g}"
                )
    return "No sigma was found at which it fails"
