"""One layer of 4.1 and its corollaries: layers whose complexities are computed, and those that exceed the print.

Suprema over the outer maps are exact (peeling.py); those over query-key matrices are taken over finite sets from
the norm ball. Where every sample is one token the softmax has nothing to choose, and complexities are exact whatever
the query-key matrices are: those are the witnesses against the printed forms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from maurey.numeric.balls import enclose
from maurey.numeric.exact import texts
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.complexity.rademacher import Estimate, mean_absolute

from . import peeling

OUTER = ("B_w_1", "B_C_1inf", "L_sigma", "B_V_1inf")
ONE_TOKEN = "T = 1 and sigma the identity, so that the averages are the tokens and the complexity is exact"
ONES = dict.fromkeys(OUTER, 1)
# the bounds on tokens and query-key matrices, what they are in the paper's experiment, how the latter moves as d = t
LAYERS: dict[str, dict[str, Any]] = {
    "trauger2024/4.1": {"x": "B_X", "QK": "C_F", "sizes": (6, 324), "power": 0},
    "trauger2024/4.1.1": {"x": "B_X", "QK": "B_QK_11", "sizes": (6, 1), "power": 0},
    "trauger2024/D.0.1": {"x": "B_X_1", "QK": "B_QK_1inf", "sizes": (32, 1), "power": -1},
    "trauger2024/D.0.2": {"x": "B_X_1", "QK": "B_QK_21", "sizes": (32, 1), "power": 0},
}
EXPERIMENT = {"d": 64, "k": 64, "m": 300}  # of Section 6
POSITIONS = (
    "the sizes of the paper's experiment, where sinusoidal positions alone have l2 norm 5.7 and l1 norm 32 or more, "
    "and all bounds on weights 1"
)


# --- complexities ----------------------------------------------------------------------------------------------------


def spread_out(d: int, share: int) -> Fraction:
    """Tokens e_1/2, ..., e_d/2, each `share` times, columns bounded by 1: the mean of sum_j |S_j|/2m, m = d share. For
    d = 1 it is the same with rows bounded."""
    return d * mean_absolute(share) / (2 * d * share)


def least_spread(d: int, share: int) -> float:
    """A lower bound on the same: E|S_n| >= sqrt(n/2), Szarek's form of Khintchine's inequality."""
    return d * math.sqrt(share / 2) / (2 * d * share) * (1 - 1e-12)


BOUNDS = {"B_w_1": 1.5, "B_C_1inf": 0.5, "L_sigma": 3.0, "B_V_1inf": 2.0}
PEELED = math.prod(BOUNDS.values())


def tokens(m: int, T: int, d: int, norm: int, radius: float, rng: np.random.Generator) -> Array:
    """On the sphere of the norm, or along the axes; the query is the same in all samples, where others come with it."""
    X = rng.normal(size=(m, T, d))
    X[: m // 2] *= np.arange(d) == rng.integers(d, size=(m // 2, T, 1))
    X *= radius / np.linalg.norm(X, ord=norm, axis=2, keepdims=True)
    if T > 1:
        X[:, 0] = X[0, 0]
    return X


def layers(key: str, effort: Effort) -> Iterator[tuple[Array, bool, str, tuple[int, ...], dict[str, Any]]]:
    """Averages (for each query-key matrix), reading, activation, widths k with one supremum, the claim's symbols."""
    rng, own = np.random.default_rng(effort.seed), LAYERS[key]
    l1 = own["x"] == "B_X_1"
    suffix = "_11" if own["QK"] == "C_F" else own["QK"].removeprefix("B_QK")
    sizes = ((3, 1, 2), (12, 3, 2), (12, 4, 5), (40, 5, 2), (300, 6, 20))
    for (m, T, d), radius, bound in product(sizes, (1.0, 3.0), (0.01, 4.0)):
        X, QK = tokens(m, T, d, 1 if l1 else 2, radius, rng), peeling.query_keys(6, d, suffix, bound, rng)
        at: dict[str, Any] = {"d": d, "m": m, own["x"]: radius, own["QK"]: bound, **BOUNDS}
        if own["QK"] == "C_F":  # on the queries: one centre, 0, from the largest image on, all of them below
            reach = float(np.linalg.norm(np.einsum("nde,me->nmd", QK, X[:, 0]), axis=2).max())
            at["C_F"] = reach**2 * math.log(len(QK))
        z = peeling.averages(X, QK)
        yield from ((z, by_rows, "identity", (1, 4, 64), at) for by_rows in (True, False))
        if d == 2:
            yield z, True, "relu", (1, 4, 64), at
            yield from ((z, False, "relu", widths, at) for widths in ((1,), (4, 64)))


