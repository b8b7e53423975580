"""McAllester's bound as Neyshabur and others state it: for all posteriors of finite classes."""

from __future__ import annotations

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.posteriors import all_posteriors

KEY = "neyshabur2017/mcallester"


@check(KEY)
def mcallester(effort: Effort) -> Result:
    return all_posteriors(KEY, "printed", "risk", effort)
