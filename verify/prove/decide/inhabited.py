"""Whether a question speaks of anything: what holds at no point at all is no theorem."""

from __future__ import annotations

from dataclasses import replace

from sympy import S

from maurey.symbolic.claim import InputError
from maurey.verify.prove.clock import Clock, OutOfTime

from .decision import decided
from .domains import conditions
from .pieces import pieces, rational_ends
from .problem import Given, Problem

SECONDS = 1.0


def inhabited(problem: Problem, clock: Clock) -> str:
    """Nothing to say if a point of the domain is found; an error if there certainly is none."""
    real = [Given(u**2, ">") if either else Given(u, ">=") for u, either in dict.fromkeys(conditions(problem.expr))]
    whole = replace(problem, expr=S.NegativeOne, strict=False, given=(*problem.given, *real))
    empty = _empty(whole, clock)
    if empty and problem.given and _empty(replace(whole, given=problem.given), clock):
        raise InputError("no point of the box meets what is assumed")
    if empty:
        raise InputError(
            "both sides are real at no point of the box" + (" that meets what is assumed" if problem.given else "")
        )
    return "" if empty is False else "; no point at which both sides are real was found"


def _empty(domain: Problem, clock: Clock) -> bool | None:
    """-1 >= 0 holds nowhere but on the empty set."""
    if not domain.given:
        return False
    found = []
    try:
        with clock.at_most(SECONDS):
            for piece in pieces(domain):
                found.append(decided(rational_ends(piece).problem, clock, 300).verdict)
                if found[-1] is False:
                    return False
    except OutOfTime:
        return None
    return True if all(found) else None
