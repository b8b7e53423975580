"""Lemmas 25 to 28, Theorems 29 and 30: how far a perturbation moves slopes and gradients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.papers.lintilhac2026.network.ascent import Tried, attacked, jacobians, results
from maurey.verify.papers.lintilhac2026.network.draws import held, small
from maurey.verify.papers.lintilhac2026.network.perturbations import Case, cases, column_sizes, gradients, sizes, values
from maurey.verify.tally import ROUNDING, Tally
from maurey.verify.training.tasks.walsh import Target

from .outputs import CLIMBED, STARTS, STEPS
from .probabilities import exceeded, gradient

FLAT, TOKENS, SCORES, BACK, CROSSED, WHOLE = (f"lintilhac2026/{number}" for number in range(25, 31))
SLOPES = ((SCORES, "s"), (BACK, "delta"), (BACK, "query"), (BACK, "output"), (BACK, "sum"))
COLUMNS = ((FLAT, "column"), (FLAT, "data"))
BLOCKS = tuple((WHOLE, f"moved{block}") for block in ("", "_v_2", "_W_2", "_F", "_Gamma", "_M", "_W_V", "_W_1"))
FORMS = ("printed", "derived", "sharp")


@cache
def tried(effort: Effort, names: tuple[tuple[str, str], ...]) -> Tried:
    of, size = gradients if names == BLOCKS else values, column_sizes if names == COLUMNS else sizes
    some = cases(effort, 5 if names == BLOCKS else 8)
    return attacked(some, of, names, STARTS * effort.scale, STEPS * min(effort.scale, 4), size)


@check(FLAT)
def flat_columns(effort: Effort) -> Iterator[Result]:
    yield from results(tried(effort, COLUMNS), FLAT, f"{CLIMBED}; e_F is the largest column")


@check(SCORES)
def second_softmax(effort: Effort) -> Iterator[Result]:
    yield from results(tried(effort, SLOPES), SCORES, CLIMBED)


@check(BACK)
def token_gradients(effort: Effort) -> Iterator[Result]:
    yield from results(tried(effort, SLOPES), BACK, CLIMBED)


# --- 26: at rest -----------------------------------------------------------------------------------------------------


def two_levels(T: int, omega: int, even: int, low: float) -> Case:
    """Single bits; `even` of them are 0 and have the coefficient 1, the others low, but never below T^-2 in all."""
    raw = np.where(np.arange(omega) < even, 1.0, low)
    raw = np.maximum(raw, 1.01 * np.linalg.norm(raw) / T**2)
    bits = [0 if t < even else int(t < omega) for t in range(T)]
    return Case(Target(T, tuple((t,) for t in range(omega)), tuple(raw.tolist())), bits)


@check(TOKENS)
def at_rest(effort: Effort) -> Iterator[Result]:
    """Coefficients of two sizes, all parities, and random functions."""
    tallies = {form: Tally(TOKENS, form) for form in ("printed", "derived")}
    spread = [
        two_levels(T, omega, even, low)
        for T, omega in ((2, 2), (4, 3), (12, 8), (30, 30))
        for even in {1, omega // 2 or 1, omega - 1}
        for low in (1.0, 0.3, 0.01)
    ]
    for case in [*spread, *cases(effort, 12)]:
        norms = case.inside.slope.norm(dim=1)
        found = {"active": norms[: case.target.omega].max(), "output": norms[-1], "sum": norms.sum()}
        for part, norm in found.items():
            for tally in tallies.values():
                tally.see(part, float(norm), case.at())
    for tally in tallies.values():
        for one in tally.results("coefficients of two sizes with all splits of the parities, and random functions"):
            yield replace(one, rung="tested")


# --- 29 --------------------------------------------------------------------------------------------------------------


@check(CROSSED)
def softmax_jacobian(effort: Effort) -> Iterator[Result]:
    """Pairs of weights, climbed; and (1, 0) beside (1 - x, x), which attains the best constant as x tends to 0: the
    Jacobians are 0 and x (1 - x) (1, -1; -1, 1), the weights 2x apart."""
    best, pair, count = jacobians(effort)
    x = Fraction(1, 10**6)
    apart = 2 * x * (1 - x) / (2 * x)
    if apart > best:
        best, pair = float(apart), {"s": "1, 0", "s'": f"{1 - x}, {x}"}
    for form in FORMS:
        constant = float(value(CROSSED, form, "jacobian", {"Delta": 1}))
        fields: dict[str, Any] = {"instances": count, "tightness": best / constant, "part": "jacobian", "form": form}
        if best > constant * (1 + ROUNDING):
            yield refuted("a pair of weights, whose distance is the unit", pair, constant, best, **fields)
        else:
            note = "pairs of weights climbed on the ratio, and (1, 0) beside (1 - x, x), for which it tends to 1"
            yield Result("holds", "tested", note, **fields)


# --- 30 --------------------------------------------------------------------------------------------------------------


@check(WHOLE)
def parameter_gradients(effort: Effort) -> Iterator[Result]:
    yield from results(tried(effort, BLOCKS), WHOLE, CLIMBED)
    yield from held(WHOLE, "G_p", effort)
    yield small(WHOLE, "G_p", effort, exceeded(WHOLE, "G_p", gradient))
