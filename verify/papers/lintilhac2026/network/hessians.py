"""Second derivatives of constructed networks: pairs of blocks, the largest eigenvalue, and single directions."""

from __future__ import annotations

from itertools import combinations_with_replacement

from maurey.numeric.types import Tensor
from maurey.verify.tensors import torch

from .construction import Network, flat, named
from .perturbations import Case

FULL = 500  # parameters of a Hessian that is formed
CLOSE, MOST = 1e-5, 200  # of power iterations


def times(case: Case, at: Tensor, v: Tensor) -> Tensor:
    """The Hessian of the output at some parameters, times a vector."""
    leaf = at.clone().requires_grad_()
    (slope,) = torch.autograd.grad(case.output(leaf), [leaf], create_graph=True)
    return torch.autograd.grad(slope @ v, [leaf])[0]


def full(case: Case) -> Tensor:
    return torch.func.hessian(case.output)(case.theta)


def pairs(case: Case) -> dict[tuple[str, str], float]:
    """The operator norm of every pair of blocks."""
    second = named_blocks(case, full(case))
    return {
        (one, other): float(torch.linalg.matrix_norm(second[i][j], 2))
        for (i, one), (j, other) in combinations_with_replacement(enumerate(Network._fields), 2)
    }


def named_blocks(case: Case, second: Tensor) -> list[list[Tensor]]:
    lengths = [block.numel() for block in case.net]
    return [list(rows.split(lengths, dim=1)) for rows in second.split(lengths, dim=0)]


def operator(case: Case) -> float:
    """The operator norm; of large networks from below, by power iteration."""
    if len(case.theta) <= FULL:
        return float(torch.linalg.eigvalsh(full(case)).abs().max())
    v = torch.randn(len(case.theta), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    before = 0.0
    for _ in range(MOST):
        v = times(case, case.theta, v / v.norm())
        if abs(float(v.norm()) - before) <= CLOSE * before:
            break
        before = float(v.norm())
    return float(v.norm())


def scores_apart(case: Case) -> Tensor:
    """The unit direction in F that moves the scores of zero counts against those of counts one: the difference of their
    hidden vectors, times the second layer's scores, in the columns of the positions."""
    hidden = case.inside.u.relu()
    bits = torch.tensor(case.bits[: case.target.omega], dtype=torch.float64)
    apart = hidden[int(bits.argmin())] - hidden[int(bits.argmax())]
    E = Network(*(torch.zeros_like(block) for block in case.net))
    E.F.copy_(torch.outer(apart, case.net.W_2[:, -2]))
    return flat(E) / E.F.norm()


def along(case: Case, at: Tensor, v: Tensor) -> float:
    return float(v @ times(case, at, v))


def at_random(case: Case, sigma: float) -> Tensor:
    """Parameters moved by a draw."""
    rng = torch.Generator().manual_seed(0)
    return case.theta + sigma * torch.randn(len(case.theta), dtype=torch.float64, generator=rng)


def loss_trace(case: Case, at: Tensor) -> float:
    """The trace of the Hessian of the squared loss, at parameters near those of the case."""
    from .curvature import curvature

    found = curvature(named(at, case.net), case.z, case.masks)
    return float(found.loss(case.inside.f))
