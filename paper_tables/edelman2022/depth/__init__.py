"""Theorem A.17 against depth, length, samples and width, and what each sharpening gains by itself."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from sympy import evaluate

from maurey.numeric.balls import enclose, enclose_steps
from maurey.numeric.binding import bind
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.page import Shown
from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import online
from maurey.symbolic.papers.edelman2022.section_a3_deep import deep_steps
from maurey.symbolic.route import PAPER, Route
from maurey.symbolic.softmax import BEST_CONSTANT

from .figure import draw

__all__ = ["draw", "make"]

FORMS = ("printed", "derived", "sharp")
SWAPS: dict[str, Route] = {
    "softmax constant 1": replace(PAPER, kappa=BEST_CONSTANT),
    "best gain": replace(PAPER, best_gain=True),
    "scalar scores": replace(PAPER, scalar_scores=True),
    "read one token": replace(PAPER, read_one=True),
    "smaller covers": replace(PAPER, cover=online),
    "carried radii": replace(PAPER, carried_radii=True),
}


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
        question="How fast does the bound grow with depth, and which step is to blame?",
        answer=_answer(curves),
        verdict=[
            f"In {', '.join(f'{axis} ({kind})' for axis, kind in GROWTH.items())} the forms grow alike: "
            + "; ".join(_grown(curves, axis) for axis in GROWTH),
            "The paper states the bound up to a constant and logarithms, and shows no numbers.",
        ],
        caption="Left: the log covering number of Theorem A.17, as printed (C0 = 1), derived and sharp. Right: the "
        "derived form over itself with one step sharpened. Reading one token (a factor of 1.07 at most) and carried "
        "radii (none) are not drawn; nor are T, m and d, in which all forms are nearly parallel.",
        shown=Shown(SHOWN, [_shown(row) for row in rows if row[0] == "L"]),
        notes=[
            f"log10 of the log covering number. Around the point {fixed}; equal layers; printed with C0 = 1.",
            f"Gains: derived, over the derived form with that one step swapped; {config['digits']} certified digits.",
            "Deterministic: no seed.",
        ],
        columns=["axis", "at", *(f"log10 {form}" for form in FORMS), *SWAPS],
        rows=rows,
        parameters=config,
    )


SHOWN = {
    "layers L": "",
    **{form: "log covering number" if form == "printed" else "" for form in FORMS},
    **dict.fromkeys(SWAPS, ""),
    "softmax constant 1": "derived over itself with this step sharpened, as in all that follow",
    "best gain": "the best input-Lipschitz constant of a layer (maurey/attention)",
    "scalar scores": "the score covered as one number (maurey/score)",
    "read one token": "covers only for what the last layer reads (maurey/read)",
    "smaller covers": "of each matrix the smaller of an online cover and one by volumes, which counts its entries",
    "carried radii": "a token shorter than 1 stays so",
}
GROWTH = {"T": "length", "m": "samples", "d": "width"}


def _shown(row: list[str]) -> list[str]:
    """The log covering numbers as powers of ten, and the gains."""
    sizes = [f"{Decimal(10) ** Decimal(x):.1E}" for x in row[2:5]]
    gains = [f"{float(x):.2g}" if float(x) < 10_000 else f"{float(x):.1E}" for x in row[5:]]
    return [row[1], *sizes, *gains]


def _answer(curves: dict[tuple[str, str], list[tuple[float, float]]]) -> str:
    grown = {form: slope(curves["L", form], "L") for form in FORMS}
    gains = {swap: slope([(x, y) for x, y in curves["L", swap]], "L") for swap in SWAPS}
    first, second = sorted(gains, key=lambda swap: -gains[swap])[:2]
    return (
        f"By a factor of {grown['printed']:.0f} a layer as printed and {grown['derived']:.1f} derived, by "
        f"{grown['sharp']:.1f} in the sharp form: {first} alone takes away {gains[first]:.1f} a layer, {second} "
        f"{gains[second]:.1f}."
    )


def _grown(curves: dict[tuple[str, str], list[tuple[float, float]]], axis: str) -> str:
    told = (f"{round(slope(curves[axis, form], axis), 2) + 0.0:.2f} {form}" for form in FORMS)  # no -0.00
    return f"{axis} to the power {', '.join(told)}"


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


def slope(curve: list[tuple[float, float]], axis: str) -> float:
    """Growth at the end of a range: a factor per layer for L, an exponent for the others."""
    (x0, y0), (x1, y1) = curve[-2:]
    return 10 ** ((y1 - y0) / (x1 - x0)) if axis == "L" else (y1 - y0) / math.log10(x1 / x0)
