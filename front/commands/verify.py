"""maurey verify."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from maurey.symbolic import registry
from maurey.symbolic.claim import InputError

from .options import Json, check_checkout

if TYPE_CHECKING:
    from rich.table import Table

    from maurey.verify.matrix import Row

NEEDED = {"torch": "train", "z3": "verify", "hypothesis": "verify"}
COLUMNS = ("claim", "verdict", "evidence", "derived form", "instances", "tightness", "seconds", "note")


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


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
    from maurey.verify import checks

    for module, extra in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            raise InputError(f"verify needs {module}: install maurey[{extra}]")
    how_hard = checks.effort(effort)
    chosen = [registry.find(key).key for key in keys or [claim.key for claim in registry.all_claims()]]
    if commit:
        check_checkout("the ledger")
    from rich.console import Console
    from rich.progress import Progress

    from maurey.verify import ledger, matrix

    with Progress(console=Console(stderr=True), transient=True) as bar:
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
    from rich.markup import escape
    from rich.table import Table

    made = Table(*COLUMNS, box=None)
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
