"""Exhibits that are trained: a plan of trials, what came of them, and the figure drawn from that alone.

The folder of such an exhibit holds `config.toml` (a table for each scale), `expected.toml` (facts typed from the paper)
and `results.jsonl` (raw results, each with its checksum); everything else is drawn from these three. Trials are kept in
one file for all exhibits and scales, build/tables/results.sqlite; the committed results, of scale paper, are read into
it when they are asked for, so that one can go on from them. A scale that has only `from = "paper"` draws what is known
of that one and trains nothing; an exhibit with `SHARES` shows trials of the exhibits named there, and keeps none of its
own.
"""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maurey.symbolic.errors import InputError
from maurey.verify.files import replace
from maurey.verify.training.engine import exports
from maurey.verify.training.engine.store import Pace, Store
from maurey.verify.training.engine.sweep import Progress as Done
from maurey.verify.training.engine.sweep import Report, estimate, sweep
from maurey.verify.training.trials.keys import Job, config, short

from . import exhibits

if TYPE_CHECKING:
    from distributed import Client

SCALES = ("smoke", "laptop", "paper")
COMMITTED = "paper"  # the scale of the committed results
LISTS = ("subset",)  # fields of a configuration that are lists themselves


@dataclass(frozen=True)
class Outcome:
    """A trial and what came of it."""

    config: Any  # a trial's: Config or Regression
    trial: int
    record: Mapping[str, Any]


def is_trained(name: str) -> bool:
    """Such an exhibit says what the paper shows; told without loading what makes it."""
    return (exhibits.ROOT / name / "expected.toml").exists()


def scale_of(name: str, scale: str) -> dict[str, Any]:
    """The table of a scale, or of the one that it is drawn from."""
    table: dict[str, Any] = tomllib.loads((exhibits.ROOT / name / "config.toml").read_text())
    own: dict[str, Any] = table[scale]
    return table[own["from"]] | own if "from" in own else own


def plan(name: str, scale: str, protocol: str = "") -> list[Job]:
    """The trials of a scale, in the order in which they are run; with a protocol, those that have it, or else all of
    them under it."""
    jobs: list[Job] = exhibits.load(name).plan(scale_of(name, scale))
    if not protocol:
        return jobs
    own = [job for job in jobs if job.config.protocol == protocol]
    return own or [Job(job.config.under(protocol), job.trial) for job in jobs]


def in_stages(
    scale: Mapping[str, Any], settle: Callable[[dict[str, Any]], dict[str, Any]] = dict, **common: Any
) -> list[Job]:
    """Stage by stage of a scale; in a stage trial by trial, so that a sweep that is stopped has some of every cell. The
    lists of a stage are crossed, the first varying slowest; the rest is common to its trials. `settle` turns what a
    stage says of a cell into a configuration's fields."""
    found: list[Job] = []
    for stage in scale["stage"]:
        grid = {
            name: values for name, values in stage.items() if isinstance(values, list | tuple) and name not in LISTS
        }
        own = common | {name: value for name, value in stage.items() if name not in grid and name != "trials"}
        cells = [config(settle(own | dict(zip(grid, cell, strict=True)))) for cell in product(*grid.values())]
        found += [Job(cell, trial) for trial in range(stage["trials"]) for cell in cells]
    return list(dict.fromkeys(found))


def drawn_from(name: str, scale: str) -> str:
    """The scale whose results are drawn instead, if it is not trained."""
    return str(scale_of(name, scale).get("from", ""))


def sources(name: str) -> tuple[str, ...]:
    """The exhibits in whose folders its results are kept."""
    shared: tuple[str, ...] = getattr(exhibits.load(name), "SHARES", (name,))
    return shared


def committed(name: str) -> list[tuple[Job, dict[str, Any]]]:
    """The committed results of an exhibit, if there are any; what was altered or cut is told and left out."""
    files = (exhibits.ROOT / source / "results.jsonl" for source in sources(name))
    return [one for file in files if file.exists() for one in exports.results(file)]


def take_committed(name: str, store: Store) -> None:
    rows = committed(name)
    known = store.known(job for job, _ in rows)
    if new := [(job, record) for job, record in rows if job.key not in known]:
        store.add([job for job, _ in new], [record for _, record in new])


