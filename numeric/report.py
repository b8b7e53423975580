"""Every bound that applies to an architecture: routes, each at its share of delta, with gaps, sample sizes and blame.

All routes bound one side of the gap. Each is taken at delta divided by the number of routes shown, so that whoever
reads the table may pick the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from maurey.symbolic.architecture import Architecture, Loss, slots
from maurey.symbolic.bounds import BITS
from maurey.symbolic.errors import InputError, cut, perhaps

from .exact import plain_number
from .hypotheses import Hypothesis, hypotheses
from .routes import FLOAT, ROUTES, Asked, Row, Share, Stretch, Tell, blame, range_of, stretches, subject


@dataclass(frozen=True)
class Help:
    """What a change would make of the smallest bound that it concerns."""

    change: str
    route: str
    m_least: int | None
    m_now: int | None


@dataclass(frozen=True)
class Report:
    words: str  # the model in a line
    model: Mapping[str, Any]  # its sizes and kinds
    loss: Loss
    range: Fraction  # of the loss, from 0
    rests: tuple[Hypothesis, ...]
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
    def shown(self) -> int:
        """Routes that delta is divided among."""
        return sum(not row.refused for row in self.rows)

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
    asked = Asked(subject(a), labels, bits)
    if not asked.question(BITS).stored:
        raise InputError("everything is frozen: there is nothing to bound")
    shown = [route for route in ROUTES if not asked.refused(route) and (a.norms or route == BITS)]
    each = delta / len(shown)
    rows = tuple(asked.row(route, each, samples, tell) for route in ROUTES)
    names = tuple(sorted(labels))
    found = Report(
        words=in_a_line(a),
        model=table_of(a),
        loss=a.loss,
        range=range_of(a),
        rests=tuple(hypotheses(a, names, bits, sum(not row.refused for row in rows))),
        parameters=asked.numbers(),
        samples=samples,
        delta=delta,
        each=each,
        bits=bits,
        frozen=names,
        rows=rows,
    )
    shares = [
        s for r in rows if r.claim and not r.refused and (m := samples or r.m_least) for s in blame(asked, r.route, m)
    ]
    profile = () if asked.refused("net") or not a.norms else tuple(stretches(asked))
    tell("what would help")
    return replace(found, blame=tuple(shares), stretches=profile, helps=tuple(_helps(a, found, asked, tell)))


def table_of(a: Architecture) -> dict[str, Any]:
    """The table [model], without what is not said."""
    found = {f.name: getattr(a, f.name) for f in fields(a) if f.name not in ("norms", "loss")}
    found = {name: plain_number(x) if isinstance(x, Fraction) else x for name, x in found.items() if x or x is False}
    return {name: x for name, x in found.items() if x is not False or name == "tied"}


def in_a_line(a: Architecture) -> str:
    words = f"{a.vocabulary:,} words" if a.vocabulary else f"patches of {a.patch} numbers"
    heads = f"{a.heads} heads" + (f" in {a.kv_heads} groups" if a.kv_heads else "")
    norm = {"layer": "LayerNorm", "rms": "RMSNorm"}[a.norm]
    sizes = f"{a.layers} layers of width {a.width}, {heads}, MLP {a.hidden} ({a.activation}), {words}"
    return f"{a.kind}, {sizes}, context {a.context}, {a.norm_at}-{norm} (eps {float(a.norm_eps):g}), reads {a.read}"


def frozen_labels(a: Architecture, patterns: tuple[str, ...]) -> frozenset[str]:
    """The matrices that a pattern names."""
    known = [name for name, slot in slots(a).items() if not slot.optional or name in a.given]
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


def _helps(a: Architecture, found: Report, asked: Asked, tell: Tell) -> Iterator[Help]:
    """Changes, each with the sample size that the smallest bound it concerns would then ask for."""
    least = {row.route: row.m_least for row in found.rows if row.m_least}
    lipschitz = {route: m for route, m in least.items() if route != BITS}
    best = min(lipschitz, key=lipschitz.__getitem__, default="")

    def change(text: str, route: str, other: Asked) -> Help:
        tell(f"what would help: {text}")
        row = other.row(route, found.each, None, lambda _: None)
        return Help(text, route, row.m_least, least.get(route))

    for bits in FEWER_BITS:
        if bits < found.bits:
            yield change(f"{bits} bits for each number", BITS, Asked(asked.subject, asked.frozen, bits))
    tables = frozenset(name for name, slot in slots(a).items() if slot.kind == "table") - asked.frozen
    if tables:
        held = asked.frozen | tables
        for route in filter(None, (BITS, best)):
            yield change(f"{', '.join(sorted(tables))} frozen", route, Asked(asked.subject, held, found.bits))
    for eps in LARGER_EPS:
        if best and eps > a.norm_eps:
            other = Asked(subject(replace(a, norm_eps=eps)), asked.frozen, found.bits)
            yield change(f"norm_eps = {float(eps):g}", best, other)
