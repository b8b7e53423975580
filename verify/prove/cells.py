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

from .clock import Clock, OutOfTime, fence
from .intervals import EVERYTHING, Interval, between, over
from .problem import PRECISION, Given, Problem, at, number, vanishes
from .taylor import derivatives
from .ties import Tie

MOST_CELLS = 20_000

Cell = dict[Symbol, tuple[Any, Any]]  # rational or infinite ends; the same one twice on a face


class Cells:
    def __init__(self, problem: Problem, ties: list[Tie], corners: list[dict[Symbol, Any]], regular: bool) -> None:
        """`regular`: the difference is smooth inside the whole box. `corners`: points where it vanishes."""
        self.problem, self.ties, self.corners, self.regular = problem, ties, corners, regular
        self.expr, self.strict = problem.expr, problem.strict
        self.forms = _forms(self.expr)
        self.slopes = {x: _forms(sympy.diff(self.expr, x)) for x in problem.letters}
        self.limits: dict[tuple[Symbol, Any], Expr | None] = {}
        self.edges = {x: [number(end) for end in side] for x, side in problem.box.items()}
        self.smooth = not self.expr.has(sympy.floor, sympy.ceiling, sympy.sign, sympy.Piecewise, sympy.Abs,
                                        sympy.Min, sympy.Max)  # fmt: skip

    def settled(self, cell: Cell) -> tuple[bool, Mapping[Symbol, Interval]]:
        """Whether it is, and the slopes, for the cut."""
        names = {x.name: between(*side) for x, side in cell.items()}
        value, whole = over(self.expr, names)
        if value is None or self.enough(value) or self.as_product(names):
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
        moved = True
        first = True
        while moved:
            moved = False
            for x in [x for x in self.problem.letters if cell[x][0] != cell[x][1]]:
                slope = _narrowest(self.slopes[x], names)
                if first:
                    slopes[x] = slope
                end = cell[x][0] if slope.low >= 0 else cell[x][1] if slope.high <= 0 else None
                if end is None:
                    continue
                if not isinstance(end, fmpq):
                    if self.at_infinity(cell, x, end):
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
        return (continuous and self.by_mean(cell, names, free)) or self.by_ties(cell, free), slopes

    def on_edge(self, cell: Cell) -> bool:
        return any(low == high and low in self.edges[x] for x, (low, high) in cell.items())

    def at_point(self, cell: Cell) -> bool:
        point = {x: _sympy(low) for x, (low, _) in cell.items()}
        value = at(self.expr, point)
        if value is None:
            return False
        return bool(value > 0) or (not self.strict and (value == 0 or vanishes(self.expr, point)))

    def at_infinity(self, cell: Cell, x: Symbol, end: Any) -> bool:
        """In one variable: it falls, or rises, towards its limit."""
        if self.problem.letters != [x]:
            return False
        key = x, bool(end > 0)
        if key not in self.limits:
            self.limits[key] = _limit(self.expr, x, S.Infinity if end > 0 else S.NegativeInfinity)
        limit = self.limits[key]
        if limit is None:
            return False
        if limit == S.Infinity or limit == 0:
            return True  # never reached: what falls to zero is positive
        value = None if limit == S.NegativeInfinity else at(limit, {})
        return value is not None and bool(value >= 0)

    def by_mean(self, cell: Cell, names: Mapping[str, Interval], free: list[Symbol]) -> bool:
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
            slope = _narrowest(self.slopes[x], names)
            half = between((cell[x][0] - cell[x][1]) / 2, (cell[x][1] - cell[x][0]) / 2)
            value = value + slope * half
        return bool(value.low > 0)

    def by_ties(self, cell: Cell, free: list[Symbol]) -> bool:
        if self.strict or not all(isinstance(end, fmpq) for x in free for end in cell[x]):
            return False
        return any(self.by_derivative(cell, tie) for tie in self.ties if tie.x in free) or any(
            self.by_convexity(cell, point, free) for point in self.corners
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

    def by_convexity(self, cell: Cell, point: Mapping[Symbol, Any], free: list[Symbol]) -> bool:
        """Above its tangent plane at a point where it vanishes, which does not fall into the cell."""
        if any(x not in free and cell[x][0] != number(point[x]) for x in self.problem.letters):
            return False
        if not all(cell[x][0] <= number(point[x]) <= cell[x][1] for x in free):
            return False
        hull = {x.name: arb(low).union(arb(high)) for x, (low, high) in cell.items()}
        n = len(free)
        matrix = [[arb(0)] * n for _ in range(n)]
        for i, x in enumerate(free):
            found = derivatives(self.expr, hull, {x.name: 1}, 2)
            if found is None or not self.outward(x, cell[x], point):
                return False
            matrix[i][i] = 2 * found[2]
        for i, x in enumerate(free):
            for j, y in enumerate(free[:i]):
                found = derivatives(self.expr, hull, {x.name: 1, y.name: 1}, 2)
                if found is None:
                    return False
                matrix[i][j] = matrix[j][i] = (2 * found[2] - matrix[i][i] - matrix[j][j]) / 2
        return positive_definite(matrix)

    def outward(self, x: Symbol, side: tuple[Any, Any], point: Mapping[Symbol, Any]) -> bool:
        slope, here = self.slopes[x][0], number(point[x])
        value = at(slope, point)
        if value is None:
            return False
        return bool((value > 0 and here == side[0]) or (value < 0 and here == side[1])) or vanishes(slope, point)


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
    points = [{x: number(c) for x, c in point.items()} for point in cells.corners]
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
            for piece in cut(cell, cells.problem.letters, slopes, places, points):
                heapq.heappush(heap, (-width(piece, cells.problem.letters), next(order), piece))
    return None


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


def _forms(slope: Expr) -> list[Expr]:
    """A derivative, and the same as a product where that is soon found: products keep their signs."""
    if slope.count_ops() > 150:
        return [slope]
    try:
        with fence(0.3):
            product = sympy.factor(sympy.together(slope))
    except (OutOfTime, sympy.PolynomialError, AttributeError, NotImplementedError):
        return [slope]
    return [slope, product] if product != slope else [slope]


def _narrowest(forms: list[Expr], names: Mapping[str, Interval]) -> Interval:
    best = EVERYTHING
    for form in forms:
        value, _ = over(form, names)
        if value is None:
            return EVERYTHING
        best = Interval(best.low if best.low >= value.low else value.low, best.high if best.high <= value.high else value.high)
        if best.low >= 0 or best.high <= 0:
            break
    return best


def _limit(expr: Expr, x: Symbol, end: Expr) -> Expr | None:
    try:
        with fence(0.7):
            found = sympy.limit(expr, x, end)
    except (OutOfTime, NotImplementedError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, Expr) and not found.free_symbols and not found.has(sympy.AccumBounds) else None


def _sympy(value: fmpq) -> sympy.Rational:
    return sympy.Rational(int(value.p), int(value.q))
