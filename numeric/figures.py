"""Curves against a parameter, with the points at which another one becomes the smallest. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from itertools import pairwise
from textwrap import fill
from typing import Any

import numpy as np

from maurey.symbolic.claim import InputError
from maurey.symbolic.names import VOCABULARY
from maurey.symbolic.printing import plain

from .compare import Comparison
from .exact import plain_number
from .grids import from_exact

STYLES = {"printed": ":", "repaired": "-.", "derived": "-", "sharp": "--"}
LARGEST = 250  # decimal exponent that a logarithmic axis takes
MOST_NAMED = 6  # changes with their place written beside them


def figure_of(found: Comparison) -> Any:
    """A figure of its own, with a legend and the values that were given; whoever draws it chooses how."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib: install maurey[tables]") from None
    figure: Any = Figure(figsize=(10.0, 6.0), layout="constrained")
    axes = figure.subplots()
    draw(axes, found)
    axes.set_title(fill(", ".join(f"{name} = {_told(value)}" for name, value in found.given.items()), 110), fontsize=8)
    figure.legend(loc="outside right center", fontsize=8)
    figure._repr_png_ = partial(_png, figure)  # a notebook shows it, whether or not pyplot was loaded
    return figure


def _png(figure: Any) -> bytes:
    drawn = BytesIO()
    figure.savefig(drawn, format="png")
    return drawn.getvalue()


def draw(axes: Any, found: Comparison) -> None:
    """A color for each part of a claim, a style for each form, a ring where another curve becomes the smallest."""
    x = np.array([from_exact(value).log10 for value in found.at])
    y = {curve.label: np.array(curve.log10, dtype=float) for curve in found.curves}  # None becomes nan
    meaning = f", {plain(VOCABULARY[found.over].meaning)}" if found.over in VOCABULARY else ""
    across = _scale(axes.set_xscale, axes.set_xlabel, found.over + meaning, x)
    up = _scale(axes.set_yscale, axes.set_ylabel, "bound", np.concatenate(list(y.values())))
    colors = {part: f"C{n % 10}" for n, part in enumerate(dict.fromkeys((c.key, c.part) for c in found.curves))}
    for curve in found.curves:
        color = colors[curve.key, curve.part]
        style = STYLES[curve.form] if len({c.form for c in found.curves}) > 1 else "-"
        axes.plot(across(x), up(y[curve.label]), style, color=color, linewidth=1.4, label=curve.label)
    changes = list(pairwise(found.winners))
    for before, after in changes:
        place = from_exact((before.end + after.start) / 2).log10
        point = across(place), up(np.interp(place, x, y[after.label]))
        axes.plot(*point, "o", color="black", markerfacecolor="none", markersize=8)
        if len(changes) <= MOST_NAMED:
            axes.annotate(f"{found.over} = {float(before.end):.5g}", point, xytext=(0, -14), textcoords="offset points",
                          ha="center", va="top", fontsize=8)  # fmt: skip
    axes.grid(alpha=0.3)


def _scale(scale: Callable[[str], None], label: Callable[[str], None], name: str, logs: Any) -> Callable[[Any], Any]:
    """A logarithmic axis, or the logarithm itself on a plain one where numbers are beyond doubles."""
    fits = bool(np.all(np.abs(logs[np.isfinite(logs)]) <= LARGEST))
    label(name if fits else f"log10 of {name}")
    if not fits:
        return lambda v: v
    scale("log")
    return lambda v: 10.0**v


def _told(value: Any) -> str:
    texts = plain_number(value if isinstance(value, list) else [value])
    return texts[0] if len(set(texts)) == 1 else f"({', '.join(texts)})"
