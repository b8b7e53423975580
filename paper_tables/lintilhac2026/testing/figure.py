"""Reported against true levels, of degree and of sparsity."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import LOOKS
from maurey.paper_tables.tabled import Row, numbers, values, where

TRUTH = style.Look(style.INK, "", (0, (4, 2)))
APART = 6.0  # points, of resolutions


def draw(figure: Any, data: Data) -> None:
    left, right = style.panels(figure, data.question, height=3.75, columns=2)[0]
    for panel, kind in ((left, "degree"), (right, "sparsity")):
        own = where(data.table, kind=kind)
        true = sorted(set(numbers(own, "true")))
        panel.set(xlabel=f"true {kind}", ylabel="level that is accepted first", title=kind.capitalize())
        if not true:
            continue
        style.law(panel, [0, true[-1] * 1.05], [0, true[-1] * 1.05], TRUTH, kind="guide", linewidth=1)
        cases, named = values(own, "eps"), []
        for n, (eps, look) in enumerate(zip(cases, LOOKS, strict=False)):
            these = where(own, eps=eps)
            _levels(panel, these, look, APART * (n - (len(cases) - 1) / 2))
            text = "reported" if eps == "-" else f"lets {eps}\nof energy pass"
            named.append((numbers(these, "mean level")[-1], text, look.color))
        panel.set(xlim=(0, true[-1] * 1.12), ylim=(-0.03 * true[-1], true[-1] * 1.12))
        style.ticks(panel.xaxis, true)
        style.ticks(panel.yaxis, [0, *true])
        style.ends(panel, [*named, (true[-1] * 1.07, "the truth", style.INK)])
    style.legend(figure, [style.sample(style.Look(style.MUTED, "o", "none"), "mean over drawn functions"),
                          style.sample(style.Look(style.MUTED, "|", "none"), "bar: from the least to the largest",
                                       markersize=9)])  # fmt: skip
    right.annotate("paper: at or below it,\nlower with more energy", (0.03, 0.97), xycoords="axes fraction", va="top",
                   fontsize=style.SMALL, fontweight="bold")  # fmt: skip
    left.annotate("paper: true for most", (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=style.SMALL,
                  fontweight="bold")  # fmt: skip


def _levels(panel: Any, rows: list[Row], look: style.Look, apart: float) -> None:
    """Means, and lines from the least to the largest."""
    offset = style.beside(panel, apart)
    x = numbers(rows, "true")
    style.upright(panel, x, numbers(rows, "least"), numbers(rows, "largest"), look, transform=offset)
    style.points(panel, x, numbers(rows, "mean level"), look, transform=offset, zorder=3, markersize=5.5)
