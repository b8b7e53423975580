"""Covering claims attacked from below: at points where nothing is hidden, along rays where a constant is, and at edges.

What is refuted is certified: the value of the form from above, the lower bound from below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb, ctx

from maurey.numeric.balls import _Unresolved as Unresolved
from maurey.numeric.balls import at_precision, to_arb
from maurey.numeric.binding import Bound, bind
from maurey.numeric.walk import Undefined
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result
from maurey.verify.errata.rays import Ray
from maurey.verify.errata.witnesses import on_ray, ray_witness, read, shown

from .claims import ATTACKS, Attack, Point, points
from .euclidean import PRECISION, Lower

UP = Context(prec=6, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
PRECISIONS = (128, 512, 2048)


@cache
def _written(key: str, part: str, form: str, sizes: tuple[tuple[str, int], ...]) -> Bound:
    """The form written out for given list lengths; values come later."""
    claim = registry.find(key)
    lengths = dict(sizes)
    at: Point = {}
    for p in claim.symbols:
        if p.optional or p.name in ("L_loss", "b", "delta"):
            continue
        at[p.name] = [Fraction(1)] * lengths[p.index] if p.index else Fraction(lengths.get(p.name, 1))
    return bind(replace(claim, assumes=()), at, form, part)  # ones are no point of the domain


def value(key: str, part: str, form: str, at: Mapping[str, Any]) -> arb:
    """A ball around the form at a point. Of sec2, which bounds N itself, the logarithm where it was derived as such."""
    claim = registry.find(key)
    indices = {p.index for p in claim.symbols if p.index} | set(claim.unrolled)
    bound = _written(key, part, form, tuple(sorted((name, int(at.get(name, 1))) for name in indices)))
    steps = bound.steps[:-1] if part == "N_inf" and form != "printed" else bound.steps
    bound = replace(bound, steps=steps, values={**bound.values, **at})
    for precision in PRECISIONS:
        try:
            return to_arb(at_precision(bound, precision)[0])
        except Unresolved:
            continue
    raise Undefined("a count that stays open")


def hidden(key: str, part: str, form: str) -> bool:
    """Whether the form hides a constant."""
    claim = registry.find(key)
    return form == "printed" and claim.part(part).relation == "<~"


def survives(key: str, part: str, form: str, effort: Effort, number: int, attack: Attack | None = None) -> Result:
    """Lower bounds over the whole stated domain, its corners included, stay below the form."""
    claim, attack = registry.find(key), attack or ATTACKS[key, part]
    tight, where, tried = 0.0, "", 0
    for at in points(claim, attack, number * effort.scale, effort.seed):
        try:
            bound = value(key, part, form, at)
        except Undefined:  # a sum too long to be taken exactly
            continue
        lower = attack.lower(at).whole()
        tried += 1
        if lower.log > bound:
            return _fails(key, part, form, shown(at), bound, lower, tried)
        ratio = float(lower.log / bound) if bound > 0 else 0.0
        if ratio > tight:
            tight, where = ratio, lower.how
    note = f"no certified lower bound exceeds it, over sizes from 1 to 10^40 and resolutions up to the radius; {where}"
    return Result("holds", "tested", note, tried, tight, part=part, form=form)


def _fails(key: str, part: str, form: str, at: dict[str, Any], bound: arb, lower: Lower, tried: int) -> Result:
    return Result(
        "fails", "refuted", f"a cover needs more: {lower.how}", tried, None, {**at, "packing": lower.how}, part, form,
        decimal(bound), decimal(lower.log, up=False),
    )  # fmt: skip


def exceeded(key: str, part: str, at: Mapping[str, Any], attack: Attack, note: str) -> Result:
    """One point, nothing hidden: the printed form is below what every cover needs."""
    point = read(dict(at))
    bound, lower = value(key, part, "printed", point), attack.lower(point).whole()
    if not lower.log > bound:
        return Result("undecided", "refuted", "the point is not what it seems", 1, part=part)
    return Result(
        "fails", "refuted", f"{note}; {lower.how}", 1, None, {**shown(point), "packing": lower.how}, part,
        printed_value=decimal(bound), true_value=decimal(lower.log, up=False),
    )  # fmt: skip


def constant_needed(key: str, part: str, effort: Effort, number: int) -> Result:
    """A form that hides a constant: how large it must be, over points at which no logarithm that it keeps vanishes."""
    claim, attack = registry.find(key), ATTACKS[key, part]
    needed, tried, where = 0.0, 0, ""
    for at in points(claim, attack, number * effort.scale, effort.seed):
        bound = value(key, part, "printed", at)
        if not bound > 0:
            continue
        tried += 1
        lower = attack.lower(at).whole()
        if float(lower.log / bound) > needed:
            needed, where = float(lower.log / bound), lower.how
    note = (
        f"where its logarithm does not vanish, lower bounds ask for a hidden constant of {needed:.3g} at most ({where})"
    )
    return Result("holds", "tested", note, tried, part=part)


def at_edge(key: str, part: str, at: Mapping[str, Any], note: str, attack: Attack | None = None) -> Result:
    """Where the logarithm that is kept vanishes, and the class does not."""
    point = {n: [Fraction(v) for v in x] if isinstance(x, list) else Fraction(x) for n, x in at.items()}
    bound, lower = value(key, part, "printed", point), (attack or ATTACKS[key, part]).lower(point).whole()
    if not (bound == 0 and lower.log > 0):
        return Result("undecided", "refuted", "the edge is not what it seems", 1, part=part)
    return Result(
        "fails", "refuted", f"{note}; {lower.how}", 1, None, {**shown(point), "packing": lower.how}, part,
        printed_value="0", true_value=decimal(lower.log, up=False), edge=True,
    )  # fmt: skip


# --- rays -----------------------------------------------------------------------------------------------------------


def along(
    key: str, part: str, at: Mapping[str, Any], ray: Mapping[str, str], ts: tuple[int, int, int], note: str,
    attack: Attack | None = None,
) -> Result:  # fmt: skip
    """Printed over a lower bound of the covering number along a ray."""

    def lower(point: Point) -> tuple[arb, str]:
        found = (attack or ATTACKS[key, part]).lower(point)
        with ctx.workprec(PRECISION):
            return (found.log.exp() if part == "N_inf" else found.log), found.how

    return falling(key, part, at, ray, ts, note, lower, "packing")


def falling(
    key: str, part: str, at: Mapping[str, Any], ray: Mapping[str, str], ts: tuple[int, int, int], note: str,
    truth: Callable[[Point], tuple[arb, str]], by: str,
) -> Result:  # fmt: skip
    """Printed over true along a ray: certified at three t, and falling to 0 as t grows: no constant helps. `truth` also
    says what shows it; `by` is the name of that in the witness."""
    fixed = {n: [Fraction(v) for v in x] if isinstance(x, list) else Fraction(x) for n, x in at.items()}
    powers: Ray = {name: Fraction(power) for name, power in ray.items()}
    start = fixed | {name: Fraction(1) for name in powers if "[" not in name}
    ratios, bounds = [], []
    for t in ts:
        point = on_ray(start, powers, t)
        bound, (true, how) = value(key, part, "printed", point), truth(point)
        with ctx.workprec(PRECISION):
            bounds.append((bound, true, how))
            ratios.append(bound / true if true > 0 else arb(1))
    if not (ratios[2] < ratios[1] / 10 and ratios[1] < ratios[0] / 10 and ratios[2] < 1):
        return Result("undecided", "refuted", "the ratio does not fall as it should", 3, part=part)
    bound, true, how = bounds[-1]
    witness = {**ray_witness(fixed, powers, ts, [decimal(ratio) for ratio in ratios]), by: how}
    return Result(
        "fails", "refuted", note, 3, None, witness, part, printed_value=decimal(bound),
        true_value=decimal(true, up=False),
    )  # fmt: skip


def decimal(x: arb, up: bool = True) -> str:
    """Six digits, rounded up (a form, a ratio) or down (a lower bound)."""
    with ctx.workprec(PRECISION):
        middle, radius, exponent = (int(v) for v in to_arb(x).mid_rad_10exp(20))
    wide = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
    exact = Decimal(middle + radius if up else middle - radius).scaleb(exponent, wide)
    rounded = UP.plus(exact) if up else -UP.plus(-exact)
    return str(rounded.normalize(UP)) if rounded else "0"
