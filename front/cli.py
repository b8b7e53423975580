"""The `maurey` command, put together from `maurey.commands`. Only a command that needs SymPy loads it."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from maurey.symbolic.errors import InputError

from .commands import claims, compare, errata, numbers, tables, verify

if "_MAUREY_COMPLETE" in os.environ:
    # a shell completes words and uses no values; typer would load pydantic to convert them, and leaves out what fails
    sys.modules.setdefault("pydantic", None)  # type: ignore[arg-type]

app = typer.Typer(
    help="Generalization bounds for Transformers: printed, re-derived, evaluated to certified digits.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for commands in (claims, numbers, errata, verify, compare, tables):
    commands.register(app)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"maurey {version('maurey')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Generalization bounds for Transformers: printed, re-derived, evaluated to certified digits."""


def main() -> None:
    """Exit 0 on success, 1 when a check fails, 2 on bad input with one line that says what would be right."""
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except InputError as error:
        _say(str(error))
        sys.exit(2)
    except ArithmeticError as error:
        from maurey.numeric.walk import Undecided, Undefined

        if not isinstance(error, (Undecided, Undefined)):
            raise
        _say(str(error))
        sys.exit(2 if isinstance(error, Undefined) else 1)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted")
        sys.exit(130)
    except Exception as error:
        # usage errors of the command line know how to say themselves; anything else is a defect and keeps its trace
        if not hasattr(error, "format_message"):
            raise
        _say(error.format_message() or "see `maurey --help`")
        sys.exit(2)


def _say(line: str) -> None:
    print(f"maurey: {' '.join(line.split())}", file=sys.stderr)


if __name__ == "__main__":
    main()
