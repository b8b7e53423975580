"""E independent trials with the same configuration, trained as one batched computation.

All parameters of a trial are one row of a matrix (E, P), so that an optimiser step, a norm or a trial that leaves is
one operation. The loss is the sum over trials of the mean over strings: no trial's gradient sees another trial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from . import encoder, layer
from .binary import both
from .encoder import Parameters
from .tasks import order, strings
from .trials import Config, key

MODELS = {"encoder": encoder, "layer": layer}
CHUNK = 200  # strings of an evaluation that are looked at together
FLOOR = 0.01  # the training loss to which a curve is followed
WATCHED = 4  # strings on which attention is kept
ENOUGH = 1_000_000  # numbers in a tensor of tokens, with dropout: more trials go one after the other
BETAS, TINY = (0.9, 0.999), 1e-8
Report = Callable[[int, int], None]  # iterations done, trials left


@dataclass
class State:
    """The trials that are still running, and what is known of them."""

    keys: list[str]
    flat: Tensor  # (E, P)
    first: Tensor  # the moments of Adam
    second: Tensor
    strings: Tensor | None  # for training (E, m, 2T), zeros and ones, unless every step has fresh ones
    labels: Tensor | None
    held_bits: Tensor  # (E, held_out, T), in bytes
    held_labels: Tensor
    records: list[dict[str, Any]]
    step: int = 0

    def keep(self, rows: Tensor) -> None:
        """Only these trials go on."""
        chosen = [int(i) for i in rows]
        self.keys, self.records = [self.keys[i] for i in chosen], [self.records[i] for i in chosen]
        for name in ("flat", "first", "second", "strings", "labels", "held_bits", "held_labels"):
            value = getattr(self, name)
            setattr(self, name, None if value is None else value[rows.to(value.device)])


@dataclass(frozen=True)
class Trained:
    """What came of the trials, in order, and their networks at the end."""

    records: list[dict[str, Any]]
    networks: list[dict[str, Tensor]]


def start(config: Config, keys: Sequence[str], device: torch.device) -> State:
    dtype = getattr(torch, config.dtype)

    def stacked(arrays: list[np.ndarray], kind: torch.dtype) -> Tensor:
        return torch.from_numpy(np.stack(arrays)).to(device, kind)

    rows = [np.concatenate([a.ravel() for a in MODELS[config.model].initial(config, k).values()]) for k in keys]
    flat = stacked(rows, dtype)
    held = [strings(config, k, "evaluation", config.held_out) for k in keys]
    own = labels = None
    if config.m:
        data = [strings(config, k, "training", config.m) for k in keys]
        own, labels = both(stacked([x for x, _ in data], dtype)), stacked([y for _, y in data], torch.int64)
    records = [{"status": "done", "errors": None, "best": 0, "iterations": config.iterations} for _ in keys]
    return State(
        list(keys), flat, torch.zeros_like(flat), torch.zeros_like(flat), own, labels,
        stacked([x for x, _ in held], torch.uint8), stacked([y for _, y in held], torch.int64), records,
    )  # fmt: skip


def named(config: Config, flat: Tensor) -> Parameters:
    """The rows (E, P) as parameters (E, *shape), by name."""
    shapes = MODELS[config.model].shapes(config)
    parts = flat.split([math.prod(shape) for shape in shapes.values()], 1)
    return {n: part.reshape(-1, *shape) for (n, shape), part in zip(shapes.items(), parts, strict=True)}


def decay_of(config: Config) -> Tensor:
    """What each parameter loses in a step, (P,)."""
    model = MODELS[config.model]
    rates = [
        torch.full((math.prod(shape),), config.rate * config.decay if model.decayed(name) else 0.0)
        for name, shape in model.shapes(config).items()
    ]
    return torch.cat(rates)


def taken(config: Config, state: State) -> tuple[Tensor, Tensor]:
    """The strings (E, n, 2T) and labels (E, n) of the next step."""
    if state.strings is None or state.labels is None:
        data = [strings(config, k, "training", config.batch, state.step) for k in state.keys]
        x, y = (np.stack(arrays) for arrays in zip(*data, strict=True))
        return both(torch.from_numpy(x).to(state.flat)), torch.from_numpy(y).to(state.flat.device, torch.int64)
    if config.step == config.m:
        return state.strings, state.labels
    epoch, part = divmod(state.step, config.steps_of_an_epoch)
    orders = torch.from_numpy(np.stack([order(config, k, epoch) for k in state.keys])).to(state.flat.device)
    rows = orders[:, part * config.step : (part + 1) * config.step]
    return state.strings.gather(1, rows[..., None].expand(-1, -1, 2 * config.T)), state.labels.gather(1, rows)


def losses(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean cross-entropy of each trial, (E,)."""
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none").view(labels.shape).mean(1)


