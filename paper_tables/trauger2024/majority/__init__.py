"""Figures 1 to 3: norms, gaps and accuracies of one attention layer on the majority of nine hidden bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import PALETTE, Finding, account, accuracy, disagreements, finished
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.trained import Outcome, in_stages

plan = partial(in_stages, function="majority", s=9, model="layer", heads=2, decay=0.0, stop=False, measure=True)

Runs = dict[int, list[dict[str, float]]]  # of each T what is drawn of its runs
LABELS = {
    "norm": "sum of absolute weights",
    "start": "the same before training",
    "gap": "gap in cross-entropy",
    "accuracy": "held-out accuracy",
}


def initial_norm(outcome: Outcome) -> float:
    """Of the weights that a run began with: they follow from its key."""
    from maurey.verify.training.networks import layer
    from maurey.verify.training.trials.keys import key

    start = layer.initial(outcome.config, key(outcome.config, outcome.trial))
    return float(sum(abs(weights).sum() for weights in start.values()))


def of_run(outcome: Outcome) -> dict[str, float]:
    """At the best epoch."""
    record = outcome.record
    return {
        "norm": record["norms"]["l1"],
        "start": initial_norm(outcome),
        "gap": record["held_loss"] - record["train_loss"],
        "accuracy": accuracy(outcome),
    }


def longest(outcomes: Sequence[Outcome]) -> dict[int, list[Outcome]]:
    """By length, the longest training for which every length is there; where none is, that with the most lengths."""
    by_time: dict[int, dict[int, list[Outcome]]] = {}
    for one in outcomes:
        by_time.setdefault(one.config.iterations, {}).setdefault(one.config.T, []).append(one)
    chosen = max(by_time, key=lambda iterations: (len(by_time[iterations]), iterations))
    return dict(sorted(by_time[chosen].items()))


def extremes(runs: Runs) -> dict[str, list[float]]:
    """The largest of the runs at every length; the three need not come from the same run."""
    return {name: [max(run[name] for run in own) for own in runs.values()] for name in LABELS}


def findings(lengths: Sequence[int], found: Mapping[str, list[float]], expected: Mapping[str, Any]) -> list[Finding]:
    """A trend is there if the 95 % interval of the slope leaves 0 out; for a plateau, over the longer half."""
    made = []
    for name, start in (("norm", 0), ("gap", 0), ("accuracy", len(lengths) // 2)):
        fit = trend(lengths[start:], found[name][start:])
        says = f"Figure {expected[name]['figure']} ({expected[name]['reported']})"
        where = f"over T = {lengths[start]} to {lengths[-1]}"
        if fit is None:
            made.append(Finding(f"{says}: too few lengths for a slope {where}", None))
            continue
        slope, low, high = (100 * x for x in fit)
        text = f"{says}: the slope {where} is {slope:.3g} for 100 positions more, 95 % interval {low:.3g} to {high:.3g}"
        made.append(Finding(text, low <= 0 if name == "norm" else low <= 0 <= high))
    return made


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    chosen = longest(finished(outcomes))
    runs = {T: [of_run(one) for one in own] for T, own in chosen.items()}
    found = extremes(runs)
    made = findings(list(runs), found, expected)
    some = next(iter(chosen.values()))[0].config
    table = zip(runs.items(), *found.values(), strict=True)
    return Exhibit(
        title="Trauger and Tewari 2024, Figures 1 to 3: one attention layer on the majority of nine hidden bits",
        notes=[
            *account(scale, plan(scale), outcomes),
            f"Shown: {some.iterations} steps, {some.iterations // some.steps_of_an_epoch} epochs of {some.m} strings "
            f"in batches of {some.batch}; the paper has {expected['epochs']} epochs of {expected['training_strings']} "
            f"in batches of {expected['batch']}. Of several trainings, the longest that has all lengths.",
            "The best epoch is not defined in the paper; here it is the first evaluation with the fewest held-out "
            f"errors, looked for every {some.every} steps. Norm, gap and accuracy are those of that epoch. Optimiser, "
            "rate, start and read-out are not stated either; layer.py says what was decided.",
            "At every length the largest of the runs, as in the paper: the worst gap, the best accuracy. The sum of "
            "absolute weights counts all that is trained, biases included; its value before training stands beside it.",
            *(one.note for one in made),
            "An interval that holds 0 is no proof that nothing changes: it is as wide as so few lengths make it.",
        ],
        columns=["T", "runs", *LABELS.values()],
        rows=[[str(T), str(len(own)), *(f"{x:.6g}" for x in values)] for (T, own), *values in table],
        draw=lambda figure: _draw(figure, runs, found, expected),
        figure_size=(13.0, 4.2),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        disagreements=disagreements(made),
    )


def _draw(figure: Any, runs: Runs, found: Mapping[str, list[float]], expected: Mapping[str, Any]) -> None:
    lengths = list(runs)
    for axes, name in zip(figure.subplots(1, 3), ("norm", "gap", "accuracy"), strict=True):
        every = [(T, run[name]) for T, own in runs.items() for run in own]
        axes.plot(*zip(*every, strict=True), ".", color="gray", markersize=5, label="one run")
        most = {"norm": "largest", "gap": "worst", "accuracy": "best"}[name]
        axes.plot(lengths, found[name], "o-", color=PALETTE[0], label=f"{most} of the runs")
        if name == "norm":
            axes.plot(lengths, found["start"], "s--", color=PALETTE[1], markersize=4, label=LABELS["start"])
            axes.set_ylim(bottom=0)
        if name == "accuracy":
            axes.axhline(0.5, color="black", linewidth=0.8, linestyle=":", label="chance")
        axes.set_xticks(lengths)
        axes.set_xlabel("T, context length in bits")
        axes.set_ylabel(LABELS[name])
        axes.set_title(f"Figure {expected[name]['figure']}. The paper: {expected[name]['reported']}", fontsize=8)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
