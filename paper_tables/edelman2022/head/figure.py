"""How much the bound on one attention head grows with the length, and with the width."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import FORMS
from maurey.paper_tables.tabled import numbers, values, where

MARKS = {"4.4": "o", "A.11": "s", "A.12": "^"}
NAMES = {"4.4": "4.4, one head", "A.11": "A.11, with positions", "A.12": "A.12, four heads"}


def draw(figure: Any, data: Data) -> None:
    left, right = style.panels(figure, data.question, height=3.9, columns=2)[0]
    names: dict[str, list[float]] = {}
    for claim in values(data.series, "claim"):
        own = where(data.series, claim=claim)
        for form in ("printed", "derived", "sharp"):
            look = FORMS[form].but(marker=MARKS[claim])
            grown = numbers(own, form)
            style.curve(left, numbers(own, "T"), grown, look, markersize=3.5)
            names.setdefault(form, []).append(grown[-1])
    left.set(xscale="log", xlabel="context length T", title="Log covering number over that at T = 16",
             ylim=(0.95, 2.05))  # fmt: skip
    style.ticks(left.xaxis, (16, 4096, 1048576))
    style.ticks(left.yaxis, (1, 1.25, 1.5, 1.75, 2))
    ends = []
    for claim in ("A.12",):
        rows = where(data.table, axis="d", claim=claim)
        for form in ("printed", "derived", "sharp"):
            size = numbers(rows, form)
            style.curve(right, numbers(rows, "at"), size, FORMS[form].but(marker=MARKS[claim]), markersize=3.5)
            ends.append((size[-1], _word(form), FORMS[form].color))
    right.set(xscale="log", yscale="log", xlabel="width d", title="Log covering number of A.12")
    style.ticks(right.xaxis, (8, 32, 128, 512))
    style.decades(right.yaxis, 2)
    style.ends(left, [(sum(y) / len(y), _word(form), FORMS[form].color) for form, y in names.items()])
    style.ends(right, ends)
    style.legend(figure, [style.sample(style.Look(style.MUTED, mark, "none"), NAMES[claim])
                          for claim, mark in MARKS.items()])  # fmt: skip


def _word(form: str) -> str:
    return "as printed" if form == "printed" else form
