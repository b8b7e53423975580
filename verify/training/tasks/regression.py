"""Trials of token regression: mean squared error over all positions, and samples until a test is passed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.state import MODELS, Record, State, named, stacked
from maurey.verify.training.networks.encoder import Parameters
from maurey.verify.training.trials.regression import Regression

from .tokens import Prompts as Drawn
from .tokens import for_testing, for_training, inputs, labels

CHUNK = 500  # prompts of a test that are looked at together
SURE = 7.0  # standard errors
POINTS = 60  # of a curve that are kept
ENOUGH = 1_500_000  # numbers in the networks: more trials go one after the other


@dataclass(kw_only=True)
class Prompts(State):
    config: Regression
    tokens: Tensor | None  # for training (E, m, N, d), unless every step has fresh ones
    asked: Tensor | None  # (E, m, N or 1, q)
    targets: Tensor | None  # (E, m, N)
    held: tuple[Tensor, Tensor, Tensor]  # the same, of the test of all trials, without E
    known: Tensor  # (E, held_out): the error on each prompt of the test, when it was last whole
    passed: Tensor  # (E,): the sum of the losses of this epoch

    rows: ClassVar[tuple[str, ...]] = (*State.rows, "tokens", "asked", "targets", "known", "passed")

    @classmethod
    def begin(cls, config: Regression, keys: Sequence[str], device: torch.device) -> Prompts:
        rows = State.drawn(config, keys, device)
        own = [for_training(config, k, config.m) for k in keys] if config.m else []
        tokens, asked, targets = prepared(config, own, rows["flat"]) if own else (None, None, None)
        x, t, y = prepared(config, [for_testing(config)], rows["flat"])
        start = {"status": "done", "samples": None, "seen": 0, "mse": None, "iterations": 0}
        return cls(
            **rows,
            records=[{**start, "curve": []} for _ in keys],
            tokens=tokens,
            asked=asked,
            targets=targets,
            held=(x[0], t[0], y[0]),
            known=y.double().square().mean(-1).repeat(len(keys), 1),  # of a network that always says 0
            passed=rows["flat"].new_zeros(len(keys)),
        )

    def training(self) -> tuple[Tensor, ...] | None:
        if self.tokens is None or self.asked is None or self.targets is None:
            return None
        return self.tokens, self.asked, self.targets

    def fresh(self) -> tuple[Tensor, ...]:
        config = self.config
        return prepared(config, [for_training(config, k, config.batch, self.step) for k in self.keys], self.flat)

    def at_once(self, number: int) -> int:
        return max(1, ENOUGH // (number * MODELS[self.config.model].numbers(self.config)))

    def losses(self, p: Parameters, part: slice, data: tuple[Tensor, ...]) -> Tensor:
        return squares(self.config, p, *data).mean(1)

    @property
    def ends_an_epoch(self) -> bool:
        return self.config.m > 0 and self.step % self.config.steps_of_an_epoch == 0

    @property
    def due(self) -> bool:
        return super().due or (self.config.floor > 0 and self.ends_an_epoch)

    def note(self, loss: Tensor) -> None:
        if (self.step - 1) % self.config.steps_of_an_epoch == 0:
            self.passed = torch.zeros_like(loss)
        config = self.config
        self.passed = self.passed + loss * (config.samples(self.step) - config.samples(self.step - 1))

    def evaluate(self, loss: Tensor) -> Tensor:
        """A trial that ends, for whatever reason, is tested on all prompts."""
        config, samples = self.config, self.config.samples(self.step)
        low = self.passed / config.m < config.floor if self.ends_an_epoch else torch.zeros_like(loss, dtype=torch.bool)
        whole = (low | (self.step == config.iterations)).cpu()
        finished = torch.zeros(len(self.keys), dtype=torch.bool)
        for start in range(0, len(self.keys), size := self.at_once(CHUNK)):
            part = slice(start, start + size)
            values = test(config, self.flat[part], self.held, self.known[part], whole[part])
            for i, value in enumerate(values.tolist(), start):
                record = self.records[i] | {"seen": samples, "iterations": self.step, "loss": float(loss[i])}
                if math.isfinite(value):
                    record["mse"] = value
                    record["curve"].append([samples, round(value, 6)])
                    record["samples"] = samples if value <= config.threshold else None
                else:
                    record["status"] = "failed"
                self.records[i] = record
                finished[i] = bool(whole[i]) or record["samples"] is not None or record["status"] == "failed"
        return finished

    def closed(self, i: int) -> Record:
        record = self.records[i] | {"seen": self.config.samples(self.records[i]["iterations"])}
        curve = record["curve"]
        places = np.unique(np.linspace(0, len(curve) - 1, min(POINTS, len(curve))).round().astype(int))
        record["curve"] = [curve[place] for place in places]
        if self.config.watch and record["status"] == "done":
            own = {n: v[0] for n, v in named(self.config, self.flat[i : i + 1]).items()}
            record |= MODELS[self.config.model].between(self.config, own)
        return record


def prepared(config: Regression, drawn: Sequence[Drawn], like: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens (E, n, N, d), what they ask for (E, n, N or 1, q), and their labels (E, n, N)."""
    x = stacked([x for x, _ in drawn], like.device, like.dtype)
    t = stacked([t for _, t in drawn], like.device, torch.int64)
    return x, t, labels(config, x, t)


def squares(config: Regression, p: Parameters, x: Tensor, t: Tensor, y: Tensor) -> Tensor:
    """The mean squared error on each prompt, (E, n)."""
    return (MODELS[config.model].outputs(config, p, inputs(config, x, t)) - y).square().mean(-1)


@torch.no_grad()
def test(config: Regression, flat: Tensor, held: tuple[Tensor, Tensor, Tensor], known: Tensor, whole: Tensor) -> Tensor:
    """The mean squared error of each trial on the held-out prompts, (E,).

    Unless the whole test is wanted of a trial, it is left early where it will not be passed, with an estimate that is
    above the threshold c. Let n of M prompts be seen, e_j be the error on a prompt and k_j the one that is `known`, of
    the same trial some steps ago. A mean of at most c is out of reach if the e_j seen exceed M c, since squares only
    add up. And it is called so if the estimate, mean_M k + mean_n (e - k), is above c by `SURE` of its standard errors,
    s sqrt(1 / n - 1 / M) with s the standard deviation of the e_j - k_j seen: far less than that of the e_j where a
    trial makes little progress. A test that is not left in its first quarter is completed, and its e_j become known.
    """
    M, c = len(held[0]), config.threshold
    p, whole = named(config, flat), whole.to(flat.device)
    rows = torch.arange(len(flat), device=flat.device)  # of the trials that go on
    found, each = torch.zeros_like(known[:, 0]), torch.zeros_like(known)
    for i in range(0, M, CHUNK):
        x, t, y = (part[i : i + CHUNK].expand(len(rows), *(-1,) * part.ndim) for part in held)
        each[rows, i : i + CHUNK] = squares(config, p, x, t, y).double()
        n = i + x.shape[1]
        seen, change = each[rows, :n].sum(1) / M, each[rows, :n] - known[rows, :n]
        estimate = known[rows].mean(1) + change.mean(1)
        sure = estimate - c > SURE * change.std(1) * math.sqrt(1 / n - 1 / M)
        found[rows] = seen if n == M else torch.maximum(estimate, seen)
        going = (whole[rows] | ~((seen > c) | sure) | (4 * n > M)) & seen.isfinite()
        if not going.all():
            rows, p = rows[going], {name: value[going] for name, value in p.items()}
        if not len(rows):
            break
    known[rows] = each[rows]
    return found
