"""The book as a folder: every page written beside the old one, which it then replaces."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from maurey.symbolic.errors import InputError

from . import claims, exhibits, guides, home, reports, search
from .explorer import pages as explorer
from .library import Library, library
from .page import Page, html

ASSETS = Path(__file__).with_name("assets")
MARK = "book.json"  # what makes a folder a book
SECTIONS = {  # of the navigation, in its order
    "claims": "Claims",
    "explorer": "Explorer",
    "errata": "Errata",
    "exhibits": "Exhibits",
    "guides": "Guides",
    "examples": "Examples",
}
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Built:
    folder: Path
    pages: int
    bytes: int


def build(out: Path, tell: Tell = lambda text: None) -> Built:
    """The whole book, at `out`. A folder that is not a book is refused; a book stays until the new one is whole."""
    check(out)
    new = out.with_name(f".{out.name}.new.{os.getpid()}")
    try:
        count = _write(new, tell)
        size = sum(file.stat().st_size for file in new.rglob("*") if file.is_file())
        _replace(out, new)
    except OSError as error:
        raise InputError(f"the book cannot be written: {error.strerror}: {error.filename or out}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return Built(out, count, size)


def check(out: Path) -> None:
    """Nothing that is not a book is replaced."""
    if out.is_dir() and not out.is_symlink() and ((out / MARK).is_file() or not any(out.iterdir())):
        return
    if os.path.lexists(out):
        what = "a folder" if out.is_dir() else "a file"
        raise InputError(f"--out {out} is {what} that is not a book, and is left alone; name a new folder, or a book")


def _replace(out: Path, new: Path) -> None:
    """By renaming: nobody sees half of it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    old = out.with_name(f".{out.name}.old.{os.getpid()}")
    if out.exists():
        out.rename(old)
    try:
        new.rename(out)
    except OSError:
        if old.exists():
            old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _pages(found: Library, tell: Tell) -> Iterator[Page]:
    yield from home.pages(found)
    for number, page in enumerate(claims.pages(found)):
        tell(f"claims: {number} of {len(found.claims)}")
        yield page
    tell("errata, exhibits, guides")
    yield from reports.pages(found)
    yield from exhibits.pages()
    yield from guides.pages()
    yield from explorer.pages()


def _write(folder: Path, tell: Tell) -> int:
    found = library(tell)
    pages = list(_pages(found, tell))
    paths = {page.path for page in pages}
    sections = {name: title for name, title in SECTIONS.items() if f"{name}/index.html" in paths}
    shared = {"sections": sections, "version": version("maurey")}
    for number, page in enumerate(pages):
        tell(f"writing: {number} of {len(pages)} pages")
        _put(folder / page.path, html(page, shared))
    for name, content in chain(exhibits.files(), explorer.files(found.claims, tell)):
        _put(folder / name, content)
    shutil.copytree(ASSETS, folder / "assets", dirs_exist_ok=True)
    _put(folder / "assets" / "index.js", search.script(found, pages))
    _put(folder / MARK, json.dumps({"maurey": version("maurey"), "pages": len(pages)}, indent=1) + "\n")
    return len(pages)


def _put(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
