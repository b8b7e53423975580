"""A row for every architecture, task and variant: the exponent with its interval, and that of the authors' plots."""

from __future__ import annotations

import math
from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, ends, number

LOOKS = {"text": Look(style.BLUE, "o", "-"), "script": Look(style.VERMILLION, "s", "-")}
MARKS = {"tick": "✓", "cross": "✗"}
LOGARITHMS = 3  # in Theorem 10: two of r_z^4 and one of the width of a token
LEFT, RIGHT = -1.0, 5.0  # of the axis


def logarithm(low: float, high: float) -> float:
    """The power of N as which log N grows, on the average from low to high."""
    return math.log(math.log(high) / math.log(low)) / math.log(high / low)


def draw(figure: Any, data: Data) -> None:
    rows = data.table
    ((panel,),) = style.panels(figure, data.question, height=1.5 + 0.29 * max(4, len(rows)))
    style.names(panel, [_name(row) for row in rows])
    for place, row in enumerate(rows):
        look, p = LOOKS.get(row["variant"], Look(style.MUTED)), number(row["exponent"])
        if p == p:
            (low, high), span = ends(row["interval"]), ends(row["N"])
            one = logarithm(*span)
            bar = panel.hlines([place], [one], [LOGARITHMS * one], color=style.FAINT, linewidth=11, zorder=1)
            style.mark(bar, "law")
            style.level(panel, [place], [max(low, LEFT)], [min(high, RIGHT)], look, width=1.6, zorder=3)
            style.points(panel, [p], [place], look, zorder=4, markersize=5.5)
            if high > RIGHT:
                panel.annotate("→", (RIGHT, place), va="center", ha="left", color=look.color, annotation_clip=False)
        slope = number(row["by the paper's means"])
        style.paper(panel, [slope], [place], markersize=7, zorder=5, markerfacecolor="none")
        word = _word(row)
        panel.annotate(word, (1, place), xycoords=("axes fraction", "data"), xytext=(14, 0), va="center",
                       textcoords="offset points", fontsize=style.SMALL, color=style.INK)  # fmt: skip
    panel.set(xlim=(LEFT, RIGHT), xlabel="exponent p of N in the samples until the test is passed")
    for x in (0, 1):
        style.down(panel, x, line="-" if x == 0 else style.DASHED)
    if rows:
        panel.annotate("reads as", (1, 1), xycoords="axes fraction", xytext=(14, 3), textcoords="offset points",
                       fontsize=style.SMALL, fontweight="bold")  # fmt: skip
    style.legend(figure, [
        style.sample(LOOKS["text"], "as the text trains; bar: 95 %"),
        style.sample(LOOKS["script"], "as the script trains"),
        style.sample(style.OF_THE_PAPER.but(line="none"), "paper: slope of the authors' plots"),
        style.patch(style.FAINT, "from log N to its third power"),
    ], columns=2)  # fmt: skip


def _name(row: Row) -> str:
    low, high = ends(row["N"])
    return f"{row['task']}, {row['model']}, N = {low:.0f} to {high:.0f}   paper: {MARKS[row['paper']]}"


def _word(row: Row) -> str:
    """The reading in a word."""
    text = row["reading"]
    return ("✓" if text.startswith("at most") else "✗" if text.startswith("more than") else "?") + (
        " (few runs)" if text.startswith("too few") else ""
    )
