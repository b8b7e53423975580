"""The recurrent network of Appendix B.2, written out: the transition that stores the tokens asked for and is exactly
zero elsewhere, its recursion over a prompt, and the read-out.

Inputs of the transition are chi_0 = (h, x, w_i, w_{t_1}, ..., w_{t_q}); h has q blocks of d coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maurey.numeric.types import Array

from .gates import Layer, gate, inner_product
from .lattices import even_signs, leech_vectors, two_places

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Sizes:
    d: int
    q: int
    d_e: int
    r_x: float

    @property
    def d_h(self) -> int:
        return self.q * self.d


def first_layer(s: Sizes, eps: float) -> Layer:
    """chi_1 = (x, <w_i, w_{t_1}>, ..., <w_i, w_{t_q}>): pairs +-x_k give x exactly, and q copies of one net the inner
    products within eps. Nothing reads h."""
    net, start = inner_product(s.d_e, eps), s.d_h + s.d
    columns = start + (s.q + 1) * s.d_e
    same = np.zeros((2 * s.d, columns))
    same[np.arange(s.d), s.d_h + np.arange(s.d)] = 1
    same[s.d + np.arange(s.d), s.d_h + np.arange(s.d)] = -1
    blocks, A = [same], np.zeros((s.d + s.q, 2 * s.d + s.q * net.width))
    A[:, : 2 * s.d] = np.vstack([np.hstack([np.eye(s.d), -np.eye(s.d)]), np.zeros((s.q, 2 * s.d))])
    for place in range(s.q):
        block = np.zeros((net.width, columns))
        block[:, start : start + s.d_e] = net.W[:, : s.d_e]
        block[:, start + (place + 1) * s.d_e : start + (place + 2) * s.d_e] = net.W[:, s.d_e :]
        blocks.append(block)
        A[s.d + place, 2 * s.d + place * net.width : 2 * s.d + (place + 1) * net.width] = net.A[0]
    return Layer(A, np.vstack(blocks), np.concatenate([np.zeros(2 * s.d), *[net.b] * s.q]))


def second_layer(s: Sizes, eps: float, top: float = 1.0) -> Layer:
    """chi_2(l) = 2 x sigma(<w_i, w_{t_l}> - 1/2), coordinate by coordinate, within eps; inner products up to `top`."""
    net = gate(s.r_x, eps, float(np.sqrt(1 + s.r_x**2)), top=top)
    W, A = np.zeros((s.d_h * net.width, s.d + s.q)), np.zeros((s.d_h, s.d_h * net.width))
    for row in range(s.d_h):
        units = slice(row * net.width, (row + 1) * net.width)
        W[units, row % s.d], W[units, s.d + row // s.d] = net.W[:, 0], net.W[:, 1]
        A[row, units] = net.A[0]
    return Layer(A, W, np.tile(net.b, s.d_h))


@dataclass(frozen=True)
class Deep:
    """W_L sigma(... sigma(W_1 x + b_1) ...); the last layer has no bias."""

    W: tuple[Array, ...]
    b: tuple[Array, ...]

    def __call__(self, x: Array) -> Array:
        for W, b in zip(self.W, self.b, strict=False):
            x = np.maximum(x @ W.T + b, 0)
        return np.asarray(x @ self.W[-1].T)

    @property
    def norm(self) -> float:
        return float(np.sqrt(sum((M**2).sum() for M in (*self.W, *self.b))))

    @property
    def parameters(self) -> int:
        return sum(M.size for M in (*self.W, *self.b))


def shares(s: Sizes, eps: float) -> tuple[float, float]:
    """Of half the error, half for each layer: the gate is 2 r_x-Lipschitz in the inner product."""
    return eps / (8 * s.r_x), eps / 4


def transition(s: Sizes, eps: float, rectified: bool = True) -> Deep:
    """Depth 4 with the rectifier sigma(u - eps/2) - sigma(-u - eps/2), which is 0 for |u| <= eps/2; else depth 3."""
    near, off = shares(s, eps)
    one, two = first_layer(s, near), second_layer(s, off, 1 + near)
    if not rectified:
        return Deep((one.W, two.W @ one.A, two.A), (one.b, two.b))
    last = np.hstack([np.eye(s.d_h), -np.eye(s.d_h)])
    threshold = np.full(2 * s.d_h, -eps / 2)
    return Deep((one.W, two.W @ one.A, np.vstack([two.A, -two.A]), last), (one.b, two.b, threshold))


def direct_transition(s: Sizes, eps: float) -> Deep:
    """Without a rectifier, and depth 3: sigma(x + r - v (1 - z)) - sigma(r - v (1 - z)) is x at z = 1, within v |1 - z|
    nearby, and exactly 0 as soon as v (1 - z) >= 2r. With inner products within e, v = 2r/(1/2 - e) makes it 0 for
    those of 1/2, and leaves an error of v e."""
    near = min(0.25, eps / (8 * s.r_x + 2 * eps))  # v e = 2r e/(1/2 - e) <= eps
    one, steep = first_layer(s, near), 2 * s.r_x / (0.5 - near)
    W, A = np.zeros((2 * s.d_h, s.d + s.q)), np.zeros((s.d_h, 2 * s.d_h))
    rows = np.arange(s.d_h)
    W[rows, rows % s.d] = 1
    W[rows, s.d + rows // s.d] = W[s.d_h + rows, s.d + rows // s.d] = steep
    A[rows, rows], A[rows, s.d_h + rows] = 1, -1
    return Deep((one.W, W @ one.A, A), (one.b, np.full(2 * s.d_h, s.r_x - steep)))


# --- the recursion -------------------------------------------------------------------------------------------------


def embedded(x: Array, w: Array, t: Indices) -> Array:
    """z_i = (x_i, w_i, w_{t_1}, ..., w_{t_q}) for a prompt of N tokens and one t."""
    return np.hstack([x, w[: len(x)], np.tile(w[t].ravel(), (len(x), 1))])


def states(f: Callable[[Array], Array], z: Array, d_h: int, r_h: float) -> tuple[Array, Array]:
    """The states before every token, from the left and from the right, projected on the ball of radius r_h."""
    N = len(z)
    forward, backward = np.zeros((N, d_h)), np.zeros((N, d_h))
    for i in range(1, N):
        for h, here, before, token in ((forward, i, i - 1, i - 1), (backward, N - 1 - i, N - i, N - i)):
            moved = h[before] + f(np.concatenate([h[before], z[token]])[None, :])[0]
            h[here] = moved * min(1.0, r_h / max(float(np.linalg.norm(moved)), 1e-300))
    return forward, backward


def ideal(x: Array, t: Indices) -> tuple[Array, Array]:
    """What the states should be: the tokens asked for that were seen, and zeros."""
    N, places = len(x), np.arange(len(x))[:, None, None]
    asked = np.broadcast_to(x[t], (N, *x[t].shape))
    seen, ahead = t[None, :, None] < places, t[None, :, None] > places
    return np.where(seen, asked, 0.0).reshape(N, -1), np.where(ahead, asked, 0.0).reshape(N, -1)


def read_out(s: Sizes, eps: float, link: Layer) -> Deep:
    """h_forward + h_backward + chi_2, carried by pairs, into the link's net; chi_2 within eps."""
    near, off = shares(s, 2 * eps)  # no rectifier here, so that the two shares may fill eps
    one, two = first_layer(Sizes(s.d, s.q, s.d_e, s.r_x), near), second_layer(s, off, 1 + near)
    d_h, rest = s.d_h, one.W.shape[1] - s.d_h
    both = np.hstack([np.eye(d_h), np.eye(d_h)])
    carry = np.hstack([np.vstack([both, -both]), np.zeros((2 * d_h, rest))])  # +-(h_forward + h_backward)
    W_1 = np.vstack([carry, np.hstack([one.W[:, :d_h] * 0, one.W])])
    again = np.hstack([np.eye(2 * d_h), np.zeros((2 * d_h, one.width))])
    W_2 = np.vstack([again, np.hstack([np.zeros((two.width, 2 * d_h)), two.W @ one.A])])
    W_3 = link.W @ np.hstack([np.eye(d_h), -np.eye(d_h), two.A])
    b_1, b_2 = np.concatenate([np.zeros(2 * d_h), one.b]), np.concatenate([np.zeros(2 * d_h), two.b])
    return Deep((W_1, W_2, W_3, link.A), (b_1, b_2, link.b))


# --- positions -----------------------------------------------------------------------------------------------------


def signs(N: int) -> Array:
    """Rows of Sylvester's matrix, divided by their length: orthogonal."""
    H = np.ones((1, 1))
    while len(H) < N:
        H = np.block([[H, H], [H, -H]])
    return H / np.sqrt(len(H))


@cache
def next_to(many: bool) -> Array:
    """Unit vectors with inner products of at most 1/2, all exactly 1/2 with the first: roots of E_8 (57), or shortest
    vectors of Leech's lattice (4601)."""
    roots = leech_vectors() if many else np.vstack([two_places(8, 2), even_signs(np.arange(8), 8)])
    products = roots @ roots[0]
    beside = roots[2 * products == products.max()]
    return np.vstack([roots[:1], beside]) / float(np.linalg.norm(roots[0]))
