"""Attention rows of one network with the components framed, its MLP, and how often rows show components."""

from __future__ import annotations

from typing import Any

import numpy as np

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, ends, number, numbers, values, where

NETWORKS, PARTS = Look(style.BLUE, "o", "none"), Look(style.GREEN, "^", "none")

WAVES = (Look(style.PURPLE, "D", "-"), Look(style.VERMILLION, "s", "--"))


def draw(figure: Any, data: Data) -> None:
    left, middle, right = style.panels(figure, data.question, height=3.75, columns=3, width_ratios=(1.3, 0.9, 1.1))[0]
    shown = next((row for row in data.table if row["in the figure"] == "yes"), None)
    if shown:
        _heat(left, where(data.series, kind="attention"))
        left.set_title(f"One network, degree {shown['degree']},\nsparsity {shown['sparsity']}: attention")
    _waves(middle, where(data.series, kind="MLP"))
    _shares(right, where(data.series, kind="share"))
    style.legend(figure, [
        style.patch("none", "a row that shows a component", edgecolor=style.ORANGE, linewidth=1.5),
        *(style.sample(look, f"MLP, degree {D}") for D, look in
          zip(values(where(data.series, kind="MLP"), "position"), WAVES, strict=False)),
        style.sample(NETWORKS, "networks with most components shown; bar: 95 %"),
        style.sample(PARTS, "needed components that are shown"),
        style.sample(PARTS.but(filled=False, color=style.MUTED), "the same by chance"),
    ], columns=2)  # fmt: skip


def _heat(panel: Any, rows: list[Row]) -> None:
    from matplotlib.patches import Rectangle

    places, tokens = values(rows, "place"), values(rows, "position")
    weights = np.array(numbers(rows, "value")).reshape(len(places), len(tokens))
    style.mark(panel.imshow(weights, cmap=style.shades(style.BLUE), vmin=0, aspect="auto", interpolation="nearest"),
               "data")  # fmt: skip
    panel.grid(False)
    for row in rows:
        if row["note"]:
            at = number(row["position"]) - 1.5, number(row["place"]) - 1.5
            frame = Rectangle(at, 1, 1, fill=False, edgecolor=style.ORANGE, linewidth=1.4)
            style.mark(panel.add_patch(frame), "guide")
    style.ticks(panel.xaxis, range(0, len(tokens), 5), [tokens[n] for n in range(0, len(tokens), 5)])
    style.ticks(panel.yaxis, [])
    panel.set(xlabel="position", ylabel="queries, by weight")


def _waves(panel: Any, rows: list[Row]) -> None:
    """A mark where a parity turns: at the shares k/D."""
    for degree, look in zip(values(rows, "position"), WAVES, strict=False):
        own = where(rows, position=degree)
        style.law(panel, numbers(own, "place"), numbers(own, "value"), look, kind="data")
        D = int(degree)
        at = [own[round(k / D * (len(own) - 1))] for k in range(D + 1)]
        style.points(panel, numbers(at, "place"), numbers(at, "value"), look)
    panel.set(xlabel="share of ones seen", title="The learned MLP", ylim=(-0.06, 1.06))
    style.ticks(panel.xaxis, (0, 1 / 3, 1 / 2, 2 / 3, 1), ("0", "1/3", "1/2", "2/3", "1"))
    style.ticks(panel.yaxis, (0, 1), ("least", "most"))


def _shares(panel: Any, rows: list[Row]) -> None:
    for what, look, apart in (("networks", NETWORKS, -5.0), ("components", PARTS, 4.0),
                              ("chance", PARTS.but(filled=False, color=style.MUTED), 4.0)):  # fmt: skip
        own = where(rows, place=what)
        offset = style.beside(panel, apart)
        x, y = numbers(own, "position"), numbers(own, "value")
        if what == "networks":
            low, high = ([ends(r["note"])[side] for r in own] for side in (0, 1))
            style.upright(panel, x, low, high, look, transform=offset)
        style.points(panel, x, y, look, transform=offset, markersize=6)
    panel.set(xlabel="degree", title="All fitted networks", ylim=(-0.04, 1.04), ylabel="share")
    style.across(panel, 0.5, "paper: most", "paper", place=0.02, below=True)
    degrees = sorted(set(numbers(rows, "position")))
    if degrees:
        panel.set_xlim(degrees[0] - 0.6, degrees[-1] + 0.6)
        style.ticks(panel.xaxis, degrees)
