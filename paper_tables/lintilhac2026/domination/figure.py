"""Constructed over learned, in norm and in trace: every fitted function, and means of classes."""

from __future__ import annotations

import math
from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import LOOKS
from maurey.paper_tables.tabled import Row, numbers, values, where

APART = 8.0  # points, of sparsities
PANELS = {
    "ratio of traces": ("trace", "Sharpness: trace of the Hessian"),
    "ratio of norms": ("norm", "Norm of all weights"),
}


def draw(figure: Any, data: Data) -> None:
    fitted = where(data.table, variant="text", converged="yes")
    row = style.panels(figure, data.question, height=3.8, columns=2, sharey=True)[0]
    known = sorted(values(data.table, "sparsity"), key=int)
    for panel, (column, (name, title)) in zip(row, PANELS.items(), strict=True):
        for n, (sparsity, look) in enumerate(zip(known, LOOKS, strict=False)):
            own = [r for r in where(fitted, sparsity=sparsity) if r[column] != "-"]
            offset = style.beside(panel, APART * (n - (len(known) - 1) / 2))
            style.points(panel, numbers(own, "degree"), numbers(own, column), look, transform=offset, markersize=2.5,
                         alpha=0.45)  # fmt: skip
            if int(sparsity) == data.facts["earlier"]["omega"]:
                _log(panel, data.facts["earlier"], name, offset)
            x, y = _means(own, column)
            style.curve(panel, x, y, look, kind="law", transform=offset, markersize=5.5, linewidth=1.1, zorder=3)
        panel.set(yscale="log", xlabel="degree", ylim=(0.3, 300), xlim=(0.45, 5.55))
        panel.set_title(f"{data.facts['figures'][name]}. {title}")
        style.across(panel, 1, line="-")
        style.across(panel, data.facts["factor"], "paper: roughly two orders", "paper", place=0.02)
        style.ticks(panel.xaxis, data.facts["degrees"])
    row[1].annotate("above 1 the construction is larger,\nas Theorem 2 needs it", (0.03, 0.62),
                    xycoords="axes fraction", fontsize=style.SMALL, color=style.MUTED)  # fmt: skip
    style.ticks(row[0].yaxis, (0.3, 1, 3, 10, 30, 100, 300))
    row[0].set_ylabel("constructed over learned")
    omega = data.facts["earlier"]["omega"]
    style.legend(figure, [
        *(style.sample(look, f"sparsity {sparsity}") for sparsity, look in zip(known, LOOKS, strict=False)),
        style.sample(style.OF_THE_PAPER.but(line="none"), f"authors' log, earlier version, sparsity {omega}"),
    ], columns=5, columnspacing=1.2, handlelength=2)  # fmt: skip


def _log(panel: Any, earlier: dict[str, Any], name: str, offset: Any) -> None:
    """The ratio in the authors' log, of an earlier version: between the ends of what it has for the learned network."""
    ratio = earlier[f"built_{name}"] / math.sqrt(math.prod(earlier[name]))
    style.points(panel, [earlier["D"]], [ratio], style.OF_THE_PAPER, kind="law", transform=offset, zorder=4)


def _means(rows: list[Row], column: str) -> tuple[list[float], list[float]]:
    """Geometric means of classes."""
    degrees = sorted(set(numbers(rows, "degree")))
    logs = [[math.log(x) for x in numbers(where(rows, degree=f"{D:.0f}"), column)] for D in degrees]
    return degrees, [math.exp(math.fsum(own) / len(own)) for own in logs]
