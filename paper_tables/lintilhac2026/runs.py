"""Runs of the fitted functions, by class: a degree and a sparsity."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from maurey.paper_tables.statistics import student
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
VARIANTS = (
    "Variant text: what the paper's text says, and ours where it is silent. Variant script: as in a log of the "
    "authors, 20,000 strings, batches of 256, rate 0.002, dropout 0.1, initial weights with a squared norm of about "
    "267, at most 600 epochs. Variant scale s: text, with initial weights s times as large. The figure, and what is "
    "found of the paper's figure, are of text alone."
)
Place = tuple[str, int, int]  # variant, degree, sparsity
SCRIPT = dict(m=20_000, batch=256, rate=2e-3, dropout=0.1, scale=0.54, cap=600)  # what a log of the authors has


def settled(stage: Mapping[str, Any]) -> dict[str, Any]:
    own = dict(stage)
    return SCRIPT | own if own.pop("variant", "text") == "script" else own


def variant_of(outcome: Outcome | Job) -> str:
    """text: ours where the paper is silent; script: as in a log of the authors; or text with other initial weights."""
    c = outcome.config
    return "script" if c.dropout else "text" if c.scale == 1 else f"scale {c.scale:g}"


plan = partial(in_stages, settle=settled, model="two_layers", measure=True)


@dataclass(frozen=True)
class Cell:
    """The runs of one class, in one variant."""

    variant: str
    D: int
    omega: int
    m: int
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
    """Those of text first."""
    own: dict[tuple[str, int, int], list[Outcome]] = {}
    for outcome in outcomes:
        own.setdefault((variant_of(outcome), outcome.config.omega, outcome.config.D), []).append(outcome)
    found = []
    for (variant, omega, D), runs in sorted(own.items(), key=lambda one: (one[0][0] != "text", one[0])):
        done = [o for o in runs if o.record["status"] == "done"]
        fitted, unfitted = (tuple(o for o in done if o.record["converged"] == wanted) for wanted in (True, False))
        failed = len(runs) - len(done)
        found.append(Cell(variant, D, omega, m=runs[0].config.m, fitted=fitted, unfitted=unfitted, failed=failed))
    return found


def gap(outcome: Outcome) -> float:
    return float(outcome.record["test_loss"] - outcome.record["train_loss"])


def mean(outcomes: Iterable[Outcome], of: Callable[[Outcome], float]) -> float:
    return statistics.fmean(of(o) for o in outcomes)


def spread(outcomes: Sequence[Outcome], of: Callable[[Outcome], float]) -> float:
    """The standard error of the mean, over functions; infinite if there is but one."""
    values = [of(o) for o in outcomes]
    return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("inf")


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean and its 95 % interval; all numbers if there is but one."""
    middle = statistics.fmean(values)
    if len(values) < 2:
        return middle, float("-inf"), float("inf")
    half = student(len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5
    return middle, middle - half, middle + half


def words(found: tuple[float, float, float], form: str) -> str:
    middle, low, high = (format(x, form) for x in found)
    return f"{middle} ({low} to {high})" if math.isfinite(found[2]) else f"{middle} (one function)"


def within(interval: Sequence[float], low: float, high: float) -> bool | None:
    """Whether a value is from low to high, if all of its interval, the last two numbers, says so."""
    first, last = interval[-2:]
    return True if low <= first and last <= high else False if last < low or first > high else None


def together(answers: Iterable[bool | None]) -> bool | None:
    """Whether all of them hold: false if one surely does not."""
    known = list(answers)
    return False if False in known else None if None in known or not known else True


def size(outcomes: Iterable[Outcome], expected: Mapping[str, Any], unfitted: Iterable[Outcome] = ()) -> dict[str, Any]:
    """How many of the paper's functions were fitted, from as many strings: no more in a class than it has; and how many
    were given up."""
    wanted = set(product(expected["degrees"], expected["sparsities"]))

    def paper(those: Iterable[Outcome]) -> list[Outcome]:
        of_size = [o for o in those if (o.config.T, o.config.m) == (expected["T"], expected["strings"])]
        return [o for o in of_size if (o.config.D, o.config.omega) in wanted]

    classes = Counter((o.config.D, o.config.omega) for o in paper(outcomes))
    run, late = sum(min(n, expected["functions"]) for n in classes.values()), paper(unfitted)
    lacks = f"{len(late)} given up after {max(o.config.cap for o in late)} epochs" if late else ""
    return {"run": run, "planned": expected["functions"] * len(wanted), "what": "functions", "lacks": lacks}


def account(scale: Mapping[str, Any], planned: Sequence[Job], outcomes: Sequence[Outcome]) -> list[str]:
    """Scale, how much of each variant was run and fitted, the network, and seeds."""
    start = f"Scale {scale['scale']}" + (f", drawn from scale {scale['from']}" if "from" in scale else "")
    protocols = " and ".join(sorted({one.config.protocol for one in (outcomes or planned)}))
    variants = set(map(variant_of, planned)) | set(map(variant_of, outcomes))
    told = []
    for variant in sorted(variants, key=lambda name: (name != "text", name)):
        wanted, there, fitted = (
            Counter((one.config.D, one.config.omega) for one in those if variant_of(one) == variant)
            for those in (planned, outcomes, [o for o in outcomes if o.record["converged"]])
        )
        name = f"Variant {variant}: " if len(variants) > 1 else ""
        told.append(f"{name}{there.total()} of {wanted.total()} runs")
        if there:
            told[-1] += (
                f", in {len(there)} of {len(wanted)} classes (degree, sparsity), {fitted.total()} of them fitted; "
                f"not run: {_listed(wanted - there)}; not fitted: {_listed(there - fitted)}"
            )
    return [
        f"{start} (protocol {protocols}); {'. '.join(told)}.",
        "A run that has not fitted its sample within its epochs is listed, is in no mean, and no other function takes "
        "its place; the paper draws another where one of degree 5 does not converge.",
        NETWORK,
        SEEDS,
    ]


def _listed(classes: Mapping[tuple[int, int], int]) -> str:
    return ", ".join(f"{n} of ({D}, {omega})" for (D, omega), n in sorted(classes.items())) or "0"
