"""Contraction, against complexities of finite classes over all signs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.tally import ROUNDING

KEY = "ledoux1991/4.12"
MAPS: dict[str, Callable[[Array], Array]] = {  # 1-Lipschitz; the last two are not zero at zero
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "abs": np.abs,
    "cos": np.cos,
    "a map for each point": lambda x: np.abs(x - np.arange(x.shape[-1])),
}


def of_squares(values: Array, rng: np.random.Generator) -> float:
    """The root of the mean square of the positive part of the supremum."""
    bound = float(np.abs(values).max()) * values.shape[1]
    mean = rademacher.complexity(
        lambda e: np.maximum(0, (e @ values.T).max(axis=1)) ** 2, values.shape[1], bound**2, 0, rng
    )
    return float(np.sqrt(mean.value))


@check(KEY)
def contraction(effort: Effort) -> Result:
    rng, best, count = np.random.default_rng(effort.seed), 0.0, 0
    for m, size, L_sigma, name in product((1, 2, 5, 10), (2, 5, 40 * effort.scale), (0.1, 3.0), MAPS):
        functions = rng.normal(scale=3, size=(size, m))
        before, after = (rademacher.finite(x, 0, rng).value for x in (functions, L_sigma * MAPS[name](functions)))
        said, count = float(value(KEY, "printed", "R", {"L_sigma": L_sigma, "R_F": before})), count + 1
        if after > said * (1 + ROUNDING):
            where = {"functions": functions.tolist(), "map": name, "L_sigma": L_sigma}
            return refuted("the complexity grows by more", where, said, after, part="R")
        best = max(best, after / said)
        if name in ("identity", "relu", "tanh", "abs"):  # zero at zero
            squares = [of_squares(x, rng) for x in (functions, L_sigma * MAPS[name](functions))]
            said = float(value(KEY, "printed", "R", {"L_sigma": L_sigma, "R_F": squares[0]}))
            if squares[1] > said * (1 + ROUNDING):
                where = {"functions": functions.tolist(), "map": name, "L_sigma": L_sigma}
                return refuted("the mean square of the supremum grows by more", where, said, squares[1], part="R")
    note = f"finite classes of values drawn at random, all signs; {', '.join(MAPS)}; the identity attains it"
    note += "; of maps that are 0 at 0 mean squares too"
    return Result("holds", "tested", note, instances=count, tightness=best, part="R")
