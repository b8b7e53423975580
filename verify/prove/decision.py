"""Whether an inequality holds on a box: refuted by search, proved by z3, by reductions or by certified subdivision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Rational, S, Symbol

from .cells import MOST_CELLS, Cells, subdivided
from .clock import Clock, OutOfTime
from .domains import regular
from .polynomials import algebraic, decide
from .problem import Problem, violated, zero
from .reductions import by_derivative, cleared, divided, least, scaled, sides
from .search import Found, search
from .ties import Tie, ties_of, touches

DEEPEST = 6
LONGEST = 400  # operations of an expression that is looked at further


@dataclass(frozen=True)
class Decision:
    """True, False with a witness, or None; and by what."""

    verdict: bool | None
    how: str = ""
    witness: Mapping[Symbol, Any] | None = None
    near: Any = None  # tight points, as floats


def decided(problem: Problem, clock: Clock, instances: int = 1000, seed: int = 0) -> Decision:
    """Search, then proof. Raises OutOfTime."""
    found = search(problem, clock, instances, seed)
    if found.witness is not None:
        return Decision(False, "found by search, confirmed in balls", found.witness)
    how = proved(problem, found, clock)
    return Decision(None, near=found.tight) if how is None else Decision(True, how, near=found.tight)


def proved(problem: Problem, found: Found, clock: Clock, depth: int = 0) -> str | None:
    """By what, or None."""
    if not problem.strict and zero(problem.expr):
        return "both sides are the same"
    for method in (_by_z3, _by_cases, _by_reduction):
        clock.look()
        how = method(problem, found, clock, depth)
        if how is not None:
            return how
    return None


def show(problem: Problem, clock: Clock, depth: int) -> str | None:
    """A smaller problem, with a search of its own; None if it is false or stays open."""
    if depth > DEEPEST or problem.expr.count_ops() > LONGEST:
        return None
    if not problem.letters:
        return "at a point" if _at_a_point(problem) else None
    found = search(replace(problem, box={x: problem.box[x] for x in problem.letters}), clock, 300, 1)
    return None if found.witness is not None else proved(problem, found, clock, depth)


def _at_a_point(problem: Problem) -> bool:
    negation = Problem(-problem.expr, {}, strict=not problem.strict)
    return violated(negation, {}) if problem.strict else violated(negation, {}) or zero(problem.expr) or violated(
        Problem(-problem.expr, {}, strict=True), {}
    )


def _by_z3(problem: Problem, found: Found, clock: Clock, depth: int) -> str | None:
    expr = problem.expr
    constants = {node: Symbol(f"c{i}") for i, node in enumerate(_constants(expr))}
    if not algebraic(expr.xreplace(constants)) or not all(algebraic(g.expr) for g in problem.given):
        return None
    claim = sympy.Gt(expr, 0, evaluate=False) if problem.strict else sympy.Ge(expr, 0, evaluate=False)
    relations = {">=": sympy.Ge, ">": sympy.Gt, "==": sympy.Eq}
    given = [relations[g.relation](g.expr, 0, evaluate=False) for g in problem.given]
    seconds = min(3.0, clock.left() * (0.4 if depth == 0 else 0.2))
    verdict, _ = decide(claim, [*given, *sides(problem.box, set(problem.letters))], seconds)
    return "z3" if verdict else None


def _constants(expr: Expr) -> list[Expr]:
    """Numbers such as pi and log 2, the largest first."""
    return [n for n in sympy.preorder_traversal(expr) if n.is_number and not n.is_Rational and not algebraic(n)]


def _by_cases(problem: Problem, found: Found, clock: Clock, depth: int) -> str | None:
    """Absolute values, minima, maxima and cases, one branch at a time."""
    from .cases import cases

    parts = cases(problem)
    if parts is None:
        return None
    hows = []
    for part in parts:
        how = show(part, clock, depth + 1)
        if how is None:
            return None
        hows.append(how)
    return f"{len(parts)} cases ({'; '.join(dict.fromkeys(hows))})"


def _by_reduction(problem: Problem, found: Found, clock: Clock, depth: int) -> str | None:
    alone = len(problem.letters) == 1
    ties = ties_of(problem, found.tight, clock)
    if not alone:
        for reduction in (scaled(problem),):
            if reduction is not None and (how := _all(reduction, clock, depth)):
                return how
        with_least = _first_of(least(problem, clock, ties), clock, depth)
        if with_least is not None:
            return with_least
    share = 0.35 if depth == 0 else 0.15
    try:
        with clock.at_most(clock.left() * share):
            how = _by_cells(problem, ties, found, clock, MOST_CELLS if depth == 0 else 600)
            if how is not None:
                return how
    except OutOfTime:
        clock.look()
    if alone:
        how = _first_of(by_derivative(problem, ties, clock), clock, depth)
        if how is not None:
            return how
    for reduction in (cleared(problem, clock), divided(problem, clock)):
        if reduction is not None and (how := _all(reduction, clock, depth)):
            return how
    return _by_cells(problem, ties, found, clock, MOST_CELLS) if depth == 0 else None


def _first_of(reductions: Any, clock: Clock, depth: int) -> str | None:
    for reduction in reductions:
        how = _all(reduction, clock, depth)
        if how is not None:
            return how
    return None


def _all(reduction: tuple[str, list[Problem]], clock: Clock, depth: int) -> str | None:
    text, problems = reduction
    hows = []
    for problem in problems:
        clock.look()
        how = show(problem, clock, depth + 1)
        if how is None:
            return None
        hows.append(how)
    return f"{text}: {', '.join(dict.fromkeys(hows))}" if hows else text


def _by_cells(problem: Problem, ties: list[Tie], found: Found, clock: Clock, most: int) -> str | None:
    before = clock.cells
    corners = tight_corners(problem, found.tight) if len(problem.letters) > 1 else []
    cells = Cells(problem, ties, corners, regular(problem.expr, problem.box, clock))
    if subdivided(cells, clock, most):
        at = [f"{t.x} = {t.place}" for t in ties] + [
            "(" + ", ".join(f"{x} = {v}" for x, v in p.items()) + ")" for p in corners
        ]
        tight = f", tight at {', '.join(at[:6])}" if at else ""
        return f"certified subdivision, {clock.cells - before} cells{tight}"
    return None


def tight_corners(problem: Problem, tight: Any) -> list[dict[Symbol, Any]]:
    """Exact points, corners of the box or simple points near what floats found, at which the difference vanishes."""
    from .search import rationals

    letters = list(problem.box)
    finite = [[end for end in problem.box[x] if end.is_finite] for x in letters]
    points = [dict(zip(letters, corner, strict=True)) for corner in product(*finite)][:64] if all(finite) else []
    seen: list[Any] = []
    for row in tight[:60]:
        if all(np.max(abs(row - other)) > 1e-3 for other in seen):
            seen.append(row)
            nearest = [_nearest(float(v), problem.box[x]) for x, v in zip(letters, row, strict=True)]
            points.append(dict(zip(letters, nearest, strict=True)))
    distinct = [dict(pairs) for pairs in dict.fromkeys(tuple(p.items()) for p in points)]
    return [p for p in distinct if touches(problem, p)][:12]


def _nearest(value: float, side: tuple[Expr, Expr]) -> Any:
    from fractions import Fraction

    for end in side:
        if end.is_finite and abs(float(end) - value) < 1e-3:
            return end
    for denominator in (1, 2, 3, 4, 6, 12):
        near = Fraction(value).limit_denominator(denominator)
        if abs(float(near) - value) < 1e-3:
            return Rational(near.numerator, near.denominator)
    near = Fraction(value).limit_denominator(1000)
    return Rational(near.numerator, near.denominator)
