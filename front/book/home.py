"""The first page: what this is, a picture, and three doors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from maurey.paper_tables import exhibits
from maurey.symbolic.claim import Claim

from . import cite
from .figures import figure
from .guides import examples, guides
from .library import PAPERS, Library
from .page import Page
from .picture import KEY, picture
from .prose import address

TONES = ("good", "partly", "bad", "open", "none")
GAPS = (  # of networks of several layers, proved
    "edelman2022/A.17:gap:sharp",
    "trauger2024/4.2.1:gap:sharp",
    "trauger2024/S2.5:gap_network:sharp",
)
WORDS = {"good": "hold", "partly": "hold under a condition that is not stated", "bad": "fail", "open": "undecided",
         "none": "nothing to check"}  # fmt: skip
README = "mousavi2025/theorem10"  # shown where the ledger has no picture to give


def pages(library: Library) -> Iterator[Page]:
    context = {
        "picture": picture(library),
        "subject": next(claim for claim in library.claims if claim.key == KEY),
        "subject_address": address(KEY),
        "subject_paper": cite.short(KEY.partition("/")[0]),
        "instead": figure(README, "Samples that a theorem asks for, beside what networks took"),
        "bars": _bars(library),
        "gaps": GAPS,
        "words": WORDS,
        "counts": _counts(library),
        "guides": guides(),
        "examples": examples(),
    }
    about = (
        "Published generalization bounds for Transformers: printed, derived again, evaluated, attacked and repaired."
    )
    yield Page("index.html", "home.html", "Maurey", "", context, about)


def _bars(library: Library) -> list[dict[str, Any]]:
    """How the claims of each paper stand; those that are taken from the literature, together."""
    every = {paper: library.of_paper(paper) for paper in library.papers}
    bars = [_bar(cite.short(paper), paper, claims, library) for paper, claims in every.items() if paper in PAPERS]
    taken = {paper: claims for paper, claims in every.items() if paper not in PAPERS}
    return [*bars, _bar("The literature", next(iter(taken)), [*chain(*taken.values())], library)] if taken else bars


def _bar(short: str, paper: str, claims: Sequence[Claim], library: Library) -> dict[str, Any]:
    found = Counter(library.badge(claim.key).tone for claim in claims)
    shares = [{"tone": tone, "count": found[tone], "words": WORDS[tone]} for tone in TONES if found[tone]]
    return {"paper": paper, "short": short, "count": len(claims), "shares": shares}


def _counts(library: Library) -> dict[str, int]:
    return {
        "claims": len(library.claims),
        "forms": sum(len(part.forms) for claim in library.claims for part in claim.parts),
        "findings": len(library.findings),
        "exhibits": len(exhibits.made()),
    }
