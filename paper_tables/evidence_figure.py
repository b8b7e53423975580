"""A row for every claim: verdict, what decided it, tightness where it has a meaning, and source."""

from __future__ import annotations

from typing import Any

from . import style
from .exhibits import Data
from .style import Look
from .tabled import Row, number

CONDITION, NONE = "*", "-"
COLUMNS = ("proved", "identity", "derived", "constructed", "tested", "trained", "axiom", "refuted", NONE)
LOOKS = {
    "holds": Look(style.BLUE, "o"),
    f"holds{CONDITION}": Look(style.BLUE, "o", filled=False),
    "undecided": Look(style.ORANGE, "D", filled=False),
    "fails": Look(style.VERMILLION, "X"),
}
WORDS = {
    "holds": "holds",
    f"holds{CONDITION}": "holds under a condition that is not stated",
    "undecided": "undecided",
    "fails": "fails",
}
LEAST = 1e-3  # tightness that the axis shows


def draw(figure: Any, data: Data) -> None:
    rows = data.table
    left, right = style.panels(figure, data.question, height=1.5 + 0.148 * max(8, len(rows)), columns=2, sharey=True,
                               width_ratios=(1.6, 1))[0]  # fmt: skip
    style.names(left, [row["claim"] for row in rows], fontsize=6.3)
    right.places, left.places = "y", "both"
    told = [(place, row) for place, row in enumerate(rows) if (row["verdict"], row["evidence"]) != ("holds", NONE)]
    known = [rung for rung in COLUMNS if any(row["evidence"] == rung for _, row in told)]
    for verdict, look in LOOKS.items():
        own = [(known.index(row["evidence"]), place) for place, row in told if row["verdict"] == verdict]
        style.points(left, [x for x, _ in own], [y for _, y in own], look, markersize=4.5, zorder=3)
    style.ticks(left.xaxis, range(len(known)), ["none" if rung == NONE else rung for rung in known], rotation=40,
                ha="left", rotation_mode="anchor")  # fmt: skip
    left.set_xlim(-0.6, max(1, len(known)) - 0.4)
    tried = [(place, row) for place, row in enumerate(rows) if _means(row)]
    look = Look(style.GREEN, "o")
    style.points(right, [max(LEAST, number(row["tightness"])) for _, row in tried], [place for place, _ in tried], look,
                 markersize=3.5)  # fmt: skip
    right.set(xscale="log", xlim=(LEAST / 1.5, 1.6))
    style.ticks(right.xaxis, (LEAST, 0.01, 0.1, 1), (f"≤ {LEAST:g}", "0.01", "0.1", "1"))
    style.down(right, 1)
    right.grid(False, axis="y")
    right.set_title("tightness: left side\nover right side, at most", fontweight="normal", fontsize=style.SMALL)
    right.annotate("source", (1, 1), xycoords="axes fraction", xytext=(4, 4), textcoords="offset points",
                   fontsize=style.SMALL)  # fmt: skip
    right.tick_params(axis="y", left=False)
    for panel in (left, right):
        panel.tick_params(axis="x", top=True, bottom=False, labeltop=True, labelbottom=False, length=0)
        for place in range(4, len(rows), 5):
            style.mark(panel.axhline(place + 0.5, color=style.FAINT, linewidth=0.7, zorder=0), "guide")
    for place, row in enumerate(rows):
        if row["source"] not in ("printed", ""):
            right.annotate(row["source"].replace(" and ", ", "), (1, place), xycoords=("axes fraction", "data"),
                           xytext=(4, 0), textcoords="offset points", va="center", fontsize=6.3,
                           color=style.MUTED)  # fmt: skip
    found = {row["verdict"] for _, row in told}
    style.legend(figure, [
        *(style.sample(look.but(line="none"), WORDS[verdict]) for verdict, look in LOOKS.items() if verdict in found),
        *([style.sample(Look(style.PAPER, "", "none"), "no mark: nothing to check")] if len(told) < len(rows) else []),
    ], columns=5, columnspacing=1.4, handletextpad=0.2)  # fmt: skip


def _means(row: Row) -> bool:
    """The ratio of an inequality that holds, and was tried: above 1 it would tell of a witness."""
    return row["tightness"] != "" and row["verdict"].startswith("holds") and 0 < number(row["tightness"]) <= 1
