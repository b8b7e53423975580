"""An encoder on strings of bits, certified in every way that there is, on one sample.

* held out: trained on the first half, tested on the second; and on how many strings of that every execution is right;
* online: strings come in blocks, each is answered before it is learned, and steps are made on all that came so far;
* message: weights are a fixed start plus a fixed random matrix times whole coordinates, which are the message;
* drawn: networks drawn around the one of the first half, or around one that went on to learn from both halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.engine.randomness import generator
from maurey.verify.training.engine.state import MODELS, Record, decay_of, named
from maurey.verify.training.networks.binary_attention import both
from maurey.verify.training.trials.certified import Bits

from .learner import Learner, whole_steps
from .strings import strings

CHUNK = 256
Report = Callable[[int], None]


def trial(config: Bits, key: str, report: Report) -> Record:
    run = Run(config, key)
    first = run.learned(config.n // 2, config.steps)
    report(config.steps)
    record: Record = {"status": "done", "half": run.on_halves(first)}
    online, last = run.online()
    report(config.steps + config.n // config.block * config.each)
    record["online"] = {"losses": "".join(map(str, online)), "test": run.wrong(last, run.test)}
    record["message"] = run.message()
    report(config.iterations)
    record["drawn"] = run.drawn(first)
    return record


class Run:
    """Strings, labels and the network, as rows (1, P)."""

    def __init__(self, config: Bits, key: str) -> None:
        self.config, self.key, self.net = config, key, config.boolean
        self.x, self.y = self._strings("training", config.n)
        self.test = self._strings("evaluation", config.held_out)
        self.start = torch.from_numpy(
            np.concatenate([a.ravel() for a in MODELS["encoder"].initial(self.net, key).values()])
        )[None].float()
        self.decay = decay_of(self.net)

    def _strings(self, stream: str, number: int) -> tuple[Tensor, Tensor]:
        x, y = strings(self.net, self.key, stream, number)
        return both(torch.from_numpy(x).float()), torch.from_numpy(y).long()

    def logits(self, flat: Tensor, x: Tensor) -> Tensor:
        """(E, n, 2) of rows (E, P) on strings (E, n, 2T)."""
        found: Tensor = MODELS["encoder"].logits(self.net, named(self.net, flat), x)
        return found

    def loss(self, rows: Tensor, of: Callable[[Tensor], Tensor] = lambda flat: flat) -> Callable[[Tensor], Tensor]:
        return lambda flat: F.cross_entropy(self.logits(of(flat), self.x[None, rows])[0], self.y[rows])

    @torch.no_grad()
    def wrong_of(self, flat: Tensor, x: Tensor, y: Tensor) -> Tensor:
        parts = zip(x.split(CHUNK), y.split(CHUNK), strict=True)
        return torch.cat([self.logits(flat, own[None])[0].argmax(-1) != labels for own, labels in parts])

    def wrong(self, flat: Tensor, data: tuple[Tensor, Tensor]) -> int:
        return int(self.wrong_of(flat, *data).sum())

    def learned(self, number: int, steps: int, learner: Learner | None = None) -> Learner:
        """On the first so many strings."""
        own = learner or Learner(self.start, self.decay)
        rng = generator(self.key, "batches", own.steps)
        for _ in range(steps):
            own.step(self.loss(torch.from_numpy(rng.integers(number, size=self.config.batch))), self.config.rate)
        return own

    def on_halves(self, learner: Learner) -> Record:
        from maurey.verify.certificates.executions import right
        from maurey.verify.training.readings.norms import norms_of

        half, flat = self.config.n // 2, learner.flat
        bits = self.x[half:, self.config.T :].numpy().astype(np.uint8)  # zeros come first, then ones
        p = {name: x[0].numpy() for name, x in named(self.net, flat).items()}
        with torch.no_grad():
            loss = float(self.loss(torch.arange(half))(flat))
        return {
            "train_errors": self.wrong(flat, (self.x[:half], self.y[:half])),
            "train_loss": loss,
            "errors": self.wrong(flat, (self.x[half:], self.y[half:])),
            "proved": int(right(p, self.config.heads, bits, self.y[half:].numpy()).sum()),
            "test": self.wrong(flat, self.test),
            "norms": norms_of(self.net, {name: x[0] for name, x in named(self.net, flat).items()}),
        }

    def online(self) -> tuple[list[int], Tensor]:
        """The loss on every string before it is learned, and the last network."""
        own, rng, losses = Learner(self.start, self.decay), generator(self.key, "noise"), list[int]()
        for start in range(0, self.config.n, self.config.block):
            part = slice(start, start + self.config.block)
            losses += self.wrong_of(own.flat, self.x[part], self.y[part]).int().tolist()
            for _ in range(self.config.each):
                rows = torch.from_numpy(rng.integers(part.stop, size=self.config.batch))
                own.step(self.loss(rows), self.config.rate)
        return losses, own.flat

    def message(self) -> Record:
        config, rng = self.config, generator(self.key, "probes")
        basis = generator(self.key, "tokens").standard_normal((config.dimensions, self.start.shape[1]))
        directions = torch.from_numpy(basis).float() * config.spread

        def weights(z: Tensor) -> Tensor:
            return self.start + z @ directions

        def loss(z: Tensor) -> Tensor:
            rows = torch.from_numpy(rng.integers(config.n, size=2 * config.batch))
            return self.loss(rows, weights)(z)

        z = whole_steps(torch.zeros(1, config.dimensions), 1.0, loss, config.walk, config.pace)
        flat = weights(z)
        return {
            "integers": [int(x) for x in z[0].tolist()],
            "errors": self.wrong(flat, (self.x, self.y)),
            "test": self.wrong(flat, self.test),
        }

    def drawn(self, first: Learner) -> Record:
        """Around the network of the first half, as it is and after as many steps on all strings; the prior is there."""
        from maurey.verify.certificates.pacbayes import certify

        half, prior = self.config.n // 2, first.flat[0].clone()

        def forward(flat: Tensor, x: Tensor) -> Tensor:
            z = self.logits(flat, x)
            return (z[..., 1] - z[..., 0]).sigmoid()

        found: dict[str, Any] = {}
        for name, mean in (
            ("kept", prior),
            ("retrained", self.learned(self.config.n, self.config.steps, first).flat[0]),
        ):
            rng = generator(self.key, "certificate")
            test = (self.test[0], self.test[1].float())
            found[name] = certify(forward, mean, prior, self.x[half:], self.y[half:].float(), rng, loss="wrong",
                                  test=test, draws=self.config.draws)  # fmt: skip
        return found
