"""A bidirectional recurrent network, as in appendix E of Mousavi-Hosseini et al. 2025, for E trials at a time.

    h_i = tanh(W_x z_i + b_x + W_h h_{i-1} + b_h)                                  cell tanh
    y_i = W_y (h_i forward, h_i backward) + b_y

The cell gru has three maps where this has one, for the gates r and s and for a candidate c, in torch's convention:

    r, s = sigmoid(W_x z + b_x + W_h h + b_h),   c = tanh(W_x z + b_x + r * (W_h h + b_h)),   h' = (1 - s) c + s h

Every parameter starts uniformly in +-1 / sqrt(numbers of a state), those of the read-out in +-1 / sqrt(inputs), and
decays. The maps of all tokens are one product, and both directions of all trials are rows of the product of a step.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.regression import Regression

from .encoder import Parameters


def gates(config: Regression) -> int:
    return 3 if config.cell == "gru" else 1


def shapes(config: Regression) -> dict[str, tuple[int, ...]]:
    h = config.states
    wide = gates(config) * h
    maps = {"W_x": (2, config.D, wide), "b_x": (2, wide), "W_h": (2, h, wide), "b_h": (2, wide)}
    return {**maps, "W_y": (2, h), "b_y": (1,)}


def decayed(_: str) -> bool:
    return True


def initial(config: Regression, key: str) -> dict[str, np.ndarray]:
    rng, h = generator(key, "initialisation"), config.states
    return {
        name: rng.uniform(-1, 1, shape) * (2 * h if name.endswith("y") else h) ** -0.5
        for name, shape in shapes(config).items()
    }


def numbers(config: Regression) -> int:
    """That are held for a prompt."""
    return 4 * config.N * gates(config) * config.states


def outputs(config: Regression, p: Parameters, z: Tensor) -> Tensor:
    """(E, n, N) on tokens (E, n, N, D)."""
    E, n, N, _ = z.shape
    W_x, b_x, W_h, b_h, W_y = (p[name].flatten(0, 1) for name in ("W_x", "b_x", "W_h", "b_h", "W_y"))  # (2 E, ...)
    time = z.transpose(1, 2)
    both = torch.stack([time, time.flip(1)], 1).flatten(0, 1)  # (2 E, N, n, D), each in its own order
    given = torch.baddbmm(b_x[:, None], both.flatten(1, 2), W_x).unflatten(1, (N, n))
    states = (gated if config.cell == "gru" else plain)(given, W_h, b_h[:, None])
    read = torch.stack([(h @ W_y[..., None])[..., 0] for h in states], -1).unflatten(0, (E, 2))  # (E, 2, n, N)
    return read[:, 0] + read[:, 1].flip(-1) + p["b_y"][..., None]


def plain(given: Tensor, W_h: Tensor, b_h: Tensor) -> list[Tensor]:
    """The states (2 E, n, h) of cell tanh, from what is given to each step, (2 E, N, n, h)."""
    first, *others = (given + b_h[:, None]).unbind(1)
    states = [first.tanh()]
    for x in others:
        states.append(torch.baddbmm(x, states[-1], W_h).tanh())
    return states


def gated(given: Tensor, W_h: Tensor, b_h: Tensor) -> list[Tensor]:
    """The states (2 E, n, h) of cell gru, from what is given to each step, (2 E, N, n, 3 h)."""
    h = given.new_zeros(len(given), given.shape[2], W_h.shape[1])
    states: list[Tensor] = []
    both = 2 * h.shape[-1]  # gates
    for x in given.unbind(1):
        back = torch.baddbmm(b_h, h, W_h) if states else b_h.expand_as(x)
        r, s = (x[..., :both] + back[..., :both]).sigmoid().chunk(2, -1)
        c = torch.addcmul(x[..., both:], r, back[..., both:]).tanh()
        h = torch.lerp(c, h, s)
        states.append(h)
    return states
