"""Samples until a test is passed, run by run, and the cells that runs with one architecture and length make up.

A run that has not passed when it is given up is right-censored: it takes more than it has seen. And one that has passed
did so somewhere after the test before, so what is known of either is an interval.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maurey.paper_tables.accounts import finished
from maurey.paper_tables.censored import PowerLaw, power_law
from maurey.paper_tables.trained import Outcome
from maurey.verify.training.trials.keys import Job
from maurey.verify.training.trials.regression import Regression

from .variants import variant_of

MODELS = {"transformer": "Transformer", "recurrent": "RNN", "feedforward": "FFN"}
SEEDS = (
    "Seeds: a trial's training prompts and initial weights are keyed by the hash of its configuration and number. The "
    "directions, the position vectors and the test prompts are the same for all trials. Rounding in float32 depends on "
    "machine and batch, and can move a run that is near the threshold to the next test."
)
COLUMNS = [
    "kind",
    "variant",
    "model",
    "cell",
    "at",
    "runs",
    "failed",
    "not passed",
    "value",
    "interval",
    "paper",
    "note",
]


@dataclass(frozen=True)
class Run:
    """One run that came to an end."""

    samples: int | None  # None: not passed
    seen: int
    step: int  # samples between tests

    @classmethod
    def of(cls, outcome: Outcome) -> Run:
        record, config = outcome.record, outcome.config
        return cls(record["samples"], record["seen"], config.every * config.batch)

    @property
    def known(self) -> tuple[float, float]:
        """More than the first, at most the second."""
        return (self.seen, math.inf) if self.samples is None else (max(0, self.samples - self.step), self.samples)


@dataclass(frozen=True)
class Cell:
    """The runs of one architecture at one place."""

    variant: str
    model: str
    at: int
    runs: tuple[Run, ...]
    failed: int
    cells: str  # of a recurrent network

    @property
    def passed(self) -> list[int]:
        return [run.samples for run in self.runs if run.samples is not None]

    @property
    def censored(self) -> list[Run]:
        return [run for run in self.runs if run.samples is None]

    @property
    def mean(self) -> float:
        """Of the runs; where some have not passed, what it is at least."""
        return sum(run.seen if run.samples is None else run.samples for run in self.runs) / len(self.runs)

    @property
    def text(self) -> str:
        return "-" if not self.runs else f"{'> ' if self.censored else ''}{self.mean:.0f}"


def without_looking(outcomes: Iterable[Outcome]) -> list[str]:
    """Where the test says little: the mean of a label over the positions that may be asked for is a predictor that
    knows no position. Of q terms with mean 0, variance 1/q and covariances c >= 0 in sum, scaled to variance 1, it has
    the share (1 + c)/(N + c) >= 1/N of the variance."""
    lengths = {(o.config.N, o.config.threshold) for o in outcomes if o.config.threshold >= 1 - 1 / o.config.N}
    return [
        f"A predictor that sees all tokens and not which of them are asked for, the mean over positions, has an error "
        f"of at most 1 - 1/N = {1 - 1 / N:.3f} at N = {N}, below {threshold:g}: to pass the test there, no token needs "
        "to be found."
        for N, threshold in sorted(lengths)
    ]


Place = Callable[[Regression], tuple[str, str, int]]  # variant, architecture, and where on the axis


def place(name: str, config: Regression) -> tuple[str, str, int]:
    return variant_of(config), config.model, int(getattr(config, name))


def cells_of(outcomes: Iterable[Outcome], name: str) -> list[Cell]:
    """By variant, architecture and place on the axis of this name."""
    own: dict[tuple[str, str, int], list[Outcome]] = {}
    for outcome in outcomes:
        own.setdefault(place(name, outcome.config), []).append(outcome)
    order = list(MODELS)
    found = []
    for (variant, model, at), trials in sorted(
        own.items(), key=lambda i: (i[0][0] != "text", order.index(i[0][1]), i[0])
    ):
        done = finished(trials)
        kinds = ", ".join(sorted({o.config.cell for o in trials})) if model == "recurrent" else ""
        found.append(Cell(variant, model, at, tuple(map(Run.of, done)), len(trials) - len(done), kinds))
    return found


def law(cells: Iterable[Cell], variant: str, model: str) -> PowerLaw | None:
    """The samples of an architecture as a power of the place, by all its runs."""
    at = [
        (cell.at, *run.known) for cell in cells if (cell.variant, cell.model) == (variant, model) for run in cell.runs
    ]
    return power_law(*map(list, zip(*at, strict=True))) if at else None


def account(
    scale: Mapping[str, Any], planned: Sequence[Job], outcomes: Sequence[Outcome], name: str, place: Place
) -> list[str]:
    """Scale, runs of a cell, missing cells, failures, cost and seeds; `name` is the axis."""
    wanted = Counter(place(job.config) for job in planned)
    there = Counter(place(o.config) for o in outcomes)
    start = f"Scale {scale['scale']}" + (f", drawn from scale {scale['from']}" if "from" in scale else "")
    notes = []
    for variant in dict.fromkeys(where[0] for where in [*wanted, *there]):
        cells = [n for where, n in there.items() if where[0] == variant]
        if not cells:
            notes.append(f"{start}, variant {variant}: not run.")
            continue
        most = max((n for where, n in wanted.items() if where[0] == variant), default=max(cells))
        few = f"{cells[0]}" if min(cells) == max(cells) else f"{min(cells)}..{max(cells)}"
        notes.append(
            f"{start}, variant {variant} (protocol fast, no dropout); cells: {len(cells)}; runs in each: {few} "
            f"(planned: up to {most})."
        )
    lost: dict[tuple[str, str], list[str]] = {}
    for variant, model, at in sorted(set(wanted) - set(there)):
        lost.setdefault((variant, model), []).append(str(at))
    missing = "; ".join(f"{v}, {MODELS[m]}, {name} = {', '.join(at)}" for (v, m), at in lost.items()) or "none"
    seen = sum(o.record["seen"] for o in outcomes)
    failed = len(outcomes) - len(finished(outcomes))
    return [
        *notes,
        f"Missing cells: {missing}.",
        f"Runs that failed (a loss that is no longer a number): {failed}; they are listed, and are no evidence. Cost: "
        f"{seen / 1e6:.3g} million training prompts, tests not counted.",
        SEEDS,
    ]


def row(cell: Cell, printed: str = "", note: str = "") -> list[str]:
    """A row of the table."""
    ends = f"{min(run.seen for run in cell.runs)} to {max(run.seen for run in cell.runs)}" if cell.runs else "-"
    counts = [str(len(cell.runs)), str(cell.failed), str(len(cell.censored))]
    caps = f"given up after {' or '.join(sorted({str(run.seen) for run in cell.censored}))}" if cell.censored else ""
    notes = "; ".join(text for text in (note, caps) if text)
    start = ["mean of runs", cell.variant, MODELS[cell.model], cell.cells or "-", str(cell.at)]
    return [*start, *counts, cell.text, ends, printed or "-", notes]


def fitted(variant: str, model: str, found: PowerLaw | None) -> list[str]:
    start = ["exponent", variant, MODELS[model], "-"]
    if found is None:
        return [*start, "-", *["-"] * 6, "needs runs at 3 places, and that passed at 2"]
    counts = [str(found.runs), "-", str(found.censored)]
    note = f"{found.c:.4g} times the place to this power; spread of the logarithm {found.sigma:.2f}"
    return [*start, f"{found.places[0]} to {found.places[-1]}", *counts, f"{found.p:.2f}", found.told, "-", note]
