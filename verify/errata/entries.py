"""The entries of the errata: their order, and what is told of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, Part


@dataclass(frozen=True)
class Erratum:
    key: str
    part: str
    status: str  # gap: the derivation does not give the printed bound; refuted: an object violates it
    edge: bool
    witness: dict[str, Any]
    printed_value: str
    true_value: str
    note: str


@dataclass
class Comparison:
    key: str
    errata: list[Erratum] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)


def comparable(claim: Claim) -> list[Part]:
    return [part for part in claim.parts if part.printed is not None and part.derived is not None]


def restates(claim: Claim) -> str:
    """The claim, if there is one, whose formulas this one states again under another number."""
    used = (registry.find(key) for key in claim.uses)
    return next((other.key for other in used if claim.parts and other.parts is claim.parts), "")


def in_order(found: list[Comparison], refuted: list[Erratum]) -> list[Erratum]:
    """Claim by claim, what is refuted before what is only not derived; edges last."""
    order = {claim.key: number for number, claim in enumerate(registry.all_claims())}
    edges = {entry.key for entry in refuted if entry.edge}  # one edge for each claim, the stronger
    derived = (entry for one in found for entry in one.errata if not (entry.edge and entry.key in edges))
    entries = [*refuted, *derived]
    return sorted(entries, key=lambda entry: (entry.edge, order[entry.key], entry.status != "refuted"))


WHICH = "i"  # of a list's entries a part is about


def fixed(claim: Claim) -> set[str]:
    """What no ray moves: list lengths (layers, or heads that differ), sizes for which forms are written out, and what
    an open constant depends on. A sample size moves, whatever it is called."""
    held = {name for c in claim.constants for name in c.of}
    lengths = {p.index for p in claim.symbols if not p.optional}
    return ({WHICH} | lengths | set(claim.unrolled) | held) - {claim.samples}
