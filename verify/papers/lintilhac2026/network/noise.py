"""Gaussian perturbations of all parameters of a network, and which hidden units they carry over a kink."""

from __future__ import annotations

from maurey.numeric.types import Tensor
from maurey.verify.tensors import torch

from .construction import Masks, Network, flat, named, run


def perturbations(net: Network, number: int, seed: int) -> Tensor:
    """Standard normal vectors, one for every network that is to be drawn: (number, parameters)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(number, len(flat(net)), generator=generator, dtype=torch.float64)


def moved(net: Network, by: Tensor) -> Network:
    return named(flat(net) + by, net)


def crossed(net: Network, other: Network, z: Tensor, masks: Masks | None, omega: int) -> Tensor:
    """For strings (n, T): whether a unit is on in one network and off in the other, at a position that holds one of the
    omega components and at one that holds none: (n, 2)."""
    change = (run(net, z, masks).r > 0) != (run(other, z, masks).r > 0)
    return torch.stack([change[:, :omega].flatten(1).any(dim=1), change[:, omega:].flatten(1).any(dim=1)], dim=1)
