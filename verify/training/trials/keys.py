"""A trial: what is trained on what, for how long. Its key is the hash of all that can change its result."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from maurey.symbolic.errors import InputError

from .boolean import Config
from .certified import Bits, Bytes
from .fields import MODELS, SPECTRA, STRINGS, TOKENS, VOTES, WHOLE, check, one_of
from .majority import Majority
from .parities import Spectrum
from .regression import Regression

SEMANTICS = 1  # raise by hand when the same configuration comes to mean another computation
Stepped = Config | Regression | Spectrum | Majority  # trained side by side, by one optimiser
Trial = Stepped | Bits | Bytes
KINDS: dict[str, Any] = (
    dict.fromkeys(STRINGS, Config)
    | dict.fromkeys(TOKENS, Regression)
    | dict.fromkeys(SPECTRA, Spectrum)
    | dict.fromkeys(VOTES, Majority)
    | dict(zip(WHOLE, (Bits, Bytes), strict=True))
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
        (kind is Majority and "T" not in given, "the length T is missing"),
        (kind is Bits and not {"function", "s"} <= set(given), "the function, or s, is missing"),
    ))  # fmt: skip
    made: Trial = kind(**given)
    return made


def short(config: Trial) -> dict[str, Any]:
    """What differs from the defaults; `config` reads it back, by the model."""
    usual = {f.name: f.default for f in fields(config)} | {"model": Config.model}
    return {name: value for name, value in asdict(config).items() if value != usual[name]}


def key(config: Trial, trial: int) -> str:
    """Of the text {"config": ..., "semantics": ..., "trial": ...}, names in order."""
    text = f'{{"config": {config.said}, "semantics": {SEMANTICS}, "trial": {trial}}}'
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Job:
    """One trial of a configuration."""

    config: Any  # a Trial
    trial: int

    @cached_property
    def key(self) -> str:
        return key(self.config, self.trial)
