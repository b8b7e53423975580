"""What the sharpness of a trained network is: squared norms, the trace of its loss's Hessian, and how heavy losses are.

With the squared loss, Tr of the Hessian = 2 mean |grad f|^2 + 2 mean (f - y) Tr grad^2 f. The first part is exact, by
the gradient of every string. In the second, u . (grad^2 f) u for signs u at random has the trace as its mean
(Hutchinson): the strings are split into as many parts as there are probes, and what the parts say has a mean and a
standard error.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import grad, vmap

from maurey.verify.training.engine.state import MODELS, named
from maurey.verify.training.trials.parities import Spectrum

TOGETHER = 128  # strings whose gradients are held at a time
TILTS = np.concatenate([-np.geomspace(1e3, 1e-2, 101), np.geomspace(1e-2, 1e3, 101)])


def output(config: Spectrum, flat: Tensor, strings: Tensor) -> Tensor:
    """(n,) of one network (parameters,), on strings (n, P)."""
    found: Tensor = MODELS[config.model].outputs(config, named(config, flat[None]), strings[None])[0, :, 0]
    return found


def measured(
    config: Spectrum, flat: Tensor, strings: Tensor, labels: Tensor, held: Tensor, rng: np.random.Generator
) -> dict[str, Any]:
    """Squared norms by block, the trace on the training strings, the sub-Gaussian constant of held-out losses."""
    blocks = {name: float(value.double().square().sum()) for name, value in named(config, flat[None]).items()}
    each = curvatures(config, flat, strings, labels, config.probes, rng)
    return {
        "norms": blocks,
        "gradient": 2 * gradients(config, flat, strings),
        "residual": float(each.mean()),
        "residual_error": float(each.std(ddof=1) / math.sqrt(len(each))),
        "subgaussian": subgaussian(held.double().cpu().numpy()),
    }


def gradients(config: Spectrum, flat: Tensor, strings: Tensor) -> float:
    """mean |grad f|^2, a gradient for every string."""
    p, model = named(config, flat[None]), MODELS[config.model]

    def one(string: Tensor) -> Tensor:
        slopes = grad(lambda own: model.outputs(config, own, string[None, None])[0, 0, 0])(p)
        return sum(slope.square().sum() for slope in slopes.values())

    return math.fsum(float(vmap(one)(part).double().sum()) for part in strings.split(TOGETHER)) / len(strings)


def curvatures(
    config: Spectrum, flat: Tensor, strings: Tensor, labels: Tensor, probes: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """2 mean (f - y) u . (grad^2 f) u over each of so many parts of the strings, every one with signs u of its own."""
    found = []
    for own, y in zip(strings.chunk(probes), labels.chunk(probes), strict=True):
        u = torch.from_numpy(rng.integers(0, 2, len(flat)) * 2.0 - 1).to(flat)
        w = flat.detach().requires_grad_()
        f = output(config, w, own)
        (slope,) = torch.autograd.grad((2 * (f - y).detach() * f).mean(), w, create_graph=True)
        (bend,) = torch.autograd.grad(slope @ u, w)
        found.append(float((bend.double() * u.double()).sum()))
    return np.array(found)


def subgaussian(losses: NDArray[np.float64]) -> float:
    """The least Sigma with mean exp(t (l - mean)) <= exp(t^2 Sigma^2/2) for these losses at all t of the grid."""
    off = losses - losses.mean()
    tilted = TILTS[:, None] * off
    top = tilted.max(1)
    logs = top + np.log(np.exp(tilted - top[:, None]).mean(1))
    return float(math.sqrt(max(0.0, (2 * logs / TILTS**2).max())))
