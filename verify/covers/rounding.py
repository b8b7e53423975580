"""Covers that are built: from a member of the class to its centre, by an algorithm that also counts the centres.

Here: Maurey's sparsification without chance, the two lattices of maurey/lattice, and Zhang's cover; those that count
corrections are in `online`. Doubles compute, integers count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.types import Array

# --- Maurey: an average of k atoms ----------------------------------------------------------------------------------


def sparsify(u: Array, radius: float, k: int) -> Array:
    """For |u|_1 <= radius integers z with |z|_1 <= k: radius z / k is within sqrt((radius |u|_1 - |u|^2) / k) of u.

    Draw an atom +-radius e_i with probability |u_i| / radius, or 0: the mean is u. After s draws with sum S the
    expected squared distance of S to s u grows by the variance with each draw; the best next atom does no worse.
    """
    z, off = np.zeros(len(u), dtype=np.int64), np.zeros(len(u))  # off = S - s u
    for _ in range(k):
        off -= u
        i = int(np.abs(off).argmax())
        if 2 * abs(off[i]) > radius:  # better than the atom 0
            sign = -int(np.sign(off[i]))
            z[i] += sign
            off[i] += sign * radius
    return z


def sparsify_among(atoms: Array, weights: Array, k: int) -> Array:
    """The same for any atoms (one in each row) and convex weights: how often each is drawn, k times in all."""
    u = weights @ atoms
    norms, overlaps = (atoms**2).sum(1), atoms @ u
    counts, products = np.zeros(len(atoms), dtype=np.int64), np.zeros(len(atoms))  # products = atoms . (S - s u)
    for _ in range(k):
        products -= overlaps
        i = int((2 * products + norms).argmin())
        counts[i] += 1
        products += atoms @ atoms[i]
    return counts


# --- lattices in the l1 ball ----------------------------------------------------------------------------------------


def dense_steps(a: float | Fraction) -> int:
    return 1 if a <= 4 else math.ceil(a / 2) - 1


def sparse_support(a: float | Fraction) -> int:
    return math.ceil(a / 4)


def dense(x: Array, radius: float, M: int) -> Array:
    """Integers z with |z|_1 <= M: radius z / (M + 1) is within radius / sqrt(2 (M + 1)) of x, |x|_1 <= radius.

    Fractional parts go to the nearest integer as long as the sum allows it; else the largest of them go up.
    """
    y = np.abs(x) * ((M + 1) / radius)
    z = np.floor(y).astype(np.int64)
    left = M - int(z.sum())
    if left < 0:  # a corner: y itself is a lattice point, one step too far out
        z[int(z.argmax())] -= 1
        left = 0
    rest = y - z
    up = np.flatnonzero(rest > 0.5)
    if len(up) > left:
        up = up[np.argsort(-rest[up], kind="stable")[:left]]
    z[up] += 1
    return z * np.sign(x).astype(np.int64)


def sparse(x: Array, radius: float, S: int) -> Array:
    """Integers z, at most S of them not 0, |z|_1 <= 2S: radius z / (2S) is within radius / (2 sqrt(S)) of x."""
    y = np.abs(x) * (2 * S / radius)
    z = np.zeros(len(y), dtype=np.int64)
    kept = np.argsort(-y, kind="stable")[:S]
    z[kept] = np.floor(y[kept]).astype(np.int64)
    halves = kept[(y[kept] >= 0.5) & (y[kept] < 1)]
    if int(z.sum()) + len(halves) <= 2 * S:
        z[halves] = 1
    return z * np.sign(x).astype(np.int64)


def dense_count(n: int, M: int) -> int:
    return sum(math.comb(n, j) * math.comb(M, j) << j for j in range(min(n, M) + 1))


def sparse_count(n: int, S: int) -> int:
    return sum(math.comb(n, j) * math.comb(2 * S, j) << j for j in range(min(n, S) + 1))


def lattice_points(n: int, total: int, support: int | None = None) -> list[tuple[int, ...]]:
    """All integer points with |z|_1 <= total and at most so many entries that are not 0."""
    most = n if support is None else support
    if n == 0:
        return [()]
    return [
        (v, *rest)
        for v in range(-total, total + 1)
        if v == 0 or most > 0
        for rest in lattice_points(n - 1, total - abs(v), most - (v != 0))
    ]


# --- Zhang's theorem ------------------------------------------------------------------------------------------------

MARGIN, SPACING = 1 / 3, 1 / 2  # of eps
Mistake = tuple[int, int, int]  # input, threshold, label


def thresholds(B: float, R: float, eps: float) -> Array:
    """A grid of [-BR, BR] in steps of at most eps/2."""
    return np.linspace(-B * R, B * R, math.ceil(2 * B * R / (SPACING * eps)) + 1)


def zhang_list(v: Array, X: Array, B: float, R: float, eps: float) -> list[Mistake]:
    """The mistakes of a perceptron that learns whether v.x_n is above each threshold.

    In the vectors (x_n, theta / B), of squared norm at most 2 R^2, the target (v, -B), of squared norm at most 2 B^2,
    tells v.x_n > theta with margin eps/3 except near the threshold: at most 4 (BR)^2 / (eps/3)^2 mistakes.
    """
    grid, true = thresholds(B, R, eps), X @ v
    margins = true[:, None] - grid
    labels = np.where(margins >= MARGIN * eps, 1, np.where(margins <= -MARGIN * eps, -1, 0))
    found: list[Mistake] = []
    scores, slope, gram = np.zeros(len(X)), 0.0, X @ X.T
    while True:
        wrong = (labels != 0) & (labels * (scores[:, None] + slope * grid / B) <= 0)
        if not wrong.any():
            return found
        n, g = (int(i) for i in np.unravel_index(int(wrong.argmax()), wrong.shape))
        label = int(labels[n, g])
        found.append((n, g, label))
        scores += label * gram[n]
        slope += label * float(grid[g]) / B


def zhang_values(mistakes: list[Mistake], X: Array, B: float, R: float, eps: float) -> Array:
    """The centre that the list of mistakes stands for: one value for each input, between the thresholds that it is
    said to be above and below."""
    grid, gram = thresholds(B, R, eps), X @ X.T
    scores, slope = np.zeros(len(X)), 0.0
    for n, g, label in mistakes:
        scores += label * gram[n]
        slope += label * float(grid[g]) / B
    above = scores[:, None] + slope * grid / B > 0
    low = np.where(above, grid, -B * R).max(1)
    high = np.where(above, B * R, grid).min(1)
    return (low + high) / 2


# --- how far a finite set of centres is from covering ---------------------------------------------------------------


def distance_to(centres: Array, values: Array) -> float:
    """From one member to the nearest centre, in the largest Euclidean norm over the inputs; centres (C, N, outputs)."""
    return float(np.sqrt(((centres - values) ** 2).sum(-1)).max(-1).min())


def worst_target(
    centres: Array, members: Iterator[Array], evaluate: Any, project: Any, rng: np.random.Generator, climbs: int
) -> float:
    """The largest distance found: of given members, and of the worst of them pushed outwards step by step."""
    ranked = sorted(((distance_to(centres, evaluate(W)), i, W) for i, W in enumerate(members)), key=lambda one: -one[0])
    worst = ranked[0][0]
    for far, _, W in ranked[:3]:
        size, here, reached = float(np.abs(W).max()) or 1.0, W, far
        for step in range(climbs):
            moved = project(here + size * 0.5 ** (1 + 8 * step / climbs) * rng.normal(size=W.shape))
            distance = distance_to(centres, evaluate(moved))
            if distance > reached:
                here, reached = moved, distance
        worst = max(worst, reached)
    return worst
