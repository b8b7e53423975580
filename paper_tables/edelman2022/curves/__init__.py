"""Figures 2 (right) and, in the ICML version, 3 (left): training curves above and below the threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import (
    FAIR,
    PALETTE,
    account,
    accuracy,
    by_place,
    fair,
    finished,
    judged,
    similar,
    succeeded,
    without,
)
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding

plan = partial(in_stages, function="and", s=3, curve=True, stop=False)
COLUMNS = ["T", "m", "protocol", "trial", "status", "no training error from", "training loss below floor from",
           "smallest training loss", "best held-out accuracy", "at iteration", "last held-out accuracy"]  # fmt: skip
STYLES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Run:
    """What is read off one curve; iterations are those of evaluations, None if it never happens."""

    outcome: Outcome
    fitted: int | None  # from here on some step's loss was below ln 2 / m
    floor: int | None
    loss: float  # the smallest

    @classmethod
    def of(cls, outcome: Outcome, floor: float) -> Run:
        """A string that is classified wrongly has a loss of ln 2 or more: a mean below ln 2 / m has no such string."""
        losses = [(step, loss) for step, loss, *_ in outcome.record["curve"]]

        def first(level: float) -> int | None:
            return next((step for step, loss in losses if loss < level), None)

        return cls(outcome, first(math.log(2) / outcome.config.m), first(floor), min(loss for _, loss in losses))


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    floor = expected["training"]["loss"]
    runs = [Run.of(outcome, floor) for outcome in finished(by_place(outcomes))]
    protocols = {o.config.protocol for o in judged([run.outcome for run in runs])}
    findings = _findings([run for run in runs if run.outcome.config.protocol in protocols], expected)
    return Exhibit(
        title="Edelman et al. 2022, Figure 2, right (ICML: Figure 3, left): training above and below the threshold",
        notes=[
            *account(scale, plan(scale), outcomes),
            "The loss is that of the training step at each evaluation. That no training string is wrong is read off "
            "the loss: one that is wrong alone makes the mean ln 2 / m. Always answering 0 has accuracy 7/8.",
            "The ICML figure has both sizes on one instance; here hidden positions and data are each trial's own.",
            FAIR,
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(outcome, floor) for outcome in by_place(outcomes)],
        draw=lambda figure: _draw(figure, runs, floor),
        figure_size=(11.0, 4.2 * max(1, len({run.outcome.config.T for run in runs})) + 0.6),
        parameters=dict(scale),
        findings=findings,
    )


def _findings(runs: Sequence[Run], expected: Mapping[str, Any]) -> list[Finding]:
    """The figures show one example of each regime; what holds of all runs is told in C.1."""
    training = expected["training"]
    own = [run for run in runs if run.outcome.config.iterations == training["iterations"]]
    return [*(_examples(own, one) for one in expected["instance"]), *_trained(own, training)]


def _examples(runs: Sequence[Run], instance: Mapping[str, Any]) -> Finding:
    """Trials on each side, held against the paper's one."""
    above, below = sizes = (instance["above"], instance["below"])
    sides = [[r for r in runs if (r.outcome.config.T, r.outcome.config.m) == (instance["T"], m)] for m in sizes]
    right = [
        sum(run.fitted is not None and succeeded(run.outcome) is learns for run in own)
        for own, learns in zip(sides, (True, False), strict=True)
    ]
    text = f"{instance['figure']}: at T = {instance['T']}, m = {above} learns and m = {below} overfits"
    outcomes = [run.outcome for own in sides for run in own]
    agrees = None
    if all(sides):
        each = [f"{k} of {len(own)} trials" for k, own in zip(right, sides, strict=True)]
        text += f"; so do here{without(outcomes)} {' and '.join(each)}"
        seen = [similar((k, len(own)), (1, 1)) for k, own in zip(right, sides, strict=True)]
        agrees = fair(False if False in seen else None if None in seen else True, outcomes)
    return Finding(
        text,
        agrees,
        figure=instance["figure"],
        run=sum(map(bool, sides)),
        planned=len(sides),
        what="curves",
        criterion="C.1: held-out accuracy above 0.99 or not, no training error; ours: held against one curve of each m",
    )


