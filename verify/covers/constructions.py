"""Covering numbers from both sides: covers that are built, and packings that no cover can undercut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result
from maurey.verify.packings.attacks import hidden, survives
from maurey.verify.packings.classes import Attack

from .instances import Instance, built
from .linear import linear

POINTS = 300  # for each form, at the least effort
BOTH = ("derived", "sharp")
ONLINE = "the cover that counts corrections, run in up to 1,000 dimensions"
WHOLE = "the same cover written out in tiny dimensions, all its centres against the worst members found"
BEST = "the best of the covers that count corrections, nets written out"


class Construction(NamedTuple):
    what: str
    instances: Callable[[Effort], Iterator[Instance]]
    forms: tuple[str, ...] = ()  # all, if none is named


Built = dict[tuple[str, str], list[Construction]]  # by key and part


def of_kind(kind: str, norms: str) -> list[Construction]:
    return [Construction(ONLINE, partial(linear, kind=kind, norms=norms))]


def vectors(norms: str, kind: str) -> list[Construction]:
    """The best kind is no larger than the sharp form; any kind, in larger dimensions, no larger than the derived."""
    return [
        Construction(BEST, partial(linear, kind="best", norms=norms), BOTH),
        Construction(ONLINE, partial(linear, kind=kind, norms=norms), ("derived",)),
    ]


def kept(key: str, part: str, constructions: Iterable[Construction], effort: Effort) -> Iterator[Result]:
    """What each construction promises, on its instances."""
    for one in constructions:
        yield from built(key, part, one.instances(effort), one.what, one.forms)


def both_sides(
    key: str, part: str, constructions: Iterable[Construction], attack: Attack, effort: Effort, points: int = POINTS
) -> Iterator[Result]:
    """Covers that are built, and every form that hides nothing against lower bounds."""
    yield from kept(key, part, constructions, effort)
    for form in registry.find(key).part(part).forms:
        if not hidden(key, form, part):
            yield survives(key, form, part, effort, points, attack)
