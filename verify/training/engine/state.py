"""E trials as rows of one matrix (E, P), and what a task has to say of them.

All parameters of a trial are one row, so that an optimiser step, a norm or a trial that leaves is one operation. A task
is a subclass of `State`: it has the data, the loss and the evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.networks import (
    channel,
    encoder,
    feedforward,
    layer,
    recurrent,
    transformer,
    two_layers,
    voter,
)
from maurey.verify.training.networks.encoder import Parameters
from maurey.verify.training.tasks.strings import order
from maurey.verify.training.trials.keys import Stepped, Trial

MODELS: dict[str, Any] = {
    "encoder": encoder,
    "layer": layer,
    "transformer": transformer,
    "recurrent": recurrent,
    "feedforward": feedforward,
    "two_layers": two_layers,
    "channel": channel,
    "voter": voter,
}
Record = dict[str, Any]


def named(config: Trial, flat: Tensor) -> Parameters:
    """The rows (E, P) as parameters (E, *shape), by name."""
    shapes = MODELS[config.model].shapes(config)
    parts = flat.split([math.prod(shape) for shape in shapes.values()], 1)
    return {n: part.reshape(-1, *shape) for (n, shape), part in zip(shapes.items(), parts, strict=True)}


def decay_of(config: Stepped) -> Tensor:
    """What each parameter loses in a step, (P,)."""
    model = MODELS[config.model]
    rates = [
        torch.full((math.prod(shape),), config.rate * config.decay if model.decayed(name) else 0.0)
        for name, shape in model.shapes(config).items()
    ]
    return torch.cat(rates)


def stacked(arrays: Sequence[np.ndarray], device: torch.device, dtype: torch.dtype) -> Tensor:
    return torch.from_numpy(np.stack(arrays)).to(device, dtype)


@dataclass(kw_only=True)
class State:
    """The trials that are still running, and what is known of them."""

    config: Any  # of the task
    keys: list[str]
    flat: Tensor  # (E, P)
    first: Tensor  # the moments of Adam
    second: Tensor
    records: list[Record]
    step: int = 0
    orders: tuple[int, Tensor] | None = None  # of this epoch, in which the trials take their data

    rows: ClassVar[tuple[str, ...]] = ("flat", "first", "second")  # tensors with a row for each trial

    @staticmethod
    def drawn(config: Stepped, keys: Sequence[str], device: torch.device) -> dict[str, Any]:
        """What all tasks have at the start."""
        arrays = [np.concatenate([a.ravel() for a in MODELS[config.model].initial(config, k).values()]) for k in keys]
        flat = stacked(arrays, device, getattr(torch, config.dtype))
        moments = {name: torch.zeros_like(flat) for name in ("first", "second")}
        return {"config": config, "keys": list(keys), "flat": flat, **moments}

    def keep(self, rows: Tensor) -> None:
        """Only these trials go on."""
        chosen, self.orders = rows.tolist(), None
        self.keys, self.records = [self.keys[i] for i in chosen], [self.records[i] for i in chosen]
        for name in self.rows:
            value = getattr(self, name)
            setattr(self, name, None if value is None else value[rows.to(value.device)])

    def taken(self) -> tuple[Tensor, ...]:
        """The data of the next step, with a row for each trial."""
        config, whole = self.config, self.training()
        if whole is None:
            return self.fresh()
        if config.step == config.m:
            return whole
        epoch, part = divmod(self.step, config.steps_of_an_epoch)
        if self.orders is None or self.orders[0] != epoch:
            drawn = np.stack([order(config, k, epoch) for k in self.keys])
            self.orders = epoch, torch.from_numpy(drawn).to(self.flat.device)
        rows = self.orders[1][:, part * config.step : (part + 1) * config.step]
        return tuple(data[torch.arange(len(rows), device=rows.device)[:, None], rows] for data in whole)

    @property
    def due(self) -> bool:
        """Whether the trials are evaluated after this step."""
        return bool(self.step % self.config.every == 0 or self.step == self.config.iterations)

    def note(self, loss: Tensor) -> None:
        """The losses (E,) of a step that was made."""

    def closed(self, i: int) -> Record:
        """The record of a trial that leaves."""
        return self.records[i]

    # --- of the task

    def training(self) -> tuple[Tensor, ...] | None:
        """All data for training, unless every step has fresh ones."""
        raise NotImplementedError

    def fresh(self) -> tuple[Tensor, ...]:
        """New data for the next step."""
        raise NotImplementedError

    def at_once(self, number: int) -> int:
        """How many trials go through a network together, for memory's sake, with so many data each."""
        raise NotImplementedError

    def losses(self, p: Parameters, part: slice, data: tuple[Tensor, ...]) -> Tensor:
        """(E,): of these trials on their data."""
        raise NotImplementedError

    def slopes(self, part: slice, data: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """Losses (E,) of these trials on their data, and the gradients (E, P)."""
        flat = self.flat[part].detach().requires_grad_()
        loss = self.losses(named(self.config, flat), part, data)
        return loss.detach(), torch.autograd.grad(loss.sum(), flat)[0]

    def evaluate(self, loss: Tensor) -> Tensor:
        """Note how the trials do after this step; which of them are finished."""
        raise NotImplementedError
