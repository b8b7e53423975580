"""Inequalities on boxes as steps of a proof, by the machine behind `maurey.check`, with an effort that is counted in
cells and not in seconds, so that an answer does not depend on the computer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb
from sympy import Expr, Symbol, sympify

from maurey.numeric.balls import Unresolved
from maurey.numeric.ranges import Ranges
from maurey.numeric.walk import Undefined, walk

from .clock import Clock
from .decide.problem import PRECISION, Problem
from .proofs import Proof

__all__ = ["PRECISION", "ball", "nonnegative"]

INSTANCES = 300


def nonnegative(expr: Expr, box: Mapping[Symbol, tuple[Any, Any]], tight: Mapping[Symbol, Any] | None = None) -> Proof:
    """expr >= 0 on the whole box, on which it is defined. `tight` says where a variable makes it vanish, which is also
    looked for."""
    from .decide.cells import MOST_CELLS, Cells, subdivided  # with NumPy, only where something is asked
    from .decide.decision import tight_corners
    from .decide.search import search
    from .decide.ties import Tie, order, ties_of

    problem = Problem(expr, {x: (sympify(low), sympify(high)) for x, (low, high) in box.items()})
    clock, text = Clock(float("inf")), problem.text()
    found = search(problem, clock, INSTANCES, 0)
    if found.witness is not None:
        return Proof(False, text, {x.name: str(v) for x, v in found.witness.items()})
    said = [Tie(x, sympify(c), order(expr, x, sympify(c), problem)) for x, c in (tight or {}).items()]
    ties = list(dict.fromkeys([*(tie for tie in said if tie.order), *ties_of(problem, found.tight, clock)]))
    corners = tight_corners(problem, found.tight) if len(problem.letters) > 1 else []
    cells = Cells(problem, ties, corners, regular=False, total=True)
    if subdivided(cells, clock, MOST_CELLS):
        return Proof(True, f"{text}, in {clock.cells} cells")
    return Proof(None, f"{text}: open after {clock.cells} cells")


def ball(expr: Expr, at: Mapping[str, Any]) -> arb:
    """The value over a range; no comparison with it holds where there is none."""
    try:
        return arb(walk(expr, at, Ranges([])))
    except (Unresolved, Undefined):
        return arb.nan()
