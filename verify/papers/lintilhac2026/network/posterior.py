"""Networks drawn around a constructed one, or around zero: losses, how heavy they are, and ReLUs that turn over."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from maurey.numeric.types import Tensor
from maurey.verify.papers.lintilhac2026 import hypotheses
from maurey.verify.papers.lintilhac2026.hypotheses import Estimate
from maurey.verify.tensors import torch
from maurey.verify.training.tasks import walsh

from . import construction, sharpness
from .noise import moved, perturbations

NETWORKS, STRINGS = 100, 128  # drawn networks, and strings for each of them
TURNED, SAMPLE = 128, 1024  # strings on which ReLUs are watched, and those for the network itself


def strings(target: walsh.Target, number: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    z = rng.integers(0, 2, (number, target.T), dtype=np.uint8)
    return torch.from_numpy(z), torch.from_numpy(walsh.values(target, z))


def around(center: construction.Network, sigma: float, number: int, seed: int) -> Iterator[construction.Network]:
    """Networks of N(center, sigma^2 I)."""
    for i in range(number):
        yield moved(center, sigma * perturbations(center, 1, seed + i)[0])


def estimate(values: list[float]) -> Estimate:
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


def root_mean_square(values: list[float]) -> Estimate:
    mean, error = estimate([x**2 for x in values])
    return math.sqrt(mean), error / (2 * math.sqrt(mean)) if mean else 0.0


def measure(
    target: walsh.Target,
    sigma: float,
    ideal: bool = True,
    networks: int = NETWORKS,
    seed: int = 0,
    number: int = STRINGS,
) -> hypotheses.Network:
    """The constructed network in the place of a learned one, on uniform strings, so that sample and other strings are
    alike; every drawn network has strings of its own. The trace is that with exact attention."""
    from maurey.verify.training.readings.curvature import subgaussian

    rng, net = np.random.default_rng(seed), construction.build(target)
    masks = construction.masks(target) if ideal else None
    z, y = strings(target, SAMPLE, rng)
    theta = construction.flat(net).requires_grad_()
    each = (construction.output(construction.named(theta, net), z, masks) - y).square()
    (slope,) = torch.autograd.grad(each.mean(), theta)
    losses, flips, posterior, prior = [], [], [], []
    for one in around(net, sigma, networks, seed):
        z_own, y_own = strings(target, number, rng)
        own = (construction.output(one, z_own, masks) - y_own).square().numpy()
        losses.append(float(own.mean()))
        posterior.append(subgaussian(own))
        on = [construction.run(some, z_own[:TURNED], masks).r[:, : target.omega] > 0 for some in (one, net)]
        flips.append(float((on[0] != on[1]).double().mean()))
    zero = construction.Network(*(torch.zeros_like(block) for block in net))
    for one in around(zero, sigma, networks // 4, seed + networks):
        z_own, y_own = strings(target, number, rng)
        prior.append(subgaussian((construction.output(one, z_own, masks) - y_own).square().numpy()))
    loss, (own_constant, error) = float(each.detach().mean()), root_mean_square(posterior)
    return hypotheses.Network(
        loss=loss,
        norm_squared=float(sharpness.norms(target).total),
        trace=float(sharpness.hessian_trace(target, z.numpy()).mean()),
        risk=loss,
        gradient=float(slope.norm()),
        drawn_loss=estimate(losses),
        flipped=float(np.mean(flips)),
        Sigma={
            "learned": subgaussian(each.detach().numpy()),
            "posterior": own_constant,
            "prior": min(prior),
        },
        Sigma_error=error,
    )
