"""Where an inequality is tight, exactly: a variable at a number, or at a function of the others.

Floats suggest such places; SymPy says whether the difference vanishes there identically, and to which order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import sympy
from flint import arb, ctx
from sympy import E, Expr, Rational, Symbol, pi, sqrt

from maurey.numeric.types import Array
from maurey.verify.prove.clock import Clock, OutOfTime
from maurey.verify.prove.ranges.floats import values
from maurey.verify.prove.ranges.taylor import derivatives

from .problem import DEEP, KINKS, Problem, at, number, vanishes, zero

HIGHEST = 12  # order
NEAR = 2e-4  # how well floats tell a tight point, which is flat
MOST_POINTS = 40
LARGEST = 1e4  # beyond which a float is near to some fraction anyway
SIMPLE = ("0", "1", "-1", "1/2", "2", "-1/2", "-2", "3", "1/3")  # looked at where floats are flat


@dataclass(frozen=True)
class Tie:
    """expr and its derivatives in x below the order vanish at x = place, whatever the other variables are."""

    x: Symbol
    place: Expr
    order: int


def ties_of(problem: Problem, tight: Array, clock: Clock) -> list[Tie]:
    """In one variable points; in several, where one of them is a number or another one."""
    found: list[Tie] = []
    letters = list(problem.box)
    if problem.expr.has(*KINKS):
        return found
    for x in problem.letters:
        for place in _places(problem, x, letters, tight):
            clock.look()
            k = order(problem.expr, x, place, problem)
            if k:
                found.append(Tie(x, place, k))
    return found


def _places(problem: Problem, x: Symbol, letters: list[Symbol], tight: Array) -> Iterator[Expr]:
    low, high = problem.box[x]
    column = tight[:MOST_POINTS, letters.index(x)]
    alone = problem.letters == [x]
    seen: set[Expr] = set()
    for end in (low, high):
        if end.is_finite and (alone or len(column) == 0 or np.any(abs(column - float(end)) < NEAR)):
            seen.add(end)
            yield end
    groups = _groups(column)
    if alone:
        for place in map(Rational, SIMPLE):
            if place not in seen and low < place < high and np.any(abs(column - float(place)) < 0.3):
                seen.add(place)
                yield place
        for value in groups:
            for place in recognized(polished(problem.expr, x, value)):
                if place not in seen and low <= place <= high:
                    seen.add(place)
                    yield place
        return
    for value in groups if len(groups) <= 4 else []:
        near = Fraction(value).limit_denominator(12)
        place = Rational(near.numerator, near.denominator)
        if abs(float(place) - value) < NEAR and place not in seen:
            seen.add(place)
            yield place
    others = [y for y in problem.letters if y != x]
    for y in others:
        for place in (y, -y, 1 / y, sympy.exp(y), sympy.log(y), y**2, sqrt(y), 1 - y, y - 1, y + 1, 2 * y, y / 2):
            if _everywhere(place, x, letters, tight):
                yield place


def _everywhere(place: Expr, x: Symbol, letters: list[Symbol], tight: Array) -> bool:
    if len(tight) < 3:
        return False
    env = {y.name: tight[:, i] for i, y in enumerate(letters)}
    there, here = values(place, env), env[x.name]
    close = abs(there - here) < 1e-3 * (1 + abs(here))
    return bool(np.mean(close) > 0.5)


def _groups(column: Array) -> list[float]:
    """One number for each cluster, the best first."""
    found: list[float] = []
    for value in column:
        if all(abs(value - other) > 1e-3 * (1 + abs(other)) for other in found):
            found.append(float(value))
    return found[:6]


def polished(expr: Expr, x: Symbol, value: float) -> float:
    """The stationary point beside a float, by Newton's method in balls of which only the middle is used."""
    with ctx.workprec(DEEP):
        here = arb(value)
        for _ in range(40):
            found = derivatives(expr, {x.name: here.mid()}, {x.name: 1}, 2)
            if found is None or found[2].mid() == 0:
                break
            step = (found[1].mid() / (2 * found[2].mid())).mid()
            here = (here - step).mid()
            if abs(step) < 1e-40:
                break
        moved = float(here)
    return moved if abs(moved - value) < 1e-2 * (1 + abs(value)) else value


UNITS = (1, pi, E, sqrt(2), sqrt(3), sqrt(5), sympy.log(2), 1 / pi, 1 / E, sqrt(pi))


@cache
def surds() -> list[tuple[Expr, float]]:
    """Simple numbers with one square root."""
    parts = product((1, 2, 3, 5), (2, 3, 5), (1, 2, 3, 4, 6), (1, -1), (1, -1))
    found = [sign * ((sqrt(b) + s * a) / c) for a, b, c, s, sign in parts]
    return [(surd, float(surd)) for surd in found]


def recognized(value: float) -> Iterator[Expr]:
    """Simple numbers that a float may stand for."""
    for unit in UNITS:
        if (near := _simple(value / float(unit))) is not None:
            yield near * unit
    for power in (2, 3, 4):
        near = _simple(abs(value) ** power)
        if near is not None and near > 0:
            yield (1 if value > 0 else -1) * near ** Rational(1, power)
    if value > 0 and (near := _simple(math.log(value))) is not None:
        yield sympy.exp(near)
    if value < 30 and (near := _simple(math.exp(value))) is not None and near > 0:
        yield sympy.log(near)
    yield from (surd for surd, there in surds() if abs(there - value) < 1e-11)


def _simple(value: float) -> Any:
    near = Fraction(value).limit_denominator(64)
    close = abs(value) < LARGEST and abs(float(near) - value) <= 1e-10 * max(1.0, abs(value))
    return Rational(near.numerator, near.denominator) if close else None


def order(expr: Expr, x: Symbol, place: Expr, problem: Problem) -> int:
    """The first derivative that does not vanish identically at the place; 0 if that is expr, or if none is found."""
    others = [y for y in problem.letters if y != x]
    if not others:
        return _order_at(expr, x, place)
    for k in range(HIGHEST):
        try:
            there = expr.subs(x, place)
        except (TypeError, ValueError, ZeroDivisionError):
            return 0
        if there.has(sympy.nan, sympy.zoo, sympy.oo) or not zero(there):
            return k
        expr = sympy.diff(expr, x)
    return 0


def _order_at(expr: Expr, x: Symbol, place: Expr) -> int:
    """Balls say which derivatives may vanish, and algebra whether they do."""
    if not vanishes(expr, {x: place}):
        return 0
    with ctx.workprec(DEEP):
        here = arb(number(place))
        found = derivatives(expr, {x.name: here}, {x.name: 1}, HIGHEST)
    if found is None:
        return 0
    k = next((k for k, c in enumerate(found) if c > 0 or c < 0), 0)
    return k if _flat(expr, x, place, k) else 0


def _flat(expr: Expr, x: Symbol, place: Expr, k: int) -> bool:
    """Do all derivatives below the k-th vanish exactly?"""
    for _ in range(1, k):
        expr = sympy.diff(expr, x)
        if not vanishes(expr, {x: place}):
            return False
    return True


def touches(problem: Problem, point: dict[Symbol, Any]) -> bool:
    """Does the difference vanish at an exact point?"""
    try:
        return at(problem.expr, point) is not None and vanishes(problem.expr, point)
    except OutOfTime:
        return False
