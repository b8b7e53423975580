"""A trial on a Boolean function of hidden positions, by cross-entropy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .fields import DTYPES, MODELS, OVERHEAD, STRINGS, Keyed, check, floats, one_of


@dataclass(frozen=True)
class Config(Keyed):
    """Everything that a result depends on, but the number of the trial: a Boolean function of hidden positions."""

    model: str = "encoder"  # or "layer": the modules of these names
    function: str = "and"  # and, parity, majority, or 2^s values 0 and 1, that of 00...0 first
    s: int = 3  # hidden positions
    T: int = 100  # bits; [CLS] comes on top
    m: int = 0  # training strings; 0: fresh ones in every step
    batch: int = 0  # strings of a step; 0: all m
    iterations: int = 1000
    every: int = 10  # steps between evaluations
    held_out: int = 10_000
    protocol: str = "fast"  # no dropout; paper: as printed
    noise: float = 0.0  # probability that a training label is flipped
    subset: tuple[int, ...] = ()  # the hidden positions, from 0; drawn if empty
    width: int = 64
    heads: int = 16
    rate: float = 1e-3
    decay: float = 1e-4
    clip: float = 0.0  # of the norm of a trial's gradient; 0: none
    dropout: float = 0.1  # of protocol paper
    stop: bool = True  # at zero held-out errors (a curve: once its loss is low), and an evaluation once it is decided
    curve: bool = False  # keep loss and held-out errors of every evaluation
    measure: bool = False  # keep norms, training loss and training errors of the best network
    watch: bool = False  # keep the attention weights at the end, on a few held-out strings
    dtype: str = "float32"

    def __post_init__(self) -> None:
        floats(self)
        table = set(self.function) <= {"0", "1"}
        check((
            (self.model not in STRINGS, one_of("model", self.model, MODELS)[1]),
            one_of("protocol", self.protocol, ("fast", "paper")),
            one_of("dtype", self.dtype, DTYPES),
            (not 1 <= self.s <= self.T, f"s positions are hidden among T: 1 <= s <= T, got s = {self.s}, T = {self.T}"),
            (not table and self.function not in ("and", "parity", "majority"),
             f"no function {self.function!r}; there are and, parity, majority, or 2^s values 0 and 1"),
            (table and len(self.function) != 2**self.s, f"a function of {self.s} bits has {2**self.s} values"),
            (self.m == 1 or self.m < 0, f"m >= 2 training strings, or 0 for fresh ones, got {self.m}"),
            (self.m == 0 and self.batch < 1, "fresh strings in every step need a batch size"),
            (self.m > 0 and not 0 <= self.batch <= self.m, f"a batch has at most m = {self.m} strings"),
            (bool(self.subset) and (len(set(self.subset)) != self.s or not set(self.subset) <= set(range(self.T))),
             f"the subset has {self.s} different positions from 0 to {self.T - 1}, got {self.subset}"),
            (self.heads < 1 or self.width < 1 or self.width % self.heads != 0,
             f"the heads divide the width, got {self.heads} and {self.width}"),
            (self.rate <= 0 or min(self.decay, self.clip) < 0, "the rate is positive, decay and clip at least 0"),
            (not 0 <= self.dropout < 1, f"dropout is in [0, 1), got {self.dropout}"),
            (min(self.iterations, self.every, self.held_out) < 1, "iterations, every and held_out are at least 1"),
            (not 0 <= self.noise < 0.5, f"the label noise is in [0, 1/2), got {self.noise}"),
            (self.model == "layer" and self.protocol == "paper", "the attention layer has no dropout: protocol fast"),
        ))  # fmt: skip

    @property
    def step(self) -> int:
        """Strings of a step."""
        return self.batch or self.m

    @property
    def steps_of_an_epoch(self) -> int:
        return -(-self.m // self.step) if self.m else 1

    @property
    def kind(self) -> tuple[Any, ...]:
        """Trials of other kinds say nothing of how long one takes."""
        return self.model, self.function, self.protocol, self.stop

    @property
    def size(self) -> tuple[float, ...]:
        """What makes a trial of its kind long."""
        return self.T, self.step, self.held_out

    @property
    def work(self) -> float:
        """Multiplications, roughly: a string meets all that can stand at 2 T places, and the maps of one token; with
        dropout, those of all tokens."""
        own, token = 2 * self.T * (self.width + self.heads), self.width * (10 if self.model == "encoder" else 1)
        each = own + self.width * token
        trained = self.T * self.width * (4 * self.heads + 16) if self.protocol == "paper" else each
        step = 3 * (self.step * trained + 2 * self.T * self.width**2)
        return self.iterations * (OVERHEAD + step + self.held_out * each / self.every)

    @property
    def heavy(self) -> bool:
        """Whether one trial keeps a core busy, so that nothing is gained by training several at a time."""
        return self.protocol == "paper"

    def under(self, protocol: str) -> Config:
        return replace(self, protocol=protocol)
