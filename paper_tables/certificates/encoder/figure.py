"""Samples that covering bounds ask for, and shares of errors that certificates allow, one mark for each function."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import LOOKS, SMALL
from maurey.paper_tables.tabled import Row, number, numbers, values, where

FLOOR = 1e-4  # what is below is drawn there
APART = 0.2  # of the functions in a row
AUTHORS = {"edelman2022": "Edelman et al.", "trauger2024": "Trauger, Tewari"}
COUNTED = "trauger2024/S2.5"


def draw(figure: Any, data: Data) -> None:
    functions, bounds = values(data.table, "function"), values(data.series, "covering bound")
    bounds.sort(key=lambda name: -max(numbers(where(data.series, covering_bound=name), "samples")))
    names = values(data.table, "certificate")
    rows = max(1, len(bounds)), max(1, len(names))
    (above,), (below,) = style.panels(figure, data.question, height=2.1 + 0.21 * sum(rows), rows=2, height_ratios=rows)
    style.names(above, [_named(name) for name in bounds])
    style.names(below, names)
    for place, function in enumerate(functions):
        look = LOOKS[place % len(LOOKS)].but(line="none")
        shift = APART * (place - (len(functions) - 1) / 2)
        own, asked = where(data.table, function=function), where(data.series, function=function)
        at = [bounds.index(row["covering bound"]) + shift for row in asked]
        style.points(above, numbers(asked, "samples"), at, look, markersize=4)
        at = [names.index(row["certificate"]) + shift for row in own]
        fresh = [max(FLOOR, x) for x in numbers(own, "on fresh strings")]
        style.points(below, fresh, at, look.but(filled=False), markersize=4.5)
        style.points(below, numbers(own, "at most"), at, look, markersize=4.5)
    above.set(xscale="log", xlabel="samples with which a covering bound is down to log 2, the loss of a coin")
    below.set(xscale="log", xlim=(FLOOR / 1.3, 1.3), xlabel="share of errors")
    many = _most(data.table)
    above.set_xlim(left=many / 3)
    style.down(above, many, f"there were {many:.0f}", top=0.35)
    style.down(below, 0.5, "a coin")
    style.decades(above.xaxis, 2)
    style.ticks(below.xaxis, (FLOOR, 0.001, 0.01, 0.1, 1), (f"≤ {FLOOR:g}", "0.001", "0.01", "0.1", "1"))
    for axes in (above, below):
        axes.tick_params(axis="y", labelsize=SMALL)
    samples = [style.sample(LOOKS[i % len(LOOKS)].but(line="none"), name) for i, name in enumerate(functions)]
    hollow = style.sample(style.Look(style.MUTED, "o", "none", filled=False), "on fresh strings")
    style.legend(figure, [*samples, hollow], columns=len(samples) + 1)


def _most(table: list[Row]) -> float:
    return max((number(row["strings"]) for row in table), default=1.0)


def _named(name: str) -> str:
    """The key of a covering bound in words."""
    key, _, form = name.rpartition(", ")
    paper, _, theorem = key.partition("/")
    theorem, _, part = theorem.partition(":")
    more = ", norms of its proof" if part.endswith("rows") else ""
    words = "counting parameters" if key == COUNTED else f"{AUTHORS.get(paper, paper)} {theorem}{more}"
    return f"{words}, {form}"
