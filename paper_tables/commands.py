"""maurey tables, compare."""

from __future__ import annotations

import errno
import importlib.util
import json
import sys
import time
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maurey.numeric.commands import assignments, patience, shown
from maurey.symbolic.claim import InputError
from maurey.symbolic.commands import Json
from maurey.verify.commands import check_checkout

if TYPE_CHECKING:
    from maurey.numeric.compare import Comparison, Curve

ROWS = 9  # of the printed table
WIDTH = 100  # of its columns, beyond which curves are numbered
FIGURES = (".png", ".svg", ".pdf")


def register(app: typer.Typer) -> None:
    app.command("compare")(compare)
    app.command("tables")(tables)


def compare(
    words: Annotated[list[str] | None, typer.Argument(metavar="KEY[:PART]... NAME=VALUE...")] = None,
    over: Annotated[str, typer.Option("--over", help="What moves, and its range: T=16..1e6.")] = "",
    forms: Annotated[list[str] | None, typer.Option("--form", help="printed, derived, sharp or all.")] = None,
    points: Annotated[int, typer.Option("--points", help="Points of the range, 2 to 10000.")] = 200,
    plot: Annotated[str, typer.Option("--plot", help="The figure: FILE.png, .svg or .pdf.")] = "",
    as_json: Json = False,
) -> None:
    """Several claims against a parameter, with certified crossovers."""
    from maurey.numeric.compare import compare as compared

    words = words or []
    keys, given = [w for w in words if "=" not in w], assignments([w for w in words if "=" in w])
    drawable = importlib.util.find_spec("matplotlib") is not None
    file = Path(plot or "build/compare.png")
    if file.suffix.lower() not in FIGURES:
        raise InputError(f"--plot takes a file that ends in {', '.join(FIGURES)}, got {plot!r}")
    if plot and not drawable:
        raise InputError("figures need matplotlib: install maurey[tables]")
    with patience("writing the forms out") as report:
        found = compared(keys, _ends(over), given, forms or [], points, report)
        report("drawing")
        trouble = _plotted(found, file) if drawable else "figures need matplotlib: install maurey[tables]"
    if plot and trouble:
        raise InputError(trouble)
    notes = [*found.notes, f"no figure: {trouble}"] if trouble else found.notes
    if as_json:
        print(json.dumps(_record(found, notes, None if trouble else str(file)), indent=1))
    else:
        print("\n".join(_page(found, notes, "" if trouble else str(file))))


def _plotted(found: Comparison, file: Path) -> str:
    """Draws; says what stood in the way."""
    from . import plots

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


def _record(found: Comparison, notes: list[str], plot: str | None) -> dict[str, Any]:
    at = [shown(x) for x in found.at]
    return {
        "over": {"name": found.over, "from": at[0], "to": at[-1], "points": len(at)},
        "curves": [
            {"label": c.label, "key": c.key, "part": c.part, "form": c.form, "log10": c.log10} for c in found.curves
        ],
        "at": at,
        "winners": [{"from": shown(w.start), "to": shown(w.end), "label": w.label} for w in found.winners],
        "crossovers": [
            {"curves": list(c.curves), "at": [shown(x) for x in c.at], "below_before": c.below_before,
             "below_after": c.below_after, "certified": c.certified}
            for c in found.crossovers
        ],
        "notes": notes,
        "plot": plot,
    }  # fmt: skip


