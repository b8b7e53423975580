"""A checkpoint that runs: the network that was compiled, with the weights as doubles under its labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from maurey.numeric.types import Array, Tensor
from maurey.symbolic.architecture import Architecture
from maurey.symbolic.compiled import network, values
from maurey.verify.attack.forwards import forward
from maurey.verify.tensors import torch

from .checkpoints import Checkpoint
from .numbers.tensors import doubles


@dataclass(frozen=True)
class Running:
    architecture: Architecture
    weights: dict[str, Tensor]

    def scores(self, sample: Array, alternating: bool = False) -> Array:
        """Of one sample: the numbers of words, or patches as rows. All words are of the first type, unless types
        alternate."""
        a, weights = self.architecture, self.weights
        if "S" in weights and not alternating:
            weights = weights | {"S": weights["S"][:, :1].expand_as(weights["S"])}
        X = np.eye(a.vocabulary)[sample] if a.vocabulary else sample
        at = {name: torch.tensor(float(x), dtype=torch.float64) for name, x in values(a).items()}
        with torch.no_grad():
            found = forward(network(a), weights, torch.from_numpy(X), at)
        return found.numpy()


def running(checkpoint: Checkpoint) -> Running:
    weights, slots = {}, set()
    for place, tensor in checkpoint.weights():
        stored = tensor.read()
        M = doubles(stored.array, stored.kind)
        turned = checkpoint.is_turned(place)
        weights[place.label] = torch.from_numpy(np.ascontiguousarray(M.T if turned else M))
        slots.add(place.slot)
    there = replace(checkpoint.architecture, norms={slot: Fraction(1) for slot in slots})  # biases that are there
    return Running(there, weights)
