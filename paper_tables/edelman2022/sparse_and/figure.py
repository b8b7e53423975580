"""Fractions of trials that succeed, as shades, and on them the critical sample sizes against the context length."""

from __future__ import annotations

from typing import Any

import numpy as np

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, number, numbers, where

RULES = {
    "arXiv": (Look(style.VERMILLION, "o", "-"), -4.0, "more than half\nof the trials learn"),
    "ICML": (Look(style.ORANGE, "s", "--"), 4.0, "80 % of the trials\nmake no error"),
}


def draw(figure: Any, data: Data) -> None:
    ((panel,),) = style.panels(figure, data.question, height=4.1)
    cells = [row for row in where(data.table, kind="cell") if row["value"] != "-"]
    main = [row for row in cells if row["protocol"] == "fast"] or cells
    panel.set(xscale="log", xlabel="context length T, in bits", ylabel="training strings m", ylim=(32, 212))
    if not main:  # all trials have failed
        return
    contexts, sizes = (sorted(set(numbers(main, name))) for name in ("T", "m"))
    squares = panel.scatter(numbers(main, "T"), numbers(main, "m"), c=numbers(main, "value"), s=150, marker="s",
                            cmap=style.shades(style.BLUE), vmin=0, vmax=1)  # fmt: skip
    style.mark(squares, "data")
    named = [_rule(panel, data.table, name, contexts) for name in RULES]
    _of_the_paper(panel, data.facts)
    style.ticks(panel.xaxis, contexts)
    style.ticks(panel.yaxis, sorted({*sizes[:: max(1, len(sizes) // 5)], *data.facts["critical"]["axis"]}))
    panel.set_xlim(contexts[0] / 1.2, contexts[-1] * 1.2)
    panel.grid(False)
    style.ends(panel, [name for name in named if name])
    bar = figure.colorbar(squares, ax=panel, location="bottom", shrink=0.5, aspect=40, pad=0.02)
    bar.set_label("fraction of the trials with held-out accuracy above 0.99", size=style.SMALL)
    bar.outline.set_visible(False)
    style.legend(figure, [style.sample(Look(style.MUTED, "|", "none"), "a standard error", markersize=9),
                          style.sample(Look(style.MUTED, "", "-"), "power law")])  # fmt: skip


def _rule(panel: Any, rows: list[Row], name: str, contexts: list[float]) -> tuple[float, str, str] | None:
    """The sizes with their standard errors, and the power law through them; its name at the end."""
    look, apart, text = RULES[name]
    own = where(rows, kind=f"critical size, {name}")
    known = [row for row in own if row["value"][0] not in "<>"]
    offset = style.beside(panel, apart)
    for side, sign in ((True, ">"), (False, "<")):
        beyond = [row for row in own if row["value"].startswith(sign)]
        if beyond:
            style.more_than(panel, numbers(beyond, "T"), numbers(beyond, "value"), look, up=side, transform=offset)
    for law in where(rows, kind=f"power law, {name}"):
        x = np.geomspace(contexts[0], contexts[-1], 60)
        c, p = number(law["note"].partition("c =")[2]), number(law["value"])
        style.law(panel, x, c * x**p, look, linewidth=1.3)
        text += f"\n(about $T^{{{p:.2f}}}$)"
    if not known:
        return None
    T, size, error = numbers(known, "T"), numbers(known, "value"), [number(row["note"]) for row in known]
    bars = panel.vlines(T, np.subtract(size, error), np.add(size, error), color=look.color, transform=offset)
    style.mark(bars, "law")
    style.points(panel, T, size, look, markersize=7, markeredgecolor=style.PAPER, transform=offset)
    few = [row for row in known if "not fitted" in row["note"]]
    hollow = look.but(filled=False)
    style.points(panel, numbers(few, "T"), numbers(few, "value"), hollow, markersize=7, transform=offset)
    return size[-1], text, look.color


def _of_the_paper(panel: Any, facts: dict[str, Any]) -> None:
    for end, below in zip(facts["critical"]["axis"], (False, True), strict=True):
        style.across(panel, end, "paper: end of its axis", "paper", place=0.11, below=below)
    at = facts["ICML"]["threshold"]
    style.paper(panel, [at["T"]], [at["m"]], markersize=8)
    panel.annotate("paper (ICML): about 70", (at["T"], at["m"]), xytext=(0, -8), textcoords="offset points",
                   ha="center", va="top", fontsize=style.SMALL, fontweight="bold")  # fmt: skip
