"""Risk from empirical complexity, against classes whose deviations have exact probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity.rademacher import Array
from maurey.verify.papers.edelman2022.chain import _binomial as binomial

CLASSES = {  # the losses of each function on two points
    "one function": [(1, -1)],
    "all signs": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    "a function and its negative": [(1, -1), (-1, 1)],
    "values between": [(0.5, -1), (0, 1), (-0.2, 0.3)],
}


def two_points(losses: Array, p: float, m: int) -> tuple[Array, Array, Array, Array]:
    """For the samples with j of m at the first point, which has probability p: how likely they are, the empirical
    complexity, and by how much risk and empirical risk exceed one another at most."""
    j = np.arange(m + 1)
    excess = np.outer(p - j / m, losses[:, 0] - losses[:, 1])
    R = np.empty(m + 1)
    for here in range(m + 1):
        s, t = (2.0 * np.arange(n + 1) - n for n in (here, m - here))
        u, v = (np.array(binomial(n, 0.5), dtype=float) for n in (here, m - here))
        largest = np.max([np.add.outer(a * s, b * t) for a, b in losses], axis=0)
        R[here] = u @ largest @ v / m
    return np.array(binomial(m, p)), np.maximum(R, 0), excess.max(axis=1), (-excess).max(axis=1)


def deviations(
    key: str, forms: tuple[str, ...], both_sides: bool, effort: Effort, part: str = "gap", b: int = 1
) -> Iterator[Result]:
    """The gap exceeds a form with probability at most delta, exactly. Losses in [0, 2] are these and 1 more: neither
    gap nor complexity changes, and b is 2."""
    claim, count, best = registry.find(key), 0, dict.fromkeys(forms, 0.0)
    for (name, pairs), p, m in product(CLASSES.items(), (0.02, 0.3, 0.5), (1, 2, 10, 100 * math.isqrt(effort.scale))):
        weight, R, above, below = two_points(np.array(pairs, dtype=float), p, m)
        gap = np.maximum(above, below) if both_sides else above
        for delta, form in product((0.001, 0.1, 0.5, 0.9, 0.99), forms):
            said = sweep(claim, form, part, b=b, delta=delta, m=m, R_F=R).value
            if (often := float(weight[gap > said].sum())) > delta:
                where = {"losses": name, "on two points": pairs, "p": p, "m": m, "delta": delta}
                yield refuted(f"exceeded with probability {often:.6g}", where, delta, often, part=part, form=form)
                return
            best[form] = max(best[form], _quantile(gap / said, weight, delta))
        count += 5
    note = f"finite classes on two points ({', '.join(CLASSES)}), exact probabilities and complexities"
    for form in forms:
        yield Result("holds", "tested", note, count, best[form], part=part, form=form)


def _quantile(ratio: Array, weight: Array, delta: float) -> float:
    """The largest ratio that is reached with probability above delta."""
    order = np.argsort(-ratio)
    reached = np.cumsum(weight[order]) > delta
    return float(ratio[order][reached.argmax()]) if reached.any() else 0.0


@check("shalev2014/26.5")
def one_side(effort: Effort) -> Iterator[Result]:
    yield from deviations("shalev2014/26.5", ("printed",), False, effort)


@check("maurey/deviation")
def above(effort: Effort) -> Iterator[Result]:
    yield from deviations("maurey/deviation", ("printed",), False, effort, "above", 2)