def complexity(supremum: peeling.Supremum, z: Array, by_rows: bool, effort: Effort) -> Estimate:
    range_ = np.abs(z).max() if by_rows else np.abs(z).sum(axis=2).max()
    return rademacher.complexity(
        supremum, z.shape[1], float(range_), 400 * effort.scale, np.random.default_rng(effort.seed)
    )


# --- where the printed forms fail ------------------------------------------------------------------------------------


def below_zero(key: str, effort: Effort) -> Iterator[Result]:
    """Where the logarithm is negative and rules, no constant helps."""
    own, true = LAYERS[key], spread_out(1, EXPERIMENT["m"])
    at = {**EXPERIMENT, own["x"]: own["sizes"][0], own["QK"]: own["sizes"][1], **ONES}
    for part in ("R", "R_rows"):
        said = enclose(registry.find(key), "printed", part, **at)
        assert said.upper < 0 < true
        witness = {"class": f"tokens e_1/2; {ONE_TOKEN}", **texts(at)}
        note = f"it is negative, whatever constant it hides, and the complexity of a layer is not: at {POSITIONS}"
        yield refuted(note, witness, said.value, float(true), part=part, instances=1)


def along_the_width(key: str, effort: Effort) -> Result:
    """With columns bounded the layer sums the coordinates of the averages, and the printed bound has their largest."""
    own, ratios = LAYERS[key], []
    fixed = {"k": 1, own["x"]: 1, **ONES}
    widths = (4**5, 4**8, 4**11)
    for d in widths:
        moving = {"d": d, "m": d**2, own["QK"]: Fraction(d) ** own["power"]}
        said, true = enclose(registry.find(key), "printed", "R", **fixed, **moving), least_spread(d, d)
        ratios.append(float(said.upper) / true)
    assert ratios[0] > 2 * ratios[1] > 4 * ratios[2] > 0
    ray = {"d": 0.5, "m": 1} | ({own["QK"]: own["power"] / 2} if own["power"] else {})
    at = texts(fixed if own["power"] else fixed | {own["QK"]: 1})
    what = f"tokens e_j/2, each d times; w = e_1, W_c^T = e_1 and W_v^T a row of signs; {ONE_TOKEN}"
    witness = {
        "class": what,
        "at": at,
        "ray": ray,
        "t": [str(d**2) for d in widths],
        "ratios": [f"{r:.6g}" for r in ratios],
    }
    note = (
        "with columns bounded the layer sums all coordinates of the averages, and its complexity grows with d beyond "
        "every constant times the printed bound, which is for the largest of them; the proof bounds rows"
    )
    return refuted(note, witness, said.value, true, part="R", instances=len(widths))


def along_the_values(effort: Effort) -> Iterator[Result]:
    key = "trauger2024/4.1.1"
    fixed: dict[str, Any] = {"d": 2, "k": 1, "m": 16, "B_X": 1, "B_QK_11": 1, **ONES}
    for part in ("R", "R_rows"):
        ratios, bounds = [], (10, 10**3, 10**5)
        for B_V in bounds:
            said = enclose(registry.find(key), "printed", part, **(fixed | {"B_V_1inf": B_V}))
            ratios.append(float(said.upper) / float(true := B_V * spread_out(1, 16)))
        assert ratios[0] > 50 * ratios[1] > 2500 * ratios[2] > 0
        at = texts({name: x for name, x in fixed.items() if name != "B_V_1inf"})
        witness = {"class": f"tokens e_1/2; {ONE_TOKEN}", "at": at, "ray": {"B_V_1inf": 1}}
        witness |= {"t": [str(B) for B in bounds], "ratios": [f"{r:.6g}" for r in ratios]}
        note = "the complexity is proportional to the bound on W_v, which the printed bound has lost"
        yield refuted(note, witness, said.value, float(true), part=part, instances=len(bounds))
