"""Certified subdivision: a box is cut, the widest cell first, into cells on which intervals decide an inequality.

A cell is settled if the difference is nonnegative over it; if it has no point that meets what is given; if the sign of
a derivative moves it to a face on which one of these is true; by the value in its middle and the slopes over it; or,
where the difference vanishes with its derivatives below the k-th, by the sign of the k-th, which is Taylor's remainder.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from itertools import count
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from sympy import Expr, S, Symbol

from maurey.verify.prove.clock import Clock
from maurey.verify.prove.ranges.forms import (
    Form,
    by_entropies,
    dominated,
    entropies,
    narrowest,
    products,
    sign_at_infinity,
)
from maurey.verify.prove.ranges.intervals import EVERYTHING, ZERO, Interval, between, over
from maurey.verify.prove.ranges.taylor import derivatives

from .limits import limit_at
from .problem import KINKS, PRECISION, Given, Problem, at, never, number, positive_somewhere, vanishes
from .ties import Tie

MOST_CELLS = 20_000
FARTHEST, SMALLEST = 4096, 2.0**-36

Cell = dict[Symbol, tuple[Any, Any]]  # rational or infinite ends; the same one twice on a face


class Cells:
    def __init__(
        self, problem: Problem, ties: list[Tie], corners: list[dict[Symbol, Any]], regular: bool, total: bool = False
    ) -> None:
        """`regular`: the difference is smooth inside the whole box. `corners`: points where it vanishes. `total`: it
        is to be defined everywhere, and not only nonnegative where it is."""
        self.problem, self.ties, self.regular = problem, ties, regular and not total
        self.exact, self.corners = corners, [{x: number(v) for x, v in point.items()} for point in corners]
        self.signs: dict[tuple[int, Symbol], int | None] = {}
        self.total = total
        self.expr, self.strict = problem.expr, problem.strict
        self.forms = products(self.expr)
        self.entropies = bool(entropies(self.expr)[1])
        self.smooth = not self.expr.has(*KINKS)
        self.slopes = {x: products(sympy.diff(self.expr, x)) if self.smooth else [] for x in problem.letters}
        self.far: dict[Symbol | None, list[Form]] = {}
        self.limits: dict[tuple[Symbol, Any], Expr | None] = {}
        self.edges = {x: [number(end) for end in side] for x, side in problem.box.items()}

    def slope(self, x: Symbol, side: tuple[Any, Any], names: Mapping[str, Interval]) -> Interval:
        found = narrowest(self.slopes[x], names)
        if found.low >= 0 or found.high <= 0 or not self.open_ended({x: side}, found):
            return found
        if x not in self.far:
            self.far[x] = dominated(self.slopes[x][0])
        sign = sign_at_infinity(self.far[x], names)
        return Interval(ZERO, found.high) if sign > 0 else Interval(found.low, ZERO) if sign < 0 else found

    def settled(self, cell: Cell) -> tuple[bool, Mapping[Symbol, Interval]]:
        """Whether it is, and the slopes, for the cut."""
        names = {x.name: between(*side) for x, side in cell.items()}
        value, whole = over(self.expr, names)
        if self.total and not whole:
            return False, {}
        if value is None or self.enough(value) or self.as_product(names) or self.by_largest(cell, names, value):
            return True, {}
        if self.entropies and (value := by_entropies(self.expr, names)[0]) is not None and self.enough(value):
            return True, {}
        if any(self.excluded(g, names) for g in self.problem.given):
            return True, {}
        if not self.smooth or not (whole or self.regular):
            return False, {}
        return self.by_slopes(dict(cell), names)

    def as_product(self, names: Mapping[str, Interval]) -> bool:
        if len(self.forms) == 1:
            return False
        value, _ = over(self.forms[1], names)
        return value is not None and self.enough(value)

    def open_ended(self, sides: Cell, value: Interval) -> bool:
        """Does a side go to infinity, or does the value so, at an end of a box inside which all is smooth?"""
        far = not all(isinstance(end, fmpq) for side in sides.values() for end in side)
        return far or (self.regular and not (value.low.is_finite() and value.high.is_finite()))

    def by_largest(self, cell: Cell, names: Mapping[str, Interval], value: Interval) -> bool:
        if not self.open_ended({x: cell[x] for x in self.problem.letters}, value):
            return False
        if None not in self.far:
            self.far[None] = dominated(self.expr)
        return not self.strict and sign_at_infinity(self.far[None], names) > 0

    def excluded(self, given: Given, names: Mapping[str, Interval]) -> bool:
        """Does no point of the cell meet it?"""
        value, _ = over(given.expr, names)
        if value is None or value.high < 0 or (value.high <= 0 and given.relation == ">"):
            return True
        return bool(given.relation == "==" and value.low > 0)

    def enough(self, value: Interval) -> bool:
        return bool(value.low > 0 if self.strict else value.low >= 0)

    def by_slopes(self, cell: Cell, names: dict[str, Interval]) -> tuple[bool, Mapping[Symbol, Interval]]:
        slopes: dict[Symbol, Interval] = {}
        now: dict[Symbol, Interval] = {}
        moved = True
        first = True
        while moved:
            moved = False
            for x in [x for x in self.problem.letters if cell[x][0] != cell[x][1]]:
                slope = now[x] = self.slope(x, cell[x], names)
                if first:
                    slopes[x] = slope
                end = cell[x][0] if slope.low >= 0 else cell[x][1] if slope.high <= 0 else None
                if end is None:
                    continue
                if not isinstance(end, fmpq):
                    if self.problem.letters == [x] and self.at_limit(x, S.Infinity if end > 0 else S.NegativeInfinity):
                        return True, {}
                    continue
                cell[x], moved = (end, end), True
                names[x.name] = between(end, end)
            first = False
            if moved:
                value, continuous = over(self.expr, names)
                if value is not None and (self.enough(value) or self.as_product(names)):
                    return True, {}
                if not continuous and self.on_edge(cell):  # `regular` speaks of the inside of the box
                    break
        free = [x for x in self.problem.letters if cell[x][0] != cell[x][1]]
        if not free:
            return self.at_point(cell), slopes
        continuous = not self.on_edge(cell) or over(self.expr, names)[1]
        return (continuous and self.by_mean(cell, names, now, free)) or self.by_ties(cell, free), slopes

    def on_edge(self, cell: Cell) -> bool:
        return any(low == high and low in self.edges[x] for x, (low, high) in cell.items())

    def at_point(self, cell: Cell) -> bool:
        point = {x: _sympy(cell[x][0]) for x in self.problem.letters}  # the other sides may be infinite
        value = at(self.expr, point)
        alone = len(point) == 1
        if value is None:
            return alone and self.at_limit(*point.popitem())
        if value > 0 or (self.strict and not alone):
            return bool(value > 0)
        zero = bool(value == 0) or vanishes(self.expr, point)
        return zero and (not self.strict or self.beyond(*next(iter(point.items()))))

    def beyond(self, x: Symbol, place: Expr) -> bool:
        """An analytic function of one variable that rises from zero, at a place which is excluded, is positive."""
        return self.regular and never(self.problem, x, place) and positive_somewhere(self.problem)

    def at_limit(self, x: Symbol, end: Any) -> bool:
        """In one variable: it falls, or rises, towards its limit at an end of the box, where it is not defined."""
        if end not in self.problem.box[x]:
            return False
        if (x, end) not in self.limits:
            self.limits[x, end] = limit_at(self.expr, x, self.problem.box[x], end)
        limit = self.limits[x, end]
        if limit is None or not limit.is_finite or (self.strict and not positive_somewhere(self.problem)):
            return False
        value = at(limit, {})
        return value is not None and bool(value >= 0)  # never reached: what falls to zero is positive

    def by_mean(
        self, cell: Cell, names: Mapping[str, Interval], slopes: Mapping[Symbol, Interval], free: list[Symbol]
    ) -> bool:
        if not all(isinstance(end, fmpq) for x in free for end in cell[x]):
            return False
        middle = {**names}
        for x in free:
            center = (cell[x][0] + cell[x][1]) / 2
            middle[x.name] = between(center, center)
        value, _ = over(self.expr, middle)
        if value is None or not value.low > 0:
            return False
        for x in free:
            half = between((cell[x][0] - cell[x][1]) / 2, (cell[x][1] - cell[x][0]) / 2)
            value = value + slopes[x] * half
        return bool(value.low > 0)

    def by_ties(self, cell: Cell, free: list[Symbol]) -> bool:
        if self.strict or not all(isinstance(end, fmpq) for x in free for end in cell[x]):
            return False
        return any(self.by_derivative(cell, tie) for tie in self.ties if tie.x in free) or any(
            self.by_convexity(cell, i, free) for i in range(len(self.corners))
        )

    def by_derivative(self, cell: Cell, tie: Tie) -> bool:
        names = {x.name: between(*side) for x, side in cell.items()}
        place, continuous = over(tie.place, names)
        if place is None or not continuous or not (place.low.is_finite() and place.high.is_finite()):
            return False
        here = names[tie.x.name]
        right, left = here.low >= place.high, here.high <= place.low
        if tie.place.is_Rational:
            exact = number(tie.place)
            right, left = cell[tie.x][0] >= exact, cell[tie.x][1] <= exact
        apart = here.low > place.high + (here.high - here.low) or here.high < place.low - (here.high - here.low)
        if (not right and not left and tie.order % 2) or apart:
            return False
        hull = {n: arb(v.low).union(arb(v.high)) for n, v in names.items()}
        hull[tie.x.name] = hull[tie.x.name].union(arb(place.low)).union(arb(place.high))
        found = derivatives(self.expr, hull, {tie.x.name: 1}, tie.order)
        if found is None:
            return False
        last = found[tie.order]
        return bool(last >= 0) if right or tie.order % 2 == 0 else bool(last <= 0)

    def by_convexity(self, cell: Cell, i: int, free: list[Symbol]) -> bool:
        """Above its tangent plane at a point where it vanishes, which does not fall into the cell."""
        point = self.corners[i]
        if not all(cell[x][0] <= point[x] <= cell[x][1] for x in self.problem.letters):
            return False
        hull = {x.name: arb(low).union(arb(high)) for x, (low, high) in cell.items()}
        n = len(free)
        matrix = [[arb(0)] * n for _ in range(n)]
        for row, x in enumerate(free):
            found = derivatives(self.expr, hull, {x.name: 1}, 2)
            if found is None or not self.outward(x, cell[x], i):
                return False
            matrix[row][row] = 2 * found[2]
        for row, x in enumerate(free):
            for column, y in enumerate(free[:row]):
                found = derivatives(self.expr, hull, {x.name: 1, y.name: 1}, 2)
                if found is None:
                    return False
                mixed = (2 * found[2] - matrix[row][row] - matrix[column][column]) / 2
                matrix[row][column] = matrix[column][row] = mixed
        return positive_definite(matrix)

    def outward(self, x: Symbol, side: tuple[Any, Any], i: int) -> bool:
        here, sign = self.corners[i][x], self.sign(i, x)
        return sign == 0 or bool((sign == 1 and here == side[0]) or (sign == -1 and here == side[1]))

    def sign(self, i: int, x: Symbol) -> int | None:
        """Of the slope at a corner."""
        if (i, x) not in self.signs:
            slope, point = self.slopes[x][0], self.exact[i]
            value = at(slope, point)
            known = None if value is None else 1 if value > 0 else -1 if value < 0 else None
            self.signs[i, x] = 0 if value is not None and known is None and vanishes(slope, point) else known
        return self.signs[i, x]


def positive_definite(matrix: list[list[arb]]) -> bool:
    """By elimination, in balls."""
    rows = [list(row) for row in matrix]
    for i, row in enumerate(rows):
        if not row[i] > 0:
            return False
        for other in rows[i + 1 :]:
            factor = other[i] / row[i]
            for j in range(i, len(rows)):
                other[j] = other[j] - factor * row[j]
    return True


def subdivided(cells: Cells, clock: Clock, most: int = MOST_CELLS) -> bool | None:
    """True if every cell is settled; None if cells or time are used up."""
    box: Cell = {x: (number(low), number(high)) for x, (low, high) in cells.problem.box.items()}
    order = count()
    heap: list[tuple[float, int, Cell]] = [(0.0, next(order), box)]
    places = [(t.x, number(t.place)) for t in cells.ties if t.place.is_Rational]
    with ctx.workprec(PRECISION):
        for _ in range(most):
            if not heap:
                return True
            clock.look()
            clock.cells += 1
            _, _, cell = heapq.heappop(heap)
            done, slopes = cells.settled(cell)
            if done:
                continue
            if hopeless(cell, cells.problem.letters):
                return None
            for piece in cut(cell, cells.problem.letters, slopes, places, cells.corners):
                heapq.heappush(heap, (-width(piece, cells.problem.letters), next(order), piece))
    return None


def hopeless(cell: Cell, letters: list[Symbol]) -> bool:
    """So far out, or so small, that another cut would show nothing new."""
    for x in letters:
        low, high = cell[x]
        if isinstance(low, fmpq) != isinstance(high, fmpq) and abs(low if isinstance(low, fmpq) else high) > FARTHEST:
            return True
    return width(cell, letters) < SMALLEST


def width(cell: Cell, letters: list[Symbol]) -> float:
    return max((_length(cell[x]) for x in letters), default=0.0)


def _length(side: tuple[Any, Any]) -> float:
    low, high = side
    return float(arb(high - low).mid()) if isinstance(low, fmpq) and isinstance(high, fmpq) else 1e300


def cut(cell: Cell, letters: list[Symbol], slopes: Mapping[Symbol, Interval], places: Any, points: Any) -> list[Cell]:
    """At a tight point inside, else across the side along which the difference varies most."""
    inside = [(x, c) for x, c in places if cell[x][0] < c < cell[x][1]]
    inside += [(x, p[x]) for p in points for x in letters if isinstance(p[x], fmpq) and cell[x][0] < p[x] < cell[x][1]]
    if inside:
        x, c = inside[0]
    else:
        sides = [x for x in letters if cell[x][0] != cell[x][1]]
        if not sides:
            return [cell]

        def weight(x: Symbol) -> float:
            length, slope = _length(cell[x]), slopes.get(x, EVERYTHING)
            steep = abs(slope.low).max(abs(slope.high))
            return length * (1 + float(steep.mid())) if steep.is_finite() and length < 1e300 else 1e300 * length

        x = max(sides, key=weight)
        c = _middle(*cell[x])
    return [cell | {x: (cell[x][0], c)}, cell | {x: (c, cell[x][1])}]


def _middle(low: Any, high: Any) -> fmpq:
    if isinstance(low, fmpq) and isinstance(high, fmpq):
        return (low + high) / 2
    if isinstance(low, fmpq):
        return low + max(fmpq(1), abs(low))
    if isinstance(high, fmpq):
        return high - max(fmpq(1), abs(high))
    return fmpq(0)


def _sympy(value: fmpq) -> sympy.Rational:
    return sympy.Rational(int(value.p), int(value.q))
