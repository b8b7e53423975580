"""Covering claims attacked from below: at points where nothing is hidden, along rays where a constant is, and at edges.

What is refuted is certified: the value of the form from above, the lower bound from below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from maurey.numeric.binding import bind
from maurey.numeric.evaluation import value, value_of
from maurey.numeric.exact import PRECISION, decimal, fractions, texts
from maurey.numeric.types import Point, Ray
from maurey.numeric.walk import Undefined
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result
from maurey.verify.errata.causes import within
from maurey.verify.errata.witnesses import on_ray, ray_witness

from .classes import Attack, points
from .lower_bounds import Lower

ONE_INPUT = "at {} = 1 the printed logarithm vanishes, and one input is enough to tell members apart"


def size(key: str, form: str, part: str, at: Mapping[str, Any]) -> arb:
    """The form at a point; of sec2, which bounds N itself, the logarithm where it was derived as such."""
    if part != "N_inf" or form == "printed":
        return value(key, form, part, at)
    if form == "repaired":
        with ctx.workprec(PRECISION):
            return value(key, form, part, at).log()
    bound = bind(registry.find(key), form, part, at)
    return value_of(bound.steps[:-1], bound.values)


def hidden(key: str, form: str, part: str) -> bool:
    """Whether the form hides a constant."""
    claim = registry.find(key)
    return form == "printed" and claim.part(part).relation == "<~"


def survives(key: str, form: str, part: str, effort: Effort, number: int, attack: Attack) -> Result:
    """Lower bounds over the whole stated domain, its corners included, stay below the form."""
    claim = registry.find(key)
    tight, where, tried = 0.0, "", 0
    for at in points(claim, attack, number * effort.scale, effort.seed):
        try:
            bound = size(key, form, part, at)
        except Undefined:  # a sum too long to be taken exactly
            continue
        lower = attack.lower(at).whole()
        tried += 1
        if lower.log > bound:
            note = f"a cover needs more: {lower.how}"
            return _fails(note, part, at, bound, lower, instances=tried, form=form)
        ratio = float(lower.log / bound) if bound > 0 else 0.0
        if ratio > tight:
            tight, where = ratio, lower.how
    note = f"no certified lower bound exceeds it, over sizes from 1 to 10^40 and resolutions up to the radius; {where}"
    return Result("holds", "tested", note, instances=tried, tightness=tight, part=part, form=form)


def _fails(note: str, part: str, point: Point, bound: arb, lower: Lower, **more: Any) -> Result:
    """A cover needs more than the form says."""
    witness = {**texts(point), "packing": lower.how}
    said, true = decimal(bound), decimal(lower.log, up=False)
    return Result(
        "fails", "refuted", note, counterexample=witness, part=part, printed_value=said, true_value=true, **more
    )


def exceeded(key: str, part: str, at: Mapping[str, Any], attack: Attack, note: str) -> Result:
    """One point, nothing hidden: the printed form is below what every cover needs."""
    point = fractions(at)
    bound, lower = size(key, "printed", part, point), attack.lower(point).whole()
    if not lower.log > bound:
        return Result("undecided", "refuted", "the point is not what it seems", instances=1, part=part)
    return _fails(f"{note}; {lower.how}", part, point, bound, lower, instances=1)


def constant_needed(key: str, part: str, effort: Effort, number: int, attack: Attack) -> Result:
    """A form that hides a constant: how large it must be, over points at which no logarithm that it keeps vanishes, and
    which meet the conditions that the claim lacks."""
    claim = within(registry.find(key))
    needed, tried, where = 0.0, 0, ""
    for at in points(claim, attack, number * effort.scale, effort.seed):
        bound = size(key, "printed", part, at)
        if not bound > 0:
            continue
        tried += 1
        lower = attack.lower(at).whole()
        if float(lower.log / bound) > needed:
            needed, where = float(lower.log / bound), lower.how
    note = (
        f"where its logarithm does not vanish, lower bounds ask for a hidden constant of {needed:.3g} at most ({where})"
    )
    return Result("holds", "tested", note, instances=tried, part=part)


def at_edge(key: str, part: str, at: Mapping[str, Any], note: str, attack: Attack) -> Result:
    """Where the logarithm that is kept vanishes, and the class does not."""
    point = fractions(at)
    bound, lower = size(key, "printed", part, point), attack.lower(point).whole()
    if not (bound == 0 and lower.log > 0):
        return Result("undecided", "refuted", "the edge is not what it seems", instances=1, part=part)
    return _fails(f"{note}; {lower.how}", part, point, bound, lower, instances=1, edge=True)


# --- rays -----------------------------------------------------------------------------------------------------------


def along(
    key: str, part: str, at: Mapping[str, Any], ray: Mapping[str, str], ts: tuple[int, int, int], note: str,
    attack: Attack,
) -> Result:  # fmt: skip
    """Printed over a lower bound of the covering number along a ray."""

    def lower(point: Point) -> tuple[arb, str]:
        found = attack.lower(point)
        with ctx.workprec(PRECISION):
            return (found.log.exp() if part == "N_inf" else found.log), found.how

    return falling(key, part, at=at, ray=ray, ts=ts, note=note, truth=lower, by="packing")


def falling(
    key: str, part: str, at: Mapping[str, Any], ray: Mapping[str, str], ts: tuple[int, int, int], note: str,
    truth: Callable[[Point], tuple[arb, str]], by: str,
) -> Result:  # fmt: skip
    """Printed over true along a ray: certified at three t, and falling to 0 as t grows: no constant helps. `truth` also
    says what shows it; `by` is the name of that in the witness."""
    fixed = fractions(at)
    powers: Ray = {name: Fraction(power) for name, power in ray.items()}
    start = fixed | {name: Fraction(1) for name in powers if "[" not in name}
    ratios, bounds = [], []
    for t in ts:
        point = on_ray(start, powers, t)
        bound, (true, how) = size(key, "printed", part, point), truth(point)
        with ctx.workprec(PRECISION):
            bounds.append((bound, true, how))
            ratios.append(bound / true if true > 0 else arb(1))
    if not (ratios[2] < ratios[1] / 10 and ratios[1] < ratios[0] / 10 and ratios[2] < 1):
        return Result("undecided", "refuted", "the ratio does not fall as it should", instances=3, part=part)
    bound, true, how = bounds[-1]
    witness = {**ray_witness(fixed, powers, ts, [decimal(ratio) for ratio in ratios]), by: how}
    return Result(
        "fails",
        "refuted",
        note,
        instances=3,
        tightness=None,
        counterexample=witness,
        part=part,
        printed_value=decimal(bound),
        true_value=decimal(true, up=False),
    )
