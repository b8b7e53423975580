"""What a value says, in words: whether it is more than what is true anyway."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq
from sympy import Min

from maurey.symbolic.claim import Part
from maurey.symbolic.derivation import Step
from maurey.symbolic.expressions import text_of
from maurey.symbolic.printing import plain

from .balls import Unresolved, at_precision
from .binding import Bound
from .exact import plain_number
from .walk import Undefined

BITS = 128
GAPS = ("gap", "above")
ASKED = (*GAPS, "risk")  # parts that a sample size is asked for
PROBABILITY = r"\mathbb P"


def remarks(bound: Bound) -> list[str]:
    """Of a form at given values: trivial branches, a gap above every gap, a probability above 1, what is negative."""
    value, b = _ball(bound.steps, bound), bound.values.get("b")
    if value is None or bound.part.below:
        return []
    told = [text for i in range(len(bound.steps)) if (text := _trivial(bound, i))]
    if _kind(bound.part) in GAPS and isinstance(b, Fraction) and value >= 2 * fmpq(*b.as_integer_ratio()):
        told.append(f"it says nothing: losses are at most b = {plain_number(b)}, and no gap is above 2 b")
    if PROBABILITY in bound.part.lhs and value >= 1:
        told.append("it says nothing: a probability is at most 1")
    if value < 0:
        told.append(f"it is negative: as a bound on the {plain(bound.part.meaning)} it cannot be right here")
    return told


def _kind(part: Part) -> str:
    """Of a part by its name: gap, gap_network and gap_every are gaps."""
    return part.name.partition("_")[0]


def no_gap(part: Part) -> str:
    """What is bounded, where it is no gap."""
    if _kind(part) in ASKED or PROBABILITY in part.lhs:
        return ""
    return f"{part.name} is no gap: it is the {plain(part.meaning)}"


def _trivial(bound: Bound, i: int) -> str:
    """A step that is the smaller of something and a trivial bound, and here is the latter."""
    step, before = bound.steps[i], bound.steps[:i]
    if "trivial" not in step.reason or not isinstance(step.expr, Min):
        return ""
    made = {other.name for other in before}
    given = [arg for arg in step.expr.args if not {str(s) for s in arg.free_symbols} & made]
    if len(given) != 1:
        return ""
    balls = {arg: _ball([*before, Step("branch", "", arg, "")], bound) for arg in step.expr.args}
    least = balls[given[0]]
    if least is None or any(other is None or not least <= other for arg, other in balls.items() if arg != given[0]):
        return ""
    return f"{step.shown} is its trivial branch, {text_of(given[0])}: the entropy of the class plays no part in it"


def _ball(steps: list[Step], bound: Bound) -> arb | None:
    try:
        return arb(at_precision(list(steps), bound.values, BITS)[0])
    except (Unresolved, Undefined):
        return None
