"""A form as a function of one parameter: log-space values over many points at once, certified values at single ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import MAX_EMAX, MIN_EMIN, Context
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.symbolic.claim import Claim, InputError

from .balls import Enclosure, enclose_steps
from .binding import Bound, bind
from .grids import LogValue, VaryingLength, from_exact, sweep_bound
from .walk import Undecided, Undefined

TIE = 1e-10  # logarithms that differ by less, absolutely and relatively, do not show an order
DIGITS = 30  # of certified values


def _context(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)


def spread(low: Fraction, high: Fraction, points: int, integer: bool) -> list[Fraction]:
    """Values evenly spaced by factors, both ends included: decimals as short as the spacing allows, or the different
    ones among the nearest integers."""
    apart = high / low - 1
    lost = max(0, -_context(DIGITS).divide(apart.numerator, apart.denominator).adjusted())
    fine = _context(2 * DIGITS + lost)
    start, end = (fine.ln(fine.divide(x.numerator, x.denominator)) for x in (low, high))
    step = fine.divide(fine.subtract(end, start), points - 1)
    short = _context(max(6, 2 - step.adjusted()))
    between = (fine.exp(fine.fma(step, i, start)) for i in range(1, points - 1))
    rounded = {Fraction(x.to_integral_value(context=fine) if integer else short.plus(x)) for x in between}
    return [low, *sorted(x for x in rounded if low < x < high), high]


@contextmanager
def _naming(claim: Claim) -> Iterator[None]:
    """Errors say of which claim they speak."""
    try:
        yield
    except VaryingLength:
        raise
    except (InputError, Undefined) as error:
        raise type(error)(str(error) if claim.key in str(error) else f"{claim.key}: {error}") from None


class Graph:
    """A form against the parameter, at given values of the others; every value is computed once."""

    def __init__(
        self,
        label: str,
        claim: Claim,
        part: str,
        form: str,
        values: Mapping[str, Any],
        over: str,
        grid: Sequence[Fraction],
    ) -> None:
        known = {p.name for p in claim.names}
        self.label, self.claim, self.over = label, claim, over if over in known else ""
        self.given = {name: value for name, value in values.items() if name in known}
        self.logs: dict[Fraction, tuple[float, float]] = {}  # logarithm and sign
        self.certified: dict[Fraction, Enclosure | None] = {}
        # a number of layers or heads decides which steps there are
        self.written_out = self.over in {p.index for p in claim.symbols if p.index} | set(claim.unrolled)
        self.one_by_one = self.written_out
        with _naming(claim):
            self.bound = self._bind(form, part, grid[-1])  # with the most layers or heads
        self.grid: Sequence[Fraction] = ()
        try:
            self.on_grid = self.sweep(grid)
        except VaryingLength:
            self.one_by_one = True
            self.on_grid = self.sweep(grid)
        self.grid = grid

    def _bind(self, form: str, part: str, x: Fraction) -> Bound:
        return bind(self.claim, form, part, self.given | ({self.over: x} if self.over else {}))

    def at(self, x: Fraction) -> Bound:
        if not self.over:
            return self.bound
        if self.written_out:
            return self._bind(self.bound.form, self.bound.part.name, x)
        return replace(self.bound, values=self.bound.values | {self.over: self._each(x)})

    def _each(self, x: Any) -> Any:
        """The same for every layer or head, where the parameter has one value for each."""
        before = self.bound.values[self.over]
        return [x] * len(before) if isinstance(before, list) else x

    def sweep(self, xs: Sequence[Fraction]) -> LogValue:
        """Its values there; zero has sign 0."""
        if xs is self.grid:
            return self.on_grid
        new = list(dict.fromkeys(x for x in xs if x not in self.logs))
        with _naming(self.claim):
            for some in [[x] for x in new] if self.one_by_one else filter(None, [new]):
                found = self._sweep(some)
                signs = np.where(np.isneginf(found.log), 0, found.sign)
                arrays = (np.broadcast_to(v, len(some)).tolist() for v in (found.log, signs))
                self.logs.update(zip(some, zip(*arrays, strict=True), strict=True))
        log, sign = np.array([self.logs[x] for x in xs]).reshape(-1, 2).T
        return LogValue(log, sign)

    def _sweep(self, xs: list[Fraction]) -> LogValue:
        bound = self.at(xs[0])
        values = {
            name: [from_exact(x) for x in v] if isinstance(v, list) else from_exact(v)
            for name, v in bound.values.items()
        }
        if self.over and len(xs) > 1:
            values[self.over] = self._each(LogValue(np.array([from_exact(x).log for x in xs])))
        return sweep_bound(self.claim, replace(bound, values=values))

    def enclose(self, x: Fraction) -> Enclosure | None:
        """The certified value; None if it could not be decided."""
        if x not in self.certified:
            with _naming(self.claim):
                try:  # values at neighbouring integers differ in late digits
                    bound = self.at(x)
                    self.certified[x] = enclose_steps(bound.steps, bound.values, DIGITS + len(str(int(x))))[0]
                except Undecided:
                    self.certified[x] = None
        return self.certified[x]


def order(a: LogValue, b: LogValue) -> Any:
    """The sign of a - b, point by point; 0 where the sweeps do not tell."""
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(a.log - b.log)  # two zeros are equal
    scale = np.where(np.isfinite(a.log), np.fmax(1, np.abs(a.log)), 1)
    same = np.where(np.abs(apart) > TIE * scale, np.sign(apart), 0) * a.sign
    return np.where(a.sign == b.sign, same, np.sign(a.sign - b.sign)).astype(int)


def certain_order(a: Graph, b: Graph, x: Fraction) -> int | None:
    """The sign of a - b, certified; 0 only where both are exact, None if it stays open."""
    first, second = a.enclose(x), b.enclose(x)
    if first is None or second is None:
        return None
    if first.lower > second.upper:
        return 1
    if first.upper < second.lower:
        return -1
    return 0 if first.lower == first.upper == second.lower == second.upper else None
