"""The grid of measured norms: its weights sum to one, and without them a choice after the data fails too often."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from sympy import Integer, Symbol, log, oo, summation, zeta

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula

KEY = "maurey/posthoc"


@check(KEY)
def weights(effort: Effort) -> Iterator[Result]:
    """The formula's own weights, exp(-price), summed over all cells."""
    k, places = Symbol("k", integer=True, positive=True), [Symbol(f"place[{i}]", positive=True) for i in (1, 2)]
    one, two = (formula(KEY, part="price", n=n) for n in (1, 2))
    total = summation(k**-2, (k, 1, oo)) * 2 - 1  # the place 1 for k = 0, and every other for k and -k
    yield conclude(
        "The weights of one norm, places 1, 2, 2, 3, 3, ..., sum to 1, for 2 zeta(2) - 1 = pi^2/3 - 1, and the weights "
        "of several norms are products.",
        [same(total, 2 * zeta(2) - 1), same(one, 2 * log(places[0]) + log(total)),
         same(two, one + one.subs(places[0], places[1]))], part="price",
    )  # fmt: skip
    B, k = Symbol("B_W", positive=True), Symbol("k", real=True)
    lower = Integer(2) ** ((k - 1) / 8)
    yield conclude(
        "A norm is above the next lower cell's, 2^((k-1)/8), and what is stated is 2^(k/8) there and more above.",
        [same(log(formula(KEY, part="cell").subs(B, lower)).expand(force=True), k * log(2) / 8)], part="cell",
    )  # fmt: skip
    yield chosen_after(effort)


def chosen_after(effort: Effort) -> Result:
    """Cell k holds one function, whose losses are fair coins of its own. The gap of the best cell exceeds its bound
    at the weighted delta with a probability of at most delta; at delta itself it would far more often."""
    rng, m, delta, cells, runs = np.random.default_rng(effort.seed), 50, 0.1, 60, 2000 * effort.scale
    places = [1, *(p for p in range(2, cells) for _ in "+-")]
    prices = np.array([float(value(KEY, "printed", "price", {"n": 1, "place": [Fraction(p)]})) for p in places])
    gaps = 0.5 - rng.binomial(m, 0.5, size=(runs, len(places))) / m
    free, paid = (np.sqrt((np.log(1 / delta) + price) / (2 * m)) for price in (0.0, prices))
    broken, unpaid = ((gaps > bound).any(1).mean() for bound in (paid, free))
    at = {"cells": len(places), "m": m, "delta": delta, "runs": runs}
    if broken > delta or unpaid <= delta:
        return refuted("the gap of the cell that was chosen", at, delta, broken, part="price")
    return Result(
        "holds", "tested", f"one function for each of {len(places)} cells: some bound fails in a share {broken:.4f} of "
        f"the samples; without the price it would in {unpaid:.3f}", instances=runs, tightness=float(broken / delta),
        part="price",
    )  # fmt: skip
