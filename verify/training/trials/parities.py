"""A trial of the PAC-Bayes paper, by squared loss: a sum of parities of hidden positions, or the steps of a parity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .fields import DTYPES, OVERHEAD, SPECTRA, InEpochs, check, floats, later, one_of, whole


@dataclass(frozen=True, kw_only=True)
class Spectrum(InEpochs):
    """Everything that a result depends on, but the number of the trial. It is trained until its loss over all training
    strings, taken again at the end of an epoch, is below the threshold, or given up after `cap` epochs."""

    model: str  # two_layers or channel: the modules of these names
    D: int  # degree
    omega: int = 1  # sparsity
    T: int = 20  # bits
    task: str = "function"  # or steps: y_t = x_t xor y_(t-1) at all t, each from what is before it
    m: int = 8192  # training strings
    batch: int = 128
    rate: float = 4e-3
    decay: float = 1e-4
    threshold: float = 0.02
    cap: int = 100  # epochs
    held_out: int = 32_768  # fresh strings; all strings, if there are no more
    more: int = 30  # coordinates of a token besides those of its position, of model two_layers
    width: int = 128  # of a ReLU layer
    measure: bool = False  # keep norms, sharpness and the sub-Gaussian constant at the end
    probes: int = 16  # random directions of a trace
    watch: bool = False  # keep what model channel learned: attention and its one-dimensional curve
    certify: str = ""  # a PAC-Bayes certificate, with the prior around the initial weights (start), or around those
    # that fit the first half of the strings (half)
    dtype: str = "float32"
    scale: float = later(1.0)  # of the initial weights, of model two_layers
    dropout: float = later(0.0)  # of what attention and ReLU layers add, of model two_layers

    def __post_init__(self) -> None:
        floats(self)
        two = self.model == "two_layers"
        check((
            one_of("model", self.model, SPECTRA),
            one_of("task", self.task, ("function", "steps")),
            one_of("dtype", self.dtype, DTYPES),
            whole(self),
            (self.certify not in ("", "start", "half"), f"no prior {self.certify!r}; there are start, half"),
        ))  # fmt: skip
        most = min(self.T, math.comb(self.T, self.D)) if 1 <= self.D <= self.T else 0
        check((
            (not most, f"the degree is from 1 to T = {self.T}, got {self.D}"),
            (not 1 <= self.omega <= most, f"the sparsity is from 1 to {most} at T = {self.T}, degree {self.D}, "
             f"got {self.omega}"),
            (self.m < 2, f"m >= 2 training strings, got {self.m}"),
            (not 1 <= self.batch <= self.m, f"a batch has 1 to m = {self.m} strings, got {self.batch}"),
            (min(self.cap, self.width) < 1, "cap and width are at least 1"),
            (min(self.held_out, self.probes) < 2, "held_out and probes are at least 2"),
            (not (0 < self.rate < math.inf and 0 <= self.decay < math.inf), "the rate is positive, decay at least 0"),
            (not 0 < self.threshold < math.inf, f"the threshold is positive, got {self.threshold}"),
            (self.more < 1, f"the two symbols need at least 1 coordinate, got {self.more}"),
            (not two and self.more != 30, "more is of model two_layers"),
            (two and self.watch, "watch is of model channel"),
            (not (0 < self.scale < math.inf and 0 <= self.dropout < 1), "scale is positive, dropout in [0, 1)"),
            (bool(self.dropout) and self.task == "steps", "steps are trained without dropout"),
            (not two and (self.scale, self.dropout) != (1, 0), "scale and dropout are of model two_layers"),
            (self.task == "steps" and (not two or self.measure or bool(self.certify)),
             "steps are of model two_layers, without measure or certify"),
            (self.task == "steps" and (self.D, self.omega) != (2, 1), "a step is a parity of 2 bits: D = 2, omega = 1"),
        ))  # fmt: skip

    clip = 0.0

    @property
    def protocol(self) -> str:
        """With dropout, as in the authors' log."""
        return "script" if self.dropout else "fast"

    @property
    def positions(self) -> int:
        """The bits and the output token; with steps, the bits and y_0, ..., y_(T-1)."""
        return 2 * self.T if self.task == "steps" else self.T + 1

    @property
    def codes(self) -> int:
        """Different positional vectors: with steps, x_t and y_(t-1) have the same."""
        return self.T if self.task == "steps" else self.T + 1

    @property
    def kind(self) -> tuple[Any, ...]:
        return self.model, self.task, bool(self.dropout)

    @property
    def size(self) -> tuple[float, ...]:
        return self.T, self.D, self.omega, self.m, self.width, self.cap

    @property
    def work(self) -> float:
        """Multiplications, roughly: every string is seen twice in an epoch, once for a gradient."""
        tokens = self.codes + self.more if self.dropout else 1
        each = self.positions * (self.positions + tokens) * (self.width if self.model == "two_layers" else 2)
        return self.iterations * (OVERHEAD + 4 * self.batch * each)

    @property
    def heavy(self) -> bool:
        return self.m >= 1024

    def under(self, protocol: str) -> Spectrum:
        check([(protocol != self.protocol, "how a sum of parities is trained is in the plan: fast, or script")])
        return self
