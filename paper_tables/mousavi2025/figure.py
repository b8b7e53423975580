"""Samples against a place: means of the runs with their ranges, runs that were given up, and the authors' means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import Row, ends, number, numbers, values, where

LOOKS = {
    "Transformer": Look(style.BLUE, "o", "-"), "RNN": Look(style.VERMILLION, "s", "--"),
    "FFN": Look(style.GREEN, "^", "-."),
}  # fmt: skip
KEYS = {"Transformer": "transformer", "RNN": "recurrent", "FFN": "feedforward"}  # of what is typed from the paper
APART = {"Transformer": -2.0, "RNN": 0.0, "FFN": 2.0}  # points
MEANING = {"text": "As the text trains", "script": "As the authors' script trains"}


def draw(figure: Any, data: Data, axis: str = "N", meaning: str = "tokens N of a prompt") -> None:
    rows = where(data.table, kind="mean of runs")
    variants, printed = values(rows, "variant"), data.facts.get("printed", {})
    row = style.panels(figure, data.question, columns=max(1, len(variants)), sharey=True)[0]
    places = sorted({*numbers(rows, "at"), *printed.get(axis, ())})
    names = []
    for panel, variant in zip(row, variants, strict=False):
        named = []
        for model, look in LOOKS.items():
            own = where(rows, variant=variant, model=model)
            if own:
                _means(panel, own, look, APART[model])
                last = [r for r in own if number(r["value"]) == number(r["value"])][-1:]
                named += [(_level(r), f"{model}{_kind(r)}", look.color) for r in last]
            if KEYS[model] in printed:
                style.paper(panel, printed[axis], printed[KEYS[model]], look)
        panel.set(yscale="log", xlabel=meaning)
        panel.set_title(MEANING.get(variant, variant) if len(variants) > 1 else "")
        names.append((panel, named))
    _scales(row, places)
    for panel, named in names:
        style.ends(panel, named)
        if limit := data.facts.get("given_up"):
            style.across(panel, limit, "paper: gives up", "paper", place=0.02)
    row[0].set_ylabel(f"training prompts until the test error\nis at most {data.facts['threshold']:g}")
    _legend(figure, row[0], bool(printed), rows)


def _scales(row: Sequence[Any], places: Sequence[float]) -> None:
    """The same for all panels."""
    wide = bool(places) and places[-1] > 10 * places[0]
    for panel in row:
        panel.set_xscale("log" if wide else "linear")
    style.limits(*row)
    for panel in row:
        style.ticks(panel.xaxis, _readable(places, wide))
        low, high = panel.get_ylim()
        digits = (1, 3) if high > 20 * low else (1, 1.5, 2, 3, 5)
        style.ticks(panel.yaxis, [x for n in range(2, 7) for k in digits if low <= (x := k * 10**n) <= high])


def _means(panel: Any, own: list[Row], look: Look, apart: float) -> None:
    """A line breaks where a mean is not known."""
    offset = style.beside(panel, apart)
    known = [r["value"].isdigit() for r in own]
    x, y = numbers(own, "at"), [number(r["value"]) if k else math.nan for r, k in zip(own, known, strict=True)]
    style.curve(panel, x, y, look, transform=offset)
    for r, passed in zip(own, known, strict=True):
        if passed:
            low, high = ends(r["interval"])
            style.upright(panel, [number(r["at"])], [low], [high], look, transform=offset)
        elif r["interval"] != "-":
            style.more_than(panel, [number(r["at"])], [_level(r)], look, transform=offset)


def _level(row: Row) -> float:
    """The mean, or the least that a run has seen that was given up."""
    return number(row["value"]) if row["value"].isdigit() else ends(row["interval"])[0]


def _kind(row: Row) -> str:
    return {"gru": " (GRU)", "tanh": " (tanh)"}.get(row["cell"], "")


def _readable(places: Sequence[float], log: bool) -> list[float]:
    """Those that do not collide: a twelfth of the range apart."""
    found: list[float] = []
    at = {x: math.log(x) if log else x for x in places}
    for x in places:
        if not found or at[x] - at[found[-1]] >= (at[places[-1]] - at[places[0]]) / 12:
            found.append(x)
    return found


def _legend(figure: Any, panel: Any, printed: bool, rows: list[Row]) -> None:
    grey = Look(style.MUTED, "o", "-")
    handles = [style.sample(grey, "mean of the runs; bar: least to most")]
    if any(not r["value"].isdigit() for r in rows):
        handles.append(style.sample(grey.but(marker=r"$\uparrow$", line="none"), "given up: it takes more",
                                    markersize=10))  # fmt: skip
    if printed:
        of_the_paper = style.OF_THE_PAPER.but(line="-")
        handles.append(style.sample(of_the_paper, "paper: means in the authors' plots", linewidth=0.9))
    style.legend(figure, handles)
