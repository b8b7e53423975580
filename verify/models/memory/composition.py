"""What was made of a module in memory: a composition, and its matrices with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from maurey.numeric.types import Tensor
from maurey.symbolic.modules import Sequence
from maurey.verify.attack.forwards import OFFSET
from maurey.verify.tensors import torch

from ..families.places import Place
from ..numbers.tensors import Stored, doubles


@dataclass
class Compiled:
    """The composition, and its matrices: of which kind, and where their numbers are."""

    title: str  # the class of the module
    network: Sequence
    tokens: int
    words: int  # of the vocabulary; 0 where vectors come in
    classes: int
    every_token: bool
    offset: Stored | None = None  # fixed vectors that are added
    kinds: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, Stored] = field(default_factory=dict)  # as maps, by label

    def weights(self) -> Iterator[tuple[Place, Stored]]:
        yield from ((Place(label), A.as_matrix()) for label, A in self.tensors.items())

    def is_turned(self, place: Place) -> bool:
        return False

    def kind(self, slot: str) -> str:
        return self.kinds[slot]


def running_weights(found: Compiled) -> dict[str, Tensor]:
    """As doubles, by label; fixed vectors, for as many tokens as the example has."""
    weights = {label: _tensor(A) for label, A in found.tensors.items()}
    return weights if found.offset is None else weights | {OFFSET: _tensor(found.offset)[: found.tokens]}


def _tensor(A: Stored) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(doubles(A.array, A.kind)))
