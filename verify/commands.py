"""maurey errata."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from maurey.symbolic import registry
from maurey.symbolic.claim import InputError
from maurey.symbolic.commands import Json
from maurey.symbolic.printing import latex_of, plain

if TYPE_CHECKING:
    from .compare import Comparison
    from .witnesses import Erratum


def register(app: typer.Typer) -> None:
    app.command("errata")(errata)


def errata(
    commit: Annotated[
        bool, typer.Option("--commit", help="Search again and replace the ledger in the source tree.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Where a printed form fails, with witnesses."""
    from rich.console import Console
    from rich.progress import Progress

    from . import ledger

    if commit and not (ledger.PATH.parent.parent / "pyproject.toml").exists():
        raise InputError("--commit replaces the ledger in a checkout; this is an installed copy")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("comparing")
        found = ledger.errata(lambda done, total: bar.update(task, completed=done, total=total), afresh=commit)
    if commit:
        ledger.commit(found)
    entries = in_order(found)
    if as_json:
        print(json.dumps([as_record(entry) for entry in entries], indent=1))
        return
    print("\n".join(report(found, entries)))


def in_order(found: list[Comparison]) -> list[Erratum]:
    """Claim by claim, edges last."""
    return sorted((entry for one in found for entry in one.errata), key=lambda entry: entry.edge)


def as_record(entry: Erratum) -> dict[str, object]:
    """An entry with its two formulas."""
    claim = registry.find(entry.key)
    formulas = {form: latex_of(claim, form, part=entry.part) for form in ("printed", "derived")}
    return {**asdict(entry), **formulas}


def report(found: list[Comparison], entries: list[Erratum]) -> list[str]:
    """A referee's report: entries that say the same of several rays are put together."""
    from .notes import along

    lines: list[str] = []
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for entry in entries:
        start = along(entry.witness) if "ray" in entry.witness else ""
        grouped.setdefault((entry.key, entry.part, entry.note.removeprefix(start)), []).append(start)
    last = ""
    for (key, part, rest), starts in grouped.items():
        if key != last:
            lines += ["", f"{key}  {plain(registry.find(key).title)}"]
        last = key
        where = "; or a".join(start.removesuffix(", all else fixed, ").removeprefix("A") for start in starts)
        lines.append(f"  {part}: {f'A{where}; all else fixed, ' if where else ''}{rest}")
    for title, texts in (
        ("Remarks", [text for one in found for text in one.remarks]),
        ("Undecided", [text for one in found for text in one.undecided]),
    ):
        if texts:
            lines += ["", title, *(f"  {text}" for text in texts)]
    silent = sum(not (one.errata or one.remarks or one.undecided) for one in found)
    edges = sum(entry.edge for entry in entries)
    lines += [
        "",
        f"{len(found)} claims compared: {len(entries)} errata ({edges} of them at an edge), {silent} without comment",
    ]
    return lines[1:]
