"""The picture on the first page: a printed bound that falls below what is true, and the repaired one that does not.

Everything in it is computed: the printed and the repaired form along the ray of the erratum, and what the class needs
there, as the ledger has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from markupsafe import Markup

from maurey.numeric.exact import fractions
from maurey.numeric.grids import sweep
from maurey.numeric.types import Ray
from maurey.symbolic import registry
from maurey.verify.errata.witnesses import ray_of

from . import numbers
from .library import Library, Record
from .prose import inline, names_of

KEY, PART = "edelman2022/4.4", "log_N"
FORMS = ("repaired", "printed")
WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 62, 132, 22, 52


@dataclass(frozen=True)
class Picture:
    svg: Markup
    moves: list[Markup]  # what moves, as powers of t
    fixed: list[Markup]


def picture(library: Library) -> Picture | None:
    """None, where the ledger has no such erratum."""
    entry = next((e for e in library.entries if _fits(e)), None)
    return _picture(entry) if entry else None


def _fits(entry: Record) -> bool:
    return entry["key"] == KEY and entry["part"] == PART and entry["status"] == "refuted" and "ray" in entry["witness"]


def _picture(entry: Record) -> Picture:
    claim, witness = registry.find(KEY), entry["witness"]
    ray, at = ray_of(witness), fractions({n: x for n, x in witness["at"].items() if n in names_of(KEY)})
    known = [math.log10(Decimal(t)) for t in witness["t"]]
    logs = np.linspace(known[0] - 1.5, known[-1] + 1, 80)
    curves = {form: sweep(claim, form, PART, **_along(at, ray, logs, claim.samples)).log10 for form in FORMS}
    printed = sweep(claim, "printed", PART, **_along(at, ray, np.array(known), claim.samples)).log10
    true = [float(p) - float(Decimal(r).log10()) for p, r in zip(printed, witness["ratios"], strict=True)]
    names = names_of(KEY)
    return Picture(
        _drawn(logs, curves, list(zip(known, true, strict=True))),
        [inline(f"{names[name]}={numbers.power_of(float(power))}") for name, power in ray.items()],
        [inline(f"{names[name]}={x}") for name, x in at.items()],
    )


def _along(at: dict[str, Fraction], ray: Ray, logs: np.ndarray, samples: str) -> dict[str, object]:
    """Sizes are integers: rounded, which a logarithmic axis does not show."""
    integers = {"d", "k", "T", samples}
    moved = {name: 10 ** (logs * float(power)) for name, power in ray.items()}
    return dict(at) | {name: np.rint(x) if name in integers else x for name, x in moved.items()}


def _drawn(logs: np.ndarray, curves: dict[str, np.ndarray], true: Sequence[tuple[float, float]]) -> Markup:
    low = math.floor(min(curve.min() for curve in curves.values()))
    high = math.ceil(max(curve.max() for curve in curves.values()))

    def x(value: float) -> float:
        return LEFT + (value - logs[0]) / (logs[-1] - logs[0]) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [_grid(x, y, logs, low, high)]
    for form, curve in curves.items():
        path = "".join(f"{'M' if n == 0 else 'L'}{x(t):.1f} {y(v):.1f}" for n, (t, v) in enumerate(zip(logs, curve, strict=True)))
        parts.append(f'<path class="curve {form}" d="{path}"/>')
        parts.append(f'<text class="{form}" x="{WIDTH - RIGHT + 8}" y="{y(curve[-1]) + 5:.1f}">{form}</text>')
    for t, v in true:
        parts.append(f'<circle class="truth" cx="{x(t):.1f}" cy="{y(v):.1f}" r="5"/>')
    t, v = true[-1]
    parts.append(f'<text class="truth" x="{WIDTH - RIGHT + 8}" y="{y(v) + 5:.1f}">needed, at least</text>')
    label = "A printed bound on a log covering number crosses below what the class needs; the repaired bound stays above."
    return Markup(
        f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def _grid(x: object, y: object, logs: np.ndarray, low: int, high: int) -> str:
    assert callable(x) and callable(y)
    step = max(1, round((high - low) / 5))
    parts = []
    for power in range(low, high + 1, step):
        parts.append(f'<path class="grid" d="M{LEFT} {y(power):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" text-anchor="end" x="{LEFT - 8}" y="{y(power) + 5:.1f}">{_ten(power)}</text>')
    for power in range(math.ceil(logs[0]), math.floor(logs[-1]) + 1):
        parts.append(f'<text class="tick" text-anchor="middle" x="{x(power):.1f}" y="{HEIGHT - BOTTOM + 22}">{_ten(power)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text class="axis" text-anchor="middle" x="{middle:.0f}" y="{HEIGHT - 8}"><tspan class="letter">t</tspan></text>')
    parts.append(f'<text class="axis" x="{LEFT - 40}" y="{TOP - 6}">log covering number</text>')
    return "".join(parts)


def _ten(power: int) -> str:
    return f'10<tspan dy="-6" class="power">{power}</tspan>'
