"""E independent trials with the same configuration, trained as one batched computation.

The loss is the sum over trials of each one's mean over its data: no trial's gradient sees another trial. What is
trained on what, and when it is good enough, is a task's own (`state`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from maurey.verify.training.tasks import certified_bits, certified_bytes
from maurey.verify.training.tasks.boolean import Strings
from maurey.verify.training.tasks.majority import Votes
from maurey.verify.training.tasks.parities import Spectra
from maurey.verify.training.tasks.regression import Prompts
from maurey.verify.training.trials.certified import Bits, Bytes
from maurey.verify.training.trials.fields import SPECTRA, STRINGS, TOKENS, VOTES, WHOLE
from maurey.verify.training.trials.keys import Stepped, Trial, key
from maurey.verify.training.trials.majority import Majority

from .checkpoints import Checkpoint
from .state import MODELS, State, decay_of, named
from .store import unfinished

__all__ = ["MODELS", "State", "Trained", "adam", "decay_of", "gradient", "named", "start", "train"]

TASKS: dict[str, Any] = (
    dict.fromkeys(STRINGS, Strings)
    | dict.fromkeys(TOKENS, Prompts)
    | dict.fromkeys(SPECTRA, Spectra)
    | dict.fromkeys(VOTES, Votes)
)
TRIALS: dict[str, Any] = dict(zip(WHOLE, (certified_bits.trial, certified_bytes.trial), strict=True))
BETAS, TINY = (0.9, 0.999), 1e-8
Report = Callable[[int, int], None]  # iterations done, trials left


@dataclass(frozen=True)
class Trained:
    """What came of the trials, in order, and their networks at the end."""

    records: list[dict[str, Any]]
    networks: list[dict[str, Tensor]]
    before: float = 0.0  # seconds that were spent on them before they were stopped


def start(config: Trial, keys: Sequence[str], device: torch.device) -> State:
    state: State = TASKS[config.model].begin(config, keys, device)
    return state


def gradient(config: Trial, state: State) -> tuple[Tensor, Tensor]:
    """The losses (E,) of the next step, and their gradients (E, P)."""
    data = state.taken()
    size = state.at_once(data[0].shape[1])
    parts = [slice(i, i + size) for i in range(0, len(state.keys), size)]
    found = [state.slopes(part, tuple(own[part] for own in data)) for part in parts]
    return torch.cat([loss for loss, _ in found]), torch.cat([slope for _, slope in found])


def adam(config: Stepped, state: State, slope: Tensor, decay: Tensor) -> None:
    """One step of AdamW; the gradient of each trial is clipped on its own."""
    if config.clip:
        slope = slope * (config.clip / (slope.norm(dim=1, keepdim=True) + 1e-6)).clamp(max=1)
    state.step += 1
    first, second = (1 - beta**state.step for beta in BETAS)
    state.first.lerp_(slope, 1 - BETAS[0])
    state.second.mul_(BETAS[1]).addcmul_(slope, slope, value=1 - BETAS[1])
    state.flat.addcmul_(state.flat, decay, value=-1)
    state.flat.addcdiv_(state.first, (state.second / second).sqrt_().add_(TINY), value=-config.rate / first)


def momentum(config: Majority, state: State, slope: Tensor, decay: Tensor) -> None:
    """One step of gradient descent with momentum, which is kept as the first moment; nothing decays but the rate,
    before every epoch, the first included."""
    rate = max(config.least, config.rate * config.fall ** (1 + state.step // config.steps_of_an_epoch))
    state.step += 1
    state.first.mul_(config.momentum).sub_(slope, alpha=rate)
    state.flat.add_(state.first)


MOVES: dict[str, Any] = dict.fromkeys(VOTES, momentum)  # of models that are not trained by Adam


def train(
    config: Trial,
    trials: Sequence[int],
    device: str = "cpu",
    report: Report = lambda done, left: None,
    folder: Path | None = None,
) -> Trained:
    """The trials with these numbers. A trial whose loss is no longer a number has failed, at that iteration. With a
    folder, a batch that was stopped goes on from what is written there."""
    keys = [key(config, trial) for trial in trials]
    if isinstance(config, Bits | Bytes):
        return Trained([TRIALS[config.model](config, k, lambda step: report(step, len(keys))) for k in keys], [])
    state = start(config, keys, torch.device(device))
    checkpoint = Checkpoint(None if folder is None else unfinished(folder, keys), state)
    left: dict[str, tuple[dict[str, Any], Tensor]] = checkpoint.left
    decay, move = decay_of(config).to(state.flat), MOVES.get(config.model, adam)

    def leave(finished: Tensor) -> None:
        for i in torch.nonzero(finished).flatten().tolist():
            left[state.keys[i]] = state.closed(i), state.flat[i]
        state.keep(torch.nonzero(~finished).flatten())

    while state.keys and state.step < config.iterations:
        loss, slope = gradient(config, state)
        broken = ~loss.isfinite().cpu()
        move(config, state, slope, decay)
        if broken.any():
            for i in torch.nonzero(broken).flatten().tolist():
                state.records[i] |= {"status": "failed", "iterations": state.step}
            loss = loss[~broken.to(loss.device)]
            leave(broken)
        state.note(loss)
        if state.keys and state.due:
            finished = state.evaluate(loss)
            if finished.any():
                leave(finished)
            report(state.step, len(state.keys))
            checkpoint.save()
    if state.keys:
        leave(torch.ones(len(state.keys), dtype=torch.bool))
    networks = [{n: v[0] for n, v in named(config, left[k][1][None]).items()} for k in keys]
    return Trained([left[k][0] for k in keys], networks, checkpoint.before)
