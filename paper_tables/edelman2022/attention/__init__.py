"""Figure 3 (right) of the ICML version: the attention weights of a trained network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maurey.paper_tables.accounts import account, finished, judged, succeeded, without
from maurey.paper_tables.exhibits import Exhibit, Series
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, line
from maurey.verify.training.trials.keys import key

from .figure import ZERO, draw

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, function="and", s=3, watch=True, stop=False)
COLUMNS = [
    "T", "m", "protocol", "trial", "status", "errors", "iteration", "hidden positions", "relevant mass", "CLS mass",
    "irrelevant mass", "a relevant bit", "an irrelevant bit", "ratio", "busy heads", "their ratio", 
    "largest irrelevant", "in the figure",
]  # fmt: skip


@dataclass(frozen=True)
class Shares:
    """Where attention goes: weights (strings, heads, T + 1), [CLS] last, and the hidden positions from 0."""

    weights: NDArray[np.float64]
    positions: tuple[int, ...]

    @property
    def relevant(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(self.weights.shape[-1]), self.positions)

    @property
    def irrelevant(self) -> NDArray[np.bool_]:
        return ~self.relevant & (np.arange(self.weights.shape[-1]) < self.weights.shape[-1] - 1)

    def mass(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The share of each head (heads,) that these tokens get, the mean over strings."""
        found: NDArray[np.float64] = self.weights[..., chosen].sum(-1).mean(0)
        return found

    @property
    def own(self) -> tuple[float, float]:
        """The weight of one relevant and of one irrelevant bit, the mean over bits, heads and strings."""
        return float(self.weights[..., self.relevant].mean()), float(self.weights[..., self.irrelevant].mean())

    @property
    def ratio(self) -> float:
        relevant, irrelevant = self.own
        return irrelevant / relevant if relevant else float("inf")

    @property
    def busy(self) -> Shares:
        """The heads that give the hidden bits more than half of their attention; all, if there are none. The others
        are idle: they look at nothing in particular."""
        return Shares(self.weights[:, self.looking], self.positions) if self.looking.any() else self

    @property
    def looking(self) -> NDArray[np.bool_]:
        return self.mass(self.relevant) > 0.5


def shares(outcome: Outcome) -> Shares:
    from maurey.verify.training.tasks.strings import hidden

    positions = hidden(outcome.config, key(outcome.config, outcome.trial))
    return Shares(np.array(outcome.record["attention"]), positions)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    done = finished(outcomes)
    learned = sorted(filter(succeeded, done), key=lambda o: o.config.protocol != "paper")
    chosen = next(iter(learned), min(done, key=lambda o: o.record["errors"], default=None))
    findings = [_finding(done, expected)]
    rule = (
        "the first that learned, with dropout if there is one"
        if learned
        else "none learned, so the one with the fewest errors"
    )
    where = "nothing, all trials failed"
    if chosen:
        where = f"{_trial(chosen)}, {rule}"
    own = [shares(outcome) for outcome in learned]
    return Exhibit(
        title="Edelman et al. 2022, ICML Figure 3 (right): what the heads of a trained network look at",
        question="Does a trained network attend to the hidden bits alone?",
        answer=_answer(own),
        verdict=[line("the irrelevant bits get nearly no attention", *findings)],
        caption=f"Left: attention of [CLS], the mean over four held-out strings, by head ({where}). Right: for each "
        "network, the mean weight of an irrelevant bit over that of a relevant one; left of the dashed line a bit "
        "shows as nothing on a linear scale of colour.",
        shown=Shown(SHOWN, [_shown(outcome) for outcome in done]),
        notes=[
            *account(scale, plan(scale), outcomes),
            "Weights with which [CLS] attends to the bits of four held-out strings and to itself, at the end of "
            f"training. The figure shows {where}. Positions are counted from 1; masses are means over heads and "
            "strings and add up to 1.",
            "Criterion for irrelevant bits with weight about zero: one of them gets, in the mean over heads and "
            f"strings, at most {ZERO} of what a relevant bit gets, in most networks that learned (accuracy > 0.99). "
            "The paper has no number, and does not say which heads it shows; busy heads have more than half of their "
            f"attention on the hidden bits. {ZERO} was set after one network had been seen, the half after all ten.",
        ],
        columns=COLUMNS,
        rows=[_row(outcome, outcome is chosen) for outcome in outcomes],
        series=Series(["head", "position", "weight"], list(_weights(chosen)) if chosen else []),
        parameters=dict(scale),
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "protocol": "fast: without dropout; paper: with it",
    "trial": "",
    "held-out errors": "",
    "hidden bits": "share of attention, the mean over heads and strings",
    "other bits": "the same",
    "[CLS]": "the same",
    "ratio": "weight of one irrelevant bit over that of one relevant bit",
    "busy heads": "of 16, those with more than half of their attention on the hidden bits",
    "ratio, busy heads": "",
}


