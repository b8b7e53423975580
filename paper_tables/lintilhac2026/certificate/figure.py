"""Certified bounds task by task, with what drawn networks lose on other strings, an ordinary held-out test, and the
loss of the best constant."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import number, numbers, where

PRIORS = {
    "initial weights": (Look(style.BLUE, "|"), -0.17),
    "half of the strings": (Look(style.VERMILLION, "|"), 0.17),
}
FLOOR = 1e-3  # of the figure: what is below is drawn there
LOST, GOT, HELD_OUT = "drawn, on other strings", "bound", "held-out test"


def draw(figure: Any, data: Data) -> None:
    tasks = [(row["network"], row["degree"], row["sparsity"]) for row in data.table]
    tasks = sorted(dict.fromkeys(tasks), key=lambda task: (task[0] != "one channel", int(task[2]), int(task[1])))
    ((panel,),) = style.panels(figure, data.question, height=1.7 + 0.24 * max(4, len(tasks)))
    style.names(panel, [_name(*task) for task in tasks])
    for place, (network, degree, sparsity) in enumerate(tasks):
        own = where(data.table, network=network, degree=degree, sparsity=sparsity)
        for prior, (look, apart) in PRIORS.items():
            these = where(own, prior=prior)
            at = [place + apart] * len(these)
            lost = [max(FLOOR, x) for x in numbers(these, LOST)]
            style.points(panel, numbers(these, GOT), at, look, markersize=8, markeredgewidth=2.4, zorder=3)
            style.points(panel, lost, at, look.but(marker="o", filled=False), markersize=4)
            tests = [max(FLOOR, number(row[HELD_OUT])) for row in these if row[HELD_OUT]]
            style.points(panel, tests, [place] * len(tests), Look(style.GREEN, "^", filled=False), markersize=5)
        (chance,) = {number(row["of a constant"]) for row in own}
        line = panel.vlines([chance], place - 0.42, place + 0.42, color=style.INK, linewidth=2)
        style.mark(line, "guide")
    panel.set(xscale="log", xlim=(FLOOR / 1.3, 1.25), xlabel="loss")
    style.ticks(panel.xaxis, (FLOOR, 0.01, 0.1, 0.25, 0.5, 1), (f"≤ {FLOOR:g}", "0.01", "0.1", "0.25", "0.5", "1"))
    tested = style.sample(Look(style.GREEN, "^", "none", filled=False), "held-out test of what fitted the other half")
    style.legend(figure, [
        *(style.sample(look.but(line="none"), f"bound, prior around {prior}", markeredgewidth=2.4, markersize=8)
          for prior, (look, _) in PRIORS.items()),
        style.sample(Look(style.MUTED, "o", "none", filled=False), "drawn networks, other strings"),
        *([tested] if any(row[HELD_OUT] for row in data.table) else []),
        style.sample(Look(style.INK, "|", "none"), "the best constant", markeredgewidth=2, markersize=10),
    ], columns=2)  # fmt: skip


def _name(network: str, degree: str, sparsity: str) -> str:
    return f"{network}, degree {degree}, sparsity {sparsity}"
