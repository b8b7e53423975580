"""One architecture and one route: what it says, why it says nothing, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from maurey.symbolic import compiled, profiles
from maurey.symbolic.architecture import Architecture
from maurey.symbolic.bounds import BITS, WAYS, number_of
from maurey.symbolic.claim import Claim
from maurey.symbolic.derive import Question, derive
from maurey.symbolic.modules.activations import CONSTANTS
from maurey.symbolic.profiles import Profile

from .balls import Balls, Enclosure, enclose, enclose_steps, to_arb
from .exact import to_rational
from .samples import smallest
from .walk import extended, run_all, walk

ROUTES = (BITS, "net", "counting", "norms", "norm net", "length-free")
KEYS = {BITS: "maurey/occam"} | {route: WAYS[route].key for route in ROUTES if route != BITS}
ABOUT = {BITS: "bits: all programs of so many bits"} | {r: WAYS[r].about for r in ROUTES if r != BITS}
NO_NORMS = "no norms are given: the bound is a formula"
LIMIT = 1 << 16384  # of a sample size
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
        return KEYS[self.route]


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


# --- one architecture, asked ------------------------------------------------------------------------------------------


class Asked:
    """The routes of one architecture, as questions, with the values that it gives."""

    def __init__(self, a: Architecture, frozen: frozenset[str] = frozenset(), bits: int = FLOAT) -> None:
        self.a, self.frozen = a, frozen
        self.values = compiled.values(a) | {"bits": Fraction(bits)}
        self.network, self.loss, self.stored = compiled.network(a), compiled.loss(a), compiled.stored(a)
        self.routing = f"top-k routing, {a.top_k} of {a.experts} experts, is not continuous" if a.experts else ""

    def question(self, route: str) -> Question:
        return Question(self.network, compiled.inputs(self.a), self.loss, route, self.frozen, numbers=self.stored)

    def refused(self, route: str) -> str:
        return "" if route == BITS else self.routing or self.question(route).refusal

    def claim(self, route: str) -> Claim:
        title = f"{self.a.kind} of {self.a.layers} layers; {ABOUT[route]}"
        return derive(self.question(route), f"bound/{route.replace(' ', '-')}", title)

    def given(self, claim: Claim, **more: Any) -> dict[str, Any]:
        names = {p.name for p in claim.names}
        return {name: x for name, x in (self.values | more).items() if name in names}

    def exact(self, **more: Any) -> dict[str, Any]:
        """Values of all that steps may speak of."""
        return {name: c.value for name, c in CONSTANTS.items()} | self.values | more

    def numbers(self, trained: bool = False) -> int:
        """That are stored, or of these that are trained."""
        found = self.question(BITS).stored if trained else self.stored
        values = {name: to_rational(x) for name, x in self.exact().items()}
        return Balls([]).integer(walk(number_of(found), values, Balls([])))

    def row(self, route: str, each: Fraction, samples: int | None, tell: Tell) -> Row:
        if why := self.refused(route):
            return Row(route, self.trained, refused=why)
        tell(f"deriving: {route}")
        claim = self.claim(route)
        if route != BITS and not self.a.norms:
            return Row(route, self.trained, claim, refused=NO_NORMS)
        found = smallest(
            claim, range_of(self.a), "derived", "gap", self.given(claim, delta=each), LIMIT,
            lambda text: tell(f"{route}: {text}"),
        )  # fmt: skip
        at = samples or (found.m if found else None)
        resolution, log_N = self._sizes(route, at) if at else (None, None)
        gap = enclose(claim, "derived", "gap", DIGITS, **self.given(claim, delta=each, m=samples)) if samples else None
        row = Row(route, self.trained, claim, log_N, resolution, gap)
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
        with ctx.workprec(PRECISION):
            yield Stretch(layer, module, Decimal((x.log() / arb(10).log()).str(12, radius=False)))
