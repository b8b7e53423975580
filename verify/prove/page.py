"""A verdict on one page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from maurey.verify.rungs import RUNGS, VERDICTS

ZEROS = re.compile(r"^(-?\d+?)(0{12,})$")


@dataclass(frozen=True, repr=False)
class Page:
    """What `maurey.check` says: the verdict, where, by which evidence, and what it cost."""

    statement: str
    verdict: str  # holds, fails, undecided
    where: str
    evidence: str | None  # proved, refuted or tested; None if undecided
    how: str
    witness: Mapping[str, Any] | None = None  # of what fails: exact numbers, or an instance
    cost: Mapping[str, float] = field(default_factory=dict)  # seconds of CPU, cells, points, instances, starts, steps
    tightness: float | None = None  # the largest lhs/rhs that was found

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS or self.evidence not in (None, *RUNGS):
            raise ValueError(f"{self.verdict!r}, {self.evidence!r}: not a verdict, or not a rung")
        if (self.evidence is None) != (self.verdict == "undecided") or (self.witness is None) == (
            self.verdict == "fails"
        ):
            raise ValueError("what is undecided has no evidence, and what fails a witness")

    def __repr__(self) -> str:
        at = f" at {_point(self.witness)}" if self.witness else ""
        return f"<{self.statement}: {self.verdict}{f', {self.evidence}' if self.evidence else ''}{at}>"

    def __str__(self) -> str:
        lines = [self.statement, f"verdict    {self.verdict}", f"where      {self.where}"]
        lines.append(f"evidence   {self.evidence or 'none'}")
        if self.witness:
            lines.append(f"witness    {_point(self.witness)}")
        if self.tightness is not None:
            lines.append(f"tightness  {self.tightness:.6g}, the largest lhs/rhs that was found")
        lines.append(f"how        {self.how}")
        return "\n".join([*lines, f"cost       {cost_text(self.cost)}"])

    def to_dict(self) -> dict[str, Any]:
        witness = None if self.witness is None else {name: str(value) for name, value in self.witness.items()}
        return {
            "statement": self.statement, "verdict": self.verdict, "where": self.where, "evidence": self.evidence,
            "witness": witness, "how": self.how, "cost": dict(self.cost), "tightness": self.tightness,
        }  # fmt: skip


def _point(witness: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_short(value)}" for name, value in witness.items()) or "every point"


def _short(value: Any) -> str:
    """As it is printed, with a long row of zeros at the end as a power of ten."""

    def power(row: re.Match[str]) -> str:
        times = {"1": "", "-1": "-"}.get(row[1], f"{row[1]}*")
        return f"{times}10^{len(row[2])}"

    above, _, below = str(value).partition("/")
    short = ZEROS.sub(power, below)
    below = f"({short})" if "*" in short and short != below else short
    return ZEROS.sub(power, above) + (f"/{below}" if below else "")


def cost_text(cost: Mapping[str, float]) -> str:
    parts = [f"{cost.get('seconds', 0):.2f} s CPU"]
    parts += [f"{int(number):,} {name}" for name, number in cost.items() if name != "seconds" and number]
    return ", ".join(parts)