def gradient(config: Config, state: State) -> tuple[Tensor, Tensor]:
    """The losses (E,) of the next step, and their gradients (E, P)."""
    given, labels = taken(config, state)
    dropout = config.protocol == "paper"
    E, tokens = len(state.keys), given.shape[1] * (config.T + 1) * config.width
    size = max(1, ENOUGH // tokens) if dropout else E
    found, slopes = [], []
    for i in range(0, E, size):
        part = slice(i, i + size)
        flat = state.flat[part].detach().requires_grad_()
        p = named(config, flat)
        if dropout:
            keep = encoder.masks(config, state.keys[part], state.step, given.shape[1], flat.device)
            out = encoder.logits_with_dropout(config, p, given[part], keep)
        else:
            out = MODELS[config.model].logits(config, p, given[part])
        loss = losses(out, labels[part])
        slopes.append(torch.autograd.grad(loss.sum(), flat)[0])
        found.append(loss.detach())
    return torch.cat(found), torch.cat(slopes)


def adam(config: Config, state: State, slope: Tensor, decay: Tensor) -> None:
    """One step of AdamW; the gradient of each trial is clipped on its own."""
    if config.clip:
        slope = slope * (config.clip / (slope.norm(dim=1, keepdim=True) + 1e-6)).clamp(max=1)
    state.step += 1
    first, second = (1 - beta**state.step for beta in BETAS)
    state.first.lerp_(slope, 1 - BETAS[0])
    state.second.mul_(BETAS[1]).addcmul_(slope, slope, value=1 - BETAS[1])
    state.flat.addcmul_(state.flat, decay, value=-1)
    state.flat.addcdiv_(state.first, (state.second / second).sqrt_().add_(TINY), value=-config.rate / first)


@torch.no_grad()
def errors(config: Config, flat: Tensor, bits: Tensor, labels: Tensor, stop: bool) -> tuple[Tensor, Tensor]:
    """Errors (E,) on held-out strings and the mean loss (E,). With `stop`, no more of a trial is looked at once one
    in a hundred of all strings is wrong, and the loss is that of what was seen. A loss that is no number says so."""
    model, p, total = MODELS[config.model], named(config, flat), bits.shape[1]
    known = model.terms(config, p)
    wrong = torch.zeros(len(flat), dtype=torch.int64, device=flat.device)
    seen, loss = torch.zeros_like(wrong), torch.zeros_like(wrong, dtype=torch.float64)
    rows = torch.arange(len(flat), device=flat.device)
    for i in range(0, total, CHUNK):
        x, y = both(bits[rows, i : i + CHUNK].to(flat.dtype)), labels[rows, i : i + CHUNK]
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


def evaluate(config: Config, state: State, loss: Tensor) -> Tensor:
    """Note the errors of this iteration; which trials (rows) are finished."""
    wrong, held_loss = errors(config, state.flat, state.held_bits, state.held_labels, config.stop)
    finished = torch.zeros(len(state.keys), dtype=torch.bool)
    for i, record in enumerate(state.records):
        w, held = int(wrong[i]), float(held_loss[i])
        if not math.isfinite(held):
            record |= {"status": "failed", "iterations": state.step}
            finished[i] = True
            continue
        if config.curve:
            record.setdefault("curve", []).append([state.step, round(float(loss[i]), 6), w, round(held, 6)])
        if record["errors"] is None or w < record["errors"]:
            record |= {"errors": w, "best": state.step, "loss": float(loss[i]), "held_loss": held}
            if config.measure:
                record |= measured(config, state, i)
        if config.stop and w == 0 and not (config.curve and loss[i] > FLOOR):
            record["iterations"] = state.step
            finished[i] = True
        if config.watch and (finished[i] or state.step == config.iterations):
            record["attention"] = attention(config, state, i)
    return finished


@torch.no_grad()
def measured(config: Config, state: State, i: int) -> dict[str, Any]:
    """The loss and the errors on the training strings of one trial, and what is read off its network."""
    from .norms import norms_of

    flat = state.flat[i : i + 1]
    found: dict[str, Any] = {"norms": norms_of(config, {n: v[0] for n, v in named(config, flat).items()})}
    if state.strings is not None and state.labels is not None:
        out = MODELS[config.model].logits(config, named(config, flat), state.strings[i : i + 1])
        y = state.labels[i : i + 1]
        found |= {"train_loss": float(losses(out, y)), "train_errors": int((out.argmax(-1) != y).sum())}
    return found


@torch.no_grad()
def attention(config: Config, state: State, i: int) -> list[list[list[float]]]:
    """The weights of every head (strings, H, T + 1) of one trial on its first held-out strings, [CLS] last."""
    masses = MODELS[config.model].terms(config, named(config, state.flat[i : i + 1]))[0, ..., -1]  # (2T + 1, H)
    zeros, ones = masses[:-1].unflatten(0, (2, -1))
    weights = torch.where(state.held_bits[i, :WATCHED, :, None].bool(), ones, zeros)  # (n, T, H)
    weights = torch.cat([weights, masses[-1:].expand(len(weights), 1, -1)], 1)
    found: list[list[list[float]]] = (weights / weights.sum(1, keepdim=True)).mT.double().round(decimals=5).tolist()
    return found


def train(
    config: Config, trials: Sequence[int], device: str = "cpu", report: Report = lambda done, left: None
) -> Trained:
    """The trials with these numbers. A trial whose loss is no longer a number has failed, at that iteration."""
    keys = [key(config, trial) for trial in trials]
    state = start(config, keys, torch.device(device))
    decay = decay_of(config).to(state.flat)
    done: dict[str, dict[str, Any]] = {}
    last: dict[str, Tensor] = {}

    def leave(finished: Tensor) -> None:
        for i in torch.nonzero(finished).flatten().tolist():
            done[state.keys[i]], last[state.keys[i]] = state.records[i], state.flat[i]
        state.keep(torch.nonzero(~finished).flatten())

    while state.keys and state.step < config.iterations:
        loss, slope = gradient(config, state)
        broken = ~loss.isfinite().cpu()
        adam(config, state, slope, decay)
        if broken.any():
            for i in torch.nonzero(broken).flatten().tolist():
                state.records[i] |= {"status": "failed", "iterations": state.step}
            loss = loss[~broken.to(loss.device)]
            leave(broken)
        if state.keys and (state.step % config.every == 0 or state.step == config.iterations):
            finished = evaluate(config, state, loss)
            if finished.any():
                leave(finished)
            report(state.step, len(state.keys))
    if state.keys:
        leave(torch.ones(len(state.keys), dtype=torch.bool))
    networks = [{n: v[0] for n, v in named(config, last[k][None]).items()} for k in keys]
    return Trained([done[k] for k in keys], networks)
