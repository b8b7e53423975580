"""The three constructions of the authors' published code, beside the one of appendix B.

They compute sum of c_t chi(S_t), chi the product of signs 2 z - 1: (-1)^D (2 f - C), where f is the target here. A
token has E = T + 4 channels: its position, its bit, and three that are 0 at first (count, parity, sum).

  count  = D times the mean bit over S_t, at a representative of each component
  parity = sum over t = -1..D+1 of u_t relu(count - t), hats of height (-1)^(D-k) at every whole k
  sum    = C times the mean parity over representatives, with weights c_t/C, at the last position

Other scores are -40, in all columns of the query matrices. Softened: slopes of the units times s, outer weights divided
by s. Balanced: softened, and queries and keys with equal norms. Outputs stay the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from maurey.numeric.types import Tensor
from maurey.symbolic.claim import InputError
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target

ELSEWHERE = -40.0  # the score of what a query is not to see
SOFTENED = 0.25


class Scripted(NamedTuple):
    """All that is learned there but for biases of 0; key-query matrices are [channel of the query or key, of a token].
    The matrices of values have one entry, and so has what the MLP writes."""

    bits: Tensor  # (2,)
    positions: Tensor  # (T, T)
    Q_1: Tensor  # (E, E)
    K_1: Tensor
    V_1: Tensor  # D, from bit to count
    slopes: Tensor  # (D + 3,)
    offsets: Tensor
    outer: Tensor
    write: Tensor  # 1, to parity
    Q_2: Tensor
    K_2: Tensor
    V_2: Tensor  # C, from parity to sum


def representatives(target: Target) -> list[int]:
    """For each component its first position that is free, or else the first free one of all."""
    taken: list[int] = []
    for component in target.components:
        taken.append(next(j for j in (*component, *range(target.T)) if j not in taken))
    return taken


def original(target: Target) -> Scripted:
    T, D = target.T, target.D
    if T < 2:
        raise InputError("T = 1: the scores 2 log T tell nothing apart")
    scale, places, one = 2 * math.log(T), representatives(target), torch.ones((), dtype=torch.float64)
    Q_1, Q_2 = (torch.full((T + 4, T + 4), ELSEWHERE, dtype=torch.float64) for _ in range(2))
    for component, c, place in zip(target.components, target.c.tolist(), places, strict=True):
        Q_1[list(component), place] = scale
        Q_2[place, T - 1] = math.log(c) + scale
    K = torch.zeros(T + 4, T + 4, dtype=torch.float64)
    K[:T, :T] = torch.eye(T, dtype=torch.float64)
    steps = torch.arange(-1, D + 2, dtype=torch.float64)
    hats = torch.tensor([(-1.0) ** (D - k) for k in range(D + 1)], dtype=torch.float64)
    outer = torch.nn.functional.conv1d(hats[None], torch.tensor([[[1.0, -2.0, 1.0]]], dtype=torch.float64), padding=2)
    return Scripted(
        bits=torch.tensor([0.0, 1.0], dtype=torch.float64), positions=torch.eye(T, dtype=torch.float64),
        Q_1=Q_1, K_1=K, V_1=D * one, slopes=torch.ones_like(steps), offsets=-steps, outer=outer[0], write=one,
        Q_2=Q_2, K_2=K, V_2=target.C * one,
    )  # fmt: skip


def softened(target: Target) -> Scripted:
    net = original(target)
    return net._replace(slopes=SOFTENED * net.slopes, offsets=SOFTENED * net.offsets, outer=net.outer / SOFTENED)


def balanced(target: Target) -> Scripted:
    net = softened(target)
    first, second = ((K.norm() / Q.norm()).sqrt() for Q, K in ((net.Q_1, net.K_1), (net.Q_2, net.K_2)))
    return net._replace(Q_1=first * net.Q_1, K_1=net.K_1 / first, Q_2=second * net.Q_2, K_2=net.K_2 / second)


def output(net: Scripted, z: Tensor) -> Tensor:
    """For bits (n, T)."""
    n, T = z.shape
    X = torch.cat([net.positions.expand(n, -1, -1), net.bits[z.long()][:, :, None], z.new_zeros(n, T, 3)], dim=2)
    X[:, :, T + 1] = net.V_1 * (attention(net.Q_1, net.K_1, X) @ X[:, :, T, None])[:, :, 0]
    ramps = torch.relu(X[:, :, T + 1, None] * net.slopes + net.offsets)
    X[:, :, T + 2] = net.write * (ramps @ net.outer)
    return net.V_2 * (attention(net.Q_2, net.K_2, X)[:, T - 1] * X[:, :, T + 2]).sum(dim=1)


def attention(Q: Tensor, K: Tensor, X: Tensor) -> Tensor:
    """[string, query, key]."""
    return torch.softmax(X @ Q.T @ K @ X.transpose(1, 2), dim=2)


def norm_squared(net: Scripted) -> float:
    return float(sum((block**2).sum() for block in net))
