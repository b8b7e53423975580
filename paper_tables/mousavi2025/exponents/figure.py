"""A row for every architecture, task and variant: the exponent with its interval, and that of the authors' plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.mousavi2025.samples import MODELS

if TYPE_CHECKING:
    from . import Entry

MARKS = {"tick": "✓", "cross": "✗"}
COLORS = {"text": PALETTE[0], "script": PALETTE[1]}
NAMES = {"simple": "simple-1STR", "qstr": "1STR"}


def draw(figure: Any, found: Sequence[Entry]) -> None:
    panel = figure.subplots()
    seen: set[str] = set()
    right = max([5.0, *(entry.law.p + 0.5 for entry in found if entry.law)])  # where what has no end is cut off
    for row, entry in enumerate(found):
        color = COLORS.get(entry.variant, "gray")
        label = f"variant {entry.variant}" if entry.variant not in seen else None
        seen.add(entry.variant)
        if entry.law:
            low, high = entry.law.interval
            ends = [[entry.law.p - max(low, -1)], [min(high, right) - entry.law.p]]
            panel.errorbar(entry.law.p, row, xerr=ends, fmt="o", color=color, capsize=3, markersize=6, label=label)
            if high > right:
                panel.plot(right, row, ">", color=color)
        panel.plot(entry.printed, row, "D", color="gray", markerfacecolor="none", markersize=6,
                   label="the authors' plots, on their N" if row == 0 else None)  # fmt: skip
        if entry.law:
            panel.plot(entry.both, [row, row], color=PALETTE[2], linewidth=7, alpha=0.3, zorder=0,
                       solid_capstyle="butt", label=_once(seen, "from log N to its third power"))  # fmt: skip
    names = [
        f"{NAMES[e.task]}, {MODELS[e.model]}  {MARKS[e.told['mark']]} (Theorem {e.told['theorem']}), "
        f"N = {e.range[0]} to {e.range[1]}"
        for e in found
    ]
    panel.set_yticks(range(len(found)), names)
    panel.set_ylim(max(1, len(found)) - 0.5, -0.5)
    for x in (0, 1):
        panel.axvline(x, color="black", linewidth=0.8, linestyle="-" if x == 0 else ":")
    panel.set_xlabel("exponent p of N in the samples until the test is passed (bars: 95 %)")
    panel.grid(alpha=0.3, axis="x")
    if found:
        figure.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)


def _once(seen: set[str], label: str) -> str | None:
    if label in seen:
        return None
    seen.add(label)
    return label
