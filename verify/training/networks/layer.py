"""One multi-head attention layer read at [CLS], as in section 6 of Trauger and Tewari 2024, for E trials at a time.

    x = symbol[b] + sinusoid                       at T bits and [CLS], which has position 0; nothing here is trained
    logits = (W_O attention(x)_cls) W_R + b_R      one for each label

The paper names the layer, its two heads and the width 64. Decided here, once: the symbols 0, 1 and [CLS] are the first
three unit vectors; keys and values of a head have width / H coordinates; biases in all maps; matrices start uniformly
in +-sqrt(6 / (inputs + outputs)), biases at 0; Adam with its usual constants, no decay, no clipping, no dropout.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.boolean import Config

from .binary_attention import attend, table
from .encoder import Parameters, affine


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    d = config.width
    maps = {f"W_{name}": (d, d) for name in "QKVO"} | {f"b_{name}": (d,) for name in "QKVO"}
    return {**maps, "W_R": (d, 2), "b_R": (2,)}


def decayed(_: str) -> bool:
    return False


def initial(config: Config, key: str) -> dict[str, np.ndarray]:
    rng = generator(key, "initialisation")
    return {
        name: rng.uniform(-1, 1, shape) * math.sqrt(6 / sum(shape)) if name.startswith("W_") else np.zeros(shape)
        for name, shape in shapes(config).items()
    }


def sinusoids(number: int, width: int) -> Tensor:
    """(number, width): sin and cos of t / 10000^(2 i / width), in turn."""
    angles = torch.arange(number).double()[:, None] / 10_000 ** (torch.arange(0, width, 2).double() / width)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)[:, :width]


@cache
def tokens(config: Config, device: torch.device) -> Tensor:
    """What can stand at each position: (2 T + 1, d), zeros, ones, and [CLS]."""
    symbols, places = torch.eye(3, config.width).double(), sinusoids(config.T + 1, config.width)
    rows = [symbols[0] + places[1:], symbols[1] + places[1:], (symbols[2] + places[0])[None]]
    return torch.cat(rows).to(device, getattr(torch, config.dtype))


def terms(config: Config, p: Parameters) -> Tensor:
    """What attention sums over a string."""
    x = tokens(config, p["W_Q"].device).expand(len(p["W_Q"]), -1, -1)
    q, k, v = (affine(p, n, x[:, -1:] if n == "Q" else x).unflatten(-1, (config.heads, -1)) for n in "QKV")
    return table((k * q).sum(-1) / math.sqrt(q.shape[-1]), v)


def logits(config: Config, p: Parameters, strings: Tensor, known: Tensor | None = None) -> Tensor:
    """(E, n, 2) on strings (E, n, 2T), zeros and ones; `known` are the terms, if they are."""
    attended = attend(strings, terms(config, p) if known is None else known)
    return affine(p, "R", affine(p, "O", attended))
