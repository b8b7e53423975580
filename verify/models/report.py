"""Every bound that applies to a model: what was measured, the class that it makes, its routes, and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from math import log

from maurey.numeric.hypotheses import CHECKED, REFUSED, STATED, Hypothesis
from maurey.numeric.report import FEWER_BITS, LARGER_EPS, Help, Report
from maurey.numeric.routes import BITS, ROUNDED, ROUTES, Asked, Row, Share, Tell, blame, stretches
from maurey.symbolic.architecture import Loss
from maurey.symbolic.errors import InputError, cut, perhaps

from .measured import LARGE, class_of, measure
from .measured import Row as Measured
from .model import Model
from .numbers.cells import Cell, cell, weight
from .numbers.rounding import check_bits
from .programs import lengths, occam, shares

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


@dataclass(frozen=True, kw_only=True)
class ModelReport(Report):
    name: str  # of the folder, or of the module's class
    layers: tuple[Measured, ...]
    cells: dict[str, Cell]
    price: Fraction  # by which delta is multiplied
    buffers: tuple[str, ...]
    one_pass: bool


def report(model: Model, options: Options, tell: Tell = lambda _: None) -> ModelReport:
    if options.bits:
        check_bits(options.bits)
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
        self.share = weight(self.cells.values())
        self.apart = partly_frozen(rows)
        self.labels = frozen_labels(rows, self.apart)
        subject = model.subject(self.known.norms, self.loss, self.apart)
        self.asked = Asked(replace(subject, share=self.share), self.labels)
        if not model.new_head and all(row.frozen for row in rows):
            raise InputError("everything is frozen: there is nothing to bound")

    def report(self) -> ModelReport:
        programs = dict(lengths(self.rows, self.model.new_head, self.options.bits))
        real = [route for route in ROUTES if route != BITS]
        shown = len(programs) + sum(not self.asked.refused(route) for route in real)
        each = self.options.delta / shown
        rows = [self._program(route, bits, each) for route, bits in programs.items()]
        rows += [self.asked.row(route, each, self.options.samples, self.tell) for route in real]
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
            frozen=tuple(row.name for row in self.rows if row.frozen),
            rows=tuple(rows),
            name=self.model.name,
            layers=self.rows,
            cells=self.cells,
            price=self.share,
            buffers=self.model.buffers,
            one_pass=self.one_pass,
        )
        self.tell("where it comes from")
        profile = () if self.asked.refused("net") else tuple(stretches(self.asked))
        found = replace(found, blame=tuple(self._blame(found)), stretches=profile)
        return replace(found, helps=tuple(self._helps(found)))

    def _program(self, route: str, bits: int, each: Fraction) -> Row:
        self.tell(f"counting: {route}")
        return occam(route, bits, each, self.asked.subject.range, self.options.samples, self.asked.trained)

    def _blame(self, found: Report) -> Iterator[Share]:
        for row in found.rows:
            if row.refused:
                continue
            if row.route not in ROUTES or row.route == BITS:
                yield from shares(row.route, self.rows, self.model.new_head)
            elif m := found.samples or row.m_least:
                yield from blame(self.asked, row.route, m)

    # --- hypotheses ---------------------------------------------------------------------------------------------------

    def _rests(self, shown: int) -> Iterator[Hypothesis]:
        yield Hypothesis("the samples are drawn independently from one distribution", STATED)
        yield from self.model.rests(self.options.loss)
        frozen = [row.name for row in self.rows if row.frozen]
        if frozen:
            yield Hypothesis("tensors that were fixed before the sample was drawn, and are not trained", STATED,
                             ", ".join(frozen))  # fmt: skip
        how = "in one pass: the spectral norm is at most the Frobenius norm" if self.one_pass else "certified"
        yield Hypothesis(f"norms of {len(self.rows)} matrices are those of the file, {how}", CHECKED)
        yield Hypothesis(
            "norms and margin were chosen after the data: each is rounded up to its cell, and the union over all cells "
            "is in every bound in real numbers, as so many nats beside log(1/delta) (maurey/posthoc)", CHECKED,
            f"{len(self.cells)} numbers, {nats(self.share):.1f} nats",
        )  # fmt: skip
        text = "every route bounds one side, risk less empirical risk, at this share of delta"
        yield Hypothesis(text, CHECKED, f"1/{shown}")
        yield Hypothesis("bits: a program whose output on one input depends on nothing else", STATED)
        if self.options.bits:
            yield Hypothesis(f"{ROUNDED}: the empirical risk is that of the rounded model", STATED,
                             f"{self.options.bits} bits")  # fmt: skip
        for why in self.model.refused:
            yield Hypothesis(why, REFUSED)

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


def nats(share: Fraction) -> float:
    return log(share.denominator) - log(share.numerator)


def partly_frozen(rows: Sequence[Measured]) -> bool:
    """Whether a slot is frozen in some layers and not in others."""
    seen: dict[str, set[bool]] = {}
    for row in rows:
        seen.setdefault(row.place.slot, set()).add(row.frozen)
    return any(len(flags) > 1 for flags in seen.values())


def frozen_labels(rows: Sequence[Measured], apart: bool) -> frozenset[str]:
    return frozenset(row.place.label if apart else row.place.slot for row in rows if row.frozen)
