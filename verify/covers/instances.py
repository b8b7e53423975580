"""Covers run on many members of their classes: random ones, corners, and those that need the most corrections.

An instance says at which parameters it was, how far the centre is in units of eps, how many corrections it took, how
many the class may take at most, and the log of the number of lists: the size of the cover.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from maurey.numeric.exact import below, texts
from maurey.numeric.types import Array
from maurey.numeric.walk import Undefined
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result
from maurey.verify.packings.attacks import size

from . import online, rounding

ROUNDING = 1e-9  # of doubles, relative


class Instance(NamedTuple):
    at: dict[str, Any]
    error: float  # over eps
    used: int  # corrections; or centres, or what they cost
    allowed: int
    log_size: float  # of the whole cover
    inside: bool = True  # the centre lies in the class, and is what its list alone leads to


def built(key: str, part: str, found: Iterable[Instance], what: str, forms: Iterable[str] = ()) -> Iterator[Result]:
    """Every instance keeps what the cover promises, and the cover is no larger than each of the forms."""
    instances, farthest, busiest = list(found), 0.0, 0.0
    sizes = dict.fromkeys(forms or registry.find(key).part(part).forms, 0)
    for one in instances:
        if one.error > 1 + ROUNDING or one.used > one.allowed or not one.inside:
            yield Result(
                "fails",
                "refuted",
                f"{what} misses its target, or takes too long",
                instances=len(instances),
                tightness=None,
                counterexample={**texts(one.at), "error": one.error, "used": one.used, "allowed": one.allowed},
                part=part,
                printed_value=str(one.allowed),
                true_value=str(one.used),
            )
            return
        farthest, busiest = max(farthest, one.error), max(busiest, one.used / max(1, one.allowed))
        for form in sizes:
            try:
                sizes[form] += one.log_size <= float(size(key, form, part, one.at)) * (1 + ROUNDING)
            except Undefined:
                continue
    note = f"{what}: errors up to {farthest:.3f} eps, up to {busiest:.2f} of what is allowed"
    for form, number in sizes.items():
        if number < len(instances):
            yield Result(
                "undecided",
                "constructed",
                f"{what} has more centres than it allows",
                instances=number,
                part=part,
                form=form,
            )
        else:
            yield Result("holds", "constructed", note, instances=number, part=part, form=form)


# --- inputs and targets ---------------------------------------------------------------------------------------------


def inputs(rng: np.random.Generator, N: int, d: int, kind: int) -> Array:
    """Unit vectors: orthogonal ones as far as they go, random ones, near copies of one another."""
    if kind == 0:
        return np.eye(d)[np.arange(N) % d]
    x = rng.normal(size=(N, d)) if kind == 1 else rng.normal(size=d) + 0.3 * rng.normal(size=(N, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def target(rng: np.random.Generator, shape: tuple[int, int], kind: int, project: Any, places: int) -> Array:
    """A member on the boundary: random, equal in so many places (what takes the most corrections), or a spike."""
    W = np.zeros(shape)
    if kind == 0:
        W = rng.normal(size=shape)
    elif kind == 1:
        W.flat[: min(places, W.size)] = rng.choice((-1.0, 1.0), min(places, W.size))
    else:
        W[int(rng.integers(shape[0])), int(rng.integers(shape[1]))] = 1.0
    return project(1e6 * W)


def resolution(rng: np.random.Generator, radius: Fraction) -> Fraction:
    choices = ("21/20", "999/1000", "9/10", "7/10", "1/2", "1/3", "1/5", "1/8")
    return radius * Fraction(str(rng.choice(choices)))


# --- one output -----------------------------------------------------------------------------------------------------


def scalar(effort: Effort, number: str = "N") -> Iterator[Instance]:
    """Linear functions on up to 1,000 inputs in up to 1,000 dimensions."""
    rng = np.random.default_rng(effort.seed)
    for i in range(60 * effort.scale):
        N, d = int(rng.choice((1, 2, 7, 50, 1000))), int(rng.choice((1, 2, 9, 100, 1000)))
        B, R = Fraction(3, 2), Fraction(2)
        eps = resolution(rng, B * R)
        a = (B * R / eps) ** 2
        X, project = float(R) * inputs(rng, N, d, i % 3), online.in_frobenius(float(B))
        v = target(rng, (d, 1), i % 4 % 3, project, below(a))
        signs, step = online.coordinates(1), float(eps / R**2)
        run = online.correct(v, X, R=float(R), eps=float(eps), project=project, U=signs, kappa=1.0)
        again = online.follow(run.corrections, X, signs, step, project)
        inside = np.array_equal(run.centre, again) and bool(np.linalg.norm(again) <= float(B) * (1 + ROUNDING))
        error = float(np.abs(X @ (v - run.centre)).max()) / float(eps)
        allowed = max(0, below(a))
        at = {"eps": eps, number: Fraction(N), "B_w": B, "B_X": R}
        yield Instance(at, error, len(run.corrections), allowed, allowed * math.log(2 * N + 1), inside)


def zhang(effort: Effort, share: Fraction = Fraction(1)) -> Iterator[Instance]:
    """Zhang's cover, asked for `share` of eps; with 1/2, the distance of two members that have the same list."""
    rng = np.random.default_rng(effort.seed)
    for i in range(48 * effort.scale):
        N, d = int(rng.choice((1, 3, 20, 100))), int(rng.choice((1, 2, 10, 300)))
        B, R = Fraction(3, 2), Fraction(2)
        eps = resolution(rng, B * R)
        X, project = float(R) * inputs(rng, N, d, i % 3), online.in_frobenius(float(B))
        v = target(rng, (d, 1), i % 4 % 3, project, 9)[:, 0]
        norms, asked = (float(B), float(R)), float(eps * share)
        mistakes = rounding.zhang_list(v, X, *norms, asked)
        centre = rounding.zhang_values(mistakes, X, *norms, asked)
        error = float(np.abs(X @ v - centre).max()) / float(eps)
        if share < 1:
            near = project((v + 0.03 * asked / float(R) * rng.normal(size=d))[:, None])[:, 0]
            if rounding.zhang_list(near, X, *norms, asked) == mistakes:
                error = max(2 * error, float(np.abs(X @ (v - near)).max()) / float(eps))
        allowed = math.floor(36 * (B * R / (eps * share)) ** 2)
        alphabet = 2 * len(rounding.thresholds(*norms, asked)) * N + 1
        at = {"eps": eps, "N": Fraction(N), "B_w": B, "B_X": R}
        yield Instance(at, error, len(mistakes), allowed, allowed * math.log(alphabet))


