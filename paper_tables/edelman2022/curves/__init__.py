"""Figures 2 (right) and, in the ICML version, 3 (left): training curves above and below the threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import PALETTE, account, accuracy, by_place, finished, succeeded
from maurey.paper_tables.exhibits import Exhibit
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
    findings = _findings(runs, expected)
    return Exhibit(
        title="Edelman et al. 2022, Figure 2, right (ICML: Figure 3, left): training above and below the threshold",
        notes=[
            *account(scale, plan(scale), outcomes),
            "The loss is that of the training step at each evaluation. That no training string is wrong is read off "
            "the loss: one that is wrong alone makes the mean ln 2 / m. Always answering 0 has accuracy 7/8.",
            "The ICML figure has both sizes on one instance; here hidden positions and data are each trial's own.",
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
    """Instance by instance: the training strings are fitted on both sides, and unseen ones are right only above."""
    findings, training = [], expected["training"]
    for instance in expected["instance"]:
        T, sides = instance["T"], (instance["above"], instance["below"])
        own = [[run for run in runs if (run.outcome.config.T, run.outcome.config.m) == (T, m)] for m in sides]
        start = f"{instance['figure']}, T = {T}"
        if not all(own):
            findings.append(Finding(f"{start}: not all of m = {sides[1]} and {sides[0]} was trained", None))
            continue
        both = [run for side in own for run in side]
        fitted, low = (sum(run.fitted is not None for run in both), sum(run.floor is not None for run in both))
        findings += [
            Finding(f"{start}: training accuracy reaches 100 % above and below the threshold; here in {fitted} of "
                    f"{len(both)} trials", fitted == len(both)),
            Finding(f"{start}: the training loss falls below {training['loss']:g} within {training['iterations']} "
                    f"iterations; here in {low} of {len(both)} trials (smallest: at worst "
                    f"{max(run.loss for run in both):.2g})", low == len(both)),
        ]  # fmt: skip
        above, below = (sum(succeeded(run.outcome) for run in side) for side in own)
        text = (
            f"{start}: held-out accuracy is high at m = {sides[0]} and not at m = {sides[1]}; here it passes 0.99 in "
            f"{above} of {len(own[0])} and in {below} of {len(own[1])} trials (wanted: most, and at most half)"
        )
        findings.append(Finding(text, 2 * above > len(own[0]) and 2 * below <= len(own[1])))
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
