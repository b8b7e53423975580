"""Functions of an instance over a hypothesis strategy: tested on what is drawn, and attacked where the class is known.

Tensors are attacked by ascent on lhs - rhs and brought back into their class after each step: by `project`, and by what
one of our own strategies knows of its class. What floats then call a violation is beyond rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from maurey.symbolic.claim import InputError
from maurey.symbolic.errors import cut

from .ascent import STEPS, Ascent
from .clock import Clock, Halt, OutOfTime, fence
from .page import Page
from .questions import RELATIONS

ROUNDING = 1e-9  # by which a float may exceed its bound and not be called a violation
STARTS = 24
SAMPLING = 0.6  # of the time, where an ascent follows


def over_a_strategy(
    lhs: Any, rhs: Any, over: Any, relation: str, assuming: Any, *, seconds: float, instances: int, seed: int,
    project: Any,
) -> Page:  # fmt: skip
    if not callable(lhs) or not callable(rhs):
        raise InputError(
            "over a strategy both sides are functions of an instance; over a box {name: (low, high)}, formulas"
        )
    if not hasattr(over, "example"):
        raise InputError(
            f"over must be a hypothesis strategy or a box {{name: (low, high)}}, got {type(over).__name__}"
        )
    if relation not in ("<=", ">="):
        raise InputError(f"functions are compared by <= or >=, got {relation!r}" if relation in RELATIONS else
                         f"no relation {relation!r}; there are <= and >=")  # fmt: skip
    if assuming:
        raise InputError("what functions assume is said by the strategy, or by hypothesis.assume inside them")
    if relation == ">=":
        lhs, rhs = rhs, lhs
    return Trial(lhs, rhs, over, project, Clock(seconds)).page(instances, seed)


class Trial:
    def __init__(self, lhs: Any, rhs: Any, over: Any, project: Any, clock: Clock) -> None:
        self.lhs, self.rhs, self.over, self.project, self.clock = lhs, rhs, over, project, clock
        self.count, self.starts, self.best = 0, 0, 0.0
        self.smallest: tuple[Any, float, float] | None = None
        self.drawn: list[Any] = []

    def page(self, instances: int, seed: int) -> Page:
        from maurey.verify.attack.strategies import CLASSES

        known = CLASSES.get(self.over)
        attacked = known is not None or self.project is not None
        late = self.sampled(instances, seed, self.clock.seconds * (SAMPLING if attacked else 1))
        if self.smallest:
            cut_short = ", as far as the time went" if late else ""
            how = f"in double precision, beyond rounding; the smallest instance that was drawn{cut_short}"
            return self.fails(how)
        hard = f"sampled ({self.count} of {instances} instances, then the time was up)" if late else "sampled"
        if not attacked:
            return self.holds(f"{hard} only: the strategy does not know its class, and no project says it")
        climbed = self.climbed(Ascent(self.lhs, self.rhs, known, self.project, self.clock))
        if self.smallest:
            return self.fails("in double precision, beyond rounding; found by ascent")
        return self.holds(f"{hard}{climbed}")

    def fails(self, how: str) -> Page:
        assert self.smallest is not None
        witness = dict(zip(("instance", "lhs", "rhs"), self.smallest, strict=True))
        return Page(self.statement, "fails", self.where, "refuted", how, witness=witness, cost=self.cost)

    def holds(self, how: str) -> Page:
        if self.count == 0:
            how = f"open after {self.clock.seconds:g} s: not one instance was computed"
            return Page(self.statement, "undecided", self.where, None, how, cost=self.cost)
        how = f"no instance violates it: {how}"
        return Page(self.statement, "holds", self.where, "tested", how, cost=self.cost, tightness=self.best)

    @property
    def statement(self) -> str:
        return f"{_name(self.lhs)} <= {_name(self.rhs)}"

    @property
    def where(self) -> str:
        return f"instances of {cut(repr(self.over).lstrip('_'), 160)}"

    @property
    def cost(self) -> dict[str, float]:
        spent = {"seconds": self.clock.spent(), "instances": self.count}
        return spent | ({"starts": self.starts, "steps": self.starts * STEPS} if self.starts else {})

    def sampled(self, instances: int, seed: int, seconds: float) -> bool:
        """Whether the time was up before all were drawn, or before the smallest violation was found."""
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import seed as seeded
        from hypothesis.errors import Flaky, Unsatisfiable

        clock = Clock(seconds)

        @seeded(seed)
        @settings(
            max_examples=instances, deadline=None, database=None, suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False,
        )  # fmt: skip
        @given(self.over)
        def attempt(instance: Any) -> None:
            if self.violated(instance, clock):
                raise _Violated
            if len(self.drawn) < STARTS * 20:
                self.drawn.append(instance)

        try:
            attempt()
        except _Violated:
            return False
        except _Late:
            return True
        except Flaky:
            raise InputError("a side has two values for the same instance: it must be a function of it") from None
        except Unsatisfiable:
            pass
        if self.count == 0:
            raise InputError("the strategy never meets the hypotheses: no instance was drawn")
        return False

    def violated(self, instance: Any, clock: Clock) -> bool:
        try:
            clock.look()
            with fence(clock.left()):
                left, right = number(self.lhs, instance, "left"), number(self.rhs, instance, "right")
        except OutOfTime:
            raise _Late from None
        self.count += 1
        if left > right + ROUNDING * max(abs(left), abs(right)):
            self.smallest = instance, left, right
            return True
        self.best = max(self.best, left / right if right > 0 else 0.0)
        return False

    def climbed(self, ascent: Ascent) -> str:
        """How hard was tried."""
        starts = self.drawn[:: max(1, len(self.drawn) // STARTS)][:STARTS]
        try:
            for start in starts:
                top = ascent.top(start)
                if top is None:
                    return " only: the sides have no slope that torch knows"
                self.starts += 1
                if self.violated(top, self.clock):
                    break
        except (_Late, OutOfTime):
            if not self.starts:
                return " only: no time was left for an ascent"
        return f", and attacked by ascent from {self.starts} of {len(starts)} starts, {STEPS} steps each"


class _Violated(AssertionError):
    """What hypothesis shrinks towards."""


class _Late(BaseException):
    """The time is up. No Exception, for hypothesis would take that for a violation."""


def number(side: Callable[[Any], Any], instance: Any, which: str) -> float:
    from hypothesis.errors import HypothesisException

    try:
        value = side(instance)
    except (Halt, HypothesisException):
        raise
    except Exception as error:
        reason = cut(f"{type(error).__name__}: {error}")
        raise InputError(f"the {which}-hand side cannot be computed for an instance: {reason}") from error
    try:
        real = float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise InputError(f"the {which}-hand side is not a number: got {type(value).__name__}") from None
    if math.isnan(real):
        raise InputError(f"the {which}-hand side is not a number: got nan")
    return real


def _name(side: Any) -> str:
    return str(getattr(side, "__name__", str(side)).replace("<lambda>", "f"))
