"""A bound that nobody wrote down: a network, its loss and a route become a claim like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Indexed, Symbol

from . import bounds
from .allocation import Term
from .bounds import BITS, GAP, WAYS, Stored, Way
from .capacity import LOG_N
from .claim import Claim, Constant, Parameter, Part
from .derivation import Derivation, Step
from .errors import InputError, perhaps
from .letters import check_labels, check_letters, check_lists, lengths, letters, lists
from .modules import Layers, Module, Signal, compose, matrices_of, parts_of
from .modules.activations import CONSTANTS
from .modules.inputs import looked_up_in
from .modules.widths import ends
from .modules.words import in_words, norms_of
from .norms import Matrix
from .roles import parameter, roles

eps = Symbol("eps")


@dataclass(frozen=True)
class Question:
    """What is to be bounded: the losses of a network on samples of its inputs, or without a loss its outputs."""

    network: Module
    inputs: Signal
    loss: Any = None
    route: str = "norms"
    frozen: frozenset[str] = frozenset()  # matrices that are not trained, by label
    parts: Mapping[str, Expr] = field(default_factory=dict)  # one part of the error in so many for each weight
    numbers: Stored | None = None  # that are stored, where they are not those of the network's matrices
    moved: Mapping[str, Matrix] = field(default_factory=dict)  # by label: bounds on how far a weight is from its base

    @property
    def module(self) -> Module:
        return self.network if self.loss is None else compose(self.network, self.loss)

    @property
    def range(self) -> Expr:
        """Of the loss, from 0."""
        found: Expr = next(part.range for part in parts_of(self.loss) if hasattr(part, "range"))
        return found

    @property
    def stored(self) -> Stored:
        """How many numbers are stored, and trained."""
        found = bounds.stored(self.network) if self.numbers is None else self.numbers
        return {label: count for label, count in found.items() if label not in self.frozen}

    @property
    def refusal(self) -> str:
        """Why nothing that rests on Lipschitz constants can be said; nothing if it can."""
        parts = [*parts_of(self.network), *(parts_of(self.loss) if self.loss is not None else ())]
        return next((why for part in parts if (why := getattr(part, "refusal", ""))), "")

    @property
    def way(self) -> Way:
        return bounds.around(bounds.in_shares(WAYS[self.route], self.parts), self.moved)

    @cached_property
    def _covered(self) -> tuple[Derivation, list[Term]]:
        D = Derivation()
        return D, bounds.terms_of(D, self.module, self.inputs, self.way, self.frozen)

    def covered(self) -> tuple[Derivation, list[Term]]:
        """Every weight that is trained, covered once; the steps up to there, to be gone on with."""
        D, terms = self._covered
        return D.copy(), terms

    def log_size(self) -> list[Step]:
        """At the resolution eps."""
        D, terms = self.covered()
        return D.steps_to(bounds.log_size(D, terms, eps, self.way))

    def gap(self) -> list[Step]:
        if self.route == BITS:
            D = Derivation()
            return D.steps_to(bounds.bits_gap(D, bounds.number_of(self.stored), self.range))
        D, terms = self.covered()
        return D.steps_to(bounds.gap(D, terms, self.way, self.range))


def derive(question: Question, key: str, title: str = "A network of one's own") -> Claim:
    """The claim. Its forms are written out once here, so that what has no bound is said now."""
    route = question.route
    if route not in (*WAYS, BITS):
        known = (*WAYS, BITS)
        raise InputError(f"no route {route!r}{perhaps(route, known)}; there are {', '.join(known)}")
    if route == BITS and question.loss is None:
        raise InputError("the route bits bounds the gap of a loss: give a loss")
    if route != BITS and question.refusal:
        raise InputError(f"the route {route} is refused: {question.refusal}")
    _check(question)
    parts = _parts(question)
    try:
        steps = [step for part in parts for step in part.steps("derived")]
    except ValueError as error:
        raise InputError(f"the route {route} is refused: {error}") from None
    x, reserved = question.inputs, ("eps", "delta", "bits", "m") if question.loss is not None else ("eps",)
    check_letters((question.network, question.loss, x.tokens, x.radius), (step.name for step in steps), reserved)
    symbols, constants = _names(question, steps)
    return Claim(
        key=key,
        title=title,
        kind="covering" if question.loss is None else "generalization",
        statement=_statement(question, symbols, {str(s) for s in _free(steps)}),
        symbols=symbols,
        uses=tuple(sorted({step.key for step in steps if step.key})),
        constants=constants,
        unrolled=tuple(dict.fromkeys(str(n) for n in _depths(question) if n.is_Symbol)),
        parts=parts,
    )


def _check(question: Question) -> None:
    """What contradicts itself, before anything is derived."""
    if question.loss is not None and question.inputs.sequences != bounds.m:
        raise InputError(f"the gap of a loss is over m samples, and these are called {question.inputs.sequences}")
    ends(question.module)
    check_lists(question.network)
    if question.numbers is None:
        check_labels(question.network)


def _parts(question: Question) -> tuple[Part, ...]:
    gap = Part("gap", GAP, "by how much the risk exceeds the empirical risk, for all networks of the class at once",
               derived=lambda _: question.gap())  # fmt: skip
    size = Part("log_N", LOG_N, "log covering number at the resolution eps", derived=lambda _: question.log_size())
    return (gap,) if question.route == BITS else (size,) if question.loss is None else (gap, size)


def _depths(question: Question) -> list[Expr]:
    return [part.number for part in parts_of(question.network) if isinstance(part, Layers)]


def _free(steps: Sequence[Step]) -> set[Any]:
    return {s for step in steps for part in (step.expr, *(step.over or ())) for s in part.free_symbols}


def _names(question: Question, steps: Sequence[Step]) -> tuple[tuple[Parameter, ...], tuple[Constant, ...]]:
    """The symbols of the network, its inputs and its loss, whether or not a form speaks of them, and of the bound; each
    with its meaning: of a norm, or of what it is used for."""
    made = {step.name for step in steps} | {str(step.over[0]) for step in steps if step.over}
    free, x = _free(steps), question.inputs
    long, norms = lengths(question.network), {norm.name: norm for norm in _norms(question)}
    listed = {str(s.base.label) for s in free if isinstance(s, Indexed)} | lists(question.network)
    used = roles(question.network, x, question.loss)
    names = {str(s) for s in free if isinstance(s, Symbol)}
    names |= letters((question.network, question.loss, x.tokens, x.radius, x.sequences))
    found = []
    for name in sorted(names - made - set(CONSTANTS)):
        known = norms.get(name) or parameter(name, used.get(name))
        found.append(replace(known, index=long.get(name, "L") if name in listed else ""))
    return tuple(found), tuple(c for name, c in CONSTANTS.items() if Symbol(name) in free)


def _norms(question: Question) -> list[Parameter]:
    """Of all matrices, those that have names."""
    tables = {M.label for part in parts_of(question.network) for M in looked_up_in(part)}
    known = matrices_of(question.network).items()
    return [norm for label, M in known for norm in norms_of(M, label in tables)]


def _statement(question: Question, symbols: Sequence[Parameter], free: set[str]) -> str:
    """The class is what its norms allow, of those that a form speaks of."""
    norms = {norm.name for norm in _norms(question)} & free
    said = "; ".join(f"{p.meaning} at most ${p.latex}$" for p in symbols if p.name in norms)
    network, fixed = in_words(question.network), ", ".join(sorted(question.frozen))
    programs = "all its programs of $b$ bits for each number, whose output on one input depends on nothing else"
    own = programs if question.route == BITS else said or "as its numbers say"
    of = f"The network: {network}. Its class: {own}." + (
        f" Not trained, fixed before the sample: {fixed}." if fixed else ""
    )
    if question.loss is None:
        return f"Covers of the outputs on the sample, of distance eps in the largest difference. {of}"
    return (
        f"With probability at least $1-\\delta$ over $m$ independent samples, for all networks of a class at once and "
        f"the loss {in_words(question.loss)}. {of}"
    )
