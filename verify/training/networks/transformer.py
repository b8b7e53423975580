"""An attention layer and a ReLU layer at each token, as in appendix E of Mousavi-Hosseini et al. 2025, for E trials at
a time.

    a_i = sum_j softmax_j((W_Q z_i + b_Q) . (W_K z_j + b_K) / sqrt D) (W_V z_j + b_V)      in each of H heads
    y_i = W_2 relu(W_1 (W_O (a_i1, ..., a_iH) + b_O) + b_1) + b_2

Queries, keys and values of a head are as wide as a token, D. The start is that of torch's modules: W_Q, W_K and W_V
uniform in +-sqrt(6 / (inputs + outputs)) of the three as one map, D to 3 D; their biases and b_O at 0; the rest uniform
in +-1 / sqrt(inputs). All parameters decay.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.regression import Regression

from .encoder import Parameters, affine


def shapes(config: Regression) -> dict[str, tuple[int, ...]]:
    D, H, width = config.D, config.H, config.width
    attention = {"W_in": (D, 3 * H * D), "b_in": (3 * H * D,), "W_O": (H * D, D), "b_O": (D,)}
    return {**attention, "W_1": (D, width), "b_1": (width,), "W_2": (width, 1), "b_2": (1,)}


def decayed(_: str) -> bool:
    return True


def initial(config: Regression, key: str) -> dict[str, np.ndarray]:
    rng = generator(key, "initialisation")
    bounds = {"in": math.sqrt(6 / (4 * config.D)), "O": (config.H * config.D) ** -0.5}
    bounds |= {"1": config.D**-0.5, "2": config.width**-0.5}
    return {
        name: np.zeros(shape) if name in ("b_in", "b_O") else rng.uniform(-1, 1, shape) * bounds[name[2:]]
        for name, shape in shapes(config).items()
    }


def numbers(config: Regression) -> int:
    """That are held for a prompt."""
    return config.N * (config.H * (4 * config.D + 2 * config.N) + config.width)


def outputs(config: Regression, p: Parameters, z: Tensor) -> Tensor:
    """(E, n, N) on tokens (E, n, N, D)."""
    E, n, N, D = z.shape
    parts = affine(p, "in", z.flatten(1, 2)).view(E * n, N, 3, config.H, D)
    q, k, v = parts.permute(2, 0, 3, 1, 4)  # (E n, H, N, D)
    attended = (q @ k.mT).div(math.sqrt(D)).softmax(-1) @ v
    y = affine(p, "O", attended.transpose(1, 2).reshape(E, n * N, config.H * D))
    return affine(p, "2", affine(p, "1", y).relu()).view(E, n, N)


@torch.no_grad()
def between(config: Regression, p: Parameters) -> dict[str, list]:
    """Of one trial, without E: for every head qk = W_Q^T W_K (D, D) and qk_bias = W_K^T b_Q (D,). The score of a query
    z_i and a key z_j is (z_i . qk z_j + qk_bias . z_j) / sqrt D, up to what all keys share."""
    W_Q, W_K, _ = p["W_in"].unflatten(-1, (3, config.H, -1)).double().permute(1, 2, 0, 3)  # (H, D, D), inputs first
    b_Q = p["b_in"].unflatten(-1, (3, config.H, -1)).double()[0]
    found = {"qk": W_Q @ W_K.mT, "qk_bias": (W_K @ b_Q[..., None])[..., 0]}
    return {name: value.round(decimals=4).tolist() for name, value in found.items()}
