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
from .page import Page
from .prose import ROOT, prose

FILES = ("table.csv", "table.tex")
TONES = {"agrees": "good", "partly": "partly", "undecided": "open", "disagrees": "bad", "not run": "none"}
POWER = re.compile(r"(-?\d+(?:\.\d+)?)[eE]([+-]?\d+)")


def pages() -> Iterator[Page]:
    shown = {name: _exhibit(name) for name in exhibits.names()}
    yield Page(
        "exhibits/index.html",
        "gallery.html",
        "Exhibits",
        "exhibits",
        {"groups": list(_groups(shown)), "papers": list(_index())},
    )
    for name, one in shown.items():
        yield Page(f"exhibits/{name}.html", "exhibit.html", str(one["title"]), "exhibits", {"one": one} | _whole(name))


def files() -> Iterator[tuple[str, bytes]]:
    """What is copied beside the pages: figures, and tables for others' programs."""
    for name in exhibits.names():
        folder = exhibits.ROOT / name
        for figure in sorted(folder.glob("figure*.svg")):
            yield f"exhibits/{name}{figure.name.removeprefix('figure')}", figure.read_bytes()
        for file in FILES:
            if (folder / file).exists():
                yield f"exhibits/{name}.{file.rpartition('.')[2]}", (folder / file).read_bytes()


def figure(name: str, text: str) -> dict[str, Any] | None:
    """Where it is, how large, and whether there is one for dark pages."""
    file = exhibits.ROOT / name / "figure.svg"
    if not file.exists():
        return None
    size = re.search(
        r'width="([\d.]+)pt" height="([\d.]+)pt"|height="([\d.]+)pt"[^>]* width="([\d.]+)pt"', file.read_text()[:2000]
    )
    wide, high = (size[1] or size[4], size[2] or size[3]) if size else ("720", "480")
    dark = file.with_name("figure-dark.svg").exists()
    return {
        "light": f"{ROOT}exhibits/{name}.svg",
        "dark": f"{ROOT}exhibits/{name}-dark.svg" if dark else "",
        "width": round(float(wide)),
        "height": round(float(high)),
        "text": text,
    }


def _exhibit(name: str) -> dict[str, Any]:
    provenance = json.loads((exhibits.ROOT / name / "provenance.json").read_text())
    title = index.title_of(name)
    paper, _, short = name.partition("/")
    found = [{"word": f["word"], "tone": tone(f["word"]), "much": f.get("much", ""), "text": prose(f["text"]),
              "of": f.get("figure", "")} for f in provenance.get("findings", [])]  # fmt: skip
    return {
        "name": name,
        "paper": paper,
        "paper_short": cite.short(paper),
        "short": short.replace("_", " "),
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
    """Its notes and its table."""
    text = (exhibits.ROOT / name / "table.md").read_text()
    before = text.partition("\n| ")[0]
    notes = [prose(line[2:]) for line in before.splitlines() if line.startswith("- ")]
    words = [
        prose(p)
        for p in before.split("\n\n")[1:]
        if p.strip() and not p.lstrip().startswith(("- ", "![", "<", "#", "|"))
    ]
    with (exhibits.ROOT / name / "table.csv").open(newline="") as file:
        columns, *rows = csv.reader(file)
    return {
        "words": words,
        "notes": notes,
        "columns": [prose(column) for column in columns],
        "rows": [[cell(text) for text in row] for row in rows],
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
