"""maurey errata, maurey verify."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from maurey.symbolic import registry
from maurey.symbolic.claim import InputError
from maurey.symbolic.commands import Json
from maurey.symbolic.printing import latex_of, plain

if TYPE_CHECKING:
    from rich.table import Table

    from maurey.verify.errata.comparison import Comparison
    from maurey.verify.errata.witnesses import Erratum

    from .matrix import Row


def register(app: typer.Typer) -> None:
    app.command("errata")(errata)
    app.command("verify")(verify)


def check_checkout(what: str) -> None:
    """--commit writes into the source tree, which an installed copy does not have."""
    if not (Path(__file__).parents[1] / "pyproject.toml").exists():
        raise InputError(f"--commit replaces {what} in a checkout; this is an installed copy")


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


NEEDED = {"torch": "train", "z3": "verify", "hypothesis": "verify"}


def verify(
    keys: Annotated[
        list[str] | None, typer.Argument(metavar="KEY...", help="Claims; all of them, if none is named.")
    ] = None,
    effort: Annotated[str, typer.Option("--effort", help="quick, normal or hard.")] = "quick",
    commit: Annotated[
        bool, typer.Option("--commit", help="Keep the verdicts in the ledger of the source tree.")
    ] = False,
    as_json: Json = False,
) -> int:
    """The evidence matrix: how each claim is known to be true, how tight it is, or how it fails."""
    from rich.console import Console
    from rich.progress import Progress

    from . import checks, ledger, matrix

    for module, extra in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            raise InputError(f"verify needs {module}: install maurey[{extra}]")
    how_hard = checks.effort(effort)
    chosen = [registry.find(key).key for key in keys or [claim.key for claim in registry.all_claims()]]
    if commit:
        check_checkout("the ledger")
    console = Console(stderr=True)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"verifying, {how_hard.name}", total=len(chosen))

        def report(row: Row) -> None:
            bar.update(task, advance=1, description=f"{row.key} {row.verdict}")

        found = matrix.verify(chosen, how_hard, min(os.cpu_count() or 1, len(chosen)), report)
    rows = [row for row, _ in found]
    stored = ledger.verdicts(chosen)
    if commit:
        ledger.keep("verdict", {row.key: matrix.record(row, how_hard) for row in rows})
        ledger.keep("refuted", {row.key: [asdict(e) for e in matrix.refuted(row.key, made)] for row, made in found})
        stored = ledger.verdicts(chosen)
    changed = [row for row in rows if stored.get(row.key, {}).get("verdict", "") not in ("", row.verdict)]
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        Console(width=None if sys.stdout.isatty() else 160).print(table(rows))
        print(summary(rows))
    for row in changed:
        print(f"maurey: {row.key} is {row.verdict}; the ledger has {stored[row.key]['verdict']}", file=sys.stderr)
    if len(rows) < len(chosen):
        print(f"maurey: interrupted after {len(rows)} of {len(chosen)} claims", file=sys.stderr)
        return 130
    return 1 if changed else 0


def table(rows: list[Row]) -> Table:
    from rich.table import Table

    made = Table("claim", "verdict", "evidence", "derived form", "instances", "tightness", "seconds", "note", box=None)
    for row in rows:
        verdict = f"{row.verdict} (edge)" if row.edge else row.verdict
        tightness = "" if row.tightness is None else f"{row.tightness:.3g}"
        cells = [row.key, verdict, row.evidence or "-", row.derived or "-", f"{row.instances:,}", tightness]
        made.add_row(*cells, f"{row.seconds:.1f}", escape(row.note + _trained(row)))
    return made


def _trained(row: Row) -> str:
    if not row.trained:
        return ""
    return f"; trained networks: {row.trained['instances']:,} instances, tightness {row.trained['tightness']:.3g}"


def summary(rows: list[Row]) -> str:
    holds, fails, undecided = (sum(row.verdict == v for row in rows) for v in ("holds", "fails", "undecided"))
    edges, silent = sum(row.edge for row in rows), sum(row.evidence is None for row in rows)
    return f"{len(rows)} claims: {holds} hold, {fails} fail ({edges} only at an edge), {undecided} undecided" + (
        f"; {silent} of those that hold have nothing to check" if silent else ""
    )


def in_order(found: list[Comparison], refuted: list[Erratum]) -> list[Erratum]:
    """Claim by claim, what is refuted before what is only not derived; edges last."""
    order = {claim.key: number for number, claim in enumerate(registry.all_claims())}
    edges = {entry.key for entry in refuted if entry.edge}  # one edge for each claim, the stronger
    derived = (entry for one in found for entry in one.errata if not (entry.edge and entry.key in edges))
    entries = [*refuted, *derived]
    return sorted(entries, key=lambda entry: (entry.edge, order[entry.key], entry.status != "refuted"))


def as_record(entry: Erratum) -> dict[str, object]:
    """An entry with its two formulas, if there are any (a definition may have none), and where the print is from."""
    claim = registry.find(entry.key)
    forms = claim.part(entry.part).forms if claim.parts else {}
    formulas = {f: latex_of(claim, f, part=entry.part) if f in forms else "" for f in ("printed", "derived")}
    return {**asdict(entry), **formulas, "source": claim.source}


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
