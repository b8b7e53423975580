"""Samples against q, with the q and the end of the axis of the paper's figure."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.mousavi2025 import figure as samples


def draw(figure: Any, data: Data) -> None:
    samples.draw(figure, data, "q", "tokens q that a label depends on")
    panel, own = figure.axes[0], data.facts["q"]
    style.mark(panel.axvspan(min(own) - 0.3, max(own) + 0.3, color=style.FAINT, alpha=0.5, zorder=0), "paper")
    panel.annotate("paper: its q", (sum(own) / len(own), 0.01), xycoords=("data", "axes fraction"), ha="center",
                   va="bottom", fontsize=style.SMALL, fontweight="bold", annotation_clip=True)  # fmt: skip
    style.across(panel, data.facts["axis"], "paper: end of its axis", "paper")
