"""Bartlett and Mendelson's bound on the risk, against one function whose gap has exact probabilities."""

from __future__ import annotations

import numpy as np

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity.deviations import triples
from maurey.verify.complexity.distributions import binomial, quantile
from maurey.verify.complexity.rademacher import mean_absolute

KEY = "bartlett2002/8"


@check(KEY)
def one_function(effort: Effort) -> Result:
    """One function with loss 0 or 1: R_m is at least E|2/m sum of signs times loss|, computed exactly."""
    count, best = 0, 0.0
    for m, p, delta in triples(effort):
        weights, gaps = binomial(m, p), p - np.arange(m + 1) / m
        # given k losses of 1 the inner mean is (2/m) E|sum of k signs|
        R = sum(w * 2 / m * float(mean_absolute(k)) for k, w in enumerate(weights))
        bound = float(value(KEY, "printed", "gap", {"m": m, "delta": delta, "R_F": R}))
        excess = float(weights[gaps > bound].sum())
        if excess > delta:
            at = {"m": str(m), "p": str(p), "delta": str(delta)}
            return refuted("fails more often than delta", at, bound, excess, part="gap")
        count, best = count + 1, max(best, quantile(gaps, weights, delta) / bound)
    note = "for one function and exact binomial probabilities"
    return Result("holds", "tested", note, instances=count, tightness=best, part="gap")
