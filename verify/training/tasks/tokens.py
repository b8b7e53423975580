"""The data of q-sparse token regression: prompts of N Gaussian tokens, each with the positions that its label asks for.

    x_i ~ N(0, I_d),   t_i uniform on [N]^q,   y_i = g(x_{t_i1}, ..., x_{t_iq})

`simple` prompts ask for the same positions at every token. The links are

    linear:   g = sum_k <u_k, x_k> / sqrt(v q)           hermite:   g = sum_k He_2(<u_k, x_k>) / sqrt(v q)

with He_2(z) = (z^2 - 1) / sqrt 2 and v such that Var y_i = 1. Without repeated positions v = 1. But t_ik = t_il with
probability 1 / N, and then the terms k and l have covariance <u_k, u_l> (linear) or <u_k, u_l>^2 (hermite), so that

    v = 1 + sum_{k != l} <u_k, u_l>^(1 or 2) / (q N),

which is 1 for q = 1. The directions u_k, the table of position vectors and the test are the same for all trials.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from maurey.verify.training.engine.randomness import generator, shared
from maurey.verify.training.trials.regression import Regression

Prompts = tuple[NDArray[np.float32], NDArray[np.int64]]


@cache
def directions(d: int, q: int) -> NDArray[np.float64]:
    """u_1, ..., u_q: (q, d), uniform on the sphere."""
    u = generator(shared(f"directions {d}"), "subset").standard_normal((q, d))
    return u / np.linalg.norm(u, axis=1, keepdims=True)


@cache
def positions(N: int, d_e: int) -> NDArray[np.float64]:
    """The position vectors (N, d_e): uniform vertices of {+-1 / sqrt d_e}^d_e, drawn again until no two are the same,
    since a label is no function of its prompt otherwise (two tokens, three coordinates: once in eight)."""
    for draw in range(1000):
        signs = generator(shared(f"positions {N} {d_e}"), "subset", draw).integers(0, 2, (N, d_e))
        if len(np.unique(signs, axis=0)) == N:
            break
    return (2 * signs - 1) / math.sqrt(d_e)


def variance(config: Regression) -> float:
    """v of the module's text."""
    u = directions(config.d, config.q)
    covariances = (u @ u.T) ** (1 if config.link == "linear" else 2)
    return float(1 + (covariances.sum() - covariances.trace()) / (config.q * config.N))


def prompts(config: Regression, key: str, number: int, step: int, simple: bool) -> Prompts:
    """Tokens (number, N, d) and the positions, from 0, that they ask for (number, N, q); (number, 1, q) if simple."""
    rng = generator(key, "training", step)
    x = rng.standard_normal((number, config.N, config.d), dtype=np.float32)
    return x, rng.integers(0, config.N, (number, 1 if simple else config.N, config.q))


def for_training(config: Regression, key: str, number: int, step: int = 0) -> Prompts:
    return prompts(config, key, number, step, config.task == "simple")


def for_testing(config: Regression) -> Prompts:
    """The same for all trials, of all models and links."""
    law = config.test or config.task
    own = shared(f"test {law} {config.N} {config.q} {config.d} {config.held_out}")
    return prompts(config, own, config.held_out, 0, law == "simple")


def labels(config: Regression, x: Tensor, t: Tensor) -> Tensor:
    """(..., N) for tokens (..., N, d) and positions (..., N or 1, q)."""
    z = x @ torch.from_numpy(directions(config.d, config.q)).to(x).T  # (..., N, q): each token along each direction
    terms = (z if config.link == "linear" else (z.square() - 1) / math.sqrt(2)).gather(-2, t)
    return (terms.sum(-1) / math.sqrt(config.q * variance(config))).expand(*x.shape[:-1])


def inputs(config: Regression, x: Tensor, t: Tensor) -> Tensor:
    """What a network reads, (..., N, D): each token, its position vector, and those of the positions it asks for."""
    table = torch.from_numpy(positions(config.N, config.d_e)).to(x)
    own = table.expand(*x.shape[:-1], -1)
    return torch.cat([x, own, table[t].flatten(-2).expand(*x.shape[:-1], -1)], -1)
