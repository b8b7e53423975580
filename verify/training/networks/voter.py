"""One attention layer read at [CLS], as in the script of Trauger and Tewari 2024, for E trials at a time.

    x = vector[b] + position                 at T bits and [CLS], which stands last
    y = W_O attention(x)_cls + b_O           H heads, keys and values as wide as a token, softmax(q . k / sqrt(width))
    logits = W_R (W_D relu(y) + b_D) + b_R   one for each label

The three vectors are drawn once for a trial, made orthogonal and of l1 norm 1; they are not trained. Positions are
sin(t / 10000^(i / width)) at even coordinates i, cos at odd ones. The maps of queries, keys and values start uniform in
+-sqrt(6 / (width (H + width))): the library that the script uses reads their arrays (width, H, width) as those of a
convolution. W_O, read in the same way, and W_D start uniform in +-sqrt(6 / (rows + columns of an array of their last
two sizes, times H for W_O)), W_R at N(0, 0.05^2), biases at 0.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.trials.majority import Majority

from .binary_attention import attend, columns, differences, table
from .encoder import Parameters, affine

STD = 0.05  # of the read-out


def shapes(config: Majority) -> dict[str, tuple[int, ...]]:
    d, inner = config.width, config.width * config.heads
    maps = {f"W_{name}": (d, inner) for name in "QKV"} | {"W_O": (inner, d), "W_D": (d, d), "W_R": (d, 2)}
    return maps | {f"b_{name[-1]}": shape[-1:] for name, shape in maps.items()}


def decayed(_: str) -> bool:
    return False


def initial(config: Majority, key: str) -> dict[str, np.ndarray]:
    rng, d, H = generator(key, "initialisation"), config.width, config.heads
    inputs_and_outputs = {"W_O": 2 * H * d, "W_D": 2 * d} | dict.fromkeys(("W_Q", "W_K", "W_V"), d * (H + d))

    def start(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if name.startswith("b_"):
            return np.zeros(shape)
        if name == "W_R":
            return rng.standard_normal(shape) * STD
        return rng.uniform(-1, 1, shape) * math.sqrt(6 / inputs_and_outputs[name])

    return {name: start(name, shape) for name, shape in shapes(config).items()}


def vectors(config: Majority, key: str) -> np.ndarray:
    """Of 0, 1 and [CLS], (3, width)."""
    drawn = generator(key, "tokens").uniform(-1, 1, (3, config.width))
    for i in range(3):
        drawn[i] -= sum((drawn[i] @ e / (e @ e) * e for e in drawn[:i]), np.zeros(config.width))
    return drawn / np.abs(drawn).sum(1, keepdims=True)


def tokens(config: Majority, key: str) -> np.ndarray:
    """What can stand at each position, (2 T + 1, width): zeros, ones, and [CLS]."""
    i, zero_one_cls = np.arange(config.width), vectors(config, key)
    angles = np.arange(config.T + 1)[:, None] / 10_000 ** (i / config.width)
    places = np.where(i % 2 == 0, np.sin(angles), np.cos(angles))
    return np.concatenate([zero_one_cls[0] + places[:-1], zero_one_cls[1] + places[:-1], zero_one_cls[2:] + places[-1]])


def maps(config: Majority, p: Parameters, x: Tensor) -> Tensor:
    """(E, width, H width + H), from tokens (E, 2 T + 1, width). A token x is worth x @ maps: what each head makes of
    it, W_V W_O in one, and its scores, up to a number that all tokens share. Biases of values and output come later,
    since the weights of a head sum to 1."""
    d, H = config.width, config.heads
    values = (p["W_V"].unflatten(-1, (H, d)).transpose(1, 2) @ p["W_O"].unflatten(1, (H, d))).transpose(1, 2)
    toward = (p["W_K"] * affine(p, "Q", x[:, -1:])).unflatten(-1, (H, d)).sum(-1)
    return torch.cat([values.flatten(2), toward / math.sqrt(d)], -1)


def terms(config: Majority, p: Parameters, x: Tensor) -> Tensor:
    """What attention sums over a string, from the tokens (E, 2 T + 1, width): (E, 2 T + 1, H, width + 1)."""
    values, scores = (x @ maps(config, p, x)).split([config.width * config.heads, config.heads], -1)
    return table(scores, values.unflatten(-1, (config.heads, -1)))


def bias(p: Parameters) -> Tensor:
    """(E, 1, width): what the biases of values and output add to y, whatever the string."""
    return affine(p, "O", p["b_V"][:, None])


def read_out(p: Parameters) -> tuple[Tensor, Tensor]:
    """W_D W_R and b_D W_R + b_R: nothing stands between the two maps."""
    return p["W_D"] @ p["W_R"], affine(p, "R", p["b_D"][:, None])


def logits(p: Parameters, strings: Tensor, known: Tensor) -> Tensor:
    """(E, n, 2) on strings (E, n, 2T), zeros and ones, from what attention sums."""
    W, b = read_out(p)
    heads = attend(strings, known).unflatten(-1, (-1, W.shape[1]))
    return torch.baddbmm(b, torch.relu(heads.sum(-2) + bias(p)), W)


def prepared(config: Majority, p: Parameters, x: Tensor) -> Parameters:
    """What does not depend on the strings that are looked at. The bias is part of the first head's numerators."""
    (W, b), d = read_out(p), config.width
    known = differences(terms(config, p, x))
    known[:, :d].addcmul_(bias(p).mT, known[:, d : d + 1])
    return {"terms": known, "W": W.mT, "b": b.mT}


def logits_of_columns(known: Parameters, strings: Tensor) -> Tensor:
    """(E, 2, n) on strings that are columns (E, T + 1, n), a one for [CLS] below the bits: the same numbers as those of
    `logits`, for many strings."""
    sums = columns(strings, known["terms"]).unflatten(1, (-1, known["W"].shape[-1] + 1))
    (y, *more), (share, *others) = (one.unbind(1) for one in (sums[:, :, :-1], sums[:, :, -1:].reciprocal()))
    y.mul_(share)
    for head, other in zip(more, others, strict=True):
        y.addcmul_(head, other)
    return torch.baddbmm(known["b"], known["W"], y.relu_())
