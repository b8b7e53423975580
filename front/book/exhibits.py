"""The exhibits: a gallery of the papers' tables and figures, made again, and a page for each."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup, escape

from maurey.paper_tables import exhibits, index

from . import cite
from .figures import figure, slim
from .guides import first, known
from .markdown import rendered
from .page import Page
from .prose import ROOT, prose

FILES = ("table.csv", "table.tex")
COPIED = (*FILES, "figure.csv", "provenance.json")
TONES = {"agrees": "good", "partly": "partly", "undecided": "open", "disagrees": "bad", "not run": "none"}
POWER = re.compile(r"(-?\d+(?:\.\d+)?)[eE]([+-]?\d+)")


def pages() -> Iterator[Page]:
    shown = {name: _exhibit(name) for name in exhibits.made()}
    whole = {name: _whole(name) for name in shown}
    for name, one in shown.items():
        one["lead"] = first(whole[name]["body"])  # the question that it answers, if its page begins with one
    yield Page(
        "exhibits/index.html",
        "gallery.html",
        "Exhibits",
        "exhibits",
        {"groups": list(_groups(shown)), "papers": list(_index())},
    )
    for name, one in shown.items():
        context = {"one": one} | whole[name]
        yield Page(f"exhibits/{name}.html", "exhibit.html", str(one["title"]), "exhibits", context)


def files() -> Iterator[tuple[str, bytes]]:
    """What is copied beside the pages: figures, and tables for others' programs."""
    for name in exhibits.made():
        folder = exhibits.ROOT / name
        for drawn in sorted(folder.glob("figure*.svg")):
            yield f"exhibits/{name}{drawn.name.removeprefix('figure')}", slim(drawn.read_text()).encode()
        for file in COPIED:
            if (folder / file).exists():
                yield f"exhibits/{name}.{file.removeprefix('table.')}", (folder / file).read_bytes()


def _exhibit(name: str) -> dict[str, Any]:
    provenance = json.loads((exhibits.ROOT / name / "provenance.json").read_text())
    title, paper = index.title_of(name), name.partition("/")[0]
    found = [
        {"word": f["word"], "tone": tone(f["word"]), "text": prose(f["text"])} for f in provenance.get("findings", [])
    ]
    return {
        "name": name,
        "paper": paper,
        "paper_short": called(paper),
        "short": name.partition("/")[2].replace("_", " "),
        "title": title,
        "heading": prose(title, links=False),
        "address": f"{ROOT}exhibits/{name}.html",
        "figure": figure(name, f"Figure of the exhibit {name}: {title}"),
        "findings": found,
        "words": [(*one, count) for one, count in Counter((f["word"], f["tone"]) for f in found).items()],
        "provenance": provenance,
    }


def called(paper: str) -> str:
    """A paper, or what our own exhibits are about."""
    return cite.short(paper) if paper in cite.papers() else paper.capitalize()


def tone(word: str) -> str:
    return next((shade for start, shade in TONES.items() if word.startswith(start) or word.endswith(start)), "none")


def _groups(shown: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for paper in dict.fromkeys(one["paper"] for one in shown.values()):
        yield {
            "paper": paper,
            "short": called(paper),
            "exhibits": [o for o in shown.values() if o["paper"] == paper],
        }


def _index() -> Iterator[dict[str, Any]]:
    """Every table and figure of the papers, with the exhibit that makes it again."""
    for key, paper in index.papers().items():
        rows = [row for one in paper["shows"] for row in _shown(one)]
        yield {"key": key, "title": paper["title"], "rows": rows}


def _shown(one: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Of what a paper shows, what is found of it, criterion by criterion."""
    of, name = prose(f"{one['of']}: {one['shows']}", links=False), one.get("exhibit", "")
    found = [f for f in index.findings(name) if f["figure"] == one.get("same as", one["of"])] if name else []
    for f in found or [{"word": one.get("word", "not run"), "much": "", "text": one.get("why", "")}]:
        yield {
            "of": of,
            "address": f"{ROOT}exhibits/{name}.html" if name else "",
            "much": f["much"],
            "word": f["word"],
            "tone": tone(f["word"]),
            "sentence": prose(f["text"]),
        }


def _whole(name: str) -> dict[str, Any]:
    """Its page as it is written, and all rows, if the page has only some of them."""
    file = exhibits.ROOT / name / "table.md"
    _, body, _ = rendered(file, f"paper_tables/{name}/table.md", known())
    with (exhibits.ROOT / name / "table.csv").open(newline="") as data:
        columns, *rows = csv.reader(data)
    shown = body.count("<tr>") - 1
    return {
        "body": Markup(body),
        "columns": [prose(column) for column in columns],
        "rows": [[cell(text) for text in row] for row in rows] if len(rows) > shown else [],
        "downloads": [(file.rpartition(".")[2], f"{ROOT}exhibits/{name}.{file.rpartition('.')[2]}") for file in FILES],
    }


def cell(text: str) -> Markup:
    """A number with its power of ten as one; keys and words as they are."""
    found = POWER.fullmatch(text.strip())
    if not found:
        return escape(text)
    mantissa, power = found[1], int(found[2])
    if -4 <= power <= 5:
        places = max(0, len(mantissa.partition(".")[2]) - power)
        return Markup(f"{float(text):.{places}f}")
    return Markup(f"{mantissa}·10<sup>{'−' if power < 0 else ''}{abs(power)}</sup>")
