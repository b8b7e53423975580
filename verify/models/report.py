"""Every bound that applies to a model: what was measured, its class, its routes, and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from maurey.numeric.hypotheses import Hypothesis
from maurey.numeric.report import FEWER_BITS, LARGER_EPS, Help, Report
from maurey.numeric.routes import (
    AROUND,
    NOISY,
    PROGRAMS,
    ROUNDED,
    ROUTES,
    Asked,
    Row,
    Share,
    Tell,
    blame,
    coefficients,
    stretches,
)
from maurey.numeric.types import Array
from maurey.symbolic.architecture import Loss
from maurey.symbolic.bounds import BITS
from maurey.symbolic.errors import InputError, cut, perhaps

from .bases import Near, around, near_base
from .hypotheses import Measurement, rests
from .measured import LARGE, class_of, measure
from .measured import Row as Measured
from .model import Model
from .noisy import Noisy, noisy, read_losses, read_sigma, row_of
from .numbers.cells import Cell, cell, weight
from .numbers.rounding import check_bits
from .programs import lengths, occam, shares

if TYPE_CHECKING:
    from .derivatives import Slope

NEAR = ("net", "counting", "norms")  # the routes around a base


@dataclass(frozen=True)
class Options:
    """What is asked of a model."""

    samples: int | None = None
    delta: Fraction = Fraction(1, 20)
    loss: Loss = field(default_factory=Loss)
    frozen: tuple[str, ...] = ()  # patterns of tensors' names
    bits: int = 0  # for the rounded model
    one_pass: bool | None = None  # norms that are known after one pass; if not said, of very large models
    base: Path | None = None  # a folder with the weights before training
    sigma: str = ""  # of the noisy network, a decimal
    losses: Path | None = None  # of networks that were drawn so
    data: Sequence[Array] = ()  # words, or vectors, at which derivatives are measured
    help: bool = True  # say what would help

    def check(self) -> None:
        """What contradicts itself is said before anything is read."""
        if self.bits:
            check_bits(self.bits)
        if bool(self.sigma) != (self.losses is not None):
            raise InputError("--sigma and --losses belong together: the losses of networks drawn with that sigma")
        if self.sigma and (self.base is None or self.samples is None):
            raise InputError("--sigma wants --base, around which the prior is, and --samples")


@dataclass(frozen=True, kw_only=True)
class ModelReport(Report):
    """With what was measured."""

    name: str  # of the folder, or of the module's class
    layers: tuple[Measured, ...]
    cells: dict[str, Cell]
    price: Fraction  # by which delta is multiplied
    buffers: tuple[str, ...]
    one_pass: bool
    coefficients: Mapping[str, Decimal]  # by label: how far the loss moves with a matrix, as a power of ten
    noisy: Noisy | None
    slopes: tuple[Slope, ...]  # measured, not bounded

    @property
    def best(self) -> str:
        """The route in real numbers that asks for the fewest samples."""
        real = {row.route: row.m_least for row in self.rows if row.m_least and row.route not in PROGRAMS}
        return min(real, key=real.__getitem__, default="")


def report(model: Model, options: Options, tell: Tell = lambda _: None) -> ModelReport:
    options.check()
    one_pass = model.numbers > LARGE if options.one_pass is None else options.one_pass
    rows = tuple(measure(model.source, one_pass, tell, _frozen(model, options.frozen)))
    return _Asking(model, options, rows, one_pass, tell).report()


def _frozen(model: Model, patterns: Sequence[str]) -> Callable[[str], bool]:
    names = model.tensors
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            near = perhaps(pattern, names)
            raise InputError(f"no tensor is called {cut(repr(pattern))}{near}; there are {cut(', '.join(names), 120)}")
    return lambda name: any(fnmatchcase(name, pattern) for pattern in patterns)


class _Asking:
    """One model, measured, and its routes."""

    def __init__(self, model: Model, options: Options, rows: tuple[Measured, ...], one_pass: bool, tell: Tell) -> None:
        self.model, self.options, self.rows, self.one_pass, self.tell = model, options, rows, one_pass, tell
        self.known = class_of(model.source, rows)
        self.loss, margin = gridded(options.loss)
        self.cells = {**self.known.cells, **margin}
        self.share, self.margin = weight(self.cells.values()), weight(margin.values())
        self.apart = partly_frozen(rows)
        self.labels = frozen_labels(rows, self.apart)
        self.places = {row.place.label: row.place for row in rows} if self.apart else {}
        subject = model.subject(self.known.norms, self.loss, self.apart)
        self.asked = Asked(replace(subject, share=self.share), self.labels)
        self.near: Near | None = None
        if options.base is not None:
            self.near = near_base(model, options.base, rows, margin, tell)
            subject = model.subject(self.near.norms, self.loss, self.apart)
            self.around = Asked(around(subject, self.near, self.labels), self.labels)
        if not model.new_head and all(row.frozen for row in rows):
            raise InputError("everything is frozen: there is nothing to bound")

    def report(self) -> ModelReport:
        programs = dict(lengths(self.rows, self.model.new_head, self.options.bits))
        real = [route for route in ROUTES if route != BITS]
        near = [f"{route}{AROUND}" for route in NEAR if self.near is not None]
        shown = len(programs) + sum(not asked.refused(plain) for asked, plain in map(self._asked, (*real, *near)))
        shown += bool(self.options.sigma)
        each = self.options.delta / shown
        drawn = self._noisy(each * self.margin)
        rows = [self._program(route, bits, each) for route, bits in programs.items()]
        rows += [self._real(route, each) for route in (*real, *near)]
        rows += [row_of(drawn, self.asked.subject.range, self.trained)] if drawn else []
        found = ModelReport(
            words=self.model.words,
            model=self.model.table,
            loss=self.options.loss,
            range=self.asked.subject.range,
            rests=tuple(self._rests(shown)),
            parameters=self.model.numbers + self.model.new_head,
            samples=self.options.samples,
            delta=self.options.delta,
            each=each,
            bits=self.options.bits,
            frozen=self.options.frozen,
            rows=tuple(rows),
            name=self.model.name,
            layers=self.rows,
            cells=self.cells,
            price=self.share,
            buffers=self.model.buffers,
            one_pass=self.one_pass,
            coefficients=self._coefficients(),
            noisy=drawn,
            slopes=tuple(self._slopes()),
        )
        self.tell("where it comes from")
        whole = Asked(self.model.subject(self.known.norms, self.loss, False))
        profile = () if whole.refused("net") else tuple(stretches(whole))
        found = replace(found, blame=tuple(self._blame(found)), stretches=profile)
        return replace(found, helps=tuple(self._helps(found)) if self.options.help else ())

    def _rests(self, shown: int) -> Iterator[Hypothesis]:
        measured = Measurement(self.rows, self.cells, self.share, self.near, self.one_pass, self.loss.margin)
        return rests(self.model, self.options, measured, shown)

    def _coefficients(self) -> dict[str, Decimal]:
        if self.asked.refused("net"):
            return {}
        places = [(c, self.places.get(c.module)) for c in coefficients(self.asked)]
        return {
            (place.label if place else f"{c.module}_{c.layer}" if c.layer else c.module): c.log10 for c, place in places
        }

    def _noisy(self, each: Fraction) -> Noisy | None:
        if not self.options.sigma:
            return None
        assert self.near is not None
        assert self.options.losses is not None
        assert self.options.samples is not None
        losses = read_losses(self.options.losses, self.asked.subject.range)
        return noisy(self.near.moved, read_sigma(self.options.sigma), losses, self.options.samples, each)

    def _slopes(self) -> Iterator[Slope]:
        if self.options.data:
            self.tell("measuring derivatives")
            from .derivatives import slopes

            yield from slopes(self.model.running(), self.options.data)

    def _program(self, route: str, bits: int, each: Fraction) -> Row:
        self.tell(f"counting: {route}")
        return occam(route, bits, each * self.margin, self.asked.subject.range, self.options.samples, self.trained)

    def _asked(self, route: str) -> tuple[Asked, str]:
        return (self.around if route.endswith(AROUND) else self.asked), route.removesuffix(AROUND)

    def _real(self, route: str, each: Fraction) -> Row:
        asked, plain = self._asked(route)
        return replace(asked.row(plain, each, self.options.samples, self.tell), route=route, trained=self.trained)

    @property
    def trained(self) -> str:
        return f"all but {', '.join(self.options.frozen)}" if self.options.frozen else "all"

    def _blame(self, found: Report) -> Iterator[Share]:
        for row in found.rows:
            if row.refused or row.route == NOISY:
                continue
            if row.route in PROGRAMS:
                yield from shares(row.route, self.rows, self.model.new_head)
            elif m := found.samples or row.m_least:
                asked, plain = self._asked(row.route)
                yield from (self._named(replace(share, route=row.route)) for share in blame(asked, plain, m))

    def _named(self, share: Share) -> Share:
        """Where layers are written out, Q_2 is Q of layer 2."""
        place = self.places.get(share.matrix)
        return share if place is None else replace(share, matrix=place.slot, layer=place.layer or None)

    # --- what would help ----------------------------------------------------------------------------------------------

    def _helps(self, found: ModelReport) -> Iterator[Help]:
        least = {row.route: row.m_least for row in found.rows if row.m_least}
        real = {route: least[route] for route in ROUTES if route in least and route != BITS}
        best = min(real, key=real.__getitem__, default="")
        for bits in FEWER_BITS:
            fewer = dict(lengths(self.rows, self.model.new_head, bits))[ROUNDED]
            if fewer < dict(lengths(self.rows, self.model.new_head, 0))[BITS]:
                self.tell(f"what would help: {bits} bits")
                row = self._program(ROUNDED, fewer, found.each)
                yield Help(f"numbers rounded to {bits} bits", BITS, row.m_least, least.get(BITS))
        tables = frozenset(slot for slot in self._slots() if self.model.source.kind(slot) == "table")
        if best and tables and not self.apart:
            self.tell("what would help: tables frozen")
            row = Asked(self.asked.subject, self.labels | tables).row(best, found.each, None, lambda _: None)
            yield Help(f"{', '.join(sorted(tables))} frozen", best, row.m_least, least.get(best))
        for eps in LARGER_EPS:
            other = self.model.with_eps(eps)
            if best and other is not None:
                self.tell("what would help: a larger eps")
                subject = replace(other.subject(self.known.norms, self.loss, self.apart), share=self.share)
                row = Asked(subject, self.labels).row(best, found.each, None, lambda _: None)
                yield Help(f"norm_eps = {float(eps):g}", best, row.m_least, least.get(best))

    def _slots(self) -> set[str]:
        return {row.place.slot for row in self.rows if not row.frozen}


# --- pieces -----------------------------------------------------------------------------------------------------------


def gridded(loss: Loss) -> tuple[Loss, dict[str, Cell]]:
    """A margin that was chosen after the data: the next smaller one of the grid, which bounds the loss at it."""
    if loss.kind != "ramp":
        return loss, {}
    own = cell(1 / loss.margin)
    return replace(loss, margin=1 / own.bound), {"1/margin": own}


def partly_frozen(rows: Sequence[Measured]) -> bool:
    """Whether a slot is frozen in some layers and not in others."""
    seen: dict[str, set[bool]] = {}
    for row in rows:
        seen.setdefault(row.place.slot, set()).add(row.frozen)
    return any(len(flags) > 1 for flags in seen.values())


def frozen_labels(rows: Sequence[Measured], apart: bool) -> frozenset[str]:
    return frozenset(row.place.label if apart else row.place.slot for row in rows if row.frozen)
