"""A checkpoint that runs: the network that was compiled, with the weights as doubles under its labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.types import Array, Tensor
from maurey.symbolic.compiled import network, values
from maurey.symbolic.errors import InputError
from maurey.symbolic.modules import Layers, Module
from maurey.symbolic.modules.layers import written_out
from maurey.symbolic.modules.words import in_words
from maurey.verify.attack.forwards import forward
from maurey.verify.tensors import torch

from .checkpoints import Checkpoint
from .memory.composition import Compiled, running_weights
from .numbers.tensors import doubles


@dataclass(frozen=True)
class Stage:
    """A module of the network that stands by itself, or one layer."""

    layer: int | None
    name: str
    module: Module


@dataclass(frozen=True)
class Running:
    network: Any
    weights: Mapping[str, Tensor]
    at: Mapping[str, Tensor]
    words: int  # 0 where vectors come in
    tokens: int

    def input(self, sample: Array) -> Tensor:
        """One-hot vectors for words; patches, or vectors, as they are."""
        if self.words:
            return torch.nn.functional.one_hot(torch.from_numpy(np.asarray(sample)), self.words).double()
        return torch.from_numpy(np.asarray(sample, float))

    def run(self, module: Module, X: Tensor) -> Tensor:
        return forward(module, self.weights, X, self.at, sigma="identity")

    def scores(self, sample: Array) -> Array:
        """Of one sample: the numbers of words, or patches as rows."""
        with torch.no_grad():
            return self.run(self.network, self.input(sample)).numpy()

    def stages(self) -> Iterator[Stage]:
        for part in self.network.modules:
            if isinstance(part, Layers):
                layers = written_out(part, int(self.at[str(part.number)])).modules
                yield from (Stage(n, "", layer) for n, layer in enumerate(layers, 1))
            else:
                yield Stage(None, in_words(part), part)


def of_checkpoint(checkpoint: Checkpoint, alternating: bool = False) -> Running:
    """All words are of the first type, unless types alternate."""
    if angles := checkpoint.reading.angles:
        raise InputError(f"rotations of type {angles} are bounded, and not run: leave --data out")
    weights, slots = {}, set()
    for place, tensor in checkpoint.weights():
        stored = tensor.read()
        M = doubles(stored.array, stored.kind)
        M = M.T if checkpoint.is_turned(place) else M
        M = np.repeat(M[:, :1], M.shape[1], 1) if place.slot == "S" and not alternating else M
        weights[place.label] = torch.from_numpy(np.ascontiguousarray(M))
        slots.add(place.slot)
    a = replace(checkpoint.architecture, norms={slot: Fraction(1) for slot in slots})  # biases that are there
    at = {name: torch.tensor(float(x), dtype=torch.float64) for name, x in values(a).items()}
    if "head" not in slots and not a.tied:  # a new one: it moves nothing
        weights["head"] = torch.zeros((a.outputs, a.width), dtype=torch.float64)
    return Running(network(a), weights, at, a.vocabulary, a.context)


def of_memory(c: Compiled) -> Running:
    weights = running_weights(c)
    return Running(c.network, weights, {"": next(iter(weights.values())).new_zeros(())}, c.words, c.tokens)
