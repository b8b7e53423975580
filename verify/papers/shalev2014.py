"""Risk from empirical complexity, against classes whose deviations have exact probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.deviations import deviations

KEY = "shalev2014/26.5"


@check(KEY)
def one_side(effort: Effort) -> Iterator[Result]:
    yield from deviations(KEY, ("printed",), False, effort)
