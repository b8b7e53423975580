"""Whether the printed form is at least the sharp one on a whole box, by subdivision in ball arithmetic.

Where both forms depend on two parameters only through their product or quotient, one of the two is set to 1: the box
then holds all its values.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb, ctx, fmpq
from sympy import Add, Max, Min, Mul, Piecewise, Pow, Symbol, true

from maurey.numeric.balls import Unresolved
from maurey.numeric.binding import Bound, bind, names_in
from maurey.numeric.exact import to_rational
from maurey.numeric.ranges import Ranges
from maurey.numeric.walk import Undefined, run
from maurey.symbolic.claim import Claim, Parameter, Part

from .rays import fixed, start

REALS, BELOW_ONE, INTEGERS = (-20, 20), (-40, 0), (0, 40)  # powers of two
MOST_CELLS, NARROWEST = 20_000, fmpq(1025, 1024)

Cell = dict[str, tuple[fmpq, fmpq]]


def holds_on_box(claim: Claim, part: Part) -> str:
    """The box in words if printed >= sharp on all of it (<= for a lower bound), certified; nothing if that was not
    decided."""
    larger_first = ("sharp", "printed") if part.below else ("printed", "sharp")
    bounds = _cancelled([bind(claim, form, part.name, start(claim, part)) for form in larger_first])
    used = {name for bound in bounds for name in bound.used}
    symbols = [p for p in claim.symbols if p.name in used and p.name not in fixed(claim) and not p.index]
    whole = {p.name for p in symbols if p.domain.endswith("integer")}
    spare = _spare(bounds, [p.name for p in symbols], whole)
    ends = {p.name: _ends(p) for p in symbols if p.name not in spare}
    cells: list[Cell] = [{n: (fmpq(2) ** a, fmpq(2) ** b) for n, (a, b) in ends.items()}]
    for _ in range(MOST_CELLS):
        if not cells:
            words = [f"2^{a} <= {n} <= 2^{b}" for n, (a, b) in ends.items()]
            return ", ".join(words + [f"{n} = 1 ({reason})" for n, reason in spare.items()])
        cell = cells.pop()
        if not _holds(bounds, cell | dict.fromkeys(spare, (fmpq(1), fmpq(1)))):
            if all(high < NARROWEST * low for low, high in cell.values()):
                return ""
            cells += _halves(cell)
    return ""


def _ends(p: Parameter) -> tuple[int, int]:
    if p.domain.endswith("integer"):
        return INTEGERS
    return BELOW_ONE if p.domain.startswith("in ") else REALS


def _cancelled(bounds: list[Bound]) -> list[Bound]:
    """Without the summands that both forms end with, so far as these speak of parameters alone."""
    named = {step.name for bound in bounds for step in bound.steps}
    sums = [bound.steps[-1].expr for bound in bounds]
    if not all(isinstance(expr, Add) for expr in sums):
        return bounds
    common = {term for term in sums[0].args if term in sums[1].args and not names_in([term]) & named}
    rest = [[term for term in expr.args if term not in common] for expr in sums]
    if not all(rest):
        return bounds
    return [
        replace(bound, steps=[*bound.steps[:-1], replace(bound.steps[-1], expr=Add(*terms, evaluate=False))])
        for bound, terms in zip(bounds, rest, strict=True)
    ]


def _spare(bounds: list[Bound], names: list[str], whole: set[str]) -> dict[str, str]:
    """Parameters that may be set to 1, and why: scaling them, or them and another that is left, scales both forms
    alike."""
    found: dict[str, str] = {}
    for name in names:
        alone = {name: Fraction(1)}
        with_others = [
            alone | {other: Fraction(power)}
            for other, power in product(names, (1, -1))
            if other not in {name, *found} and not {name, other} & whole
        ]
        for scales in (alone, *with_others):
            degrees = [_degree_of(bound, scales) for bound in bounds]
            if name not in found and None not in degrees and degrees[0] == degrees[1]:
                other = " and ".join(set(scales) - {name})
                found[name] = f"scaled against {other}" if other else "both forms scale with it"
    return found


def _degree_of(bound: Bound, scales: dict[str, Fraction]) -> Fraction | None:
    """The power of s by which the form is multiplied when each parameter is, by its own power of s; none is known where
    the form is not homogeneous."""
    degrees: dict[str, Fraction | None] = dict(scales)
    for step in bound.steps:
        degrees[step.name] = _degree(step.expr, degrees)
    return degrees[bound.steps[-1].name]


def _degree(expr: Any, degrees: dict[str, Fraction | None]) -> Fraction | None:
    if isinstance(expr, Symbol):
        return degrees.get(expr.name, Fraction(0))
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        base = _degree(expr.base, degrees)
        return None if base is None else base * Fraction(expr.exp.p, expr.exp.q)
    if isinstance(expr, Piecewise):
        conditions = [c for _, c in expr.args if c != true]
        if any(_common([_degree(side, degrees) for side in c.args]) is None for c in conditions):
            return None
        return _common([_degree(branch, degrees) for branch, _ in expr.args if branch != 0])
    below = [_degree(argument, degrees) for argument in expr.args]
    if isinstance(expr, Mul):
        return None if None in below else sum((d for d in below if d is not None), Fraction(0))
    if isinstance(expr, (Add, Min, Max)):
        return _common(below)
    return Fraction(0) if all(d == 0 for d in below) else None


def _common(degrees: list[Fraction | None]) -> Fraction | None:
    """The degree that all have."""
    return degrees[0] if all(d == degrees[0] for d in degrees) else None


def _holds(bounds: list[Bound], cell: Cell) -> bool:
    with ctx.workprec(64):
        env = {n: arb((a + b) / 2, (b - a) / 2) for n, (a, b) in cell.items()}
        try:
            larger, smaller = (
                run(b.steps, {n: to_rational(v) for n, v in b.values.items()} | env, Ranges(b.steps)) for b in bounds
            )
        except (Unresolved, Undefined):
            return False
        return bool(larger >= smaller)


def _halves(cell: Cell) -> list[Cell]:
    """Along the side that spans the largest ratio."""
    name = max(cell, key=lambda n: cell[n][1] / cell[n][0])
    low, high = cell[name]
    with ctx.workprec(64):  # about the geometric mean, with a short denominator
        middle = fmpq(int(((arb(low) * arb(high)).sqrt() * 2**40).mid().floor().unique_fmpz()), 2**40)
    return [cell | {name: (low, middle)}, cell | {name: (middle, high)}]
