"""Trials on Boolean functions of hidden positions: cross-entropy, and errors on held-out strings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.engine.state import MODELS, State, named, stacked
from maurey.verify.training.networks import encoder
from maurey.verify.training.networks.binary_attention import both
from maurey.verify.training.networks.encoder import Parameters
from maurey.verify.training.trials.boolean import Config

from .strings import chosen, strings

CHUNK = 200  # strings of an evaluation that are looked at together
FLOOR = 0.01  # the training loss to which a curve is followed
WATCHED = 4  # strings on which attention is kept
KEPT = 40_000_000  # numbers of held-out strings that are kept as zeros and ones of the network's own type
ENOUGH = 1_000_000  # numbers in a tensor of tokens, with dropout: more trials go one after the other


@dataclass(kw_only=True)
class Strings(State):
    config: Config
    strings: Tensor | None  # for training (E, m, 2T), zeros and ones, unless every step has fresh ones
    labels: Tensor | None
    held_bits: Tensor  # (E, held_out, T), in bytes
    held_labels: Tensor
    held: Tensor  # (E, some of held_out, 2T), zeros and ones: the first strings, as far as memory allows

    rows: ClassVar[tuple[str, ...]] = (*State.rows, "strings", "labels", "held_bits", "held_labels", "held")

    @classmethod
    def begin(cls, config: Config, keys: Sequence[str], device: torch.device) -> Strings:
        held, dtype = [strings(config, k, "evaluation", config.held_out) for k in keys], getattr(torch, config.dtype)
        kept = max(1, KEPT // (2 * config.T * len(keys) * CHUNK)) * CHUNK
        own = labels = None
        if config.m:
            data = [strings(config, k, "training", config.m) for k in keys]
            own = both(stacked([x for x, _ in data], device, dtype))
            labels = stacked([y for _, y in data], device, torch.int64)
        return cls(
            **State.drawn(config, keys, device),
            records=[{"status": "done", "errors": None, "best": 0, "iterations": config.iterations} for _ in keys],
            strings=own,
            labels=labels,
            held_bits=stacked([x for x, _ in held], device, torch.uint8),
            held_labels=stacked([y for _, y in held], device, torch.int64),
            held=both(stacked([x[:kept] for x, _ in held], device, dtype)),
        )

    def training(self) -> tuple[Tensor, ...] | None:
        return None if self.strings is None or self.labels is None else (self.strings, self.labels)

    def fresh(self) -> tuple[Tensor, ...]:
        data = [strings(self.config, k, "training", self.config.batch, self.step) for k in self.keys]
        x, y = (np.stack(arrays) for arrays in zip(*data, strict=True))
        return both(torch.from_numpy(x).to(self.flat)), torch.from_numpy(y).to(self.flat.device, torch.int64)

    def at_once(self, number: int) -> int:
        tokens = number * (self.config.T + 1) * self.config.width
        return max(1, ENOUGH // tokens) if self.config.protocol == "paper" else len(self.keys)

    def losses(self, p: Parameters, part: slice, data: tuple[Tensor, ...]) -> Tensor:
        given, labels = data
        if self.config.protocol != "paper":
            return losses(MODELS[self.config.model].logits(self.config, p, given), labels)
        keep = encoder.masks(self.config, self.keys[part], self.step, given.shape[1], given.device)
        return losses(encoder.logits_with_dropout(self.config, p, given, keep), labels)

    def evaluate(self, loss: Tensor) -> Tensor:
        config = self.config
        wrong, held_loss = errors(config, self.flat, self.held_bits, self.held_labels, config.stop, self.held)
        finished = torch.zeros(len(self.keys), dtype=torch.bool)
        for i, record in enumerate(self.records):
            w, held = int(wrong[i]), float(held_loss[i])
            if not math.isfinite(held):
                record |= {"status": "failed", "iterations": self.step}
                finished[i] = True
                continue
            if config.curve:
                record.setdefault("curve", []).append([self.step, round(float(loss[i]), 6), w, round(held, 6)])
            if record["errors"] is None or w < record["errors"]:
                record |= {"errors": w, "best": self.step, "loss": float(loss[i]), "held_loss": held}
                if config.measure:
                    record |= measured(config, self, i)
            if config.stop and w == 0 and not (config.curve and loss[i] > FLOOR):
                record["iterations"] = self.step
                finished[i] = True
            if config.watch and (finished[i] or self.step == config.iterations):
                record["attention"] = attention(config, self, i)
        return finished


def losses(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean cross-entropy of each trial, (E,)."""
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none").view(labels.shape).mean(1)


@torch.no_grad()
def errors(
    config: Config, flat: Tensor, bits: Tensor, labels: Tensor, stop: bool, first: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Errors (E,) on held-out strings and the mean loss (E,); the first of them may be known as zeros and ones. With
    `stop`, no more of a trial is looked at once one in a hundred of all strings is wrong, and the loss is that of what
    was seen. A loss that is no number says so."""
    model, p, total = MODELS[config.model], named(config, flat), bits.shape[1]
    known = model.terms(config, p)
    wrong = torch.zeros(len(flat), dtype=torch.int64, device=flat.device)
    seen, loss = torch.zeros_like(wrong), torch.zeros_like(wrong, dtype=torch.float64)
    rows, ready = torch.arange(len(flat), device=flat.device), 0 if first is None else first.shape[1]
    for i in range(0, total, CHUNK):
        part = slice(i, i + CHUNK)
        x = both(chosen(bits, rows, part).to(flat.dtype)) if i >= ready or first is None else chosen(first, rows, part)
        y = chosen(labels, rows, part)
        out = model.logits(config, p, x, known)
        wrong[rows] += (out.argmax(-1) != y).sum(1)
        loss[rows] += losses(out, y).double() * y.shape[1]
        seen[rows] += y.shape[1]
        if stop:
            going = (wrong[rows] * 100 < total) & loss[rows].isfinite()
            if not going.all():
                rows, known, p = rows[going], known[going], {name: value[going] for name, value in p.items()}
            if not len(rows):
                break
    return wrong, loss / seen


@torch.no_grad()
def measured(config: Config, state: Strings, i: int) -> dict[str, Any]:
    """The loss and the errors on the training strings of one trial, and what is read off its network."""
    from maurey.verify.training.readings.norms import norms_of

    flat = state.flat[i : i + 1]
    found: dict[str, Any] = {"norms": norms_of(config, {n: v[0] for n, v in named(config, flat).items()})}
    if state.strings is not None and state.labels is not None:
        out = MODELS[config.model].logits(config, named(config, flat), state.strings[i : i + 1])
        y = state.labels[i : i + 1]
        found |= {"train_loss": float(losses(out, y)), "train_errors": int((out.argmax(-1) != y).sum())}
    return found


@torch.no_grad()
def attention(config: Config, state: Strings, i: int) -> list[list[list[float]]]:
    """The weights of every head (strings, H, T + 1) of one trial on its first held-out strings, [CLS] last."""
    masses = MODELS[config.model].terms(config, named(config, state.flat[i : i + 1]))[0, ..., -1]  # (2T + 1, H)
    zeros, ones = masses[:-1].unflatten(0, (2, -1))
    weights = torch.where(state.held_bits[i, :WATCHED, :, None].bool(), ones, zeros)  # (n, T, H)
    weights = torch.cat([weights, masses[-1:].expand(len(weights), 1, -1)], 1)
    found: list[list[list[float]]] = (weights / weights.sum(1, keepdim=True)).mT.double().round(decimals=5).tolist()
    return found
