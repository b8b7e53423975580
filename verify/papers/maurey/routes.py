"""Routes to gaps against exact probabilities and packings that are built; splits against the best ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sympy import Symbol, exp, expand_log, log

from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.complexity.distributions import binomial
from maurey.verify.complexity.known_classes import Instance, comparison
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula
from maurey.verify.tally import ROUNDING

PACKING, ALLOCATION, NET, BITS, SCALE = (
    f"maurey/{name}" for name in ("packing", "counting-allocation", "net", "bits", "one-scale")
)
DELTAS = (0.5, 0.1, 0.001)

# --- packings ---------------------------------------------------------------------------------------------------------


def packed(points: Array, dims: tuple[int, ...], errors: tuple[float, ...]) -> int:
    """How many of the points are chosen, one after the other, so that any two are more than 1 apart."""
    chosen: list[Array] = []
    ends = np.cumsum((0, *dims))
    for point in points:
        apart = [
            max(np.linalg.norm((point - other)[a:b]) / x for a, b, x in zip(ends, ends[1:], errors, strict=False))
            for other in chosen
        ]
        if all(distance > 1 for distance in apart):
            chosen.append(point)
    return len(chosen)


def packings(effort: Effort) -> Iterator[Instance]:
    """Of products of balls, of spheres, which are no convex sets, and of an interval at spacings that fit it best."""
    rng = np.random.default_rng(effort.seed)
    for dims, radii, errors in (
        ((1, 2), (1.0, 2.0), (0.4, 1.5)),
        ((2, 2), (1.0, 1.0), (0.7, 0.9)),
        ((3,), (1.0,), (0.5,)),
    ):
        for sphere in (False, True):
            blocks = []
            for p, D in zip(dims, radii, strict=True):
                x = rng.normal(size=(400 * effort.scale, p))
                length = 1.0 if sphere else rng.random((len(x), 1)) ** (1 / p)
                blocks.append(D * length * x / np.linalg.norm(x, axis=1, keepdims=True))
            yield _packing(np.hstack(blocks), dims, radii, errors)
    for count in (1, 2, 10, 40):
        step = 2.0 / count * (1 - 1e-12)
        yield _packing(np.linspace(-1, 1, count + 1)[:, None], (1,), (1.0,), (step,))


def _packing(points: Array, dims: tuple[int, ...], radii: tuple[float, ...], errors: tuple[float, ...]) -> Instance:
    found = math.log(packed(points, dims, errors))
    at: dict[str, Any] = {"n": len(dims), "count": list(dims), "reach": list(radii), "x": list(errors)}
    return Instance(at, found, found, texts(at), "a packing has more points")


@check(PACKING)
def packing(effort: Effort) -> Result:
    note = "packings chosen point by point of products of balls and of spheres; even points of an interval come near"
    return comparison(PACKING, "printed", "log_N", packings(effort), note)


@check(PACKING)
def volumes(effort: Effort) -> Result:
    """One ball: the volume of a ball that is larger by half an error, over that of half an error."""
    p, D, x = (Symbol(name, positive=True) for name in ("count[1]", "reach[1]", "x[1]"))
    ratio = p * (log(D + x / 2) - log(x / 2))
    proof = same(exp(expand_log(formula(PACKING, n=1) - ratio, force=True)), 1)
    note = "Balls of half the distance are disjoint, in a ball that is larger by as much."
    return conclude(note, [proof], part="log_N", rung="derived")


# --- splits -----------------------------------------------------------------------------------------------------------


def best_cost(p: Array, D: Array, beta: Array, eps: float) -> float:
    """The least cost: where the derivatives p D/(x (x + D)) are one multiple of beta, found by bisection."""
    low, high = -200.0, 200.0  # logarithms of the multiple
    for _ in range(200):
        middle = (low + high) / 2
        x = (np.sqrt(D**2 + 4 * p * D / (math.exp(middle) * beta)) - D) / 2
        low, high = (middle, high) if (beta * x).sum() > eps else (low, middle)
    return float((p * np.log1p(D / x)).sum())


def splits(effort: Effort) -> Iterator[tuple[dict[str, Any], float]]:
    """Random weights, their least costs; some errors above all that a weight may do."""
    rng = np.random.default_rng(effort.seed)
    for n, eps in product((1, 2, 5, 40), (1e-6, 0.01, 1.0, 50.0)):
        p = rng.integers(1, 1000, size=n).astype(float)
        D, beta = np.exp(rng.normal(size=(2, n)) * 2)
        at = {"n": n, "eps": eps, "count": p.tolist(), "reach": D.tolist(), "beta": beta.tolist()}
        yield at, best_cost(p, D, beta, eps)


@check(ALLOCATION)
def from_above(effort: Effort) -> Iterator[Result]:
    """The least cost is at most what the claim's split costs, and near it where errors are small."""
    note = "least costs of random weights, by bisection; the split costs the same where errors are small"
    for form in ("printed", "derived"):
        found = (Instance(at, best, best, texts_of(at), "the least cost is more") for at, best in splits(effort))
        yield comparison(ALLOCATION, form, "value", found, note)


