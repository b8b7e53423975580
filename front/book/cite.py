"""How the papers are called, and BibTeX of a paper and of a claim."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from maurey.symbolic.claim import Claim
from maurey.symbolic.printing import plain

FILE = Path(__file__).with_name("papers.toml")
OWN = ("short", "type")  # fields that are no BibTeX


@cache
def papers() -> dict[str, dict[str, str]]:
    return tomllib.loads(FILE.read_text())


def short(paper: str) -> str:
    """A paper that has no entry, one's own, is called by its key."""
    return papers().get(paper, {}).get("short", paper)


def of_paper(paper: str) -> str:
    fields = papers().get(paper)
    return _entry(fields["type"], paper, fields) if fields else ""


def of_claim(claim: Claim) -> str:
    """The claim as it stands here; its paper is cited beside it."""
    words = f"{claim.number} of {short(claim.paper)}: {plain(claim.title)}"
    own = papers()["maurey"]
    fields = {
        "author": own["author"],
        "title": f"{{{words}}}",
        "howpublished": f"Maurey {version('maurey')}, claim {claim.key}",
        "year": own["year"],
    }
    return _entry("misc", f"maurey:{claim.key}", fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name:<9} = {{{text}}}," for name, text in fields.items() if name not in OWN]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
