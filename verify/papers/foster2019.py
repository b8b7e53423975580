"""Vector contraction, up to its constant, against product classes whose complexities are exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher

KEY = "foster2019/1"
LOSSES: dict[str, Callable[[Array], Array]] = {  # of outputs (functions, K, m), 1-Lipschitz in the largest of them
    "the largest output": lambda y: y.max(axis=1),
    "the largest less the least, halved": lambda y: (y.max(axis=1) - y.min(axis=1)) / 2,
    "output i mod K": lambda y: y[:, np.arange(y.shape[2]) % y.shape[1], np.arange(y.shape[2])],
    "half the cross-entropy": lambda y: (np.log(np.exp(y).sum(axis=1)) - y[:, 0]) / 2,
}


def reads_one(K: int, share: int) -> tuple[float, float]:
    """Unit-norm linear functions in each output on K times `share` orthonormal points, and a loss that reads one
    output at each: the complexity of the losses, K sqrt(share)/m, and of one output at worst, 1/sqrt(m)."""
    m = K * share
    return K * math.sqrt(share) / m, 1 / math.sqrt(m)


def ratio(K: int, after: float, R: float) -> float:
    return after / float(value(KEY, "printed", "R", {"L_loss": 1, "K": K, "R_F": R}))


def products(effort: Effort) -> Iterator[float]:
    """Every choice of functions for each output; as many as there are on three points."""
    rng = np.random.default_rng(effort.seed)
    for K, m, size, _ in product((2, 3), (2, 4), (2, 3), range(2 * effort.scale)):
        one = rng.normal(size=(size, 3))
        chosen = one[np.array(list(product(range(size), repeat=K)))][..., np.arange(m) % 3]
        R, _ = rademacher.worst_sample(one, m, rng)
        yield from (ratio(K, rademacher.finite(loss(chosen), 0, rng).value, R) for loss in LOSSES.values())


@check(KEY)
def contraction(effort: Effort) -> Result:
    found, Ks = list(products(effort)), (10, 1000, 10**5)
    family = [ratio(K, *reads_one(K, 7)) for K in Ks]
    if family[0] * Ks[-1] ** 0.1 < family[-1]:  # faster than a logarithm can make up for
        witness = {"class": "linear functions, a loss that reads one output", "K": Ks, "ratios": family}
        return refuted("it grows less with K than the complexity does", witness, 1, family[-1], part="R")
    note = (
        f"all choices of functions for each output, exact complexities at the worst sample ({', '.join(LOSSES)}): the "
        "largest ratio, which a constant and a logarithm are to cover; where a loss reads one output of K, sqrt K is "
        "what it takes"
    )
    count, largest = len(found) + len(family), max(*found, *family)
    return Result("holds", "tested", note, instances=count, tightness=largest, part="R")
