"""For each cover at one resolution: what no cover can undercut, what was built, and what the formulas say."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import FORMS, Look
from maurey.paper_tables.tabled import Row, number, values, where

SHARE = 4  # which resolution of each cover is drawn: three fifths of the radius of the class
OURS = ("lattice", "net")  # other formulas that are the sharp ones of their covers
PACKING, BUILT = Look(style.INK, "|"), Look(style.ORANGE, "o", filled=False)
WORDS = {"printed": "as printed", "repaired": "repaired", "derived": "derived", "sharp": "sharp"}


def draw(figure: Any, data: Data) -> None:
    names = values(data.table, "cover")
    ((panel,),) = style.panels(figure, data.question, height=1.7 + 0.34 * len(names))
    rows = [_row(where(data.table, cover=name)) for name in names]
    style.names(panel, [_told(row) for row in rows])
    for place, row in enumerate(rows):
        found = {form: number(row[form]) for form in FORMS} | _others(row)
        least, sharp = number(row["packing"]), found["sharp"]
        style.level(panel, [place], [least], [sharp], Look(style.FAINT), width=7, zorder=1)
        style.points(panel, [least], [place], PACKING, markersize=11, markeredgewidth=2.2, zorder=4)
        for form, size in found.items():
            if size == size:
                style.points(panel, [size], [place], FORMS[form], markersize=6.5, zorder=3)
        if row["built"] != "-":
            style.points(panel, [number(row["built"])], [place], BUILT, markersize=9, zorder=2.5, markeredgewidth=1.4)
    panel.set(xscale="log", xlabel="log covering number at three fifths of the radius")
    style.decades(panel.xaxis)
    style.legend(figure, [
        style.sample(PACKING.but(line="none"), "no cover is smaller (packing)", markersize=10, markeredgewidth=2.2),
        style.sample(BUILT.but(line="none"), "built", markersize=8),
        *(style.sample(FORMS[form].but(line="none"), word) for form, word in reversed(WORDS.items())),
        style.patch(style.FAINT, "from packing to sharp"),
    ], columns=4)  # fmt: skip


def _row(rows: list[Row]) -> Row:
    return rows[min(SHARE, len(rows) - 1)]


def _others(row: Row) -> dict[str, float]:
    """The sharp formula, where it has another name."""
    named = dict(entry.rsplit(" ", 1) for entry in row["other formulas"].split(", ") if " " in entry)
    return {form: float(named[ours]) for form in ("sharp",) for ours in OURS if ours in named}


def _told(row: Row) -> str:
    name, _, sizes = row["cover"].replace("10^12", "$10^{12}$").partition(": ")
    what, _, sizes = sizes.partition(", ")
    return f"{name}: {what}\n{sizes}" if sizes else f"{name}: {what}"
