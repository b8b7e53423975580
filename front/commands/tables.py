"""maurey tables."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, TextIO

import typer

from maurey.paper_tables.folders import names as exhibit_names
from maurey.symbolic.errors import InputError

from .clock import NOTHING, Interrupted
from .options import Json, check_checkout, say

BUILT = Path("build/tables")
MINUTE = 60.0  # between lines, where no terminal shows a bar
Making = Callable[..., list[Path]]  # of an exhibit that is computed: its name and folder, and who is told
IN_THE_WAY = (errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR)


def register(app: typer.Typer) -> None:
    app.command("tables", epilog="$ maurey tables edelman2022/parity --scale smoke")(tables)


def tables(
    exhibits: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXHIBIT", help=f"{', '.join(exhibit_names())}; all, if none is named."),
    ] = None,
    scale: Annotated[str, typer.Option("--scale", help="smoke, laptop or paper, for what is trained.")] = "",
    budget: Annotated[str, typer.Option("--budget", help="Train for this long: 45m, 2h.")] = "",
    workers: Annotated[int, typer.Option("--workers", help="Processes that train on this machine.")] = 0,
    scheduler: Annotated[str, typer.Option("--scheduler", help="The address of a Dask scheduler.")] = "",
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    protocol: Annotated[str, typer.Option("--protocol", help="fast (no dropout) or paper.")] = "",
    render: Annotated[
        bool, typer.Option("--render", help="Draw from what is there: compute and train nothing.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what is cached, what remains and how long.")] = False,
    commit: Annotated[bool, typer.Option("--commit", help="Replace the exhibit in the source tree.")] = False,
    index: Annotated[
        bool, typer.Option("--list", help="Every table and figure of the papers, and what is made of it.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Make the papers' tables and figures again, under build/tables/."""
    if index:
        return _index(commit, as_json)
    import sqlite3

    from maurey.paper_tables import exhibits as rooms
    from maurey.paper_tables import trained

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
    chosen = [rooms.check(name) for name in exhibits] if exhibits else rooms.names()
    limit = trained.seconds_of(budget) if budget else None
    if commit:
        check_checkout("exhibits")
    base = rooms.ROOT if commit else BUILT / scale
    try:
        with _damage_in_a_line():
            if dry_run:
                return _forecast([name for name in chosen if trained.is_trained(name)], scale, protocol, as_json)
            return _make(
                names=chosen,
                base=base,
                scale=scale,
                limit=0.0 if render else limit,
                render=render,
                workers=workers,
                scheduler=scheduler,
                device=device,
                protocol=protocol,
                as_json=as_json,
            )
    except KeyboardInterrupt:
        raise Interrupted(f"what was finished is kept under {BUILT}" if not dry_run else NOTHING) from None
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, OSError) and error.errno in IN_THE_WAY:
            raise InputError(f"cannot write under {base}: {error.strerror}") from None
        print(f"maurey: {error}; what was finished is kept", file=sys.stderr)
        return 1


def _index(commit: bool, as_json: bool) -> int:
    """The page in the source tree, too, if it is to be kept."""
    from maurey.paper_tables import gallery, index
    from maurey.verify.files import replace

    if commit:
        check_checkout("the index")
        replace(index.FILE, index.text())
        replace(gallery.FILE, gallery.text())
    if as_json:
        found = {
            paper["title"]: [asdict(row) for row in index.rows(paper["shows"])] for paper in index.papers().values()
        }
        print(json.dumps(found, indent=1))
    else:
        say(*"\n".join(index.lines()).strip().split("\n"))
    return 0


@contextmanager
def _damage_in_a_line() -> Iterator[None]:
    """Results that were altered or cut are told once, in the words of the command."""
    from maurey.verify.training.engine.checksums import DamagedResult

    usual, told = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None,
             line: str | None = None) -> None:  # fmt: skip
        if not issubclass(category, DamagedResult):
            usual(message, category, filename, lineno, file, line)
        elif str(message) not in told:
            told.add(str(message))
            print(f"maurey: {' '.join(str(message).split())}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DamagedResult)
        warnings.showwarning = show
        yield


def _forecast(names: list[str], scale: str, protocol: str, as_json: bool) -> int:
    from maurey.paper_tables import trained
    from maurey.paper_tables.index import time_of
    from maurey.verify.training.engine.store import Store

    file = BUILT / "results.sqlite"
    store = Store(file) if file.exists() else None
    found: list[trained.Forecast] = []
    keys: set[str] = set()
    for name in names:
        one, own = trained.forecast(name, scale, protocol, store, keys)
        found.append(one)
        keys |= own
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=1))
        return 0
    for one in found:
        time = "not measured yet" if one.seconds is None else f"about {time_of(one.seconds)}"
        time += f", {one.shared} of them for exhibits above" if one.shared else ""
        print(f"{one.name}: {one.cached} trials cached, {one.remaining} to train, {time if one.remaining else 'done'}")
    known = [one.own_seconds for one in found if one.own_seconds is not None]
    more = "" if len(known) == len(found) else ", without what is not measured"
    print(f"scale {scale}: {len(keys)} trials to train, about {time_of(sum(known))}{more}")
    return 0


