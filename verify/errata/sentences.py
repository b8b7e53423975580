"""The sentences of the errata, made from what a comparison found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from maurey.numeric.balls import Enclosure
from maurey.numeric.types import Ray
from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.printing import plain

from .witnesses import ratio, ray_of


def words(point: dict[str, Any]) -> str:
    return ", ".join(f"{n} = {', '.join(map(str, x)) if isinstance(x, list) else x}" for n, x in point.items())


def along(witness: dict[str, Any]) -> str:
    """How the note on a ray begins."""
    return f"Along {moving(ray_of(witness), witness['at'])}, all else fixed, "


def moving(ray: Ray, factors: Mapping[str, Any] | None = None) -> str:
    """d = t, m = 4 t, B_QK[2] = t^(1/2)"""
    before = {name: f"{factor} " for name, factor in (factors or {}).items() if name in ray}
    return ", ".join(f"{name} = {before.get(name, '')}{_power(power)}" for name, power in ray.items())


def _order(power: float) -> str:
    if power == math.inf:
        return "beyond every power of t"
    near = Fraction(power).limit_denominator(12)
    return "of order 1" if near == 0 else f"of order {_power(near)}"


def _power(power: Fraction) -> str:
    return "t" if power == 1 else f"t^{power}" if power.denominator == 1 and power > 0 else f"t^({power})"


def sentence(part: Part, kind: str, printed: float, derived: float, values: tuple[Enclosure, Enclosure]) -> str:
    if kind == "sign" and part.below:
        return (
            f"the printed lower bound stays positive (at last {values[0].value:.3g}), where the derivation gives "
            f"{values[1].value:.3g}, that is nothing"
        )
    if kind == "sign":
        return (
            f"the printed bound becomes negative (at last {values[0].value:.3g}), where the derivation gives "
            f"{values[1].value:.3g}: no constant helps"
        )
    if kind == "limit":
        return (
            f"the printed bound is at {'least' if part.below else 'most'} {_times(part, values):.4g} times what the "
            "derivation gives, in a term that no open constant touches"
        )
    if kind == "log":
        change = "gains" if part.below else "loses"
        return f"the printed bound {change} a power of log t, which it does not hide, against what the derivation gives"
    return (
        f"the printed bound is {_order(printed)} and what the derivation gives {_order(derived)}: no hidden constant "
        "makes up for it"
    )


def _times(part: Part, values: tuple[Enclosure, Enclosure]) -> Decimal:
    found = ratio(part, *values)
    return 1 / found if part.below else found


def departures(claim: Claim, part: Part, ray: Ray | None = None) -> str:
    """Where the derivation leaves the printed proof; of a ray, in steps that speak of what moves, themselves or through
    steps that only name something (a radius, a product of Lipschitz constants)."""
    texts: dict[str, str] = {}
    moves = set(ray or ())
    for step in part.steps("derived"):
        speaks = bool({str(symbol) for symbol in step.expr.free_symbols} & moves)
        if speaks and not step.key:
            moves.add(step.name)
        text = claim.departure(step, "derived")
        if text and (ray is None or speaks):
            texts.setdefault(plain(text), step.name)
    return "".join(f"; the printed proof differs: {text}" for text in texts)