def pace(name: str, store: Store | None) -> Pace:
    """As measured here, or, where nothing was, when the committed results were made."""
    files = (exhibits.ROOT / source / "provenance.json" for source in sources(name))
    shipped = [one for file in files if file.exists() for one in json.loads(file.read_text()).get("pace", [])]
    here = store.pace().measured if store else []
    return Pace([*here, *((config(c), seconds) for c, seconds in shipped)])


@dataclass(frozen=True)
class Forecast:
    name: str
    cached: int
    remaining: int
    seconds: float | None
    shared: int = 0  # of those that remain, how many are trained for other exhibits
    own_seconds: float | None = None  # for the others


def forecast(
    name: str, scale: str, protocol: str, store: Store | None, others: Set[str] = frozenset()
) -> tuple[Forecast, set[str]]:
    """What is known, what is missing, and how long that would take; and the keys of what is missing. Others: those that
    are trained in any case."""
    jobs = plan(name, scale, protocol)
    known = set(store.known(jobs)) if store else set()
    if COMMITTED in (scale, drawn_from(name, scale)):
        known |= {job.key for job, _ in committed(name)} & {job.key for job in jobs}
    missing = [] if drawn_from(name, scale) else [job for job in jobs if job.key not in known]
    paces, own = pace(name, store), [job for job in missing if job.key not in others]
    told = Forecast(
        name, len(known), len(missing), estimate(missing, paces), len(missing) - len(own), estimate(own, paces)
    )
    return told, {job.key for job in missing}


def make(
    name: str,
    scale: str,
    folder: Path,
    store: Store,
    report: Report,
    device: str = "cpu",
    protocol: str = "",
    budget: float | None = None,
    client: Client | None = None,
) -> tuple[list[Path], Done]:
    """Train what is missing, as far as the budget goes, and draw what is known, if anything is."""
    started = time.perf_counter()
    if COMMITTED in (scale, drawn_from(name, scale)):
        take_committed(name, store)
    budget = 0.0 if drawn_from(name, scale) else budget
    done = sweep(plan(name, scale, protocol), store, report, device, budget, client=client, pace=pace(name, store))
    jobs = dict.fromkeys([*plan(name, scale), *(plan(name, scale, protocol) if protocol else [])])
    known = store.known(jobs)
    if not known:
        return [], done
    outcomes = [Outcome(job.config, job.trial, known[job.key]) for job in jobs if job.key in known]
    counts = Counter(outcome.config for outcome in outcomes)
    measured = dict(reversed(pace(name, store).measured))
    own = dict.fromkeys([*counts, *(job.config for other in SCALES for job in plan(name, other))])
    exhibit = drawn(name, scale, outcomes)
    about = {
        "device": device,
        "scale": scale,
        "protocols": sorted({c.protocol for c in counts}),
        "trials": len(outcomes),
        "training_seconds": round(sum(measured.get(c, 0) * n for c, n in counts.items()), 1),
        "pace": [[short(c), round(measured[c], 3)] for c in own if c in measured],
    }
    files = exhibits.write(name, exhibit, folder, time.perf_counter() - started, **about)
    if sources(name) == (name,):
        rows = [exports.line(job, known[job.key]) for job in jobs if job.key in known]
        replace(folder / "results.jsonl", "\n".join(rows) + "\n")
        files.append(folder / "results.jsonl")
    for file in ("config.toml", "expected.toml"):
        if folder != exhibits.ROOT / name:
            replace(folder / file, (exhibits.ROOT / name / file).read_bytes())
    return files, done


def drawn(name: str, scale: str, outcomes: Sequence[Outcome]) -> exhibits.Exhibit:
    expected = tomllib.loads((exhibits.ROOT / name / "expected.toml").read_text())
    exhibit: exhibits.Exhibit = exhibits.load(name).render(scale_of(name, scale) | {"scale": scale}, expected, outcomes)
    return exhibit


def seconds_of(text: str) -> float:
    """45m, 90s, 2h or 1h30m."""
    parts = re.fullmatch(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?", text)
    if not text or not parts:
        raise InputError(f"a budget is a time such as 45m, 90s or 1h30m, got {text!r}")
    return sum(float(n or 0) * unit for n, unit in zip(parts.groups(), (3600, 60, 1), strict=True))
