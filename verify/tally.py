"""What was measured on weights that were built, against what a claim states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any

from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.symbolic import registry

from .checks import Result

ROUNDING = 1e-9  # relative, of doubles
At = dict[str, Any]  # exact values by name


@dataclass
class Tally:
    """Of each part the largest measured/stated, where that was, and how many instances there were."""

    key: str
    form: str
    ratios: dict[str, float] = field(default_factory=dict)
    where: dict[str, At] = field(default_factory=dict)
    instances: dict[str, int] = field(default_factory=dict)

    def see(self, part: str, measured: float, at: At, instances: int = 1, **where: Any) -> float:
        """A lower bound is turned round, an equality counts its larger side; a form that a part lacks says nothing."""
        stated = registry.find(self.key).part(part)
        if self.form not in stated.forms:
            return 0.0
        relation, bound = stated.relation, float(value(self.key, self.form, part, at))
        ratio = measured / bound if bound else 0.0 if measured <= 0 else inf
        if relation == ">=" or (relation == "=" and measured < bound):
            ratio = bound / measured if measured > 0 else inf
        self.instances[part] = self.instances.get(part, 0) + instances
        if ratio > self.ratios.get(part, -1.0):
            self.ratios[part] = ratio
            self.where[part] = texts(at) | where | {"measured": measured, "stated": bound}
        return ratio

    def exceeded(self, part: str) -> bool:
        return self.ratios[part] > 1 + ROUNDING

    def result(self, part: str, note: str) -> Result:
        count, ratio, at = self.instances[part], self.ratios[part], self.where[part]
        if not self.exceeded(part):
            return Result("holds", "constructed", note, instances=count, tightness=ratio, part=part, form=self.form)
        said, true, tightness = str(at["stated"]), str(at["measured"]), ratio if ratio < inf else None
        return Result(
            "fails",
            "constructed",
            note,
            instances=count,
            tightness=tightness,
            counterexample=at,
            part=part,
            form=self.form,
            printed_value=said,
            true_value=true,
        )

    def results(self, note: str, parts: Iterable[str] = ()) -> Iterator[Result]:
        return (self.result(part, note) for part in parts or self.ratios)
