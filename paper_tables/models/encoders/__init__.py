"""One family of encoders at several depths and widths, random and trained: every route against depth, eps and m, and
the gap that is measured."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from maurey.numeric.routes import CODED
from maurey.paper_tables.exhibits import Exhibit, Progress, Series
from maurey.paper_tables.page import Shown
from maurey.verify.models.checkpoints import Checkpoint
from maurey.verify.models.model import FromCheckpoint
from maurey.verify.models.report import ModelReport, Options, report
from maurey.verify.models.small import Size, drawn, ramp_loss, strings, trained

from .figure import draw

__all__ = ["draw", "make"]

COLUMNS = [
    "weights",
    "L",
    "d",
    "eps",
    "m",
    "numbers",
    "route",
    "log10 samples",
    "log10 gap",
    "empirical",
    "risk",
    "gap",
]
SHOWN = (CODED, "net", "norms")
Row = dict[str, str]
Point = tuple[int, int, str, int]


@dataclass(frozen=True)
class Measured:
    """Losses on the strings of training, and on fresh ones."""

    empirical: float
    risk: float


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    models = list(_models(config))
    rows: list[Row] = []
    series: list[list[str]] = []
    for done, (weights, point) in enumerate(models):
        progress(done, len(models))
        model, measured = _model(config, weights, point)
        found = _report(model, point[3])
        rows += [_row(weights, point, found, route, measured) for route in _routes(found)]
        if weights == "trained" and point == _point(config, {}):
            series = [[route, str(m), f"{gap:.6g}"] for m in config["gaps"]["m"]
                      for route, gap in _gaps(_report(model, m))]  # fmt: skip
    return told(config, rows, series)


def told(config: Mapping[str, Any], rows: list[Row], series: list[list[str]]) -> Exhibit:
    """All that is said follows from the rows."""
    return Exhibit(
        title="Small encoders, random and trained: every bound that applies, and the measured gap",
        question="What do the bounds say of small encoders, and what is measured?",
        answer=_answer(rows, config),
        verdict=[_growth(rows, config), _of_eps(rows, config), *_measured(rows, config)],
        caption="Left and middle: with how many samples a route is below the range of the loss; filled: trained, "
        "hollow: random weights. Right: the gap for the class of one trained model, against the number of samples, and "
        "the gap that was measured on models trained on so many (one of at most 0 is not drawn).",
        shown=Shown(MEANINGS, _page(rows, config)),
        notes=_notes(config),
        columns=COLUMNS,
        rows=[[row[name] for name in COLUMNS] for row in rows],
        series=Series(["route", "m", "gap"], series),
        parameters=dict(config),
    )


def _models(config: Mapping[str, Any]) -> Iterator[tuple[str, Point]]:
    """Random weights do not depend on m."""
    for weights in config["weights"]:
        axes = [axis for axis in config["vary"] if axis != "m" or weights == "trained"]
        points = [_point(config, {axis: x}) for axis in axes for x in config["vary"][axis]]
        yield from ((weights, point) for point in dict.fromkeys(points))


def _point(config: Mapping[str, Any], change: Mapping[str, Any]) -> Point:
    at = {**config["point"], **change}
    return at["L"], at["d"], at["eps"], at["m"]


def _model(config: Mapping[str, Any], weights: str, point: Point) -> tuple[Checkpoint, Measured | None]:
    L, d, eps, m = point
    size, seed = Size(L, d, eps, config["bits"]), config["seed"]
    start = drawn(size, seed)
    if weights == "random":
        return start, None
    own, fresh = strings(size, m, config["noise"], seed + 1), strings(size, config["fresh"], config["noise"], seed + 2)
    model = trained(start, *own, config["steps"], config["batch"], config["rate"], seed + 3)
    return model, Measured(ramp_loss(model, *own), ramp_loss(model, *fresh))


def _report(model: Checkpoint, m: int) -> ModelReport:
    return report(FromCheckpoint(model), Options(samples=m, help=False))


def _routes(found: ModelReport) -> list[Any]:
    return [row for row in found.rows if not row.refused]


def _gaps(found: ModelReport) -> Iterator[tuple[str, float]]:
    yield from ((row.route, float(row.gap.upper)) for row in _routes(found) if row.route in SHOWN)


def _row(weights: str, point: Point, found: ModelReport, route: Any, measured: Measured | None) -> Row:
    cells = dict(zip(COLUMNS[1:5], map(str, point), strict=True))
    told = {"empirical": "", "risk": "", "gap": ""}
    if measured is not None:
        told = {"empirical": f"{measured.empirical:.5f}", "risk": f"{measured.risk:.5f}",
                "gap": f"{measured.risk - measured.empirical:.5f}"}  # fmt: skip
    return {
        "weights": weights, **cells, "numbers": str(found.parameters), "route": route.route,
        "log10 samples": f"{math.log10(route.m_least):.4f}", "log10 gap": f"{float(route.gap.upper.log10()):.4f}",
        **told,
    }  # fmt: skip


# --- what is said of it -----------------------------------------------------------------------------------------------


MEANINGS = {
    "weights": "random: drawn, and not trained", "L": "layers", "d": "width", "eps": "of LayerNorm",
    "m": "strings of training",
    CODED: "samples with which the bound from the bits of a code for the weights is below the range of the loss",
    "net": "the same of a net of the parameters", "norms": "the same of covers in norms",
    "loss": "mean ramp loss, margin 1, on the strings of training", "gap": "that on fresh strings less the loss",
}  # fmt: skip


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("weights", "L", "d", "eps", "m"))


def _page(rows: list[Row], config: Mapping[str, Any]) -> list[list[str]]:
    """One line for each trained model, and for random ones of all depths."""
    lines = []
    at = {name: str(x) for name, x in config["point"].items()}
    for key in dict.fromkeys(map(_key, rows)):
        own = {row["route"]: row for row in rows if _key(row) == key}
        weights, _, d, eps, m = key
        if weights == "random" and (d, eps) != (at["d"], at["eps"]):
            continue
        first = own["net"]
        samples = [_samples(own[route]) for route in SHOWN]
        lines.append([*key[:4], m if weights == "trained" else "-", *samples, first["empirical"] or "-",
                      first["gap"] or "-"])  # fmt: skip
    return sorted(lines, key=lambda line: line[0] == "random")


def _at(rows: list[Row], config: Mapping[str, Any], weights: str, **change: Any) -> dict[str, Row]:
    """By route."""
    key = (weights, *map(str, _point(config, change)))
    return {row["route"]: row for row in rows if _key(row) == key}


def _log(row: Row) -> float:
    return float(row["log10 samples"])


def _answer(rows: list[Row], config: Mapping[str, Any]) -> str:
    own = _at(rows, config, config["weights"][-1])
    first = next(iter(own.values()))
    measured = f"; measured after {first['m']} strings: {first['gap']}" if first["gap"] else ""
    return (
        f"For {first['numbers']} parameters the bounds that count say something from {_samples(own[CODED])} samples "
        f"(coded bits) and {_samples(own['net'])} on (a net of the parameters), those of norms from "
        f"{_samples(own['norms'])}{measured}."
    )


def _samples(row: Row) -> str:
    return f"{Decimal(10) ** Decimal(row['log10 samples']):.1E}"


def _times(log10: float) -> str:
    return f"{10**log10:.2f}" if log10 < 3 else f"{Decimal(10) ** Decimal(log10):.1E}"


def _growth(rows: list[Row], config: Mapping[str, Any]) -> str:
    """Per layer, between the least depth and the largest."""
    depths = config["vary"]["L"]
    first, last = (_at(rows, config, config["weights"][-1], L=L) for L in (depths[0], depths[-1]))
    told = [f"{route} {_times((_log(last[route]) - _log(first[route])) / (depths[-1] - depths[0]))}"
            for route in SHOWN]  # fmt: skip
    return f"With each layer the routes ask for so many times the samples: {', '.join(told)}; {_training(rows, config)}"


def _of_eps(rows: list[Row], config: Mapping[str, Any]) -> str:
    small, large = config["vary"]["eps"][0], config["vary"]["eps"][-1]
    first, last = (_at(rows, config, config["weights"][-1], eps=eps) for eps in (small, large))
    told = [f"{route} {_samples(first[route])} and {_samples(last[route])}" for route in SHOWN]
    return f"With eps = {small} and {large} in LayerNorm, for networks trained so: {', '.join(told)}"


def _training(rows: list[Row], config: Mapping[str, Any]) -> str:
    first, last = (_at(rows, config, weights) for weights in (config["weights"][0], config["weights"][-1]))
    told = [f"{route} {_times(_log(last[route]) - _log(first[route]))}" for route in SHOWN]
    return f"after training they ask for so many times the samples: {', '.join(told)}"


def _measured(rows: list[Row], config: Mapping[str, Any]) -> Iterator[str]:
    """Against m, where no bound says anything; and what was not learned."""
    own = [_at(rows, config, "trained", m=m) for m in sorted(config["vary"]["m"])]
    if not all(own):
        return
    gaps = ", ".join(f"{one['net']['gap']} after {one['net']['m']} strings" for one in own)
    least = min(float(row["log10 gap"]) for one in own for row in one.values())
    yield f"Measured: {gaps}; the smallest bound on any of these gaps is {10**least:.3g}, where the loss is at most 1"
    trained = [row for row in rows if row["weights"] == "trained" and row["route"] == "net"]
    lost = [f"L = {row['L']} and d = {row['d']}" for row in trained if float(row["empirical"]) > 1.5 * config["noise"]]
    if lost:
        yield (
            f"Not learned, with a training loss above 1.5 times the {config['noise']:.0%} of flipped labels: "
            f"{', '.join(lost)}, whose gaps are those of constants"
        )


def _notes(config: Mapping[str, Any]) -> list[str]:
    at = ", ".join(f"{name} = {x}" for name, x in config["point"].items())
    return [
        f"Encoders of BERT's family: {config['bits']} bits behind [CLS], two heads, an MLP of twice the width, a "
        f"pooler and two classes; around the point {at}. Task (Edelman et al. 2022): the AND of three of the bits, "
        f"with {config['noise']:.0%} of all labels flipped, of training and of fresh strings alike.",
        f"Trained by Adam, rate {config['rate']} down to zero along a line, {config['steps']} batches of "
        f"{config['batch']}, on the network that was compiled. Initial weights are normal, maps divided by the root of "
        "their inputs. One training for each row.",
        "Bounds: those of maurey bound for the ramp loss with margin 1 and delta = 1/20, shared among all routes; "
        "norms were read off the networks and are paid for. Measured: the mean loss on "
        f"{config['fresh']} fresh strings less that on the strings of training; a measurement, no bound.",
        f"Seed {config['seed']}: weights, strings, fresh strings and batches have the seeds after it. Training is in "
        "doubles, and rounding depends on the machine; what is random is the same everywhere.",
    ]
