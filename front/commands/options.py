"""What the commands share: arguments and options, and a line while the work takes long."""

from __future__ import annotations

import os
import pkgutil
import re
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread, main_thread
from typing import Annotated

import typer

from maurey import symbolic
from maurey.pages.columns import fitted
from maurey.symbolic.errors import InputError
from maurey.symbolic.kinds import FORMS

from . import clock

PATIENCE = 2.0  # seconds without a sign of life

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def paper_names() -> list[str]:
    """Without the papers themselves, which take SymPy."""
    return sorted(one.name for one in pkgutil.iter_modules([str(Path(symbolic.__path__[0]) / "papers")]))


def complete_key(start: str) -> list[str]:
    """Keys that begin so, from the ledger as it lies: a shell that waits has no time for SymPy."""
    from maurey import verify

    path = Path(str(verify.__file__)).with_name("ledger.json")
    keys = re.findall(r'^   "key": "([^"]+)"', path.read_text(errors="replace"), re.M) if path.exists() else []
    return sorted(key for key in keys if key.startswith(start))


FormOption = Annotated[str, typer.Option("--form", help=f"{', '.join(FORMS[:-1])} or {FORMS[-1]}.")]
Layers = Annotated[int, typer.Option("--layers", help="Write lists per layer and per head out for this many.")]
KeyPart = Annotated[
    str,
    typer.Argument(
        metavar="KEY[:PART]",
        help="A claim, or one part of it, e.g. edelman2022/A.8:minimum.",
        autocompletion=complete_key,
    ),
]
Values = Annotated[list[str] | None, typer.Argument(metavar="NAME=VALUE", help="Numbers, e.g. eps=1/10 T=1000.")]


def check_form(form: str) -> str:
    if form and form not in FORMS:
        raise InputError(f"no form {form!r}; there are {', '.join(FORMS)}")
    return form


def assignments(words: list[str]) -> dict[str, str]:
    """NAME=VALUE words as a dictionary; the values are checked where the claim's domains are known."""
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(f"parameters are given as NAME=VALUE, got {word!r}")
        if name in values:
            raise InputError(f"{name} is given twice")
        values[name] = value
    return values


@contextmanager
def patience(text: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr while the work takes longer than that; gives the function that changes its text."""
    latest, done = deque([text], maxlen=1), Event()
    clock.reached(text)

    def tell(now: str) -> None:
        latest.append(now)
        clock.reached(now)

    def show() -> None:
        if done.wait(PATIENCE):
            return
        from rich.console import Console

        with Console(stderr=True).status(text) as line:
            while not done.wait(0.1) and main_thread().is_alive():  # who was interrupted may not have said so
                line.update(latest[0])

    thread = Thread(target=show)
    thread.start()
    try:
        yield tell
    finally:
        done.set()
        thread.join()


def check_checkout(what: str) -> None:
    """--commit writes into the source tree, which an installed copy does not have."""
    if not (Path(__file__).parents[2] / "pyproject.toml").exists():
        raise InputError(f"--commit replaces {what} in a checkout; this is an installed copy")


def screen(piped: int = 100) -> int:
    """Columns of the terminal, or as many as are said to fit."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else piped


def say(*lines: str) -> None:
    """As they are; on a terminal none is wider than it, where there are blanks."""
    width = screen(sys.maxsize)
    for line in lines:
        print("\n".join(fitted(line, width, "    ")) if len(line) > width else line)


COLOURS = {"holds": 32, "fails": 31, "undecided": 33}  # of ANSI: green, red, yellow


def tinted(text: str) -> str:
    """The first verdict in it, in its colour; in none where it goes into a file, or nobody wants any."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return re.sub(r"\b(holds|fails|undecided)\b", lambda m: f"\x1b[{COLOURS[m[0]]}m{m[0]}\x1b[0m", text, count=1)
