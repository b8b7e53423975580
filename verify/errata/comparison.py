"""Printed against derived: where a printed form falls below what the derivation gives.

Without a constant that the paper leaves open, at points; with one, along rays; and where a kept logarithm vanishes. A
form that the sharp route proves is a remark, not an erratum. Every entry is certified in ball arithmetic.
"""

from __future__ import annotations

import math
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
from .directions import Question, Support, serving
from .entries import Comparison, Erratum, comparable
from .growth import Untreated
from .rays import Growth
from .sentences import along, departures, moving, sentence, words
from .witnesses import Certified, both, certified_anywhere, certified_ray, falls_short, ray_of

MOST_TRIED = 3  # rays of which none is certified
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
    try:
        question = Question(claim, part, at, {}, logarithms=True)
        grows = question.exists(question.fails(loosely=True))
    except (Untreated, Undecided):
        return False
    return not grows and not any(mask.any() for mask in _short(part, printed, sharp, True).values())


def _short(part: Part, printed: Growth, other: Growth, kept: Any) -> dict[str, Any]:
    """Along which rays the printed form is on the wrong side of the other."""
    return rays.falls_short(other, printed, kept) if part.below else rays.falls_short(printed, other, kept)


# --- rays ---------------------------------------------------------------------------------------------------------


def _compare_along_rays(found: Comparison, claim: Claim, part: Part) -> None:
    """Along rays of one and two directions in numbers, which show signs, limits and constants; then along all others by
    linear arithmetic."""
    at = rays.start(claim, part)
    directions = rays.rays(claim, at)
    constants, missed, proved = _best_reading(claim, part, at, directions)
    if missed["undefined"].any():
        number = int(missed["undefined"].sum())
        found.undecided.append(f"{claim.key}:{part.name} is not defined in both forms along {number} rays")
    fails = rays.any_kind(missed)
    exponents = rays.exponents(constants)
    for index in map(int, np.flatnonzero(missed["log"] & fails & ~proved)):
        proved[index] = _grows_enough(claim, part, at, exponents, directions[index])
    point = _with_constants(claim, part, at) | exponents
    derived = rays.growth(claim, part, "derived", at | exponents, directions)
    printed = rays.growth(claim, part, "printed", point, directions)
    with np.errstate(invalid="ignore"):
        excess = (derived.power - printed.power) if part.below else (printed.power - derived.power)
    for index in _minimal(directions, fails & ~proved, excess):
        ray = directions[index]
        kind = next(kind for kind in rays.KINDS if missed[kind][index])
        certified = certified_ray(claim, part, point, ray, kind)
        if certified is None:
            found.undecided.append(f"{claim.key}:{part.name}: growth along {moving(ray)} is not certified")
            continue
        powers = printed.power[index], derived.power[index]
        found.errata.append(_ray_gap(claim, part, kind, powers, certified, exponents))
    real = [rays.support(ray) for ray, fail in zip(directions, fails & ~proved, strict=True) if fail]
    own = [not any(other < moved for other in real) for moved in map(rays.support, directions)]
    spared = fails & proved & np.array(own, dtype=bool)
    where = "; ".join(moving(directions[i]) for i in _minimal(directions, spared, printed.power))
    if where:
        found.remarks.append(f"{claim.key}:{part.name}: its proof does not give it along {where}; the sharp form does.")
    real += [rays.support(ray) for ray, open_ in zip(directions, missed["undefined"], strict=True) if open_]
    if not (missed["power"] & fails & ~proved).any():
        _compare_in_all_directions(found, claim, part, at, exponents, real)


def _grows_enough(claim: Claim, part: Part, at: Point, exponents: Point, ray: Ray) -> bool:
    """By linear arithmetic the print grows as fast as the best proved form: where two bounds cross beyond what numbers
    reach, these see a logarithm that is not there."""
    try:
        question = Question(claim, part, at, exponents, logarithms=True, ray=ray)
        return not question.exists(question.fails(loosely=True))
    except (Untreated, Undecided):
        return False


def _with_constants(claim: Claim, part: Part, at: Point) -> Point:
    """And the values that open constants have where nothing is said of them."""
    (choice, *_), *_ = rays.open_constants(claim, part)
    return at | {c.name: c.value for c in claim.constants if c.name in choice}


def _ray_gap(
    claim: Claim, part: Part, kind: str, powers: tuple[float, float], certified: Certified, exponents: Point
) -> Erratum:
    witness, values = certified
    reading = "".join(f" (with {name} = {value}, which serves it best)" for name, value in exponents.items())
    what = sentence(part, kind, *powers, values)
    return _gap(
        claim, part, witness, values, f"{along(witness)}{what}{reading}{departures(claim, part, ray_of(witness))}."
    )


