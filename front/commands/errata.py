"""maurey errata."""

from __future__ import annotations

import json

import typer

from .options import Json, patience


def register(app: typer.Typer) -> None:
    app.command("errata")(errata)


def errata(as_json: Json = False) -> None:
    """Where a printed form fails, with witnesses."""
    from maurey.pages.errata import records, report
    from maurey.verify import ledger

    with patience("comparing") as tell:
        found = ledger.comparisons(lambda done, total: tell(f"comparing: {done} of {total} claims"))
    print(json.dumps(records(found), indent=1) if as_json else "\n".join(report(found)))
