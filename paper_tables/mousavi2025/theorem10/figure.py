"""How many samples a theorem asks for, in three forms, and how many were enough for trained networks."""

from __future__ import annotations

import math
from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import FORMS, MEASURED
from maurey.paper_tables.tabled import numbers, paired, where

NAMES = {
    "derived": "Theorem 10\nwith all constants",
    "sharp": "the best that\nis proved here",
    "printed": "as printed,\nhidden constant 1",
}
SAMPLES, TOOK = "samples for risk 0.7", "measured samples"


def draw(figure: Any, data: Data) -> None:
    ((panel,),) = style.panels(figure, data.question, height=3.6)
    named = []
    for form, name in NAMES.items():
        rows = where(data.table, form=form)
        style.curve(panel, numbers(rows, "N"), numbers(rows, SAMPLES), FORMS[form])
        named += [(numbers(rows, SAMPLES)[-1], name, FORMS[form].color)] if rows else []
    x, y = paired(where(data.table, form="derived"), "N", TOOK)
    style.curve(panel, x, y, MEASURED)
    panel.set(xscale="log", yscale="log", xlabel="tokens N of a prompt", ylabel="training samples for an error of 0.7")
    panel.set_ylim(300, 1e21)
    style.ticks(panel.xaxis, (2, 4, 8, 16, 100, 1000, 10**6), ("2", "4", "8", "16", "100", "1,000", style.power(6)))
    style.decades(panel.yaxis, 3)
    if x:
        panel.annotate("enough for trained Transformers", (x[-1], y[-1]), xytext=(9, 0), textcoords="offset points",
                       va="center", fontsize=style.TEXT, fontweight="bold")  # fmt: skip
        top = max(numbers(where(data.table, form="derived"), SAMPLES)[: len(x)])
        panel.annotate("", (x[-1], y[-1] * 2), xytext=(x[-1], top / 2),
                       arrowprops={"arrowstyle": "<->", "color": style.MUTED, "linewidth": 0.9})  # fmt: skip
        ratio = round(math.log10(top / y[-1]))
        panel.annotate(f"a factor of about {style.power(ratio)}", (x[-1], (top * y[-1]) ** 0.5), xytext=(6, 14),
                       textcoords="offset points", fontsize=style.SMALL, color=style.MUTED)  # fmt: skip
    style.ends(panel, named)
