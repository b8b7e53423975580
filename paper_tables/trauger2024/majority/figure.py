"""The paper's three figures: the largest of the runs at every length, with the line that trends are judged by."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, numbers, where

NORM, START, GAP, ACCURACY = (
    "sum of absolute weights", "the same before training", "gap in cross-entropy", "held-out accuracy",
)  # fmt: skip
PANELS = {  # column: key of the facts, title
    NORM: ("norm", "Sum of |weights|"),
    GAP: ("gap", "Worst gap, in nats"),
    ACCURACY: ("accuracy", "Best accuracy"),
}
LOOKS = {"text": Look(style.BLUE, "o", "none"), "script": Look(style.VERMILLION, "s", "none")}
SAYS = {  # what the paper reports of each figure, in a line or two
    "norm": "paper: no increasing trend", "gap": "paper: no discernible trend", "accuracy": "paper: plateaus",
}  # fmt: skip


def draw(figure: Any, data: Data) -> None:
    row = style.panels(figure, data.question, height=3.2, columns=3)[0]
    lengths = data.facts["lengths"]
    for panel, (column, (fact, title)) in zip(row, PANELS.items(), strict=True):
        for variant, look in LOOKS.items():
            own = where(data.table, variant=variant)
            style.points(panel, numbers(own, "T"), numbers(own, column), look)
            if column == NORM:
                style.points(panel, numbers(own, "T"), numbers(own, START), look.but(filled=False), markersize=4)
            _trend(panel, own, column, look)
        panel.set_title(f"Figure {data.facts[fact]['figure']}: {title}", fontsize=style.SMALL + 0.5)
        panel.set(xlabel="bits T", xlim=(lengths[0] - 12, lengths[-1] + 12))
        style.ticks(panel.xaxis, lengths[::3])
        panel.annotate(SAYS[fact], (0.02, 0.97), xycoords="axes fraction", fontsize=style.SMALL, fontweight="bold",
                       va="top")  # fmt: skip
    for panel, column in zip(row, PANELS, strict=True):
        _, high = panel.get_ylim()
        floor = 0.45 if column == ACCURACY else 0.0
        panel.set_ylim(floor, high + 0.16 * (high - floor))
    style.across(row[2], 0.5, "chance")
    style.ticks(row[2].yaxis, (0.5, 0.6, 0.7, 0.8, 0.9, 1), ("0.5", "0.6", "0.7", "0.8", "0.9", "1"))
    style.legend(figure, [
        style.sample(LOOKS["text"], "as the text trains"),
        style.sample(LOOKS["script"], "as the authors' script trains"),
        style.sample(Look(style.MUTED, "o", "none", filled=False), "before training"),
        style.sample(Look(style.MUTED, "", "--"), "least squares"),
    ])  # fmt: skip


def _trend(panel: Any, rows: list[Row], column: str, look: Look) -> None:
    """Of accuracy over the longer half of the lengths, where a plateau would be."""
    own = rows[len(rows) // 2 :] if column == ACCURACY else rows
    x, y = numbers(own, "T"), numbers(own, column)
    fit = trend(x, y)
    if fit:
        middle = sum(y) / len(y), sum(x) / len(x)
        style.law(panel, [x[0], x[-1]], [middle[0] + fit[0] * (end - middle[1]) for end in (x[0], x[-1])],
                  look.but(line="--"), linewidth=1)  # fmt: skip
