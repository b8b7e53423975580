"""Networks that were constructed over what Proposition 6 prints for them: a constant must stay below the least."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import number, numbers, values, where

QUANTITIES = {
    "d_h over printed": (Look(style.BLUE, "o", "-"), "width of the state over\nN / log(1 + L²|U|²)"),
    "norm over printed": (Look(style.VERMILLION, "s", "--"), "norm |U|² over\nN / (L² log(1 + width))"),
}
TOP = 1000.0  # of the axis


def draw(figure: Any, data: Data) -> None:
    rows = where(data.table, kind="network")
    ((panel,),) = style.panels(figure, data.question, height=3.6)
    lengths, named = values(rows, "N"), []
    for column, (look, name) in QUANTITIES.items():
        least = [min(where(rows, N=N), key=lambda row: number(row[column])) for N in lengths]
        others = [row for row in rows if row not in least and number(row[column]) <= TOP]
        style.points(panel, numbers(others, "N"), numbers(others, column), look, markersize=3.5, alpha=0.45)
        style.curve(panel, numbers(least, "N"), numbers(least, column), look, markersize=6.5)
        named.append((number(least[-1][column]), name, look.color))
    panel.set(xscale="log", yscale="log", ylim=(0.1, TOP), xlabel="tokens N of a prompt",
              ylabel="a network's size over what is printed")  # fmt: skip
    style.ticks(panel.xaxis, [float(N) for N in lengths])
    style.ticks(panel.yaxis, (0.1, 1, 10, 100, 1000))
    panel.annotate("paper: some constant stays below at every N", (0.01, 0.03), xycoords="axes fraction",
                   fontsize=style.SMALL, fontweight="bold")  # fmt: skip
    style.ends(panel, named)
    style.legend(figure, [
        style.sample(Look(style.MUTED, "o", "-"), "least of the networks of this length", markersize=6),
        style.sample(Look(style.MUTED, "o", "none"), "the others, up to 1,000", markersize=3.5, alpha=0.6),
    ])  # fmt: skip
