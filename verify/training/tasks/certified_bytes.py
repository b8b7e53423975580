"""A Transformer on windows of bytes, certified on what it was trained on and on what it was not.

Windows come in batches: each is predicted before it is learned, in one pass. Towards the end the network of that
moment is kept, and predicts all windows that are left (or windows of the files that are held out). With a subspace,
another network is learned as a message: a fixed start, plus a fixed random matrix times whole coordinates, and a bias
for each byte in whole units. The loss of a window is its mean bits per byte, each prediction mixed with the uniform
one, moved to [0, 1] and rounded up to 5 digits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.engine.state import Record
from maurey.verify.training.networks import byte_model
from maurey.verify.training.networks.byte_model import BYTES, named, surprise
from maurey.verify.training.trials.certified import Bytes

from . import corpus
from .learner import Learner, whole_steps

CHUNK, WARM, CLIP = 64, 50, 1.0
LAST = 0.05  # of the rate, in the end
SPREAD = 0.05  # deviation of the weights for a coordinate of 1
UNITS = 0.5, 1.0  # of coordinates, and of biases
Report = Callable[[int], None]


def trial(config: Bytes, key: str, report: Report) -> Record:
    text = corpus.standard_library()
    windows, held, test = _windows(config, key, text)
    start = byte_model.initial(config, key)
    record: Record = {"status": "done", "sha256": text.sha256, "bytes": len(text.text), "files": len(text.ends),
                      "order_0": text.order_0(), "parameters": len(start)}  # fmt: skip
    online, kept, last = _online(config, key, start, windows, report)
    if config.split == "position":  # of files that are learned nothing is said of those that are not
        record["online"] = {"losses": online, "test": _mean(losses(config, last, test))}
    record["held_out"] = {"losses": losses(config, kept, held), "test": _mean(losses(config, kept, test))}
    if config.dimensions:
        record["message"] = _message(config, key, start, windows, test)
    report(config.iterations)
    return record


def _windows(config: Bytes, key: str, text: corpus.Corpus) -> tuple[Tensor, Tensor, Tensor]:
    """To learn from, for the network that is kept, and for comparison."""
    sizes = config.windows, config.held_out, config.test
    streams = [generator(key, stream) for stream in ("training", "evaluation", "subset")]
    if config.split == "position":
        learned, _, test = (text.windows(config.context, n, rng) for n, rng in zip(sizes, streams, strict=True))
        held = learned[-config.held_out :]
    else:
        own, others = text.halves(config.context, generator(key, "noise"))
        learned, held, test = (
            text.windows_in(files, config.context, n, rng)
            for files, n, rng in zip((own, others, others), sizes, streams, strict=True)
        )
    return torch.from_numpy(learned), torch.from_numpy(held), torch.from_numpy(test)


def _mean_surprise(config: Bytes, windows: Tensor, flat: Tensor) -> Tensor:
    return surprise(config, named(config, flat), windows).mean()


@torch.no_grad()
def losses(config: Bytes, flat: Tensor, windows: Tensor) -> list[int]:
    """In units of 1/DIGITS, rounded up."""
    p, found = named(config, flat), list[int]()
    for part in windows.split(CHUNK):
        q = (-surprise(config, p, part).double()).exp()
        bits = -torch.log2((1 - corpus.SHARE) * q + corpus.SHARE / BYTES).mean(1)
        shares = (bits - corpus.LEAST) / (corpus.MOST - corpus.LEAST)
        found += (shares.clamp(0, 1) * corpus.DIGITS).ceil().long().tolist()
    return found


def _mean(found: list[int]) -> float:
    return sum(found) / len(found) / corpus.DIGITS


def _online(
    config: Bytes, key: str, start: Tensor, windows: Tensor, report: Report
) -> tuple[list[int], Tensor, Tensor]:
    """Losses on every window before it is learned, the network that is kept, and the last one."""
    learner, rng, found = Learner(start, second=0.98, clip=CLIP), generator(key, "batches"), list[int]()
    steps, until = config.settled // config.batch * config.each, config.windows - config.held_out
    kept = start
    for first in range(0, config.windows, config.batch):
        batch = windows[first : first + config.batch]
        if first == until:
            kept = learner.flat.clone()
        found += losses(config, learner.flat, batch)
        for again in range(config.each):
            rows = torch.from_numpy(rng.integers(first + config.batch, size=config.batch))
            own = windows[rows] if again else batch
            fall = min(1.0, LAST + 2 * max(0.0, 1 - learner.steps / steps))
            rate = config.rate * min(1.0, (learner.steps + 1) / WARM) * fall
            learner.step(partial(_mean_surprise, config, own), rate)
        report(learner.steps)
    return found, kept, learner.flat


def _message(config: Bytes, key: str, start: Tensor, windows: Tensor, test: Tensor) -> Record:
    rng, inner = generator(key, "probes"), len(start) - BYTES
    basis = generator(key, "tokens").standard_normal((config.dimensions, inner))
    directions = torch.from_numpy(basis).float() * SPREAD
    unit = torch.cat([torch.full((config.dimensions,), UNITS[0]), torch.full((BYTES,), UNITS[1])])

    def weights(z: Tensor) -> Tensor:
        """The bias of the bytes is the last of the parameters."""
        return torch.cat([start[:inner] + z[: config.dimensions] @ directions, z[config.dimensions :]])

    def loss(z: Tensor) -> Tensor:
        rows = torch.from_numpy(rng.integers(len(windows), size=config.batch))
        return surprise(config, named(config, weights(z)), windows[rows]).mean()

    z = whole_steps(torch.zeros(len(unit)), unit, loss, config.walk, config.pace)
    flat, whole = weights(z * unit), [int(x) for x in z.tolist()]
    return {
        "integers": [whole[: config.dimensions], whole[config.dimensions :]],
        "losses": losses(config, flat, windows),
        "test": _mean(losses(config, flat, test)),
    }
