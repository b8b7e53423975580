"""An inequality of your own, through the same machine: stated, attacked, proved or refuted.

Two formulas over a box are proved by certified subdivision, or refuted at a point; two functions over a hypothesis
strategy are tested on drawn instances, and the smallest counterexample is looked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from maurey.numeric.binding import exact
from maurey.symbolic.claim import InputError
from maurey.verify.checks import Result

ROUNDING = 1e-9  # by which a float may exceed its bound and not be called a violation
INSTANCES = 1000


@dataclass(frozen=True)
class Page:
    """A verdict on one page."""

    statement: str
    result: Result

    @property
    def verdict(self) -> str:
        return self.result.verdict

    def __str__(self) -> str:
        lines = [self.statement, f"verdict    {self.result.verdict}", f"evidence   {self.result.rung}"]
        if self.result.instances:
            lines.append(f"instances  {self.result.instances:,}")
        if self.result.tightness is not None:
            lines.append(f"tightness  {self.result.tightness:.6g}, the largest lhs/rhs that was found")
        for name, value in (self.result.counterexample or {}).items():
            lines.append(f"  {name} = {value}")
        return "\n".join([*lines, self.result.note])


def check(lhs: Any, rhs: Any, over: Any, instances: int = INSTANCES, seed: int = 0) -> Page:
    """Is lhs <= rhs?

    Formulas: SymPy expressions, `over` a mapping of each symbol or its name to (low, high) with rational ends.
    Functions: both of one instance, `over` a hypothesis strategy that draws it, such as those of `strategies`.
    """
    if isinstance(over, Mapping):
        return _over_a_box(_formula(lhs, "left"), _formula(rhs, "right"), over)
    if not callable(lhs) or not callable(rhs):
        raise InputError(
            "over a strategy both sides are functions of an instance; over a box {name: (low, high)}, formulas"
        )
    if not hasattr(over, "example"):
        raise InputError(
            f"over must be a hypothesis strategy or a box {{name: (low, high)}}, got {type(over).__name__}"
        )
    return _over_a_strategy(lhs, rhs, over, instances, seed)


def _end(value: Any) -> Rational:
    try:
        number = exact(value)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"the ends of a box are numbers, got {value!r}") from None
    return Rational(number.numerator, number.denominator)


def _formula(side: Any, which: str) -> Expr:
    if isinstance(side, Expr):
        return side
    if isinstance(side, int):
        return Integer(side)
    raise InputError(f"over a box the {which}-hand side must be a SymPy expression, got {type(side).__name__}")


def _over_a_box(lhs: Expr, rhs: Expr, over: Mapping[Any, tuple[Any, Any]]) -> Page:
    from .identities import identity
    from .subdivision import nonnegative

    names = {str(name): (_end(low), _end(high)) for name, (low, high) in over.items()}
    missing = {s.name for s in (rhs - lhs).free_symbols if isinstance(s, Symbol)} - set(names)
    if missing:
        raise InputError(f"the box says nothing of {', '.join(sorted(missing))}")
    if bad := [name for name, (low, high) in names.items() if low > high]:
        raise InputError(f"the box is empty in {bad[0]}")
    difference = rhs - lhs
    letters = {s.name: s for s in difference.free_symbols}
    box = {letters.get(name, Symbol(name)): ends for name, ends in names.items()}
    ends = ((x, end) for x, sides in box.items() for end in sides)
    tight = {x: end for x, end in ends if identity(difference.subs(x, end), 0) is True}
    proof = nonnegative(difference, box, tight)
    statement = f"{lhs} <= {rhs}"
    if proof.verdict is False:
        note = "at this point the difference is certainly negative, in ball arithmetic"
        return Page(statement, Result("fails", "refuted", note, instances=1, counterexample=proof.witness))
    verdict = "holds" if proof.verdict else "undecided"
    return Page(statement, Result(verdict, "proved", proof.text, tightness=1.0 if tight and proof.verdict else None))


def _over_a_strategy(lhs: Any, rhs: Any, over: Any, instances: int, seed: int) -> Page:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis.errors import Unsatisfiable

    count, best = 0, 0.0
    smallest: tuple[Any, float, float] | None = None

    @seeded(seed)
    @settings(
        max_examples=instances, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )  # fmt: skip
    @given(over)
    def attempt(instance: Any) -> None:
        nonlocal count, best, smallest
        left, right = _number(lhs, instance, "left"), _number(rhs, instance, "right")
        count += 1
        if left > right + ROUNDING * max(abs(left), abs(right)):
            smallest = instance, left, right
            raise _Violated
        best = max(best, left / right if right > 0 else 0.0)

    statement = f"{_name(lhs)} <= {_name(rhs)}"
    try:
        attempt()
    except _Violated:
        assert smallest is not None
        instance, left, right = smallest
        witness = {"instance": instance, "lhs": left, "rhs": right}
        note = "in double precision, beyond rounding; the smallest instance that was found"
        return Page(statement, Result("fails", "refuted", note, instances=count, counterexample=witness))
    except Unsatisfiable:
        raise InputError("the strategy never meets the hypotheses: no instance was drawn") from None
    if count == 0:
        raise InputError("the strategy never meets the hypotheses: no instance was drawn")
    return Page(statement, Result("holds", "tested", "no instance violates it", instances=count, tightness=best))


class _Violated(AssertionError):
    """What hypothesis shrinks towards."""


def _number(side: Callable[[Any], Any], instance: Any, which: str) -> float:
    try:
        value = side(instance)
    except (ValueError, IndexError, RuntimeError) as error:
        raise InputError(f"the {which}-hand side cannot be computed for an instance: {error}") from None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"the {which}-hand side is not a number: got {type(value).__name__}") from None
    if math.isnan(number):
        raise InputError(f"the {which}-hand side is not a number: got nan")
    return number


def _name(side: Any) -> str:
    return getattr(side, "__name__", str(side)).replace("<lambda>", "f")
