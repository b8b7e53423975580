"""The loss of every seed during training, on a logarithmic axis, so that falls are seen wherever they are."""

from __future__ import annotations

import math
from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import numbers, values, where

LEARNED, NEVER = Look(style.BLUE, "o", "-"), Look(style.VERMILLION, "x", (0, (3, 1)))


def draw(figure: Any, data: Data) -> None:
    contexts = values(data.series, "T")
    row = style.panels(figure, data.question, height=3.4, columns=max(1, len(contexts)), sharey=True)[0]
    top = 1.04 * max([0.85, *numbers(data.series, "loss")])
    for panel, T in zip(row, contexts, strict=False):
        runs = [run for run in where(data.table, T=T) if run["status"] == "done"]
        learned = [run for run in runs if not run["no errors from"].startswith("not")]
        for run in sorted(runs, key=lambda run: run not in learned, reverse=True):
            curve = where(data.series, T=T, trial=run["trial"])
            look = LEARNED if run in learned else NEVER
            x, y = numbers(curve, "iteration"), numbers(curve, "loss")
            style.law(panel, x, y, look, kind="data", linewidth=1.1 if run in learned else 1.8)
            fallen = [row for row in curve if row["iteration"] == run["errors below 1 in 100 from"]]
            style.points(panel, numbers(fallen, "iteration"), numbers(fallen, "loss"), LEARNED, markersize=4)
        panel.set_title(f"T = {T}: {len(learned)} of {len(runs)} seeds learn")
        panel.set(xscale="log", xlabel="training iterations", xlim=(90, 11000), ylim=(-0.03, top))
        style.ticks(panel.xaxis, (100, 1000, 10000))
        for end in [data.facts["axis"][T]] if T in data.facts["axis"] else []:
            style.down(panel, end, "paper: end\nof its axis", "paper")
    style.ticks(row[0].yaxis, (0, 0.2, 0.4, math.log(2), 1), ("0", "0.2", "0.4", "ln 2: guessing", "1"))
    row[0].set_ylim(-0.03, top)
    row[0].set_ylabel("loss on fresh strings, in nats")
    if contexts:
        style.legend(figure, [
            style.sample(LEARNED.but(marker=""), "a seed that learns"),
            style.sample(LEARNED.but(line="none"), "held-out errors below 1 % from here on", markersize=4),
            style.sample(NEVER.but(marker=""), "a seed that does not, within 10,000 iterations", linewidth=1.8),
        ], columns=3)  # fmt: skip
