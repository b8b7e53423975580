"""Trials on the sparse majority as in the script: gradient descent with momentum, a rate that falls, and the epoch with
the least held-out loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.engine.state import Record, State, named, stacked
from maurey.verify.training.networks import voter
from maurey.verify.training.networks.binary_attention import both
from maurey.verify.training.networks.encoder import Parameters
from maurey.verify.training.trials.majority import Majority

from .strings import chosen, strings

CHUNK = 500  # strings of an evaluation that are looked at together


@dataclass(kw_only=True)
class Votes(State):
    config: Majority
    tokens: Tensor  # (E, 2 T + 1, width)
    strings: Tensor  # for training (E, m, 2 T), zeros and ones
    labels: Tensor  # (E, m)
    held: Tensor  # (E, held_out, 2 T)
    held_labels: Tensor
    right: Tensor  # (E,): answers of this epoch, each before the step that it is for
    best: Tensor  # (E, P): the weights with the least held-out loss
    least: Tensor  # (E,): that loss, summed over the strings

    rows: ClassVar[tuple[str, ...]] = (
        *State.rows, "tokens", "strings", "labels", "held", "held_labels", "right", "best", "least"
    )  # fmt: skip

    @classmethod
    def begin(cls, config: Majority, keys: Sequence[str], device: torch.device) -> Votes:
        common, dtype = State.drawn(config, keys, device), getattr(torch, config.dtype)
        own, held = (
            [strings(config, k, stream, number) for k in keys]
            for stream, number in (("training", config.m), ("evaluation", config.held_out))
        )
        return cls(
            **common,
            records=[{"status": "done", "fitted": False, "epochs": config.cap, "best": 0} for _ in keys],
            tokens=stacked([voter.tokens(config, k) for k in keys], device, dtype),
            strings=both(stacked([x for x, _ in own], device, dtype)),
            labels=stacked([y for _, y in own], device, torch.int64),
            held=both(stacked([x for x, _ in held], device, dtype)),
            held_labels=stacked([y for _, y in held], device, torch.int64),
            right=torch.zeros(len(keys), dtype=torch.int64, device=device),
            best=common["flat"].clone(),
            least=torch.full((len(keys),), torch.inf, dtype=torch.float64, device=device),
        )

    def training(self) -> tuple[Tensor, ...]:
        return self.strings, self.labels

    def at_once(self, number: int) -> int:
        return len(self.keys)

    def losses(self, p: Parameters, part: slice, data: tuple[Tensor, ...]) -> Tensor:
        given, labels = data
        out = voter.logits(p, given, voter.terms(self.config, p, self.tokens[part]))
        self.right[part] += (out.argmax(-1) == labels).sum(1)
        return losses(out, labels).mean(1)

    @torch.no_grad()
    def evaluate(self, loss: Tensor) -> Tensor:
        epoch = self.step // self.config.steps_of_an_epoch
        found = self._held_loss()
        better = found < self.least
        self.best[better], self.least[better] = self.flat[better], found[better]
        for i in torch.nonzero(better).flatten().tolist():
            self.records[i]["best"] = epoch
        finished = (self.right == self.config.m).cpu()
        self.right.zero_()
        for i in torch.nonzero(finished).flatten().tolist():
            self.records[i] |= {"fitted": True, "epochs": epoch}
        return finished

    def _held_loss(self) -> Tensor:
        """(E,): summed over held-out strings; infinite as soon as it cannot be the least any more."""
        p = named(self.config, self.flat)
        known = voter.terms(self.config, p, self.tokens)
        total = torch.zeros_like(self.least)
        rows = torch.arange(len(self.keys), device=self.flat.device)
        for i in range(0, self.config.held_out, CHUNK):
            part = slice(i, i + CHUNK)
            out = voter.logits(p, chosen(self.held, rows, part), known)
            total[rows] += losses(out, chosen(self.held_labels, rows, part)).sum(1).double()
            going = total[rows] < self.least[rows]
            if not going.all():
                total[rows[~going]] = torch.inf
                rows, known, p = rows[going], known[going], {name: value[going] for name, value in p.items()}
            if not len(rows):
                break
        return total

    @torch.no_grad()
    def closed(self, i: int) -> Record:
        record, own = self.records[i], slice(i, i + 1)
        if record["status"] != "done":
            return record
        p = named(self.config, self.best[own])
        known = voter.terms(self.config, p, self.tokens[own])
        for name, given, labels in (("train", self.strings, self.labels), ("held", self.held, self.held_labels)):
            out = voter.logits(p, given[own], known)
            record[f"{name}_loss"] = float(losses(out, labels[own]).mean())
            record[f"{name}_errors"] = int((out.argmax(-1) != labels[own]).sum())
        return record | {"norm": float(self.best[i].double().abs().sum())}


def losses(logits: Tensor, labels: Tensor) -> Tensor:
    """(E, n): of each string the mean over both answers of a logistic loss, the labels read as (1, 0) and (0, 1)."""
    wanted = F.one_hot(labels, 2).to(logits.dtype)
    return F.binary_cross_entropy_with_logits(logits, wanted, reduction="none").mean(-1)
