"""Figure 3: parity of three hidden bits, learned at once after a long wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import (
    FAIR,
    account,
    by_place,
    excused,
    fair,
    finished,
    judged,
    similar,
    without,
)
from maurey.paper_tables.exhibits import Exhibit, Series
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, of_variants

from .figure import draw

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, function="parity", s=3, curve=True)
HIGH, LOW = 0.6, 0.1  # losses between which the transition is; guessing has ln 2 = 0.693
COLUMNS = ["T", "batch", "protocol", "trial", "status", "errors below 1 in 100 from", "no errors from",
           f"loss {LOW} from", f"loss {HIGH} until", "transition", "abrupt", "last loss"]  # fmt: skip


@dataclass(frozen=True)
class Transition:
    """Read off a curve, in iterations of evaluations; None where it does not happen."""

    learned: int | None  # held-out errors below 1 %
    perfect: int | None  # none
    start: int | None  # the last with a loss of at least HIGH before the end; 0: the loss was lower from the first on
    end: int | None  # the first with a loss of at most LOW

    @classmethod
    def of(cls, outcome: Outcome) -> Transition:
        curve, total = outcome.record["curve"], outcome.config.held_out
        learned = next((step for step, _, errors, _ in curve if errors * 100 < total), None)
        perfect = next((step for step, _, errors, _ in curve if errors == 0), None)
        end = next((step for step, loss, *_ in curve if loss <= LOW), None)
        if end is None:
            return cls(learned, perfect, None, None)
        start = max((step for step, loss, *_ in curve if step < end and loss >= HIGH), default=0)
        return cls(learned, perfect, start, end)

    @property
    def length(self) -> int | None:
        return None if self.start is None or self.end is None else self.end - self.start

    @property
    def abrupt(self) -> bool | None:
        """The fall is no longer than the wait before it."""
        return None if self.start is None or self.length is None else self.length <= self.start


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    done = finished(outcomes)
    findings = [one for T in expected["T"] for one in _findings(T, done, expected)]
    sizes = sorted({(o.config.batch, o.config.iterations, o.config.every) for o in outcomes})
    return Exhibit(
        title="Edelman et al. 2022, Figure 3 (ICML: Figure 4): parities of three hidden bits, learned abruptly",
        question="Does the loss on a parity fall at once, after a long wait?",
        answer=_answer(done),
        verdict=_verdict(findings),
        caption="A curve for each seed, on fresh strings in every step. Iterations are on a logarithmic axis, so that "
        "a fall of a given width is one that took a given share of the time before it. The paper's panel of T = 20 "
        "has no legible axis.",
        shown=Shown(SHOWN, [_shown(T, own, expected["axis"]) for T in sorted({o.config.T for o in done})
                            if (own := [o for o in done if o.config.T == T])]),
        notes=[
            *account(scale, plan(scale), outcomes),
            *(f"Fresh strings in every step: {batch} of them, {iterations} iterations, looked at every {every} and, if "
              "there is no held-out error, for the last time. The paper: "
              f"{expected['batch']} strings, {expected['iterations']} iterations, {expected['seeds']} seeds."
              for batch, iterations, every in sizes),
            f"The transition is from the last evaluation with a loss of at least {HIGH} to the first with at most "
            f"{LOW}, so at most two evaluations longer than the fall itself. It is called abrupt if it is no longer "
            "than the wait before it. Perfect: no held-out error. The loss is that of a step's fresh strings; guessing "
            "has ln 2.",
            FAIR,
        ],
        columns=COLUMNS,
        rows=[_row(outcome) for outcome in by_place(outcomes)],
        series=Series(SERIES, [[str(o.config.T), str(o.trial), str(step), f"{loss:.4g}"] for o in by_place(done)
                               for step, loss, *_ in o.record["curve"]]),
        parameters=dict(scale),
        findings=findings,
    )  # fmt: skip


# --- the page --------------------------------------------------------------------------------------------------------

SERIES = ["T", "trial", "iteration", "loss"]
SHOWN = {
    "T": "bits",
    "seeds": "",
    "perfect": "no held-out error within the iterations",
    "by the paper's axis": "perfect by the iteration where the axis of the paper's figure ends",
    "wait": "iterations with a loss near that of guessing, the least and the most",
    "fall": "iterations from a loss of 0.6 to one of 0.1, the least and the most",
}


def _answer(done: Sequence[Outcome]) -> str:
    found = [Transition.of(outcome) for outcome in done]
    falls = [(one.start or 0, one.length) for one in found if one.length is not None]
    if not falls:
        return "No seed has learned yet."
    perfect = sum(one.perfect is not None for one in found)
    abrupt = sum(bool(one.abrupt) for one in found)
    waits, lengths = zip(*falls, strict=True)
    return (
        f"{perfect} of {len(found)} seeds become perfect, {abrupt} of them abruptly: after a wait of {min(waits)} to "
        f"{max(waits)} iterations the loss falls within {min(lengths)} to {max(lengths)}."
    )


def _verdict(findings: Sequence[Finding]) -> list[str]:
    abrupt = [one for one in findings if "falls abruptly" in one.text]
    early = [one for one in findings if "perfect by iteration" in one.text]
    says = ((abrupt, "the loss falls abruptly from guessing to perfect, for all seeds"),
            (early, "all seeds are perfect where the axis of the paper's figure ends"))  # fmt: skip
    return [of_variants(text, {one.figure.rpartition(", ")[2]: one for one in own}) for own, text in says]


def _shown(T: int, own: Sequence[Outcome], axes: Mapping[str, int]) -> list[str]:
    found = [Transition.of(outcome) for outcome in own]
    falls = [(one.start or 0, one.length) for one in found if one.length is not None]
    ends = [f"{min(x)} to {max(x)}" for x in zip(*falls, strict=True)] if falls else ["-", "-"]
    axis = axes.get(str(T))
    early = f"{sum(one.perfect is not None and one.perfect <= axis for one in found)} (by {axis})" if axis else "-"
    return [str(T), str(len(own)), str(sum(one.perfect is not None for one in found)), early, *ends]


# --- findings --------------------------------------------------------------------------------------------------------


def _findings(T: int, done: Sequence[Outcome], expected: Mapping[str, Any]) -> list[Finding]:
    """Seeds with the paper's strings and iterations, held against the ten of the paper: whether they get there at all,
    and, by the same rule for every T, whether they do before the figure's axis ends."""
    size, seeds = (T, expected["batch"], expected["iterations"]), expected["seeds"]
    own = judged([o for o in done if (o.config.T, o.config.batch, o.config.iterations) == size])
    found, name = [Transition.of(outcome) for outcome in own], f"{expected['figure']}, T = {T}"
    there = [one for one in found if one.perfect is not None and one.abrupt]
    longest = max(((one.length or 0) / (one.start or 1) for one in there), default=0.0)
    text = f"{name}: the loss falls abruptly from guessing to perfect, for {seeds} of {seeds} seeds"
    rule = "the caption: abrupt, from guessing to perfect; ours: a fall no longer than the wait before it is abrupt"
    more = f" within {expected['iterations']} iterations"
    more += f", in at most {longest:.2f} of the wait" if there else ""
    told = [(text, len(there), more, rule)]
    if axis := expected["axis"].get(str(T)):
        early = sum(one.perfect is not None and one.perfect <= axis for one in found)
        text = f"{name}: all {seeds} seeds are taken to be perfect by iteration {axis}, where the axis ends"
        told.append((text, early, "", "ours: the curves of the figure have fallen where its axis ends"))
    seen = [similar((k, len(own)), (seeds, seeds)) if own else None for _, k, _, _ in told]
    return [
        Finding(
            f"{text}; {_share(k, own)}{more}{excused(agrees, own)}" if own else text,
            fair(agrees, own),
            figure=name,
            run=min(len(own), seeds),
            planned=seeds,
            what="seeds",
            criterion=rule,
        )
        for (text, k, more, rule), agrees in zip(told, seen, strict=True)
    ]


def _share(k: int, own: Sequence[Outcome]) -> str:
    low, high = wilson(k, len(own))
    return f"here{without(own)} {k} of {len(own)} ({low:.2f} to {high:.2f})"


def _row(outcome: Outcome) -> list[str]:
    c = outcome.config
    start = [str(c.T), str(c.batch), c.protocol, str(outcome.trial), outcome.record["status"]]
    if outcome.record["status"] != "done":
        return [*start, *["-"] * (len(COLUMNS) - len(start))]
    found, never = Transition.of(outcome), f"not within {outcome.record['iterations']}"
    steps = [never if step is None else str(step) for step in (found.learned, found.perfect, found.end)]
    fall = ["-" if step is None else str(step) for step in (found.start, found.length)]
    abrupt = {True: "yes", False: "no", None: "-"}[found.abrupt]
    return [*start, *steps, *fall, abrupt, f"{outcome.record['curve'][-1][1]:.4g}"]
