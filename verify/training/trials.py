"""A trial: what is trained on what, for how long. Its key is the hash of all that can change its result."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from maurey.symbolic.claim import InputError

from .checking import DTYPES, check, floats, one_of, whole
from .spectrum import SPECTRA, Spectrum

SEMANTICS = 1  # raise by hand when the same configuration comes to mean another computation
STRINGS, TOKENS = ("encoder", "layer"), ("transformer", "recurrent", "feedforward")  # models, by what they read


@dataclass(frozen=True)
class Config:
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
    def heavy(self) -> bool:
        """Whether one trial keeps a core busy, so that nothing is gained by training several at a time."""
        return False

    def under(self, protocol: str) -> Config:
        return replace(self, protocol=protocol)


@dataclass(frozen=True, kw_only=True)
class Regression:
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
        return self.model, self.cell, self.task, self.link

    @property
    def size(self) -> tuple[float, ...]:
        return self.N, self.q, self.states, self.batch, self.threshold, self.cap

    @property
    def heavy(self) -> bool:
        return self.model == "recurrent"

    def under(self, protocol: str) -> Regression:
        check([(protocol != "fast", "the networks of token regression have no dropout: protocol fast")])
        return self


Trial = Config | Regression | Spectrum
MODELS = STRINGS + TOKENS + SPECTRA
KINDS: dict[str, Any] = (
    dict.fromkeys(STRINGS, Config) | dict.fromkeys(TOKENS, Regression) | dict.fromkeys(SPECTRA, Spectrum)
)


def config(values: Mapping[str, Any]) -> Trial:
    """From a table of names and values."""
    check([one_of("model", values.get("model", "encoder"), MODELS)])
    kind = KINDS[values.get("model", "encoder")]
    known = {f.name for f in fields(kind)}
    if unknown := set(values) - known:
        raise InputError(f"a trial has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}")
    given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    check((
        (kind is Regression and "N" not in given, "a prompt has N >= 2 tokens: N is missing"),
        (kind is Spectrum and "D" not in given, "the degree D is missing"),
    ))  # fmt: skip
    made: Trial = kind(**given)
    return made


def short(config: Trial) -> dict[str, Any]:
    """What differs from the defaults; `config` reads it back."""
    usual = {f.name: f.default for f in fields(config)}
    return {name: value for name, value in asdict(config).items() if value != usual[name]}


def key(config: Trial, trial: int) -> str:
    content = {"config": asdict(config), "trial": trial, "semantics": SEMANTICS}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Job:
    """One trial of a configuration."""

    config: Any  # a Trial
    trial: int

    @cached_property
    def key(self) -> str:
        return key(self.config, self.trial)
