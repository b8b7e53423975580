"""The models of every task, and what configurations are checked for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import field, fields
from functools import cached_property
from typing import Any

from maurey.symbolic.errors import InputError

DTYPES = ("float32", "float64")
STRINGS, TOKENS = ("encoder", "layer"), ("transformer", "recurrent", "feedforward")  # models, by what they read
SPECTRA, VOTES = ("two_layers", "channel"), ("voter",)
WHOLE = ("bits", "bytes")  # trials of several networks, one after the other
MODELS = STRINGS + TOKENS + SPECTRA + VOTES + WHOLE


OVERHEAD = 1_000_000  # of a step, in multiplications


class Keyed:
    """A configuration, of which a text is made once for all its trials."""

    @cached_property
    def said(self) -> str:
        """All that its results depend on."""
        own: Any = self
        unsaid = {f.name for f in fields(own) if f.metadata.get("later") and getattr(own, f.name) == f.default}
        values = {f.name: getattr(own, f.name) for f in fields(own) if f.name not in unsaid}
        return json.dumps(values, sort_keys=True)


class InEpochs(Keyed):
    """A configuration that is trained in batches of m strings, and judged after every pass over them."""

    m: int
    batch: int
    cap: int

    @property
    def step(self) -> int:
        return self.batch

    @property
    def steps_of_an_epoch(self) -> int:
        return -(-self.m // self.batch)

    @property
    def every(self) -> int:
        """Steps between evaluations."""
        return self.steps_of_an_epoch

    @property
    def iterations(self) -> int:
        return self.cap * self.steps_of_an_epoch


def later(default: Any) -> Any:
    """A field that came when there were results already: at its default it is not part of a trial's key."""
    return field(default=default, metadata={"later": True})


def check(found: Iterable[tuple[bool, str]]) -> None:
    for wrong, text in found:
        if wrong:
            raise InputError(text)


def one_of(what: str, given: str, known: tuple[str, ...]) -> tuple[bool, str]:
    return given not in known, f"no {what} {given!r}; there are {', '.join(known)}"


def floats(config: Any) -> None:
    """1 and 1.0 are one configuration."""
    for f in fields(config):
        if f.type == "float":
            object.__setattr__(config, f.name, float(getattr(config, f.name)))


def whole(config: Any) -> tuple[bool, str]:
    """Whether what must be a whole number is none."""
    wrong = [f.name for f in fields(config) if f.type == "int" and type(getattr(config, f.name)) is not int]
    return bool(wrong), f"{', '.join(wrong)} must be whole numbers"
