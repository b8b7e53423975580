"""maurey bound."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
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
LONG = 600.0  # seconds of processor time: a model may be large


def register(app: typer.Typer) -> None:
    app.command("bound", epilog="$ maurey bound model.toml --samples 100000 --loss ramp:1")(bound)


def bound(
    file: Annotated[
        str, typer.Argument(metavar="FILE|DIR", help="An architecture, or a folder with config.json and safetensors.")
    ],
    samples: Annotated[int, typer.Option("--samples", help="Number of samples, for the gap there.")] = 0,
    delta: Annotated[str, typer.Option("--delta", help="Probability of failure, of all routes together.")] = "1/20",
    loss: Annotated[str, typer.Option("--loss", help="0-1, ramp:MARGIN or cross-entropy:CAP.")] = "",
    head: Annotated[int, typer.Option("--head", help="Classes of a head, where a checkpoint has none.")] = 0,
    frozen: Annotated[
        list[str] | None, typer.Option("--frozen", help="What is not trained, e.g. E, or 'encoder.*'; repeatable.")
    ] = None,
    bits: Annotated[int, typer.Option("--bits", help="Also the model with its numbers rounded to so many bits.")] = 0,
    base: Annotated[str, typer.Option("--base", help="The folder of the weights before training.")] = "",
    sigma: Annotated[str, typer.Option("--sigma", help="PAC-Bayes: the noise of drawn networks.")] = "",
    losses: Annotated[str, typer.Option("--losses", help="PAC-Bayes: a file with their losses.")] = "",
    data: Annotated[
        str, typer.Option("--data", help="Words' numbers, a sequence on a line: derivatives are measured there.")
    ] = "",
    html: Annotated[str, typer.Option("--html", help="Write the report to FILE, one page that needs no network.")] = "",
    seconds: Seconds = LONG,
    as_json: Json = False,
) -> int:
    """Every bound that applies to an architecture or a checkpoint, with what it rests on and where it comes from."""
    if samples < 0:
        raise InputError(f"--samples takes a positive integer, got {samples}")
    of_models = {"--head": head, "--bits": bits, "--base": base, "--sigma": sigma, "--losses": losses, "--data": data}
    if html:
        check_html(html)
    with patience("reading") as tell:
        if os.path.isdir(file) or "weights" in tables(file):
            shown = of_model(file, samples, delta, loss, tuple(frozen or ()), given=of_models, tell=tell)
        else:
            given = next((name for name, value in of_models.items() if value), "")
            if given:
                raise InputError(f"{given} is for checkpoints; {cut(file)} describes an architecture without weights")
            shown = of_architecture(file, samples, delta, loss, tuple(frozen or ()), tell)
        if html:
            tell("writing the page")
            write_html(html, shown)
    print(json.dumps(shown.record, indent=1) if as_json else shown.page(screen()))
    return 0 if shown.found.speaks or not samples else 1


@dataclass(frozen=True)
class Shown:
    """A report, as a record and as a page."""

    found: Any
    record: dict[str, Any]
    page: Callable[[int], str]


def of_architecture(
    file: str, samples: int, delta: str, loss: str, frozen: tuple[str, ...], tell: Callable[[str], None]
) -> Shown:
    from maurey.numeric.report import report
    from maurey.pages import bound as pages

    found = report(architecture(file, loss), samples or None, _probability(delta), frozen, tell=tell)
    return Shown(found, pages.record(found, provenance(file)), lambda width: pages.page(found, width))


def of_model(
    file: str, samples: int, delta: str, loss: str, frozen: tuple[str, ...], given: dict[str, Any],
    tell: Callable[[str], None],
) -> Shown:  # fmt: skip
    from maurey.pages import model as pages
    from maurey.verify.models.report import Options, report

    opened = of_paths(Path(file), given["--head"])
    assert opened is not None
    options = Options(
        samples=samples or None,
        delta=_probability(delta),
        loss=named_loss(loss) if loss else opened.loss,
        frozen=frozen,
        bits=given["--bits"],
        base=Path(given["--base"]) if given["--base"] else None,
        sigma=given["--sigma"],
        losses=Path(given["--losses"]) if given["--losses"] else None,
        data=words(given["--data"], opened) if given["--data"] else (),
    )
    found = report(opened, options, tell)
    return Shown(found, pages.record(found, provenance(file)), lambda width: pages.page(found, width))


def of_paths(path: Path, head: int) -> Any:
    """A folder, or a file that describes a state dict; none for a file that describes an architecture alone."""
    described = None if path.is_dir() else tables(str(path))
    if described is not None and "weights" not in described:
        return None
    from maurey.verify.models import model as models

    if isinstance(head, bool) or not isinstance(head, int) or head < 0:
        raise InputError(f"--head takes a positive integer, got {cut(repr(head))}")
    if described is None:
        return models.of_folder(path, head)
    if head:
        raise InputError("--head is for folders: a file says outputs in [model]")
    return models.of_tables(described, path)


def words(file: str, opened: Any) -> Any:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise InputError("--data runs the model, for which torch is needed: install maurey[models]")
    from maurey.verify.models.derivatives import read_words

    return read_words(Path(file), opened.architecture)


def check_html(file: str) -> None:
    from importlib.util import find_spec

    if Path(file).suffix.lower() not in (".html", ".htm") or "\0" in file:
        raise InputError(f"--html takes a file that ends in .html, got {cut(repr(file))}")
    if find_spec("latex2mathml") is None:
        raise InputError("--html writes formulas with latex2mathml: install maurey[models]")


def write_html(file: str, shown: Shown) -> None:
    from maurey.pages.html import page
    from maurey.verify.files import replace

    try:
        replace(Path(file), page(shown.found, shown.record))
    except OSError as error:
        raise InputError(f"cannot write {cut(file)}: {error.strerror}") from None


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
        if not file or path.is_dir():
            raise InputError(f"{cut(repr(file))} is no file; bound takes that of an architecture, e.g. model.toml")
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{cut(file)} has more than {MOST_BYTES} bytes; an architecture has some hundred")
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=_number)
    except OSError as error:
        raise InputError(f"cannot read {cut(file)}: {error.strerror}") from None
    except RecursionError:
        raise InputError(f"{cut(file)} is nested too deeply for an architecture") from None
    except UnicodeDecodeError:
        raise InputError(f"{cut(file)} is no text in UTF-8") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{cut(file)} is not TOML: {error}") from None


def _number(text: str) -> Fraction | str:
    """As it is written; what is none (inf, nan), or has an exponent beyond 999, is refused where its name is known."""
    from maurey.numeric.binding import exact

    try:
        return exact(text.replace("_", ""))
    except ValueError:
        return text


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

    found = {"maurey": version("maurey"), "file": file}
    if Path(file).is_dir():
        files = sorted(p for p in Path(file).glob("*") if p.suffix in (".json", ".safetensors"))
        return found | {"sizes": {path.name: path.stat().st_size for path in files}}
    return found | {"sha256": hashlib.sha256(Path(file).read_bytes()).hexdigest()}
