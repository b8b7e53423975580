"""Classes of which both entropy and complexity are known: at the entropy, a form is at least the complexity.

Linear functions have exact suprema, finite classes too; the mean is over all signs, or lies in an interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, refuted
from maurey.verify.tally import ROUNDING

from . import rademacher

At = Mapping[str, Any]


class Instance(NamedTuple):
    """The claim's symbols, what is true there and a lower bound on it, and what to show and say if that is too much."""

    at: At
    true: float
    lower: float
    witness: At
    excess: str


def comparison(key: str, form: str, part: str, instances: Iterable[Instance], note: str) -> Result:
    """A form against what is true at every instance."""
    best, count = 0.0, 0
    for at, true, lower, witness, excess in instances:
        said, count = float(value(key, form, part, at)), count + 1
        if lower > said * (1 + ROUNDING):
            return refuted(excess, witness, said, lower, part=part, form=form)
        best = max(best, true / said)
    return Result("holds", "tested", note, instances=count, tightness=best, part=part, form=form)


# --- entropies p_0 + C_F/eps^2 ---------------------------------------------------------------------------------------


def classes(effort: Effort) -> Iterator[tuple[str, rademacher.Estimate, dict[str, Any]]]:
    """What class, its complexity, and A, C_F, p_0 and m."""
    rng = np.random.default_rng(effort.seed)
    draws = 2000 * effort.scale
    for m, d, B in ((3, 1, 1.0), (8, 8, 2.0), (12, 3, 0.5), (200, 400, 1.0), (1000, 50, 3.0), (64, 64, 100.0)):
        orthonormal = d >= m
        points = np.eye(m, d) if orthonormal else rng.normal(size=(m, d))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        at: dict[str, Any] = {"A": B, "C_F": B**2 * math.log(2 * m + 1), "p_0": 0, "m": m}  # maurey/online, scalar
        yield f"linear functions on {m} points", rademacher.linear(points, B, draws, rng), at
    for m, size in ((4, 16), (10, 50), (12, 4), (300, 1000)):
        values = rng.choice((-1.0, 1.0), size=(size, m)) * rng.random((size, 1))
        at = {"A": float(np.abs(values).max()), "C_F": "1e-9", "p_0": math.log(size), "m": m}
        yield f"{size} functions on {m} points", rademacher.finite(values, draws, rng), at


def chain(key: str, form: str, part: str, effort: Effort, quadratic: bool = False) -> Result:
    """A chain from entropy to complexity at all classes, or at those with a quadratic entropy, and at several cut-offs
    where it has one."""
    names = {p.name for p in registry.find(key).symbols}

    def instances() -> Iterator[Instance]:
        for what, found, at in classes(effort):
            if quadratic and at["p_0"]:
                continue
            for tau in [0.01, 0.1, 0.5, 1.0] if "tau" in names else [1.0]:
                point = {n: v for n, v in (at | {"tau": at["A"] * tau}).items() if n in names}
                witness = {"class": what, **texts(point), "complexity": found.lower}
                yield Instance(point, found.value, found.lower, witness, f"the complexity of {what} exceeds it")

    note = "at least the complexity of linear functions (exact suprema) and of finite classes, all signs or an interval"
    return comparison(key, form, part, instances(), note)


# --- finite classes of signs -----------------------------------------------------------------------------------------


def sign_vectors(part: str, effort: Effort) -> Iterator[Instance]:
    """Zero and functions with values A or -A, n in all: one centre from A on, all of them below. So the entropy is at
    most log(n), log(n) A^2/eps^2 and log(n) A/eps."""
    rng = np.random.default_rng(effort.seed)
    for m, size, A in ((1, 2, 1.0), (4, 16, 3.0), (12, 3, 0.1), (12, 4096, 1.0), (400, 50 * effort.scale, 2.0)):
        everything = size == 2**m
        values = rademacher.signs(m, 0, rng)[0] if everything else rng.choice((-1.0, 1.0), size=(size, m))
        found = rademacher.finite(A * np.vstack([np.zeros(m), values]), 2000 * effort.scale, rng)
        h = math.log(size + 1)
        entropies: list[dict[str, float]] = [{"K_F": A * h}]
        if part != "linear":
            entropies = [{"C_F": A**2 * h * q, "p_0": h * (1 - q)} for q in (1e-6, 0.5, 1.0)]
        for entropy in entropies:
            at = {"A": A, "m": m, **entropy}
            witness = {"functions": size, **texts(at)}
            yield Instance(at, found.value, found.lower, witness, "a finite class exceeds it")


def unions(effort: Effort) -> Iterator[Instance]:
    """Of n classes of one or a few functions with values A or -A, or between."""
    rng = np.random.default_rng(effort.seed)
    for (m, n), each in product(((1, 2), (4, 16), (8, 40), (12, 60), (300, 500)), (1, 3)):
        values = rng.uniform(-1, 1, size=(n, each, m)) if each > 1 else rng.choice((-1.0, 1.0), size=(n, 1, m))
        if n == 2**m:
            values[:, 0] = rademacher.signs(m, 0, rng)[0]
        draws = 2000 * effort.scale
        whole = rademacher.finite(values.reshape(-1, m), draws, rng)
        # of one function the complexity is 0; where signs are drawn, classes of several have no exact one
        if each > 1 and m > rademacher.ALL_SIGNS:
            continue
        R = max(rademacher.finite(one, draws, rng).value for one in values) if each > 1 else 0.0
        at = {"n": n, "A": float(np.abs(values).max()), "m": m, "R_F": max(R, 0.0)}
        yield Instance(at, whole.value, whole.lower, texts(at), "a union exceeds it")
