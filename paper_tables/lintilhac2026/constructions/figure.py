"""Norms of the constructions of one function, a row for each function."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import LOOKS, Look
from maurey.paper_tables.tabled import number, numbers, values, where

OURS = "appendix B, as here"
PRINTED = Look(style.MUTED, "|", "none")


def draw(figure: Any, data: Data) -> None:
    classes = list(dict.fromkeys((row["sparsity"], row["degree"], row["T"]) for row in data.table))
    names = values(data.table, "construction")
    ((panel,),) = style.panels(figure, data.question, height=1.75 + 0.36 * len(classes))
    style.names(panel, [f"sparsity {o}, degree {D}, T = {T}" for o, D, T in classes])
    there = data.facts["log"]
    for place, (sparsity, degree, T) in enumerate(classes):
        own = where(data.table, sparsity=sparsity, degree=degree, T=T)
        for name, look in zip(names, LOOKS, strict=False):
            style.points(panel, numbers(where(own, construction=name), "norm"), [place], look, markersize=7)
        style.points(panel, [number(own[0]["printed norm"])], [place], PRINTED, kind="paper", markersize=13,
                     markeredgewidth=2)  # fmt: skip
        if (sparsity, degree, T) == tuple(str(there[key]) for key in ("omega", "D", "T")):
            style.paper(panel, [there["norm"]], [place], markersize=11, markerfacecolor="none", zorder=4)
    panel.set(xscale="log", xlim=(15, 2000), xlabel="norm of all weights")
    style.ticks(panel.xaxis, (20, 50, 100, 200, 500, 1000, 2000))
    style.legend(figure, [
        *(style.sample(look.but(line="none"), f"{name}" if name == OURS else f"authors' code: {name}", markersize=6)
          for name, look in zip(names, LOOKS, strict=False)),
        style.sample(PRINTED, "paper: Theorem 10's norm", markersize=10, markeredgewidth=2),
        style.sample(style.OF_THE_PAPER.but(line="none"), "authors' training log", markersize=9),
    ], columns=3)  # fmt: skip
