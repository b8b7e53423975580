"""maurey errata."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maurey.symbolic import registry
from maurey.symbolic.printing import plain

from .options import Json, check_checkout

if TYPE_CHECKING:
    from maurey.verify.errata.entries import Comparison, Erratum


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

    from maurey.verify import ledger
    from maurey.verify.errata.entries import as_record, in_order

    if commit:
        check_checkout("the ledger")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("comparing")
        found = ledger.comparisons(lambda done, total: bar.update(task, completed=done, total=total), afresh=commit)
    if commit:
        ledger.commit(found)
    entries = in_order(found, ledger.refuted())
    if as_json:
        print(json.dumps([as_record(entry) for entry in entries], indent=1))
        return
    print("\n".join(report(found, entries, ledger.verdicts())))


def report(found: list[Comparison], entries: list[Erratum], verdicts: dict[str, dict[str, Any]]) -> list[str]:
    """A referee's report: entries that say the same of several rays are put together, and what the comparison leaves
    open but a check decides is a remark."""
    from maurey.verify.errata.sentences import along, words

    lines: list[str] = []
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for entry in entries:
        start = along(entry.witness) if "ray" in entry.witness else ""
        if entry.status == "refuted":  # its note says what object does it; where, comes after
            at = start.removesuffix(", all else fixed, ") or f"At {words(entry.witness)}"
            said, true = (f"{Decimal(value):.6g}" for value in (entry.printed_value, entry.true_value))
            claim = registry.find(entry.key)
            bound = "at most" if claim.parts and claim.part(entry.part).below else "at least"
            text = f"refuted. {entry.note} {at}: printed {said}, in truth {bound} {true}."
            grouped.setdefault((entry.key, entry.part, text), [])
        else:
            grouped.setdefault((entry.key, entry.part, entry.note.removeprefix(start)), []).append(start)
    last = ""
    for (key, part, rest), starts in grouped.items():
        if key != last:
            claim = registry.find(key)
            source = "" if claim.source == "printed" else f"  (what counts as printed was {claim.source})"
            lines += ["", f"{key}  {plain(claim.title)}{source}"]
        last = key
        where = "; or a".join(start.removesuffix(", all else fixed, ").removeprefix("A") for start in starts)
        name = f"{part}: " if part else ""
        lines.append(f"  {name}{f'A{where}; all else fixed, ' if where else ''}{rest}")
    settled = {key: row["evidence"] for key, row in verdicts.items() if row["verdict"] == "holds"}
    for title, texts in (
        ("Remarks", [text for one in found for text in one.remarks]
         + [f"{text}; but it is {settled[one.key]}." for one in found if one.key in settled for text in one.undecided]),
        ("Undecided", [text for one in found if one.key not in settled for text in one.undecided]),
    ):  # fmt: skip
        if texts:
            lines += ["", title, *(f"  {text}" for text in texts)]
    refuted = sum(entry.status == "refuted" for entry in entries)
    silent = sum(not (one.errata or one.remarks or one.undecided) for one in found)
    edges = sum(entry.edge for entry in entries)
    rebuilt = sum(registry.find(entry.key).source == "reconstructed" for entry in entries)
    lines += [
        "",
        f"{len(found)} claims compared, {silent} without comment: {len(entries)} errata, {refuted} of them refuted, "
        f"{edges} at an edge, {rebuilt} where what counts as printed was reconstructed",
    ]
    return lines[1:]
