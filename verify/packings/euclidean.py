"""Lower bounds on covering numbers, certified: packings that can be written down, counting, and volume.

A set with pairwise distances above 2 eps needs as many centres as it has points, wherever the centres lie. Counting is
sharper: if no ball of radius eps holds more than K of M points, M/K centres are needed; where the centres must lie in
the class (2.1), fewer points fit. Sizes are exact integers or Arb balls, and every comparison is between rationals:
`a` is always the square of radius/eps.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

from flint import arb, ctx, fmpz

from maurey.numeric.exact import (
    EXACT,
    PRECISION,
    below,
    ceil_root,
    log_ball,
    log_binomial,
    log_ratio,
    logarithm,
    short,
    to_ball,
)

from .lower_bounds import NOTHING, Lower, best, spread

# --- the Euclidean ball in the largest coordinate: linear functions on orthogonal inputs -----------------------


def spikes(j: int, n: int) -> str:
    return f"spikes of either sign in {j} of {short(n)} places"


@cache
def square_sums(Q: int) -> list[int]:
    """In how many ways k positive squares, in order, sum to at most Q: for k = 0, 1, ..., Q."""
    sums, counts = [1] + [0] * Q, []
    for _ in range(Q + 1):
        counts.append(sum(sums))
        sums = [sum(sums[s - i * i] for i in range(1, math.isqrt(s) + 1)) for s in range(Q + 1)]
    return counts


def grid_points(a: Fraction, n: int) -> Lower:
    """c z with z integer, |z|^2 <= Q: two of them differ by c = radius/sqrt(Q) > 2 eps as long as Q < a/4."""
    Q = below(a / 4)
    if Q < 1:
        return NOTHING
    if Q <= EXACT:
        count = sum(math.comb(n, k) * ways << k for k, ways in enumerate(square_sums(Q)))
        return Lower(
            logarithm(count), f"{short(count)} grid points of squared norm at most {Q} in {short(n)} dimensions"
        )
    j = min(Q, 2 * n // 3 + 1, n)
    with ctx.workprec(PRECISION):
        return Lower(log_binomial(n, j) + j * arb(2).log(), spikes(j, n))


def cube_points(a: Fraction, n: int, cap: Fraction | None = None) -> Lower:
    """Levels more than 2 eps apart in each of r coordinates, in the cube of half-width radius/sqrt(r) or the cap."""

    def levels(r: int) -> int:
        return ceil_root(min(a / r, cap) if cap is not None else a / r)

    chosen = {min(n, below(a / (k - 1) ** 2)) for k in (2, 3, 4)} | {n}
    return best(
        Lower(logarithm(levels(r)), f"{short(levels(r))} levels").times(
            r, f"{short(levels(r))} levels in each of {short(r)} places"
        )
        for r in chosen
        if r >= 1 and levels(r) > 1
    )


def ball_volume(a: Fraction, n: int) -> Lower:
    """The ball of r dimensions against cubes of side 2 eps, at the best r."""
    top = min(n, math.floor(a * Fraction(158, 100)) + 1)  # about pi a / 2
    with ctx.workprec(PRECISION):
        return best(Lower(log_ball(r, a / 4), f"volume in {r} dimensions") for r in {top, max(1, top - 1)})


def spikes_in_class(a: Fraction, n: int, classes: int = 1) -> Lower:
    """Centres in the ball itself: j spikes of size c = radius/sqrt(j) > eps are within eps of a centre only where it is
    at least c - eps, with their signs; that is in at most radius^2/(c - eps)^2 places. `classes` counts disjoint sets
    of n places, among which the spikes choose one."""

    def held(j: int) -> int:
        with ctx.workprec(PRECISION):
            places = to_ball(a) * j / (to_ball(a).sqrt() - arb(fmpz(j)).sqrt()) ** 2
            return int(places.upper().floor().unique_fmpz())

    def count(j: int) -> Lower:
        places = min(n * classes, held(j))
        how = f"{spikes(j, n)}, which centres in the class cannot serve together"
        if j <= EXACT:
            points = classes * math.comb(n, j) << j
            return Lower(log_ratio(points, max(1, math.comb(places, j))), how)
        with ctx.workprec(PRECISION):
            points_log = log_binomial(n, j) + j * arb(2).log() + logarithm(classes)
            return Lower(points_log - log_binomial(places, j), how)

    return best(count(j) for j in spread(1, min(n, below(a)), 12))


def ball_in_largest(a: Fraction, n: int, proper: bool, cap: Fraction | None = None) -> Lower:
    """The ball of n dimensions in the largest coordinate. With a cap (squared, over eps^2), of its points only those
    whose coordinates do not exceed it; then only what has small coordinates counts."""
    if a <= 1 or (cap is not None and cap <= 1):
        return NOTHING
    found = [cube_points(a, n, cap)]
    if cap is None or cap >= a:
        found += [grid_points(a, n), ball_volume(a, n)]
    elif cap > 4:  # a spike just above 2 eps
        j = min(below(a / 4), 2 * n // 3 + 1, n)
        with ctx.workprec(PRECISION):
            points = log_binomial(n, j) + j * arb(2).log() if j >= 1 else arb(0)
        found.append(Lower(points, spikes(j, n)))
    if proper:
        found.append(spikes_in_class(a, n))
    return best(found)
