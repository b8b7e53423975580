"""Networks held against theory: how many samples each bound asks for, a row for every bound."""

from __future__ import annotations

from typing import Any

from maurey.verify.certificates.norm_classes import COUNTED, PROVED

from . import style
from .exhibits import Data
from .style import FORMS
from .tabled import numbers, values, where

HAD = "samples that the networks had"
SHOWN = ("printed", *PROVED)
APART = 0.24  # of the forms in a row


def draw(figure: Any, data: Data) -> None:
    """A mark for each length; a bar from the least to the most."""
    bounds = values(data.table, "bound")
    ((panel,),) = style.panels(figure, data.question, height=1.75 + 0.4 * max(3, len(bounds)))
    style.names(panel, [named(name) for name in bounds])
    panel.set(xscale="log", xlabel="samples with which the bound on the gap is down to log 2, the loss of a coin")
    for place, name in enumerate(bounds):
        rows = where(data.table, bound=name)
        for n, form in enumerate(SHOWN):
            own = [row for row in rows if row[f"samples, {form}"]]
            x, look = numbers(own, f"samples, {form}"), FORMS[form]
            if x:
                at = place + APART * (n - 1)
                style.level(panel, [at], [min(x)], [max(x)], look, width=1)
                style.points(panel, x, [at] * len(x), look, markersize=4.5)
    (m,) = values(data.series, "m") or [""]
    if m:
        style.down(panel, float(m), f"they had {m}", "data", top=0.5)
        panel.set_xlim(left=float(m) / 3)
    style.decades(panel.xaxis, 5)
    style.legend(figure, [style.sample(FORMS[form].but(line="none"), WORDS[form]) for form in SHOWN])


WORDS = {"printed": "as printed", "derived": "derived, proved", "sharp": "sharp, proved"}


def named(name: str) -> str:
    """A bound, in a line or two."""
    paper, _, number = name.partition("/")
    authors = {"edelman2022": "Edelman et al.", "trauger2024": "Trauger, Tewari"}[paper]
    number, _, part = number.partition(":")
    more = ",\nnorms of its proof" if part.endswith("rows") else ""
    return "counting parameters" if name == COUNTED else f"{authors} {number}{more}"
