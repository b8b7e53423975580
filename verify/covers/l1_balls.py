"""Covers of matrices x -> Wx through l1 balls: Maurey's averages, lattices and rounding, run on many members.

The members tried are dense, one-hot, equal in many places, and half-way between lattice points. A cover of columns is
checked on scaled basis vectors, which answers for all inputs of an l1 ball; one of all entries in the Frobenius norm,
which answers for all inputs of an l2 ball.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from maurey.numeric.exact import ceil_root
from maurey.numeric.types import Array
from maurey.verify.checks import Effort

from . import rounding
from .instances import ROUNDING, Instance

SHAPES = ((1, 1), (2, 3), (2, 200), (700, 2), (50, 60), (5000, 1))  # k x d
RATIOS = ("1/2", "1", "101/100", "3", "4", "41/10", "9", "37/2", "40")  # (radius/eps)^2


def member(rng: np.random.Generator, n: int, kind: int, steps: int) -> Array:
    """A point of the unit l1 ball: dense, a corner, equal entries, or multiples of half a step."""
    places = int(rng.integers(1, n + 1))
    x = np.zeros(n)
    if kind == 0:
        x = rng.dirichlet(np.full(n, 0.5))
    elif kind == 1:
        x[int(rng.integers(n))] = 1.0
    elif kind == 2:
        x[:places] = 1 / places
    else:
        left, width = 2 * steps, max(1, min(places, 2 * steps))
        x[:width] = rng.multinomial(left, np.full(width, 1 / width)) / left
    return x * rng.choice((-1.0, 1.0), n)


class Centre(NamedTuple):
    """A point of the unit l1 ball, the steps it takes, how many it may, and whether it is a point of the cover."""

    point: Array
    used: int
    allowed: int
    belongs: bool


def averaged(u: Array, a: Fraction) -> Centre:
    """Maurey's average of ceil(a) atoms."""
    K = math.ceil(a)
    z = rounding.sparsify(u, 1.0, K)
    return Centre(z / K, int(np.abs(z).sum()), K, True)


def on_lattice(u: Array, a: Fraction) -> Centre:
    """On the lattice with fewer points; zero alone for a <= 1."""
    if a <= 1:
        return Centre(np.zeros(len(u)), 0, 0, True)
    M, S, n = rounding.dense_steps(a), rounding.sparse_support(a), len(u)
    if rounding.dense_count(n, M) <= rounding.sparse_count(n, S):
        z = rounding.dense(u, 1.0, M)
        return Centre(z / (M + 1), int(np.abs(z).sum()), M, True)
    z = rounding.sparse(u, 1.0, S)
    return Centre(z / (2 * S), int(np.abs(z).sum()), 2 * S, bool(np.count_nonzero(z) <= S))


def log_count(n: int, a: Fraction, lattice: bool) -> float:
    """Of the points of Maurey's cover, or of the smaller lattice: exact integers."""
    if not lattice:
        return math.log(rounding.dense_count(n, math.ceil(a)))
    dense = rounding.dense_count(n, rounding.dense_steps(a))
    return math.log(min(dense, rounding.sparse_count(n, rounding.sparse_support(a)))) if a > 1 else 0.0


def resolution_at(radius: Fraction, a: Fraction) -> Fraction:
    """radius / sqrt(a), rounded up: the cover is asked for no more than it was built for."""
    eps = radius * Fraction(f"{1 / math.sqrt(a):.15g}")
    return eps if (radius / eps) ** 2 <= a else eps * (1 + Fraction(1, 10**14))


def by_volume(n: int, a: Fraction) -> float:
    """Of a maximal packing of the ball: where it is less than a lattice's count, no lattice is built."""
    return n * math.log(1 + 2 * math.sqrt(a)) if a > 1 else 0.0


def columns(effort: Effort, lattice: bool, least: bool = False) -> Iterator[Instance]:
    """Every column in an l1 ball, inputs in an l1 ball: one cover for each column; or only where it is the least."""
    B, R = Fraction(3, 2), Fraction(2)
    for (k, d), a, found, error in _runs(effort, lattice, lambda k, d: [k] * d):
        if least and by_volume(k, a) < log_count(k, a, lattice):
            continue
        at = {"N": Fraction(d), "d": Fraction(d), "k": Fraction(k), "B_X_1": R, "B_W_1inf": B}
        yield _instance(at, B * R, a, found, error, d * log_count(k, a, lattice))


