"""Lower bounds in the Euclidean norm: points on a sphere, how many of them a ball can hold, and codes to look at.

Centres may lie anywhere here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache

from flint import arb, ctx, fmpz

from maurey.numeric.exact import EXACT, PRECISION, log_ball, log_ratio, logarithm, short, to_ball

from .lower_bounds import NOTHING, Lower, best, spread

WIDEST = 512  # coordinates of a sign code: more are left alone, which only loses


def largest_cluster(levels: Iterable[tuple[int, int]], least: Fraction) -> int:
    """Points of one norm P within eps of a common centre, wherever that lies, have a mean of squared norm at least
    P^2 - eps^2: their inner products average to that, and one of them has so large an average with all. `levels` are
    (inner product, how many points have it with a given one), largest first; `least` the average asked for. Returns the
    most points that can have it."""
    count, total = 0, 0
    for product, number in levels:
        if product >= least:
            count, total = count + number, total + product * number
            continue
        extra = min(number, math.floor((total - least * count) / (least - product)))
        count, total = count + extra, total + product * extra
        if extra < number:
            break
    return count


@cache
def sparse_signs(a: Fraction, n: int, j: int) -> Lower:
    """(radius/j) z with j entries +-1 and none else: the l1 ball in the Euclidean norm."""
    ways: dict[int, int] = {}
    for shared in range(max(0, 2 * j - n), j + 1):
        outside = math.comb(n - j, j - shared) << (j - shared)
        for same in range(shared + 1):
            number = math.comb(j, shared) * math.comb(shared, same) * outside
            ways[2 * same - shared] = ways.get(2 * same - shared, 0) + number
    points = math.comb(n, j) << j
    most = largest_cluster(sorted(ways.items(), reverse=True), j - j * j / a)
    return Lower(log_ratio(points, most), f"{j}-sparse sign vectors in {short(n)} dimensions, {short(most)} to a ball")


def l1_ball(a: Fraction, n: int) -> Lower:
    """The l1 ball of n dimensions in the Euclidean norm, centres anywhere."""
    if a <= 1:
        return NOTHING
    top = min(n, math.floor(a), EXACT)
    sparse = (sparse_signs(a, n, j) for j in sorted({*spread(1, top, 6), min(top, math.ceil(a / 2))}))
    with ctx.workprec(PRECISION):
        volumes = [
            Lower(
                r * (4 * to_ball(a)).log() / 2 - (arb(fmpz(r)) + 1).lgamma() - log_ball(r), f"volume in {r} dimensions"
            )
            for r in spread(1, min(n, math.ceil(4 * a)), 10)
        ]
    return best([*sparse, *volumes])


@cache
def sign_code(d: int, q: Fraction) -> Lower:
    """All of {-c, c}^d in the Euclidean norm, q = (c/eps)^2, centres anywhere."""
    d = min(d, WIDEST)
    if q * d <= 1:
        return NOTHING
    most = largest_cluster(((d - 2 * i, math.comb(d, i)) for i in range(d + 1)), d - 1 / q)
    return Lower(log_ratio(1 << d, most), f"{d} signs, {short(most)} to a ball")


def ball_in_ball(b: Fraction, d: int) -> Lower:
    """A Euclidean ball of squared radius b eps^2 in its own norm: volume, or two opposite points."""
    if b <= 1:
        return NOTHING
    with ctx.workprec(PRECISION):
        volume = Lower(d * to_ball(b).log() / 2, f"volume of a ball in {d} dimensions")
    return best([volume, Lower(logarithm(2), "two opposite points")])


# --- packings as points, to look at ---------------------------------------------------------------------------------


def greedy(
    points: Iterable[tuple[int, ...]], far: Callable[[tuple[int, ...], tuple[int, ...]], bool]
) -> Iterator[tuple[int, ...]]:
    """Points in the order given, each kept if it is far from all that are kept: maximal, so also a cover."""
    kept: list[tuple[int, ...]] = []
    for point in points:
        if all(far(point, other) for other in kept):
            kept.append(point)
            yield point


def lexicode(d: int, distance: int) -> list[tuple[int, ...]]:
    """Signs of length d, any two of which differ in at least so many places: no fewer than Gilbert and Varshamov's."""
    words = itertools.product((1, -1), repeat=d)
    return list(greedy(words, lambda u, v: sum(x != y for x, y in zip(u, v, strict=True)) >= distance))


def integer_points(n: int, Q: int) -> list[tuple[int, ...]]:
    """The grid that `grid_points` counts."""
    side = range(-math.isqrt(Q), math.isqrt(Q) + 1)
    return [z for z in itertools.product(side, repeat=n) if sum(x * x for x in z) <= Q]
