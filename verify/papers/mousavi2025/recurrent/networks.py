"""Recurrent networks of the upper bounds, run in both directions, and networks drawn in the balls of their classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from maurey.numeric.types import Array

from .transition import Deep

Map = Callable[[Array], Array]


def direction(f: Map, z: Array, d_h: int, r_h: float) -> Array:
    """h_1 = 0 and h_{i+1} = P(h_i + f(h_i, z_i)); tokens in rows."""
    h = np.zeros((len(z), d_h))
    for i in range(len(z) - 1):
        moved = h[i] + f(np.concatenate([h[i], z[i]])[None])[0]
        h[i + 1] = moved * min(1.0, r_h / max(float(np.linalg.norm(moved)), 1e-300))
    return h


def outputs(forward: Map, backward: Map, read: Map, z: Array, d_h: int, r_h: float) -> Array:
    left, right = direction(forward, z, d_h, r_h), direction(backward, z[::-1], d_h, r_h)[::-1]
    return read(np.hstack([left, right, z]))[:, 0]


def drawn(sizes: list[int], rng: np.random.Generator) -> Deep:
    weights = tuple(rng.normal(size=(b, a)) for a, b in pairwise(sizes))
    return Deep(weights, tuple(rng.normal(size=b) for b in sizes[1:-1]))


def shifted(f: Map, by: Array) -> Map:
    return lambda x: f(x) + by


# --- networks in balls ---------------------------------------------------------------------------------------------


def scaled(M: Array, R: float, rows: bool = False) -> Array:
    size = np.linalg.norm(M, axis=1, keepdims=True) if rows else np.linalg.norm(M)
    return np.asarray(M * R / np.maximum(size, 1e-12))


def deep(blocks: list[Array], L: int) -> Deep:
    return Deep(tuple(blocks[:L]), tuple(blocks[L:]))


def distance(one: list[Array], two: list[Array]) -> float:
    return math.sqrt(sum(float(((a - b) ** 2).sum()) for a, b in zip(one, two, strict=True)))


def in_ball(nets: tuple[Deep, Deep, Deep], radius: float) -> tuple[Deep, Deep, Deep]:
    total = math.sqrt(sum(net.norm**2 for net in nets))
    f, b, y = (deep([M * radius / total for M in (*net.W, *net.b)], len(net.W)) for net in nets)
    return f, b, y
