"""Figures 1 to 3: norms, gaps and accuracies of one attention layer on the majority of nine hidden bits.

Two accounts of how it was trained: the paper's text, which leaves most of it open (optimiser, start, read-out, best
epoch), and the script that the authors published, which settles it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import accuracy, finished
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, of_variants

from .figure import draw

__all__ = ["draw", "plan", "render"]

TEXT = dict(function="majority", s=9, model="layer", heads=2, decay=0.0, stop=False, measure=True)
SCRIPT = dict(model="voter")
VARIANTS = {"layer": "text", "voter": "script"}


def settled(stage: Mapping[str, Any]) -> dict[str, Any]:
    own = dict(stage)
    return (SCRIPT if own.pop("variant", "text") == "script" else TEXT) | own


plan = partial(in_stages, settle=settled)
Runs = dict[int, list[dict[str, float]]]  # of each T what is drawn of its runs
LABELS = {
    "norm": "sum of absolute weights",
    "start": "the same before training",
    "gap": "gap in cross-entropy",
    "accuracy": "held-out accuracy",
}
CRITERION = "ours: the 95 % interval of the slope over the lengths"
SEEDS = (
    "Seeds: every draw of a run (vectors, hidden positions, strings, initial weights, order) is keyed by the hash of "
    "its configuration and number. Rounding in float32 depends on the machine and on the batch of runs."
)


def variant_of(outcome: Outcome) -> str:
    return VARIANTS[outcome.config.model]


def initial_norm(outcome: Outcome) -> float:
    """Of the weights that a run began with: they follow from its key."""
    from maurey.verify.training.engine.state import MODELS
    from maurey.verify.training.trials.keys import key

    start = MODELS[outcome.config.model].initial(outcome.config, key(outcome.config, outcome.trial))
    return float(sum(abs(weights).sum() for weights in start.values()))


def of_run(outcome: Outcome) -> dict[str, float]:
    """At the best epoch."""
    record = outcome.record
    script = variant_of(outcome) == "script"
    return {
        "norm": record["norm"] if script else record["norms"]["l1"],
        "start": initial_norm(outcome),
        "gap": record["held_loss"] - record["train_loss"],
        "accuracy": accuracy(outcome, record["held_errors"] if script else None),
    }


def longest(outcomes: Sequence[Outcome]) -> dict[int, list[Outcome]]:
    """By length, the longest training for which every length is there; where none is, that with the most lengths."""
    by_time: dict[int, dict[int, list[Outcome]]] = {}
    for one in outcomes:
        by_time.setdefault(one.config.iterations, {}).setdefault(one.config.T, []).append(one)
    if not by_time:
        return {}
    chosen = max(by_time, key=lambda iterations: (len(by_time[iterations]), iterations))
    return dict(sorted(by_time[chosen].items()))


def extremes(runs: Runs) -> dict[str, list[float]]:
    """The largest of the runs at every length; the three need not come from the same run."""
    return {name: [max(run[name] for run in own) for own in runs.values()] for name in LABELS}


def at_full_size(outcomes: Sequence[Outcome], expected: Mapping[str, Any]) -> int:
    """How many of a length's runs, up to the paper's number, were trained to their own end or for as many epochs."""
    done = [
        o
        for o in outcomes
        if variant_of(o) == "script" or o.config.iterations // o.config.steps_of_an_epoch >= expected["epochs"]
    ]
    return min(len(done), expected["runs"])


def findings(
    variant: str, chosen: Mapping[int, Sequence[Outcome]], found: Mapping[str, list[float]], expected: Mapping[str, Any]
) -> list[Finding]:
    """A trend is there if the 95 % interval of the slope leaves 0 out; that there is none takes a narrow one."""
    lengths = list(chosen)
    run = sum(at_full_size(own, expected) for own in chosen.values())
    planned = expected["runs"] * len(expected["lengths"])
    made = []
    for name, start in (("norm", 0), ("gap", 0), ("accuracy", len(lengths) // 2)):
        about = expected[name]
        figure = f"Figure {about['figure']}"
        says = f"{figure}, variant {variant}: the paper reports {about['reported']}"
        share = dict(figure=figure, run=run, planned=planned, what="runs", criterion=CRITERION)
        fit = trend(lengths[start:], found[name][start:]) if len(lengths[start:]) > 2 else None
        if fit is None:
            made.append(Finding(f"{says}; too few lengths here for a slope", None, **share))
            continue
        slope, low, high = (100 * x for x in fit)
        where = f"over T = {lengths[start]} to {lengths[-1]}"
        text = f"{says}; the slope {where} is {slope:.3g} for 100 positions more (95 %: {low:.3g} to {high:.3g})"
        made.append(Finding(text, _without_trend(name, low, high, found[name]), **share))
    return made


def _without_trend(name: str, low: float, high: float, values: Sequence[float]) -> bool | None:
    """For 100 positions more; a norm may fall."""
    if low > 0 or (high < 0 and name != "norm"):
        return False
    room = (0.5 if name == "accuracy" else max(values)) / 2  # half of what there is above chance, or above 0
    return True if high <= room and (name == "norm" or -low <= room) else None


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    done = finished(outcomes)
    chosen = {v: longest([o for o in done if variant_of(o) == v]) for v in VARIANTS.values()}
    chosen = {v: own for v, own in chosen.items() if own}
    runs = {v: {T: [of_run(o) for o in own] for T, own in lengths.items()} for v, lengths in chosen.items()}
    found = {v: extremes(own) for v, own in runs.items()}
    made = [f for v in chosen for f in findings(v, chosen[v], found[v], expected)]
    return Exhibit(
        title="Trauger and Tewari 2024, Figures 1 to 3: one attention layer on the majority of nine hidden bits",
        question="Do norm, gap and accuracy depend on the length of the context?",
        answer=_answer(found, chosen),
        verdict=_verdict(made),
        caption="At every length the largest of the runs, as in the paper: the worst gap, the best accuracy. Dashed: "
        "the line by whose slope a trend is judged (of accuracy over the longer half). The paper's figures have no "
        "numbers in its text.",
        shown=Shown(SHOWN, [_shown(row) for v in chosen for row in _rows(v, chosen[v], found[v])]),
        notes=[
            *(_account(v, own, scale, expected) for v, own in chosen.items()),
            *_missing(scale, outcomes),
            "Variant text: the best epoch is not defined in the paper; here it is the first evaluation with the fewest "
            "held-out errors. Optimiser, rate, start and read-out are not stated either; layer.py says what was "
            "decided. Variant script, as in the authors' published script: gradient descent with momentum and a rate "
            "that falls, stopped at the end of the first epoch without a wrong answer in training; the best epoch is "
            "that of the least held-out loss; voter.py has the rest. Batches of 128 are the paper's: the script takes "
            "the size as an argument.",
            "At every length the largest of the runs, as in the paper: the worst gap, the best accuracy. The sum of "
            "absolute weights counts all that is trained, biases included; its value before training stands beside it.",
            SEEDS,
            "No trend: the interval holds 0, and for 100 positions more its ends are at most half of the largest value "
            "(of accuracy: of what is above chance). A wider interval decides nothing.",
        ],
        columns=["variant", "T", "runs", "of them fitted", *LABELS.values()],
        rows=[row for v in chosen for row in _rows(v, chosen[v], found[v])],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=made,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "variant": "text: ours where the paper is silent; script: as the authors published it",
    "T": "bits",
    "runs": "",
    "of them fitted": "without a wrong answer in training; the text does not stop there",
    "sum of absolute weights": "the largest of the runs",
    "the same before training": "",
    "gap in cross-entropy": "the worst of the runs, in nats",
    "held-out accuracy": "the best of the runs",
}


TOLD = (("norm", "norm", ".0f"), ("gap", "worst gap", ".2f"), ("accuracy", "best accuracy", ".2f"))


def _answer(found: Mapping[str, Mapping[str, list[float]]], chosen: Mapping[str, Mapping[int, Any]]) -> str:
    told = []
    for variant, by_length in chosen.items():
        lengths = list(by_length)
        ends = ", ".join(
            f"{words} {own[0]:{form}}" + (f" to {own[-1]:{form}}" if own[1:] else "")
            for name, words, form in TOLD
            if (own := found[variant][name])
        )
        span = f"from T = {lengths[0]} to {lengths[-1]}" if lengths[1:] else f"at T = {lengths[0]} alone"
        told.append(f"Variant {variant}, {span}: {ends}")
    return f"{'. '.join(told)}." if told else "No run is there yet."


def _shown(row: Sequence[str]) -> list[str]:
    *start, norm, before, gap, best = row
    return [*start, f"{float(norm):.0f}", f"{float(before):.0f}", f"{float(gap):.3f}", f"{float(best):.3f}"]


def _verdict(made: Sequence[Finding]) -> list[str]:
    """A line for each figure, with a word for each variant."""
    lines = []
    for figure in dict.fromkeys(one.figure for one in made):
        own = [one for one in made if one.figure == figure]
        says = own[0].text.partition("the paper reports ")[2].partition(";")[0]
        named = {f"variant {one.text.partition('variant ')[2].partition(':')[0]}": one for one in own}
        lines.append(of_variants(f"{figure}, {says}", named))
    return lines


# --- rows ------------------------------------------------------------------------------------------------------------


def _rows(variant: str, chosen: Mapping[int, Sequence[Outcome]], found: Mapping[str, list[float]]) -> list[list[str]]:
    made = []
    for i, (T, own) in enumerate(chosen.items()):
        fitted = str(sum(o.record["fitted"] for o in own)) if variant == "script" else "-"
        made.append([variant, str(T), str(len(own)), fitted, *(f"{values[i]:.6g}" for values in found.values())])
    return made


def _account(
    variant: str, chosen: Mapping[int, Sequence[Outcome]], scale: Mapping[str, Any], expected: Mapping[str, Any]
) -> str:
    every = [o for own in chosen.values() for o in own]
    c, counts = every[0].config, sorted({len(own) for own in chosen.values()})
    start = (
        f"Scale {scale['scale']}, protocol {variant}: T = {', '.join(map(str, chosen))}, runs of each: "
        f"{counts[0] if len(counts) == 1 else f'{counts[0]}..{counts[-1]}'}, {c.m} strings in batches of {c.batch}"
    )
    if variant == "text":
        return (
            f"{start}, {c.iterations // c.steps_of_an_epoch} epochs, looked at every {c.every} steps; the paper has "
            f"{expected['runs']} runs of {expected['epochs']} epochs. Of several trainings, the longest that has all "
            "lengths."
        )
    ends = sorted(o.record["epochs"] for o in every if o.record["fitted"])
    told = f"{len(ends)} of {len(every)} fitted" + (f", after {ends[0]} to {ends[-1]} epochs" if ends else "")
    return f"{start}, until all of them are right in training, at most {c.cap} epochs: {told}."


def _missing(scale: Mapping[str, Any], outcomes: Sequence[Outcome]) -> list[str]:
    """Of the plan, run by run."""
    there = {(o.config, o.trial) for o in outcomes}
    lost: dict[str, int] = {}
    for job in plan(scale):
        if (job.config, job.trial) not in there:
            variant = VARIANTS[job.config.model]
            lost[variant] = lost.get(variant, 0) + 1
    failed = len(outcomes) - len(finished(outcomes))
    told = ", ".join(f"{n} of variant {v}" for v, n in lost.items()) or "none"
    return [f"Runs of the plan that are missing: {told}. Failed runs (a loss that is no longer a number): {failed}."]
