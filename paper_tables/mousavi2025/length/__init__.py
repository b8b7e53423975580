"""Figure 1a: how many training prompts 1STR takes, against their length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.mousavi2025.figure import draw
from maurey.paper_tables.mousavi2025.lengths import exhibit
from maurey.paper_tables.mousavi2025.variants import settled
from maurey.paper_tables.trained import Outcome, in_stages

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, settle=settled, task="qstr", threshold=0.7, rate=1e-3)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    title = "Mousavi-Hosseini et al. 2025, Figure 1a: samples that 1STR takes, against the number of tokens"
    return exhibit(title, plan, scale, expected, outcomes)
