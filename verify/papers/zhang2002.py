"""Zhang's cover, built, and attacked from below."""

from __future__ import annotations

from collections.abc import Iterator

from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers.instances import built, zhang
from maurey.verify.packings.attacks import survives
from maurey.verify.packings.classes import scalar

WHAT = "mistakes of a perceptron over thresholds, lists of which are the centres, in up to 300 dimensions"


@check("zhang2002/4")
def theorem_4(effort: Effort) -> Iterator[Result]:
    yield from built("zhang2002/4", "log_N", zhang(effort), WHAT)
    yield survives("zhang2002/4", "printed", "log_N", effort, 200, scalar("N", proper=False))
