"""maurey tables."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Annotated

import typer

from maurey.symbolic.claim import InputError
from maurey.symbolic.commands import Json


def register(app: typer.Typer) -> None:
    app.command("tables")(tables)


def tables(
    exhibits: Annotated[list[str] | None, typer.Argument(metavar="EXHIBIT...", help="e.g. edelman2022/head")] = None,
    commit: Annotated[bool, typer.Option("--commit", help="Replace the exhibit in the source tree.")] = False,
    as_json: Json = False,
) -> None:
    """Make the papers' tables and figures again, under build/tables/."""
    from rich.console import Console
    from rich.progress import Progress

    from . import exhibits as rooms

    if importlib.util.find_spec("matplotlib") is None:
        raise InputError("figures need matplotlib: install maurey[tables]")
    chosen = [rooms.check(name) for name in exhibits or rooms.names()]
    if commit and not (rooms.ROOT.parent / "pyproject.toml").exists():
        raise InputError("--commit replaces exhibits in a checkout; this is an installed copy")
    base = rooms.ROOT if commit else Path("build/tables")
    written: dict[str, list[str]] = {}
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for name in chosen:
            task = bar.add_task(name, total=None)

            def report(done: int, total: int, task=task) -> None:  # type: ignore[no-untyped-def]
                bar.update(task, completed=done, total=total)

            try:
                files = rooms.make(name, base / name, report)
            except OSError as error:
                raise InputError(f"cannot write under {base}: {error.strerror}") from None
            written[name] = [str(file) for file in files]
    if as_json:
        print(json.dumps(written, indent=1))
        return
    for paths in written.values():
        print("\n".join(paths))
