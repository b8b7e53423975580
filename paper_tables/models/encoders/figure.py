"""Samples against depth and against eps, and the gap against m, bounded and measured."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import LOOKS, MEASURED
from maurey.paper_tables.tabled import numbers, where

ROUTES = {"bits, coded": ("coded bits", LOOKS[2]), "net": ("net", LOOKS[0]), "norms": ("norms", LOOKS[1])}


def draw(figure: Any, data: Data) -> None:
    depth, eps, gap = style.panels(figure, data.question, height=3.5, columns=3)[0]
    at = {name: str(x) for name, x in data.facts["point"].items()}
    _samples(depth, data, {name: x for name, x in at.items() if name not in ("L", "m")}, "L")
    _samples(eps, data, {name: x for name, x in at.items() if name not in ("eps", "m")}, "eps")
    depth.set(title="Samples, against depth", xlabel="layers L", ylabel="samples until it speaks")
    eps.set(title="Against eps", xlabel="eps of LayerNorm", xscale="log")
    style.ticks(depth.xaxis, data.facts["vary"]["L"])
    style.ticks(eps.xaxis, [1e-12, 1e-8, 1e-4], [style.power(n) for n in (-12, -8, -4)])
    for panel in (depth, eps):
        top = int(panel.get_ylim()[1])
        powers = range(0, top + 1, 50 if top > 120 else 20)
        style.ticks(panel.yaxis, powers, [style.power(n) for n in powers])
    _gaps(gap, data, at)
    handles = [style.sample(look, name) for name, look in ROUTES.values()]
    handles += [
        style.sample(LOOKS[1].but(line="none", filled=False), "random weights"),
        style.sample(MEASURED, "measured"),
    ]
    style.legend(figure, handles, columns=5)


def _samples(axes: Any, data: Data, at: dict[str, str], axis: str) -> None:
    m = str(data.facts["point"]["m"])
    for route, (_, look) in ROUTES.items():
        for weights in data.facts["weights"]:
            rows = where(data.table, weights=weights, route=route, m=m, **at)
            own = look if weights == "trained" else look.but(filled=False, line=(0, (1, 2)))
            size = 5 if weights == "trained" else 9
            style.curve(axes, numbers(rows, axis), numbers(rows, "log10 samples"), own, markersize=size)
    axes.set_ylim(0, None)


def _gaps(axes: Any, data: Data, at: dict[str, str]) -> None:
    for route, (_, look) in ROUTES.items():
        rows = where(data.series, route=route)
        style.curve(axes, numbers(rows, "m"), numbers(rows, "gap"), look)
    own = {name: x for name, x in at.items() if name != "m"}
    measured = where(data.table, weights="trained", route="net", **own)
    measured = sorted((row for row in measured if float(row["gap"]) > 0), key=lambda row: int(row["m"]))
    style.curve(axes, numbers(measured, "m"), numbers(measured, "gap"), MEASURED)
    axes.set(title="The gap, against m", xlabel="samples m", xscale="log", yscale="log")
    style.across(axes, 1, "vacuous above", place=0.02, below=True)
    style.decades(axes.xaxis, 2)
    style.decades(axes.yaxis)
