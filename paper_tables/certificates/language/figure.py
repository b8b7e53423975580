"""What is certified in bits per byte, a row for each certificate."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import number, numbers, values

LOOKS = {"this corpus": Look(style.BLUE, "o"), "new text": Look(style.VERMILLION, "s")}
BELOW = 0.24  # of a row: fresh windows, which are near what is certified
HOEFFDING = Look(style.MUTED, "x", "none")


def draw(figure: Any, data: Data) -> None:
    ((panel,),) = style.panels(figure, data.question, height=1.9 + 0.36 * max(3, len(data.table)))
    style.names(panel, [f"{row['certificate']}\n({row['windows']})" for row in data.table])
    for place, row in enumerate(data.table):
        look = LOOKS[row["windows"]].but(line="none")
        mean, bound, fresh = (number(row[name]) for name in ("mean", "at most", "fresh windows"))
        style.level(panel, [place], [mean], [bound], look, width=2)
        style.points(panel, [mean], [place], look.but(marker="|"), markersize=13)
        style.points(panel, [fresh], [place + BELOW], look.but(marker="D", filled=False), markersize=4.5)
        style.points(panel, [bound], [place], look, markersize=6)
        by = [x for x in numbers([row], "by Hoeffding") if x == x]
        style.points(panel, by, [place] * len(by), HOEFFDING, markersize=6)
    shown = [x for _, points in style.drawn(panel) for x in points[:, 0]]
    lines = numbers(data.series, "bits per byte")
    panel.set(xlabel="bits per byte", xlim=(min(*shown, *lines) - 0.3, max(*shown, *lines) + 0.9))
    for row in data.series:
        style.down(panel, number(row["bits per byte"]), row["line"])
    muted = Look(style.MUTED, "D", "none", filled=False)
    style.legend(figure, [
        *(style.sample(LOOKS[name].but(line="none"), f"certified, {name}") for name in values(data.table, "windows")),
        style.sample(muted.but(marker="|"), "on its own windows"), style.sample(muted, "fresh windows"),
        style.sample(HOEFFDING, "by Hoeffding"),
    ], columns=3)  # fmt: skip
