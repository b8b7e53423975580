"""Small networks in the course of their training, as instances that claims are held against.

A pair is a network and a moved one: the same training some steps later, or a copy with everything moved a little. What
is moved is told in the claims' own terms: tokens X, scores S and value maps V of single heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from maurey.verify.training.engine import optimiser
from maurey.verify.training.tasks.strings import strings
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import key

from .norms import Reading, reading

CONFIGS = {
    "layer": Config(
        model="layer", function="majority", s=9, T=16, m=100, heads=2, decay=0.0, rate=3e-3, held_out=1000,
        stop=False, measure=True,
    ),
    "encoder": Config(function="and", s=3, T=16, m=100, held_out=1000, stop=False, measure=True),
}  # fmt: skip
STOPS = {"layer": (120, 180), "encoder": (40, 60)}  # steps after which a network is looked at
STRINGS, FLIPPED, NEARBY = 3, 4, 0.02  # strings of a pair; bits in which a moved one differs; relative movement


@dataclass(frozen=True)
class Course:
    config: Config
    networks: tuple[dict[str, Tensor], ...]  # at the stops
    record: dict[str, Any]  # of the last

    @property
    def gap(self) -> float:
        return float(self.record["held_loss"] - self.record["train_loss"])


@cache
def course(model: str, trial: int = 0) -> Course:
    """One training, looked at where it stops."""
    config, networks = CONFIGS[model], []
    state = optimiser.start(config, [key(config, trial)], torch.device("cpu"))
    decay = optimiser.decay_of(config)
    for stop in STOPS[model]:
        while state.step < stop:
            loss, slope = optimiser.gradient(config, state)
            optimiser.adam(config, state, slope, decay)
        networks.append(
            {name: value[0].double() for name, value in optimiser.named(config, state.flat.clone()).items()}
        )
    state.evaluate(loss)
    return Course(config, tuple(networks), state.records[0])


# --- pairs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """E heads on E sequences; maps act from the left."""

    X: Tensor  # (E, T + 1, n), [CLS] first
    S: Tensor  # (E, n, n)
    V: Tensor  # (E, v, n): W_V^T
    C: Tensor  # (E, n, v): W_O^T, the constant coordinate not written to


@dataclass(frozen=True)
class Whole:
    """A layer of H heads on sequences (E, T + 1, n)."""

    X: Tensor
    own: Reading


def _side(own: Reading, X: Tensor) -> Side:
    """Every head on every sequence."""
    H, number = len(own.scores), len(X)
    C = torch.nn.functional.pad(own.outputs.mT, (0, 0, 0, 1))

    def each(heads: Tensor) -> Tensor:
        return heads.repeat_interleave(number, 0)

    return Side(X.repeat(H, 1, 1), each(own.scores), each(own.values.mT), each(C))


def _moved(x: Tensor, rng: torch.Generator) -> Tensor:
    """By a part of its size, in a random direction."""
    noise = torch.randn(x.shape, generator=rng, dtype=x.dtype)
    return x + NEARBY * noise * (x.flatten(-2).norm(dim=-1) / noise.flatten(-2).norm(dim=-1))[..., None, None]


def _bits(config: Config, trial: int) -> tuple[Tensor, Tensor]:
    """Held-out strings, and the same with some bits turned."""
    x, _ = strings(config, key(config, trial), "evaluation", STRINGS)
    here = torch.from_numpy(x)
    there = here.clone()
    there[:, :FLIPPED] = 1 - there[:, :FLIPPED]
    return here, there


@cache
def wholes(model: str, trial: int = 0) -> tuple[Whole, Whole]:
    """The network, and the same training later."""
    own = course(model, trial)
    bits, _ = _bits(own.config, trial)
    first, second = (reading(own.config, network) for network in own.networks)
    return Whole(first.sequences(bits), first), Whole(second.sequences(bits), second)


@cache
def pairs(model: str, trial: int = 0) -> tuple[Side, Side]:
    """All heads: against the same training later, and against copies nearby on strings with some bits turned."""
    (here, later), rng = wholes(model, trial), torch.Generator().manual_seed(trial)
    turned = here.own.sequences(_bits(CONFIGS[model], trial)[1])
    before, after, near = _side(here.own, here.X), _side(later.own, later.X), _side(here.own, turned)
    near = Side(near.X, *(_moved(x, rng) for x in (near.S, near.V, near.C)))
    joined = [
        Side(*(torch.cat([getattr(one, n), getattr(two, n)]) for n in ("X", "S", "V", "C")))
        for one, two in ((before, before), (after, near))
    ]
    return joined[0], joined[1]
