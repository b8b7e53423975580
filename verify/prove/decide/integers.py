"""Integer variables: as reals, which is more than is asked, or value by value."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Integer, Pow, S, Symbol

from .cases import trimmed
from .domains import range_of
from .problem import Given, Problem

MOST_VALUES, FIRST_VALUES = 64, 8


def relaxed(problem: Problem) -> Problem | None:
    """For all reals; None where an integer power of a negative number would be lost."""
    powers = [p for p in problem.expr.atoms(Pow) if p.exp.is_integer and p.exp.free_symbols]
    if any((ends := range_of(p.base, problem.box)) is None or ends[0] < 0 for p in powers):
        return None
    real = {x: _real(x) for x in problem.box if x.is_integer}
    given = tuple(Given(g.expr.xreplace(real), g.relation) for g in problem.given)
    box = {real.get(x, x): side for x, side in problem.box.items()}
    return Problem(problem.expr.xreplace(real), box, problem.strict, given)


def _real(x: Symbol) -> Symbol:
    signs = {name: True for name in ("positive", "nonnegative", "negative") if x.assumptions0.get(name)}
    return Symbol(x.name, **({name: signs[name] for name in list(signs)[:1]} or {"real": True}))


def by_values(problem: Problem) -> tuple[list[tuple[dict[Symbol, Integer], Problem]], Problem | None] | None:
    """One integer at each of its values, or at the first few of them and, beyond these, as it was."""
    x = min((x for x in problem.letters if x.is_integer), key=lambda x: float(problem.box[x][1] - problem.box[x][0]))
    low, high = problem.box[x]
    if low == S.NegativeInfinity:
        return None
    low = sympy.ceiling(low)
    last = int(sympy.floor(high)) if high - low < MOST_VALUES else int(low) + FIRST_VALUES - 1
    parts = []
    for value in map(Integer, range(int(low), last + 1)):
        given = tuple(Given(g.expr.subs(x, value), g.relation) for g in problem.given)
        box = {y: side for y, side in problem.box.items() if y != x}
        part = trimmed(Problem(problem.expr.subs(x, value), box, problem.strict, given))
        parts += [({x: value}, part)] if part is not None else []
    rest = replace(problem, box={**problem.box, x: (Integer(last + 1), high)}) if last + 1 <= high else None
    return parts, rest
