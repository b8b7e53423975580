"""What lies behind the entries of the errata: findings in words, each with its severity. People wrote these; the
witnesses, values and ratios beside them are the machine's."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeAlias

from sympy.core.relational import Relational

from maurey.symbolic.claim import UNREAD, Assumption, Claim
from maurey.symbolic.expressions import text_of
from maurey.verify.errata.entries import Erratum
from maurey.verify.rungs import SEVERITIES

Where: TypeAlias = "Relational | str"  # a relation between a claim's parameters, or in words what none of them says


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One finding. An entry of the errata belongs to the first cause that names it: by claim and part, and after that
    by words that it must have (refuted, gap, edge, or negative where the print is; names of what moves along its
    ray)."""

    slug: str
    severity: str
    title: str
    explanation: str  # what is printed, what is wrong, the smallest natural witness, what is true
    survives: str  # what rests on it, and whether that survives
    entries: tuple[str, ...]  # the one whose witness is shown comes first
    where: Mapping[str, Where] = field(default_factory=dict)  # of a hypothesis: for each claim, where it holds

    def __post_init__(self) -> None:
        if self.severity not in ("", *SEVERITIES):  # none where no text was read
            raise ValueError(f"{self.slug}: severity {self.severity!r} is not one of {SEVERITIES}")
        if (self.severity == "hypothesis") != bool(self.where):
            raise ValueError(f"{self.slug}: a hypothesis says where it holds, and nothing else does")

    def names(self, entry: Erratum) -> bool:
        return any(_meets(pattern.split(), entry) for pattern in self.entries)

    def names_first(self, entry: Erratum) -> bool:
        return _meets(self.entries[0].split(), entry)


def _meets(words: list[str], entry: Erratum) -> bool:
    has = {entry.status, *entry.witness.get("ray", ())}
    has |= {word for word, so in (("edge", entry.edge), ("negative", entry.printed_value.startswith("-"))) if so}
    return words[0] in (entry.key, f"{entry.key}:{entry.part}") and set(words[1:]) <= has


@cache
def causes(paper: str) -> tuple[Cause, ...]:
    """Those that speak of a paper."""
    own = f"{__name__}.{paper}"
    return importlib.import_module(own).CAUSES if importlib.util.find_spec(own) else ()


def cause_of(entry: Erratum) -> Cause | None:
    return next((cause for cause in causes(entry.key.partition("/")[0]) if cause.names(entry)), None)


def severity_of(claim: Claim, entry: Erratum) -> str | None:
    """How grave an entry is. Of what was not read in any text nothing is said; a gap alone makes nothing false."""
    if claim.origin_of(entry.part) in UNREAD:
        return None
    cause = cause_of(entry)
    grave = cause.severity if cause and cause.severity else "false"
    return "proof" if entry.status == "gap" and grave == "false" else grave


def where_of(entry: Erratum) -> str:
    """Under which condition the claim holds, where that is all that is wrong with it; else nothing."""
    cause = cause_of(entry)
    return told(cause.where[entry.key]) if cause and entry.key in cause.where else ""


def told(where: Where) -> str:
    return where if isinstance(where, str) else text_of(where)


def within(claim: Claim) -> Claim:
    """The claim under the conditions that it lacks, so far as these are relations between its parameters."""
    lacks = [cause.where[claim.key] for cause in causes(claim.paper) if claim.key in cause.where]
    relations = [Assumption(one, text_of(one)) for one in lacks if isinstance(one, Relational)]
    return replace(claim, assumes=(*claim.assumes, *relations)) if relations else claim
