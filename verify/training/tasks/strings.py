"""The data: uniform strings of T bits, labelled by a Boolean function of hidden positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from maurey.verify.training.engine.randomness import bits, generator
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.majority import Majority

Bits = NDArray[np.uint8]


def hidden(config: Config | Majority, key: str) -> tuple[int, ...]:
    """The hidden positions, in order."""
    if config.subset:
        return tuple(sorted(config.subset))
    return tuple(sorted(int(i) for i in generator(key, "subset").choice(config.T, config.s, replace=False)))


def labels(function: str, x: Bits) -> Bits:
    """The function at the rows of x (n, s)."""
    ones, s = x.sum(1, dtype=np.int64), x.shape[1]
    if function == "and":
        return (ones == s).astype(np.uint8)
    if function == "parity":
        return (ones % 2).astype(np.uint8)
    if function == "majority":
        return (2 * ones > s).astype(np.uint8)
    table = np.array([int(c) for c in function], dtype=np.uint8)
    return table[x.astype(np.int64) @ (1 << np.arange(s)[::-1])]


def strings(config: Config | Majority, key: str, stream: str, number: int, step: int = 0) -> tuple[Bits, Bits]:
    """Strings (number, T) and their labels (number,). Only training labels are noisy."""
    x = bits(key, stream, number, config.T, step)
    y = labels(config.function, x[:, list(hidden(config, key))])
    if config.noise and stream == "training":
        y ^= (generator(key, "noise", step).random(number) < config.noise).astype(np.uint8)
    return x, y


def order(config: Config, key: str, epoch: int) -> NDArray[np.int64]:
    """The order in which an epoch takes the training strings."""
    return generator(key, "batches", epoch).permutation(config.m)


def chosen(data: Tensor, rows: Tensor, part: slice) -> Tensor:
    """data[rows, part], without a copy where all trials are chosen: rows are different, and in order."""
    return data[:, part] if len(rows) == len(data) else data[rows, part]