@check(ALLOCATION)
def from_below(effort: Effort) -> Result:
    count, nearest = 0, 0.0
    for at, best in splits(effort):
        said, count = float(value(ALLOCATION, "printed", "least", at)), count + 1
        if said > best * (1 + ROUNDING):
            return refuted("a split costs less", texts_of(at), said, best, part="least")
        nearest = max(nearest, said / best)
    note = "least costs of random weights, by bisection, are not below"
    return Result("holds", "tested", note, instances=count, tightness=min(1.0, nearest), part="least")


def texts_of(at: dict[str, Any]) -> dict[str, Any]:
    return {name: [str(v) for v in x] if isinstance(x, list) else str(x) for name, x in at.items()}


# --- unions -----------------------------------------------------------------------------------------------------------


def worst_gap(m: int, p: float, number: int, delta: float) -> float:
    """The largest value that the largest gap of so many independent functions exceeds with probability above delta:
    losses 0 and 1, 1 with probability p; exact binomial probabilities."""
    below = np.cumsum(binomial(m, p))  # so many hits or fewer
    failing = -np.expm1(number * np.log1p(-np.minimum(below, 1 - 1e-16)))
    hits = np.flatnonzero(failing > delta)
    return p - hits[0] / m if len(hits) else 0.0


def unions(effort: Effort) -> Iterator[tuple[int, float, int, float, float]]:
    for m, p, bits, delta in product((5, 50, 1000 * effort.scale), (0.5, 0.9), (1, 5, 20), DELTAS):
        yield m, p, bits, delta, worst_gap(m, p, 2**bits, delta)


@check(NET)
def nets(effort: Effort) -> Result:
    """Networks whose losses are within eps of such functions', above on average and below on the sample."""

    def instances() -> Iterator[Instance]:
        for (m, p, bits, delta, gap), eps, b in product(unions(effort), (1e-9, 0.1), (1.0, 3.0)):
            at = {"eps": eps, "m": m, "b": b, "delta": delta, "E": bits * math.log(2) * (1 + 1e-15)}
            true = b * gap + 2 * eps
            yield Instance(at, true, true, texts(at) | {"p": str(p)}, "fails more often than delta")

    note = "independent functions with losses 0 and b, exact binomial probabilities, and functions eps away from them"
    return comparison(NET, "printed", "gap", instances(), note)


@check(BITS)
def programs(effort: Effort) -> Result:
    def instances() -> Iterator[Instance]:
        for (m, p, bits, delta, gap), b in product(unions(effort), (1.0, 3.0)):
            at = {"m": m, "b": b, "delta": delta, "bits": bits}
            yield Instance(at, b * gap, b * gap, texts(at) | {"p": str(p)}, "fails more often than delta")

    note = "2^bits independent programs with losses 0 and b, exact binomial probabilities"
    return comparison(BITS, "printed", "gap", instances(), note)


# --- one scale --------------------------------------------------------------------------------------------------------


@check(SCALE)
def clouds(effort: Effort) -> Result:
    """Finite classes of centres, each with functions around it that are as far as they may be; all signs, or drawn."""

    def instances() -> Iterator[Instance]:
        rng = np.random.default_rng(effort.seed)
        for m, size, tau in product((3, 10, 200), (1, 8, 100 * effort.scale), (0.01, 0.3)):
            centres = rng.choice((-1.0, 1.0), size=(size, m)) * (1 - tau)
            around = [centres, *(centres + tau * rng.choice((-1.0, 1.0), size=(size, m)) for _ in range(8))]
            found = rademacher.finite(np.vstack(around), 500 * effort.scale, rng)
            at = {"A": 1, "tau": tau, "m": m, "E": math.log(size), "b": 1, "delta": 0.5}
            yield Instance(at, found.value, found.lower, texts(at), "the complexity is larger")

    return comparison(
        SCALE, "printed", "R", instances(), "finite classes in clouds around centres: all signs, or drawn"
    )


@check(SCALE)
def one_side(effort: Effort) -> Result:
    R = formula(SCALE, part="R", A=Symbol("b", positive=True) / 2)
    gap = formula("maurey/deviation", part="above", R_F=R)
    note = "maurey/deviation, one side, at the complexity of losses that are at most b/2"
    return conclude(note, [same(formula(SCALE, part="gap"), gap)], part="gap", rung="derived")
