"""Small models of the family of BERT: drawn at random, and trained here on the AND of three of some bits, the task of
Edelman et al. What is trained is the network that was compiled, by the forward that bounds speak of.

[CLS] is the word 2, and a string of bits follows it; of two classes the second says that the three first bits are ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any

import numpy as np

from maurey.numeric.types import Array, Tensor
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.strings import labels

from .checkpoints import Checkpoint
from .families import bert
from .families.configs import Config
from .families.places import Reading, Wanted
from .numbers.tensors import Stored
from .running import Running, of_checkpoint

CLS, WORDS, ONES = 2, 3, 3
HEAD, POOLER = "classifier", "bert.pooler.dense"


@dataclass(frozen=True)
class Size:
    layers: int
    width: int
    eps: str = "1e-5"
    bits: int = 30
    heads: int = 2

    @property
    def reading(self) -> Reading:
        """As of a folder with such a config."""
        config = {
            "model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": WORDS,
            "hidden_size": self.width, "num_hidden_layers": self.layers, "num_attention_heads": self.heads,
            "intermediate_size": 2 * self.width, "max_position_embeddings": self.bits + 1, "type_vocab_size": 1,
            "layer_norm_eps": float(self.eps),
        }  # fmt: skip
        there = {f"bert.{bert.WORDS}": (), f"{POOLER}.weight": (), f"{HEAD}.weight": (2, self.width)}
        return bert.read(Config(config), Wanted(there))


def drawn(size: Size, seed: int) -> Checkpoint:
    """Gains are 1, biases 0, and every other number is normal, such that maps keep lengths."""
    reading, rng = size.reading, np.random.default_rng(seed)
    tensors = {}
    for name, (place,) in reading.places.items():
        sides = reading.sides(name)
        if place.slot.endswith(("_gain", "_bias")):
            array = np.full(prod(sides), float(place.slot.endswith("_gain")))
        else:
            array = rng.normal(size=sides) / sqrt(sides[1])
        tensors[name] = Stored(name, "F32", array.astype(np.float32))
    return Checkpoint(f"{size.layers} layers of width {size.width}", reading, tensors, (), ())


def strings(size: Size, number: int, noise: float, seed: int) -> tuple[Array, Array]:
    """Words (number, bits + 1), and classes, each of which is the other one with the probability of the noise."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=(number, size.bits), dtype=np.uint8)
    classes = labels("and", x[:, :ONES]) ^ (rng.random(number) < noise)
    return np.column_stack([np.full(number, CLS), x]).astype(np.int64), classes.astype(np.int64)


def trained(
    start: Checkpoint, words: Array, classes: Array, steps: int, batch: int, rate: float, seed: int
) -> Checkpoint:
    """By Adam, on the cross-entropy of batches; the rate goes to zero along a line."""
    running, rng = of_checkpoint(start), np.random.default_rng(seed)
    own = {label: M.clone().requires_grad_(True) for label, M in running.weights.items()}
    network = replace(running, weights=own)
    optimiser = torch.optim.Adam(own.values(), rate)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate * (1 - step / steps)
        rows = rng.integers(0, len(words), size=batch)
        loss = torch.nn.functional.cross_entropy(scores(network, words[rows]), torch.from_numpy(classes[rows]).long())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return replace(start, tensors=stored(start, own))


def scores(running: Running, words: Array) -> Tensor:
    X = torch.nn.functional.one_hot(torch.from_numpy(words), WORDS).double()
    return running.run(running.network, X)[..., 0, :]


def stored(start: Checkpoint, weights: Mapping[str, Tensor]) -> dict[str, Any]:
    """The weights under the names and in the shapes of their tensors."""
    found = {}
    for name, (place,) in start.reading.places.items():
        M = weights[place.label].detach().numpy()
        array = M.T if start.is_turned(place) else M
        found[name] = Stored(name, "F32", np.ascontiguousarray(array, np.float32).reshape(start.tensors[name].shape))
    return found


def ramp_loss(model: Checkpoint, words: Array, classes: Array, margin: float = 1.0) -> float:
    """Its mean, of the program that stores single numbers and computes in doubles."""
    running, total = of_checkpoint(model), 0.0
    with torch.no_grad():
        for start in range(0, len(words), CHUNK):
            own = slice(start, start + CHUNK)
            z, y = scores(running, words[own]), torch.from_numpy(classes[own]).long()[:, None]
            gap = z.gather(1, y)[:, 0] - z.gather(1, 1 - y)[:, 0]
            total += float((1 - gap / margin).clamp(0, 1).sum())
    return total / len(words)


CHUNK = 1000
