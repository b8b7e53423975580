"""maurey bound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maurey.symbolic.errors import InputError, cut

from .clock import Seconds
from .options import Json, patience, screen

if TYPE_CHECKING:
    from fractions import Fraction

    from maurey.symbolic.architecture import Architecture

MOST_BYTES = 10**7
LONG = 60.0  # seconds of processor time


def register(app: typer.Typer) -> None:
    app.command("bound")(bound)


def bound(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An architecture: tables [model], [norms], [loss].")],
    samples: Annotated[int, typer.Option("--samples", help="Number of samples, for the gap there.")] = 0,
    delta: Annotated[str, typer.Option("--delta", help="Probability of failure, of all routes together.")] = "1/20",
    loss: Annotated[str, typer.Option("--loss", help="0-1, ramp:MARGIN or cross-entropy:CAP.")] = "",
    frozen: Annotated[
        list[str] | None, typer.Option("--frozen", help="Matrices that are not trained, e.g. E or 'N*'; repeatable.")
    ] = None,
    seconds: Seconds = LONG,
    as_json: Json = False,
) -> int:
    """Every bound that applies to an architecture, with what it rests on and where it comes from."""
    from maurey.numeric.report import report
    from maurey.pages.bound import page, record

    if samples < 0:
        raise InputError(f"--samples takes a positive integer, got {samples}")
    read = architecture(file, loss)
    with patience("deriving") as tell:
        found = report(read, samples or None, _probability(delta), tuple(frozen or ()), tell=tell)
    if as_json:
        print(json.dumps(record(found, provenance(file)), indent=1))
    else:
        print(page(found, screen()))
    return 0 if found.speaks or not samples else 1


def architecture(file: str, loss: str = "") -> Architecture:
    """What a file says, with another loss if one is named."""
    from dataclasses import replace

    from maurey.symbolic.model_tables import read

    found = read(tables(file))
    return replace(found, loss=named_loss(loss)) if loss else found


def tables(file: str) -> dict[str, Any]:
    """The tables of a TOML file; numbers stay as they are written."""
    import tomllib

    try:
        path = Path(file)
        if path.is_dir():
            raise InputError(f"{cut(file)} is a folder; bound takes the file of an architecture, e.g. model.toml")
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{cut(file)} has more than {MOST_BYTES} bytes; an architecture has some hundred")
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=_number)
    except OSError as error:
        raise InputError(f"cannot read {cut(file)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{cut(file)} is no text in UTF-8") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{cut(file)} is not TOML: {error}") from None


def _number(text: str) -> Fraction | float:
    """As it is written; what is no number (inf, nan) is refused where its name is known."""
    from fractions import Fraction

    try:
        return Fraction(text.replace("_", ""))
    except (ValueError, OverflowError):
        return float(text)


def named_loss(text: str) -> Any:
    from fractions import Fraction

    from maurey.numeric.binding import exact
    from maurey.symbolic.model_tables import read_loss

    kind, _, value = text.partition(":")
    name = {"ramp": "margin", "cross-entropy": "cap"}.get(kind)
    if not value:
        return read_loss({"kind": kind})
    if name is None:
        read_loss({"kind": kind})
        raise InputError(f"--loss {kind} takes no number, got {cut(repr(text))}")
    try:
        return read_loss({"kind": kind, name: Fraction(exact(value))})
    except (ValueError, ZeroDivisionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"--loss {kind}:{name.upper()} takes a positive number, got {cut(repr(value))}") from None


def _probability(text: str) -> Fraction:
    from maurey.numeric.binding import read_exact
    from maurey.symbolic.claim import Parameter

    found = read_exact(Parameter("delta", "", "", "in (0, 1)"), text)
    assert not isinstance(found, list)
    return found


def provenance(file: str) -> dict[str, Any]:
    import hashlib
    from importlib.metadata import version

    return {"maurey": version("maurey"), "file": file, "sha256": hashlib.sha256(Path(file).read_bytes()).hexdigest()}
