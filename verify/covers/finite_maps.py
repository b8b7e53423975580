"""Finite classes of linear maps, exactly: distances in l_q for any q > 0, and smallest covers by trying all.

Numbers are rationals; a power that is not one is a ball, and what balls do not decide is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from flint import arb, ctx, fmpq
from sympy import integer_nthroot

from maurey.numeric.exact import PRECISION, to_ball
from maurey.numeric.walk import Undefined

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


def power(x: Fraction, q: Fraction) -> Fraction | arb:
    """|x|^q: a rational where it is one, else a ball."""
    (top, whole), (bottom, also) = (integer_nthroot(abs(n), q.denominator) for n in (x.numerator, x.denominator))
    if whole and also:
        return Fraction(int(top), int(bottom)) ** q.numerator
    with ctx.workprec(PRECISION):
        return to_ball(abs(x)) ** arb(fmpq(q.numerator, q.denominator))


def total(v: Sequence[Fraction], q: Fraction) -> Fraction | arb:
    """sum |v_j|^q."""
    powers = [power(x, q) for x in v]
    rational = sum((x for x in powers if isinstance(x, Fraction)), Fraction(0))
    with ctx.workprec(PRECISION):
        balls = [x for x in powers if isinstance(x, arb)]
        return to_ball(rational) + sum(balls, arb(0)) if balls else rational


def smaller(a: Fraction | arb, b: Fraction | arb) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a < b
    left, right = (to_ball(x) if isinstance(x, Fraction) else x for x in (a, b))
    if not (left < right or left > right):
        raise Undefined("two numbers that cannot be told apart")
    return bool(left < right)


def within(v: Sequence[Fraction], q: Fraction | None, eps: Fraction) -> bool:
    """|v|_q < eps, as Section 2.4 has it; None is the largest entry."""
    if q is None:
        return max(map(abs, v)) < eps
    return smaller(total(v, q), power(eps, q))


def image(W: Matrix, x: Vector) -> Vector:
    return tuple(sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0)) for row in W)


def smallest_cover(W: Sequence[Matrix], points: Sequence[Vector], q: Fraction | None, eps: Fraction) -> tuple[int, ...]:
    """A smallest set of members within eps of each member on all points, by trying all."""
    values = [[image(member, x) for x in points] for member in W]
    near = [
        {j for j, b in enumerate(values)
         if all(within([s - t for s, t in zip(u, v, strict=True)], q, eps) for u, v in zip(a, b, strict=True))}
        for a in values
    ]  # fmt: skip
    everyone = set(range(len(W)))
    chosen = (some for n in everyone for some in combinations(everyone, n + 1))
    return next(some for some in chosen if set().union(*(near[i] for i in some)) == everyone)


def basis(d: int, R: Fraction) -> list[Vector]:
    return [tuple(R if i == j else Fraction(0) for i in range(d)) for j in range(d)]
