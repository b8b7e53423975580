"""The gallery: every figure with its question, its answer and the word for it, from what committed exhibits say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from . import exhibits
from .index import papers
from .page import raised

FILE = exhibits.ROOT.parent / "docs" / "gallery.md"


@dataclass(frozen=True)
class Entry:
    """An exhibit, as a page of pictures has it."""

    name: str
    title: str  # of its paper
    question: str
    answer: str
    word: str  # of its findings; empty, if it is held against nothing
    figures: dict[str, Path]  # by theme


def entries() -> Iterator[Entry]:
    """In the order of the papers."""
    titles = {paper: one["title"] for paper, one in papers().items()}
    rank = {paper: place for place, paper in enumerate(titles)}
    for name in sorted(exhibits.names(), key=lambda name: rank.get(_paper(name), len(rank))):
        about = exhibits.provenance_of(name)
        if "question" in about:
            files = {theme: exhibits.ROOT / name / file for theme, file in exhibits.FIGURES.items()}
            title = titles.get(_paper(name), "Exhibits of our own")
            yield Entry(name, title, about["question"], raised(about["answer"]), about["word"], files)


def _paper(name: str) -> str:
    return name.partition("/")[0]


def text() -> str:
    """The gallery as a page of Markdown."""
    lines = [
        "# Gallery",
        "",
        "Every figure of the exhibits, with the question it answers. This page is generated, by `maurey tables --list "
        "--commit`. Each picture leads to its exhibit, which says how it was made; [the "
        "index](../paper_tables/README.md) has every table and figure of the four papers. The words are those of the "
        "findings against the paper: *partly* where less was run than the paper has, *undecided* where an interval or "
        "a choice of ours leaves it open.",
    ]
    for title, own in groupby(entries(), key=lambda entry: entry.title):
        lines += ["", f"## {title}", "", "| figure | question and answer | verdict |", "| --- | --- | --- |"]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in _cells(entry))} |" for entry in own]
    return "\n".join(lines) + "\n"


def _cells(entry: Entry) -> tuple[str, str, str]:
    folder = f"../paper_tables/{entry.name}"
    picture = f"[![{entry.question}]({folder}/{exhibits.FIGURES['light']})]({folder}/table.md)"
    return picture, f"**{entry.question}** {entry.answer}", entry.word or "-"
