"""The least risk of a layer against its heads: printed floors, sharp ones, and layers that were built."""

from __future__ import annotations

from typing import Any

import numpy as np

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, numbers, values, where

WIDTHS = (Look(style.BLUE, "o", "-"), Look(style.GREEN, "^", "-"), Look(style.PURPLE, "D", "-"))
DOTTED = (0, (1, 1.5))
APART = 3.5  # points
PANELS = {"any": "Proposition 4: any matrices", "block-diagonal": "Proposition 21: block-diagonal"}


def draw(figure: Any, data: Data) -> None:
    rows = where(data.table, kind="heads")
    row = style.panels(figure, data.question, height=3.95, columns=2, sharey=True)[0]
    widths = values(rows, "d")
    for panel, (matrices, title) in zip(row, PANELS.items(), strict=True):
        own, named = where(rows, matrices=matrices), []
        alike = _alike(own)
        for n, (d, look) in enumerate(zip(widths, WIDTHS, strict=False)):
            these = where(own, d=d)
            H = numbers(these, "H")
            if not alike or d == widths[-1]:
                shared = look if not alike else look.but(color=style.INK)
                style.law(panel, H, numbers(these, "sharp floor"), shared, kind="data", linewidth=1.3)
                printed = np.maximum(0.0, numbers(these, "printed floor"))
                floor = shared.but(marker="" if alike else look.marker, line=DOTTED, filled=False)
                style.curve(panel, H, printed, floor, "paper", linewidth=1.6, markersize=4)
            offset = style.beside(panel, APART * (n - (len(widths) - 1) / 2))
            found, error = np.array(numbers(these, "found")), np.array(numbers(these, "standard error"))
            bars = panel.vlines(H, found - 2 * error, found + 2 * error, color=look.color, linewidth=1.2,
                                transform=offset)  # fmt: skip
            style.mark(bars, "law")
            style.points(panel, H, found, look.but(line="none"), transform=offset, zorder=3)
            named.append(style.sample(look.but(line="none"), f"built, tokens of dimension {d}"))
        if alike:
            panel.annotate("all floors, printed\nand sharp: 1 - H/q", (2, 0.5), xytext=(10, 8),
                           textcoords="offset points", fontsize=style.SMALL)  # fmt: skip
        panel.set_title(title)
        panel.set(xlabel="heads H", ylim=(-0.03, 1.03), xlim=(0.7, 4.3))
        style.ticks(panel.xaxis, sorted(set(numbers(rows, "H"))))
    style.ticks(row[0].yaxis, (0, 0.25, 0.5, 0.75, 1), ("0", "0.25", "0.5", "0.75", "1: a constant"))
    row[0].set_ylabel("least risk of a layer")
    style.legend(figure, [
        *named, style.sample(Look(style.MUTED, "", "-"), "sharp floor"),
        style.sample(Look(style.MUTED, "o", DOTTED, filled=False), "paper: floor as printed", markersize=4),
        style.sample(Look(style.MUTED, "|", "none"), "bar: two standard errors", markersize=8),
    ], columns=3)  # fmt: skip


def _alike(rows: list[Row]) -> bool:
    """Whether the floors do not depend on the dimension."""
    floors: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        floors.setdefault(row["H"], set()).add((row["printed floor"], row["sharp floor"]))
    return all(len(own) == 1 for own in floors.values())
