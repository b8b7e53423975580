"""Constructed networks whose parameters move: how far everything inside moves.

The sizes of a perturbation are what the lemmas of appendices I to M speak of: e_M, e_F, e_2 (spectral), e_Gamma, e_v
(Euclidean), eta_1 (the largest change of a score of the first layer) and eta_V (of a value).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maurey.numeric.types import Tensor
from maurey.verify.attack.norm_balls import spectral
from maurey.verify.checks import Effort
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, random_target, tiling

from .construction import Masks, Network, build, flat, masks, named, run

Moves = dict[str, Tensor]


class Case:
    """One target, one string, and the ideal network for them. All is made at once: what is first made under a
    transformation of torch belongs to that transformation."""

    def __init__(self, target: Target, bits: Sequence[int]) -> None:
        self.target, self.bits = target, tuple(bits)
        self.net: Network = build(target)
        self.masks: Masks | None = masks(target)  # none: softmax in the first layer too
        self.theta = flat(self.net)
        self.z = torch.tensor([self.bits], dtype=torch.float64)
        last = torch.zeros(1, dtype=torch.float64)
        self.X = torch.cat([torch.eye(target.T + 1, dtype=torch.float64), torch.cat([self.z[0], last])[:, None]], dim=1)
        self.inside = inside(self, self.net)
        self.gradient = self._gradient()

    def _gradient(self) -> Tensor:
        leaf = self.theta.clone().requires_grad_()
        return torch.autograd.grad(self.output(leaf), [leaf])[0]

    def output(self, vector: Tensor) -> Tensor:
        return run(named(vector, self.net), self.z, self.masks).f[0]

    def at(self) -> dict[str, int]:
        return {"omega": self.target.omega, "D": self.target.D, "T": self.target.T}

    def shown(self) -> dict[str, Any]:
        return {
            "T": self.target.T,
            "components": [list(component) for component in self.target.components],
            "coefficient": [str(c) for c in self.target.coefficients],
            "string": "".join(map(str, self.bits)),
        }


@dataclass(frozen=True)
class Inside:
    """What a network computes on the way, and slopes of its output."""

    b: Tensor  # (T + 1, T + 2)
    u: Tensor  # (T + 1, hidden): inputs of the units
    g: Tensor  # (T + 1, T + 2)
    s: Tensor  # (T + 1,)
    f: Tensor
    delta: Tensor  # (T + 1,): slope of f in the scores of the second layer
    query: Tensor  # (T + 2,): W_2 g_{T+1}
    slope: Tensor  # (T + 1, T + 2): of f in g
    jacobian: Tensor  # (omega, T + 2, T + 2): of g_t in b_t, rows b


def inside(case: Case, net: Network) -> Inside:
    _, b, r, g, s, y, f = (x[0] for x in run(net, case.z, case.masks))
    delta, query = s * (y - f), net.W_2 @ g[-1]
    last = torch.eye(len(s), dtype=torch.float64)[:, -1:]
    slope = s[:, None] * net.v_2 + delta[:, None] * query + last * (net.W_2.T @ (g.T @ delta))
    on = (r[: case.target.omega] > 0).to(r.dtype)
    return Inside(
        b=b,
        u=b @ net.M + net.Gamma,
        g=g,
        s=s,
        f=f,
        delta=delta,
        query=query,
        slope=slope,
        jacobian=net.M @ (on[:, :, None] * net.F),
    )


def sizes(case: Case, E: Network) -> Moves:
    return {
        "e_M": spectral(E.M),
        "e_F": spectral(E.F),
        "e_2": spectral(E.W_2),
        "e_Gamma": E.Gamma.norm(),
        "e_v": E.v_2.norm(),
        "eta_1": (case.X @ E.W_1 @ case.X.T).abs().amax(),
        "eta_V": (case.X @ E.W_V).norm(dim=1).amax(),
    }


def column_sizes(case: Case, E: Network) -> Moves:
    """With the largest column of the perturbation of F, where a lemma asks for no more."""
    return sizes(case, E) | {"e_F": E.F.norm(dim=0).amax()}


def moved(case: Case, E: Network) -> Network:
    return Network(*(block + change for block, change in zip(case.net, E, strict=True)))


def values(case: Case, E: Network) -> Moves:
    """How far everything on the way to the output moves, by the part of the lemma that speaks of it."""
    at, omega = case.inside, case.target.omega
    to = inside(case, moved(case, E))
    tokens, slopes = (to.g - at.g).norm(dim=1), (to.slope - at.slope).norm(dim=1)
    columns = (to.jacobian - at.jacobian).norm(dim=1)
    return {
        "21 b": (to.b - at.b).norm(dim=1).amax(),
        "22 shift": (to.u - at.u)[:omega].abs().amax(),
        "22 r": (to.u.relu() - at.u.relu())[:omega].norm(dim=1).amax(),
        "22 g": tokens[:omega].amax(),
        "23 q": tokens[omega:].amax(),
        "24 moved": (to.f - at.f).abs(),
        "25 column": columns[:, :-1].amax(),
        "25 data": columns[:, -1].amax(),
        "27 s": (to.s - at.s).abs().sum(),
        "28 delta": (to.delta - at.delta).abs().sum(),
        "28 query": (to.query - at.query).norm(),
        "28 output": slopes[-1],
        "28 sum": slopes.sum(),
    }


def gradients(case: Case, E: Network) -> Moves:
    """How far the gradient of every block moves."""
    change = torch.func.grad(case.output)(case.theta + flat(E)) - case.gradient
    blocks = named(change, case.net)
    return {"30 moved": change.norm()} | {
        f"30 moved_{name}": block.norm() for name, block in zip(Network._fields, blocks, strict=True)
    }


def measured(case: Case, moves: Tensor, of: Callable[[Case, Network], Moves]) -> Moves:
    """For perturbations (B, parameters)."""
    found: Moves = torch.func.vmap(lambda vector: of(case, named(vector, case.net)))(moves)
    return found


# --- cases -----------------------------------------------------------------------------------------------------------


def targets(effort: Effort, most: int = 8) -> Iterator[Target]:
    """Small ones at the edges of the domain, then random ones of all degrees and sparsities with T^-2 <= c_t."""
    yield tiling(2, 1)
    yield tiling(4, 2)
    yield Target(3, ((0,),), (1,))  # whose strings with a single one put the output's units on their kinks
    yield Target(5, ((0, 1), (1, 2), (3, 4), (0, 4)), (8, 4, 2, 1))
    rng = np.random.default_rng(effort.seed)
    for _ in range(2 * (effort.scale - 1)):
        T = int(rng.integers(2, most + 1))
        D = int(rng.integers(1, T + 1))
        target = random_target(T, D, int(rng.integers(1, min(T, math.comb(T, D)) + 1)), rng)
        if target.c.min() >= float(T) ** -2:
            yield target


def cases(effort: Effort, most: int = 8) -> Iterator[Case]:
    """A random string each, after one with a single one in it."""
    rng = np.random.default_rng(effort.seed)
    for i, target in enumerate(targets(effort, most)):
        bits = rng.integers(0, 2, size=target.T) if i > 2 else np.arange(target.T) == 0
        yield Case(target, [int(bit) for bit in bits])
