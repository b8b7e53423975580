"""What the pages tell of: the claims with their verdicts, the errata and their causes, and who uses whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from maurey.pages.errata import by_cause, records
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.verify import evidence, ledger
from maurey.verify.errata.entries import restates

Record = dict[str, Any]
PAPERS = ("edelman2022", "edelman2022icml", "trauger2024", "mousavi2025", "lintilhac2026", "maurey")  # first of all
MARKS = {"good": "✓", "partly": "✓", "bad": "✗", "open": "?", "none": "·"}
TONES = {"holds": "good", "fails": "bad", "undecided": "open"}


@dataclass(frozen=True)
class Badge:
    """A verdict in a word or two, and how it is coloured."""

    tone: str
    words: str
    rung: str = ""

    @property
    def mark(self) -> str:
        return MARKS[self.tone]


@dataclass(frozen=True)
class Library:
    claims: tuple[Claim, ...]
    standings: Mapping[str, evidence.Standing]
    entries: tuple[Record, ...]  # of the errata, remarks and what is undecided among them

    @cached_property
    def findings(self) -> list[Record]:
        return by_cause(list(self.entries))

    @cached_property
    def users(self) -> Mapping[str, list[str]]:
        """The keys of the claims that use a claim."""
        found: dict[str, list[str]] = {claim.key: [] for claim in self.claims}
        for claim in self.claims:
            for key in claim.uses:
                found[key].append(claim.key)
        return found

    @cached_property
    def papers(self) -> list[str]:
        """The four first, then what they take from the literature."""
        have = list(dict.fromkeys(claim.paper for claim in self.claims))
        return [*(p for p in PAPERS if p in have), *(p for p in have if p not in PAPERS)]

    def of_paper(self, paper: str) -> list[Claim]:
        return [claim for claim in self.claims if claim.paper == paper]

    def entries_of(self, claim: Claim) -> list[Record]:
        """Of a claim that states another again, those of the other."""
        key = restates(claim) or claim.key
        return [entry for entry in self.entries if entry["key"] == key]

    def badge(self, key: str) -> Badge:
        standing = self.standings[key]
        if standing.verdict is None:
            return Badge("open", standing.problem)
        if standing.verdict == "holds" and standing.evidence is None:
            return Badge("none", "nothing to check")
        if standing.verdict == "holds" and standing.where:
            return Badge("partly", "holds under a condition", standing.rung)
        return Badge(TONES[standing.verdict], standing.verdict, standing.rung)


def library(tell: Callable[[str], None] = lambda text: None) -> Library:
    claims = tuple(registry.all_claims())
    found = ledger.comparisons(lambda done, total: tell(f"comparing: {done} of {total} claims"))
    standings = {claim.key: evidence.standing_of(claim) for claim in claims}
    return Library(claims, standings, tuple(records(found)))
