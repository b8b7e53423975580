"""maurey compare."""

from __future__ import annotations

import importlib.util
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maurey.symbolic.errors import InputError

from .clock import SECONDS, Seconds
from .options import Json, assignments, patience

if TYPE_CHECKING:
    from maurey.numeric.compare import Comparison

FIGURES = (".png", ".svg", ".pdf")


def register(app: typer.Typer) -> None:
    app.command("compare")(compare)


def compare(
    words: Annotated[list[str] | None, typer.Argument(metavar="KEY[:PART]... NAME=VALUE...")] = None,
    over: Annotated[str, typer.Option("--over", help="What moves, and its range: T=16..1e6.")] = "",
    forms: Annotated[list[str] | None, typer.Option("--form", help="printed, derived, sharp or all.")] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="Also all claims of a kind whose symbols are given, e.g. generalization.")
    ] = "",
    points: Annotated[int, typer.Option("--points", help="Points of the range, 2 to 10000.")] = 200,
    plot: Annotated[str, typer.Option("--plot", help="The figure: FILE.png, .svg or .pdf.")] = "",
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Several claims against a parameter, with certified crossovers."""
    words = words or []
    keys, given = [w for w in words if "=" not in w], assignments([w for w in words if "=" in w])
    drawable = importlib.util.find_spec("matplotlib") is not None
    file = Path(plot or "build/compare.png")
    if file.suffix.lower() not in FIGURES or "\0" in plot:
        raise InputError(f"--plot takes a file that ends in {', '.join(FIGURES)}, got {plot!r}")
    if plot and not drawable:
        raise InputError("figures need matplotlib: install maurey[tables]")
    ends = _ends(over)
    from maurey.numeric.compare import compare as compared
    from maurey.pages.comparison import page, record
    from maurey.verify.evidence import form_stands

    with patience("writing the forms out") as report:
        keys += [key for key in _of_kind(kind, given | {ends[0]: ends[1]}) if key not in keys]
        found = compared(keys, ends, given, forms or [], points, report=report, ranked=form_stands)
        report("drawing")
        trouble = _plotted(found, file) if drawable else "figures need matplotlib: install maurey[tables]"
    if plot and trouble:
        raise InputError(trouble)
    notes = [*found.notes, f"no figure: {trouble}"] if trouble else found.notes
    if as_json:
        print(json.dumps(record(found, notes, None if trouble else str(file)), indent=1))
    else:
        print("\n".join(page(found, notes, "" if trouble else str(file))))


def _of_kind(kind: str, given: dict[str, str]) -> list[str]:
    """Claims of the kind that can be evaluated with what is given."""
    if not kind:
        return []
    from maurey.numeric.binding import bind
    from maurey.symbolic import registry
    from maurey.symbolic.claim import KINDS

    if kind not in KINDS:
        raise InputError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    found = []
    for claim in (claim for claim in registry.all_claims() if claim.kind == kind and claim.parts):
        with suppress(InputError):
            bind(claim, "", "", {name: value for name, value in given.items() if name in {p.name for p in claim.names}})
            found.append(claim.key)
    if not found:
        raise InputError(f"no claim of kind {kind} can be evaluated with {', '.join(given)} alone")
    return found


def _plotted(found: Comparison, file: Path) -> str:
    """Draws; says what stood in the way."""
    from maurey.paper_tables import plots

    try:
        plots.save(found, file)
    except OSError as error:
        return f"cannot write {file}: {error.strerror}"
    return ""


def _ends(over: str) -> tuple[str, str, str]:
    name, equals, ends = over.partition("=")
    low, dots, high = ends.partition("..")
    if not (name and equals and dots):
        raise InputError(f"--over takes a parameter and its range, e.g. --over T=16..1e6, got {over!r}")
    return name, low, high
