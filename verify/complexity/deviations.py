"""Gaps between risk and empirical risk that have exact probabilities: a bound on one may fail with probability delta.

Classes are one function with two losses, and a few functions on two points; what happens depends on a binomial number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from maurey.numeric.evaluation import value
from maurey.numeric.grids import sweep
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, refuted

from .distributions import binomial, quantile

DELTAS = (0.001, 0.1, 0.5, 0.9, 0.99)
CLASSES = {  # the losses of each function on two points
    "one function": [(1, -1)],
    "all signs": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    "a function and its negative": [(1, -1), (-1, 1)],
    "values between": [(0.5, -1), (0, 1), (-0.2, 0.3)],
}


# --- one function ----------------------------------------------------------------------------------------------------


def triples(effort: Effort) -> Iterator[tuple[int, float, float]]:
    """m, the probability of the one loss, and delta."""
    return product((1, 2, 5, 20, 100 * effort.scale), (0.01, 0.3, 0.5, 0.99), DELTAS)


def single_functions(key: str, effort: Effort, form: str) -> Result:
    """One function, loss b or -b: its gap |2p - 1 - mean| exceeds the bound with probability at most delta, exactly."""
    count, best = 0, 0.0
    for m, p, delta in triples(effort):
        bound = float(value(key, form, "gap", {"m": m, "delta": delta, "R_F": 0, "b": 1, "L_loss": 1}))
        gaps, weights = np.abs(2 * p - 2 * np.arange(m + 1) / m), binomial(m, p)
        worst = quantile(gaps, weights, delta)
        if weights[gaps > bound].sum() > delta:
            at = {"m": str(m), "p": str(p), "delta": str(delta)}
            return refuted("fails more often than delta", at, bound, worst, part="gap", form=form)
        count, best = count + 1, max(best, worst / bound)
    note = "for one function, a loss of b or -b and exact binomial probabilities"
    return Result("holds", "tested", note, instances=count, tightness=best, part="gap", form=form)


# --- finite classes on two points ------------------------------------------------------------------------------------


def two_points(losses: Array, p: float, m: int) -> tuple[Array, Array, Array, Array]:
    """For the samples with j of m at the first point, which has probability p: how likely they are, the empirical
    complexity, and by how much risk and empirical risk exceed one another at most."""
    j = np.arange(m + 1)
    excess = np.outer(p - j / m, losses[:, 0] - losses[:, 1])
    R = np.empty(m + 1)
    for here in range(m + 1):
        s, t = (2.0 * np.arange(n + 1) - n for n in (here, m - here))
        u, v = (binomial(n, 0.5) for n in (here, m - here))
        largest = np.max([np.add.outer(a * s, b * t) for a, b in losses], axis=0)
        R[here] = u @ largest @ v / m
    return binomial(m, p), np.maximum(R, 0), excess.max(axis=1), (-excess).max(axis=1)


def deviations(
    key: str, forms: tuple[str, ...], both_sides: bool, effort: Effort, part: str = "gap", b: int = 1,
    every: bool = False, **given: int,
) -> Iterator[Result]:  # fmt: skip
    """The gap exceeds a form with probability at most delta, exactly. Losses in [0, 2] are these and 1 more: neither
    gap nor complexity changes, and b is 2. The complexity is that of the sample, or the largest of `every` sample."""
    claim, count, best = registry.find(key), 0, dict.fromkeys(forms, 0.0)
    for (name, pairs), p, m in product(CLASSES.items(), (0.02, 0.3, 0.5), (1, 2, 10, 100 * math.isqrt(effort.scale))):
        weight, R, above, below = two_points(np.array(pairs, dtype=float), p, m)
        gap = np.maximum(above, below) if both_sides else above
        R = np.full_like(R, R.max()) if every else R
        for delta, form in product(DELTAS, forms):
            said = sweep(claim, form, part, b=b, delta=delta, m=m, R_F=R, **given).value
            if (often := float(weight[gap > said].sum())) > delta:
                where = {"losses": name, "on two points": pairs, "p": p, "m": m, "delta": delta}
                yield refuted(f"exceeded with probability {often:.6g}", where, delta, often, part=part, form=form)
                return
            best[form] = max(best[form], quantile(gap / said, weight, delta))
        count += len(DELTAS)
    note = f"finite classes on two points ({', '.join(CLASSES)}), exact probabilities and complexities"
    for form in forms:
        yield Result("holds", "tested", note, instances=count, tightness=best[form], part=part, form=form)
