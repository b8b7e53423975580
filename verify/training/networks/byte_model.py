"""A Transformer that predicts the next byte, for one trial: tokens tied to the read-out, layer normalisation before
each part, the exact GELU, no dropout.

    x_t = token[byte before t] + position[t]        0 in the place of a byte before the first
    x   <- x + attention(LN x) W_O                  what comes later is not seen
    x   <- x + gelu(LN x W_1 + b_1) W_2 + b_2
    logits = LN(x) token^T + bias

Decided here, once: tokens and positions start at N(0, 0.02^2), matrices at N(0, 1/inputs), those that lead back to x at
half of that deviation, biases at 0, gains at 1.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.certified import Bytes

from .encoder import Parameters

BYTES = 256
STD = 0.02


def shapes(config: Bytes) -> dict[str, tuple[int, ...]]:
    d = config.width
    found: dict[str, tuple[int, ...]] = {"token": (BYTES, d), "position": (config.context, d)}
    for n in range(config.layers):
        own = {"QKV": (d, 3 * d), "O": (d, d), "1": (d, 4 * d), "b1": (4 * d,), "2": (4 * d, d), "b2": (d,)}
        norms = {f"ln{i}_{part}": (d,) for i in (1, 2) for part in ("gain", "bias")}
        found |= {f"{name}_{n}": shape for name, shape in (norms | own).items()}
    return found | {"lnf_gain": (d,), "lnf_bias": (d,), "bias": (BYTES,)}


def initial(config: Bytes, key: str) -> Tensor:
    """All parameters in one row (P,)."""
    rng = generator(key, "initialisation")

    def start(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if "gain" in name:
            return np.ones(shape)
        if "bias" in name or name.startswith("b"):
            return np.zeros(shape)
        if name in ("token", "position"):
            return rng.standard_normal(shape) * STD
        back = 0.5 if name.startswith(("O_", "2_")) else 1.0
        return rng.standard_normal(shape) * back / math.sqrt(shape[0])

    return torch.from_numpy(np.concatenate([start(n, s).ravel() for n, s in shapes(config).items()])).float()


def named(config: Bytes, flat: Tensor) -> Parameters:
    own = shapes(config)
    parts = flat.split([math.prod(shape) for shape in own.values()])
    return {name: part.view(shape) for (name, shape), part in zip(own.items(), parts, strict=True)}


def logits(config: Bytes, p: Parameters, windows: Tensor) -> Tensor:
    """(n, context, 256) on windows of bytes (n, context)."""
    n, d = len(windows), config.width
    before = F.pad(p["token"][windows[:, :-1]], (0, 0, 1, 0))
    x = before + p["position"]
    for i in range(config.layers):
        u = F.layer_norm(x, (d,), p[f"ln1_gain_{i}"], p[f"ln1_bias_{i}"])
        q, k, v = (u @ p[f"QKV_{i}"]).view(n, -1, 3, config.heads, d // config.heads).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + attended.transpose(1, 2).reshape(n, -1, d) @ p[f"O_{i}"]
        u = F.layer_norm(x, (d,), p[f"ln2_gain_{i}"], p[f"ln2_bias_{i}"])
        x = x + F.gelu(u @ p[f"1_{i}"] + p[f"b1_{i}"]) @ p[f"2_{i}"] + p[f"b2_{i}"]
    return F.layer_norm(x, (d,), p["lnf_gain"], p["lnf_bias"]) @ p["token"].T + p["bias"]


def surprise(config: Bytes, p: Parameters, windows: Tensor) -> Tensor:
    """-log p of each byte (n, context), in nats."""
    found = F.cross_entropy(logits(config, p, windows).flatten(0, 1), windows.flatten(), reduction="none")
    return found.view(windows.shape)
