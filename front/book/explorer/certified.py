"""What the page asks of Maurey when digits are to be certified: questions and answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from maurey.numeric.balls import enclose
from maurey.numeric.samples import smallest
from maurey.numeric.walk import Undecided, Undefined
from maurey.symbolic import registry
from maurey.symbolic.claim import InputError

DIGITS = 15  # those of `maurey eval`
FINE = 30  # of two values that are held against each other
WIDTH = Fraction(1, 10**6)  # relative, of a crossover of a real parameter
WIDER = 8  # times that a bracket is widened, where doubles did not tell two curves apart
MOST_STEPS = 200

Question = Mapping[str, Any]


def value(question: Question) -> dict[str, str]:
    found = _enclosed(question, DIGITS)
    return {"value": str(found.value), "lower": str(found.lower), "upper": str(found.upper)}


def _enclosed(question: Question, digits: int, **more: Any) -> Any:
    claim = registry.find(question["key"])
    return enclose(claim, question["form"], question["part"], digits, **question["values"], **more)


def samples(question: Question) -> dict[str, str | None]:
    claim = registry.find(question["key"])
    found = smallest(claim, question["gap"], question["form"], question["part"], question["values"])
    return {"m": None if found is None else str(found.m)}


def crossover(question: Question) -> dict[str, list[str] | None]:
    """Ends between which the order certainly changes: neighbouring integers, or reals a millionth apart."""
    over, integer, before, after = (question[name] for name in ("over", "integer", "before", "after"))
    low, high = Fraction(question["low"]), Fraction(question["high"])

    def order(x: Fraction) -> int:
        """The sign of before - after; 0 where it stays open."""
        here = {over: x}
        first, second = (
            _enclosed(one, FINE + len(str(int(x))), **here if _knows(one, over) else {}) for one in (before, after)
        )
        return -1 if first.upper < second.lower else 1 if first.lower > second.upper else 0

    for _ in range(WIDER):
        if order(low) < 0 < order(high):
            return {
                "at": [str(x) if x.denominator == 1 else str(float(x)) for x in _narrowed(order, low, high, integer)]
            }
        room = high - low
        low, high = low - (min(room, low - 1) if integer else min(room, low / 2)), high + room
    return {"at": None}


def _knows(question: Question, name: str) -> bool:
    return any(p.name == name for p in registry.find(question["key"]).names)


def _narrowed(order: Any, low: Fraction, high: Fraction, integer: bool) -> tuple[Fraction, Fraction]:
    for _ in range(MOST_STEPS):
        if high - low <= (1 if integer else WIDTH * low):
            break
        middle = Fraction((low + high) // 2) if integer else (low + high) / 2
        side = order(middle)
        if not side and not integer:
            break
        low, high = (middle, high) if side < 0 else (low, middle)
    return low, high


CALLS: dict[str, Callable[[Question], Any]] = {"value": value, "crossover": crossover, "samples": samples}


def answer(text: str) -> str:
    """To a question from the page; what is wrong with it is part of the answer."""
    asked = json.loads(text)
    try:
        found: dict[str, Any] = CALLS[asked["call"]](asked["given"])
    except (InputError, Undefined, Undecided) as error:
        found = {"problem": str(error)}
    return json.dumps(found)