def _answer(own: Sequence[Shares]) -> str:
    if not own:
        return "No network has learned yet."
    every, busy = ([one.ratio for one in own], [one.busy.ratio for one in own])
    return (
        f"In the heads that look at the hidden bits an irrelevant bit gets {100 * min(busy):.1f} to "
        f"{100 * max(busy):.1f} % of a relevant one's attention, over all heads {100 * min(every):.1f} to "
        f"{100 * max(every):.1f} % ({len(own)} networks)."
    )


def _shown(outcome: Outcome) -> list[str]:
    own = shares(outcome)
    masses = [own.mass(own.relevant), own.mass(own.irrelevant), own.weights[..., -1]]
    return [
        outcome.config.protocol, str(outcome.trial), str(outcome.record["errors"]),
        *(f"{mass.mean():.2f}" for mass in masses), f"{own.ratio:.3f}", str(own.looking.sum()), f"{own.busy.ratio:.4f}",
    ]  # fmt: skip


def _weights(outcome: Outcome) -> Iterator[list[str]]:
    for head, row in enumerate(shares(outcome).weights.mean(0)):
        yield from ([str(head + 1), str(place + 1), f"{weight:.4f}"] for place, weight in enumerate(row))


# --- findings --------------------------------------------------------------------------------------------------------


def _trial(outcome: Outcome) -> str:
    c = outcome.config
    end = outcome.record["iterations"]
    return f"T = {c.T}, m = {c.m}, protocol {c.protocol}, trial {outcome.trial}, iteration {end}"


def _finding(done: Sequence[Outcome], expected: Mapping[str, Any]) -> Finding:
    """The paper shows one network. Both readings of its heads must say the same."""
    size = (expected["T"], expected["m"], expected["iterations"])
    there = [o for o in done if (o.config.T, o.config.m, o.record["iterations"]) == size]
    own = judged([o for o in there if succeeded(o)])
    start = f"{expected['figure']}: the attention of a trained network nearly zeroes out the irrelevant bits"
    rule = f"ours: {ZERO} of the weight of a relevant bit, for most networks, whether idle heads count or not"
    finding = partial(
        Finding, figure=expected["figure"], run=min(1, len(there)), what="networks", criterion=rule, late=True
    )
    if not own:
        return finding(f"{start}; no such network learned here", None)
    networks = [shares(outcome) for outcome in own]
    readings = [[one.ratio for one in networks], [one.busy.ratio for one in networks]]
    zeroed = [sum(ratio <= ZERO for ratio in ratios) for ratios in readings]
    every, busy = (
        f"{min(ratios):.3f} to {max(ratios):.3f} (at most {ZERO} in {k} of {len(own)} networks)"
        for ratios, k in zip(readings, zeroed, strict=True)
    )
    text = (
        f"{start}; here{without(own)} one has, of the weight of a relevant bit, {every}, and {busy} in the heads that "
        "look at the hidden bits"
    )
    ends = [wilson(k, len(own)) for k in zeroed]
    agrees = True if all(low > 0.5 for low, _ in ends) else False if all(high < 0.5 for _, high in ends) else None
    return finding(text, agrees)


def _row(outcome: Outcome, drawn: bool) -> list[str]:
    c, record = outcome.config, outcome.record
    start = [str(c.T), str(c.m), c.protocol, str(outcome.trial), record["status"]]
    if record["status"] != "done":
        return [*start, *["-"] * (len(COLUMNS) - len(start))]
    own = shares(outcome)
    errors = f"{'>= ' if c.stop and not succeeded(outcome) else ''}{record['errors']}"
    masses = [own.mass(own.relevant), own.weights[..., -1], own.mass(own.irrelevant)]
    return [
        *start, errors, str(record["iterations"]), " ".join(str(p + 1) for p in own.positions),
        *(f"{mass.mean():.4f}" for mass in masses), *(f"{weight:.5f}" for weight in own.own), f"{own.ratio:.4f}",
        str(own.looking.sum()), f"{own.busy.ratio:.4f}",
        f"{own.weights[..., own.irrelevant].max():.4f}", "yes" if drawn else "no",
    ]  # fmt: skip
