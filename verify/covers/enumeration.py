"""Covers written out whole, in tiny dimensions: every centre, how many there are, and how far a member can be.

The members tried are random ones, corners, and the worst of these pushed on until they no longer get worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from maurey.numeric.exact import below
from maurey.numeric.types import Array
from maurey.verify.checks import Effort

from . import online, rounding
from .instances import Instance
from .linear import class_of

LIMIT = 200_000  # centres


class Whole(NamedTuple):
    at: dict[str, Fraction]
    centres: Array  # (number, inputs, outputs): their values
    allowed: int  # how many there may be
    radius: float  # the largest distance found, over eps


def online_cover(
    norms: str, N: int, d_2: int, ratio: Fraction, rng: np.random.Generator, tries: int, kind: str = "coordinates",
    limit: int = LIMIT,
) -> Whole:  # fmt: skip
    """Corrections of matrices on N orthogonal inputs, with eps = ratio times the radius of the class."""
    members, R = class_of(norms, d_2), Fraction(1)
    eps = ratio * Fraction(f"{math.sqrt(members.frobenius):.9g}")
    a = members.frobenius * (R / eps) ** 2
    U, kappa = online.coordinates(d_2), d_2**-0.5
    steps = d_2 * a
    if kind == "net":
        U, kappa, steps = online.net(d_2), online.NEAR, Fraction(64, 49) * a
    most = max(0, below(steps)) if a > 1 else 0
    X = np.eye(N)
    found = online.all_centres(X, U, kappa * float(eps), members.project, most, limit)
    centres = X @ found

    def random_members() -> Iterator[Array]:
        for i in range(tries):
            W = rng.normal(size=(N, d_2)) if i % 2 else rng.choice((-1.0, 0.0, 1.0), (N, d_2))
            yield members.project(W * (rng.random() if i % 5 == 4 else 1e6))

    radius = rounding.worst_target(centres, random_members(), lambda W: X @ W, members.project, rng, tries)
    at = {"eps": eps, "N": Fraction(N), "d_1": Fraction(N), "d_2": Fraction(d_2), "B_X": R, **members.bounds}
    if d_2 == 1:
        at |= {"B_w": members.bounds.get("B_W_F", Fraction(0))}
    return Whole(at, centres, (len(U) * N + 1) ** most, radius / float(eps))


def lattice_cover(n: int, a: Fraction, sparse: bool, rng: np.random.Generator, tries: int) -> Whole:
    """All points of one of the lattices in the l1 ball of radius 1, at eps = 1/sqrt(a)."""
    M, S = rounding.dense_steps(a), rounding.sparse_support(a)
    points = rounding.lattice_points(n, 2 * S, S) if sparse else rounding.lattice_points(n, M)
    centres = np.array(points, dtype=float)[:, None] / (2 * S if sparse else M + 1)

    def inside(x: Array) -> Array:
        return x / max(1.0, float(np.abs(x).sum()))

    def random_members() -> Iterator[Array]:
        for i in range(tries):
            x = rng.dirichlet(np.full(n, 0.7)) * rng.choice((-1.0, 1.0), n)
            yield inside(np.round(x * 8 * S) / (8 * S)) if i % 2 else x

    radius = rounding.worst_target(centres, random_members(), lambda x: x[None], inside, rng, tries)
    eps = Fraction(f"{1 / math.sqrt(a):.15g}")
    allowed = rounding.sparse_count(n, S) if sparse else rounding.dense_count(n, M)
    return Whole({"eps": eps, "n": Fraction(n), "rho": Fraction(1)}, centres, allowed, radius / float(eps))


def as_instance(whole: Whole, exactly: bool = False) -> Instance:
    """The number of centres in the place of the number of corrections."""
    number = len(whole.centres)
    fits = number == whole.allowed if exactly else True
    return Instance(whole.at, whole.radius, number, whole.allowed, math.log(number), fits)


def scalars(effort: Effort) -> Iterator[Instance]:
    rng = np.random.default_rng(effort.seed)
    for N, ratio in ((1, "1/4"), (1, "9/10"), (2, "3/4"), (2, "1/2"), (3, "3/5"), (4, "1/2")):
        yield as_instance(online_cover("F", N, 1, Fraction(ratio), rng, 60 * effort.scale))


def matrices(effort: Effort, norms: str, kind: str = "coordinates") -> Iterator[Instance]:
    rng = np.random.default_rng(effort.seed)
    for N, d_2, ratio in ((1, 2, "4/5"), (2, 2, "9/10"), (1, 3, "9/10")):
        yield as_instance(
            online_cover(norms, N, d_2=d_2, ratio=Fraction(ratio), rng=rng, tries=60 * effort.scale, kind=kind)
        )


def lattices(effort: Effort) -> Iterator[Instance]:
    """The smaller of the two for each dimension and resolution."""
    rng = np.random.default_rng(effort.seed)
    for n, a in ((1, 3), (2, 3), (2, 9), (3, 7), (3, 12), (5, 4), (12, 8), (20, 7)):
        counts = rounding.dense_count(n, rounding.dense_steps(a)), rounding.sparse_count(n, rounding.sparse_support(a))
        sparse = counts[1] < counts[0]
        yield as_instance(lattice_cover(n, Fraction(a), sparse, rng, 200 * effort.scale), exactly=True)
