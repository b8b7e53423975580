"""Runs of the fitted functions, by class: a degree and a sparsity."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import MARKERS, PALETTE
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.verify.training.trials.keys import Job

SEEDS = (
    "Seeds: the function, the strings, the initial weights, the order of the strings and the random directions of a "
    "trace are keyed by the hash of a run's configuration and number. Rounding in float32 depends on the machine and "
    "can move the epoch in which a run stops."
)
NETWORK = (
    "Two layers with one head, no layer normalisation, one-hot positions and 30 more coordinates, 128 hidden units, "
    "logits times the logarithm of the number of positions; AdamW, rate 0.004, weight decay 0.0001, batches of 128. "
    "Ours, since the paper leaves it open: the initial weights, the read-out, that there is no dropout, and the number "
    "of epochs. Nine settings (size of the initial weights, rate, batch) were tried on one to three other functions of "
    "degree 2 and sparsity 7; this one has the rate of the authors' code and fitted them all, while smaller initial "
    "weights, with which norms stay smaller, fitted fewer or took longer. The loss over all training strings is taken "
    "again after every epoch; below 0.02 the run stops."
)
SCRIPT = dict(m=20_000, batch=256, rate=2e-3, dropout=0.1, scale=0.54, cap=600)  # what a log of the authors has


def settled(stage: Mapping[str, Any]) -> dict[str, Any]:
    own = dict(stage)
    return SCRIPT | own if own.pop("variant", "text") == "script" else own


def variant_of(outcome: Outcome) -> str:
    """text: ours where the paper is silent; script: as in a log of the authors; or text with other initial weights."""
    c = outcome.config
    return "script" if c.dropout else "text" if c.scale == 1 else f"scale {c.scale:g}"


plan = partial(in_stages, settle=settled, model="two_layers", measure=True)


@dataclass(frozen=True)
class Cell:
    """The runs of one class."""

    D: int
    omega: int
    fitted: tuple[Outcome, ...]
    unfitted: tuple[Outcome, ...]  # not below the threshold when they were given up
    failed: int

    @property
    def runs(self) -> tuple[Outcome, ...]:
        return self.fitted + self.unfitted

    @property
    def counts(self) -> list[str]:
        return [str(len(self.runs) + self.failed), str(len(self.unfitted)), str(self.failed)]


def cells_of(outcomes: Iterable[Outcome]) -> list[Cell]:
    own: dict[tuple[int, int], list[Outcome]] = {}
    for outcome in outcomes:
        own.setdefault((outcome.config.omega, outcome.config.D), []).append(outcome)
    found = []
    for (omega, D), runs in sorted(own.items()):
        done = [o for o in runs if o.record["status"] == "done"]
        fitted, unfitted = (tuple(o for o in done if o.record["converged"] == wanted) for wanted in (True, False))
        found.append(Cell(D, omega, fitted, unfitted, len(runs) - len(done)))
    return found


def look(omega: int, known: Sequence[int]) -> tuple[str, str]:
    """Colour and marker of a sparsity."""
    place = sorted(set(known)).index(omega)
    return PALETTE[place % len(PALETTE)], MARKERS[place % len(MARKERS)]


def gap(outcome: Outcome) -> float:
    return float(outcome.record["test_loss"] - outcome.record["train_loss"])


def mean(outcomes: Iterable[Outcome], of: Callable[[Outcome], float]) -> float:
    return statistics.fmean(of(o) for o in outcomes)


def spread(outcomes: Sequence[Outcome], of: Callable[[Outcome], float]) -> float:
    """The standard error of the mean, over functions; infinite if there is but one."""
    values = [of(o) for o in outcomes]
    return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("inf")


def account(scale: Mapping[str, Any], planned: Sequence[Job], outcomes: Sequence[Outcome]) -> list[str]:
    """Scale, functions of a class, missing classes, what was not fitted, and seeds."""
    wanted = Counter((job.config.D, job.config.omega) for job in planned)
    there = Counter((o.config.D, o.config.omega) for o in outcomes)
    numbers = sorted(set(there.values()))
    few = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}..{numbers[-1]}"
    lost = ", ".join(f"({D}, {omega})" for D, omega in sorted(set(wanted) - set(there))) or "none"
    late = Counter((o.config.D, o.config.omega) for o in outcomes if o.record["converged"] is False)
    given_up = ", ".join(f"{n} of ({D}, {omega})" for (D, omega), n in sorted(late.items())) or "none"
    start = f"Scale {scale['scale']}" + (f", drawn from scale {scale['from']}" if "from" in scale else "")
    return [
        f"{start} (protocol fast, no dropout); classes (degree, sparsity): {len(there)}; functions in each: {few} "
        f"(planned: up to {max(wanted.values())}). Classes without a run: {lost}.",
        f"Unconverged, that is not fitted within the epochs (they are listed, no other function takes their place, and "
        f"means leave them out): {given_up}.",
        NETWORK,
        SEEDS,
    ]
