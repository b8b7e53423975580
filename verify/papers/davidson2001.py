"""Davidson and Szarek's bound on the largest singular value: exact for one row, drawn for more."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from flint import ctx

from maurey.numeric.evaluation import BITS, value
from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity.gaussian_tails import DIMENSIONS, FAILING, longer, quantile

KEY = "davidson2001/2.13"
DRAWS, SHAPES, LEVELS = 500, ((2, 2), (4, 30), (22, 12), (22, 22)), (Fraction(1, 2), Fraction(1, 10))
DEVIATIONS = 5  # of a count of draws, before it says that a probability is larger than stated


@check(KEY)
def operator_norms(effort: Effort) -> Iterator[Result]:
    tight, count = 0.0, 0
    with ctx.workprec(BITS):
        for n, failing in product(DIMENSIONS, FAILING):
            at = {"d_1": 1, "d_2": n, "sigma": 1, "delta": failing}
            said, count = value(KEY, "printed", "operator", at), count + 1
            if longer(n, said) > to_ball(failing):
                witness = {name: str(x) for name, x in at.items()}
                yield refuted("one row: exceeded more often", witness, failing, decimal(longer(n, said), False))
                return
            tight = max(tight, quantile(partial(longer, n), failing, float(said)) / float(said))
    note = "one row, whose norm has an exact tail, in balls"
    yield Result("holds", "tested", note, instances=count, tightness=tight)
    rng, often, best = np.random.default_rng(effort.seed), "", 0.0
    for (rows, columns), failing in product(SHAPES, LEVELS):
        drawn = np.linalg.norm(rng.standard_normal((DRAWS * effort.scale, rows, columns)), 2, axis=(1, 2))
        said_here = float(
            value(KEY, "printed", "operator", {"d_1": rows, "d_2": columns, "sigma": 1, "delta": failing})
        )
        chance = float(failing)
        allowed = chance * len(drawn) + DEVIATIONS * np.sqrt(chance * (1 - chance) * len(drawn))
        often = often or f"{rows} x {columns} at {failing}" * bool((drawn > said_here).sum() > allowed)
        best = max(best, float(np.quantile(drawn, 1 - chance)) / said_here)
    count = DRAWS * effort.scale * len(SHAPES) * len(LEVELS)
    verdict, note = "holds", "no more often than stated, in draws"
    if often:
        verdict, note = "undecided", f"exceeded too often: {often}"
    yield Result(verdict, "tested", note, instances=count, tightness=best)
