"""The smallest sample size from which a bound stays at or below a gap, certified.

Goal: the last m at which the bound is above the gap (or undefined, or outside the claim's assumptions), and m + 1. A
bound need not be monotone, so whole ranges of m are enclosed in one ball each, from the top down, and halved where
the ball does not decide; single integers are decided by the certified value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from maurey.symbolic.claim import Claim, InputError, Parameter

from .balls import MOST_PRECISION, Enclosure, _Unresolved, as_rational, at_precision, enclose_bound
from .binding import Bound, bind, read_exact
from .ranges import Ranges
from .walk import Undecided, Undefined, run

LIMIT = 1 << 1024
BEYOND = 64  # doublings above the answer over which the bound is shown to stay below


@dataclass(frozen=True)
class Samples:
    m: int
    at_m: Enclosure
    before: Enclosure | None  # None if m is the smallest allowed
    checked_to: int


def samples(
    claim: Claim, gap: Any, form: str = "", part: str = "", limit: int = LIMIT, **values: Any
) -> Samples | None:
    """None if no m up to the limit is found from which the bound certainly stays at or below the gap."""
    names = {p.name for p in claim.symbols}
    if "m" not in names:
        raise InputError(f"{claim.key} does not speak of a sample size m")
    if "m" in values:
        raise InputError("m is what is asked for; do not give it")
    target = _gap(gap)
    search = _Search(claim, form, part, values, target)
    search.bound(1)  # bad input shows before the search begins
    top = 1 << 16
    while not search.stays(top):
        top *= top
        if top > limit:
            return None
    last = search.last_above(1, top)
    m = last + 1
    at_m = search.enclosure(m)
    assert at_m is not None  # it is not above the gap, so it is there
    return Samples(m, at_m, search.enclosure(last) if last else None, top << BEYOND)


def _gap(gap: Any) -> Fraction:
    value = read_exact(Parameter("gap", "", "gap", "positive real"), gap)
    assert isinstance(value, Fraction)
    return value


class _Search:
    def __init__(self, claim: Claim, form: str, part: str, values: Mapping[str, Any], gap: Fraction) -> None:
        self.claim, self.form, self.part, self.values = claim, form, part, values
        self.steps: Bound | None = None
        self.target = as_rational(gap)
        self.precision = 128  # as much as the last question took: neighbours need as much

    def bound(self, m: int) -> Bound:
        """The form at m. Its steps do not depend on m and are written out once; assumptions are checked each time."""
        if self.steps is None or self.claim.assumes:
            self.steps = bind(self.claim, {**self.values, "m": m}, self.form, self.part)
        return replace(self.steps, values=self.steps.values | {"m": Fraction(m)})

    def _range_below(self, low: int, high: int) -> bool:
        """Certainly at or below the gap for every real m in the range."""
        if self.steps is None:
            self.bound(high)
        assert self.steps is not None
        with ctx.workprec(128):
            m = fmpq(low) if low == high else arb(fmpq(low + high, 2), fmpq(high - low, 2))
            env = {name: as_rational(v) for name, v in self.steps.values.items()} | {"m": m}
            try:
                return bool(run(self.steps.steps, env, Ranges(self.steps.steps)) <= self.target)
            except (_Unresolved, Undefined):
                return False

    def stays(self, top: int) -> bool:
        """At or below the gap from top on, for as many doublings as are checked."""
        return all(
            self._range_below(top << k, top << (k + 1)) or self._halves(top << k, top << (k + 1)) for k in range(BEYOND)
        )

    def _halves(self, low: int, high: int, depth: int = 6) -> bool:
        if depth == 0:
            return False
        middle = (low + high) // 2
        return all(self._range_below(a, b) or self._halves(a, b, depth - 1) for a, b in ((low, middle), (middle, high)))

    def above(self, m: int) -> bool:
        """Above the gap at m, undefined or not allowed there? More precision until certain; a tie is not above."""
        try:
            bound = self.bound(m)
            while self.precision <= MOST_PRECISION:
                try:
                    value = at_precision(bound, self.precision)[0]
                    with ctx.workprec(self.precision):
                        if value <= self.target or value > self.target:
                            return not value <= self.target
                except _Unresolved:
                    pass
                self.precision *= 2
        except (InputError, Undefined):
            return True
        raise Undecided(f"undecided at {self.precision // 2} bits: whether the bound at m = {m} exceeds the gap")

    def last_above(self, low: int, high: int) -> int:
        """The last integer in the range at which the bound is above the gap; 0 if there is none."""
        if self._range_below(low, high):
            return 0
        if low == high:
            return low if self.above(low) else 0
        middle = (low + high) // 2
        return self.last_above(middle + 1, high) or self.last_above(low, middle)

    def enclosure(self, m: int) -> Enclosure | None:
        """The bound at m in decimals that show the inequality, unless it is undefined or not allowed there."""
        try:
            return enclose_bound(self.bound(m), self.precision // 3)[0]
        except (InputError, Undefined):
            return None


def certified(found: Enclosure | None, above: bool) -> Decimal | None:
    """The side of the enclosure that proves the inequality."""
    return None if found is None else found.lower if above else found.upper
