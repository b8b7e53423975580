"""Search before proof: a point where an inequality is certainly false, and the points where it is nearly tight.

Floats look: at corners, beside them, at random, and downhill from the best of these. What they suggest is rounded to
simple rationals and looked at in balls, and only what balls say is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
from flint import fmpq
from sympy import Add, Expr, Rational, S, Symbol

from maurey.numeric.types import Array
from maurey.verify.prove.clock import Clock
from maurey.verify.prove.ranges.floats import values

from .problem import Problem, number, plain, violated

TIGHT = 1e-7  # relative to the terms of the difference
NEARER = (1, 2, 3, 4, 6, 9, 15, 40, 200, 400)  # powers of ten
FARTHER = (3, 6, 15, 100, 1000)
ROUNDS, KEPT = 40, 96  # of the way downhill, and how many points go it
NOISE = 1e-10  # terms below this are not told from rounding
SMALL = 20.0  # up to which a sum of nothing is taken for zero
LARGEST = 1e6  # where floats look along an infinite side
SIMPLE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 60, 100, 1000, 10**5, 10**8)  # denominators
Point = dict[Symbol, Any]


@dataclass(frozen=True)
class Found:
    witness: Point | None
    tight: Array  # (N, variables): where the difference is nearly nothing beside its terms, best first


def search(problem: Problem, clock: Clock, instances: int, seed: int) -> Found:
    letters = list(problem.box)
    if not letters:
        return Found({} if violated(problem, {}) else None, np.zeros((1, 0)))
    terms = Add.make_args(problem.expr)
    rng = np.random.default_rng(seed)
    ends = [(float(low), float(high)) for low, high in (problem.box[x] for x in letters)]
    whole = np.array([bool(x.is_integer) for x in letters])

    def depth(points: Array) -> Array:
        """The difference relative to its terms; infinite where it is not defined or something given is not met."""
        env = {x.name: points[:, i] for i, x in enumerate(letters)}
        parts = [values(term, env) for term in terms]
        with np.errstate(all="ignore"):
            scale = sum((abs(part) for part in parts), np.zeros(len(points)))
            ratio = sum(parts, np.zeros(len(points))) / (scale if len(terms) > 1 else 1 + scale)
            none = scale < NOISE
            ratio[none] = np.where(abs(points[none]).max(axis=1) <= SMALL, 0.0, np.inf)  # nothing, or underflow
            for g in problem.given:
                ratio[~(values(g.expr, env) >= (0 if g.relation != "==" else np.inf))] = np.inf
        clock.points += len(points)
        return np.where(np.isfinite(ratio), ratio, np.inf)

    points = _first(ends, instances, rng)
    points[:, whole] = np.rint(points[:, whole])
    scores = depth(points)
    simple = [dict(zip(letters, corner, strict=True)) for corner in _corners(problem, letters)]
    for candidate in simple:
        clock.points += 1
        if violated(problem, candidate):
            return Found(candidate, points[:0])
    points, scores = _downhill(points, scores, ends, whole, depth, rng)
    best = np.argsort(scores, kind="stable")
    for row in points[best[:12]]:
        if scores[best[0]] < 1e-9 and (witness := confirmed(problem, letters, row)):
            return Found(witness, points[:0])
    beside = _beside(problem, letters, points[best[:3]], rng)
    for candidate in beside:
        clock.points += 1
        clock.look()
        if violated(problem, candidate):
            return Found(plain(candidate), points[:0])
    near = best[abs(scores[best]) < TIGHT]
    return Found(None, points[near])


def _first(ends: list[tuple[float, float]], count: int, rng: Any) -> Array:
    """Corners and simple values in all combinations drawn, points near an end on a logarithmic scale, and others."""
    columns = []
    for low, high in ends:
        left, right = max(low, -LARGEST), min(high, LARGEST)
        width = right - left
        if low == -np.inf or high == np.inf:
            anchor = low if low > -np.inf else high if high < np.inf else 0.0
            sign = 1.0 if low > -np.inf else -1.0 if high < np.inf else rng.choice([-1.0, 1.0], count)
            spread = anchor + sign * 10 ** rng.uniform(-4, 3, count)
            uniform = anchor + sign * rng.uniform(0, 10, count)
        else:
            far = 10 ** rng.uniform(-9, 0, count) * width
            spread = np.where(rng.random(count) < 0.5, left + far, right - far)
            uniform = rng.uniform(left, right, count)
        special = np.array([v for v in (left, right, (left + right) / 2, 0.0, 1.0, -1.0, 0.5, 2.0) if low <= v <= high])
        kind = rng.random(count)
        column = np.where(kind < 0.45, uniform, np.where(kind < 0.8, spread, rng.choice(special, count)))
        columns.append(np.clip(column, left, right))
    points = np.stack(columns, axis=1)
    alike = rng.random(count) < 0.15  # all variables the same: where symmetric inequalities are tight
    points[alike] = points[alike][:, :1]
    return np.clip(points, [max(a, -LARGEST) for a, _ in ends], [min(b, LARGEST) for _, b in ends])


def _corners(problem: Problem, letters: list[Symbol]) -> Iterator[tuple[Any, ...]]:
    """Ends and simple inner points, in exact numbers."""
    columns = []
    for x in letters:
        low, high = problem.box[x]
        simple = [Rational(v) for v in ("0", "1", "-1", "1/2", "2")]
        inner = [v for v in simple if low < v < high and (v.is_integer or not x.is_integer)]
        finite = [end for end in (low, high) if end.is_finite]
        middle = [(low + high) / 2] if len(finite) == 2 and not x.is_integer else []
        columns.append([*finite, *inner[:2], *middle][: 5 if len(letters) < 4 else 3])
    return islice(product(*columns), 64)


def _downhill(
    points: Array, scores: Array, ends: list[tuple[float, float]], whole: Array, depth: Any, rng: Any
) -> tuple[Array, Array]:
    """Random steps, kept where they go down: across the box, or by a factor of the distance to an end."""
    best = np.argsort(scores, kind="stable")[:KEPT]
    points, scores = points[best].copy(), scores[best].copy()
    low, high = (np.array(side) for side in zip(*ends, strict=True))
    width = np.where(np.isfinite(high - low), high - low, 1.0)
    anchor = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
    rounds = ROUNDS * min(4, len(ends))
    for turn in range(rounds):
        sigma = 0.5 * 10 ** (-7 * turn / rounds)
        shape = points.shape
        scale = np.maximum(np.where(np.isfinite(high - low), width, abs(points)), 1e-3)
        moved = points + sigma * scale * rng.standard_normal(shape)
        other = np.where((rng.random(shape) < 0.5) & np.isfinite(high), high, anchor)
        factor = other + (points - other) * np.exp(3 * sigma * rng.standard_normal(shape))
        chosen = np.where(rng.random((shape[0], 1)) < 0.6, moved, factor)
        chosen = np.where(rng.random(shape) < max(0.5, 1 / shape[1]), chosen, points)
        chosen = np.clip(chosen, np.maximum(low, -1e9), np.minimum(high, 1e9))
        chosen[:, whole] = np.rint(chosen[:, whole])
        found = depth(chosen)
        better = found < scores
        points[better], scores[better] = chosen[better], found[better]
    return points, scores


def rationals(x: float, side: tuple[Expr, Expr]) -> list[Any]:
    """Simple rationals near a float, the simplest first, and an end that it is."""
    low, high = (number(end) for end in side)
    found = [end for end in side if end.is_finite and abs(float(end) - x) <= 1e-9 * max(1, abs(x))]
    near = dict.fromkeys(Fraction(x).limit_denominator(denominator) for denominator in SIMPLE)
    return [*found, *(q for q in (fmpq(n.numerator, n.denominator) for n in near) if low <= q <= high)]


def confirmed(problem: Problem, letters: list[Symbol], row: Array) -> Point | None:
    """An exact point near the floats at which the problem is certainly wrong."""
    choices = [rationals(float(v), problem.box[x]) for x, v in zip(letters, row, strict=True)]
    choices = [[v for v in c if number(v).q == 1] if x.is_integer else c for x, c in zip(letters, choices, strict=True)]
    if not all(choices):
        return None
    for level in range(max(map(len, choices))):
        point = {x: options[min(level, len(options) - 1)] for x, options in zip(letters, choices, strict=True)}
        if violated(problem, point):
            return plain(point)
    return None


def _beside(problem: Problem, letters: list[Symbol], rows: Array, rng: Any) -> Iterator[Point]:
    """Ever nearer to ends, corners and the best points, too near for floats."""
    choices = [[rationals(float(v), problem.box[x]) for x, v in zip(letters, row, strict=True)] for row in rows]
    exact = [{x: c[0] for x, c in zip(letters, row, strict=True)} for row in choices if all(row)]
    corners = [dict(zip(letters, corner, strict=True)) for corner in islice(_corners(problem, letters), 6)]
    sides = {x: [number(end) for end in problem.box[x]] for x in letters}
    middle = [{x: (low + high) / 2 for x, (low, high) in problem.box.items()}] if all(
        end.is_finite for side in problem.box.values() for end in side
    ) else []  # fmt: skip
    centers = _distinct({x: number(v) for x, v in center.items()} for center in [*exact, *middle, *corners])
    axes = [[sign * (x == y) for y in letters] for x in letters for sign in (1, -1)] if len(letters) in (2, 3) else []
    for center in [] if any(x.is_integer for x in letters) else centers:
        directions = rng.integers(-4, 5, size=(2, len(letters))).tolist()
        for k, direction in product(NEARER, [*directions, [1] * len(letters), [-1] * len(letters), *axes]):
            step = {x: fmpq(d, 4 * 10**k) for x, d in zip(letters, direction, strict=True)}
            yield {x: _clipped(center[x] + step[x], sides[x]) for x in letters}
    apart = corners if len(letters) in (2, 3) and not any(x.is_integer for x in letters) else []
    for corner, k, first in product(apart, NEARER, letters):  # one far nearer
        step = {x: fmpq(1, 10 ** (2 * k if x is first else k)) for x in letters}
        signs = {x: -1 if number(corner[x]) == sides[x][1] else 1 for x in letters}
        yield {x: _clipped(number(corner[x]) + signs[x] * step[x], sides[x]) for x in letters}
    far = [dict(zip(letters, p, strict=True)) for p in product(*(_far(problem.box[x]) for x in letters))]
    yield from far[:25]


def _far(side: tuple[Expr, Expr]) -> list[Any]:
    low, high = side
    up = [S(10) ** k for k in FARTHER] if high == S.Infinity else []
    down = [-(S(10) ** k) for k in FARTHER] if low == S.NegativeInfinity else []
    finite = [end for end in (low, high) if end.is_finite]
    return [*up, *down, *finite] or [S.One]


def _clipped(value: Any, side: Sequence[Any]) -> Any:
    low, high = side
    return low if value < low else high if value > high else value


def _distinct(points: Iterable[Mapping[Symbol, Any]]) -> list[Point]:
    found: list[Point] = []
    for point in points:
        if not any(all(bool(point[x] == other[x]) for x in point) for other in found):
            found.append(dict(point))
    return found
