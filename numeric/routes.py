"""One architecture and one route: what it says, why it says nothing, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from maurey.symbolic import compiled, profiles
from maurey.symbolic.architecture import Architecture
from maurey.symbolic.bounds import BITS, WAYS, Stored, number_of
from maurey.symbolic.claim import Claim
from maurey.symbolic.derive import Question, derive
from maurey.symbolic.modules import Module, Signal
from maurey.symbolic.modules.activations import CONSTANTS
from maurey.symbolic.norms import Matrix
from maurey.symbolic.profiles import Profile

from .balls import Balls, Enclosure, enclose, enclose_steps, to_arb
from .exact import to_rational
from .samples import smallest
from .walk import extended, run_all, walk

ROUTES = (BITS, "net", "counting", "norms", "norm net", "length-free")
CODED, ROUNDED = "bits, coded", "bits, rounded"  # of a program that is at hand
NOISY = "pac-bayes"
PROGRAMS = (BITS, CODED, ROUNDED)
KEYS = dict.fromkeys(PROGRAMS, "maurey/bits") | {NOISY: "maurer2004/5"}
KEYS |= {route: WAYS[route].key for route in ROUTES if route != BITS}
ABOUT = {
    BITS: "bits: all programs of so many bits",
    CODED: "bits: all programs whose code is as long",
    ROUNDED: "bits: all programs whose numbers are rounded to so many",
    NOISY: "PAC-Bayes: weights drawn around the trained ones, against the same around the base",
} | {r: WAYS[r].about for r in ROUTES if r != BITS}
AROUND = ", around the base"  # of a route for a class around fixed weights
REAL, FLOATING = "the real-number network", "the float program"  # what a route speaks of
NO_NORMS = "no norms are given: the bound is a formula"
LIMIT = 1 << 16384  # of a sample size
SPEAKS = {BITS: FLOATING, CODED: FLOATING, ROUNDED: "the rounded model", NOISY: "the noisy network"}
FLOAT = 32  # bits of a stored number, unless told otherwise
DIGITS = 15
PRECISION = 256  # bits, for shares
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One route: what it says, or why it says nothing."""

    route: str
    trained: str
    claim: Claim | None = None
    log_N: Enclosure | None = None  # of the losses, at the resolution
    resolution: Enclosure | None = None
    gap: Enclosure | None = None  # at the sample size that was given
    m_least: int | None = None  # from here on the gap is below the range of the loss
    at_least: Enclosure | None = None
    before: Enclosure | None = None
    refused: str = ""

    @property
    def key(self) -> str:
        return KEYS[self.route.removesuffix(AROUND)]

    @property
    def speaks(self) -> str:
        return SPEAKS.get(self.route, REAL)


@dataclass(frozen=True)
class Share:
    route: str
    layer: int | None
    matrix: str
    share: Decimal


@dataclass(frozen=True)
class Stretch:
    """The logarithm to base 10 of the Lipschitz constant of a layer, or of a module that is no layer."""

    layer: int | None
    module: str
    log10: Decimal


def range_of(a: Architecture) -> Fraction:
    return a.loss.cap if a.loss.kind == "cross-entropy" else Fraction(1)


# --- one network, asked -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """A network with its inputs and its loss, and what is known of their letters."""

    title: str
    network: Module
    inputs: Signal
    loss: Any
    range: Fraction  # of the loss, from 0
    values: Mapping[str, Any]
    numbers: Stored  # that are stored
    known: bool = True  # the norms are
    discontinuous: str = ""  # why nothing is Lipschitz
    share: Fraction = Fraction(1)  # of delta, that a class has which was chosen after the data (maurey/posthoc)
    moved: Mapping[str, Matrix] = field(default_factory=dict)  # by label: what a weight may move from where it was


def subject(a: Architecture) -> Subject:
    routing = f"top-k routing, {a.top_k} of {a.experts} experts, is not continuous" if a.experts else ""
    return Subject(
        title=f"{a.kind} of {a.layers} layers",
        network=compiled.network(a),
        inputs=compiled.inputs(a),
        loss=compiled.loss(a),
        range=range_of(a),
        values=compiled.values(a),
        numbers=compiled.stored(a),
        known=bool(a.norms),
        discontinuous=routing,
    )


