"""Lemma 41, how many points fit into the unit ball: proved by volumes, and refuted where it takes Maurey's count, which
is one of an l1 ball, for the Euclidean one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from flint import arb, ctx, fmpz
from sympy import log

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, decimal, logarithm, to_ball
from maurey.numeric.types import Point
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.packings.attacks import falling
from maurey.verify.prove.arguments import positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula

from .codes import hamming_ball
from .lattices import Packing, all_packings

KEY = "mousavi2025/41"
STRICT = 1000  # a resolution this much (in parts) below the least distance serves both readings, > eps and >= eps


@cache
def packings() -> list[Packing]:
    return list(all_packings())


def resolution(packing: Packing) -> Fraction:
    """A rational below the least distance, by less than a hundredth."""
    return Fraction(math.isqrt(packing.squared.numerator * STRICT**2 // packing.squared.denominator) - 1, STRICT)


def at(d: int, eps: Fraction) -> Point:
    return {"eps": eps, "d": Fraction(d)}


def sign_codes(effort: Effort) -> Iterator[tuple[int, Fraction, arb, str]]:
    """Signs divided by sqrt(d): those that differ in a quarter of the places are 1 apart, and a count of words in
    integers says how many there are; and any maximal packing covers the ball."""
    for d in (64, 256, 1024, 1024 * effort.scale):
        distance = -(-d // 4)
        with ctx.workprec(PRECISION):
            count = arb(fmpz(1 << d)).log() - arb(fmpz(hamming_ball(d, distance - 1))).log()
        yield d, Fraction(999, 1000), count, f"signs in {d} dimensions that differ in {distance} places"
    for d, over in ((2, 2), (20, 2), (10, 3), (1000, 4), (10**6, 100)):
        with ctx.workprec(PRECISION):
            yield d, Fraction(1, over), d * logarithm(over), "a maximal packing, which covers the ball"


def disjoint_balls() -> Iterator[Result]:
    """Balls of radius eps/2 around the points are disjoint and lie in the ball of radius 1 + eps/2."""
    d, eps = positive("d eps")
    volumes = d * (log(1 + eps / 2) - log(eps / 2))
    for form in ("printed", "derived"):
        yield conclude(
            "volumes of disjoint balls of half the distance, in a ball that is larger by this half; on the line it is "
            "attained",
            [same(formula(KEY, form, "volume"), volumes), same(formula(KEY, form, "volume", d=1, eps=2), log(2))],
            part="volume", form=form, tightness=1.0,
        )  # fmt: skip


@check(KEY)
def ball(effort: Effort) -> Iterator[Result]:
    yield from disjoint_balls()
    known = [(p.d, resolution(p), logarithm(p.points), p.what) for p in packings()] + list(sign_codes(effort))
    for part, form in (("volume", "printed"), ("log_P", "derived")):
        best = 0.0
        for d, eps, count, what in known:
            said = value(KEY, form, part, at(d, eps))
            if count > said:
                yield refuted(what, {"d": d, "eps": str(eps)}, decimal(said), decimal(count, up=False), part=part,
                              form=form)  # fmt: skip
                return
            best = max(best, float(count / said))
        note = (
            f"{len(known)} packings with exact coordinates, by counts of words or by volume, in up to 10^6 dimensions"
        )
        yield Result("holds", "tested", note, instances=len(known), tightness=best, part=part, form=form)
    yield smallest_witness(known)
    yield along_the_dimension()


def smallest_witness(known: list[tuple[int, Fraction, arb, str]]) -> Result:
    """The packing of the least dimension that has more points than the printed minimum allows."""
    over = [
        (d, eps, count, what, said)
        for d, eps, count, what in known
        if count > (said := value(KEY, "printed", "log_P", at(d, eps)))
    ]
    if not over:
        return Result("undecided", "refuted", "no packing exceeds it", instances=len(known), part="log_P")
    d, eps, count, what, said = min(over, key=lambda one: one[0])
    note = (
        f"{len(over)} of {len(known)} packings have more points than it allows, in the least dimension {what}: the "
        "second bound counts points of an l1 ball"
    )
    witness = {"d": str(d), "eps": str(eps), "packing": what}
    return refuted(note, witness, decimal(said), decimal(count, up=False), part="log_P", instances=len(known))


def along_the_dimension() -> Result:
    def volume(point: Point) -> tuple[arb, str]:
        with ctx.workprec(PRECISION):
            return to_ball(point["d"]) * (1 / to_ball(point["eps"])).log(), "a maximal packing, which covers the ball"

    note = (
        "at eps = 1/2 a maximal packing has 2^d points or more, since balls of radius eps around them cover, where the "
        "printed logarithm of the count is of order log d: no constant helps"
    )
    return falling(
        KEY, "log_P", at={"eps": "1/2"}, ray={"d": "1"}, ts=(10**3, 10**6, 10**9), note=note, truth=volume, by="packing"
    )
