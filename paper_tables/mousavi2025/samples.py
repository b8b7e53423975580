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
from maurey.paper_tables.statistics import student
from maurey.paper_tables.trained import Outcome
from maurey.verify.training.trials.keys import Job
from maurey.verify.training.trials.regression import Regression

from .variants import VARIANTS, variant_of

GIVEN_UP = 1_000_000  # samples after which the authors give up
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
    def mean(self) -> float | None:
        """Of runs that all passed: one that was given up has no number of samples to be averaged."""
        return sum(self.passed) / len(self.passed) if self.passed and not self.censored else None

    @property
    def level(self) -> float:
        """The mean of the logarithms; it is more, if a run was given up."""
        return sum(math.log(run.seen) for run in self.runs) / len(self.runs)

    @property
    def text(self) -> str:
        if self.mean is not None:
            return f"{self.mean:.0f}"
        if self.passed:
            return f"{len(self.censored)} of {len(self.runs)} given up"
        return f"> {min(run.seen for run in self.runs)}" if self.runs else "-"


Spread = tuple[float, int]


def spread(cells: Iterable[Cell]) -> Spread:
    """The standard deviation of the logarithms within cells whose runs all passed, and its degrees of freedom."""
    logs = [[math.log(n) for n in cell.passed] for cell in cells if cell.passed and not cell.censored]
    freedom = sum(len(own) - 1 for own in logs)
    squares = sum((x - sum(own) / len(own)) ** 2 for own in logs for x in own)
    return math.sqrt(squares / freedom) if freedom else math.inf, freedom


def half(found: Spread, *numbers: int) -> float:
    """Of the 95 % interval of a difference between means of so many logarithms."""
    deviation, freedom = found
    return student(freedom) * deviation * math.sqrt(sum(1 / n for n in numbers)) if freedom else math.inf


def fewer(a: Cell, b: Cell, found: Spread) -> bool | None:
    """Whether a takes fewer samples than b, if the 95 % interval of their ratio leaves 1 out. What was given up takes
    more than it has seen."""
    apart, room = b.level - a.level, half(found, len(a.runs), len(b.runs))
    if apart > room and not a.censored:
        return True
    return False if apart < -room and not b.censored else None


def together(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: one that fails decides, and one that is open leaves the rest open."""
    known = list(verdicts)
    return False if False in known else None if None in known or not known else True


def of_the_paper(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those whose networks and tests have the paper's size."""
    return [
        o
        for o in outcomes
        if o.config.held_out == VARIANTS.get(variant_of(o.config), {}).get("held_out")
        and (o.config.d, o.config.width, o.config.hidden, o.config.heads) == (10, 100, 0, 0)
    ]


def counted(cells: Iterable[Cell], runs: int) -> tuple[int, str]:
    """How many runs there are, up to the paper's number in a cell, and what they are."""
    own = list(cells)
    early = sum(run.seen < GIVEN_UP for cell in own for run in cell.censored)
    return sum(min(runs, len(cell.runs)) for cell in own), f"runs, {early} of them given up early" if early else "runs"


def telling(cells: Iterable[Cell], threshold: float) -> list[Cell]:
    """By number of tokens: where the test is not passed by the mean over positions, see `without_looking`."""
    return [cell for cell in cells if 1 - 1 / cell.at > threshold]


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


Where = tuple[str, str, int]  # variant, architecture, and where on the axis
Place = Callable[[Regression], Where]


def place(name: str, config: Regression) -> Where:
    return variant_of(config), config.model, int(getattr(config, name))


def cells_of(outcomes: Iterable[Outcome], name: str) -> list[Cell]:
    """By variant, architecture and place on the axis of this name."""
    own: dict[Where, list[Outcome]] = {}
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
    scale: Mapping[str, Any], planned: Sequence[Job], outcomes: Sequence[Outcome], name: str, place: Place,
    listed: str = "",
) -> list[str]:  # fmt: skip
    """Scale, runs of a cell, missing runs, failures, cost and seeds; `name` is the axis. Which runs are missing is said
    here, unless they are listed elsewhere."""
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
    lost: dict[tuple[str, str], list[Where]] = {}
    for where in sorted(where for where, n in wanted.items() if there[where] < n):
        lost.setdefault(where[:2], []).append(where)
    missing = "; ".join(f"{v}, {MODELS[m]}, {_lost(name, own, wanted, there)}" for (v, m), own in lost.items())
    where_told = f"; those that are missing are listed with {listed}" if listed else f"; not all at {missing}"
    have = sum(min(n, there[where]) for where, n in wanted.items())
    seen = sum(o.record["seen"] for o in outcomes)
    failed = len(outcomes) - len(finished(outcomes))
    return [
        *notes,
        f"Runs of the plan: {have} of {sum(wanted.values())}{where_told if missing else ''}.",
        f"Runs that failed (a loss that is no longer a number): {failed}; they are listed, and are no evidence. Cost: "
        f"{seen / 1e6:.3g} million training prompts, tests not counted.",
        SEEDS,
    ]


def _lost(name: str, own: Sequence[Where], wanted: Mapping[Where, int], there: Mapping[Where, int]) -> str:
    """Places of an architecture with some of their runs, and those with none."""
    some = [f"{where[2]} ({there[where]} of {wanted[where]})" for where in own if there[where]]
    none = [str(where[2]) for where in own if not there[where]]
    return ", ".join(f"{words} {', '.join(at)}" for words, at in ((f"{name} =", some), ("none at", none)) if at)


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
        return [*start, "-", *["-"] * 6, "needs runs that passed at 3 places"]
    counts = [str(found.runs), "-", str(found.censored)]
    note = f"{found.c:.4g} times the place to this power; spread of the logarithm {found.sigma:.2f}"
    return [*start, f"{found.places[0]} to {found.places[-1]}", *counts, f"{found.p:.2f}", found.told, "-", note]
