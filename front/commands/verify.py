"""maurey verify."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .clock import Interrupted
from .options import Json, check_checkout, complete_key, say, screen

if TYPE_CHECKING:
    from maurey.verify.checks import Effort
    from maurey.verify.matrix import Found, Row

NEEDED = {"torch": "train", "z3": "verify", "hypothesis": "verify"}
COLUMNS = ("claim", "verdict", "evidence", "derived form", "instances", "tightness", "seconds", "note")
NARROW = 120  # below which notes stand on lines of their own
WIDTH = 160  # of the table where no terminal says its own


def register(app: typer.Typer) -> None:
    app.command("verify", epilog="$ maurey verify edelman2022/A.9")(verify)


def verify(
    keys: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY|PAPER", help="Claims or papers; all, if none is named.", autocompletion=complete_key
        ),
    ] = None,
    effort: Annotated[str, typer.Option("--effort", help="quick, normal or hard.")] = "quick",
    replay: Annotated[
        bool, typer.Option("--replay", help="Hold every field of the ledger against what is found again.")
    ] = False,
    commit: Annotated[
        bool, typer.Option("--commit", help="Keep what is found in the ledger of the source tree.")
    ] = False,
    as_json: Json = False,
) -> int:
    """How each claim is known to be true, or how it fails. With how tight it is, and how hard was tried."""
    from maurey.symbolic import registry
    from maurey.symbolic.claim import InputError
    from maurey.verify import checks

    for module, extra in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            raise InputError(f"verify needs {module}: install maurey[{extra}]")
    checks.effort(effort)
    chosen = registry.keys_of(keys or registry.paper_names())
    if commit:
        check_checkout("the ledger")
    from maurey.verify import ledger, matrix

    if commit:  # what shares a file of checks with a new one fell with it, and would be lost
        papers = {key.partition("/")[0] for key in chosen}
        beside = [claim.key for paper in sorted(papers) for claim in registry.claims_of(paper).values()]
        chosen += [key for key in beside if key not in {*chosen, *ledger.verdicts(beside)}]
    stored = ledger.verdicts(chosen)
    efforts = {key: ledger.effort_of(key, effort) if replay else effort for key in chosen}
    found: dict[str, tuple[Found, Effort]] = {}
    for level in dict.fromkeys(efforts.values()):
        how_hard = checks.effort(level)
        own = [key for key in chosen if efforts[key] == level]
        found |= {one.row.key: (one, how_hard) for one in _with_progress(own, how_hard, afresh=commit or replay)}
    rows = [found[key][0].row for key in chosen if key in found]
    entries = {key: matrix.entry(*one) for key, one in found.items()} if commit or replay else {}
    differing = list(ledger.differences(entries)) if replay else _changed(rows, stored)
    if commit:
        ledger.keep(entries)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        say(*table(rows), summary(rows))
    new = [key for key in chosen if key not in stored]
    if new and not (commit or replay):
        were = (
            f"{', '.join(new[:3])}{f' and {len(new) - 3} more' if new[3:] else ''} {'was' if len(new) == 1 else 'were'}"
        )
        print(f"maurey: {were} to be verified again; --commit keeps what was found", file=sys.stderr)
    for line in differing:
        print(f"maurey: {line}", file=sys.stderr)
    if len(rows) < len(chosen):
        kept = "kept in the ledger" if commit else "kept nowhere, for want of --commit"
        raise Interrupted(f"{len(rows)} of {len(chosen)} claims were verified, which is {kept}")
    if replay:
        print(f"maurey: {len(rows)} entries of the ledger replayed, {len(differing)} differences", file=sys.stderr)
    return 1 if differing and not commit else 0


def _changed(rows: list[Row], stored: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Where the ledger says otherwise, or does not say that it is undecided."""
    lines = []
    for row in rows:
        known = stored.get(row.key)
        if known and known["verdict"] != row.verdict:
            lines.append(f"{row.key} is {row.verdict}; the ledger has {known['verdict']}")
        elif not known and row.verdict == "undecided":
            lines.append(f"{row.key} is undecided, and the ledger says nothing of it as it is")
    return lines


def _with_progress(chosen: list[str], how_hard: Effort, afresh: bool) -> list[Found]:
    from maurey.verify import matrix

    workers = min(os.cpu_count() or 1, len(chosen))
    if not sys.stderr.isatty():
        return matrix.verify(chosen, how_hard, workers, lambda row: None, afresh)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"verifying, {how_hard.name}", total=len(chosen))

        def report(row: Row) -> None:
            bar.update(task, advance=1, description=f"{row.key} {row.verdict}")

        return matrix.verify(chosen, how_hard, workers, report, afresh)


def table(rows: list[Row]) -> list[str]:
    from maurey.pages.columns import columns, fitted

    lines: list[tuple[str, ...]] = [COLUMNS]
    for row in rows:
        verdict = f"{row.verdict}*" if row.where else row.verdict
        tightness = "" if row.tightness is None else f"{row.tightness:.3g}"
        cells = (row.key, verdict, row.evidence or "-", row.derived or "-", f"{row.instances:,}", tightness)
        lines.append((*cells, f"{row.seconds:.1f}", _note(row) + _trained(row)))
    width = screen(WIDTH)
    if width >= NARROW:
        return columns(lines, len(COLUMNS) - 1, width, textwrap.wrap)
    head, *told = columns([(*line[:3], *line[4:7]) for line in lines], 0, width, lambda key, _: [key])
    return [
        head,
        *(text for row, line in zip(told, lines[1:], strict=True) for text in (row, *fitted(f"    {line[-1]}", width))),
    ]


def _note(row: Row) -> str:
    """What decided it; the rest is in the record, and on the claim's own page."""
    return f"where {row.where}: {row.notes[0]}" if row.where else row.notes[0]


def _trained(row: Row) -> str:
    if not row.trained:
        return ""
    return f"; trained networks: {row.trained['instances']:,} instances, tightness {row.trained['tightness']:.3g}"


def summary(rows: list[Row]) -> str:
    holds, fails, undecided = (sum(row.verdict == v for row in rows) for v in ("holds", "fails", "undecided"))
    cut, silent = sum(bool(row.where) for row in rows), sum(_silent(row) for row in rows)
    told = f"{len(rows)} claim{'s' * (len(rows) != 1)}: {holds - silent} hold, {fails} fail, {undecided} undecided"
    told += f"; {cut} of those that hold (*) do so under a condition that is not printed" if cut else ""
    return told + (f"; {silent} have nothing to check" if silent else "")


def _silent(row: Row) -> bool:
    """There is nothing to check: that counts as nothing."""
    return row.verdict == "holds" and row.evidence is None
