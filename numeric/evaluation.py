"""One way to evaluate: a form of a claim at a point, or a list of steps at given values.

Both give a ball around the exact value. `float` takes its middle, and `upper_end` a decimal that is not below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Any

from flint import arb, ctx

from maurey.symbolic import registry
from maurey.symbolic.derivation import Step

from .balls import Unresolved, at_precision, to_arb
from .binding import bind
from .exact import context
from .walk import Undecided, Undefined

BITS = 128  # of what is evaluated, unless a count or a comparison asks for more
PRECISIONS = (BITS, 4 * BITS, 16 * BITS)


def value(key: str, form: str, part: str, at: Mapping[str, Any]) -> arb:
    """A form of a claim at a point of its domain. Constants are the claim's own unless given, and names of which it
    does not speak are left out."""
    claim = registry.find(key)
    known = {p.name for p in claim.names}
    bound = bind(claim, form, part, {name: x for name, x in at.items() if name in known})
    return value_of(bound.steps, bound.values)


def value_of(steps: list[Step], at: Mapping[str, Any]) -> arb:
    """The last of the steps at exact values of all their symbols."""
    ball = None
    for precision in PRECISIONS:
        try:
            with ctx.workprec(precision):
                ball = to_arb(at_precision(steps, at, precision)[0])
        except Unresolved:
            continue
        if ball == 0 or ball.rel_accuracy_bits() >= BITS // 2:
            return ball
    if ball is None:
        raise Undefined("a count that stays open")
    return ball


def upper_end(ball: arb, digits: int) -> Decimal:
    """In so many digits, rounded up."""
    if not ball.is_finite():
        raise Undecided("a value that no finite ball encloses")
    with ctx.workprec(PRECISIONS[-1]):
        middle, radius, exponent = (int(v) for v in ball.mid_rad_10exp(digits + 10))
    return context(digits, ROUND_CEILING).plus(Decimal(middle + radius).scaleb(exponent, context(digits + 20)))
