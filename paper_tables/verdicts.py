"""What is found of something that a paper shows, and the word for it: one rule for all exhibits.

The first that fits: `not run`, if nothing was run at the size of the paper; `partly`, with the word for what was run,
if some was; `undecided`, if the 95 % interval of what is measured contains the threshold, if a choice of ours turns it,
or if the threshold was chosen after looking; `agrees` or `disagrees`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    text: str  # what the paper shows, and what is found here
    agrees: bool | None  # None: undecided
    figure: str = ""  # the table, figure or panel, as papers.toml has it; none: something else that the paper says
    run: int = 1  # at the paper's size
    planned: int = 1  # as much as the paper has
    what: str = "cells"  # that are counted: cells, seeds, classes
    criterion: str = "the paper's words"  # where the threshold comes from
    late: bool = False  # whether it was chosen after looking

    @property
    def word(self) -> str:
        if not self.run:
            return "not run"
        word = "undecided" if self.agrees is None or self.late else "agrees" if self.agrees else "disagrees"
        return word if self.run >= self.planned else f"partly, {word}"

    @property
    def much(self) -> str:
        return f"{self.run} of {self.planned} {self.what}"

    @property
    def note(self) -> str:
        share = f" ({self.much})" if 0 < self.run < self.planned else ""
        return f"{self.text}: {self.word}{share}."

    @property
    def record(self) -> dict[str, Any]:
        """For the provenance, from which the index is made."""
        return {
            "figure": self.figure,
            "text": self.text,
            "word": self.word,
            "much": self.much,
            "criterion": self.criterion,
        }


def words(findings: Iterable[Finding]) -> str:
    """The word for several findings, or how many have which."""
    counts = Counter(one.word for one in findings)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{number} {word}" for word, number in counts.items())


def here(one: Finding) -> str:
    """What was found: of its text the clause that begins with this word; nothing, if there is none."""
    found = one.text.partition("; here")[2].partition("; ")[0]
    return f"; here{found}" if found else ""


def of_variants(text: str, findings: Mapping[str, Finding]) -> str:
    """A line of the verdict with a word for each variant."""
    found = []
    for name, one in findings.items():
        share = f", {one.much}" if 0 < one.run < one.planned else ""
        found.append(f"**{one.word}** ({name}{share})")
    return f"{', '.join(found)}: {text}"


def line(text: str, *findings: Finding) -> str:
    """A line of the verdict: the word for what was found, and a few words on it."""
    much = {one.much for one in findings if 0 < one.run < one.planned}
    share = f" ({much.pop()})" if len(much) == 1 else ""
    return f"**{words(findings)}**{share}: {text}"
