"""Where a bound comes from: what each weight of each layer costs, and how far each layer stretches."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sympy import Add, Expr, Symbol

from . import bounds
from .allocation import hoelder
from .bounds import BITS
from .derivation import Derivation, Step
from .derive import Question
from .modules import Layers, Signal
from .modules.words import in_words

Over = tuple[Symbol, Expr] | None  # (i, L): one for each layer


@dataclass(frozen=True)
class Entry:
    """A quantity of one matrix or module, or of one in each layer, in what the steps give names to."""

    name: str
    expr: Expr
    over: Over = None


@dataclass(frozen=True)
class Profile:
    steps: list[Step]
    entries: list[Entry]


def _profile(D: Derivation, entries: list[Entry]) -> Profile:
    return Profile(D.steps_to(Add(*(entry.expr for entry in entries))), entries)


def costs(question: Question) -> Profile:
    """What each weight adds to the log covering number: at the resolution of the route, or, where every cost is
    C/eps^2, in any unit, for the shares do not depend on it. Of bits, how many numbers."""
    if question.route == BITS:
        return Profile([], [Entry(label, count, over) for label, (count, over) in question.stored.items()])
    way, (D, terms) = question.way, question.covered()
    if way.chain != "chained" and all(t.entropy.count is not None for t in terms):
        bounds.log_size(D, terms, bounds.resolution(D, terms, way, question.range), way)
        found = [D.called(f"E_{t.label}") for t in terms]
    else:
        found = hoelder(D, terms)[1]
    return _profile(D, [Entry(t.label, t.copies * x, t.over) for t, x in zip(terms, found, strict=True)])


def sizes(question: Question) -> tuple[list[Step], list[Step]]:
    """The resolution of a route, and the log covering number of the losses there; of bits, the log of their number."""
    if question.route == BITS:
        D = Derivation()
        bounds.bits_gap(D, bounds.number_of(question.stored), question.range)
        return [], D.steps_to(D.called("log_N"))
    D, terms = question.covered()
    size = bounds.own_size(D, terms, question.way, question.range)
    end = D.let("finest", r"\varepsilon", bounds.finest(D, terms, question.way, question.range), "of the route")
    return D.steps_to(end), D.steps_to(size)


def stretches(question: Question) -> Profile:
    """The Lipschitz constants of the modules one after the other, of layers one by one; words do not move."""
    D, entries = Derivation(), []
    x: Signal = question.inputs
    for part in (*question.network.modules, question.loss):  # type: ignore[attr-defined]
        if isinstance(part, Layers):
            gain, x = part.gains(D, x)
            entries.append(Entry("", gain, (part.index, part.number)))
        elif part is not None:
            s = part.sensitivity(D, x)
            x = s.output
            with suppress(ValueError):  # of words
                entries.append(Entry(in_words(part), s.lipschitz()))
    return _profile(D, entries)
