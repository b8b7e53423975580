"""Theorem 11: norms of inputs and of everything that is computed from them, on networks that are run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from maurey.numeric.evaluation import value
from maurey.numeric.exact import decimal, to_ball
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.papers.lintilhac2026.network.construction import Network, build, masks, run
from maurey.verify.tally import Tally
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings

from .norms import BITS, at_of, functions

SIZES = "lintilhac2026/11"


def sizes_of(target: Target, net: Network, z: Any) -> dict[str, float]:
    """Every quantity of the theorem, the largest over the strings."""
    seen = run(net, z, masks(target))
    n, T = z.shape
    bits = torch.cat([z.to(torch.float64), torch.zeros(n, 1, dtype=torch.float64)], dim=1)
    X = torch.cat([torch.eye(T + 1, dtype=torch.float64).expand(n, -1, -1), bits[:, :, None]], dim=2)
    rows = {"X_rows": X, "values": X @ net.W_V, "b": seen.b, "G_rows": seen.g, "keys": seen.g @ net.W_2}
    largest = {"X_max": X, "G_max": seen.g, "G_output": seen.y}
    query = (seen.g[:, -1] @ net.W_2.T).norm(dim=1).max()
    return {
        **{name: value.norm(dim=2).max().item() for name, value in rows.items()},
        **{name: value.abs().max().item() for name, value in largest.items()},
        "G_column": seen.g[:, :, -1].norm(dim=1).max().item(),
        "W_2_output": max(query.item(), torch.linalg.matrix_norm(net.W_2, 2).item()),
        "hidden": seen.r.square().sum(dim=2).max().item(),
    }


@check(SIZES)
def sizes(effort: Effort) -> Iterator[Result]:
    tallies = {form: Tally(SIZES, form) for form in ("printed", "derived")}
    rng = np.random.default_rng(effort.seed)
    for target in functions(effort, 2):
        T = target.T
        z = all_strings(T) if T <= 6 else np.vstack([rng.integers(0, 2, (30, T)), np.zeros((1, T)), np.ones((1, T))])
        found = sizes_of(target, build(target), torch.from_numpy(z))
        for (form, tally), (part, most) in itertools.product(tallies.items(), found.items()):
            if form in registry.find(SIZES).part(part).forms:
                tally.see(part, most, at_of(target) | {"delta": Fraction(1, 20)}, len(z))
    for tally in tallies.values():
        yield from tally.results(
            "ideal networks of random functions and tilings, coefficients at least T^-2, positions not projected; "
            "where they are, the text says approximately, and only rows of the input are held against a number"
        )
    yield from (projected_rows(form, effort) for form in ("printed", "derived"))


def projected_rows(form: str, effort: Effort) -> Result:
    """The chance that one of T rows, each chi with d degrees over sqrt(d) and a bit 1, exceeds what is stated: exactly,
    by the incomplete gamma function."""
    most, count = 0.0, 0
    with ctx.workprec(BITS):
        for T, d, delta in itertools.product((2, 20, 1000), (1, 5, 50, 1000), (Fraction(1, 2), Fraction(1, 10**4))):
            said = value(SIZES, form, "Y_rows", {"omega": 1, "D": 1, "T": T, "d": d, "delta": delta})
            one = (d * (said**2 - 1) / 2).gamma_upper(to_ball(Fraction(d, 2)), regularized=1)
            chance = (1 - (1 - one) ** T) / to_ball(delta)
            count += 1
            if not chance < 1:
                at = {"T": T, "d": d, "delta": str(delta)}
                note = "the chance that a row is longer, over delta"
                return refuted(note, at, 1, decimal(chance, False), part="Y_rows", form=form)
            most = max(most, float(chance))
    note = f"chances that a row is longer, in balls: at most {most:.3g} of delta"
    return Result("holds", "tested", note, instances=count, part="Y_rows", form=form)
