"""ReLU layers a^T sigma(W x + b) that are written down: inner products, and a coordinate times a gate.

Both come from interpolating squares. On [k h, (k+1) h] the chord of s^2 exceeds it by (s - k h)((k+1) h - s) <= h^2/4,
and a product is a difference of two squares, so that errors of one sign partly cancel:
    u v = ((u + v)^2 - (u - v)^2)/4,                         within h^2/16;
    x sigma(v) = (sigma(v + a x)^2 - sigma(v - a x)^2)/(4 a), within a x^2/4 (nothing where |a x| <= |v|), and h^2/(8 a)
for chords. This needs far fewer units than what is stated, which holds for all Lipschitz functions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from maurey.numeric.types import Array


@dataclass(frozen=True)
class Layer:
    """x -> A sigma(W x + b), on vectors in rows."""

    A: Array
    W: Array
    b: Array

    def __call__(self, x: Array) -> Array:
        return np.asarray(np.maximum(x @ self.W.T + self.b, 0) @ self.A.T)

    @property
    def width(self) -> int:
        return len(self.b)


def rows_1(M: Array) -> float:
    """|M^T|_{1,inf}, the largest l1 norm of a row."""
    return float(np.abs(M).sum(axis=1).max(initial=0.0))


def chords(K: int, h: float) -> tuple[Array, Array]:
    """Knots 0, h, ..., (K-1) h and coefficients c with sum_k c_k sigma(s - knot_k) the chords of s^2 on [0, K h]."""
    return h * np.arange(K, dtype=float), h * np.where(np.arange(K) == 0, 1.0, 2.0)


def product_steps(d_e: int, eps: float) -> int:
    """Chords on [0, 2] so short that d_e products are off by at most eps: d_e (2/K)^2/16 <= eps."""
    return max(1, math.ceil(math.sqrt(d_e / eps) / 2))


def inner_product(d_e: int, eps: float) -> Layer:
    """<w_1, w_2> within eps for unit vectors, read from (w_1, w_2). Rows have l1 norm 1 and biases are at most 1."""
    K = product_steps(d_e, eps)
    knots, c = chords(K, 2 / K)
    W, b, a = [], [], []
    for j in range(d_e):
        for second in (1, -1):  # u + v, u - v
            for side in (1, -1):
                row = np.zeros(2 * d_e)
                row[[j, d_e + j]] = side / 2, side * second / 2
                W.append(np.tile(row, (K, 1)))
                b.append(-knots / 2)
                a.append(second * c / 2)
    return Layer(np.concatenate(a)[None, :], np.vstack(W), np.concatenate(b))


def gate(r: float, eps: float, R: float, carry: bool = False, top: float = 1.0) -> Layer:
    """h + 2 x sigma(z - 1/2), read from (h, x, z), or without h from (x, z), within eps for |x| <= r and z <= top. Rows
    have l1 norm 1/R at most, biases at most 1 where R^2 >= 1 + r^2."""
    W, b, a = [], [], []
    if eps < 2 * r * (top - 0.5):  # else 0 is near enough
        slant = eps / r**2
        K = max(1, math.ceil((top - 0.5 + slant * r) * r / (2 * eps)))
        knots, c = chords(K, 2 * eps / r)
        for side in (1, -1):
            W.append(np.tile([0.0, side * slant, 1.0], (K, 1)))
            b.append(-0.5 - knots)
            a.append(side * c / (2 * slant))
    if carry:
        W.append(np.array([[1.0, 0, 0], [-1.0, 0, 0]]))
        b.append(np.zeros(2))
        a.append(np.array([1.0, -1.0]))
    weights, biases, out = np.vstack([*W, np.zeros((0, 3))]), np.concatenate([*b, []]), np.concatenate([*a, []])
    scale = R * np.abs(weights).sum(axis=1)
    weights, biases, out = weights / scale[:, None], biases / scale, out * scale
    return Layer(out[None, :], weights if carry else weights[:, 1:], biases)
