"""The network of the interpretability study of Lintilhac and Shaikh 2026, for E trials: about 1,000 parameters.

    x_t = (e_t, b_t)                            T + 1 positions and the bit; the output token holds 0
    c_t = what softmax(log(P) (x_t Q) (x K)^T) gives of the ones: one channel
    f = v_0 + sum_t v_t phi(c_t)                phi(c) = a + F . relu(M c + Gamma), a linear read-out of all positions

The paper names the width T + 2, 32 hidden units on one channel, and that a linear read-out stands for the second
attention. Decided here, once: the value map is fixed, as in the construction; Q and K start at N(0, 1/inputs), v at
N(0, 1/P), F at N(0, 2/hidden); M at random signs and Gamma with the kinks uniform in [0, 1], so that phi starts with
kinks wherever c can be.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.parities import Spectrum

from .encoder import Parameters

POINTS = 201  # of a curve


def shapes(config: Spectrum) -> dict[str, tuple[int, ...]]:
    d, h = config.T + 2, config.width
    mlp: dict[str, tuple[int, ...]] = {"M": (h,), "Gamma": (h,), "F": (h,), "a": (1,)}
    return {"Q": (d, d), "K": (d, d), **mlp, "v": (config.T + 1,), "v_0": (1,)}


def decayed(_: str) -> bool:
    return True


def initial(config: Spectrum, key: str) -> dict[str, np.ndarray]:
    rng = generator(key, "initialisation")
    d, h, P = config.T + 2, config.width, config.T + 1
    Q, K = rng.standard_normal((2, d, d)) / math.sqrt(d)
    M = np.where(rng.random(h) < 0.5, -1.0, 1.0)
    start = {"Q": Q, "K": K, "M": M, "Gamma": -M * rng.random(h), "F": rng.standard_normal(h) * math.sqrt(2 / h)}
    return start | {"a": np.zeros(1), "v": rng.standard_normal(P) / math.sqrt(P), "v_0": np.zeros(1)}


def numbers(config: Spectrum) -> int:
    return config.positions * (2 * config.positions + 2 * config.width)


def scores(p: Parameters, bits: Tensor) -> Tensor:
    """[query, key], on bits (E, n, P): (E, n, P, P)."""
    P = bits.shape[-1]
    W = p["Q"] @ p["K"].mT * math.log(P)
    by_key = W[:, None, :P, P] + bits * W[:, None, P, P:]  # (E, n, P): what a one at a key adds, by query
    by_query = W[:, None, P, :P]
    found = torch.addcmul(W[:, None, :P, :P], by_key[..., None], bits[:, :, None])
    return torch.addcmul(found, bits[..., None], by_query[:, :, None])


def curve(p: Parameters, c: Tensor) -> Tensor:
    """phi at c (E, k)."""
    hidden = (c[..., None] * p["M"][:, None] + p["Gamma"][:, None]).relu()
    return (hidden @ p["F"][..., None])[..., 0] + p["a"]


def outputs(config: Spectrum, p: Parameters, bits: Tensor) -> Tensor:
    """(E, n, 1) on bits (E, n, P)."""
    E, n, P = bits.shape
    c = (scores(p, bits).softmax(-1) @ bits[..., None]).view(E, n * P)
    return torch.baddbmm(p["v_0"][:, None], curve(p, c).view(E, n, P), p["v"][..., None])


@torch.no_grad()
def learned(config: Spectrum, p: Parameters, strings: Tensor) -> dict[str, Any]:
    """Of one trial, without E: attention [query, key] averaged over strings (n, P), the curve phi at `POINTS` places of
    [0, 1], and the read-out."""
    own = {name: value[None] for name, value in p.items()}
    at = torch.linspace(0, 1, POINTS, dtype=strings.dtype, device=strings.device)[None]
    weights = scores(own, strings[None]).softmax(-1)[0].mean(0)
    found = {"attention": weights, "phi": curve(own, at)[0], "read_out": p["v"]}
    return {name: value.double().round(decimals=5).tolist() for name, value in found.items()}
