"""The smallest sample size from which a bound stays at or below a gap, certified.

Goal: the last m at which the bound is above the gap (or undefined, or outside the claim's assumptions), and m + 1.
Secants lead to a crossing. A bound need not be monotone, so all that lies beyond is certified range by range, from the
top down: by a line on logarithmic axes, else by one ball around the range. Ranges that do not decide are divided, and
single integers are decided by the certified value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import count, pairwise
from math import isqrt
from typing import Any

from flint import arb, ctx, fmpq

from maurey.symbolic.claim import Claim, InputError, Parameter
from maurey.symbolic.derivation import Step

from .balls import MOST_PRECISION, Balls, Enclosure, Unresolved, enclose_steps, to_arb
from .binding import Bound, bind, names_in, read_exact
from .exact import cut_number, to_rational
from .ranges import Ranges
from .slopes import Line, Slopes
from .walk import Undecided, Undefined, run

LIMIT = 1 << 1024
BEYOND = 64  # doublings above the answer over which the bound is shown to stay below
DEPTH = 13  # of dividing these: pieces of 1/128 doubling
SECANTS = 40  # before bisection takes over
PRECISION = 128  # bits, to begin with


@dataclass(frozen=True, repr=False)
class Samples:
    """From m samples on the bound stays at or below the gap, certified up to `checked_to` of them.

    >>> import maurey
    >>> found = maurey.claim("edelman2022/2.2").samples_for("1/10", L_loss=1, C_F=1, A=1, b=1, delta="1/20")
    >>> found
    <3498047 samples; the bound is 0.0999999943 there, and 0.100000007 one before>
    >>> found.m
    3498047
    """

    m: int
    at_m: Enclosure
    before: Enclosure | None  # None if m is the smallest allowed
    checked_to: int

    def __repr__(self) -> str:
        before = f", and {self.before.value:.9g} one before" if self.before else ""
        number = f"{cut_number(self.m)} sample{'s' if self.m > 1 else ''}"
        return f"<{number}; the bound is {self.at_m.value:.9g} there{before}>"


def samples(
    claim: Claim,
    gap: Any,
    form: str = "",
    part: str = "",
    limit: int = LIMIT,
    report: Callable[[str], None] = lambda _: None,
    **values: Any,
) -> Samples | None:
    """None if no m up to the limit is found from which the bound certainly stays at or below the gap."""
    return smallest(claim, gap, form, part, values, limit=limit, report=report)


def smallest(
    claim: Claim,
    gap: Any,
    form: str,
    part: str,
    values: Mapping[str, Any],
    limit: int = LIMIT,
    report: Callable[[str], None] = lambda _: None,
) -> Samples | None:
    """The same, at values under any names."""
    name = claim.samples
    if name not in {p.name for p in claim.symbols}:
        raise InputError(f"{claim.key} does not speak of a sample size {name}")
    if name in values:
        raise InputError(f"{name} is what is asked for; do not give it")
    search = _Search(claim, form, part, values, _gap(gap), report)
    top = 1 << 16
    while not search.stays(top):
        top *= top
        if top > limit:
            return None
    last = search.last_above(top)
    m = last + 1
    digits = search.bits(last, m) // 3
    at_m = search.written_out(m, digits)  # it is not above the gap, so it is there, if decimals can hold it
    return Samples(m, at_m, search.enclosure(last, digits) if last else None, top << BEYOND)


def _gap(gap: Any) -> Fraction:
    value = read_exact(Parameter("gap", "", "gap", "positive real"), gap)
    assert isinstance(value, Fraction)
    return value


def _split(steps: list[Step], size: str) -> tuple[list[Step], list[Step]]:
    """The steps whose values do not depend on the sample size, and those that do; the last one is among these in any
    case."""
    names = {size}
    for step in steps:
        if step is steps[-1] or names & names_in([step.expr, *(step.over or ())]):
            names.add(step.name)
    return [step for step in steps if step.name not in names], [step for step in steps if step.name in names]


class _Search:
    def __init__(
        self,
        claim: Claim,
        form: str,
        part: str,
        values: Mapping[str, Any],
        gap: Fraction,
        report: Callable[[str], None],
    ) -> None:
        self.claim, self.form, self.part, self.given, self.report = claim, form, part, values, report
        self.name = claim.samples
        try:  # its steps are the same for every m; assumptions may ask for a large one
            self.written = bind(claim, form, part, {**values, self.name: 1})
        except InputError:
            self.written = bind(claim, form, part, {**values, self.name: LIMIT})
        self.still, self.moving = _split(self.written.steps, self.name)
        known = {name for name, value in self.written.values.items() if isinstance(value, Fraction)}
        relations = {a.relation: names_in([a.relation]) for a in claim.assumes}
        self.assumed = [relation for relation, names in relations.items() if self.name in names <= known]
        self.target = to_rational(gap)
        self.precision = PRECISION  # as much as the last question took: neighbours need as much
        self.fixed: dict[int, dict[str, Any]] = {}  # by precision
        self.certified = 0  # ranges

    def bound(self, m: int) -> Bound:
        """The form at m, if the claim allows it there."""
        if self.assumed:
            bind(self.claim, self.form, self.part, {**self.given, self.name: m})
        return replace(self.written, values=self.written.values | {self.name: Fraction(m)})

    def _env(self, m: Any, precision: int) -> dict[str, Any]:
        """What does not depend on m is evaluated once for each precision."""
        if precision not in self.fixed:
            values = {name: to_rational(v) for name, v in self.written.values.items()}
            field = Balls(self.written.steps)
            for step in self.still:
                values[step.name] = run([step], values, field)
            self.fixed[precision] = values
        return {**self.fixed[precision], self.name: m}

    def _look(self, m: int) -> tuple[bool, arb]:
        """Whether the bound is above the gap at m, undefined or not allowed there, and roughly log(bound / gap).

        More precision until the first is certain; a tie is not above.
        """
        self._tell(m)
        precision = self.precision
        try:
            self.bound(m)
            while precision <= MOST_PRECISION:
                try:
                    with ctx.workprec(precision):
                        value = run(self.moving, self._env(fmpq(m), precision), Balls(self.written.steps))
                        if value <= self.target or value > self.target:
                            self.precision = precision
                            return not value <= self.target, (to_arb(value) / self.target).log().mid()
                except Unresolved:
                    pass
                precision *= 2
        except (InputError, Undefined):
            return True, arb("nan")
        raise Undecided(f"undecided at {precision // 2} bits: whether the bound at {self.name} = {m} exceeds the gap")

    def _tell(self, m: int) -> None:
        self.report(
            f"{self.name} near 2^{m.bit_length() - 1}, {self.precision} bits, ranges certified: {self.certified}"
        )

    def above(self, m: int) -> bool:
        return self._look(m)[0]

    def _below(self, low: int, high: int) -> bool:
        """Certainly allowed, and at or below the gap, for every real m in the range?"""
        self._tell(low)
        steps = self.written.steps
        with ctx.workprec(self.precision):
            below = self._holds(Line(fmpq(low), fmpq(1)), Slopes(steps, low, high))
            if not below and high <= 2 * low:  # a ball around more than that says little
                below = self._holds(arb(fmpq(low + high, 2), fmpq(high - low, 2)), Ranges(steps))
        self.certified += below
        return below

    def _holds(self, m: Any, field: Slopes | Ranges) -> bool:
        try:
            env = self._env(m, self.precision)
            allowed = all(field._holds(relation, env) for relation in self.assumed)
            return allowed and field.at_most(run(self.moving, env, field), self.target)
        except (Unresolved, Undefined):
            return False

    def stays(self, top: int) -> bool:
        """At or below the gap from top on, for as many doublings as are checked?"""
        try:
            ends = self.above(top) or self.above(top << BEYOND)
        except Undecided:
            return False
        return not ends and self._throughout(top, top << BEYOND)

    def _throughout(self, low: int, high: int, depth: int = DEPTH) -> bool:
        if self._below(low, high):
            return True
        middle = isqrt(low * high)
        return depth > 0 and all(self._throughout(a, b, depth - 1) for a, b in ((low, middle), (middle, high)))

    def last_above(self, top: int) -> int:
        """The last integer up to top at which the bound is above the gap; 0 if there is none."""
        start = self._crossing(top)
        if self._below(start + 1, top):
            return start
        ends = [start, *(start + 2**2**k for k in range(4, 12) if start + 2**2**k < top), top]
        ranges = [(low + 1, high) for low, high in pairwise(ends)]  # the nearer to the crossing, the shorter
        while ranges:
            low, high = ranges.pop()
            if low == high:
                if self.above(low):
                    return low
            elif not self._below(low, high):
                middle = min(start + isqrt((low - start) * (high - start)), high - 1)
                ranges += [(low, middle), (middle + 1, high)]
        return start

    def _crossing(self, top: int) -> int:
        """An m at which the bound is above the gap while at m + 1 it is not; 0 if none was met on the way down.

        Secants on logarithmic axes, where bounds are nearly straight; when the same end moves twice, the other one is
        taken at half its height (the Illinois rule). Where that does not arrive (a bound that is flat above the gap),
        bisection, in turn with the line through the last two points at or below the gap.
        """
        low, high, before = 0, top, False
        height = {top: self._look(top)[1]}
        below = [(top, height[top])]
        for step in count():
            if high - low == 1:
                break
            if step == SECANTS:
                self.precision = max(self.precision, high.bit_length() + PRECISION)  # lines that meet integers
            with ctx.workprec(self.precision):
                if low:
                    guess = high * (arb(fmpq(low, high)).log() * height[high] / (height[high] - height[low])).exp()
                else:
                    guess = high * (2 * height[high]).exp() / 4  # up as 1 / sqrt(m), and a little on
                if step >= SECANTS:
                    guess = _extended(*below[-2:]) if step % 2 and len(below) > 1 else arb("nan")
                straight = guess.is_finite()
                beyond = straight and not guess.mid() < high  # perhaps so far that no integer holds it
                near = high if beyond else int(guess.mid().floor().unique_fmpz()) if straight else isqrt(low * high)
                m = min(max(near, low + 1), high - 1)
                above, height[m] = self._look(m)
                low, high = (m, high) if above else (low, m)
                below += [] if above else [(m, height[m])]
                if low and above == before:
                    height[high if above else low] /= 2
                before = above
        return low

    def bits(self, *points: int) -> int:
        """How many show on which side of the gap the bound is at each of these m."""
        self.precision = PRECISION
        for m in filter(None, points):
            self._look(m)
        return self.precision

    def enclosure(self, m: int, digits: int) -> Enclosure | None:
        """The bound at m, unless it is undefined or not allowed there."""
        try:
            return self.written_out(m, digits)
        except (InputError, Undefined):
            return None

    def written_out(self, m: int, digits: int) -> Enclosure:
        bound = self.bound(m)
        return enclose_steps(bound.steps, bound.values, digits)[0]


def _extended(first: tuple[int, arb], last: tuple[int, arb]) -> arb:
    """Where the line through two points, with logarithmic axes, meets the gap."""
    (m, h), (n, k) = first, last
    return n * (arb(fmpq(n, m)).log() * k / (h - k)).exp() if h != k else arb("nan")


def certified(found: Enclosure | None, above: bool) -> Decimal | None:
    """The side of the enclosure that proves the inequality."""
    return None if found is None else found.lower if above else found.upper
