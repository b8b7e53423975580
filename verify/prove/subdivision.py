"""Inequalities between smooth functions on boxes: cut into cells on which ball arithmetic decides them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from sympy import Expr, Rational, Symbol, sympify

from maurey.numeric.balls import Unresolved
from maurey.numeric.ranges import Ranges
from maurey.numeric.walk import Undefined, walk

from .identities import identity
from .polynomials import smooth
from .proofs import Proof

MOST_CELLS = 20_000
PRECISION = 96  # bits
HIGHEST_ORDER = 8  # of a derivative at a point where an inequality is tight

Cell = dict[Symbol, tuple[fmpq, fmpq]]


def nonnegative(expr: Expr, box: Mapping[Symbol, tuple[Any, Any]], tight: Mapping[Symbol, Any] | None = None) -> Proof:
    """expr >= 0 on the whole box, which has rational ends; for smooth functions.

    A cell is settled by its values, by the value in its middle and the slopes over it, or, next to a point x = c where
    expr vanishes with its first k - 1 derivatives (`tight`), by the sign of the k-th, which is Taylor's remainder.
    """
    slopes = {x: sympy.diff(expr, x) for x in box}
    flat = {x: (_rational(c), *_order(expr, x, sympify(c))) for x, c in (tight or {}).items()}
    cells: list[Cell] = [{x: (_rational(low), _rational(high)) for x, (low, high) in box.items()}]
    text = f"{expr} >= 0 for {', '.join(f'{a} <= {x} <= {b}' for x, (a, b) in box.items())}"
    for number in range(MOST_CELLS if smooth(expr) else 0):
        if not cells:
            return Proof(True, f"{text}, in {number} cells")
        cell = cells.pop()
        middle = {x: (low + high) / 2 for x, (low, high) in cell.items()}
        with ctx.workprec(PRECISION):
            at = {x.name: value for x, value in middle.items()}
            over = {x.name: arb(low).union(arb(high)) for x, (low, high) in cell.items()}
            center = ball(expr, at)
            if center < 0:
                return Proof(False, text, {x.name: str(v) for x, v in middle.items()})
            moved = sum((ball(slopes[x], over) * (over[x.name] - at[x.name]) for x in cell), arb(0))
            if ball(expr, over) >= 0 or center + moved >= 0:
                continue
            if any(_by_derivative(cell[x], c, k, ball(high, over)) for x, (c, k, high) in flat.items() if k):
                continue
        cells += _cut(cell, {x: c for x, (c, _, _) in flat.items()})
    return Proof(None, f"{text}: open after {MOST_CELLS} cells")


def _order(expr: Expr, x: Symbol, c: Expr) -> tuple[int, Expr]:
    """The first derivative in x that does not vanish at x = c, whatever the other variables are; 0 if that is expr."""
    for k in range(HIGHEST_ORDER):
        if identity(expr.subs(x, c), 0) is not True:
            return k, expr
        expr = sympy.diff(expr, x)
    return 0, expr


def _by_derivative(side: tuple[fmpq, fmpq], c: fmpq, k: int, derivative: arb) -> bool:
    low, high = side
    if not low <= c <= high:
        return False
    right, left = derivative >= 0, (derivative if k % 2 == 0 else -derivative) >= 0
    return bool((right or c == high) and (left or c == low))


def _cut(cell: Cell, points: Mapping[Symbol, fmpq]) -> list[Cell]:
    """At a point where expr is tight if one lies inside, else across the longest side."""
    inside = [(x, c) for x, c in points.items() if cell[x][0] < c < cell[x][1]]
    longest = max(cell, key=lambda x: cell[x][1] - cell[x][0])
    x, c = inside[0] if inside else (longest, sum(cell[longest]) / 2)
    return [cell | {x: (cell[x][0], c)}, cell | {x: (c, cell[x][1])}]


def ball(expr: Expr, at: Mapping[str, Any]) -> arb:
    try:
        return arb(walk(expr, at, Ranges([])))
    except (Unresolved, Undefined):
        return arb.nan()  # no comparison with it holds


def _rational(value: Any) -> fmpq:
    number = Rational(value)
    return fmpq(int(number.p), int(number.q))
