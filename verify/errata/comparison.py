"""Printed against derived: where a printed form falls below what the derivation gives.

Without a constant that the paper leaves open, at points; with one, along rays; and where a kept logarithm vanishes. A
form that the sharp route proves is a remark, not an erratum. Every entry is certified in ball arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.balls import Enclosure
from maurey.numeric.exact import texts
from maurey.numeric.types import Point, Ray
from maurey.numeric.walk import Undecided, Undefined
from maurey.symbolic.claim import Claim, InputError, Part

from . import points, rays
from .boxes import holds_on_box
from .entries import Comparison, Erratum, comparable
from .rays import Growth
from .sentences import along, departures, moving, sentence, words
from .witnesses import both, certified_ray, falls_short

LOGARITHMS = ("T", "N")  # at 1, and at sample size 1, the logarithms that the papers keep vanish


def compare(claim: Claim) -> Comparison:
    """Every part of the claim that has both forms."""
    found = Comparison(claim.key)
    for part in comparable(claim):
        if rays.open_constants(claim, part):
            _compare_along_rays(found, claim, part)
        else:
            _compare_at_points(found, claim, part)
    _compare_at_edges(found, claim)
    return found


def _gap(
    claim: Claim,
    part: Part,
    witness: dict[str, Any],
    values: tuple[Enclosure, Enclosure],
    note: str,
    edge: bool = False,
) -> Erratum:
    printed, derived = (str(value.value) for value in values)
    return Erratum(
        key=claim.key,
        part=part.name,
        status="gap",
        edge=edge,
        witness=witness,
        printed_value=printed,
        true_value=derived,
        note=note,
    )


# --- points -------------------------------------------------------------------------------------------------------


def _compare_at_points(found: Comparison, claim: Claim, part: Part) -> None:
    grid = points.Grid(claim, part)
    bad = grid.differs("derived")
    if grid.undefined.any():
        first = texts(grid.point(int(np.flatnonzero(grid.undefined)[0])))
        found.undecided.append(
            f"{claim.key}:{part.name} is not defined in both forms everywhere, e.g. at {words(first)}"
        )
    if not bad.any():
        return
    rescued = "sharp" in part.forms and not (bad & grid.differs("sharp")).any()
    if "sharp" in part.forms:
        bad = bad if rescued else bad & grid.differs("sharp")
    at = grid.point(grid.simplest(bad))
    values = both(claim, part, at)
    if not falls_short(part, *values):
        found.undecided.append(f"{claim.key}:{part.name}: {words(texts(at))} is too close to call")
        return
    relation = "differs from" if part.relation == "=" else "is more than" if part.below else "is less than"
    note = (
        f"At {words(texts(at))} the printed value {values[0].value:.6g} {relation} the {values[1].value:.6g} that the "
        f"derivation gives, and nothing is hidden that could make up for it{departures(claim, part)}."
    )
    if not rescued:
        found.errata.append(_gap(claim, part, texts(at), values, note))
        return
    box = holds_on_box(claim, part)
    if box and _never_short(claim, part):
        found.remarks.append(
            f"{claim.key}:{part.name}: its proof does not give it (at {words(texts(at))} it is {values[0].value:.6g}, "
            f"the derivation gives {values[1].value:.6g}), but it is true: the sharp form is below it for {box}, and "
            "along every ray beyond."
        )
    else:
        found.undecided.append(f"{claim.key}:{part.name}: no point decides between the printed and the sharp form")


def _never_short(claim: Claim, part: Part) -> bool:
    """The test at infinity: along no ray does the printed form fall below the sharp one."""
    at = rays.start(claim, part)
    directions = rays.rays(claim, at)
    printed, sharp = (rays.growth(claim, part, form, at, directions) for form in ("printed", "sharp"))
    return not any(mask.any() for mask in _short(part, printed, sharp, True).values())


def _short(part: Part, printed: Growth, other: Growth, kept: Any) -> dict[str, Any]:
    """Along which rays the printed form is on the wrong side of the other."""
    return rays.falls_short(other, printed, kept) if part.below else rays.falls_short(printed, other, kept)


# --- rays ---------------------------------------------------------------------------------------------------------


def _compare_along_rays(found: Comparison, claim: Claim, part: Part) -> None:
    at = rays.start(claim, part)
    directions = rays.rays(claim, at)
    derived = rays.growth(claim, part, "derived", at, directions)
    constants, missed = _best_reading(claim, part, at, directions, derived)
    if missed["undefined"].any():
        number = int(missed["undefined"].sum())
        found.undecided.append(f"{claim.key}:{part.name} is not defined in both forms along {number} rays")
    fails = rays.any_kind(missed)
    proved = np.zeros_like(fails)
    if part.sharp is not None:
        sharp = rays.growth(claim, part, "sharp", at, directions)
        proved = ~rays.any_kind(_shortfalls(claim, part, at, directions, sharp, constants))
    exponents = {name: value for name, value in constants[0].items() if value == constants[-1][name]}
    point = at | {c.name: c.value for c in claim.constants if c.name in constants[0]} | exponents
    printed = rays.growth(claim, part, "printed", point, directions)
    reading = "".join(f" (with {name} = {value}, which serves it best)" for name, value in exponents.items())
    with np.errstate(invalid="ignore"):
        excess = (derived.power - printed.power) if part.below else (printed.power - derived.power)
    for index in _minimal(directions, fails & ~proved, excess):
        ray = directions[index]
        kind = next(kind for kind in rays.KINDS if missed[kind][index])
        certified = certified_ray(claim, part, point, ray, kind)
        if certified is None:
            found.undecided.append(f"{claim.key}:{part.name}: growth along {moving(ray)} is not certified")
            continue
        witness, values = certified
        what = sentence(part, kind, printed.power[index], derived.power[index], values)
        note = f"{along(witness)}{what}{reading}{departures(claim, part, ray)}."
        found.errata.append(_gap(claim, part, witness, values, note))
    real = [rays.support(ray) for ray, fail in zip(directions, fails & ~proved, strict=True) if fail]
    own = [not any(other < moved for other in real) for moved in map(rays.support, directions)]
    spared = fails & proved & np.array(own, dtype=bool)
    where = "; ".join(moving(directions[i]) for i in _minimal(directions, spared, printed.power))
    if where:
        found.remarks.append(f"{claim.key}:{part.name}: its proof does not give it along {where}; the sharp form does.")


def _shortfalls(
    claim: Claim, part: Part, at: Point, directions: list[Ray], other: Growth, constants: list[Point]
) -> dict[str, Any]:
    """Where the printed form falls short, by kind, whatever the open factors are."""
    kept = np.array([part.keeps is None or set(ray) <= set(part.keeps) for ray in directions], dtype=bool)
    each = [_short(part, rays.growth(claim, part, "printed", at | c, directions), other, kept) for c in constants]
    return {kind: np.all([one[kind] for one in each], axis=0) for kind in each[0]}


def _best_reading(
    claim: Claim, part: Part, at: Point, directions: list[Ray], derived: Growth
) -> tuple[list[Point], dict[str, Any]]:
    """An open exponent is read as it serves the paper best: with the fewest rays that fail."""
    readings = [
        (constants, _shortfalls(claim, part, at, directions, derived, constants))
        for constants in rays.open_constants(claim, part)
    ]
    return min(readings, key=lambda reading: int(rays.any_kind(reading[1]).sum()))


def _minimal(directions: list[Ray], chosen: Any, excess: Any) -> Iterator[int]:
    """Of the chosen rays those that move least, one for each set of movements: where the gap is widest."""
    indices = [int(i) for i in np.flatnonzero(chosen)]
    movements = {i: rays.support(directions[i]) for i in indices}
    best: dict[frozenset[tuple[str, int]], int] = {}
    for i in indices:
        if not any(other < movements[i] for other in movements.values()):
            j = best.setdefault(movements[i], i)
            best[movements[i]] = i if excess[i] < excess[j] - 1e-6 else j
    yield from best.values()


# --- edges --------------------------------------------------------------------------------------------------------


def _compare_at_edges(found: Comparison, claim: Claim) -> None:
    """Where a logarithm that the paper keeps vanishes, and with it the bound."""
    for part in comparable(claim):
        at = rays.start(claim, part)
        names = [name for name in (claim.samples, *LOGARITHMS) if name in at]
        at |= dict.fromkeys(names, Fraction(1))
        try:
            values = both(claim, part, at)
            sharp = both(claim, part, at, "sharp")[1] if part.sharp is not None else values[1]
        except (Undecided, Undefined, InputError):
            continue
        vanishes = values[0].lower == values[0].upper == 0 < values[1].lower
        if not names or part.relation == "=" or part.below or not vanishes:
            continue
        where = " = ".join(names) + " = 1"
        if sharp.lower <= 0:
            found.remarks.append(
                f"{claim.key}:{part.name}: the printed bound is 0 at {where}, and so is the sharp form."
            )
            continue
        note = (
            f"At {where} the printed logarithm vanishes and the bound with it, whatever constant it hides, while the "
            f"derivation gives {values[1].value:.6g} (at {words(texts(at))})."
        )
        found.errata.append(_gap(claim, part, texts(at), values, note, edge=True))
        return
