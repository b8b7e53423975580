"""Entries of the errata and what certifies them: enclosures of both forms at a point, or at three points of a ray."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from sympy import integer_nthroot

from maurey.numeric.balls import Enclosure, enclose
from maurey.numeric.exact import SIX_UP, each, fractions, texts
from maurey.numeric.types import Point, Ray
from maurey.numeric.walk import Undecided, Undefined
from maurey.symbolic.claim import Claim, InputError, Part

from .entries import Erratum, fixed

TRIPLES = [(10**12, 10**24, 10**36), (10**6, 10**12, 10**18), (4**3, 4**6, 4**9), (4, 16, 64)]
FARTHER = [(10**60, 10**120, 10**240), (10**396, 10**792, 10**1596)]  # where constants are large


def both(claim: Claim, part: Part, point: Point, form: str = "derived") -> tuple[Enclosure, Enclosure]:
    return enclose(claim, "printed", part.name, **point), enclose(claim, form, part.name, **point)


def falls_short(part: Part, printed: Enclosure, other: Enclosure) -> bool:
    """Certainly: the printed value is not what it should be."""
    below, above = printed.upper < other.lower, printed.lower > other.upper
    return below or above if part.relation == "=" else above if part.below else below


def larger_last(part: Part, printed: Enclosure, other: Enclosure) -> tuple[Enclosure, Enclosure]:
    """The two in the order in which the first should not be the smaller one, and is where the print is wrong."""
    return (other, printed) if part.below else (printed, other)


def ratio(part: Part, printed: Enclosure, other: Enclosure) -> Decimal:
    """At least printed/other, for other > 0; of a lower bound other/printed."""
    low, high = larger_last(part, printed, other)
    return SIX_UP.divide(low.upper, high.lower if low.upper > 0 else high.upper)


def _exact_power(t: int, power: Fraction) -> Fraction:
    root, exact = integer_nthroot(t, power.denominator)
    if not exact:
        raise InputError(f"{t} has no root of order {power.denominator}")
    return Fraction(int(root)) ** power.numerator


def on_ray(point: Point, ray: Ray, t: int) -> Point:
    """The point with what moves multiplied by t to its power, exactly."""
    return each(point, lambda name, v: v * _exact_power(t, ray[name]) if name in ray else v)


def ray_witness(point: Point, ray: Ray, ts: tuple[int, ...], ratios: list[str]) -> dict[str, Any]:
    """What the ledger keeps of a ray; of what moves only factors other than 1."""
    return {
        "at": {name: value for name, value in texts(point).items() if name not in ray or value != "1"},
        "ray": {name: int(power) if power.denominator == 1 else float(power) for name, power in ray.items()},
        "t": [f"{Decimal(t).normalize():E}" for t in ts],
        "ratios": ratios,
    }


Certified = tuple[dict[str, Any], tuple[Enclosure, Enclosure]]


def certified_ray(
    claim: Claim, part: Part, point: Point, ray: Ray, kind: str, factors: Point | None = None
) -> Certified | None:
    """Three t at which the printed form certainly falls short: negative, or an ever smaller part of the derived one,
    and of the sharp one. What moves is t to its power, times a factor; what does not may have one too."""
    given = factors or {}
    point = each(point, lambda name, v: (1 if name in ray else v) * given.get(name, Fraction(1)))
    proved = [form for form in part.forms if form != "printed"]
    for ts in (*TRIPLES, *FARTHER):
        try:
            values = {form: _along(claim, part, point, ray, ts, form) for form in proved}
        except (Undecided, Undefined, InputError):
            continue
        if all(_dwindles(part, kind, pairs) for pairs in values.values()):
            ratios = [str(ratio(part, *pair)) for pair in values["derived"]]
            return ray_witness(point, ray, ts, ratios), values["derived"][-1]
    return None


def certified_anywhere(claim: Claim, part: Part, point: Point, ray: Ray, kind: str) -> Certified | None:
    """The same with factors, where they are needed: for strict assumptions (m > d), and at ties."""
    integers = {p.name for p in claim.symbols if p.domain.endswith("integer")}
    assumed = {symbol.name for assumption in claim.assumes for symbol in assumption.relation.free_symbols}
    names = [name for name in point if name in ray or name in assumed - fixed(claim)]
    more = [{name: Fraction(f)} for f in (4, 16) for name in names]
    less = [{name: Fraction(1, f)} for f in (4, 16) for name in names if name not in integers]
    found = (certified_ray(claim, part, point, ray, kind, factors) for factors in ({}, *more, *less))
    return next((one for one in found if one), None)


def _along(
    claim: Claim, part: Part, point: Point, ray: Ray, ts: tuple[int, ...], form: str
) -> list[tuple[Enclosure, Enclosure]]:
    return [both(claim, part, on_ray(point, ray, t), form) for t in ts]


def _dwindles(part: Part, kind: str, values: list[tuple[Enclosure, Enclosure]]) -> bool:
    if not all(larger_last(part, *pair)[1].lower > 0 for pair in values) or not falls_short(part, *values[-1]):
        return False
    first, second, third = (ratio(part, *pair) for pair in values)
    return max(first, second, third) < 0 if kind == "sign" else third <= second <= first


def replay(claim: Claim, erratum: Erratum) -> bool:
    """The stored witness still shows what it showed."""
    part, witness = claim.part(erratum.part), erratum.witness
    if "ray" not in witness:
        printed, derived = both(claim, part, fractions(witness))
        stored = erratum.printed_value, erratum.true_value
        return falls_short(part, printed, derived) and stored == (str(printed.value), str(derived.value))
    values = [both(claim, part, point) for point in _points(witness, fractions(witness["at"]))]
    ratios = [str(ratio(part, *pair)) for pair in values]
    return falls_short(part, *values[-1]) and ratios == witness["ratios"]


def _points(witness: dict[str, Any], at: Point) -> list[Point]:
    """Those of a stored ray."""
    ray = ray_of(witness)
    start = dict.fromkeys((name for name in ray if "[" not in name), Fraction(1)) | at
    return [on_ray(start, ray, int(Decimal(t))) for t in witness["t"]]


def ray_of(witness: dict[str, Any]) -> Ray:
    return {name: Fraction(power).limit_denominator(12) for name, power in witness["ray"].items()}


def printed_again(claim: Claim, erratum: Erratum) -> bool:
    """Of what is refuted: the print still says at the witness what it said, and is on the wrong side of the truth."""
    if not claim.parts:
        return True  # of a definition nothing is printed
    part, witness = claim.part(erratum.part), erratum.witness
    names = {p.name for p in claim.names}
    at = fractions({name: value for name, value in witness.get("at", witness).items() if name in names})
    if "ray" in witness:
        at = _points(witness, at)[-1]
    said, true = Decimal(erratum.printed_value), Decimal(erratum.true_value)
    now = Decimal(str(enclose(claim, "printed", part.name, **at).value))
    wrong = said != true if part.relation == "=" else said > true if part.below else said < true
    return wrong and abs(now - said) <= abs(said) * Decimal("1e-4")
