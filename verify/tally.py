"""What was measured on weights that were built, against what a claim states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import inf
from typing import Any

from maurey.numeric.balls import at_precision, to_arb
from maurey.numeric.binding import Bound
from maurey.symbolic import registry
from maurey.symbolic.derivation import Step

from .checks import Result

ROUNDING = 1e-9  # relative, of doubles
PRECISION = 128  # bits
At = dict[str, Any]  # exact values by name


@cache
def _steps(key: str, form: str, part: str) -> list[Step]:
    return registry.find(key).part(part).steps(form)


def stated_ball(key: str, form: str, part: str, at: At) -> Any:
    """The form at parameters that are known to be inside the domain; constants are the claim's own unless given."""
    claim = registry.find(key)
    values = {c.name: c.value for c in claim.constants} | {name: Fraction(value) for name, value in at.items()}
    bound = Bound(claim.part(part), form, _steps(key, form, part), values)
    return to_arb(at_precision(bound, PRECISION)[0])


def stated(key: str, form: str, part: str, at: At) -> float:
    return float(stated_ball(key, form, part, at))


def shown(at: At) -> dict[str, str]:
    return {name: str(value) for name, value in at.items()}


@dataclass
class Tally:
    """Of each part the largest measured/stated, where that was, and how many instances there were."""

    key: str
    form: str
    ratios: dict[str, float] = field(default_factory=dict)
    where: dict[str, At] = field(default_factory=dict)
    instances: dict[str, int] = field(default_factory=dict)

    def see(self, part: str, measured: float, at: At, instances: int = 1, **where: Any) -> float:
        """A lower bound is turned round, an equality counts its larger side."""
        relation, bound = registry.find(self.key).part(part).relation, stated(self.key, self.form, part, at)
        ratio = measured / bound if bound else 0.0 if measured <= 0 else inf
        if relation == ">=" or (relation == "=" and measured < bound):
            ratio = bound / measured if measured > 0 else inf
        self.instances[part] = self.instances.get(part, 0) + instances
        if ratio > self.ratios.get(part, -1.0):
            self.ratios[part] = ratio
            self.where[part] = shown(at) | where | {"measured": measured, "stated": bound}
        return ratio

    def exceeded(self, part: str) -> bool:
        return self.ratios[part] > 1 + ROUNDING

    def result(self, part: str, note: str) -> Result:
        count, ratio, at = self.instances[part], self.ratios[part], self.where[part]
        if not self.exceeded(part):
            return Result("holds", "constructed", note, count, ratio, part=part, form=self.form)
        said, true, tightness = str(at["stated"]), str(at["measured"]), ratio if ratio < inf else None
        return Result("fails", "constructed", note, count, tightness, at, part, self.form, said, true)

    def results(self, note: str, parts: Iterable[str] = ()) -> Iterator[Result]:
        return (self.result(part, note) for part in parts or self.ratios)
