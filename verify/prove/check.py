"""An inequality of your own, through the same machine: searched for a counterexample, then proved, or left open.

Two formulas over a box are refuted at a point, or proved by z3, reductions and certified subdivision; two functions
over a hypothesis strategy are attacked and tested on drawn instances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from sympy import Expr

from maurey.symbolic.claim import InputError
from maurey.symbolic.errors import cut

from .clock import GIVES_UP, Clock, OutOfTime, fence
from .decide.decision import Decision, decided, identical
from .decide.domains import reality
from .decide.pieces import Piece, pieces, rational_ends
from .decide.problem import Given, Problem, violated
from .decide.search import search
from .inhabited import inhabited
from .page import Page
from .questions import Question, plain, question


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
    seconds, instances, seed = _positive(seconds, "seconds"), _whole(instances, "instances", 1), _whole(seed, "seed", 0)
    if project is not None and (isinstance(over, Mapping) or not callable(project)):
        raise InputError("project is a function that brings an instance of a strategy back into its class")
    if isinstance(over, Mapping):
        return _over_a_box(question(lhs, rhs, over, relation, assuming), seconds, instances, seed)
    if over is None:
        raise InputError("over is missing: a box {name: (low, high)} for formulas, a hypothesis strategy for functions")
    from .instances import over_a_strategy

    return over_a_strategy(
        lhs, rhs, over, relation, assuming, seconds=seconds, instances=instances, seed=seed, project=project
    )


def _positive(value: Any, name: str) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise InputError(f"{name} must be a positive number, got {cut(repr(value))}")
    return value


def _whole(value: Any, name: str, least: int) -> int:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be an integer, at least {least}, got {cut(repr(value))}")
    return value


def _over_a_box(asked: Question, seconds: float, instances: int, seed: int) -> Page:
    clock = Clock(seconds)
    try:
        with fence(seconds):
            found = _decided(asked, clock, instances, seed)
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


def _decided(asked: Question, clock: Clock, instances: int, seed: int) -> Decision:
    """SymPy raises errors of several kinds, too, where something in a comparison is not real: often for there is no
    point at which it is."""
    try:
        found = _equal(asked, clock) if asked.relation == "==" else _ordered(asked, clock, instances, seed)
        return found if found.verdict is not True else replace(found, how=found.how + _speaks(asked, clock))
    except InputError:
        raise
    except GIVES_UP as error:
        _speaks(asked, clock)
        return Decision(None, f"computer algebra gives up: {cut(str(error) or type(error).__name__)}")


def _speaks(asked: Question, clock: Clock) -> str:
    return inhabited(asked.box, asked.given, asked.real, clock)


def _ordered(asked: Question, clock: Clock, instances: int, seed: int) -> Decision:
    difference = asked.rhs - asked.lhs if asked.relation in ("<=", "<") else asked.lhs - asked.rhs
    problem = Problem(difference, asked.box, asked.relation in ("<", ">"), _given(asked, difference))
    hows, left_open = [], ""
    for piece in pieces(problem):
        found = _piece(piece, clock, instances, seed)
        if found.witness is not None and violated(problem, found.witness):
            return found
        if found.verdict is not True:
            left_open = "neither a counterexample nor a proof was found"
        hows.append(found.how)
    if left_open:
        return Decision(None, left_open)
    return Decision(True, "; ".join(dict.fromkeys(hows)))


def _given(asked: Question, difference: Expr) -> tuple[Given, ...]:
    """What is assumed; and what makes the sides real, if it falls out of their difference: log x + x against log x."""
    left = set(reality(difference))
    return (*asked.given, *(g for g in asked.real if g not in left))


def _piece(piece: Piece, clock: Clock, instances: int, seed: int) -> Decision:
    """With a witness in the letters of the question."""
    moved = rational_ends(piece)
    if moved is not piece:
        found = search(piece.problem, clock, instances, seed)
        if found.witness is not None:
            return Decision(False, "found by search, confirmed in balls", piece.point(found.witness))
    there = decided(moved.problem, clock, instances, seed)
    return there if there.witness is None else replace(there, witness=moved.point(there.witness))


def _equal(asked: Question, clock: Clock) -> Decision:
    """Two sides that are the same, or a point where they certainly are not."""
    difference = asked.lhs - asked.rhs
    problem = Problem(difference, asked.box, given=_given(asked, difference))
    parts = pieces(problem)
    for part, sign in product(parts, (1, -1)):
        found = search(replace(part.problem, expr=sign * part.problem.expr), clock, 300, 0)
        if found.witness is not None:
            point = part.point(found.witness)
            if violated(replace(problem, expr=sign * problem.expr), point):
                return Decision(False, "found by search, confirmed in balls", point)
    hows = [identical(rational_ends(part).problem, clock) for part in parts]
    if not all(hows):
        return Decision(None, "neither an identity nor a counterexample was found")
    return Decision(True, "; ".join(dict.fromkeys(filter(None, hows))))
