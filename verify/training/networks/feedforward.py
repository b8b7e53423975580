"""Two ReLU layers on all tokens at once, as in appendix E of Mousavi-Hosseini et al. 2025, for E trials at a time.

    y = W_3 relu(W_2 relu(W_1 (z_1, ..., z_N) + b_1) + b_2) + b_3                 widths N d q and 1000

Every parameter starts uniformly in +-1 / sqrt(inputs), and decays.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.regression import Regression

from .encoder import Parameters, affine

SECOND = 1000  # its width


def shapes(config: Regression) -> dict[str, tuple[int, ...]]:
    widths = [config.N * config.D, config.N * config.d * config.q, SECOND, config.N]
    maps = {f"W_{i}": (widths[i - 1], widths[i]) for i in (1, 2, 3)}
    return maps | {f"b_{i}": (widths[i],) for i in (1, 2, 3)}


def decayed(_: str) -> bool:
    return True


def initial(config: Regression, key: str) -> dict[str, np.ndarray]:
    rng, all_shapes = generator(key, "initialisation"), shapes(config)
    return {
        name: rng.uniform(-1, 1, shape) * all_shapes[f"W_{name[2:]}"][0] ** -0.5 for name, shape in all_shapes.items()
    }


def numbers(config: Regression) -> int:
    """That are held for a prompt."""
    return config.N * (config.D + config.d * config.q) + SECOND


def outputs(config: Regression, p: Parameters, z: Tensor) -> Tensor:
    """(E, n, N) on tokens (E, n, N, D)."""
    hidden = affine(p, "1", z.flatten(2)).relu()
    return affine(p, "3", affine(p, "2", hidden).relu())
