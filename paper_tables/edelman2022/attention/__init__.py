"""Figure 3 (right) of the ICML version: the attention weights of a trained network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maurey.paper_tables.accounts import PALETTE, account, finished, judged, succeeded, without
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding
from maurey.verify.training.trials.keys import key

plan = partial(in_stages, function="and", s=3, watch=True, stop=False)
ZERO = 0.05  # of a relevant bit's weight: less than this shows as nothing on a linear scale of color
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
    return Exhibit(
        title="Edelman et al. 2022, ICML Figure 3 (right): what the heads of a trained network look at",
        notes=[
            *account(scale, plan(scale), outcomes),
            "Weights with which [CLS] attends to the bits of four held-out strings and to itself, at the end of "
            f"training. The figure shows {where}. Positions are counted from 1; masses are means over heads and "
            "strings and add up to 1.",
            "Criterion for irrelevant bits with weight about zero: one of them gets, in the mean over heads and "
            f"strings, at most {ZERO} of what a relevant bit gets, in most networks that learned (accuracy > 0.99). "
            "The paper has no number, and does not say which heads it shows; busy heads have more than half of their "
            f"attention on the hidden bits. {ZERO} was set after one network had been seen, the half after all ten.",
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(outcome, outcome is chosen) for outcome in outcomes],
        draw=lambda figure: _draw(figure, chosen) if chosen else None,
        figure_size=(12.0, 9.0),
        parameters=dict(scale),
        findings=findings,
    )


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


def _draw(figure: Any, outcome: Outcome) -> None:
    from maurey.verify.training.tasks.strings import strings

    own, c = shares(outcome), outcome.config
    number, heads, tokens = own.weights.shape
    x, y = strings(c, key(c, outcome.trial), "evaluation", number)
    grid = figure.add_gridspec(-(-number // 2) + 1, 2)
    panels = [figure.add_subplot(grid[i // 2, i % 2]) for i in range(number)]
    for i, panel in enumerate(panels):
        image = panel.imshow(own.weights[i], aspect="auto", cmap="cividis", vmin=0, vmax=own.weights.max(),
                             interpolation="nearest", extent=(0.5, tokens + 0.5, heads + 0.5, 0.5))  # fmt: skip
        marks = [p + 1 for p in own.positions]
        panel.plot(marks, [1.02] * len(marks), "v", color=PALETTE[1], clip_on=False, markersize=7,
                   transform=panel.get_xaxis_transform())  # fmt: skip
        panel.set_xticks([*marks, tokens], [*map(str, marks), "[CLS]"])
        panel.set_ylabel("head")
        bits = ", ".join(str(x[i, p]) for p in own.positions)
        panel.set_title(f"string {i + 1}: hidden bits {bits}, AND {y[i]}", fontsize=9, pad=12)
    figure.colorbar(image, ax=panels, label="attention weight", fraction=0.03, pad=0.02)
    bars, bottom = figure.add_subplot(grid[-1, :]), np.zeros(heads)
    cls = np.arange(tokens) == tokens - 1
    for chosen, name, color in ((own.relevant, f"the {c.s} hidden bits", PALETTE[1]), (cls, "[CLS]", PALETTE[5]),
                                (own.irrelevant, f"the {c.T - c.s} other bits", "lightgray")):  # fmt: skip
        bars.bar(np.arange(1, heads + 1), own.mass(chosen), bottom=bottom, color=color, edgecolor="white", label=name)
        bottom = bottom + own.mass(chosen)
    bars.axhline(c.s / tokens, color="black", linestyle=":", label="hidden bits, if uniform")
    bars.set_xticks(range(1, heads + 1))
    bars.set_ylim(0, 1)
    bars.set_xlabel(
        f"head (T = {c.T}, m = {c.m}, {c.protocol}, trial {outcome.trial}, iteration {outcome.record['iterations']})"
    )
    bars.set_ylabel("share of attention")
    bars.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=8, ncols=4, frameon=False)
