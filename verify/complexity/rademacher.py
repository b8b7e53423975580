"""Empirical Rademacher complexities (1/m) E sup_f sum_i eps_i f(z_i), to be set against what a chain says.

The supremum is exact where duality gives it (linear functions) or where the class is finite; for attention heads it is
what gradient ascent reaches, so a lower bound. The mean is over all signs where there are few, else over drawn ones,
with an interval that holds with probability 1 - 1e-6.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.types import Array

ALL_SIGNS = 12  # points up to which all signs are taken
FAILURE = 1e-6


@dataclass(frozen=True)
class Estimate:
    """lower <= the complexity <= upper; upper is infinite where suprema are only approached from below."""

    value: float
    lower: float
    upper: float


def signs(m: int, draws: int, rng: np.random.Generator) -> tuple[Array, bool]:
    """All sign vectors, or so many drawn ones; and whether they are all."""
    if m <= ALL_SIGNS:
        return np.array(list(itertools.product((-1.0, 1.0), repeat=m))), True
    return rng.choice((-1.0, 1.0), size=(draws, m)), False


def complexity(
    supremum: Callable[[Array], Array],
    m: int,
    bound: float,
    draws: int,
    rng: np.random.Generator,
    attained: bool = True,
) -> Estimate:
    """From the supremum of sum_i eps_i f(z_i) for each row of signs, for a class with |f| <= bound.

    The mean of n independent values in [-bound, bound] is within bound sqrt(2 log(2/failure)/n) of its expectation.
    """
    eps, everything = signs(m, draws, rng)
    value = float(supremum(eps).mean()) / m
    radius = 0.0 if everything else bound * math.sqrt(2 * math.log(2 / FAILURE) / draws)
    return Estimate(value, value - radius, value + radius if attained else math.inf)


def linear(points: Array, B: float, draws: int, rng: np.random.Generator) -> Estimate:
    """x -> w.x with |w| <= B, points of shape (m, d): the supremum is B |sum_i eps_i x_i|."""
    bound = B * float(np.linalg.norm(points, axis=1).max())
    return complexity(lambda e: B * np.linalg.norm(e @ points, axis=1), len(points), bound, draws, rng)


def finite(values: Array, draws: int, rng: np.random.Generator) -> Estimate:
    """A finite class, given by its values: shape (functions, m)."""
    bound = float(np.abs(values).max())
    return complexity(lambda e: (e @ values.T).max(axis=1), values.shape[1], bound, draws, rng)


def worst_sample(values: Array, m: int, rng: np.random.Generator) -> tuple[float, list[int]]:
    """The largest complexity over samples of size m, of functions given by their values on all points there are; and
    that sample."""
    samples = itertools.combinations_with_replacement(range(values.shape[1]), m)
    return max((finite(values[:, list(sample)], 0, rng).value, list(sample)) for sample in samples)


def head(
    X: Array, norms: dict[str, float], steps: int, draws: int, rng: np.random.Generator, starts: int = 4
) -> Estimate:
    """X -> u . W_V^T X^T softmax(X W_QK^T x_1) with a fixed unit u, by ascent over W_V and W_QK in their norm balls.

    X has shape (m, T, d). `norms` bounds W_V in the spectral norm (B_V) and its rows (B_V_inf), and the columns of W_QK
    (B_QK_inf). Both balls are kept by scaling.
    """
    import torch

    m, _, d = X.shape
    tokens = torch.tensor(X)  # (m, T, d)
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))

    def inside(V: Any, QK: Any) -> tuple[Any, Any]:
        spectral = torch.linalg.matrix_norm(V, 2)[..., None, None]
        rows = V.norm(dim=-1, keepdim=True)
        V = V / (rows / norms["B_V_inf"]).clamp(min=1)
        V = V / (spectral / norms["B_V"]).clamp(min=1)
        return V, QK / (QK.norm(dim=-2, keepdim=True) / norms["B_QK_inf"]).clamp(min=1)

    def supremum(eps: Array) -> Array:
        e = torch.tensor(eps)  # (draws, m)
        shape = (len(e), starts, d, d)
        raw = [torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True) for _ in range(2)]
        optimizer, best = torch.optim.Adam(raw, lr=0.1), torch.zeros(len(e), dtype=torch.float64)
        for _ in range(steps):
            V, QK = inside(*raw)
            scores = torch.einsum("mtd,esdk,mk->esmt", tokens, QK.transpose(-1, -2), tokens[:, 0])
            mixed = torch.einsum("esmt,mtd->esmd", scores.softmax(-1), tokens)
            total = torch.einsum("em,esm->es", e, (mixed @ V)[..., 0])
            best = torch.maximum(best, total.detach().amax(1))  # zero is in the class
            optimizer.zero_grad()
            (-total.sum()).backward()
            optimizer.step()
        return best.numpy()

    bound = norms["B_V"] * float(np.linalg.norm(X, axis=2).max())
    return complexity(supremum, m, bound, draws, rng, attained=False)


def mean_absolute(m: int) -> Fraction:
    """E|eps_1 + ... + eps_m|, exactly: m C(m-1, floor((m-1)/2)) / 2^(m-1)."""
    return Fraction(m * math.comb(m - 1, (m - 1) // 2), 2 ** (m - 1)) if m else Fraction(0)
