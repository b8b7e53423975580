"""Trials on the sparse majority as in the script: gradient descent with momentum, a rate that falls, and the epoch with
the least held-out loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.engine.state import Record, State, named, stacked
from maurey.verify.training.networks import voter
from maurey.verify.training.networks.binary_attention import both
from maurey.verify.training.networks.encoder import Parameters
from maurey.verify.training.networks.voter_gradient import gradient
from maurey.verify.training.trials.majority import Majority

from .strings import strings

CHUNK = 1000  # strings of an evaluation that are looked at together
SORTED = 100  # epochs after which held-out strings are put in order again


@dataclass(kw_only=True)
class Votes(State):
    config: Majority
    tokens: Tensor  # (E, 2 T + 1, width)
    strings: Tensor  # for training (E, m, 2 T + 1): zeros, ones, and a one for [CLS]
    answers: Tensor  # (E, m, 2): 1 for the label, -1 for the other one
    held: Tensor  # (E, T + 1, held_out): strings as columns, a one for [CLS] below; those with large losses first
    held_answers: Tensor  # (E, 2, held_out)
    right: Tensor  # (E,): answers of this epoch, each before the step that it is for
    best: Tensor  # (E, P): the weights with the least held-out loss
    least: Tensor  # (E,): that loss, summed over the strings

    rows: ClassVar[tuple[str, ...]] = (
        *State.rows, "tokens", "strings", "answers", "held", "held_answers", "right", "best", "least"
    )  # fmt: skip

    @classmethod
    def begin(cls, config: Majority, keys: Sequence[str], device: torch.device) -> Votes:
        common, dtype = State.drawn(config, keys, device), getattr(torch, config.dtype)
        own, held = (
            [strings(config, k, stream, number) for k in keys]
            for stream, number in (("training", config.m), ("evaluation", config.held_out))
        )
        answers, held_answers = (
            2 * F.one_hot(stacked([y for _, y in data], device, torch.int64), 2).to(dtype) - 1 for data in (own, held)
        )
        return cls(
            **common,
            records=[{"status": "done", "fitted": False, "epochs": config.cap, "best": 0} for _ in keys],
            tokens=stacked([voter.tokens(config, k) for k in keys], device, dtype),
            strings=F.pad(both(stacked([x for x, _ in own], device, dtype)), (0, 1), value=1),
            answers=answers,
            held=F.pad(stacked([x for x, _ in held], device, dtype), (0, 1), value=1).mT.contiguous(),
            held_answers=held_answers.mT.contiguous(),
            right=torch.zeros(len(keys), dtype=torch.int64, device=device),
            best=common["flat"].clone(),
            least=torch.full((len(keys),), torch.inf, dtype=torch.float64, device=device),
        )

    def training(self) -> tuple[Tensor, ...]:
        return self.strings, self.answers

    def at_once(self, number: int) -> int:
        return len(self.keys)

    def losses(self, p: Parameters, part: slice, data: tuple[Tensor, ...]) -> Tensor:
        given, answers = data
        out = voter.logits(p, given[..., :-1], voter.terms(self.config, p, self.tokens[part]))
        self.right[part] += right(out, answers, -1).sum(1)
        return losses(out, answers).mean((1, 2))

    def slopes(self, part: slice, data: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """On the CPU trial by trial, with slopes that are written out."""
        if self.flat.device.type != "cpu":
            return super().slopes(part, data)
        found, out = torch.empty_like(self.flat[part]), torch.empty_like(data[1])
        rows = zip(*(a.numpy() for a in (self.flat[part], self.tokens[part], *data, found, out)), strict=True)
        with np.errstate(all="ignore"):  # a trial that is no number is seen by its loss
            for flat, tokens, given, answers, slope, logits in rows:
                logits[:] = gradient(self.config, flat, tokens, given, answers, slope)
        self.right[part] += right(out, data[1], -1).sum(1)
        return losses(out, data[1]).mean((1, 2)), found

    @torch.no_grad()
    def evaluate(self, loss: Tensor) -> Tensor:
        epoch = self.step // self.config.steps_of_an_epoch
        if epoch % SORTED == 1:
            self._sort()
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
        known = self._prepared(self.flat)
        total, rows = torch.zeros_like(self.least), torch.arange(len(self.keys), device=self.flat.device)
        sums, least, every = total, self.least, True
        for i in range(0, self.config.held_out, CHUNK):
            held, answers = (data[..., i : i + CHUNK] for data in (self.held, self.held_answers))
            if not every:
                held, answers = held[rows], answers[rows]
            sums = sums + losses(voter.logits_of_columns(known, held), answers).sum((1, 2)) / 2
            if (going := sums < least).all():
                continue
            total[rows[~going]], every = torch.inf, False
            rows, sums, least = rows[going], sums[going], least[going]
            known = {name: value[going] for name, value in known.items()}
            if not len(rows):
                break
        total[rows] = sums
        return total

    def _sort(self) -> None:
        """Held-out strings with large losses come first: so a sum that is too large is seen early."""
        out = voter.logits_of_columns(self._prepared(self.flat), self.held)
        places = losses(out, self.held_answers).sum(1, keepdim=True).argsort(dim=-1, descending=True, stable=True)
        for name in ("held", "held_answers"):
            data = getattr(self, name)
            setattr(self, name, data.gather(-1, places.expand_as(data)))

    def _prepared(self, flat: Tensor, part: slice = slice(None)) -> Parameters:
        return voter.prepared(self.config, named(self.config, flat), self.tokens[part])

    @torch.no_grad()
    def closed(self, i: int) -> Record:
        record, own = self.records[i], slice(i, i + 1)
        if record["status"] != "done":
            return record
        p = named(self.config, self.best[own])
        known = voter.terms(self.config, p, self.tokens[own])
        train = self.answers[own].mT, voter.logits(p, self.strings[own, :, :-1], known).mT
        held = self.held_answers[own], voter.logits_of_columns(self._prepared(self.best[own], own), self.held[own])
        for name, (answers, out) in {"train": train, "held": held}.items():
            record[f"{name}_loss"] = float(losses(out, answers).mean())
            record[f"{name}_errors"] = int((~right(out, answers, 1)).sum())
        return record | {"norm": float(self.best[i].double().abs().sum())}


def losses(logits: Tensor, answers: Tensor) -> Tensor:
    """Logistic losses of both answers, each half of its string's."""
    return F.softplus(-answers * logits)


def right(logits: Tensor, answers: Tensor, dim: int) -> Tensor:
    return logits.argmax(dim) == answers.argmax(dim)
