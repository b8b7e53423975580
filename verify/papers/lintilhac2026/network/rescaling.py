"""Networks that compute what the constructed one does, with less norm and less sharpness (appendix D).

ReLUs are homogeneous: (alpha M, alpha Gamma, F/alpha) is the same function. Norms of M and Gamma then grow and their
gradients shrink, those of F the other way round. And the four units of an odd count have no weight in F at all: they
can be left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maurey.numeric.types import Tensor
from maurey.verify.training.tasks.walsh import Target

from .construction import Network, build, masks
from .curvature import curvature
from .sharpness import gradients, norms

SCALES = np.geomspace(0.2, 20, 4001)  # on which products are minimised


class Balance(NamedTuple):
    """up and down: alpha^2 up + down/alpha^2 + rest."""

    up: float
    down: float
    rest: float

    @property
    def best(self) -> float:
        return math.inf if not self.up else float((self.down / self.up) ** 0.25)

    def at(self, alpha: float | NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(alpha**2 * self.up + self.down / alpha**2 + self.rest)


def of_norm(target: Target) -> Balance:
    blocks = norms(target)
    inner, outer = float(blocks.M + blocks.Gamma), float(blocks.F_data)
    return Balance(inner, outer, float(blocks.total) - inner - outer)


def of_gradient(target: Target, z: NDArray) -> Balance:
    """Of the mean over strings."""
    blocks = gradients(target, z)
    inner, outer = (float(part.mean()) for part in (blocks.M + blocks.Gamma, blocks.F_data + blocks.F_positions))
    return Balance(outer, inner, float(blocks.total.mean()) - inner - outer)


def best_product(norm: Balance, gradient: Balance) -> float:
    """Where norm times gradient is least, on which the bound depends."""
    return float(SCALES[np.argmin(norm.at(SCALES) * gradient.at(SCALES))])


def rescaled(net: Network, alpha: float) -> Network:
    return net._replace(M=alpha * net.M, Gamma=alpha * net.Gamma, F=net.F / alpha)


def pruned(net: Network) -> Network:
    """Without units that nothing reads."""
    kept = net.F.abs().sum(dim=1) > 0
    return net._replace(M=net.M[:, kept], Gamma=net.Gamma[kept], F=net.F[kept])


def measured(net: Network, z: Tensor, target: Target) -> tuple[float, float]:
    """Squared norm and mean squared gradient of a network with the target's masks."""
    return sum(block.square().sum().item() for block in net), curvature(net, z, masks(target)).gradient.mean().item()


def improved(target: Target, alpha: float, prune: bool) -> Network:
    net = build(target)
    return rescaled(pruned(net) if prune else net, alpha)
