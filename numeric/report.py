"""Every bound that applies to an architecture: routes, each at its share of delta, with gaps, sample sizes and blame.

All routes bound one side of the gap. Each is taken at delta divided by the number of routes shown, so that whoever
reads the table may pick the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction

from maurey.symbolic.architecture import Architecture
from maurey.symbolic.bounds import BITS
from maurey.symbolic.errors import InputError, cut, perhaps

from .routes import FLOAT, ROUTES, Asked, Row, Share, Stretch, Tell, blame, range_of, stretches


@dataclass(frozen=True)
class Help:
    """What a change would make of the smallest bound that it concerns."""

    change: str
    route: str
    m_least: int | None
    m_now: int | None


@dataclass(frozen=True)
class Report:
    architecture: Architecture
    parameters: int
    samples: int | None
    delta: Fraction
    each: Fraction  # delta, of one route
    bits: int
    frozen: tuple[str, ...]
    rows: tuple[Row, ...]
    blame: tuple[Share, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    helps: tuple[Help, ...] = ()

    @property
    def range(self) -> Fraction:
        return range_of(self.architecture)

    @property
    def speaks(self) -> bool:
        """Whether some gap is below the range of the loss, at the sample size that is given."""
        return any(row.gap is not None and row.gap.upper < self.range for row in self.rows)


# --- the report -------------------------------------------------------------------------------------------------------


def report(
    a: Architecture,
    samples: int | None = None,
    delta: Fraction = Fraction(1, 20),
    frozen: tuple[str, ...] = (),
    bits: int = FLOAT,
    tell: Tell = lambda _: None,
) -> Report:
    """All routes at delta divided by the number of those that are not refused."""
    labels = frozen_labels(a, frozen)
    asked = Asked(a, labels, bits)
    if not asked.question(BITS).stored:
        raise InputError("everything is frozen: there is nothing to bound")
    shown = [route for route in ROUTES if not asked.refused(route) and (a.norms or route == BITS)]
    each = delta / len(shown)
    rows = tuple(asked.row(route, each, samples, tell) for route in ROUTES)
    found = Report(a, asked.numbers(), samples, delta, each, bits, tuple(sorted(labels)), rows)
    shares = [
        s for r in rows if r.claim and not r.refused and (m := samples or r.m_least) for s in blame(asked, r.route, m)
    ]
    profile = () if asked.refused("net") or not a.norms else tuple(stretches(asked))
    tell("what would help")
    return replace(found, blame=tuple(shares), stretches=profile, helps=tuple(_helps(found, asked, tell)))


def frozen_labels(a: Architecture, patterns: tuple[str, ...]) -> frozenset[str]:
    """The matrices that a pattern names."""
    known = [name for name, slot in a.slots.items() if not slot.optional or name in a.given]
    found: set[str] = set()
    for pattern in patterns:
        matched = {name for name in known if fnmatchcase(name, pattern)}
        if not matched:
            near = perhaps(pattern, known)
            raise InputError(f"nothing is called {cut(repr(pattern))}{near}; there are {', '.join(known)}")
        found |= matched
    return frozenset(found)


LARGER_EPS = (Fraction(1, 1000), Fraction(1, 10))
FEWER_BITS = (16, 8)


def _helps(found: Report, asked: Asked, tell: Tell) -> Iterator[Help]:
    """Changes, each with the sample size that the smallest bound it concerns would then ask for."""
    a, least = found.architecture, {row.route: row.m_least for row in found.rows if row.m_least}
    lipschitz = {route: m for route, m in least.items() if route != BITS}
    best = min(lipschitz, key=lipschitz.__getitem__, default="")

    def change(text: str, route: str, other: Asked) -> Help:
        tell(f"what would help: {text}")
        row = other.row(route, found.each, None, lambda _: None)
        return Help(text, route, row.m_least, least.get(route))

    for bits in FEWER_BITS:
        if bits < found.bits:
            yield change(f"{bits} bits for each number", BITS, Asked(a, asked.frozen, bits))
    tables = frozenset(name for name, slot in a.slots.items() if slot.kind == "table") - asked.frozen
    if tables:
        held = asked.frozen | tables
        for route in filter(None, (BITS, best)):
            yield change(f"{', '.join(sorted(tables))} frozen", route, Asked(a, held, found.bits))
    for eps in LARGER_EPS:
        if best and eps > a.norm_eps:
            yield change(f"norm_eps = {float(eps):g}", best, Asked(replace(a, norm_eps=eps), asked.frozen, found.bits))
