"""Theorem 2 for a class of functions, minimised over the paper's mesh of standard deviations."""

from __future__ import annotations

import csv
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from maurey.numeric.grids import sweep
from maurey.paper_tables.exhibits import ROOT
from maurey.symbolic import registry

KEY, MEASURED = "lintilhac2026/2", "lintilhac2026/perturbation"
DELTA = Fraction(1, 20)


def mesh(low: float, high: float, number: int) -> tuple[Fraction, ...]:
    """So many evenly spaced values."""
    first, last = Fraction(str(low)), Fraction(str(high))
    return tuple(first + (last - first) * i / (number - 1) for i in range(number))


@cache
def rises() -> dict[tuple[int, int, int], list[tuple[Fraction, Fraction]]]:
    """By T, degree and sparsity: sigma, and the largest rise of the trace that was measured, in increasing order."""
    found: dict[tuple[int, int, int], list[tuple[Fraction, Fraction]]] = {}
    with (ROOT / MEASURED / "table.csv").open() as file:
        for row in csv.DictReader(file):
            place = int(row["T"]), int(row["D"]), int(row["omega"])
            found.setdefault(place, []).append((Fraction(row["sigma"]), Fraction(row["largest rise"])))
    return {place: sorted(pairs) for place, pairs in found.items()}


def measured(T: int, D: int, omega: int, sigma: Fraction) -> Fraction | None:
    """The largest rise at the next larger sigma that was measured, if there is one."""
    return next((rise for at, rise in rises().get((T, D, omega), []) if at >= sigma), None)


@cache
def least(form: str, cost: str, D: int, omega: int, T: int, m: int, Sigma: Fraction, sigmas: tuple[Fraction, ...]) \
        -> tuple[float, float] | None:  # fmt: skip
    """The smallest value of a form over the mesh, and where, if P is known. The derived form pays for the choice."""
    given: dict[str, Any] = {"D": D, "omega": omega, "T": T, "m": m, "delta": float(DELTA), "Sigma": float(Sigma)}
    given |= {} if form == "printed" else {"grid": len(sigmas)}
    if cost == "semi-analytic":
        known = {sigma: P for sigma in sigmas if (P := measured(T, D, omega, sigma)) is not None}
        sigmas, given["P"] = tuple(known), np.array([float(P) for P in known.values()])
    elif cost == "truncated":
        given["P"] = 0
    if not sigmas:
        return None
    logs = sweep(registry.find(KEY), form, "risk", sigma=np.array([float(sigma) for sigma in sigmas]), **given).log
    best = int(np.argmin(logs))
    return float(np.exp(logs[best])), float(sigmas[best])
