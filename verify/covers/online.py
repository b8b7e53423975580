"""Covers that count corrections (maurey/online), run: from a target to its list of corrections, and from the list alone
to the centre.

A class is given by the projection onto it; it is closed and convex and holds zero. A correction of W along the input x
and the direction u is W + (kappa eps / R^2) x u^T, projected back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from maurey.numeric.types import Array

Project = Callable[[Array], Array]  # of one matrix, or of many along leading axes
Correction = tuple[int, ...]


class Run(NamedTuple):
    corrections: list[Correction]
    centre: Array


TINY = 1e-300  # in the place of a norm that is zero


# --- classes --------------------------------------------------------------------------------------------------------


def in_frobenius(B: float) -> Project:
    return lambda W: W * np.minimum(1.0, B / np.maximum(np.linalg.norm(W, axis=(-2, -1), keepdims=True), TINY))


def in_columns(B: float) -> Project:
    return lambda W: W * np.minimum(1.0, B / np.maximum(np.linalg.norm(W, axis=-2, keepdims=True), TINY))


def in_rows(B: float) -> Project:
    return lambda W: W * np.minimum(1.0, B / np.maximum(np.linalg.norm(W, axis=-1, keepdims=True), TINY))


def in_spectral(B: float) -> Project:
    def project(W: Array) -> Array:
        u, s, v = np.linalg.svd(W, full_matrices=False)
        return (u * np.minimum(s, B)) @ v

    return project


def in_both(first: Project, second: Project, inside: Callable[[Array], float]) -> Project:
    """Projected in turn: no step moves away from a member of both sets, which is all that the argument needs. What is
    left outside (`inside` > 1 says by what factor) is scaled away."""

    def project(W: Array) -> Array:
        for _ in range(500):
            W = second(first(W))
            if inside(W) <= 1 + 1e-13:
                break
        return W / max(1.0, inside(W))

    return project


def weighted_columns(W: Array, weights: Array, total: float, cap: float = math.inf) -> Array:
    """The nearest matrix whose column norms sum to at most `total`, each at most `cap`, where a column's squared
    distance counts 1/weight: norms shrink by a common multiple of their weights, found by bisection."""
    norms = np.linalg.norm(W, axis=-2)

    def shrunk(level: Array) -> Array:
        return np.clip(norms - level[..., None] * weights, 0.0, cap)

    low = np.zeros(norms.shape[:-1])
    high = np.where(shrunk(low).sum(-1) > total, (norms / weights).max(-1, initial=0.0), 0.0)
    for _ in range(100 if high.any() else 0):
        middle = (low + high) / 2
        over = shrunk(middle).sum(-1) > total
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return W * (shrunk(high) / np.maximum(norms, TINY))[..., None, :]


def near_member(W: Array, distance: float, project: Project) -> Array:
    """A member of the class, of which W is one, at no more than this Frobenius distance from it: what may stand for W
    in a maximal packing. Its largest singular value is moved towards zero, which projections leave."""
    left, sizes, right = np.linalg.svd(W, full_matrices=False)
    return project(W - min(distance, 2 * sizes[0]) * np.outer(left[:, 0], right[0]))


# --- directions of the output ---------------------------------------------------------------------------------------


def coordinates(d: int) -> Array:
    """+-e_j: some of them has an inner product of at least 1/sqrt(d) with any unit vector."""
    return np.concatenate([np.eye(d), -np.eye(d)])


FINE = 6


@cache
def net(d: int) -> Array:
    """Unit vectors, at most 5^d of them, one within 1/2 of every unit vector (d <= 4).

    Every unit vector y is near one of the fine points z/|z|, z an integer point on the surface of the cube of
    half-width h: scale y to the surface and round; the rounding error has norm at most sqrt(d-1)/2 against at least h,
    so the angle has a sine of at most sqrt(d-1)/(2h). A maximal subset of fine points with distances above 1/2 less
    that much is the net.
    """
    if d == 1:
        return np.array([[1.0], [-1.0]])
    fine = np.array([z for z in product(range(-FINE, FINE + 1), repeat=d) if max(map(abs, z)) == FINE], dtype=float)
    fine /= np.linalg.norm(fine, axis=1, keepdims=True)
    off = 2 * math.sin(math.asin(math.sqrt(d - 1) / (2 * FINE)) / 2)
    chosen: list[Array] = []
    open_points = np.ones(len(fine), dtype=bool)
    while open_points.any():
        u = fine[int(open_points.argmax())]
        chosen.append(u)
        open_points &= np.linalg.norm(fine - u, axis=1) > 0.5 - off
    if len(chosen) > 5**d:
        raise ValueError(f"a net of {len(chosen)} points in {d} dimensions")
    return np.array(chosen)


NEAR = 7 / 8  # the inner product of unit vectors at distance 1/2


# --- the algorithms ---------------------------------------------------------------------------------------------------


def follow(corrections: Iterable[Correction], X: Array, U: Array, step: float, project: Project) -> Array:
    """The centre that a list of corrections (input, direction) stands for."""
    W = np.zeros((X.shape[1], U.shape[1]))
    for n, u in corrections:
        W = project(W + step * np.outer(X[n], U[u]))
    return W


def _farthest(target: Array, W: Array, X: Array, eps: float) -> tuple[int, Array] | None:
    """The input whose output is farthest off, and by what; none, if all are within eps."""
    gaps = X @ (target - W)
    off = np.linalg.norm(gaps, axis=1)
    n = int(off.argmax())
    return None if off[n] <= eps else (n, gaps[n])


def correct(target: Array, X: Array, R: float, eps: float, project: Project, U: Array, kappa: float) -> Run:
    """While an output is off by more than eps, correct along its input and the direction nearest to the error."""
    W, found, step = np.zeros_like(target), list[Correction](), kappa * eps / R**2
    while farthest := _farthest(target, W, X, eps):
        n, gap = farthest
        u = int((U @ gap).argmax())
        found.append((n, u))
        W = project(W + step * np.outer(X[n], U[u]))
    return Run(found, W)


def correct_everywhere(target: Array, R: float, eps: float, project: Project, inputs: Array, U: Array) -> Run:
    """For all inputs of norm R: the one of the net nearest to the top singular vector of what is off, then the
    direction nearest to the error there. Each loses a factor 7/8."""
    W, found, step = np.zeros_like(target), list[Correction](), NEAR**2 * eps / R**2
    while True:
        left, sizes, _ = np.linalg.svd(target - W)
        if R * sizes[0] <= eps:
            return Run(found, W)
        n = int((inputs @ left[:, 0]).argmax())
        u = int((U @ ((target - W).T @ inputs[n])).argmax())
        found.append((n, u))
        W = project(W + step * R * np.outer(inputs[n], U[u]))


class Scale(NamedTuple):
    """Norms of d columns are rounded up to ratio^j times their sum's bound, j at most last(d); they sum to at most
    `total` times it then."""

    ratio: float
    total: Fraction
    last: Callable[[int], int]


DYADIC = Scale(0.5, Fraction(3), lambda d: (d - 1).bit_length())
FIFTHS = Scale(0.8, Fraction(3, 2), lambda d: 8 * d - 1)
NARROW = Scale(16 / 17, Fraction(9, 8), lambda d: math.ceil(math.log(16 * d) / math.log(17 / 16)))
SCALES = {"columns": DYADIC, "fine": FIFTHS, "narrow": NARROW}


def levels(target: Array, B: float, scale: Scale = DYADIC) -> Array:
    """For each column the j of the smallest B ratio^j that is at least its norm, or the last."""
    norms, last = np.linalg.norm(target, axis=0), scale.last(target.shape[1])
    j = np.zeros(len(norms), dtype=np.int64)
    while True:
        deeper = (j < last) & (norms <= B * scale.ratio ** (j + 1))
        if not deeper.any():
            return j
        j += deeper


def _correct_column(
    W: Array, known: dict[int, int], one: Correction, X: Array, R: float, eps: float, B: float, cap: float,
    scale: Scale,
) -> Array:  # fmt: skip
    """One correction (input, column, sign, level) and the weighted projection onto the matrices of the class whose
    other columns, those not corrected so far, are zero."""
    n, i, sign, level = one
    known[i] = level
    b = B * scale.ratio**level
    W = W.copy()
    W[:, i] += sign * eps * math.sqrt(b / (float(scale.total) * B)) / R**2 * X[n]
    touched = sorted(known)
    W[:, touched] = weighted_columns(W[:, touched], np.array([B * scale.ratio ** known[c] for c in touched]), B, cap)
    return W


def correct_columns(
    target: Array, X: Array, R: float, eps: float, B: float, cap: float = math.inf, scale: Scale = DYADIC
) -> Run:
    """Column norms that sum to at most B (each at most `cap`): a column counts by its norm, rounded up."""
    W, found, known = np.zeros_like(target), list[Correction](), dict[int, int]()
    j = levels(target, B, scale)
    weights = B * scale.ratio**j
    while farthest := _farthest(target, W, X, eps):
        n, gap = farthest
        i = int((gap**2 / weights).argmax())
        found.append((n, i, 1 if gap[i] > 0 else -1, int(j[i])))
        W = _correct_column(W, known, one=found[-1], X=X, R=R, eps=eps, B=B, cap=cap, scale=scale)
    return Run(found, W)


def follow_columns(
    corrections: Iterable[Correction], shape: tuple[int, int], X: Array, R: float, eps: float, B: float,
    cap: float = math.inf, scale: Scale = DYADIC,
) -> Array:  # fmt: skip
    W, known = np.zeros(shape), dict[int, int]()
    for one in corrections:
        W = _correct_column(W, known, one=one, X=X, R=R, eps=eps, B=B, cap=cap, scale=scale)
    return W


class TooMany(ValueError):
    """Too many centres to be written out."""


def all_centres(X: Array, U: Array, step: float, project: Project, most: int, limit: int) -> Array:
    """Every centre that a list of at most so many corrections leads to, each once."""
    moves = step * np.einsum("ni,uj->nuij", X, U).reshape(-1, X.shape[1], U.shape[1])
    found = [np.zeros((1, *moves.shape[1:]))]
    seen = {found[0].astype(np.int64).tobytes()}
    for _ in range(most):
        made = project((found[-1][:, None] + moves).reshape(-1, *moves.shape[1:]))
        marks = np.round(made * 1e9).astype(np.int64)
        fresh = []
        for i, mark in enumerate(marks):
            key = mark.tobytes()
            if key not in seen:
                seen.add(key)
                fresh.append(i)
        if len(seen) > limit:
            raise TooMany(f"more than {limit} centres")
        found.append(made[fresh])
    return np.concatenate(found)
