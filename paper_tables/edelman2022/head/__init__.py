"""One attention head and its variants: 4.4, A.11 and A.12 as printed (with C0 = 1), derived and sharp."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

from maurey.numeric.balls import enclose
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim

CLAIMS = {"4.4": "one head", "A.11": "with positions", "A.12": "several heads"}
FORMS = ("printed", "derived", "sharp")
MEANING = {"T": "context length T", "d": "width d", "H": "heads H", "m": "samples m"}


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    points = [(axis, x, number) for axis, xs in config["sweep"].items() for x in xs for number in CLAIMS]
    points = [(axis, x, n) for axis, x, n in points if axis in {p.name for p in _claim(n).symbols}]
    values: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    rows = []
    for done, (axis, x, number) in enumerate(points):
        progress(done, len(points))
        at = config["point"] | {axis: x}
        own = {p.name: at[p.name] for p in _claim(number).symbols if p.name in at}
        found = [enclose(_claim(number), f, digits=config["digits"], **own).value for f in FORMS]
        for form, value in zip(FORMS, found, strict=True):
            values.setdefault((axis, number, form), []).append((float(x), float(value)))
        printed, derived, sharp = (float(v) for v in found)
        rows.append([axis, str(x), number, *(f"{v:.5E}" for v in found), f"{derived / printed:.4g}",
                     f"{derived / sharp:.4g}"])  # fmt: skip
    fixed = ", ".join(f"{k} = {v}" for k, v in config["point"].items())
    return Exhibit(
        title="Edelman et al. 2022, one attention head: 4.4, A.11 and A.12 over T, d, H and m",
        notes=[
            f"Log covering number. Around the point {fixed}; printed with C0 = 1; equal bounds for all heads.",
            f"Deterministic: no seed. Every number certified to {config['digits']} digits, {3 * len(points)} of them.",
            "The paper states these bounds up to a constant and hidden logarithms; it shows no numbers for them.",
            "All norms are 1 here, so factors in which printed forms differ by a norm (4.4 and B_X) do not show.",
            *_agreement(values),
        ],
        columns=["axis", "at", "claim", *FORMS, "derived/printed", "derived/sharp"],
        rows=rows,
        draw=lambda figure: _draw(figure, values, fixed),
        figure_size=(11.0, 8.0),
        parameters=config,
    )


def _claim(number: str) -> Claim:
    return registry.find(f"edelman2022/{number}")


def _slope(curve: list[tuple[float, float]]) -> float:
    """Growth exponent between the last two points."""
    (x0, y0), (x1, y1) = curve[-2:]
    return math.log(y1 / y0) / math.log(x1 / x0)


def _agreement(values: dict[tuple[str, str, str], list[tuple[float, float]]]) -> list[str]:
    """What the comparison shows, axis by axis: the growth exponent of each form at the end of its range.

    The paper hides logarithms of everything but m and T, and one logarithm adds 1/log x to the exponent at x.
    """
    notes = []
    for axis, number in dict.fromkeys((axis, number) for axis, number, _ in values):
        printed, derived, sharp = (_slope(values[axis, number, form]) for form in FORMS)
        hidden = 0.0 if axis in "mT" else 1 / math.log(values[axis, number, "printed"][-1][0])
        agrees = "agrees" if derived - printed <= hidden else "DISAGREES"
        allowed = f" (one hidden logarithm allows {hidden:.3f} more)" if hidden else ""
        notes.append(
            f"{number} in {axis}: growth exponent {printed:.3f} printed, {derived:.3f} derived, {sharp:.3f} sharp: "
            f"{agrees}{allowed}."
        )
    return notes


def _draw(figure: Any, values: dict[tuple[str, str, str], list[tuple[float, float]]], fixed: str) -> None:
    axes = figure.subplots(2, 2, sharey=True)
    for panel, axis in zip(axes.flat, MEANING, strict=True):
        for color, number in zip(("tab:blue", "tab:green", "tab:red"), CLAIMS, strict=True):
            for style, form in zip((":", "-", "--"), FORMS, strict=True):
                curve = values.get((axis, number, form))
                if curve:
                    panel.loglog(*zip(*curve, strict=True), style, color=color, marker="o", markersize=2.5,
                                 label=f"{number} {CLAIMS[number]}, {form}")  # fmt: skip
        panel.set_xlabel(MEANING[axis])
        panel.grid(alpha=0.3)
    for panel in axes[:, 0]:
        panel.set_ylabel("log covering number")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside right center", fontsize=8)
    figure.suptitle(f"One attention head: printed (C0 = 1), derived, sharp\n{fixed}", fontsize=9)
