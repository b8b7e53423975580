"""The guides and the examples: the pages of docs/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

import maurey

from .markdown import MADE, rendered
from .page import Page

HOME = Path(str(maurey.__file__)).parent
FIRST = ("start", "verdicts", "errata", "commands", "experiments", "adding")  # of the guides; others follow
AROUND = ("CONTRIBUTING.md", "CHANGELOG.md")  # of a checkout


def docs() -> Path | None:
    """In a checkout beside the rooms, in an installed copy within the package."""
    return next((folder for folder in (HOME / "docs", HOME.parent / "docs") if (folder / "start.md").exists()), None)


def guides() -> dict[str, Path]:
    """By name, in the order in which they are read."""
    folder = docs()
    if folder is None:
        return {}
    found = {file.stem: file for file in sorted(folder.glob("*.md")) if f"docs/{file.name}" not in MADE}
    around = {name.removesuffix(".md").lower(): folder.parent / name for name in AROUND}
    order = [*(name for name in FIRST if name in found), *(name for name in found if name not in FIRST)]
    return {name: found[name] for name in order} | {name: file for name, file in around.items() if file.exists()}


def examples() -> dict[str, Path]:
    """In the order of their numbers."""
    folder = docs()
    files = sorted((folder / "examples").glob("*.md")) if folder else []
    return {file.stem.lstrip("0123456789-"): file for file in files}


def known() -> dict[str, str]:
    """Pages of the book, by their place in a checkout."""
    sections = {"guides": guides(), "examples": examples()}
    return {_place(file): f"{name}/{stem}.html" for name, files in sections.items() for stem, file in files.items()}


def _place(file: Path) -> str:
    folder = docs()
    return str(file.relative_to(folder.parent).as_posix()) if folder else file.name


def pages() -> Iterator[Page]:
    for section, files in (("guides", guides()), ("examples", examples())):
        made = [_page(section, name, file) for name, file in files.items()]
        if not made:
            continue
        shown = [(page, page.context["lead"]) for page in made]
        yield Page(f"{section}/index.html", "listing.html", section.capitalize(), section, {"shown": shown})
        for before, page, after in zip([None, *made[:-1]], made, [*made[1:], None], strict=True):
            context = {**page.context, "before": before, "after": after}
            yield Page(page.path, page.template, page.title, section, context, page.about)


def _page(section: str, name: str, file: Path) -> Page:
    title, body, headings = rendered(file, _place(file), known())
    lead = first(body)
    context = {"body": Markup(body), "headings": headings, "lead": lead}
    return Page(f"{section}/{name}.html", "guide.html", title, section, context, lead.striptags())


def first(body: str) -> Markup:
    """The first paragraph, which says what a page is about."""
    found = re.search(r"<p>(.*?)</p>", body, re.S)
    return Markup(found[1]) if found and "<img" not in found[1] else Markup("")
