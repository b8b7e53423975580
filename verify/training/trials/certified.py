"""Trials of several networks on one sample, each trained as one kind of certificate wants it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .boolean import Config
from .fields import OVERHEAD, WHOLE, Keyed, check, floats, one_of, whole


@dataclass(frozen=True, kw_only=True)
class Bits(Keyed):
    """The encoder on a Boolean function of hidden positions: trained on half of the strings, online, in a subspace, and
    drawn around what half of the strings gave."""

    function: str
    s: int
    model: str = "bits"
    T: int = 30
    n: int = 4096  # strings; the second half of them is held out, or certifies an online run
    steps: int = 2000  # on the first half
    batch: int = 64
    rate: float = 1e-3
    decay: float = 1e-4
    block: int = 32  # strings of an online run that come at once
    each: int = 8  # its steps after every block
    dimensions: int = 64  # of the subspace
    walk: int = 2000  # steps in it, the second half of them on whole coordinates
    pace: float = 0.05  # the rate there
    spread: float = 0.02  # deviation of the weights for a coordinate of 1
    draws: int = 1000  # networks around one
    held_out: int = 10_000  # for comparison alone
    width: int = 64
    heads: int = 16

    def __post_init__(self) -> None:
        floats(self)
        check((one_of("model", self.model, WHOLE[:1]), whole(self)))
        check((
            (self.n < 32 or self.n % (2 * self.block) != 0, f"n is a multiple of two blocks, got {self.n}"),
            (min(self.steps, self.batch, self.each, self.dimensions, self.walk, self.draws) < 1, "sizes are positive"),
            (not self.boolean, "no such function"),
        ))  # fmt: skip

    @property
    def boolean(self) -> Config:
        """The network, the function and its strings."""
        return Config(function=self.function, s=self.s, T=self.T, m=self.n // 2, width=self.width, heads=self.heads,
                      rate=self.rate, decay=self.decay, held_out=self.held_out)  # fmt: skip

    protocol = "fast"  # no dropout
    heavy = True

    @property
    def iterations(self) -> int:
        return self.steps + self.walk + self.n // self.block * self.each

    @property
    def kind(self) -> tuple[Any, ...]:
        return (self.model,)

    @property
    def size(self) -> tuple[float, ...]:
        return self.n, self.T, self.iterations, self.draws

    @property
    def work(self) -> float:
        each = self.batch * 12 * self.width**2
        return self.iterations * (OVERHEAD + 3 * each) + 100 * self.draws * 12 * self.width**2

    def under(self, protocol: str) -> Bits:
        check([(protocol != "fast", "these networks are trained without dropout: protocol fast")])
        return self


@dataclass(frozen=True, kw_only=True)
class Bytes(Keyed):
    """A Transformer on windows of bytes of a corpus, trained in one pass: windows at uniform positions of all of it, or
    in files picked uniformly, half of which are held out."""

    split: str = "position"  # or file
    model: str = "bytes"
    windows: int = 20_480
    held_out: int = 4096  # windows for a network that is fixed: the last ones of the run, or of the held-out files
    test: int = 4096  # fresh ones, for comparison alone
    context: int = 128
    width: int = 64
    heads: int = 4
    layers: int = 2
    batch: int = 32
    each: int = 3  # steps after every batch: on itself, and on windows that were seen
    rate: float = 4e-3
    settle: float = 0.75  # of the pass: until then the rate falls, and what comes after certifies the run
    dimensions: int = 0  # of a subspace, and a bias for each byte; 0: nothing is compressed
    walk: int = 1000  # steps in it, the second half of them on whole coordinates
    pace: float = 0.05  # the rate there

    def __post_init__(self) -> None:
        floats(self)
        check((one_of("model", self.model, WHOLE[1:]), one_of("split", self.split, ("position", "file")), whole(self)))
        check((
            (self.width % self.heads != 0, f"the heads divide the width, got {self.heads} and {self.width}"),
            (self.windows % self.batch != 0 or self.held_out % self.batch != 0, "windows come in whole batches"),
            (not 0 < self.settle < 1, f"a run settles before its end, got {self.settle}"),
            (not 0 < self.held_out < self.windows, "fewer windows are held out than there are"),
            (min(self.context, self.layers, self.each, self.test, self.walk) < 1, "sizes are positive"),
        ))  # fmt: skip

    protocol = "fast"
    heavy = True

    @property
    def settled(self) -> int:
        """Windows that come before, in whole batches."""
        return round(self.settle * self.windows / self.batch) * self.batch

    @property
    def iterations(self) -> int:
        return self.windows // self.batch * self.each + (self.walk if self.dimensions else 0)

    @property
    def kind(self) -> tuple[Any, ...]:
        return self.model, self.split, bool(self.dimensions)

    @property
    def size(self) -> tuple[float, ...]:
        return self.windows, self.context, self.width, self.iterations

    @property
    def work(self) -> float:
        each = self.batch * self.context * (12 * self.layers * self.width**2 + 256 * self.width)
        return self.iterations * (OVERHEAD + 3 * each)

    def under(self, protocol: str) -> Bytes:
        check([(protocol != "fast", "this network is trained without dropout: protocol fast")])
        return self