def _page(found: Comparison, notes: list[str], plot: str) -> list[str]:
    from maurey.numeric.grids import from_exact

    names = {c.label: c.label for c in found.curves}
    lines = []
    if sum(len(name) + 2 for name in names) > WIDTH:
        names = {label: f"[{n}]" for n, label in enumerate(names, 1)}
        lines += [f"{short:>5} {label}" for label, short in names.items()] + [""]
    logs = [from_exact(x).log for x in found.at]
    wanted = (logs[0] + (logs[-1] - logs[0]) * i / (ROWS - 1) for i in range(ROWS))
    rows = sorted({min(range(len(logs)), key=lambda i: abs(logs[i] - log)) for log in wanted})
    columns = [[found.over, *(_short(found.at[i]) for i in rows)]]
    columns += [[names[c.label], *(_value(c, i) for i in rows)] for c in found.curves]
    widths = [max(map(len, column)) for column in columns]
    lines += [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]
    lines += ["", "smallest"]
    lines += [f"  {names[w.label]} {_interval(found.over, w.start, w.end, 'from', 'to')}" for w in found.winners]
    lines += ["", "crossovers" if found.crossovers else "no crossovers"]
    for c in found.crossovers:
        where = _interval(found.over, *c.at, "between", "and")
        lines.append(
            f"  {names[c.below_after]} falls below {names[c.below_before]} {where}, "
            + ("certified" if c.certified else "undecided")
        )
    lines += ["", *(f"note: {note}" for note in notes)]
    return [*lines, plot] if plot else lines


def _interval(name: str, low: Fraction, high: Fraction, first: str, then: str) -> str:
    return f"at {name} = {_short(low)}" if low == high else f"{first} {name} = {_short(low)} {then} {_short(high)}"


def _short(x: Fraction) -> str:
    text: str = shown(x)
    return text if len(text) <= 20 else f"{Decimal(text):.12g}"


def _value(curve: Curve, i: int) -> str:
    """Four digits, of any size."""
    if not curve.values.sign[i]:
        return "0"
    log10, sign = float(curve.values.log10[i]), "-" if curve.values.sign[i] < 0 else ""
    if abs(log10) > 1e9:  # doubles have no digits left for the mantissa
        return f"{sign}10^{log10:.9g}"
    exponent, rest = divmod(log10, 1)
    mantissa = f"{10**rest:.3f}"
    if mantissa == "10.000":
        mantissa, exponent = "1.000", exponent + 1
    return f"{sign}{mantissa}e{int(exponent):+03d}"


def tables(
    exhibits: Annotated[list[str] | None, typer.Argument(metavar="EXHIBIT...", help="e.g. edelman2022/head")] = None,
    scale: Annotated[str, typer.Option("--scale", help="smoke, laptop or paper, for what is trained.")] = "",
    budget: Annotated[str, typer.Option("--budget", help="Train for this long: 45m, 2h.")] = "",
    workers: Annotated[int, typer.Option("--workers", help="Processes that train on this machine.")] = 0,
    scheduler: Annotated[str, typer.Option("--scheduler", help="The address of a Dask scheduler.")] = "",
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    protocol: Annotated[str, typer.Option("--protocol", help="fast (no dropout) or paper.")] = "",
    render: Annotated[bool, typer.Option("--render", help="Draw from results that are there; train nothing.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what is cached, what remains and how long.")] = False,
    commit: Annotated[bool, typer.Option("--commit", help="Replace the exhibit in the source tree.")] = False,
    as_json: Json = False,
) -> int:
    """Make the papers' tables and figures again, under build/tables/."""
    import sqlite3

    from . import exhibits as rooms
    from . import trained

    for module, extra in (("matplotlib", "tables"), ("torch", "train")):
        if importlib.util.find_spec(module) is None:
            raise InputError(f"exhibits need {module}: install maurey[{extra}]")
    scale = scale or (trained.COMMITTED if render or commit else "laptop")
    if scale not in trained.SCALES:
        raise InputError(f"no scale {scale!r}; there are {', '.join(trained.SCALES)}")
    if protocol not in ("", "fast", "paper"):
        raise InputError(f"no protocol {protocol!r}; there are fast, paper")
    if workers < 0 or (workers and scheduler):
        raise InputError("training runs on --workers N of this machine, or at a --scheduler, not both")
    if commit and scale != trained.COMMITTED:
        raise InputError(f"committed exhibits are those of scale {trained.COMMITTED}")
    chosen = [rooms.check(name) for name in exhibits or rooms.names()]
    limit = trained.seconds_of(budget) if budget else None
    if commit:
        check_checkout("exhibits")
    base = rooms.ROOT if commit else BUILT / scale
    if dry_run:
        return _forecast([name for name in chosen if trained.is_trained(name)], scale, protocol, as_json)
    try:
        return _make(chosen, base, scale, 0.0 if render else limit, workers, scheduler, device, protocol, as_json)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, OSError) and error.errno in IN_THE_WAY:
            raise InputError(f"cannot write under {base}: {error.strerror}") from None
        print(f"maurey: {error}; what was finished is kept", file=sys.stderr)
        return 1


