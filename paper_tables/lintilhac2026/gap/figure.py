"""The measured gap and the bounds of Theorem 2 against the degree, a panel for each sparsity."""

from __future__ import annotations

from typing import Any

import numpy as np

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import numbers, paired, values, where

BOUNDS = {
    "printed, truncated": (Look(style.VERMILLION, "X", ":"), "Theorem 2, no remainder"),
    "printed, whole": (Look(style.PURPLE, "D", "--"), "Theorem 2, with its remainder"),
}
GAP = Look(style.BLUE, "o", "-")
CONSTANT, LEAST = 0.25, 4e-6


def draw(figure: Any, data: Data) -> None:
    rows = where(data.table, variant="text")
    known = sorted(values(rows, "sparsity"), key=int)
    row = style.panels(figure, data.question, height=3.85, columns=max(1, len(known)), sharey=True)[0]
    for panel, sparsity in zip(row, known, strict=False):
        own = where(rows, sparsity=sparsity)
        for column, (look, _) in BOUNDS.items():
            x, y = paired(own, "degree", column)
            style.curve(panel, x, y, look, markersize=4)
        fitted = [r for r in own if r["gap"] != "-"]
        D, means, errors = (np.array(numbers(fitted, name)) for name in ("degree", "gap", "standard error"))
        bars = panel.vlines(D, np.maximum(means - errors, LEAST), means + errors, color=GAP.color, linewidth=1.2)
        style.mark(bars, "law")
        style.curve(panel, D, means, GAP)
        plot = data.facts["earlier"]["gaps"].get(sparsity, [])
        there = [y if y > 0 else np.nan for y in plot]  # a line breaks where there is nothing to draw
        style.paper(panel, data.facts["degrees"][: len(there)], there)
        style.across(panel, CONSTANT, "loss of a constant" if panel is row[0] else "", below=True)
        none = [r["degree"] for r in own if r["gap"] == "-"]
        panel.annotate(f"none fitted:\n{', '.join(none)}" if none else "", (0.97, 0.02), xycoords="axes fraction",
                       ha="right", fontsize=style.SMALL, color=style.MUTED)  # fmt: skip
        panel.set(yscale="log", ylim=(LEAST, 3e3), xlabel="degree", title=f"sparsity {sparsity}", xlim=(0.6, 5.4))
        style.ticks(panel.xaxis, data.facts["degrees"])
    style.decades(row[0].yaxis)
    row[0].set_ylabel("gap in the squared error, and bounds")
    style.legend(figure, [
        style.sample(GAP, "measured; bar: a standard error"),
        *(style.sample(look, text, markersize=4) for look, text in BOUNDS.values()),
        style.sample(style.OF_THE_PAPER, "authors' plot, earlier version", linewidth=0.9, markersize=4.5),
    ], columns=2)  # fmt: skip
