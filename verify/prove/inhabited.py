"""Whether a question speaks of anything: what holds at no point at all is no theorem."""

from __future__ import annotations

from dataclasses import replace

from sympy import S

from maurey.symbolic.claim import InputError
from maurey.verify.prove.clock import GIVES_UP, Clock, OutOfTime

from .decide.decision import decided
from .decide.pieces import pieces, rational_ends
from .decide.problem import Box, Given, Problem

SECONDS = 1.0


def inhabited(box: Box, given: tuple[Given, ...], real: tuple[Given, ...], clock: Clock) -> str:
    """Nothing to say if a point of the box is found that meets what is given and at which both sides are real; an error
    if there certainly is none."""
    assumed = Problem(S.NegativeOne, box, given=given)
    empty = _empty(replace(assumed, given=(*given, *real)), clock)
    if empty and given and _empty(assumed, clock):
        raise InputError("no point of the box meets what is assumed")
    if empty:
        more = " that meets what is assumed" if given else ""
        raise InputError("both sides are real at no point of the box" + more)
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
    except (OutOfTime, *GIVES_UP):
        return None
    return True if all(found) else None