BUILT = Path("build/tables")
IN_THE_WAY = (errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR)


def _forecast(names: list[str], scale: str, protocol: str, as_json: bool) -> int:
    from maurey.verify.training.engine.store import Store

    from . import trained

    file = BUILT / "results.sqlite"
    store = Store(file) if file.exists() else None
    found = [trained.forecast(name, scale, protocol, store) for name in names]
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=1))
        return 0
    for one in found:
        time = "not measured yet" if one.seconds is None else f"about {_time(one.seconds)}"
        print(f"{one.name}: {one.cached} trials cached, {one.remaining} to train, {time if one.remaining else 'done'}")
    known = [one.seconds for one in found if one.seconds is not None]
    more = "" if len(known) == len(found) else ", without what is not measured"
    print(f"scale {scale}: {sum(one.remaining for one in found)} trials to train, about {_time(sum(known))}{more}")
    return 0


def _time(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _make(
    names: list[str], base: Path, scale: str, limit: float | None, workers: int, scheduler: str, device: str,
    protocol: str, as_json: bool,
) -> int:  # fmt: skip
    from rich.console import Console
    from rich.progress import Progress

    from maurey.verify.training.engine.store import Store
    from maurey.verify.training.engine.sweep import Progress as Done
    from maurey.verify.training.engine.sweep import check_device, cluster

    from . import exhibits as rooms
    from . import trained

    if not scheduler and any(trained.is_trained(name) for name in names):
        check_device(device)
    base.mkdir(parents=True, exist_ok=True)
    written: dict[str, list[str]] = {}
    empty: list[str] = []
    lost, started = 0, time.perf_counter()
    with (
        cluster(workers, scheduler) as client,
        Progress(console=Console(stderr=True), transient=True) as bar,
    ):
        for name in names:
            task, begun = bar.add_task(name, total=None), time.perf_counter()

            def report(done: int, total: int, task=task) -> None:  # type: ignore[no-untyped-def]
                bar.update(task, completed=done, total=total)

            def told(now: Done, task=task, name=name) -> None:  # type: ignore[no-untyped-def]
                text = f"{name}: {now.done} done, {now.failed} failed, {now.left} left"
                total = now.done + now.failed + now.left
                bar.update(task, completed=now.done + now.failed + now.now, total=total, description=text)

            if trained.is_trained(name):
                left = None if limit is None else max(0.0, limit - (begun - started))
                with Store(BUILT / "results.sqlite") as store:
                    files, done = trained.make(name, scale, base / name, store, told, device, protocol, left, client)
                lost += done.failed
                empty += [] if files else [name]
            else:
                files = rooms.make(name, base / name, report)
            written[name] = [str(file) for file in files]
            bar.remove_task(task)
            if files:
                bar.console.print(f"{name}: {_time(time.perf_counter() - begun)}", highlight=False)
    for name in empty:
        text = f"no trial of {name} at scale {scale} is finished: give it more time, or another scale"
        if names == [name]:
            raise InputError(text)
        print(f"maurey: {text}", file=sys.stderr)
    if as_json:
        print(json.dumps(written, indent=1))
    else:
        print("\n".join(path for paths in written.values() for path in paths))
    if lost:
        print(f"maurey: {lost} trials were lost with their workers; what was finished is kept", file=sys.stderr)
    return 1 if lost else 0
