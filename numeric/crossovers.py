"""Where two curves change their order, narrowed by sweeps and certified by balls.

Where the order changes between points of a grid, further sweeps inside the bracket narrow it, and ball arithmetic at
exact values certifies the order at both ends: neighbouring integers, or reals a millionth apart. What the balls leave
open there is looked at in the wider brackets on the way back, and is undecided if none of them decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from .curves import Graph, certain_order, order, spread

WIDTH = Fraction(1, 10**6)  # relative, of a crossover of a real parameter
INNER = 31  # points inside a bracket, by which it is narrowed
MOST_CROSSOVERS = 1_000

Orders = dict[tuple[int, int], Any]  # for each pair of curves, the signs of their difference on the grid


@dataclass(frozen=True)
class Crossover:
    """Certified: `below_before` is strictly the smaller one at at[0], and `below_after` at at[1].

    The two are neighbouring integers, and may be equal at the second; or they are reals a millionth apart, more only
    where the curves are the same in between.
    """

    curves: tuple[str, str]
    at: tuple[Fraction, Fraction]
    below_before: str
    below_after: str
    certified: bool


@dataclass(frozen=True)
class _Bracket:
    """Curve a is on one side of curve b at the left end and on the other at the right one, by the sweeps."""

    a: int
    b: int
    sign: int  # of a - b at the left end
    ends: tuple[tuple[Fraction, Fraction], ...]  # from the grid's on, each inside the one before


def _flips(xs: Sequence[Fraction], signs: Any) -> list[tuple[Fraction, Fraction, int]]:
    """Neighbours, ties left out, between which the order changes; and the sign before."""
    strict = np.flatnonzero(signs)
    before, after = strict[:-1], strict[1:]
    changed = signs[before] != signs[after]
    return [(xs[i], xs[j], int(signs[i])) for i, j in zip(before[changed], after[changed], strict=True)]


def _narrow_enough(low: Fraction, high: Fraction, integer: bool) -> bool:
    return high - low <= (1 if integer else WIDTH * low)


def changes(graphs: list[Graph], orders: Orders, grid: list[Fraction], integer: bool) -> tuple[list[_Bracket], bool]:
    """Every change of order on the grid, as narrow as sweeps can tell; and whether some had to be left out."""
    found = [
        _Bracket(a, b, sign, ((low, high),))
        for (a, b), signs in orders.items()
        for low, high, sign in _flips(grid, signs)
    ]
    wide = sorted(found, key=lambda bracket: bracket.ends[0])[:MOST_CROSSOVERS]
    crowded, done = len(wide) < len(found), list[_Bracket]()
    while wide:
        divided, wide = _divide(graphs, wide, integer), []
        for pieces in divided:
            room = max(1, MOST_CROSSOVERS - len(done) - len(wide))
            crowded |= len(pieces) > room
            for piece in pieces[:room]:
                stuck = piece.ends[-1] == piece.ends[-2]
                (done if stuck or _narrow_enough(*piece.ends[-1], integer) else wide).append(piece)
    return done, crowded


def _divide(graphs: list[Graph], brackets: list[_Bracket], integer: bool) -> list[list[_Bracket]]:
    """Each bracket's own changes of order, as points inside it show them."""
    inside = []
    needed: list[list[Fraction]] = [[] for _ in graphs]
    for bracket in brackets:
        pair = (bracket.a, bracket.b)
        count = 1 if any(graphs[i].one_by_one for i in pair) else INNER
        inside.append(spread(*bracket.ends[-1], count + 2, integer)[1:-1])
        for i in pair:
            needed[i] += inside[-1]
    for graph, xs in zip(graphs, needed, strict=True):
        graph.sweep(xs)
    divided = []
    for bracket, xs in zip(brackets, inside, strict=True):
        signs = [bracket.sign, *order(graphs[bracket.a].sweep(xs), graphs[bracket.b].sweep(xs)), -bracket.sign]
        low, high = bracket.ends[-1]
        flips = _flips([low, *xs, high], np.array(signs))
        divided.append([replace(bracket, sign=s, ends=(*bracket.ends, (x, y))) for x, y, s in flips])
    return divided


def certify(graphs: list[Graph], bracket: _Bracket, integer: bool) -> Crossover:
    """In the narrowest of its brackets whose ends the balls decide, narrowed on by them where sweeps could not."""
    a, b = graphs[bracket.a], graphs[bracket.b]
    before, after = (a, b) if bracket.sign < 0 else (b, a)
    at, certified = bracket.ends[-1], False
    for low, high in reversed(bracket.ends):
        if certain_order(before, after, low) == -1 and certain_order(after, before, high) == -1:
            at, certified = _bisect(before, after, low, high, integer), True
            break
    return Crossover((a.label, b.label), at, before.label, after.label, certified)


def _bisect(before: Graph, after: Graph, low: Fraction, high: Fraction, integer: bool) -> tuple[Fraction, Fraction]:
    """Until it is narrow enough, or the two cannot be told apart in between."""
    while not _narrow_enough(low, high, integer):
        inside = [Fraction((low + high) // 2)] if integer else spread(low, high, 5, integer)[1:-1]
        for x in sorted(inside, key=lambda x: abs(2 * x - low - high)):  # the middle may be the tie itself
            side = certain_order(before, after, x)
            if side == -1:
                low = x
                break
            if side == 1 or (side == 0 and integer):
                high = x
                break
        else:
            break
    return low, high
