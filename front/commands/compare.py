"""maurey compare."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maurey.symbolic.errors import InputError
from maurey.symbolic.kinds import FORMS, KINDS

from .clock import SECONDS, Seconds
from .options import Json, assignments, patience, say

if TYPE_CHECKING:
    from maurey.numeric.compare import Comparison
    from maurey.symbolic.claim import Claim

FIGURES = (".png", ".svg", ".pdf")


def register(app: typer.Typer) -> None:
    app.command("compare", epilog="$ maurey compare edelman2022/A.10 --over N=10..1e6 eps=0.1 B_w=1 B_X=1")(compare)


def compare(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="KEY[:PART]|NAME=VALUE", help="Claims, or parts of them, and numbers.")
    ] = None,
    over: Annotated[str, typer.Option("--over", help="What moves, and its range: T=16..1e6.")] = "",
    forms: Annotated[list[str] | None, typer.Option("--form", help=f"{', '.join(FORMS)} or all.")] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="Also all claims of a kind whose symbols are given, e.g. generalization; "
            "`maurey list --help` has the kinds.",
        ),
    ] = "",
    points: Annotated[int, typer.Option("--points", help="Points of the range, 2 to 10000.")] = 200,
    plot: Annotated[str, typer.Option("--plot", help="The figure: FILE.png, .svg or .pdf.")] = "",
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Several claims against a parameter, with certified crossovers.

    The figure goes to build/compare.png, or to FILE.
    """
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
        of_kind, without = _of_kind(kind, given | {ends[0]: ends[1]})
        keys += [key for key in of_kind if key not in keys]
        given = _taken(keys, given, without)
        found = compared(keys, ends, given, forms or [], points, report=report, ranked=form_stands)
        report("drawing")
        trouble = _plotted(found, file) if drawable else "figures need matplotlib: install maurey[tables]"
    if plot and trouble:
        raise InputError(trouble)
    notes = [*found.notes, *(f"without {key}: {lack}" for key, lack in without.items())]
    notes += [f"no figure: {trouble}"] if trouble else []
    if as_json:
        print(json.dumps(record(found, notes, None if trouble else str(file)), indent=1))
    else:
        say(*page(found, notes, "" if trouble else str(file)))


def _of_kind(kind: str, given: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Claims of the kind that can be evaluated with what is given; and what others lack that take more of it."""
    if not kind:
        return [], {}
    from maurey.numeric.binding import bind
    from maurey.symbolic import registry

    if kind not in KINDS:
        raise InputError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    found, taken, without = list[str](), set[str](), dict[str, tuple[set[str], str]]()
    for claim in registry.all_claims():
        part = _part_of(claim, kind)
        if part is None:
            continue
        own = {p.name for p in claim.names} & given.keys()
        try:
            bind(claim, "", part, {name: given[name] for name in own})
            found.append(f"{claim.key}:{part}" if part else claim.key)
            taken |= own
        except InputError as error:
            without[claim.key] = own, str(error)
    if not found:
        lacks = {key: _lacking(key, given) for key in without}
        key = min(lacks, key=lacks.__getitem__, default="")
        nearest = f"; the nearest is {key}: {without[key][1]}" if key else ""
        raise InputError(f"no claim of kind {kind} can be evaluated with {', '.join(given)} alone{nearest}")
    return found, {key: error for key, (own, error) in without.items() if own - taken}


def _part_of(claim: Claim, kind: str) -> str | None:
    """The part that is of the kind: a covering bound may end in a gap. "" is the first, None is none."""
    if claim.kind == kind:
        return "" if claim.parts else None
    gaps = [p for p in claim.parts if p.name == "gap" and not p.below]
    return "gap" if gaps and kind == "generalization" else None


def _lacking(key: str, given: dict[str, str]) -> int:
    from maurey.symbolic import registry

    return sum(not p.optional and p.name not in given for p in registry.find(key).symbols)


def _taken(keys: list[str], given: dict[str, str], without: dict[str, str]) -> dict[str, str]:
    """Without what only claims take that are left out."""
    from maurey.symbolic import registry

    names = {p.name for key in keys for p in registry.find(key.partition(":")[0]).names}
    others = {p.name for key in without for p in registry.find(key).names}
    return {name: value for name, value in given.items() if name in names or name not in others}


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
