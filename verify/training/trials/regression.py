"""A trial of q-sparse token regression, by squared loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .fields import DTYPES, MODELS, OVERHEAD, TOKENS, Keyed, check, floats, one_of, whole


@dataclass(frozen=True, kw_only=True)
class Regression(Keyed):
    """Everything that a result depends on, but the number of the trial: q-sparse token regression, trained until the
    mean squared error on held-out prompts is at most the threshold."""

    model: str  # transformer, recurrent or feedforward: the modules of these names
    N: int  # tokens of a prompt
    task: str = "qstr"  # or simple: all positions of a training prompt ask for the same tokens
    test: str = ""  # prompts of the test: as the task, or simple
    link: str = "linear"  # or hermite
    q: int = 1  # tokens that a label depends on
    d: int = 10  # numbers of a token
    cell: str = "tanh"  # of model recurrent; or gru
    m: int = 0  # training prompts; 0: fresh ones in every step
    batch: int = 64
    rate: float = 1e-3
    decay: float = 0.1
    threshold: float = 0.7
    floor: float = 0.0  # also stop once the mean loss of an epoch is below; 0: never
    cap: int = 1_000_000  # training samples, after which a trial is given up
    every: int = 10  # steps between tests
    held_out: int = 10_000
    heads: int = 0  # of model transformer; 0: q
    width: int = 100  # of its ReLU layer
    hidden: int = 0  # numbers in a state of model recurrent; 0: 500 q
    watch: bool = False  # keep what is between queries and keys at the end
    dtype: str = "float32"

    def __post_init__(self) -> None:
        floats(self)
        check((
            (self.model not in TOKENS, one_of("model", self.model, MODELS)[1]),
            one_of("task", self.task, ("qstr", "simple")),
            (self.test not in ("", "simple"), f"no test {self.test!r}; there is simple, or leave it out"),
            one_of("link", self.link, ("linear", "hermite")),
            one_of("cell", self.cell, ("tanh", "gru")),
            one_of("dtype", self.dtype, DTYPES),
            whole(self),
        ))  # fmt: skip
        attends, recurs = self.model == "transformer", self.model == "recurrent"
        check((
            (self.N < 2, f"a prompt has N >= 2 tokens, got {self.N}"),
            (not 1 <= self.q <= self.N, f"a label is of q tokens among N: 1 <= q <= N, got q = {self.q}, N = {self.N}"),
            (self.task == self.test, "a task that is simple is tested on simple prompts: leave test out"),
            (min(self.d, self.batch, self.every, self.width) < 1, "d, batch, every and width are at least 1"),
            (self.held_out < 2, f"a test has at least 2 prompts, got {self.held_out}"),
            (self.m < 0, f"m training prompts, or 0 for fresh ones, got {self.m}"),
            (0 < self.m < self.batch, f"a batch has at most m = {self.m} prompts, got {self.batch}"),
            (self.cap < self.batch, f"the cap is at least a batch of {self.batch} samples, got {self.cap}"),
            (not (0 < self.rate < math.inf and 0 <= self.decay < math.inf), "the rate is positive, decay at least 0"),
            (not 0 < self.threshold < math.inf, f"the threshold is positive, got {self.threshold}"),
            (not 0 <= self.floor < math.inf, f"the floor is at least 0, got {self.floor}"),
            (self.floor > 0 and not self.m, "the floor is for passes over m training prompts"),
            (min(self.heads, self.hidden) < 0, "heads and hidden are at least 0"),
            (not attends and (self.heads > 0 or self.width != 100 or self.watch),
             "heads, width and watch are of model transformer"),
            (not recurs and (self.hidden > 0 or self.cell != "tanh"), "cell and hidden are of model recurrent"),
        ))  # fmt: skip

    protocol = "fast"  # no dropout
    clip = 0.0

    @property
    def d_e(self) -> int:
        """Numbers of a position vector."""
        return math.floor(5 * math.log(self.N))

    @property
    def D(self) -> int:
        """Numbers of a token with the vectors of its own position and of those it asks for."""
        return self.d + (self.q + 1) * self.d_e

    @property
    def H(self) -> int:
        return self.heads or self.q

    @property
    def states(self) -> int:
        return self.hidden or 500 * self.q

    @property
    def gates(self) -> int:
        """Maps of a cell."""
        return 3 if self.cell == "gru" else 1

    @property
    def step(self) -> int:
        return self.batch

    @property
    def steps_of_an_epoch(self) -> int:
        return -(-self.m // self.batch) if self.m else 1

    @property
    def iterations(self) -> int:
        if not self.m:
            return self.cap // self.batch
        passes, rest = divmod(self.cap, self.m)
        return passes * self.steps_of_an_epoch + rest // self.batch

    def samples(self, step: int) -> int:
        """Training samples in so many steps; the last of an epoch may take fewer."""
        if not self.m:
            return step * self.batch
        passes, rest = divmod(step, self.steps_of_an_epoch)
        return passes * self.m + rest * self.batch

    @property
    def kind(self) -> tuple[Any, ...]:
        return self.model, self.task, self.link

    @property
    def size(self) -> tuple[float, ...]:
        return self.N, self.q, self.states, self.gates, self.batch, self.threshold, self.cap

    @property
    def work(self) -> float:
        """Multiplications, roughly."""
        if self.model == "recurrent":
            each = 2 * self.gates * self.N * self.states * (self.states + self.D)
        elif self.model == "transformer":
            each = self.N * self.D * (self.H * (self.N + self.D) + self.width)
        else:
            each = self.N * self.d * self.q * (self.N * self.D + 1000)
        return self.iterations * (OVERHEAD + (3 * self.batch + self.held_out / self.every) * each)

    @property
    def heavy(self) -> bool:
        return self.model == "recurrent" or self.N > 24

    def under(self, protocol: str) -> Regression:
        check([(protocol != "fast", "the networks of token regression have no dropout: protocol fast")])
        return self
