"""The network of Lintilhac and Shaikh, appendix B: attention, trapezoidal MLP, attention, one head, no layer norm.

Token t = 1..T+1 is x_t = (e_t, z_t), with z_{T+1} = 0. Position t <= omega attends to component S_t, so that its data
channel holds the share k_t/D of ones; the MLP turns the share into [k_t even]; position T+1 attends to the components
with weights c_t/C and reads C times the average: f(z) = sum c_t [k_t even].

  a_t = softmax(X W_1 x_t)    b_t = W_V' X' a_t    r_t = relu(M' b_t + Gamma)    g_t = (x_t without z_t) + F' r_t
  s = softmax(G W_2 g_{T+1})  y = G v_2            f = s' y

Key-query matrices are indexed [key, query]. Scores are 2 log T against 0, which is not the infinity that the reasoning
wants: a *leaky* network attends a little to everything; the *ideal* one has masks in place of the leak and the same
parameters. A projection J, (T+1, d) with entries N(0, 1/d), replaces the one-hot e_t by rows of J.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maurey.numeric.types import Tensor
from maurey.symbolic.claim import InputError
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target

CELLS = 1 << 22  # hidden values at a time
EDGES = ((-2, 1.0), (-1, -1.0), (1, -1.0), (2, 1.0))  # where a trapezoid bends, in quarters of 1/D, and by how much


class Network(NamedTuple):
    """n = d + 1 channels, d of them for the position; 4 (D + 1) hidden units."""

    W_1: Tensor  # (n, n)
    W_V: Tensor  # (n, n)
    M: Tensor  # (n, hidden)
    Gamma: Tensor  # (hidden,)
    F: Tensor  # (hidden, n)
    W_2: Tensor  # (n, n)
    v_2: Tensor  # (n,)


class Masks(NamedTuple):
    """What is added to the scores: 0 where a query may look, -inf elsewhere."""

    layer_1: Tensor  # (T + 1, T + 1)
    layer_2: Tensor  # (T + 1,)


class Trace(NamedTuple):
    a: Tensor  # (n, T + 1, T + 1), [key, query]
    b: Tensor  # (n, T + 1, d + 1)
    r: Tensor  # (n, T + 1, hidden)
    g: Tensor  # (n, T + 1, d + 1)
    s: Tensor  # (n, T + 1)
    y: Tensor  # (n, T + 1)
    f: Tensor  # (n,)


def build(target: Target, projection: Tensor | None = None) -> Network:
    T, D, omega = target.T, target.D, target.omega
    if T < 2:
        raise InputError("T = 1: the scores 2 log T tell nothing apart")
    if projection is not None and len(projection) != T + 1:
        raise InputError(f"a projection has T + 1 = {T + 1} rows, one for each position, not {len(projection)}")
    J = torch.eye(T + 1, dtype=torch.float64) if projection is None else projection
    d, scale = J.shape[1], 2 * math.log(T)
    c = torch.from_numpy(target.c)

    inclusion = torch.zeros(T + 1, T + 1, dtype=torch.float64)
    inclusion[:T, :omega] = torch.from_numpy(target.members())
    reading = torch.zeros(T + 1, T + 1, dtype=torch.float64)
    reading[:omega, T] = torch.log(c) + scale
    W_1, W_2, W_V = (torch.zeros(d + 1, d + 1, dtype=torch.float64) for _ in range(3))
    W_1[:d, :d] = J.T @ (scale * inclusion) @ J
    W_2[:d, :d] = J.T @ reading @ J
    W_V[d, d] = 1

    units = [(i, o, sign) for i in range(D + 1) for o, sign in EDGES]
    M, F = torch.zeros(d + 1, len(units), dtype=torch.float64), torch.zeros(len(units), d + 1, dtype=torch.float64)
    M[d] = 1
    F[:, d] = torch.tensor([sign * 4 * D * (i % 2 == 0) for i, _, sign in units], dtype=torch.float64)
    Gamma = torch.tensor([(o - 4 * i) / (4 * D) for i, o, _ in units], dtype=torch.float64)
    v_2 = torch.zeros(d + 1, dtype=torch.float64)
    v_2[d] = target.C
    return Network(W_1=W_1, W_V=W_V, M=M, Gamma=Gamma, F=F, W_2=W_2, v_2=v_2)


def masks(target: Target) -> Masks:
    """Position t <= omega sees its component alone, the last position sees the components alone."""
    T, omega = target.T, target.omega
    layer_1, layer_2 = torch.zeros(T + 1, T + 1, dtype=torch.float64), torch.zeros(T + 1, dtype=torch.float64)
    layer_1[:T, :omega] = torch.log(torch.from_numpy(target.members()))
    layer_1[T, :omega] = -math.inf
    layer_2[omega:] = -math.inf
    return Masks(layer_1, layer_2)


def random_projection(T: int, d: int, seed: int) -> Tensor:
    """J, with expected J'J = (T+1)/d and JJ' near the identity."""
    return torch.from_numpy(np.random.default_rng(seed).standard_normal((T + 1, d)) / math.sqrt(d))


def width(T: int, eps: float, c_J: float = 8.0) -> int:
    """Positions this wide have inner products within eps of 0 and 1, by Johnson and Lindenstrauss."""
    return math.ceil(c_J * math.log(T) / eps**2)


def run(net: Network, z: Tensor, masks: Masks | None = None, projection: Tensor | None = None) -> Trace:
    """Everything on the way to the output, for bits (n, T)."""
    n, T = z.shape
    E = torch.eye(T + 1, dtype=net.W_1.dtype) if projection is None else projection
    bits = torch.cat([z.to(net.W_1.dtype), torch.zeros(n, 1, dtype=net.W_1.dtype)], dim=1)
    X = torch.cat([E.expand(n, -1, -1), bits[:, :, None]], dim=2)
    kept = torch.cat([E, torch.zeros(T + 1, 1, dtype=net.W_1.dtype)], dim=1)
    scores = X @ net.W_1 @ X.transpose(1, 2)
    a = torch.softmax(scores if masks is None else scores + masks.layer_1, dim=1)
    b = a.transpose(1, 2) @ X @ net.W_V
    r = torch.relu(b @ net.M + net.Gamma)
    g = kept + r @ net.F
    read = (g @ (net.W_2 @ g[:, T, :, None]))[:, :, 0]
    s = torch.softmax(read if masks is None else read + masks.layer_2, dim=1)
    y = g @ net.v_2
    return Trace(a=a, b=b, r=r, g=g, s=s, y=y, f=(s * y).sum(dim=1))


def output(net: Network, z: Tensor, masks: Masks | None = None, projection: Tensor | None = None) -> Tensor:
    """f(z) for bits (n, T), a part of them at a time."""
    part = max(1, CELLS // ((z.shape[1] + 1) * (len(net.Gamma) + z.shape[1])))
    return torch.cat([run(net, some, masks, projection).f for some in z.split(part)])


def flat(net: Network) -> Tensor:
    """All parameters in one vector, in the order of the blocks."""
    return torch.cat([block.reshape(-1) for block in net])


def named(vector: Tensor, like: Network) -> Network:
    """The vector as blocks with the shapes of another network."""
    parts = vector.split([block.numel() for block in like])
    return Network(*(part.reshape(block.shape) for part, block in zip(parts, like, strict=True)))
