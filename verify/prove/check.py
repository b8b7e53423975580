"""An inequality of your own, through the same machine: searched for a counterexample, then proved, or left open.

Two formulas over a box are refuted at a point, or proved by z3, reductions and certified subdivision; two functions
over a hypothesis strategy are attacked and tested on drawn instances.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from sympy import Expr, S, Symbol

from maurey.symbolic.claim import InputError

from .clock import Clock, OutOfTime, fence
from .decide.decision import Decision, decided
from .decide.problem import Given, Problem, zero
from .decide.search import search
from .page import Page
from .questions import Question, plain, question

Affine = dict[Symbol, Expr]


def check(
    lhs: Any,
    rhs: Any = None,
    over: Any = None,
    relation: str = "<=",
    assuming: Any = (),
    seconds: float = 10,
    instances: int = 1000,
    seed: int = 0,
    project: Any = None,
) -> Page:
    """Is lhs <= rhs (or another relation)?

    Formulas: SymPy expressions or one SymPy relation; `over` maps each symbol or its name to (low, high), which may be
    infinite; `assuming` holds relations. Functions: both of one instance; `over` is a hypothesis strategy that draws
    it, such as those of `strategies`; `project` brings a tensor back into the class.
    """
    seconds, instances, seed = _positive(seconds, "seconds"), int(_positive(instances, "instances")), int(plain(seed))
    if isinstance(over, Mapping):
        return _over_a_box(question(lhs, rhs, over, relation, assuming), seconds, instances, seed)
    if over is None:
        raise InputError("over is missing: a box {name: (low, high)} for formulas, a hypothesis strategy for functions")
    from .instances import over_a_strategy

    return over_a_strategy(lhs, rhs, over, relation, assuming, instances=instances, seed=seed, project=project)


def _positive(value: Any, name: str) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise InputError(f"{name} must be a positive number, got {value!r}")
    return value


def _over_a_box(asked: Question, seconds: float, instances: int, seed: int) -> Page:
    clock = Clock(seconds)
    try:
        with fence(seconds):
            found = _equal(asked, clock) if asked.relation == "==" else _ordered(asked, clock, instances, seed)
    except OutOfTime:
        found = Decision(None, f"open after {seconds:g} s")
    cost = {"seconds": clock.spent(), "points": clock.points, "cells": clock.cells}
    if found.verdict is None:
        reason = found.how or "neither a counterexample nor a proof was found"
        return Page(asked.statement, "undecided", asked.where, None, reason, cost=cost)
    if found.verdict:
        return Page(asked.statement, "holds", asked.where, "proved", found.how, cost=cost)
    witness = {x.name: value for x, value in (found.witness or {}).items()}
    return Page(asked.statement, "fails", asked.where, "refuted", found.how, witness=witness, cost=cost)


def _ordered(asked: Question, clock: Clock, instances: int, seed: int) -> Decision:
    difference = asked.rhs - asked.lhs if asked.relation in ("<=", "<") else asked.lhs - asked.rhs
    problem = Problem(difference, asked.box, asked.relation in ("<", ">"), asked.given)
    problem, back = eliminated(problem)
    moved, line = rational_ends(problem)
    if moved is problem:
        found = decided(problem, clock, instances, seed)
    else:
        first = search(problem, clock, instances, seed)
        if first.witness is not None:
            found = Decision(False, "found by search, confirmed in balls", first.witness)
        else:
            found = decided(moved, clock, instances, seed)
            if found.witness is not None:
                found = Decision(False, found.how, {x: e.subs(found.witness) for x, e in line.items()})
    if found.witness is None:
        return found
    return Decision(False, found.how, {x: back.get(x, x).subs(found.witness) for x in asked.box})


def eliminated(problem: Problem) -> tuple[Problem, Affine]:
    """Without the variables that linear equations give; what they are, in the others."""
    back: Affine = {}
    for given in problem.given:
        if given.relation != "==":
            continue
        expr = given.expr.subs(back)
        solvable = [x for x in problem.box if expr.has(x) and (c := sympy.diff(expr, x)).is_Rational and c != 0]
        if not solvable:
            continue
        x = solvable[-1]
        value = sympy.expand(x - expr / sympy.diff(expr, x))
        back = {y: e.subs(x, value) for y, e in back.items()} | {x: value}
    if not back:
        return problem, {}
    rest = [Given(sympy.expand(g.expr.subs(back)), g.relation) for g in problem.given]
    for x, value in back.items():
        low, high = problem.box[x]
        rest += [Given(value - low, ">=")] if low.is_finite else []
        rest += [Given(high - value, ">=")] if high.is_finite else []
    kept = tuple(g for g in rest if not (g.expr == 0 and g.relation != ">"))
    box = {x: side for x, side in problem.box.items() if x not in back}
    return Problem(problem.expr.subs(back), box, problem.strict, kept), back


def rational_ends(problem: Problem) -> tuple[Problem, Affine]:
    """Ends such as pi/2 moved to 0 and 1, so that cells have exact ends."""
    line: Affine = {}
    box = {}
    for x, (low, high) in problem.box.items():
        if all(end.is_Rational or not end.is_finite for end in (low, high)):
            box[x] = (low, high)
            continue
        t = Symbol(x.name, nonnegative=True)
        if low.is_finite and high.is_finite:
            line[x], box[t] = low + (high - low) * t, (S.Zero, S.One)
        else:
            line[x], box[t] = (low + t if low.is_finite else high - t), (S.Zero, S.Infinity)
    if not line:
        return problem, {}
    given = tuple(Given(g.expr.subs(line), g.relation) for g in problem.given)
    return Problem(problem.expr.subs(line), box, problem.strict, given), line


def _equal(asked: Question, clock: Clock) -> Decision:
    """Two sides that are the same, or a point where they certainly are not."""
    difference = asked.lhs - asked.rhs
    problem, back = eliminated(Problem(difference, asked.box, given=asked.given))
    if zero(problem.expr):
        return Decision(True, "both sides are the same after rewriting")
    for sign in (1, -1):
        found = search(Problem(sign * problem.expr, problem.box, given=problem.given), clock, 300, 0)
        if found.witness is not None:
            return Decision(False, "found by search, confirmed in balls",
                            {x: back.get(x, x).subs(found.witness) for x in asked.box})  # fmt: skip
    return Decision(None, "neither an identity nor a counterexample was found")