class Asked:
    """The routes of one network, as questions, with the values that are given."""

    def __init__(self, s: Subject, frozen: frozenset[str] = frozenset(), bits: int = FLOAT) -> None:
        self.subject, self.frozen = s, frozen
        self.values = {**s.values, "bits": Fraction(bits)}
        self._questions: dict[str, Question] = {}

    def question(self, route: str) -> Question:
        """One for each route: it remembers what was derived."""
        s = self.subject
        return self._questions.setdefault(
            route, Question(s.network, s.inputs, s.loss, route, self.frozen, numbers=s.numbers, moved=s.moved)
        )

    def refused(self, route: str) -> str:
        return "" if route == BITS else self.subject.discontinuous or self.question(route).refusal

    def claim(self, route: str) -> Claim:
        title = f"{self.subject.title}; {ABOUT[route]}"
        return derive(self.question(route), f"bound/{route.replace(' ', '-')}", title)

    def delta(self, route: str, each: Fraction) -> Fraction:
        """Programs are no class that was chosen."""
        return each if route == BITS else each * self.subject.share

    def given(self, claim: Claim, **more: Any) -> dict[str, Any]:
        names = {p.name for p in claim.names}
        return {name: x for name, x in (self.values | more).items() if name in names}

    def exact(self, **more: Any) -> dict[str, Any]:
        """Values of all that steps may speak of."""
        return {name: c.value for name, c in CONSTANTS.items()} | self.values | more

    def numbers(self, trained: bool = False) -> int:
        """That are stored, or of these that are trained."""
        found = self.question(BITS).stored if trained else self.subject.numbers
        values = {name: to_rational(x) for name, x in self.exact().items()}
        return Balls([]).integer(walk(number_of(found), values, Balls([])))

    def row(self, route: str, each: Fraction, samples: int | None, tell: Tell) -> Row:
        if why := self.refused(route):
            return Row(route=route, trained=self.trained, refused=why)
        tell(f"deriving: {route}")
        claim = self.claim(route)
        if route != BITS and not self.subject.known:
            return Row(route=route, trained=self.trained, claim=claim, refused=NO_NORMS)
        delta = self.delta(route, each)
        found = smallest(
            claim, self.subject.range, "derived", "gap", self.given(claim, delta=delta), limit=LIMIT,
            report=lambda text: tell(f"{route}: {text}"),
        )  # fmt: skip
        at = samples or (found.m if found else None)
        resolution, log_N = self._sizes(route, at) if at else (None, None)
        gap = enclose(claim, "derived", "gap", DIGITS, **self.given(claim, delta=delta, m=samples)) if samples else None
        row = Row(
            route=route, trained=self.trained, claim=claim, log_N=log_N, resolution=resolution, gap=gap
        )  # fmt: skip
        return replace(row, m_least=found.m, at_least=found.at_m, before=found.before) if found else row

    def _sizes(self, route: str, m: int) -> tuple[Enclosure | None, Enclosure]:
        resolution, size = profiles.sizes(self.question(route))
        values = self.exact(m=Fraction(m))
        found = enclose_steps(resolution, values, DIGITS)[0] if resolution else None
        return found, enclose_steps(size, values, DIGITS)[0]

    @property
    def trained(self) -> str:
        return "all" if not self.frozen else f"all but {', '.join(sorted(self.frozen))}"


# --- shares -----------------------------------------------------------------------------------------------------------


def entries(profile: Profile, values: Mapping[str, Any]) -> Iterator[tuple[int | None, str, arb]]:
    """The values of a profile, layer by layer where there is one for each."""
    with ctx.workprec(PRECISION):
        field = Balls(profile.steps)
        env = extended(run_all(profile.steps, {n: to_rational(v) for n, v in values.items()}, field))
        for entry in profile.entries:
            if entry.over is None:
                yield None, entry.name, to_arb(walk(entry.expr, env, field))
                continue
            index, number = entry.over
            for i in range(1, field.integer(walk(number, env, field)) + 1):
                env[index.name] = field.rational(Fraction(i))
                yield i, entry.name, to_arb(walk(entry.expr, env, field))


def blame(asked: Asked, route: str, m: int) -> Iterator[Share]:
    """Each weight's share of the log covering number; they sum to 1."""
    found = list(entries(profiles.costs(asked.question(route)), asked.exact(m=Fraction(m))))
    with ctx.workprec(PRECISION):
        total = sum((x for _, _, x in found), arb(0))
        for layer, matrix, x in found:
            yield Share(route, layer, matrix, Decimal((x / total).str(12, radius=False)))


def stretches(asked: Asked) -> Iterator[Stretch]:
    for layer, module, x in entries(profiles.stretches(asked.question("net")), asked.exact(m=Fraction(1))):
        yield Stretch(layer, module, log10(x))


def coefficients(asked: Asked) -> Iterator[Stretch]:
    """Of every weight: how far the loss moves with it."""
    for layer, matrix, x in entries(profiles.coefficients(asked.question("net")), asked.exact(m=Fraction(1))):
        yield Stretch(layer, matrix, log10(x))


def log10(x: arb) -> Decimal:
    with ctx.workprec(PRECISION):
        return Decimal((x.log() / arb(10).log()).str(12, radius=False))
