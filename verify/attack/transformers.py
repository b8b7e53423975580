"""The forwards of what real Transformers are made of; `forwards.forward` calls this one for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from maurey.numeric.types import Either
from maurey.symbolic.modules import (
    Activation,
    CrossEntropy,
    Embedding,
    Gated,
    LargestToken,
    LayerNorm,
    Layers,
    MeanToken,
    Module,
    MultiHead,
    Patches,
    Ramp,
    Softcap,
    Unembedding,
)
from maurey.symbolic.modules.layers import written_out
from maurey.symbolic.norms import Matrix
from maurey.verify.tensors import torch

from .inequality import Values
from .primitives import (
    joined,
    masked_softmax,
    most,
    normal,
    number,
    root,
    sigmoid,
    softmax,
    tanh,
    top,
    turned,
    unit,
    whole,
)

Seen = list[tuple[str, str, Either, Either]]  # label, how it acts, on which vectors, and for scores also on which keys
ROOT = math.sqrt(2 / math.pi)
FUNCTIONS: dict[str, Callable[[Either], Either]] = {
    "relu": lambda x: (x + abs(x)) / 2,
    "gelu": lambda x: x * normal(x),
    "gelu_tanh": lambda x: x * (1 + tanh((x + x * x * x * 0.044715) * ROOT)) / 2,
    "silu": lambda x: x * sigmoid(x),
    "quick_gelu": lambda x: x * sigmoid(x * 1.702),
    "tanh": tanh,
    "sigmoid": sigmoid,
    "identity": lambda x: x,
}


class Pass:
    """One forward: the weights, the values of symbols, and the vectors that each weight acts on."""

    def __init__(self, weights: Values, at: Values, seen: Seen) -> None:
        self.weights, self.at, self.seen = weights, at, seen

    def mapped(self, M: Matrix, x: Either, how: str = "map") -> Either:
        self.seen.append((M.label, how, x, x))
        return x @ turned(self.weights[M.label])

    def shifted(self, x: Either, bias: Matrix | None, largest: bool = False, counts: bool = True) -> Either:
        if bias is None:
            return x
        if counts:
            one = x[..., :1, :1] * 0 + 1
            self.seen.append((bias.label, "entry" if largest else "map", one, one))
        return x + turned(self.weights[bias.label])

    def scaled(self, n: Either, gain: Matrix | None) -> Either:
        if gain is None:
            return n
        self.seen.append((gain.label, "scale", n, n))
        return n * turned(self.weights[gain.label])

    def vectors(self, table: Matrix, count: int | None = None) -> Either:
        """The columns of a table, as tokens; it counts once, however often it is used, with so many of them."""
        columns = turned(self.weights[table.label])
        if table.label not in (entry[0] for entry in self.seen):
            self.seen.append((table.label, "columns", columns[..., :count, :], columns))
        return columns


def forward(module: Module, X: Either, run: Pass, inner: Callable[[Module, Either], Either]) -> Either:
    match module:
        case LayerNorm():
            return run.shifted(run.scaled(_normalised(X, module.eps, module.centred, run), module.gain), module.bias)
        case Activation():
            return FUNCTIONS[module.name](X)
        case Softcap():
            return number(module.cap, run.at, X) * tanh(X / number(module.cap, run.at, X))
        case Gated():
            gate = FUNCTIONS[module.activation](run.shifted(run.mapped(module.gate, X), module.gate_bias))
            up = run.shifted(run.mapped(module.up, X), module.up_bias)
            return run.shifted(run.mapped(module.down, gate * up), module.down_bias)
        case MultiHead():
            return _attended(module, X, run)
        case Embedding():
            return _looked_up(module, X, run)
        case Patches():
            return _patches(module, X, run)
        case MeanToken():
            return X.sum(-2)[..., None, :] / X.shape[-2]
        case LargestToken():
            return turned(top(turned(X)))
        case Unembedding():
            scores = X @ turned(run.vectors(module.table))
            return run.shifted(scores, module.bias, largest=True)
        case Ramp() | CrossEntropy():
            return _loss(module, X, run)
        case Layers():
            return inner(written_out(module, whole(module.number, run.at)), X)
    raise TypeError(f"no forward for {type(module).__name__}")


def _normalised(X: Either, eps: Any, centred: bool, run: Pass) -> Either:
    d = X.shape[-1]
    x = X - X.sum(-1)[..., None] / d if centred else X
    return x / root((x * x).sum(-1)[..., None] / d + number(eps, run.at, X))


def _loss(module: Ramp | CrossEntropy, X: Either, run: Pass) -> Either:
    """The label is the first class, or 1."""
    label = X[..., :1]
    if isinstance(module, Ramp):
        margin = label - top(X[..., 1:]) if module.several else label
        return unit(1 - margin / number(module.margin, run.at, X))
    if module.several:
        p = softmax(X)[..., :1]
        loss = -(np.log(p) if isinstance(p, np.ndarray) else p.log())
    else:
        loss = -(np.log(sigmoid(label)) if isinstance(X, np.ndarray) else torch.nn.functional.logsigmoid(label))
    return most(loss, number(module.cap, run.at, X))


# --- what comes in ----------------------------------------------------------------------------------------------------


def _looked_up(module: Embedding, X: Either, run: Pass) -> Either:
    """The rows of X are one-hot, or scores of which the largest names the word."""
    T, V = X.shape[-2:]
    if isinstance(X, np.ndarray):
        names = np.eye(V)[[max(range(V), key=lambda j: float(row[j])) for row in X]]
        chosen = np.vectorize(lambda n: type(X[0, 0])(n), otypes=[object])(names)
    else:
        chosen = torch.nn.functional.one_hot(X.argmax(-1), V).to(X.dtype)
    found = chosen @ run.vectors(module.words, T)
    if module.positions is not None:
        found = found + run.vectors(module.positions, T)[..., module.first : module.first + T, :]
    if module.types is not None:  # every other token is of the second type, and so on
        types = run.vectors(module.types, T)
        found = found + types[..., [t % types.shape[-2] for t in range(T)], :]
    return found


def _patches(module: Patches, X: Either, run: Pass) -> Either:
    tokens = run.shifted(run.mapped(module.matrix, X), module.bias)
    if module.first is not None:
        first = run.shifted(tokens[..., :1, :] * 0, module.first)
        tokens = joined([first, tokens], -2)
    if module.positions is not None:
        T = tokens.shape[-2]
        tokens = tokens + run.vectors(module.positions, T)[..., :T, :]
    return tokens


# --- attention --------------------------------------------------------------------------------------------------------


def _attended(module: MultiHead, X: Either, run: Pass) -> Either:
    H = whole(module.heads, run.at)
    G = H if module.groups is None else whole(module.groups, run.at)
    queries = run.shifted(run.mapped(module.query, X), module.query_bias)
    keys = run.shifted(run.mapped(module.key, X), module.key_bias, counts=module.turned)
    k = queries.shape[-1] // H
    Q, K = (_blocks(x, k) for x in (queries, keys))
    if module.qk_norm is not None:
        norm = module.qk_norm
        sides = ((Q, norm.query_gain), (K, norm.key_gain))
        Q, K = (_normed(heads, norm.eps, norm.centred, gain, run) for heads, gain in sides)
    if module.rotary is not None:
        Q, K = ([_rotated(x, float(module.rotary)) for x in side] for side in (Q, K))
    more = _added(module, X, H, run)
    values = run.shifted(run.mapped(module.value, X), module.value_bias)
    V, T = _blocks(values, k), X.shape[-2]
    visible = np.tril(np.ones((T, T), bool)) if module.causal else np.ones((T, T), bool)
    heads = []
    for h in range(H):
        scores = Q[h] @ turned(K[h * G // H]) / math.sqrt(k)
        heads.append(masked_softmax(scores + more[h], visible) @ V[h * G // H])
    return run.shifted(run.mapped(module.output, joined(heads)), module.output_bias)


def _blocks(x: Either, k: int) -> list[Either]:
    return [x[..., j : j + k] for j in range(0, x.shape[-1], k)]


def _normed(heads: list[Either], eps: Any, centred: bool, gain: Matrix | None, run: Pass) -> list[Either]:
    found = [_normalised(x, eps, centred, run) for x in heads]
    if gain is None:
        return found
    everything = joined(found, -2)
    run.scaled(everything, gain)
    return [x * turned(run.weights[gain.label]) for x in found]


def _rotated(x: Either, base: float) -> Either:
    """Coordinate j with coordinate j + k/2, by an angle that grows with the place of the token."""
    T, half = x.shape[-2], x.shape[-1] // 2
    angles = np.arange(T)[:, None] * base ** (-np.arange(half) / max(half, 1))
    cos, sin = np.cos(angles), np.sin(angles)
    if not isinstance(x, np.ndarray):
        cos, sin = (torch.as_tensor(y, dtype=x.dtype) for y in (cos, sin))
    a, b = x[..., :half], x[..., half : 2 * half]
    return joined([a * cos - b * sin, a * sin + b * cos, x[..., 2 * half :]])


def _added(module: MultiHead, X: Either, H: int, run: Pass) -> list[Any]:
    """To the scores of each head: nothing, a fixed slope, or a trained number for each distance."""
    T = X.shape[-2]
    distance = abs(np.arange(T)[:, None] - np.arange(T)[None, :])
    found: list[Any] = [0.0] * H
    if module.alibi:
        found = [-(2.0 ** (-8 * (h + 1) / H)) * distance for h in range(H)]
        found = found if isinstance(X, np.ndarray) else [torch.as_tensor(x, dtype=X.dtype) for x in found]
    if module.relative is None:
        return found
    one = X[..., :1, :1] * 0 + 1
    run.seen.append((module.relative.label, "entry", one, one))
    table = run.weights[module.relative.label]
    buckets = table.shape[-2] // H
    which = np.minimum(distance, buckets - 1)
    return [found[h] + table[..., h * buckets + which, 0] for h in range(H)]
