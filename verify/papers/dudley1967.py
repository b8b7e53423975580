"""Dudley's integral, against classes whose entropy and complexity are known."""

from __future__ import annotations

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity import known_classes

KEY = "dudley1967/integral"


@check(KEY)
def integral(effort: Effort) -> Result:
    return known_classes.chain(KEY, "printed", "R", effort)
