"""Samples against a place: every run, means as lines, runs that were given up as arrows, and the means of the
authors' plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.censored import PowerLaw

from .samples import MODELS, Cell

LOOKS = {"transformer": (PALETTE[0], "o"), "recurrent": (PALETTE[1], "s"), "feedforward": (PALETTE[2], "^")}
NUDGE = {"transformer": 0.985, "recurrent": 1.0, "feedforward": 1.015}
MEANING = {"text": "as in the text", "script": "as in the authors' script"}


def draw(
    figure: Any,
    cells: Sequence[Cell],
    laws: Mapping[tuple[str, str], PowerLaw | None],
    printed: Mapping[str, Sequence[int]],
    axis: str,
    meaning: str,
    threshold: float,
) -> None:
    variants = list(dict.fromkeys(cell.variant for cell in cells))
    panels = figure.subplots(1, max(1, len(variants)), squeeze=False, sharex=True, sharey=True)[0]
    places = sorted({cell.at for cell in cells} | set(printed.get(axis, ())))
    for panel, variant in zip(panels, variants, strict=False):
        for model, (color, marker) in LOOKS.items():
            own = [c for c in cells if (c.variant, c.model) == (variant, model) and c.runs]
            found = laws.get((variant, model))
            if own:
                _line(panel, own, model, _label(own, found, axis))
            if model in printed:
                panel.plot(printed[axis], printed[model], ":", marker=marker, color=color, markersize=4, linewidth=1,
                           markerfacecolor="white", alpha=0.8)  # fmt: skip
        panel.set_title(f"variant {variant}: {MEANING.get(variant, '')}" if len(variants) > 1 else "", fontsize=9)
        panel.set_xlabel(meaning)
        panel.grid(alpha=0.3)
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=8, frameon=False, loc="upper left")
    first = panels[0]
    first.set_ylabel(f"training prompts until the test error is at most {threshold:g}")
    if places:
        first.set_yscale("log")
        first.set_xscale("log")
        first.set_xticks(places, [str(place) for place in places], fontsize=7)
        first.set_xticks([], minor=True)
    _key(figure, first, bool(printed))


def _line(panel: Any, own: Sequence[Cell], model: str, label: str) -> None:
    color, marker = LOOKS[model]
    means = [(c.at, c.mean) for c in own if c.mean is not None]
    panel.plot([at for at, _ in means], [mean for _, mean in means], "-", color=color, linewidth=1.5, marker=marker,
               markersize=5, label=label)  # fmt: skip
    for passed, look in ((True, {"marker": ".", "alpha": 0.45, "markersize": 5, "markeredgewidth": 0}),
                         (False, {"marker": r"$\uparrow$", "markersize": 11})):  # fmt: skip
        runs = [(c.at * NUDGE[model], run.seen) for c in own for run in c.runs if (run.samples is not None) == passed]
        panel.plot([x for x, _ in runs], [y for _, y in runs], linestyle="none", color=color, **look)


def _label(own: Sequence[Cell], found: PowerLaw | None, axis: str) -> str:
    name = MODELS[own[0].model]
    kinds = ", ".join(dict.fromkeys(c.cells for c in own if c.cells))
    name += f" ({kinds})" if kinds else ""
    return f"{name}: {axis}^p, p = {found.p:.2f} ({found.told})" if found else name


def _key(figure: Any, panel: Any, printed: bool) -> None:
    handles = [
        panel.plot([], [], "-o", color="gray", markersize=5)[0],
        panel.plot([], [], ".", color="gray", markersize=5)[0],
        panel.plot([], [], linestyle="none", marker=r"$\uparrow$", color="gray", markersize=11)[0],
    ]
    words = ["mean of the runs, if all passed", "a run", "a run that was given up"]
    if printed:
        handles.append(panel.plot([], [], "o:", color="gray", markersize=4, markerfacecolor="white")[0])
        words.append("means in the authors' plots")
    figure.legend(handles, words, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