def _to_train(names: list[str], scale: str, protocol: str) -> list[str]:
    """Those that share a budget: something of them is missing."""
    from maurey.paper_tables import trained
    from maurey.verify.training.engine.store import Store

    with Store(BUILT / "results.sqlite") as store:
        own = [name for name in names if trained.is_trained(name)]
        return [name for name in own if trained.forecast(name, scale, protocol, store)[0].remaining]


@contextmanager
def _every_minute(latest: list[str]) -> Iterator[None]:
    """Where no terminal shows a bar, the latest of what it would show, as a line."""
    over = threading.Event()

    def tell() -> None:
        while not over.wait(MINUTE):
            print(latest[0], file=sys.stderr, flush=True)

    thread = threading.Thread(target=tell, daemon=True)
    if not sys.stderr.isatty():
        thread.start()
    try:
        yield
    finally:
        over.set()
        if thread.is_alive():
            thread.join()


def _helped(parent: int) -> None:
    """In a process that helps another: it ends with that one, however that ends."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _beside(names: Sequence[str], base: Path, make: Making) -> Iterator[dict[str, Future[list[Path]]]]:
    """Several exhibits that are computed, each in a process of its own while others are trained and drawn here; those
    that took longest come first."""
    from maurey.paper_tables import exhibits as rooms

    if len(names) < 2:
        yield {}
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_helped, initargs=(os.getpid(),)) as pool:
        first = sorted(names, key=rooms.seconds_of, reverse=True)
        try:
            yield {name: pool.submit(make, name, base / name) for name in first}
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _make(
    *, names: list[str], base: Path, scale: str, limit: float | None, render: bool, workers: int, scheduler: str,
    device: str, protocol: str, as_json: bool,
) -> int:  # fmt: skip
    from rich.console import Console
    from rich.progress import Progress

    from maurey.paper_tables import exhibits as rooms
    from maurey.paper_tables import index, trained
    from maurey.verify.training.engine.store import Store
    from maurey.verify.training.engine.sweep import Progress as Done
    from maurey.verify.training.engine.sweep import check_device, cluster

    os.environ["OMP_NUM_THREADS"] = "1"  # of small networks two threads wait for each other more than they work
    if not scheduler and any(trained.is_trained(name) for name in names):
        check_device(device)
    base.mkdir(parents=True, exist_ok=True)
    make: Making = rooms.redraw if render else rooms.make
    written: dict[str, list[str]] = {}
    empty: list[str] = []
    lost = news = left_over = 0
    started, latest = time.perf_counter(), [""]
    waiting = _to_train(names, scale, protocol) if limit else []
    with (
        cluster(workers, scheduler) as client,
        Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar,
        _every_minute(latest),
        _beside([name for name in names if not trained.is_trained(name)], base, make) as ahead,
    ):
        for name in sorted(names, key=lambda name: name in ahead):
            task, begun = bar.add_task(name, total=None), time.perf_counter()
            before: list[int] = []  # trials that were there
            latest[0] = name

            def report(done: int, total: int, task=task, name=name) -> None:  # type: ignore[no-untyped-def]
                bar.update(task, completed=done, total=total)
                latest[0] = f"{name}: {done} of {total}"

            def told(now: Done, task=task, name=name, before=before) -> None:  # type: ignore[no-untyped-def]
                if not before:
                    before.append(now.done)
                text = f"{name}: {now.done} done, {now.failed} failed, {now.left} left"
                text += f", {now.elsewhere} of them being trained by another process" if now.elsewhere else ""
                total = now.done + now.failed + now.left
                bar.update(task, completed=now.done + now.failed + now.now, total=total, description=text)
                latest[0] = text + (f", {now.now:.1f} more in hand" if now.now else "")

            if trained.is_trained(name):
                left = None if limit is None else max(0.0, limit - (begun - started))
                if left and name in waiting:  # what those before it left of their shares is shared again
                    left /= len(waiting) - waiting.index(name)
                with Store(BUILT / "results.sqlite") as store:
                    files, done = trained.make(
                        name,
                        scale,
                        base / name,
                        store,
                        told,
                        device=device,
                        protocol=protocol,
                        budget=left,
                        client=client,
                    )
                lost, news, left_over = lost + done.failed, news + done.done - before[0], left_over + done.left
                empty += [] if files else [name]
            else:
                files = ahead[name].result() if name in ahead else make(name, base / name, report)
            written[name] = [str(file) for file in files]
            bar.remove_task(task)
            if files:
                took = rooms.seconds_of(name, base) if name in ahead else time.perf_counter() - begun
                bar.console.print(f"{name}: {index.time_of(took)}", highlight=False)
    if limit and left_over and not news:
        print(f"maurey: nothing was trained: no batch of trials is done in {index.time_of(limit)}", file=sys.stderr)
    for name in empty:
        text = f"no trial of {name} at scale {scale} is finished: give it more time, or another scale"
        if names == [name]:
            raise InputError(text)
        print(f"maurey: {text}", file=sys.stderr)
    if as_json:
        print(json.dumps(written, indent=1))
    else:
        print("\n".join(path for paths in written.values() for path in paths))
        if names == rooms.names():
            say(*index.lines())
    if lost:
        print(f"maurey: {lost} trials were lost with their workers; what was finished is kept", file=sys.stderr)
    return 1 if lost else 0
