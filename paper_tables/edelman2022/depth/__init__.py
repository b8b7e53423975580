"""Theorem A.17 against depth, length, samples and width, and what each sharpening gains by itself."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sympy import evaluate

from maurey.numeric.balls import enclose, enclose_steps
from maurey.numeric.binding import bind
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import online
from maurey.symbolic.papers.edelman2022.section_a3_deep import deep_steps
from maurey.symbolic.route import PAPER, Route
from maurey.symbolic.softmax import BEST_CONSTANT

FORMS = ("printed", "derived", "sharp")
SWAPS: dict[str, Route] = {
    "softmax constant 1": replace(PAPER, kappa=BEST_CONSTANT),
    "best gain": replace(PAPER, best_gain=True),
    "scalar scores": replace(PAPER, scalar_scores=True),
    "read one token": replace(PAPER, read_one=True),
    "online covers": replace(PAPER, cover=online),
    "carried radii": replace(PAPER, carried_radii=True),
}
MEANING = {"L": "layers L", "T": "context length T", "m": "samples m", "d": "width d (k = d)"}


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    points = [(axis, x) for axis, xs in config["sweep"].items() for x in xs]
    curves: dict[tuple[str, str], list[tuple[float, float]]] = {}
    rows = []
    for done, (axis, x) in enumerate(points):
        progress(done, len(points))
        at = config["point"] | {axis: x} | ({"k": x} if axis == "d" else {})
        found = {form: _log10(enclose(_claim(), form, "log_N", config["digits"], **at).value) for form in FORMS}
        gains = {name: found["derived"] - _swapped(name, at, config["digits"]) for name in SWAPS}
        for name, value in (found | gains).items():
            curves.setdefault((axis, name), []).append((float(x), value))
        rows.append([axis, str(x), *(f"{found[f]:.4f}" for f in FORMS), *(f"{10 ** gains[g]:.4g}" for g in SWAPS)])
    fixed = ", ".join(f"{k} = {v}" for k, v in config["point"].items())
    return Exhibit(
        title="Edelman et al. 2022, Theorem A.17: depth, and the gain of each sharpening",
        notes=[
            f"log10 of the log covering number. Around the point {fixed}; equal layers; printed with C0 = 1.",
            f"Gains: derived, over the derived form with that one step swapped; {config['digits']} certified digits.",
            "Deterministic: no seed. The paper states the bound up to a constant and logarithms; it shows no numbers.",
            *_agreement(curves),
        ],
        columns=["axis", "at", *(f"log10 {form}" for form in FORMS), *SWAPS],
        rows=rows,
        draw=lambda figure: _draw(figure, curves, fixed),
        figure_size=(12.0, 8.0),
        parameters=config,
    )


def _claim() -> Any:
    return registry.find("edelman2022/A.17")


def _log10(value: Any) -> float:
    return float(value.log10())


@cache
def _steps(swap: str, L: int) -> Any:
    with evaluate(False):
        return deep_steps(Setting({"L": L}), SWAPS[swap])


def _swapped(swap: str, at: dict[str, Any], digits: int) -> float:
    """The derived form with one step of its route swapped."""
    bound = bind(_claim(), "derived", "log_N", at)
    return _log10(enclose_steps(_steps(swap, int(at["L"])), bound.values, digits)[0].value)


def _agreement(curves: dict[tuple[str, str], list[tuple[float, float]]]) -> list[str]:
    """Growth at the end of each range: per layer for L, as an exponent for the others."""
    notes = []
    for axis in MEANING:
        slopes = []
        for form in FORMS:
            (x0, y0), (x1, y1) = curves[axis, form][-2:]
            slopes.append(10 ** ((y1 - y0) / (x1 - x0)) if axis == "L" else (y1 - y0) / math.log10(x1 / x0))
        kind = "factor per layer" if axis == "L" else "growth exponent"
        notes.append(f"{axis}: {kind} {slopes[0]:.3f} printed, {slopes[1]:.3f} derived, {slopes[2]:.3f} sharp.")
    return notes


def _draw(figure: Any, curves: dict[tuple[str, str], list[tuple[float, float]]], fixed: str) -> None:
    upper, lower = figure.subplots(2, 4, sharey="row")
    for top, bottom, axis in zip(upper, lower, MEANING, strict=True):
        for style, form in zip((":", "-", "--"), FORMS, strict=True):
            top.plot(
                *zip(*curves[axis, form], strict=True), style, color="tab:blue", marker="o", markersize=3, label=form
            )
        for name in SWAPS:
            xs, ys = zip(*curves[axis, name], strict=True)
            bottom.plot(xs, [10**y for y in ys], marker="o", markersize=3, label=name)
        for panel in (top, bottom):
            panel.set_xscale("log", base=2 if axis == "L" else 10)
            panel.grid(alpha=0.3)
        bottom.set_yscale("log")
        bottom.set_xlabel(MEANING[axis])
    upper[0].set_ylabel("log10 of the log covering number")
    lower[0].set_ylabel("derived / derived with one swap")
    upper[-1].legend(fontsize=8)
    lower[-1].legend(fontsize=8)
    figure.suptitle(f"Theorem A.17 (printed with C0 = 1)\n{fixed}", fontsize=8)
