"""The largest rise of the trace against the size of the perturbation, beside the bound on it."""

from __future__ import annotations

import math
from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import LOOKS, Look
from maurey.paper_tables.tabled import number, numbers, values, where

BOUND = Look(style.VERMILLION, "", ":")
RISE, BEFORE, P = "over trace", "trace before", "P printed"


def draw(figure: Any, data: Data) -> None:
    show = data.facts["show"]
    rows = where(data.table, T=str(show["T"]))
    ((panel,),) = style.panels(figure, data.question, height=3.9)
    degrees = sorted(values(rows, "D"), key=int)
    for n, (D, look) in enumerate(zip(degrees, LOOKS, strict=False)):
        own = where(rows, D=D)
        style.points(panel, numbers(own, "sigma"), numbers(own, RISE), look, markersize=4.5,
                     transform=style.beside(panel, 5.0 * (n - (len(degrees) - 1) / 2)))  # fmt: skip
    x = sorted(set(numbers(rows, "sigma")))
    bound = [[number(r[P]) / number(r[BEFORE]) for r in rows if number(r["sigma"]) == sigma] for sigma in x]
    low, high = [min(own) for own in bound], [max(own) for own in bound]
    style.mark(panel.fill_between(x, low, high, color=style.VERMILLION, alpha=0.25, linewidth=0), "law")
    for edge in (low, high):
        style.law(panel, x, edge, BOUND, linewidth=1.2)
    panel.set(xscale="log", yscale="log", xlabel=r"standard deviation $\sigma$ of the perturbation of every weight",
              ylabel="rise of the trace, over the trace")  # fmt: skip
    panel.set_xlim(x[0] / 2.2, x[-1] * 2.2)
    panel.set_ylim(1e-6, 10 * max(high))
    style.ticks(panel.xaxis, x, [style.power(round(math.log10(sigma))) for sigma in x])
    style.decades(panel.yaxis, 3)
    style.across(panel, 1, "paper: small, relative to the trace before", "paper", place=0.01)
    style.ends(panel, [
        ((low[-1] * high[-1]) ** 0.5, "P of Theorem 17,\nas printed", style.VERMILLION),
        (max(numbers(rows, RISE)) / 4, "measured: the\nlargest rise", style.INK),
    ])  # fmt: skip
    style.legend(figure, [style.sample(look.but(line="none"), f"degree {D}") for D, look in
                          zip(degrees, LOOKS, strict=False)], columns=5)  # fmt: skip
