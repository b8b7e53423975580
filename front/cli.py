"""The `maurey` command, put together from `maurey.commands`."""

from __future__ import annotations

import sys

import typer

from maurey.numeric.walk import Undecided, Undefined
from maurey.symbolic.claim import InputError

from .commands import claims, compare, errata, numbers, tables, verify

app = typer.Typer(
    help="Generalization bounds for Transformers: printed, re-derived, evaluated to certified digits.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for commands in (claims, numbers, errata, verify, compare, tables):
    commands.register(app)


def main() -> None:
    """Exit 0 on success, 1 when a check fails, 2 on bad input with one line that says what would be right."""
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except (InputError, Undefined) as error:
        _say(str(error))
        sys.exit(2)
    except Undecided as error:
        _say(str(error))
        sys.exit(1)
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
