"""Whether the printed form is at least the sharp one on a whole box, by subdivision in ball arithmetic.

Where both forms depend on two parameters only through their product or quotient, one of the two is set to 1: the box
then holds all its values.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb, ctx, fmpq
from sympy import Expr, Symbol, simplify

from maurey.numeric.balls import _Unresolved, as_rational
from maurey.numeric.binding import Bound, bind
from maurey.numeric.ranges import Ranges
from maurey.numeric.walk import Undefined, run
from maurey.symbolic.claim import Claim, Part

from .rays import start

REALS, INTEGERS = (-20, 20), (0, 40)  # powers of two
MOST_CELLS = 20_000

Cell = dict[str, tuple[fmpq, fmpq]]


def holds_on_box(claim: Claim, part: Part) -> str:
    """The box in words if printed >= sharp on all of it, certified; nothing if that was not decided."""
    bounds = [bind(claim, start(claim, part), form, part.name) for form in ("printed", "sharp")]
    symbols = [
        p for p in claim.symbols if p.name in bounds[0].values and p.domain in ("positive real", "positive integer")
    ]
    whole = {p.name for p in symbols if p.domain == "positive integer"}
    spare = dict(_spare([_nested(bound) for bound in bounds], [p.name for p in symbols if p.name not in whole]))
    ends = {p.name: INTEGERS if p.name in whole else REALS for p in symbols if p.name not in spare}
    cells: list[Cell] = [{n: (fmpq(2) ** a, fmpq(2) ** b) for n, (a, b) in ends.items()}]
    for _ in range(MOST_CELLS):
        if not cells:
            words = [f"2^{a} <= {n} <= 2^{b}" for n, (a, b) in ends.items()]
            return ", ".join(words + [f"{n} = 1 (scaled against {other})" for n, other in spare.items()])
        cell = cells.pop()
        if not _holds(bounds, cell | dict.fromkeys(spare, (fmpq(1), fmpq(1)))):
            cells += _halves(cell)
    return ""


def _nested(bound: Bound) -> Expr:
    """The form as one expression in positive symbols."""
    expr: Expr = bound.steps[-1].expr
    for step in bound.steps[-2::-1]:
        expr = expr.subs(Symbol(step.name), step.expr)
    return expr.subs({symbol: Symbol(symbol.name, positive=True) for symbol in expr.free_symbols})


def _spare(forms: list[Expr], names: list[str]) -> Iterator[tuple[str, str]]:
    """Parameters that a change of another can replace: scaling both leaves every form as it is."""
    scale = Symbol("scale", positive=True)
    kept = list(names)
    for name in names:
        x = Symbol(name, positive=True)
        for other in kept:
            y = Symbol(other, positive=True)
            if other == name or name not in kept:
                continue
            for factor in (scale, 1 / scale):
                moved = [form.subs({x: scale * x, y: factor * y}, simultaneous=True) for form in forms]
                if all(simplify(a - b) == 0 for a, b in zip(moved, forms, strict=True)):
                    kept.remove(name)
                    yield name, other
                    break


def _holds(bounds: list[Bound], cell: Cell) -> bool:
    with ctx.workprec(64):
        env = {n: arb((a + b) / 2, (b - a) / 2) for n, (a, b) in cell.items()}
        try:
            printed, sharp = (
                run(b.steps, {n: as_rational(v) for n, v in b.values.items()} | env, Ranges(b.steps)) for b in bounds
            )
        except (_Unresolved, Undefined):
            return False
        return bool(printed >= sharp)


def _halves(cell: Cell) -> list[Cell]:
    """Along the side that spans the largest ratio."""
    name = max(cell, key=lambda n: cell[n][1] / cell[n][0])
    low, high = cell[name]
    with ctx.workprec(64):  # about the geometric mean, with a short denominator
        middle = fmpq(int(((arb(low) * arb(high)).sqrt() * 2**40).mid().floor().unique_fmpz()), 2**40)
    return [cell | {name: (low, middle)}, cell | {name: (middle, high)}]