def entries(effort: Effort, lattice: bool, number: str = "N", least: bool = False) -> Iterator[Instance]:
    """All entries as one vector of an l1 ball, inputs in an l2 ball."""
    B, R = Fraction(3, 2), Fraction(2)
    for (k, d), a, found, error in _runs(effort, lattice, lambda k, d: [k * d]):
        if least and by_volume(k * d, a) < log_count(k * d, a, lattice):
            continue
        at = {number: Fraction(d), "d": Fraction(d), "k": Fraction(k), "B_X": R, "B_W_11": B}
        yield _instance(at, B * R, a, found, error, log_count(k * d, a, lattice))


def _runs(
    effort: Effort, lattice: bool, vectors: Callable[[int, int], list[int]]
) -> Iterator[tuple[tuple[int, int], Fraction, list[Centre], float]]:
    """Members as vectors of these lengths, their centres, and the largest error in units of eps."""
    rng, cover = np.random.default_rng(effort.seed), on_lattice if lattice else averaged
    for i, (shape, ratio) in enumerate(product(SHAPES * effort.scale, RATIOS)):
        a = Fraction(ratio)
        members = [member(rng, n, (i + j) % 4, math.ceil(a)) for j, n in enumerate(vectors(*shape))]
        found = [cover(u, a) for u in members]
        far = max(float(np.linalg.norm(u - c.point)) for u, c in zip(members, found, strict=True))
        yield shape, a, found, far * math.sqrt(a)


def _instance(
    at: dict[str, Fraction], radius: Fraction, a: Fraction, found: list[Centre], error: float, size: float
) -> Instance:
    inside = all(one.belongs and float(np.abs(one.point).sum()) <= 1 + ROUNDING for one in found)
    busiest = max(found, key=lambda one: one.used)
    return Instance({"eps": resolution_at(radius, a), **at}, error, busiest.used, busiest.allowed, size, inside)


# --- written out whole ----------------------------------------------------------------------------------------------


def whole(
    effort: Effort, lattice: bool, by_columns: bool, number: str = "N", least: bool = False
) -> Iterator[Instance]:
    """All centres in tiny dimensions, counted one by one, against the worst members found. A product of covers of
    columns is as good as the cover of one."""
    rng = np.random.default_rng(effort.seed)
    for (k, d), ratio in product(((1, 1), (2, 1), (1, 2), (3, 1), (2, 2)), ("1/2", "3/2", "3", "5", "13/2")):
        a, n = Fraction(ratio), k if by_columns else k * d
        if least and by_volume(n, a) < log_count(n, a, lattice):
            continue
        M, S, K = rounding.dense_steps(a), rounding.sparse_support(a), math.ceil(a)
        points, scale = rounding.lattice_points(n, K), K
        if lattice:
            dense = rounding.dense_count(n, M) <= rounding.sparse_count(n, S)
            points = rounding.lattice_points(n, M) if dense else rounding.lattice_points(n, 2 * S, S)
            points, scale = ([(0,) * n], 1) if a <= 1 else (points, M + 1 if dense else 2 * S)
        far = _farthest(np.array(points, dtype=float) / scale, rng, 100 * effort.scale, K)
        eps = resolution_at(Fraction(1), a)
        at = {"eps": eps, number: Fraction(d), "d": Fraction(d), "k": Fraction(k)}
        at |= {"B_X_1": Fraction(1), "B_W_1inf": Fraction(1)} if by_columns else {
            "B_X": Fraction(1), "B_W_11": Fraction(1)}  # fmt: skip
        number_of, counted = len(set(points)), round(math.exp(log_count(n, a, lattice)))
        inside = number_of == counted and all(sum(map(abs, z)) <= scale for z in points)
        log_size = (d if by_columns else 1) * math.log(number_of)
        yield Instance(at, far * math.sqrt(a), number_of, counted, log_size, inside)