def _compare_in_all_directions(
    found: Comparison, claim: Claim, part: Part, at: Point, exponents: Point, known: list[Support]
) -> None:
    """By powers of t, and of log t along what moves nothing but quantities whose logarithms are kept. Ties are asked
    for last: there the factors before the powers decide."""
    name = f"{claim.key}:{part.name}"
    try:
        question = Question(claim, part, at, exponents)
        if _found_ray(found, question, exponents, known, "power"):
            return
        if question.exists(question.beyond()):
            raise Untreated("both forms have exponentials")
        if part.keeps == ():
            return
        question = Question(claim, part, at, exponents, logarithms=True, moving=part.keeps)
        if not _found_ray(found, question, exponents, known, "log") and question.exists(question.fails(loosely=True)):
            found.remarks.append(f"{name}: in three and more directions it is compared up to logarithms.")
    except (Untreated, Undecided) as reason:
        found.undecided.append(f"{name}: growth in three and more directions is not known: {reason}")


def _found_ray(found: Comparison, question: Question, exponents: Point, known: list[Support], kind: str) -> bool:
    """One of least support, beyond those that are known, is an entry; what cannot be certified is said, but for
    logarithms at ties."""
    claim, part = question.claim, question.part
    point = _with_constants(claim, part, question.at) | exponents
    for support in known:
        question.leave(support)
    tried = 0
    for loosely in (False, True):
        while tried < MOST_TRIED and (ray := question.ray(question.fails(loosely))):
            powers = question.power("printed", ray), question.power("derived", ray)
            how = "sign" if -math.inf in powers else kind
            if certified := certified_anywhere(claim, part, point, ray, how):
                found.errata.append(_ray_gap(claim, part, how, powers, certified, exponents))
                return True
            if not loosely or kind == "power":
                why = "is a tie, and is not certified" if loosely else "is not certified"
                found.undecided.append(f"{claim.key}:{part.name}: growth along {moving(ray)} {why}")
            if kind == "log" and loosely:
                return False
            question.leave(rays.support(ray))
            tried += 1
    return tried > 0


def _shortfalls(
    claim: Claim, part: Part, at: Point, directions: list[Ray], other: Growth, constants: list[Point]
) -> dict[str, Any]:
    """Where the printed form falls short, by kind, whatever the open factors are."""
    kept = np.array([part.keeps is None or set(ray) <= set(part.keeps) for ray in directions], dtype=bool)
    each = [_short(part, rays.growth(claim, part, "printed", at | c, directions), other, kept) for c in constants]
    return {kind: np.all([one[kind] for one in each], axis=0) for kind in each[0]}


Reading = tuple[list[Point], dict[str, Any], Any]


def _reading(claim: Claim, part: Part, at: Point, directions: list[Ray], constants: list[Point]) -> Reading:
    """Where the print falls short of the derived form, by kind, and where it does not of the sharp one."""
    here, short = at | rays.exponents(constants), {}
    for form in part.forms[1:]:
        growth = rays.growth(claim, part, form, here, directions)
        short[form] = _shortfalls(claim, part, at, directions, growth, constants)
    fails = rays.any_kind(short["derived"])
    return constants, short["derived"], ~rays.any_kind(short["sharp"]) if "sharp" in short else np.zeros_like(fails)


def _failing(reading: Reading, kind: str = "") -> Any:
    _, missed, proved = reading
    return (missed[kind] if kind else rays.any_kind(missed)) & ~proved


def _best_reading(claim: Claim, part: Part, at: Point, directions: list[Ray]) -> Reading:
    """An open exponent is read as it serves the paper best: with no ray that fails, or else the fewest."""
    readings = [_reading(claim, part, at, directions, c) for c in reversed(rays.open_constants(claim, part))]
    readings.sort(key=lambda reading: int(_failing(reading).sum()))
    if len(readings) == 1 or np.all([_failing(reading, "power") for reading in readings], axis=0).any():
        return readings[0]  # there is nothing to choose, or a ray fails whatever is chosen
    try:
        exponents = serving(claim, part, at, [rays.exponents(constants) for constants, *_ in readings])
    except (Untreated, Undecided):
        return readings[0]
    served = _reading(claim, part, at, directions, [c | exponents for c in readings[0][0]])
    return min((served, readings[0]), key=lambda reading: int(_failing(reading).sum()))


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
