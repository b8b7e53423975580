"""Trials on sums of parities: squared loss, stopped once the whole sample is fitted, with the gap to fresh strings.

After every epoch the loss is taken again over all training strings, with the weights of that moment. A trial that does
not come below the threshold within its epochs is not replaced: its record says that it has not converged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from maurey.verify.training.engine.randomness import bits, generator
from maurey.verify.training.engine.state import MODELS, Record, State, named, stacked
from maurey.verify.training.networks import two_layers
from maurey.verify.training.networks.encoder import Parameters
from maurey.verify.training.readings import curvature
from maurey.verify.training.trials.parities import Spectrum

from . import walsh

CHUNK = 256  # strings of an evaluation that are looked at together
WATCHED = 1024  # training strings over which attention is averaged
ENOUGH = 3_000_000  # numbers in the networks: more trials go one after the other
Arrays = tuple[NDArray[np.uint8], NDArray[np.float64]]


def target(config: Spectrum, key: str) -> walsh.Target:
    return walsh.random_target(config.T, config.D, config.omega, generator(key, "subset"))


def drawn(config: Spectrum, key: str, stream: str, number: int) -> Arrays:
    """Tokens (number, P) and labels (number, outputs). With steps: x, then y_0 = 0 to y_(T-1), and the label of step t
    is 1 where y_t = 0, an even number of ones. Held-out strings are all there are, if there are no more."""
    few = stream == "evaluation" and number >= 2**config.T
    x = walsh.all_strings(config.T) if few else bits(key, stream, number, config.T)
    zero = np.zeros((len(x), 1), dtype=np.uint8)
    if config.task == "steps":
        y = np.bitwise_xor.accumulate(x, axis=1)
        return np.concatenate([x, zero, y[:, :-1]], 1), 1.0 - y
    return np.concatenate([x, zero], 1), walsh.values(target(config, key), x)[:, None]


@dataclass(kw_only=True)
class Spectra(State):
    config: Spectrum
    strings: Tensor  # for training (E, m, P)
    labels: Tensor  # (E, m, outputs)
    held_bits: Tensor  # (E, held_out, P), in bytes
    held_labels: Tensor
    prior: Tensor  # (E, P): the initial weights, or those that fitted half of the strings
    half: Tensor  # (E,): whether a trial still sees the first half only

    rows: ClassVar[tuple[str, ...]] = (
        *State.rows, "strings", "labels", "held_bits", "held_labels", "prior", "half"
    )  # fmt: skip

    @classmethod
    def begin(cls, config: Spectrum, keys: Sequence[str], device: torch.device) -> Spectra:
        common, dtype = State.drawn(config, keys, device), getattr(torch, config.dtype)
        own, held = (
            [drawn(config, k, stream, number) for k in keys]
            for stream, number in (("training", config.m), ("evaluation", config.held_out))
        )
        return cls(
            **common,
            records=[
                {"status": "done", "converged": False, "epochs": 0, "curve": [], "start_norm": norm}
                for norm in common["flat"].double().square().sum(1).tolist()
            ],
            strings=stacked([x for x, _ in own], device, dtype),
            labels=stacked([y for _, y in own], device, dtype),
            held_bits=stacked([x for x, _ in held], device, torch.uint8),
            held_labels=stacked([y for _, y in held], device, dtype),
            prior=common["flat"].clone(),
            half=torch.full((len(keys),), config.certify == "half", device=device),
        )

    def training(self) -> tuple[Tensor, ...]:
        """A trial that sees one half has it twice."""
        if not self.half.any():
            return self.strings, self.labels
        rows = torch.arange(self.config.m, device=self.half.device).expand(len(self.keys), -1)
        rows = torch.where(self.half[:, None], rows % (self.config.m // 2), rows)[..., None]
        return tuple(own.gather(1, rows.expand(-1, -1, own.shape[-1])) for own in (self.strings, self.labels))

    def at_once(self, number: int) -> int:
        return max(1, ENOUGH // (number * MODELS[self.config.model].numbers(self.config)))

    def losses(self, p: Parameters, part: slice, data: tuple[Tensor, ...]) -> Tensor:
        given, labels = data
        if self.config.dropout:
            keep = two_layers.masks(self.config, self.keys[part], self.step, given.shape[1], given.device)
            found = two_layers.outputs_with_dropout(self.config, p, given, keep)
        else:
            found = MODELS[self.config.model].outputs(self.config, p, given)
        return (found - labels).square().mean((1, 2))

    def evaluate(self, loss: Tensor) -> Tensor:
        config, epoch = self.config, self.step // self.config.steps_of_an_epoch
        found = torch.stack([self._loss(i) for i in range(len(self.keys))])
        finished = torch.zeros(len(self.keys), dtype=torch.bool)
        for i, value in enumerate(found.tolist()):
            record = self.records[i] | {"epochs": epoch, "train_loss": value}
            record["curve"].append(round(value, 6))
            fits = value < config.threshold
            if fits and bool(self.half[i]):
                self.prior[i], self.half[i] = self.flat[i], False
                record["prior_epochs"] = epoch
            elif fits or not math.isfinite(value):
                record["converged"], finished[i] = fits, True
                record["status"] = "done" if fits else "failed"
            self.records[i] = record
        return finished

    def _loss(self, i: int) -> Tensor:
        """The mean over all strings that a trial trains on."""
        many = self.config.m // 2 if bool(self.half[i]) else self.config.m
        return squares(self.config, self.flat[i], self.strings[i, :many], self.labels[i, :many]).mean()

    def closed(self, i: int) -> Record:
        record, config, flat = self.records[i], self.config, self.flat[i]
        if config.task == "function":
            f = target(config, self.keys[i])
            record |= {"components": [list(s) for s in f.components], "coefficients": f.c.tolist()}
        if record["status"] != "done":
            return record
        each = squares(config, flat, self.held_bits[i], self.held_labels[i])
        record |= {
            "test_loss": float(each.mean()),
            "test_error": float(each.std() / math.sqrt(len(each))),
        }
        if config.omega == 1:  # labels are bits
            record["wrong"] = float((each >= 0.25).double().mean())
        if config.task == "steps":
            record["wrong_ends"] = wrong_ends(config, flat, self.held_bits[i])
        if config.measure:
            train = self.strings[i], self.labels[i, :, 0]
            record |= curvature.measured(config, flat, *train, each[:, 0], generator(self.keys[i], "probes"))
        if config.watch:
            own = {name: value[0] for name, value in named(config, flat[None]).items()}
            record |= MODELS[config.model].learned(config, own, self.strings[i, :WATCHED])
        if config.certify:
            record["certificate"] = self._certificate(i)
        return record

    def _certificate(self, i: int) -> dict[str, Any] | None:
        """On the strings that the prior has not seen; none where no prior was found."""
        from maurey.verify.certificates.pacbayes import certify

        if bool(self.half[i]):
            return None
        config, unseen = self.config, slice(self.config.m // 2 if self.config.certify == "half" else 0, None)
        held = self.held_bits[i].to(self.flat.dtype), self.held_labels[i, :, 0]

        def forward(flat: Tensor, strings: Tensor) -> Tensor:
            made: Tensor = MODELS[config.model].outputs(config, named(config, flat), strings)[..., 0]
            return made

        return certify(
            forward, self.flat[i], self.prior[i], self.strings[i, unseen], self.labels[i, unseen, 0],
            generator(self.keys[i], "certificate"), loss="wrong" if config.omega == 1 else "squared", test=held,
        )  # fmt: skip


@torch.no_grad()
def values(config: Spectrum, flat: Tensor, tokens: Tensor) -> Tensor:
    """Of one network (parameters,) on tokens (n, P): (n, outputs)."""
    p = named(config, flat[None])
    parts = (MODELS[config.model].outputs(config, p, own.to(flat.dtype)[None])[0] for own in tokens.split(CHUNK))
    return torch.cat(list(parts))


def squares(config: Spectrum, flat: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
    """The squared errors (n, outputs) of one network."""
    return (values(config, flat, tokens) - labels).square().double()


def wrong_ends(config: Spectrum, flat: Tensor, tokens: Tensor) -> float:
    """Steps on the network's own answers: the share of strings whose last answer is not their parity."""
    T, own = config.T, tokens.clone()
    own[:, T:] = 0
    for t in range(T):
        answers = (values(config, flat, own)[:, t] < 0.5).to(own.dtype)
        if t < T - 1:
            own[:, T + t + 1] = answers
    return float((answers != tokens[:, :T].sum(1) % 2).double().mean())
