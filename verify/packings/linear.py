"""Lower bounds for x -> W^T x on N inputs, in the largest Euclidean norm of an output.

The inputs are ours to choose: R e_1, ..., R e_r with r = min(N, d_1). What is left of W are r rows of d_2 numbers, Y,
which is R times its first r rows, and the distance of two matrices is their largest row difference. All radii are given
by their squares over eps^2. Where a class bounds its maps x -> Wx by the columns of W, these are the rows of Y.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from flint import arb, ctx, fmpz

from maurey.numeric.exact import EXACT, PRECISION, below, ceil_root, log_ball, log_ratio, logarithm, short, to_ball
from maurey.verify.covers.rounding import dense_count

from .codes import ball_in_ball, l1_ball, sign_code, sparse_signs
from .euclidean import ball_in_largest, spikes_in_class
from .lower_bounds import NOTHING, Lower, best, spread

MANY = 10**9  # rows of a sign code


def columns(a: Fraction, r: int, d: int, proper: bool = True) -> Lower:
    """Every column of Y of norm at most sqrt(a) eps: 4.5."""
    if a * d <= 1:
        return NOTHING
    found = [Lower(logarithm(2), "two opposite matrices of one row")]
    if a > 1:  # entry by entry: a centre in the class has its columns in the ball
        found.append(ball_in_largest(a, r, proper).times(d))
    found += _codes(a, r, d)
    with ctx.workprec(PRECISION):
        for rows in _near(_best_rows(a, d), r):
            volume = d * log_ball(rows, a) - rows * log_ball(d)
            found.append(Lower(volume, f"volume of {rows} x {d} matrices with bounded columns"))
    return best(found)


def frobenius(a: Fraction, r: int, d: int, proper: bool = True) -> Lower:
    """|Y|_F at most sqrt(a) eps."""
    if a <= 1:
        return NOTHING
    found = [ball_in_largest(a, r * d, proper), *_codes(a / d, r, d)]
    with ctx.workprec(PRECISION):
        for rows in _near(float(a) / math.e, r):
            volume = log_ball(rows * d, a) - rows * log_ball(d)
            found.append(Lower(volume, f"volume of {rows} x {d} matrices in the Frobenius ball"))
    return best(found)


def everywhere(a: Fraction, d_1: int, d_2: int) -> Lower:
    """The same for all inputs of norm R at once: the spectral norm is at least every row and every column."""
    return best([frobenius(a, d_1, d_2), frobenius(a, d_2, d_1)])


def row_sum(a_1: Fraction, r: int, d: int, a_inf: Fraction | None = None) -> Lower:
    """Column norms of Y that sum to at most sqrt(a_1) eps; with a_inf, also each at most sqrt(a_inf) eps."""
    a_inf = a_1 if a_inf is None else min(a_1, a_inf)
    if min(a_1, a_inf * d) <= 1:
        return NOTHING
    found = []
    needed = math.isqrt(math.ceil(a_1 / a_inf) - 1) + 1  # columns from which on the sum is what binds
    for k in {*spread(1, min(d, math.ceil(a_1)), 6), min(d, needed), min(d, max(1, needed - 1))}:
        level = min(a_inf, a_1 / k**2)  # centres have columns within a_inf, whatever the level
        found.append(columns(level, r, k, proper=level == a_inf))
    for j in spread(needed, min(d, math.floor(a_1), 64), 6):
        found.append(sparse_signs(a_1, d, j))
    if needed == 1:  # one column may have it all
        found += [spikes_in_class(a_1, r, classes=d), l1_ball(a_1, d)]
    return best(found)


def entries(a: Fraction, r: int, d: int, proper: bool = True) -> Lower:
    """Absolute entries of Y that sum to at most sqrt(a) eps."""
    if a <= 1:
        return NOTHING
    found = [l1_ball(a, d)]
    steps = min(ceil_root(a / 4) - 1, EXACT)
    if steps >= 1:  # distinct points of the grid differ by radius/steps > 2 eps in some row
        count = dense_count(r * d, steps)
        found.append(Lower(logarithm(count), f"{short(count)} grid points of l1 norm at most {steps}"))
    if proper:  # a centre is near a corner only where it has an entry of at least radius - eps
        with ctx.workprec(PRECISION):
            root = to_ball(a).sqrt()
            most = int((root / (root - 1)).upper().floor().unique_fmpz())
        corners = 2 * r * d
        how = f"{short(corners)} corners, {short(most)} to a ball"
        found.append(Lower(log_ratio(corners, min(most, corners)), how))
    return best(found)


def row_norms(a: Fraction, r: int, d: int) -> Lower:
    """Norms of the rows of Y that sum to at most sqrt(a) eps: balls in some rows, or points of the l1 ball."""
    if a <= 1:
        return NOTHING
    balls = (ball_in_ball(a / c**2, d).times(c) for c in spread(1, min(r, ceil_root(a) - 1), 6))
    return best([*balls, entries(a, r, d, proper=False)])


def _codes(a: Fraction, r: int, d: int) -> Iterator[Lower]:
    """All signs in each of some rows, the rows independent: columns of squared norm a eps^2."""
    for rows in spread(1, min(r, below(a * d), MANY), 6):
        yield sign_code(d, a / rows).times(rows)


def _near(wanted: float, r: int) -> set[int]:
    return {min(r, max(1, math.floor(wanted) + i)) for i in (0, 1)} | {1}


def _best_rows(a: Fraction, d: int) -> float:
    """Where the volume of matrices with bounded columns is largest: r = 2 a Gamma(d/2 + 1)^(2/d)."""
    return 2 * float(a) * float(((arb(fmpz(d)) / 2 + 1).lgamma() * 2 / d).exp())
