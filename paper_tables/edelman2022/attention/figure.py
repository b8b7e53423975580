"""Where the heads of one network look, and how much attention is left for the other bits in all networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, number, numbers, values

ZERO = 0.05  # of a relevant bit's weight: less than this shows as nothing on a linear scale of color
ALL, BUSY = Look(style.BLUE, "o", filled=False), Look(style.BLUE, "o")


def draw(figure: Any, data: Data) -> None:
    left, right = style.panels(figure, data.question, height=3.7, columns=2, width_ratios=(1.25, 1))[0]
    _heads(figure, left, data)
    _ratios(right, data)
    style.legend(figure, [
        style.sample(BUSY.but(line="none"), "heads that look at the hidden bits"),
        style.sample(ALL.but(line="none"), "all heads"),
    ], columns=2)  # fmt: skip


def _heads(figure: Any, panel: Any, data: Data) -> None:
    """The mean over strings, by head; those that look most at the hidden bits first."""
    shown = next((row for row in data.table if row["in the figure"] == "yes"), None)
    panel.set(xlabel="position (hidden bits are named)", ylabel="heads", title="Attention in one network")
    if shown is None:
        return
    heads, tokens = values(data.series, "head"), values(data.series, "position")
    weights = np.array(numbers(data.series, "weight")).reshape(len(heads), len(tokens))
    hidden = [int(x) for x in shown["hidden positions"].split()]
    order = np.argsort(-weights[:, [x - 1 for x in hidden]].sum(1))
    image = panel.imshow(weights[order], aspect="auto", cmap=style.shades(style.BLUE), vmin=0, interpolation="nearest",
                         extent=(0.5, len(tokens) + 0.5, len(heads) + 0.5, 0.5))  # fmt: skip
    style.mark(image, "data")
    panel.grid(False)
    style.ticks(panel.xaxis, [*hidden, len(tokens)], [*map(str, hidden), "[CLS]"])
    style.ticks(panel.yaxis, [])
    bar = figure.colorbar(image, ax=panel, location="bottom", shrink=0.7, aspect=30, pad=0.03)
    bar.outline.set_visible(False)
    bar.set_label("attention of [CLS]", size=style.SMALL)


def _ratios(panel: Any, data: Data) -> None:
    rows = [row for row in data.table if row["status"] == "done"]
    style.names(panel, [_name(row, data.table) for row in rows])
    places = range(len(rows))
    panel.set(title="All networks", xlabel="attention to an irrelevant bit\nover that to a relevant one")
    style.down(panel, 0, kind="paper", line="-")
    style.down(panel, ZERO)
    style.points(panel, numbers(rows, "ratio"), places, ALL)
    style.points(panel, numbers(rows, "their ratio"), places, BUSY, zorder=3)
    most = max([0.15, *numbers(rows, "ratio")])
    panel.set_xlim(-0.03 * most, 1.05 * most)
    style.ticks(panel.xaxis, (0, ZERO, 0.1, 0.15), ("0 (paper)", "0.05 (ours)", "0.1", "0.15"))


def _name(row: Row, table: list[Row]) -> str:
    drawn = ", shown" if row["in the figure"] == "yes" else ""
    return f"{'with' if row['protocol'] == 'paper' else 'no'} dropout, {int(number(row['trial'])) + 1}{drawn}"
