"""The bound against depth, and what each sharper step takes away from it by itself."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import FORMS, LOOKS
from maurey.paper_tables.tabled import numbers, where

FIRST, LAST = "printed", "carried radii"  # of the columns: forms, then swaps
STEPS = {
    "best gain": "best gain\nof a layer", "softmax constant 1": "softmax\nconstant 1",
    "smaller covers": "smaller covers", "scalar scores": "scalar scores",
}  # fmt: skip


def draw(figure: Any, data: Data) -> None:
    left, right = style.panels(figure, data.question, height=3.6, columns=2)[0]
    rows = where(data.table, axis="L")
    layers, names = numbers(rows, "at"), []
    for form in ("printed", "derived", "sharp"):
        values = numbers(rows, f"log10 {form}")
        style.curve(left, layers, values, FORMS[form])
        names.append((values[-1], "as printed" if form == "printed" else form, FORMS[form].color))
    left.set(title="The bound", ylabel="log covering number", xlabel="layers L", ylim=(0, None))
    powers = range(0, 61, 20)
    style.ticks(left.yaxis, powers, [style.power(n) for n in powers])
    steps = []
    for (name, words), look in zip(STEPS.items(), LOOKS, strict=False):
        values = numbers(rows, name)
        style.curve(right, layers, values, look)
        steps.append((values[-1], words, look.color))
    right.set(title="Smaller by this factor with one sharper step", yscale="log", xlabel="layers L")
    style.decades(right.yaxis, 5)
    for panel, named in ((left, names), (right, steps)):
        style.ticks(panel.xaxis, [x for x in layers if x == 1 or x >= 4])
        style.ends(panel, named)
