"""The picture on the first page: a printed bound that falls below what is true, and the repaired one that does not.

Everything in it is computed: the printed and the repaired form along the ray of the erratum, and what the class needs
there, as the ledger has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from markupsafe import Markup

from maurey.numeric.exact import fractions
from maurey.numeric.grids import sweep
from maurey.numeric.types import Ray
from maurey.symbolic import registry
from maurey.verify.errata.witnesses import ray_of

from .library import Library, Record
from .prose import names_of

KEY, PART = "trauger2024/3.5", "log_N"
FORMS = ("repaired", "printed")
ACROSS = "number of outputs"
Scale = Callable[[float], float]
SIZES = {"wide": (640, 380, 132), "narrow": (360, 330, 82)}  # width, height, and room for labels on the right
LEFT, TOP, BOTTOM = 44, 40, 52


def picture(library: Library) -> Markup | None:
    """None, where the ledger has no such erratum."""
    entry = next((e for e in library.entries if _fits(e)), None)
    return _picture(entry) if entry else None


def _fits(entry: Record) -> bool:
    return entry["key"] == KEY and entry["part"] == PART and entry["status"] == "refuted" and "ray" in entry["witness"]


def _picture(entry: Record) -> Markup:
    claim, witness = registry.find(KEY), entry["witness"]
    ray, at = ray_of(witness), fractions({n: x for n, x in witness["at"].items() if n in names_of(KEY)})
    known = [math.log10(Decimal(t)) for t in witness["t"]]
    logs = np.linspace(known[0] - 1.5, known[-1] + 1, 80)
    curves = {form: sweep(claim, form, PART, **_along(at, ray, logs, claim.samples)).log10 for form in FORMS}
    printed = sweep(claim, "printed", PART, **_along(at, ray, np.array(known), claim.samples)).log10
    true = [float(p) - float(Decimal(r).log10()) for p, r in zip(printed, witness["ratios"], strict=True)]
    dots, ratio = list(zip(known, true, strict=True)), Decimal(witness["ratios"][-1])
    return Markup("").join(_drawn(kind, logs, curves, dots, ratio) for kind in SIZES)


def _along(at: dict[str, Fraction], ray: Ray, logs: np.ndarray, samples: str) -> dict[str, object]:
    """Sizes are integers: rounded, which a logarithmic axis does not show."""
    integers = {"d", "k", "T", samples}
    moved = {name: 10 ** (logs * float(power)) for name, power in ray.items()}
    return dict(at) | {name: np.rint(x) if name in integers else x for name, x in moved.items()}


def _drawn(
    kind: str, logs: np.ndarray, curves: dict[str, np.ndarray], true: Sequence[tuple[float, float]], ratio: Decimal
) -> Markup:
    width, height, right = SIZES[kind]
    low = math.floor(min(curve.min() for curve in curves.values())) - 1
    high = math.ceil(max(curve.max() for curve in curves.values()))

    def x(value: float) -> float:
        return LEFT + (value - logs[0]) / (logs[-1] - logs[0]) * (width - LEFT - right)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (height - TOP - BOTTOM)

    parts = [_grid(x, y, logs, (low, high), (width - right, height))]
    for form, curve in curves.items():
        path = "".join(
            f"{'M' if n == 0 else 'L'}{x(t):.1f} {y(v):.1f}" for n, (t, v) in enumerate(zip(logs, curve, strict=True))
        )
        parts.append(f'<path class="curve {form}" d="{path}"/>')
        parts.append(f'<text class="{form}" x="{width - right + 8}" y="{y(curve[-1]) + 5:.1f}">{form}</text>')
    floor = dict(zip(FORMS, curves.values(), strict=True))["printed"]
    for t, v in true:
        low_end = y(float(np.interp(t, logs, floor)))
        parts.append(f'<path class="short" d="M{x(t):.1f} {low_end:.1f}V{y(v) + 8:.1f}"/>')
        parts.append(f'<circle class="truth" cx="{x(t):.1f}" cy="{y(v):.1f}" r="5"/>')
    middle = (y(v) + low_end) / 2
    needed = ("needed,", "at least") if kind == "narrow" else ("needed, at least",)
    for n, words in enumerate(needed):
        parts.append(f'<text class="truth" x="{x(t) + 12:.1f}" y="{y(v) + 5 + 18 * n:.1f}">{words}</text>')
    parts.append(f'<text class="short" x="{x(t) + 12:.1f}" y="{middle:.1f}">{_times(1 / ratio)} times</text>')
    parts.append(f'<text class="short" x="{x(t) + 12:.1f}" y="{middle + 18:.1f}">too small</text>')
    label = (
        "A printed bound on a log covering number crosses below what the class needs; the repaired bound stays above."
    )
    return Markup(
        f'<svg class="picture {kind}" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _grid(x: Scale, y: Scale, logs: np.ndarray, span: tuple[int, int], corner: tuple[int, int]) -> str:
    right, height = corner
    parts = []
    for power in range(span[0], span[1] + 1, max(1, round((span[1] - span[0]) / 5))):
        parts.append(f'<path class="grid" d="M{LEFT} {y(power):.1f}H{right}"/>')
        parts.append(f'<text class="tick" text-anchor="end" x="{LEFT - 8}" y="{y(power) + 5:.1f}">{_ten(power)}</text>')
    powers = range(math.ceil(logs[0]), math.floor(logs[-1]) + 1)
    for power in powers[:: 1 if right > 400 else 2]:
        at = f'x="{x(power):.1f}" y="{height - BOTTOM + 22}"'
        parts.append(f'<text class="tick" text-anchor="middle" {at}>{_ten(power)}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<text class="axis" text-anchor="middle" x="{middle:.0f}" y="{height - 6}">{ACROSS}</text>')
    parts.append('<text class="axis" x="0" y="14">log covering number</text>')
    return "".join(parts)


def _times(x: Decimal) -> str:
    """Rounded down to two digits."""
    digits = len(str(int(x)))
    return f"{int(x) // 10 ** (digits - 2) * 10 ** (digits - 2):,}"


def _ten(power: int) -> str:
    return f'10<tspan dy="-6" class="power">{power}</tspan>'