def lattice(effort: Effort) -> Iterator[Instance]:
    """Both roundings, in up to 10^5 dimensions: half-integers and equal entries are their worst cases."""
    rng = np.random.default_rng(effort.seed)
    for i in range(120 * effort.scale):
        n = int(rng.choice((1, 2, 3, 10, 1000, 10**5)))
        a, rho = Fraction(int(rng.integers(11, 1000)), 10), Fraction(3)
        places = int(rng.integers(1, n + 1))
        x = np.zeros(n)
        x[:places] = (rng.dirichlet(np.full(places, 0.5)), np.ones(places), np.floor(2 * rng.exponential(size=places)))[
            i % 3
        ]
        x *= rng.choice((-1, 1), n) * float(rho) / max(float(x.sum()), 1e-9)
        M, S = rounding.dense_steps(a), rounding.sparse_support(a)
        eps = Fraction(f"{float(rho) / math.sqrt(a):.15g}")
        z, y = rounding.dense(x, float(rho), M), rounding.sparse(x, float(rho), S)
        error = max(np.linalg.norm(x - float(rho) * z / (M + 1)), np.linalg.norm(x - float(rho) * y / (2 * S)))
        inside = np.abs(z).sum() <= M and np.abs(y).sum() <= 2 * S and np.count_nonzero(y) <= S
        size = min(rounding.dense_count(n, M), rounding.sparse_count(n, S))
        at = {"eps": eps, "n": Fraction(n), "rho": rho}
        yield Instance(at, float(error) / float(eps), 0, 0, math.log(size), bool(inside))
