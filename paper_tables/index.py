"""The index: every table and figure of the four papers, where it is made again, how much of it, and the word for it.

`papers.toml` lists what the papers have. The rest is read from the provenance of the committed exhibits, and costs come
from the pace at which their trials were trained.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from . import exhibits, trained

FILE = exhibits.ROOT / "README.md"
CORES = 2  # on which costs are told
HEAD = ("of the paper", "exhibit", "how much", "verdict", "in a sentence", "cost to finish")


@dataclass(frozen=True)
class Row:
    """What is found of a table, figure or panel; it has a row for each criterion."""

    of: str
    exhibit: str
    much: str
    word: str
    sentence: str
    cost: str


def papers() -> dict[str, dict[str, Any]]:
    """What every paper has."""
    return tomllib.loads((exhibits.ROOT / "papers.toml").read_text())


def findings(name: str) -> list[dict[str, str]]:
    """Those of a committed exhibit."""
    found: dict[str, Any] = json.loads((exhibits.ROOT / name / "provenance.json").read_text())
    return list(found.get("findings", []))


def rows(shown: list[dict[str, str]]) -> Iterator[Row]:
    """Of what a paper shows."""
    for one in shown:
        of = f"{one['of']}: {one['shows']}"
        if "exhibit" not in one:
            yield Row(of=of, exhibit="none", much="", word=one.get("word", "not run"), sentence=one["why"], cost="")
            continue
        name = one["exhibit"]
        for found in (f for f in findings(name) if f["figure"] == one.get("same as", one["of"])):
            own = {"much": found["much"], "word": found["word"], "sentence": found["text"]}
            yield Row(of=of, exhibit=name, **own, cost=_cost(found, cost_of(name)))


def cost_of(name: str) -> str:
    """Of what the committed results lack of their plan."""
    if not trained.is_trained(name):
        return "nothing"
    ahead, _ = trained.forecast(name, trained.COMMITTED, "", None)
    if not ahead.remaining:
        return "nothing"
    return "not measured" if ahead.seconds is None else time_of(ahead.seconds / CORES)


def _cost(found: dict[str, str], of_plan: str) -> str:
    """What is not the whole of the paper's, and that no plan makes whole, says why."""
    whole = not found["word"].startswith(("partly", "not run"))
    lacks = found.get("lacks", "")
    if whole or not lacks:
        return of_plan
    return lacks if of_plan == "nothing" else f"{of_plan}; {lacks}"


def time_of(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def ours() -> list[str]:
    """Exhibits that make nothing of a paper again."""
    used = {one.get("exhibit") for paper in papers().values() for one in paper["shows"]}
    return [name for name in exhibits.made() if name not in used]


def title_of(name: str) -> str:
    file = exhibits.ROOT / name / "table.md"
    return file.read_text().partition("\n")[0].removeprefix("# ") if file.exists() else "not made yet"


def text() -> str:
    """The index as a page of Markdown."""
    lines = [
        "# Every table and figure of the four papers",
        "",
        "Made by `maurey tables --list --commit` from what the exhibits say of themselves. Verdicts, the first that "
        "fits: "
        "*not run*, nothing at the paper's size; *partly*, some of it, and the word for that; *undecided*, the 95 % "
        "interval of what is measured contains the threshold, a choice of ours turns it, or the threshold was chosen "
        f"after looking; *agrees* or *disagrees*. Costs are on {CORES} cores. [The gallery](../docs/gallery.md) "
        "has all figures.",
    ]
    for paper in papers().values():
        lines += ["", f"## {paper['title']}", "", f"| {' | '.join(HEAD)} |", "|" + " --- |" * len(HEAD)]
        for row in rows(paper["shows"]):
            link = f"[{row.exhibit}]({row.exhibit}/table.md)" if row.much else row.exhibit
            cells = (row.of, link, row.much, f"**{row.word}**", row.sentence, row.cost)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    lines += [
        "",
        "## Exhibits of our own",
        "",
        "They answer what the papers leave open, and make none of their figures again.",
        "",
    ]
    lines += [f"- [{name}]({name}/table.md): {title_of(name)}" for name in ours()]
    return "\n".join(lines) + "\n"


def lines() -> list[str]:
    """The index in plain lines."""
    found = []
    for paper in papers().values():
        found += ["", paper["title"]]
        for (of, exhibit, cost), own in groupby(rows(paper["shows"]), lambda row: (row.of, row.exhibit, row.cost)):
            finish = f"; to finish: {cost}" if cost not in ("", "nothing") else ""
            found.append(f"  {of}; {exhibit}{finish}")
            for row in own:
                share = f" ({row.much})" if row.much else ""
                found.append(f"    {row.word}{share}: {row.sentence.partition('; ')[0]}")
    begun = [name for name in exhibits.names() if name not in exhibits.made()]
    found += ["", "of our own", *(f"  {name}: {title_of(name)}" for name in ours())]
    return [*found, *(f"  {name}: not made yet; maurey tables {name}" for name in begun)]
