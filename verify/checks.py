"""Checks attach to claims from above, by key: `symbolic` never knows of them.

A check is a function of the effort; it returns what it found, one result or several. A result speaks of one form of one
part. Undecided is a verdict of its own, never a kind of holding.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from operator import itemgetter
from typing import Any

from maurey.symbolic.claim import InputError

from . import evidence, papers
from .rungs import BESIDES, RUNGS, VERDICTS


@dataclass(frozen=True)
class Effort:
    """How hard to try. `scale` multiplies instances, starts and sizes; the seed is explicit."""

    name: str
    scale: int
    seed: int = 0


EFFORTS = {e.name: e for e in (Effort("quick", 1), Effort("normal", 4), Effort("hard", 16))}


@dataclass(frozen=True)
class Result:
    verdict: str
    rung: str
    note: str  # what was done, or why nothing was decided
    _: KW_ONLY
    instances: int = 0  # those that met the hypotheses
    tightness: float | None = None  # the largest lhs/rhs that was found
    counterexample: Mapping[str, Any] | None = None
    part: str = ""  # all parts, if none is named
    form: str = "printed"
    printed_value: str = ""  # of what fails: what the print says at the counterexample, and what is true there
    true_value: str = ""
    edge: bool = False  # it fails only where a kept logarithm vanishes
    proof: bool = False  # what fails is the object of the printed proof; what is stated may be true all the same

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS or self.rung not in RUNGS:
            raise ValueError(f"{self.verdict!r}, {self.rung!r}: not a verdict, or not a rung")
        if self.verdict == "fails" and not self.counterexample:
            raise ValueError("what fails has a counterexample")
        if self.tightness is not None and not isinstance(self.tightness, int | float):
            raise ValueError(f"a tightness is a number of Python's, not {type(self.tightness)}")


def refuted(note: str, witness: Mapping[str, Any], said: object, true: object, **more: Any) -> Result:
    """An object violates it: what the form says there, and what is true, as decimals."""
    values = (Decimal(x.numerator) / x.denominator if isinstance(x, Fraction) else x for x in (said, true))
    said, true = (str(value) for value in values)
    return Result("fails", "refuted", note, counterexample=witness, printed_value=said, true_value=true, **more)


def besides(note: str, part: str = "") -> Result:
    """What a reader of the paper should know of a claim, though it decides nothing: a caveat, a slip of its proof."""
    return Result("undecided", "constructed", BESIDES + note, part=part)


Check = Callable[[Effort], "Result | Iterable[Result]"]


@dataclass
class _Book:
    checks: dict[str, list[tuple[str, Check]]] = field(default_factory=dict)  # each with the module that registers it
    exempt: dict[str, str] = field(default_factory=dict)
    modules: dict[str, set[str]] = field(default_factory=dict)  # which speak of a key


BOOK = _Book()


def check(*keys: str) -> Callable[[Check], Check]:
    """Register a check for the claims with these keys."""
    module = _caller()
    _speaks_of(keys, module)

    def register(function: Check) -> Check:
        for key in keys:
            BOOK.checks.setdefault(key, []).append((module, function))
        _speaks_of(keys, _unwrapped(function).__module__)
        return function

    return register


def exempt(reason: str, *keys: str) -> None:
    """Claims that carry nothing to be checked, and why."""
    _speaks_of(keys, _caller())
    BOOK.exempt |= dict.fromkeys(keys, reason)


def _caller() -> str:
    """The module that registers: a check may be made by a function of another."""
    return str(sys._getframe(2).f_globals["__name__"])


def _unwrapped(function: Any) -> Any:
    while isinstance(function, partial):
        function = function.func
    return function


def _speaks_of(keys: Iterable[str], module: str) -> None:
    for key in keys:
        BOOK.modules.setdefault(key, set()).add(module)


@cache
def load(paper: str) -> _Book:
    """The checks of one paper, or file of checks; nothing, if there is none."""
    name = f"{papers.__name__}.{paper}"
    if importlib.util.find_spec(name) is not None:
        found = importlib.import_module(name)
        for module in pkgutil.walk_packages(getattr(found, "__path__", ()), f"{name}."):
            importlib.import_module(module.name)
    return BOOK


def _load_for(key: str) -> _Book:
    """What speaks of one key: the modules that the ledger names, while its sources agree; else all of the paper's."""
    known = evidence.modules_of(key)
    for module in known:
        importlib.import_module(f"{__package__}.{module}")
    return BOOK if known else load(key.partition("/")[0])


def checks_of(key: str) -> list[Check]:
    """By module, and in a module as they stand there: which module was loaded first changes nothing."""
    return [function for _, function in sorted(_load_for(key).checks.get(key, []), key=itemgetter(0))]


def exemption_of(key: str) -> str:
    """Why there is nothing to check, if there is nothing."""
    return _load_for(key).exempt.get(key, "")


def modules_of(key: str) -> set[str]:
    """Those of its checks, or of what says that there is nothing to check."""
    return load(key.partition("/")[0]).modules.get(key, set())


def effort(name: str) -> Effort:
    if name not in EFFORTS:
        raise InputError(f"no effort {name!r}; there are {', '.join(EFFORTS)}")
    return EFFORTS[name]


def results(key: str, how_hard: Effort, whole: bool = False) -> list[Result]:
    """With `whole`, whatever module of the paper speaks of the key is asked, whether the ledger knows it or not."""
    if whole:
        load(key.partition("/")[0])
    found: list[Result] = []
    for function in checks_of(key):
        made = function(how_hard)
        found += [made] if isinstance(made, Result) else list(made)
    return found
