"""A trial of the sparse majority of Trauger and Tewari 2024, as their script has it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .fields import DTYPES, OVERHEAD, VOTES, InEpochs, check, floats, one_of, whole


@dataclass(frozen=True, kw_only=True)
class Majority(InEpochs):
    """Everything that a result depends on, but the number of the trial. Trained until all answers of an epoch are right
    in training, or given up after `cap` epochs; what is reported is the epoch with the least held-out loss."""

    T: int  # bits; [CLS] comes after them
    model: str = "voter"  # the module of this name
    s: int = 9  # hidden positions
    m: int = 300  # training strings
    batch: int = 128
    cap: int = 200_000  # epochs
    held_out: int = 10_000
    width: int = 64
    heads: int = 2  # each with keys and values as wide as a token
    rate: float = 0.01
    momentum: float = 0.9
    fall: float = 0.999  # the rate is multiplied by it before every epoch, the first included
    least: float = 0.001  # below which the rate does not fall
    dtype: str = "float32"

    def __post_init__(self) -> None:
        floats(self)
        check((
            one_of("model", self.model, VOTES),
            one_of("dtype", self.dtype, DTYPES),
            whole(self),
            (not 1 <= self.s <= self.T, f"s positions are hidden among T: 1 <= s <= T, got s = {self.s}, T = {self.T}"),
            (self.m < 2, f"m >= 2 training strings, got {self.m}"),
            (not 1 <= self.batch <= self.m, f"a batch has 1 to m = {self.m} strings, got {self.batch}"),
            (min(self.cap, self.held_out, self.width, self.heads) < 1, "cap, held_out, width and heads are at least 1"),
            (not 0 < self.least <= self.rate < math.inf, "the rate is positive, and at least the least one"),
            (not (0 <= self.momentum < 1 and 0 < self.fall <= 1), "momentum is in [0, 1), the fall in (0, 1]"),
        ))  # fmt: skip

    function, noise, subset = "majority", 0.0, ()
    protocol = "script"
    clip = decay = 0.0

    @property
    def kind(self) -> tuple[Any, ...]:
        return (self.model,)

    @property
    def size(self) -> tuple[float, ...]:
        return self.T, self.m, self.held_out, self.width

    @property
    def work(self) -> float:
        """Multiplications, roughly; most evaluations break off."""
        inner = self.heads * self.width
        each = (2 * self.T + self.width) * inner + self.width**2
        step = 3 * (self.batch * each + 6 * self.T * self.width * inner)
        return self.iterations * (OVERHEAD + step + 500 * each / self.every)

    @property
    def heavy(self) -> bool:
        return False

    def under(self, protocol: str) -> Majority:
        check([(protocol != "script", "this network is of protocol script")])
        return self
