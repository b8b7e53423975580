"""Samples that bounds ask for, errors of noisy constructions, errors of trained networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from maurey.paper_tables.accounts import MARKERS, PALETTE

from .samples import FORMS

if TYPE_CHECKING:
    from . import Cell, Noisy
    from .samples import Needed

STYLES = {"printed": ":", "derived": "-", "sharp": "--"}
COLORS = {"chain": PALETTE[0], "single": PALETTE[1]}
NAMES = {"chain": "chain", "single": "single pass"}


def draw(figure: Any, asked: Sequence[Needed], noise: Sequence[Noisy], cells: Sequence[Cell]) -> None:
    left, middle, right = figure.subplots(1, 3)
    _samples(left, asked)
    _noise(middle, noise)
    _trained(right, cells)


def _samples(panel: Any, asked: Sequence[Needed]) -> None:
    for form in FORMS:
        for way, color in COLORS.items():
            own = [one for one in asked if (one.form, one.way, one.truncated) == (form, way, True)]
            panel.plot([one.T for one in own], [one.m for one in own], STYLES[form], color=color, marker="o",
                       markersize=4, label=f"{NAMES[way]}, {form}")  # fmt: skip
    panel.set_xscale("log")
    panel.set_yscale("log")
    lengths = sorted({one.T for one in asked})
    panel.set_xticks(lengths, [str(T) for T in lengths])
    panel.set_xticks([], minor=True)
    panel.set_xlabel("T, bits")
    panel.set_ylabel("samples for an error of 1/2")
    panel.set_title("bounds, truncated, at their best deviations", fontsize=9)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=7, handlelength=4)


def _noise(panel: Any, noise: Sequence[Noisy]) -> None:
    for n, T in enumerate(sorted({one.T for one in noise})):
        own = [one for one in noise if one.T == T]
        for way, color in COLORS.items():
            errors = [one.chain if way == "chain" else one.single for one in own]
            panel.plot([one.sigma for one in own], errors, "-", color=color, marker=MARKERS[n], markersize=5,
                       label=f"{NAMES[way]}, T = {T}")  # fmt: skip
        panel.plot([one.sigma for one in own], [min(1.0, one.union) for one in own], ":", color="gray",
                   marker=MARKERS[n], markersize=3, label="sum over steps" if n == 0 else None)  # fmt: skip
    panel.axhline(0.5, color="black", linewidth=0.8, linestyle=":")
    panel.set_xscale("log")
    panel.set_ylim(-0.02, 1.02)
    panel.set_xlabel("sigma, standard deviation of the noise on every weight")
    panel.set_ylabel("share of strings with a wrong answer")
    panel.set_title("constructions under noise", fontsize=9)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=7, loc="upper left")


def _trained(panel: Any, cells: Sequence[Cell]) -> None:
    shown = (
        ("a step, right bits before it", "steps", "wrong", "gray"),
        ("chain", "steps", "wrong_ends", COLORS["chain"]),
        ("single pass", "function", "wrong", COLORS["single"]),
    )
    for place, cell in enumerate(cells):
        for n, (label, task, field, color) in enumerate(shown):
            runs = [o.record[field] for o in (cell.steps if task == "steps" else cell.single)]
            beside = place + 0.18 * (n - 1)
            panel.plot([beside] * len(runs), runs, ".", color=color, markersize=5, alpha=0.6)
            late = [o.record[field] for o in cell.unfitted if o.config.task == task]
            panel.plot([beside] * len(late), late, "x", color=color, markersize=5)
            mean = cell.mean(task, field)
            if mean is not None:
                panel.plot(beside, mean, MARKERS[n], color=color, markersize=7, markerfacecolor="none",
                           label=label if place == 0 else None)  # fmt: skip
    panel.axhline(0.5, color="black", linewidth=0.8, linestyle=":")
    panel.set_xticks(range(len(cells)), [f"T = {cell.T}\nm = {cell.m}" for cell in cells], fontsize=8)
    panel.set_ylim(-0.02, 0.6)
    panel.set_ylabel("share of all strings with a wrong answer")
    panel.set_title("trained networks, and means; crosses: not fitted", fontsize=9)
    panel.grid(alpha=0.3)
    if cells:
        panel.legend(fontsize=7, loc="upper left")
