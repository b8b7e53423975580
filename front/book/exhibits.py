"""The exhibits: a gallery of the papers' tables and figures, made again, and a page for each."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup, escape

from maurey.paper_tables import exhibits, index

from . import cite
from .figures import figure
from .guides import first, known
from .markdown import rendered
from .page import Page
from .prose import ROOT, prose

FILES = ("table.csv", "table.tex")
COPIED = (*FILES, "provenance.json")
TONES = {"agrees": "good", "partly": "partly", "undecided": "open", "disagrees": "bad", "not run": "none"}
POWER = re.compile(r"(-?\d+(?:\.\d+)?)[eE]([+-]?\d+)")


def pages() -> Iterator[Page]:
    shown = {name: _exhibit(name) for name in exhibits.names()}
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
    for name in exhibits.names():
        folder = exhibits.ROOT / name
        for drawn in sorted(folder.glob("figure*.svg")):
            yield f"exhibits/{name}{drawn.name.removeprefix('figure')}", drawn.read_bytes()
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
        "paper_short": cite.short(paper),
        "short": name.partition("/")[2].replace("_", " "),
        "title": title,
        "heading": prose(title, links=False),
        "address": f"{ROOT}exhibits/{name}.html",
        "figure": figure(name, f"Figure of the exhibit {name}: {title}"),
        "findings": found,
        "provenance": provenance,
    }


def tone(word: str) -> str:
    return next((shade for start, shade in TONES.items() if word.startswith(start) or word.endswith(start)), "none")


def _groups(shown: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for paper in dict.fromkeys(one["paper"] for one in shown.values()):
        yield {
            "paper": paper,
            "short": cite.short(paper),
            "exhibits": [o for o in shown.values() if o["paper"] == paper],
        }


def _index() -> Iterator[dict[str, Any]]:
    """Every table and figure of the papers, with the exhibit that makes it again."""
    for key, paper in index.papers().items():
        yield {"key": key, "title": paper["title"], "rows": [_told(row) for row in index.rows(paper["shows"])]}


def _told(row: index.Row) -> dict[str, Any]:
    return {
        "of": prose(row.of, links=False),
        "address": f"{ROOT}exhibits/{row.exhibit}.html" if row.much else "",
        "much": row.much,
        "word": row.word,
        "tone": tone(row.word),
        "sentence": prose(row.sentence),
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
