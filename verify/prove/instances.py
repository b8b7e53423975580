"""Functions of an instance over a hypothesis strategy: attacked where the class is known, and tested on what is drawn.

Tensors are attacked by ascent on lhs - rhs, brought back into their class after each step: by `project`, or by scaling
into the norm ball of one of our own strategies. What floats then call a violation is beyond rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np

from maurey.symbolic.claim import InputError

from .page import Page
from .questions import RELATIONS

ROUNDING = 1e-9  # by which a float may exceed its bound and not be called a violation
STARTS, STEPS = 24, 60
FIRST_RATE, LAST_RATE = 0.3, 0.01


def over_a_strategy(
    lhs: Any, rhs: Any, over: Any, relation: str, assuming: Any, instances: int, seed: int, project: Any
) -> Page:
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
    if project is not None and not callable(project):
        raise InputError(f"project must be a function of a tensor, got {type(project).__name__}")
    if relation == ">=":
        lhs, rhs = rhs, lhs
    return Trial(lhs, rhs, over, project).page(instances, seed)


class Trial:
    def __init__(self, lhs: Any, rhs: Any, over: Any, project: Any) -> None:
        self.lhs, self.rhs, self.over, self.project = lhs, rhs, over, project
        self.count, self.best = 0, 0.0
        self.smallest: tuple[Any, float, float] | None = None
        self.drawn: list[Any] = []
        self.statement = f"{_name(lhs)} <= {_name(rhs)}"

    def page(self, instances: int, seed: int) -> Page:
        start = process_time()
        violated = self.sampled(instances, seed)
        climbed = None if violated else self.climbed()
        cost: dict[str, float] = {"seconds": process_time() - start, "instances": self.count}
        where = f"instances of {_short(repr(self.over))}"
        if climbed is not None:
            cost |= {"starts": climbed, "steps": climbed * STEPS}
        if self.smallest is not None:
            instance, left, right = self.smallest
            witness = {"instance": instance, "lhs": left, "rhs": right}
            found = "the smallest instance that was drawn" if violated else "found by ascent"
            how = f"in double precision, beyond rounding; {found}"
            return Page(self.statement, "fails", where, "refuted", how, witness=witness, cost=cost)
        how = "no instance violates it: sampled" + (
            f", and attacked by ascent from {climbed} starts of {STEPS} steps" if climbed else " only"
        )
        return Page(self.statement, "holds", where, "tested", how, cost=cost, tightness=self.best)

    def sampled(self, instances: int, seed: int) -> bool:
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import seed as seeded
        from hypothesis.errors import Unsatisfiable

        @seeded(seed)
        @settings(
            max_examples=instances, deadline=None, database=None, suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )  # fmt: skip
        @given(self.over)
        def attempt(instance: Any) -> None:
            left, right = number(self.lhs, instance, "left"), number(self.rhs, instance, "right")
            self.count += 1
            if self.look(instance, left, right):
                raise _Violated
            if len(self.drawn) < STARTS * 20:
                self.drawn.append(instance)

        try:
            attempt()
        except _Violated:
            return True
        except Unsatisfiable:
            raise InputError("the strategy never meets the hypotheses: no instance was drawn") from None
        if self.count == 0:
            raise InputError("the strategy never meets the hypotheses: no instance was drawn")
        return False

    def look(self, instance: Any, left: float, right: float) -> bool:
        if left > right + ROUNDING * max(abs(left), abs(right)):
            self.smallest = instance, left, right
            return True
        self.best = max(self.best, left / right if right > 0 else 0.0)
        return False

    def climbed(self) -> int | None:
        """The number of starts; None where nothing can be moved: no class is known, or the sides have no slope."""
        project = self.project or _into_ball(self.over)
        starts = [x for x in self.drawn[:: max(1, len(self.drawn) // STARTS)] if _shape(x)][:STARTS]
        if project is None or not starts:
            return None
        from maurey.verify.tensors import torch

        for start in starts:
            point = torch.as_tensor(np.array(start, dtype=float)).clone()
            for step in range(STEPS):
                point.requires_grad_(True)
                slope = self.slope(point, torch)
                if slope is None:
                    return None
                rate = FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (step / STEPS)
                with torch.no_grad():
                    scale = max(1e-3, float(point.norm()) / math.sqrt(point.numel()))
                    moved = point + rate * scale * math.sqrt(point.numel()) * slope / (slope.norm() + 1e-300)
                    point = torch.as_tensor(project(moved)).detach().clone()
            instance = self.like(start, point)
            self.count += 1
            if self.look(instance, number(self.lhs, instance, "left"), number(self.rhs, instance, "right")):
                break
        return len(starts)

    def slope(self, point: Any, torch: Any) -> Any:
        try:
            rise = torch.as_tensor(self.lhs(point)) - torch.as_tensor(self.rhs(point))
            if rise.dim() or not rise.requires_grad:
                return None
            return torch.autograd.grad(rise, point)[0].nan_to_num(0.0, 0.0, 0.0)
        except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
            return None

    def like(self, start: Any, point: Any) -> Any:
        """Of the kind that was drawn, and certainly inside its ball."""
        array = point.numpy().copy()
        bounds = _ball(self.over)
        if self.project is None and bounds is not None:
            from maurey.verify.attack.strategies import NORMS

            while any(NORMS[norm](array) > Fraction(bound) for norm, bound in bounds.items()):
                array = array * (1 - 2.0**-40)
        return array if isinstance(start, np.ndarray) else point


class _Violated(AssertionError):
    """What hypothesis shrinks towards."""


def _shape(instance: Any) -> bool:
    return hasattr(instance, "shape") and len(instance.shape) > 0


def _ball(over: Any) -> dict[str, float] | None:
    """The norm bounds of one of our own strategies of matrices."""
    inner: Any = getattr(over, "wrapped_strategy", None)
    definition: Any = getattr(inner, "definition", None)
    if getattr(definition, "__module__", "") != "maurey.verify.attack.strategies" or definition.__name__ != "_within":
        return None
    bounds: dict[str, float] = inner.args[2]
    return bounds


def _into_ball(over: Any) -> Callable[[Any], Any] | None:
    """Scaled into every ball at once, which is a point of all of them."""
    bounds = _ball(over)
    if bounds is None:
        return None

    def project(M: Any) -> Any:
        from maurey.verify.attack.strategies import NORMS

        array = M.numpy()
        ratio = max(float(NORMS[norm](array)) / bound if bound else math.inf for norm, bound in bounds.items())
        return M if ratio <= 1 else M / ratio

    return project


def number(side: Callable[[Any], Any], instance: Any, which: str) -> float:
    try:
        value = side(instance)
    except (ValueError, IndexError, RuntimeError) as error:
        raise InputError(f"the {which}-hand side cannot be computed for an instance: {error}") from None
    try:
        real = float(value)
    except (TypeError, ValueError, RuntimeError):
        raise InputError(f"the {which}-hand side is not a number: got {type(value).__name__}") from None
    if math.isnan(real):
        raise InputError(f"the {which}-hand side is not a number: got nan")
    return real


def _name(side: Any) -> str:
    return str(getattr(side, "__name__", str(side)).replace("<lambda>", "f"))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
