"""maurey errata."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from maurey.pages.columns import fitted

from .options import Json, complete_key, patience, screen

WIDTH = 120  # of lines that go into a file


def register(app: typer.Typer) -> None:
    app.command("errata", epilog="$ maurey errata edelman2022/4.5")(errata)


def errata(
    which: Annotated[
        str,
        typer.Argument(
            metavar="KEY|PAPER", help="One claim or one paper; all, if none is named.", autocompletion=complete_key
        ),
    ] = "",
    causes: Annotated[bool, typer.Option("--causes", help="The findings alone, without their entries.")] = False,
    as_json: Json = False,
) -> None:
    """Where a printed form fails, why and how gravely, with witnesses."""
    from maurey.pages.errata import by_cause, records, report
    from maurey.symbolic import registry
    from maurey.verify import ledger

    keys = registry.keys_of([which]) if which else None
    with patience("comparing") as tell:
        found = ledger.comparisons(lambda done, total: tell(f"comparing: {done} of {total} claims"), keys=keys)
    rows = records(found, keys, typeset=as_json)
    if as_json:
        print(json.dumps(by_cause(rows) if causes else rows, indent=1))
    else:
        detailed, verdicts = "/" in which and not causes, ledger.verdicts(keys)
        unknown = [key for key in keys or [claim.key for claim in registry.all_claims()] if key not in verdicts]
        print("\n".join(line for text in report(rows, detailed, unknown) for line in fitted(text, screen(WIDTH), "  ")))
