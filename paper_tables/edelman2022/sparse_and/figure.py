"""Success probabilities against the sample size, and critical sample sizes against the context length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from maurey.paper_tables.accounts import MARKERS, PALETTE

from .thresholds import Cell, Threshold, law

LOOKS = {"arXiv": (PALETTE[0], "o"), "ICML": (PALETTE[1], "s")}
MEANING = {"arXiv": "arXiv: accuracy > 0.99 in > 50 % of trials", "ICML": "ICML: no error in ≥ 80 % of trials"}


def draw(
    figure: Any, cells: Sequence[Cell], main: str, found: Mapping[str, list[Threshold]], chosen: Sequence[int], few: int
) -> None:
    left, right = figure.subplots(1, 2)
    _probabilities(left, cells, main, chosen)
    _sizes(right, found, few)
    for panel in (left, right):
        panel.grid(alpha=0.3)
        if panel.get_legend_handles_labels()[0]:
            panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize=8, ncols=2, frameon=False)


def _probabilities(panel: Any, cells: Sequence[Cell], main: str, chosen: Sequence[int]) -> None:
    """The T of the paper's figure, if there are any; a little apart, so that no bar hides another."""
    there = sorted({cell.T for cell in cells})
    drawn = [T for T in there if T in chosen] or there[: len(PALETTE)]
    grid = sorted({cell.m for cell in cells})
    protocols = sorted({cell.protocol for cell in cells}, key=lambda protocol: protocol != main)
    done = {(cell.T, cell.protocol) for cell in cells if cell.done}
    slots = [(T, protocol) for T in drawn for protocol in protocols if (T, protocol) in done]
    apart = 0.6 * min(np.diff(grid), default=10) / len(slots) if slots else 0.0
    for number, (T, protocol) in enumerate(slots):
        own = [cell for cell in cells if cell.T == T and cell.protocol == protocol and cell.done]
        x = np.array([cell.m for cell in own]) + (number - (len(slots) - 1) / 2) * apart
        y, ends = np.array([cell.fraction for cell in own]), np.array([cell.interval for cell in own]).T
        look, first = drawn.index(T) % len(PALETTE), protocol == main
        panel.errorbar(
            x, y, yerr=np.maximum([y - ends[0], ends[1] - y], 0), color=PALETTE[look], elinewidth=0.7, capsize=1.5,
            fmt=MARKERS[look], linestyle="-" if first else "none", linewidth=1.3, markersize=4.5 if first else 7,
            markerfacecolor=PALETTE[look] if first else "white", label=f"T = {T}, protocol {protocol}",
        )  # fmt: skip
    panel.axhline(0.5, color="black", linewidth=0.8, linestyle=":")
    panel.set_ylim(-0.03, 1.03)
    panel.set_xlabel("training strings m")
    panel.set_ylabel("fraction of trials with held-out accuracy > 0.99")
    panel.set_title("success probability (bars: Wilson, 95 %)", fontsize=9)


def _sizes(panel: Any, found: Mapping[str, list[Threshold]], few: int) -> None:
    """Arrows are sizes beyond an end of the grid."""
    contexts = sorted({one.T for own in found.values() for one in own})
    for (name, own), nudge in zip(found.items(), (0.99, 1.01), strict=True):
        color, marker = LOOKS[name]
        seen = [one for one in own if not one.side]
        T, sizes = [one.T * nudge for one in seen], [one.size for one in seen]
        panel.plot(T, sizes, marker, color=color, markersize=6, label=MEANING[name])
        panel.errorbar(T, sizes, yerr=[one.error(few) for one in seen], fmt="none", color=color, capsize=3)
        for side, arrow, words in ((1, "^", ">"), (-1, "v", "≤")):
            limits = [one for one in own if one.side == side]
            if limits:
                ends, label = [one.size for one in limits], f"{name}: {words} {limits[0].size}"
                panel.plot([one.T * nudge for one in limits], ends, arrow, color=color, markersize=10,
                           markerfacecolor="none", label=label)  # fmt: skip
        fit = law(own)
        if fit:
            x = np.geomspace(contexts[0], contexts[-1], 100)
            logarithm = f"{fit.a:.0f} {'+-'[fit.b < 0]} {abs(fit.b):.1f} log T"
            power = f"{fit.c:.3g} T^p, p = {fit.p:.2f} ({fit.interval[0]:.2f} to {fit.interval[1]:.2f})"
            panel.plot(x, fit.a + fit.b * np.log(x), "-", color=color, linewidth=1.2, label=logarithm)
            panel.plot(x, fit.c * x**fit.p, "--", color=color, linewidth=1.2, label=power)
    panel.set_title(f"critical size (bars: standard error, {few} resamples)", fontsize=9)
    panel.set_xlabel("context length T")
    panel.set_ylabel("critical number of training strings m")
    if not contexts:  # all trials failed
        return
    panel.set_xscale("log")
    panel.set_xticks(contexts, [str(T) for T in contexts], rotation=60 if len(contexts) > 6 else 0)
    panel.set_xticks([], minor=True)
    panel.set_xlim(contexts[0] / 1.15, contexts[-1] * 1.15)
    panel.set_ylim(0, 1.06 * panel.get_ylim()[1])
