"""Distributions on finitely many values: binomial ones, and the quantiles of any."""

from __future__ import annotations

import math

import numpy as np

from maurey.numeric.types import Array


def binomial(m: int, p: float) -> Array:
    """The probabilities of 0, ..., m hits out of m, each of them with probability p."""
    hits = np.arange(m + 1)
    choices = np.array([math.lgamma(m + 1) - math.lgamma(k + 1) - math.lgamma(m - k + 1) for k in hits])  # logarithms
    return np.exp(choices + hits * math.log(p) + (m - hits) * math.log1p(-p))


def quantile(values: Array, weights: Array, delta: float) -> float:
    """The largest value that is reached with probability above delta, 0 if none is."""
    order = np.argsort(-values)
    reached = np.cumsum(weights[order]) > delta
    return float(values[order][reached.argmax()]) if reached.any() else 0.0
