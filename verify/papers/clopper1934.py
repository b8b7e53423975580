"""The exact binomial interval: how often its upper end is below the risk, exactly."""

from __future__ import annotations

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.coverage import of_counts

KEY = "clopper1934/upper"


@check(KEY)
def upper_end(effort: Effort) -> Result:
    return of_counts(KEY, "risk", effort, lambda k, m: {"errors": k})
