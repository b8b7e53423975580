"""The `maurey` command, put together from `maurey.commands`. Only a command that needs SymPy loads it."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from maurey.symbolic.errors import InputError

from .commands import book, bound, certify, claims, clock, compare, errata, numbers, tables, verify

if "_MAUREY_COMPLETE" in os.environ:
    # a shell completes words and uses no values; typer would load pydantic to convert them, and leaves out what fails
    sys.modules.setdefault("pydantic", None)  # type: ignore[arg-type]

INTERRUPTED = 130  # what shells expect after SIGINT, and the code of nothing else

app = typer.Typer(
    help="Generalization bounds for Transformers: printed, re-derived, evaluated to certified digits.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for commands in (claims, numbers, bound, errata, verify, compare, certify, tables, book):
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
    """Exit 0 on success, 1 when a check fails or time is up, 2 on bad input with one line that says what would be
    right, 130 when the user interrupts."""
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    for stream in (sys.stdout, sys.stderr):  # what a terminal cannot show is written in ASCII
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            code = app(standalone_mode=False) or 0
            sys.stdout.flush()
        finally:
            clock.stop()  # in here, for it may ring once more before
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except BrokenPipeError:  # who read has gone
        sys.exit(_unread())
    except clock.OutOfTime as up:
        clock.stop()
        _say(str(up) or clock.out_of_time())
        sys.exit(1)
    except MemoryError:
        _say("not enough memory")
        sys.exit(1)
    except InputError as error:
        _say(str(error))
        sys.exit(2)
    except ArithmeticError as error:
        from maurey.numeric.walk import Undecided, Undefined

        if not isinstance(error, (Undecided, Undefined)):
            raise
        _say(str(error))
        sys.exit(2 if isinstance(error, Undefined) else 1)
    except (KeyboardInterrupt, clock.Interrupted, typer.Abort) as error:
        if isinstance(error.__cause__, EOFError):
            raise
        clock.stop()
        _say(f"interrupted; {error if isinstance(error, clock.Interrupted) else clock.NOTHING}")
        sys.exit(INTERRUPTED)
    except Exception as error:
        # usage errors of the command line know how to say themselves; anything else is a defect and keeps its trace
        if not hasattr(error, "format_message"):
            raise
        _say(error.format_message() or "see `maurey --help`")
        sys.exit(2)


def program() -> None:
    """What a shell starts."""
    clock.as_program()
    main()


def _unread() -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _say(line: str) -> None:
    """In one line, of characters that can be seen."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(line.split()))
    print(f"maurey: {shown}", file=sys.stderr)


if __name__ == "__main__":
    program()
