"""The matrix between queries and keys: of the paper's construction, and of a trained network of each variant."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.tabled import Row, number, values, where

IDEAL = "construction"
TITLES = {
    IDEAL: "Construction (A.2)",
    "text": "Trained as in the text",
    "script": "Trained as in the script",
}


def draw(figure: Any, data: Data) -> None:
    from matplotlib.patches import Rectangle

    shown = values(data.series, "matrix")
    row = style.panels(figure, data.question, height=3.4, columns=max(1, len(shown)))[0]
    image = None
    for panel, name in zip(row, shown, strict=False):
        rows = where(data.series, matrix=name)
        keys = [column for column in rows[0] if column not in ("matrix", "query")]
        M = np.array([[number(r[key]) for key in keys] for r in rows])
        image = panel.imshow(M, cmap=style.shades(style.BLUE), vmin=0, vmax=M.max(), interpolation="nearest")
        style.mark(image, "data")
        edges = _edges(keys)
        middles = [(a + b - 1) / 2 for a, b in pairwise(edges)]
        style.ticks(panel.xaxis, middles, ["$x$", "$w_j$", "$w_t$"])
        style.ticks(panel.yaxis, middles, ["$x$", "$w_i$", "$w_t$"])
        panel.grid(False)
        panel.tick_params(length=0)
        for edge in edges[1:-1]:
            style.mark(panel.axhline(edge - 0.5, color=style.MUTED, linewidth=0.6), "guide")
            style.mark(panel.axvline(edge - 0.5, color=style.MUTED, linewidth=0.6), "guide")
        size = edges[2] - edges[1]
        corner = (edges[1] - 0.5, edges[2] - 0.5)
        frame = Rectangle(corner, size, size, fill=False, edgecolor=style.ORANGE, linewidth=1.6)
        style.mark(panel.add_patch(frame), "guide")
        panel.set_title(TITLES[name])
        panel.set_xlabel(f"key\n{_told(name, data)}", fontsize=style.SMALL)
    row[0].set_ylabel("query")
    if image is not None:
        bar = figure.colorbar(image, ax=list(row), location="bottom", shrink=0.4, aspect=40, pad=0.03)
        bar.set_ticks([0, image.get_clim()[1]], labels=["0", "the largest of its matrix"])
        bar.outline.set_visible(False)


def _edges(keys: list[str]) -> list[int]:
    """Where x, w_j and w_t begin and end."""
    blocks = [key.rpartition(" ")[0] for key in keys]
    return [0, *(n for n in range(1, len(keys)) if blocks[n] != blocks[n - 1]), len(keys)]


def _told(name: str, data: Data) -> str:
    """What stands below a matrix."""
    if name == IDEAL:
        return f"paper: trained weights match;\nlargest about {data.facts['largest']}"
    own: Row = next(row for row in data.table if row["variant"] == name and row["in the figure"] == "yes")
    return (
        f"{100 * number(own['share of its diagonal']):.0f} % of the squared norm on the\n"
        f"framed diagonal; largest {number(own['largest entry']):.0f}"
    )
