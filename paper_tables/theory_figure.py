"""The figure of networks held against theory: a row for every bound, a point for every network and form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maurey.verify.certificates.norm_bounds import COUNTED

from .theory import FORMS, Held

MARKERS = {"printed": "x", "derived": "o", "sharp": "^"}
SIZE, APART = 5, 0.22  # of a point; of the forms in a row


def draw(figure: Any, networks: Sequence[Held]) -> None:
    """Left the gaps, right the samples."""
    from matplotlib import colormaps

    names = list(networks[0].stated)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1.2))
    for n, one in enumerate(networks):
        color = colormaps["viridis"](0.9 * n / max(1, len(networks) - 1))
        left.plot(abs(one.gap), 0, "D", color=color, markersize=SIZE, label=f"T = {one.T}")
        for row, name in enumerate(names, 1):
            left.plot(float(one.largest(name)), row, "|", color="black", markersize=11)
            for form, gap in one.gaps[name].items():
                at, style = row + APART * (FORMS.index(form) - 1), _style(form, color)
                if gap is not None and gap > 0:
                    left.plot(float(gap), at, **style)
                right.plot(float(one.samples[name][form]), at, **style)
    for row, name in enumerate(names, 1):
        if any((one.gaps[name].get("printed") or 0) < 0 for one in networks):
            left.text(0.01, row - APART, "printed: negative", transform=left.get_yaxis_transform(), fontsize=6.5,
                      va="center")  # fmt: skip
    left.set_yticks(range(len(names) + 1), ["measured gap", *(_named(name) for name in names)])
    left.set_ylim(len(names) + 0.5, -0.5)
    m = networks[0].outcome.config.m
    right.axvline(m, color="black", linewidth=0.8)
    right.text(m, 0, f" the networks had m = {m}", fontsize=8, va="center")
    for axes, title in ((left, f"gap at m = {m}; bars: the largest loss of the class"),
                        (right, "samples with which the bound is down to log 2")):  # fmt: skip
        axes.set_xscale("log")
        axes.set_title(title, fontsize=9)
        axes.grid(alpha=0.3)
    right.set_xlim(left=m / 10)
    forms = [left.plot([], [], **_style(form, "black"), label=form)[0] for form in FORMS]
    lengths = [line for line in left.get_lines() if str(line.get_label()).startswith("T = ")]
    figure.legend(handles=[*forms, *lengths], loc="outside right center", fontsize=8)


def _style(form: str, color: Any) -> dict[str, Any]:
    face = "none" if form == "derived" else color
    return {"marker": MARKERS[form], "linestyle": "", "color": color, "markerfacecolor": face, "markersize": SIZE}


def _named(name: str) -> str:
    return f"counting ({name})" if name == COUNTED else name
