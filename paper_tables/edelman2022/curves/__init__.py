"""Figures 2 (right) and, in the ICML version, 3 (left): training curves above and below the threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import (
    FAIR,
    account,
    accuracy,
    by_place,
    excused,
    fair,
    finished,
    judged,
    similar,
    succeeded,
    without,
)
from maurey.paper_tables.exhibits import Exhibit, Series
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, here, line

from .figure import draw

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, function="and", s=3, curve=True, stop=False)
COLUMNS = ["T", "m", "protocol", "trial", "status", "no training error from", "training loss below floor from",
           "smallest training loss", "best held-out accuracy", "at iteration", "last held-out accuracy"]  # fmt: skip


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
        question="Does the same training learn from many strings and only memorise few?",
        answer=_answer(runs, expected),
        verdict=_verdict(findings),
        caption="Accuracy on 10,000 strings that were not trained on, one curve for each trial. A mark: from here on "
        "no training string is wrong. What only memorises stays near the accuracy of always answering 0. The paper has "
        + " and ".join(
            f"the threshold at T = {one['T']} at about {one['threshold']} strings"
            for one in expected["instance"]
            if "threshold" in one
        )
        + ".",
        shown=Shown(SHOWN, [_shown(outcome, floor) for outcome in by_place(outcomes)]),
        notes=[
            *account(scale, plan(scale), outcomes),
            "The loss is that of the training step at each evaluation. That no training string is wrong is read off "
            "the loss: one that is wrong alone makes the mean ln 2 / m. Always answering 0 has accuracy 7/8.",
            "The ICML figure has both sizes on one instance; here hidden positions and data are each trial's own.",
            FAIR,
        ],
        columns=COLUMNS,
        rows=[_row(outcome, floor) for outcome in by_place(outcomes)],
        series=Series(SERIES, list(_points(runs))),
        parameters=dict(scale),
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SERIES = ["T", "m", "protocol", "trial", "iteration", "accuracy"]
SHOWN = {
    "T": "bits",
    "m": "training strings",
    "trial": "",
    "no training error from": "iteration from which on every training string is right",
    "loss below 0.0001 from": "iteration from which on the training loss is",
    "best accuracy": "on held-out strings; the paper calls above 0.99 learned",
    "last accuracy": "on held-out strings, at iteration 1000",
}


def _answer(runs: Sequence[Run], expected: Mapping[str, Any]) -> str:
    told = []
    for one in expected["instance"]:
        many, few = ([r for r in runs if (r.outcome.config.T, r.outcome.config.m) == (one["T"], m)]
                     for m in (one["above"], one["below"]))  # fmt: skip
        if many and few:
            told.append(
                f"at T = {one['T']}, {sum(succeeded(r.outcome) for r in many)} of {len(many)} trials learn with m = "
                f"{one['above']} and {sum(succeeded(r.outcome) for r in few)} of {len(few)} with m = {one['below']}"
            )
    fitted = sum(run.fitted is not None for run in runs)
    start = f"{fitted} of {len(runs)} trials come to have no training error"
    return f"{start}; {'; '.join(told)}." if told else f"{start}."


def _verdict(findings: Sequence[Finding]) -> list[str]:
    *examples, fitted, floor = findings
    return [
        *(line(one.text.partition(";")[0], one) for one in examples),
        line("C.1: in all runs the training accuracy reaches 100 %", fitted),
        line(f"C.1: in all runs the training loss falls below 0.0001{here(floor)}", floor),
    ]


def _points(runs: Sequence[Run]) -> Iterator[list[str]]:
    for run in runs:
        c = run.outcome.config
        for step, _, errors, _ in run.outcome.record["curve"]:
            yield [str(c.T), str(c.m), c.protocol, str(run.outcome.trial), str(step),
                   f"{accuracy(run.outcome, errors):.4f}"]  # fmt: skip


def _shown(outcome: Outcome, floor: float) -> list[str]:
    T, m, _, trial, _, fitted, low, _, best, _, last = _row(outcome, floor)
    return [T, m, trial, fitted, low, best, last]


# --- findings --------------------------------------------------------------------------------------------------------


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
        agrees = False if False in seen else None if None in seen else True
        text += "; not all on one side, which may be chance" if agrees is None else excused(agrees, outcomes)
    return Finding(
        text,
        fair(agrees, outcomes),
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
        agrees = similar((k, n), (paper, paper)) if own else None
        if own:
            low, high = wilson(k, n)
            text += f"; here{without(outcomes)} in {k} of {n} ({low:.2f} to {high:.2f}){more if k < n else ''}"
            text += excused(agrees, outcomes)
        findings.append(
            Finding(
                text,
                fair(agrees, outcomes),
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
