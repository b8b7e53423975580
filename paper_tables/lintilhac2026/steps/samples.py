"""How many samples the bounds on a chain of thought and on a single pass ask for, over a mesh of deviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from maurey.numeric.balls import enclose
from maurey.numeric.grids import sweep
from maurey.symbolic import registry

KEYS = {"chain": "lintilhac2026/7", "single": "lintilhac2026/8"}
FORMS = ("printed", "derived", "sharp")
MESH = tuple(Fraction(f"{10 ** (-1 - j / 8):.4e}") for j in range(81))  # 0.1 to 1e-11
DECADES, FINE = 32, 64  # of samples; refined to a 32nd of a decade
DELTA = Fraction(1, 20)
AIM = Fraction(1, 2)  # an error that no guess makes more often


@dataclass(frozen=True)
class Needed:
    """The samples, to a few per cent from above, and a deviation with which the bound is certified for them."""

    way: str  # chain, or single
    form: str
    truncated: bool  # without the cost of perturbations
    T: int
    m: int
    sigma: Fraction
    value: Decimal
    step: Decimal | None = None  # what a chain's step is bounded by there


def given(form: str, T: int, Sigma: str, truncated: bool) -> dict[str, Any]:
    """As printed, there is no delta; a choice among the mesh is paid for otherwise."""
    more = {} if form == "printed" else {"delta": DELTA, "grid": len(MESH)}
    return {"T": T, "Sigma": Sigma, **more, **({"P": 0} if truncated else {})}


@cache
def needed(way: str, form: str, T: int, Sigma: str, truncated: bool) -> Needed:
    """The first m of a grid at which some deviation gives the aim, by doubles; then certified."""
    claim, at = registry.find(KEYS[way]), given(form, T, Sigma, truncated)
    sigmas = np.array([float(sigma) for sigma in MESH])
    exponents = np.linspace(0, DECADES, 2 * DECADES + 1)
    for step in (1 / 32, None):
        m = np.ceil(10**exponents)
        logs = sweep(claim, form, "error", m=m[:, None], sigma=sigmas[None], **_floats(at)).log
        first = int(np.argmax((logs <= np.log(float(AIM))).any(axis=1)))
        if step:
            exponents = np.arange(exponents[max(first - 1, 0)], exponents[first] + step, step)
    best = MESH[int(np.argmin(logs[first]))]
    least = int(m[first])
    while (found := enclose(claim, form, "error", 10, m=least, sigma=best, **at)).upper > AIM:
        least += -(-least // 100)
    of_a_step = enclose(claim, form, "step", 10, m=least, sigma=best, **at).value if way == "chain" else None
    return Needed(way=way, form=form, truncated=truncated, T=T, m=least, sigma=best, value=found.value, step=of_a_step)


@cache
def value(way: str, form: str, T: int, m: int, Sigma: str) -> float:
    """The least truncated bound over the mesh, in double precision."""
    sigmas = np.array([float(sigma) for sigma in MESH])
    at = _floats(given(form, T, Sigma, True))
    logs = sweep(registry.find(KEYS[way]), form, "error", m=m, sigma=sigmas, **at).log
    return float(np.exp(np.min(logs)))


def at(way: str, form: str, T: int, place: Needed, Sigma: str) -> float:
    """The truncated bound at the m and the sigma of a place, in double precision."""
    here = _floats(given(form, T, Sigma, True)) | {"m": place.m, "sigma": float(place.sigma)}
    return float(np.exp(sweep(registry.find(KEYS[way]), form, "error", **here).log))


def _floats(at: dict[str, Any]) -> dict[str, Any]:
    return {name: float(Fraction(value)) if name in ("Sigma", "delta") else value for name, value in at.items()}


def table(lengths: Sequence[int], Sigma: str) -> list[Needed]:
    return [
        needed(way, form, T, Sigma, truncated)
        for truncated in (True, False)
        for form in FORMS
        for way in KEYS
        for T in lengths
    ]


def smaller_from(found: Sequence[Needed], form: str, truncated: bool) -> int | None:
    """The first T from which the chain asks for fewer samples than the single pass, as far as they are listed."""
    own = {way: {one.T: one.m for one in found if (one.way, one.form, one.truncated) == (way, form, truncated)}
           for way in KEYS}  # fmt: skip
    fewer = [T for T in own["chain"] if all(own["chain"][t] < own["single"][t] for t in own["chain"] if t >= T)]
    return min(fewer, default=None)