def _trained(runs: Sequence[Run], training: Mapping[str, Any]) -> list[Finding]:
    own = [run for run in runs if run.outcome.config.T in training["T"]]
    outcomes, n, paper = [run.outcome for run in own], len(own), training["runs"]
    worst = max((run.loss for run in own), default=0.0)
    findings = []
    for says, k, more in (
        ("training accuracy reaches 100 %", sum(run.fitted is not None for run in own), ""),
        (f"training loss falls below {training['loss']:g}", sum(run.floor is not None for run in own),
         f", and to {worst:.2g} at worst"),
    ):  # fmt: skip
        text = f"C.1: in all runs the {says} within {training['iterations']} iterations"
        if own:
            low, high = wilson(k, n)
            text += f"; here{without(outcomes)} in {k} of {n} ({low:.2f} to {high:.2f}){more if k < n else ''}"
        findings.append(
            Finding(
                text,
                fair(similar((k, n), (paper, paper)), outcomes) if own else None,
                run=n,
                planned=paper,
                what="runs",
                criterion='C.1: "in 100% of runs"; ours: looked at every 10 iterations',
            )
        )
    return findings


def _row(outcome: Outcome, floor: float) -> list[str]:
    c = outcome.config
    start = [str(c.T), str(c.m), c.protocol, str(outcome.trial), outcome.record["status"]]
    if outcome.record["status"] != "done":
        return [*start, *["-"] * (len(COLUMNS) - len(start))]
    run, last = Run.of(outcome, floor), outcome.record["curve"][-1]
    never = f"not within {c.iterations}"
    steps = [never if step is None else str(step) for step in (run.fitted, run.floor)]
    best = [f"{accuracy(outcome):.4f}", str(outcome.record["best"])]
    return [*start, *steps, f"{run.loss:.3E}", *best, f"{accuracy(outcome, last[2]):.4f}"]


def _draw(figure: Any, runs: Sequence[Run], floor: float) -> None:
    contexts = sorted({run.outcome.config.T for run in runs})
    axes = figure.subplots(max(1, len(contexts)), 2, squeeze=False, sharex=True)
    for (left, right), T in zip(axes, contexts, strict=False):
        own = [run for run in runs if run.outcome.config.T == T]
        sizes = sorted({run.outcome.config.m for run in own})
        for number, run in enumerate(own):
            c, trial = run.outcome.config, run.outcome.trial
            steps, losses, errors, _ = zip(*run.outcome.record["curve"], strict=True)
            color = PALETTE[(1, 0, 2, 3, 4, 5)[sizes.index(c.m) % len(PALETTE)]]
            look = {"color": color, "linestyle": STYLES[trial % len(STYLES)], "linewidth": 1.2, "zorder": 2 + number}
            left.semilogy(steps, losses, **look)
            label = f"m = {c.m}, {c.protocol}, trial {trial}"
            right.plot(steps, [accuracy(run.outcome, e) for e in errors], **look, label=label)
        left.axhline(floor, color="black", linewidth=0.8, linestyle=":")
        left.annotate(f"{floor:g}", (0.005, floor), xycoords=("axes fraction", "data"), fontsize=8, va="bottom")
        for level, text in ((7 / 8, "always answering 0"), (0.99, "0.99")):
            right.axhline(level, color="black", linewidth=0.8, linestyle=":")
            right.annotate(text, (0.995, level), xycoords=("axes fraction", "data"), fontsize=8, va="top", ha="right")
        left.set_title(f"T = {T}: training loss", fontsize=9)
        right.set_title(f"T = {T}: held-out accuracy", fontsize=9)
        left.set_ylabel("cross-entropy (nats)")
        right.set_ylabel("accuracy")
        right.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)
        for panel in (left, right):
            panel.grid(alpha=0.3)
            panel.set_xlabel("training iterations")
            panel.tick_params(labelbottom=True)
