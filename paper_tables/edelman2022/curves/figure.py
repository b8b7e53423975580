"""Held-out accuracy during training, with the place from which on no training string is wrong."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, number, numbers, values, where

FEW, MANY = Look(style.VERMILLION, "s", (0, (4, 1.5))), Look(style.BLUE, "o", "-")


def draw(figure: Any, data: Data) -> None:
    contexts = values(data.series, "T")
    row = style.panels(figure, data.question, height=3.5, columns=max(1, len(contexts)), sharey=True)[0]
    for panel, T in zip(row, contexts, strict=False):
        own = where(data.series, T=T)
        sizes = sorted(values(own, "m"), key=int)
        named: dict[str, list[float]] = {}
        for m, look in zip(sizes, (FEW, MANY), strict=False):
            for trial in values(where(own, m=m), "trial"):
                curve = where(own, m=m, trial=trial)
                style.law(panel, numbers(curve, "iteration"), numbers(curve, "accuracy"), look, kind="data",
                          linewidth=1.3)  # fmt: skip
                _fitted(panel, curve, where(data.table, T=T, m=m, trial=trial), look)
                named.setdefault(m, []).append(number(curve[-1]["accuracy"]))
        panel.set_title(f"T = {T}" + _figure(data.facts, T))
        panel.set(xscale="log", xlabel="training iterations", xlim=(10, 1000))
        style.ticks(panel.xaxis, (10, 30, 100, 300, 1000))
        style.across(panel, data.facts["training"]["learned"], "paper: learned", "paper", place=0.01)
        style.across(panel, 7 / 8, "always answering 0", place=0.01, below=True, off=8)
        panel.set_ylim(min([0.75, *numbers(data.series, "accuracy")]) - 0.01, 1.03)
        style.ends(panel, [(sum(y) / len(y), f"m = {m}", look.color) for (m, y), look in
                           zip(named.items(), (FEW, MANY), strict=False)])  # fmt: skip
    row[0].set_ylabel("accuracy on held-out strings")
    mark = style.sample(Look(style.MUTED, "o", "none"), "a mark: from here on every training string is right")
    if contexts:
        style.legend(figure, [mark])


def _figure(facts: dict[str, Any], T: str) -> str:
    """Which of the paper's has this length."""
    return next((f" ({one['figure']})" for one in facts["instance"] if str(one["T"]) == T), "")


def _fitted(panel: Any, curve: list[Row], runs: list[Row], look: Look) -> None:
    for run in runs:
        at = [row for row in curve if row["iteration"] == run["no training error from"]]
        style.points(panel, numbers(at, "iteration"), numbers(at, "accuracy"), look, markeredgecolor=style.PAPER)