def volume_nets(effort: Effort) -> Iterator[Instance]:
    """|W|_11 <= 1 in the Frobenius norm, which is no less than the spectral one: a maximal packing of the grid z/h at
    what its width leaves of eps. Rounding towards 0 moves a member by at most sqrt(n)/h."""
    rng = np.random.default_rng(effort.seed)
    for (k, d), ratio, h in (((1, 1), "1/4", 40), ((2, 1), "1/2", 30), ((1, 2), "2/3", 30), ((3, 1), "3/4", 16),
                             ((2, 2), "4/5", 11)):  # fmt: skip
        eps, n = Fraction(ratio), k * d
        left = float(eps) - math.sqrt(n) / h
        grid = np.array(rounding.lattice_points(n, h), dtype=float) / h
        open_points, centres = np.ones(len(grid), dtype=bool), []
        while open_points.any():
            centres.append(grid[int(open_points.argmax())])
            open_points &= np.linalg.norm(grid - centres[-1], axis=1) > left
        far = _farthest(np.array(centres), rng, 100 * effort.scale, h)
        one = Fraction(1)
        at = {"eps": eps, "m": one, "d": Fraction(d), "k": Fraction(k), "B_X": one, "B_W_11": one}
        yield Instance(at, far / float(eps), 0, 0, math.log(len(centres)))


def _farthest(centres: Array, rng: np.random.Generator, tries: int, steps: int) -> float:
    """How far from all centres a member of the unit l1 ball was found."""
    members = (member(rng, centres.shape[1], i % 4, steps) for i in range(tries))

    def inside(x: Array) -> Array:
        return x / max(1.0, float(np.abs(x).sum()))

    return rounding.worst_target(centres[:, None], members, lambda x: x[None], inside, rng, tries)


# --- rounding the entries -------------------------------------------------------------------------------------------


def rounded(x: Array, eps: int) -> Array:
    """x / (2 eps) to the nearest integer, halves towards 0; integers throughout."""
    return np.sign(x) * ((np.abs(x) + eps - 1) // (2 * eps))


def entrywise(effort: Effort, power: int) -> Iterator[Instance]:
    """The l1 or l2 ball in the largest entry, in up to 10^5 dimensions: all in integers, entries on and beside the
    halves among them."""
    rng = np.random.default_rng(effort.seed)
    for i in range(60 * effort.scale):
        n, eps = int(rng.choice((1, 2, 5, 100, 10**5))), int(rng.choice((1, 8, 100)))
        size = int(rng.integers(1, n + 1))
        x = np.zeros(n, dtype=np.int64)
        x[:size] = (
            rng.integers(0, 6 * eps, size), eps * (2 * rng.integers(0, 3, size) + 1), np.full(size, eps + 1),
            eps * rng.integers(0, 5, size) + rng.integers(0, 2, size),
        )[i % 4]  # fmt: skip
        x *= rng.choice((-1, 1), n)
        total = int((np.abs(x) ** power).sum())
        rho = Fraction(max(1, total if power == 1 else ceil_root(Fraction(max(1, total)))))
        z = rounded(x, eps)
        ratio = (rho / eps) ** power
        allowed = math.ceil(ratio) - 1
        error = int(np.abs(x - 2 * eps * z).max()) / eps
        at = {"eps": Fraction(eps), "n": Fraction(n), "rho": rho}
        yield Instance(at, error, int(np.abs(z).sum()), allowed, allowed * math.log(2 * n + 1))


def entrywise_whole(effort: Effort, power: int) -> Iterator[Instance]:
    """All centres that integer points of a tiny ball are rounded to, by rounding each of them."""
    for n, rho, eps in ((1, 12, 1), (1, 30, 4), (2, 9, 2), (2, 12, 3), (3, 7, 2), (4, 5, 2), (2, 5, 5)):
        side = range(-rho, rho + 1)
        ball = np.array([x for x in product(side, repeat=n) if sum(abs(v) ** power for v in x) <= rho**power])
        z = rounded(ball, eps)
        centres = {tuple(row) for row in z.tolist()}
        error = int(np.abs(ball - 2 * eps * z).max()) / eps
        at = {"eps": Fraction(eps), "n": Fraction(n), "rho": Fraction(rho)}
        allowed = math.ceil(Fraction(rho, eps) ** power) - 1
        yield Instance(at, error, int(np.abs(z).sum(1).max()), allowed, math.log(len(centres)))
