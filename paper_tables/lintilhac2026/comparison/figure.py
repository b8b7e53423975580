"""For each bound, from how many samples it is below the loss of the best constant; and what the text has for it."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import FORMS
from maurey.paper_tables.tabled import Row, number, where

ROWS = {  # bound, Sigma: the name of its row
    ("PAC-Bayes, truncated", "1/100"): "PAC-Bayes, no remainder",
    ("PAC-Bayes, semi-analytic", "1/100"): "PAC-Bayes, remainder measured",
    ("PAC-Bayes, fully analytic", "1/100"): "PAC-Bayes, whole",
    ("PAC-Bayes, truncated", "1/2"): "the same, losses clipped at 1:\nno remainder",
    ("PAC-Bayes, fully analytic", "1/2"): "whole",
    ("covering, edelman2022/A.17", ""): "covering, Edelman et al. A.17",
    ("covering, this architecture", ""): "covering, this architecture",
}
WORDS = {"printed": "as printed (C0 = 1)", "derived": "derived", "sharp": "sharp"}
ENOUGH = "samples for 1/4"
APART = 0.22  # of the forms in a row
MANY = "at m = 10^6"


def draw(figure: Any, data: Data) -> None:
    paper = data.facts["paper"]
    said = {"PAC-Bayes, fully analytic": paper["enough"], "PAC-Bayes, semi-analytic": paper["few"]}
    ((panel,),) = style.panels(figure, data.question, height=3.9)
    style.names(panel, list(ROWS.values()))
    for place, (bound, Sigma) in enumerate(ROWS):
        own = where(data.table, bound=bound, Sigma=Sigma)
        known = [row for row in own if row[ENOUGH] != "-"]
        for row in known:
            at = place + APART * (list(WORDS).index(row["form"]) - 1) * (len(known) > 1)
            style.points(panel, [number(row[ENOUGH])], [at], FORMS[row["form"]], markersize=6.5, zorder=3)
        if Sigma == "1/100" and bound in said:
            style.paper(panel, [said[bound]], [place], markersize=10, markerfacecolor="none", zorder=4)
        printed = where(own, form="printed")
        panel.annotate(_beside(printed[0], Sigma) if printed else "", (1, place), xycoords=("axes fraction", "data"),
                       xytext=(6, 0), textcoords="offset points", va="center", fontsize=style.SMALL)  # fmt: skip
    panel.set(xscale="log", xlim=(1e3, 1e38), xlabel="samples for a bound below 1/4, the loss of a constant")
    style.decades(panel.xaxis, 6)
    style.down(panel, 1e6, "paper: its numbers\nare for m = 10⁶", "paper", top=0.13)
    style.mark(panel.axhline(2.5, color=style.FAINT, linewidth=1), "guide")
    style.mark(panel.axhline(4.5, color=style.FAINT, linewidth=1), "guide")
    panel.annotate("printed,\nat m = 10⁶", (1, 1), xycoords="axes fraction", xytext=(6, 3), textcoords="offset points",
                   fontsize=style.SMALL, fontweight="bold")  # fmt: skip
    style.legend(figure, [
        *(style.sample(FORMS[form].but(line="none"), word) for form, word in WORDS.items()),
        style.sample(style.OF_THE_PAPER.but(line="none"), "paper: enough samples", markersize=8),
    ])  # fmt: skip


def _beside(row: Row, Sigma: str) -> str:
    """What the printed form is at the text's m, and what the text has."""
    here = number(row[MANY])
    told = "negative" if here < 0 else f"{here:.4g}"
    return f"{told}" + (f"\npaper: {row['paper']}" if row["paper"] else "")
