"""Catoni's bound as Alquier states it: for all posteriors of finite classes, at several temperatures."""

from __future__ import annotations

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.posteriors import HEATS, all_posteriors

KEY = "alquier2024/sub-gaussian"


@check(KEY)
def catoni(effort: Effort) -> Result:
    """Losses in [0, 1] have Sigma = 1/2."""
    return all_posteriors(KEY, "printed", "risk", effort, *({"Sigma": 0.5, "heat": heat} for heat in HEATS))
