"""maurey book."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from maurey.symbolic.errors import InputError

from .options import Json, patience

PORT = 8000  # the first that is tried
NEEDED = ("jinja2", "markdown_it", "pygments", "quickjs")


def register(app: typer.Typer) -> None:
    app.command("book", epilog="$ maurey book --out build/book")(book)


def book(
    out: Annotated[Path, typer.Option("--out", help="Where it goes: a new folder, or a book.")] = Path("build/book"),
    serve: Annotated[bool, typer.Option("--serve", help="Show it at http://localhost until interrupted.")] = False,
    as_json: Json = False,
) -> None:
    """Everything as a static site: claims, derivations, errata, exhibits and guides."""
    if "\0" in str(out):
        raise InputError(f"--out takes a folder, got {str(out)!r}")
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise InputError(f"the book needs {missing[0]}: install maurey[book]")
    from maurey.book.build import build

    with patience("building the book") as tell:
        built = build(out, tell)
    if as_json:
        print(json.dumps(asdict(built) | {"folder": str(built.folder)}, indent=1))
    else:
        print(f"{built.folder / 'index.html'}: {built.pages} pages, {built.bytes / 1e6:.1f} MB")
    if serve:
        from maurey.book.serve import serve as show

        show(out, PORT)
