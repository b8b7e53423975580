"""Simple points of a claim's domain, and where two forms differ on them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from maurey.numeric.binding import bind
from maurey.numeric.grids import assumed, read_array, run_over
from maurey.numeric.types import Point
from maurey.symbolic.claim import Claim, Part

from .rays import fixed, start

MANY, SEED, RELATIVE = 4096, 20220, 1e-9
SIMPLE = {
    "positive integer": (1, 2, 3, 10, 100, 1000),
    "nonnegative integer": (0, 1, 2, 10, 100),
    "positive real": ("1/100", "1/10", "1/2", 1, 2, 10, 100),
    "nonnegative real": (0, "1/100", "1/10", 1, 10, 100),
    "in [0, 1]": (0, "1/10", "1/2", 1),
    "in [-1, 1]": (-1, 0, "1/2", 1),
    "in (0, 1)": ("1/100", "1/10", "1/2", "9/10", "99/100"),
    "in (0, 1]": ("1/100", "1/10", "1/2", 1),
}


class Grid:
    """Random points, half of their coordinates simple values and half those of the start."""

    def __init__(self, claim: Claim, part: Part) -> None:
        self.claim, self.part = claim, part
        rng = np.random.default_rng(SEED)
        self.values: Point = {}
        self.moved = np.zeros(MANY, dtype=int)
        at = start(claim, part)
        if "Sigma" in at and claim.samples in at:  # where a PAC-Bayes bound says something at the sigma of the start
            at |= {claim.samples: Fraction(2**60)}
        for name, value in at.items():
            symbol = next(p for p in claim.symbols if p.name == name)
            if name in fixed(claim):
                self.values[name] = value
                continue
            columns = [self._column(rng, symbol.domain, v) for v in (value if symbol.index else [value])]
            self.values[name] = columns if symbol.index else columns[0]

    def _column(self, rng: np.random.Generator, domain: str, value: Fraction) -> list[Fraction]:
        choices = [Fraction(x) for x in SIMPLE[domain]]
        drawn = [choices[i] for i in rng.integers(len(choices), size=MANY)]
        column = [x if move else value for x, move in zip(drawn, rng.random(MANY) < 0.5, strict=True)]
        self.moved += np.array([x != value for x in column])
        return column

    def _each(self, of: Callable[[list[Fraction]], Any]) -> Point:
        """The same of every column of points; what is fixed stays."""

        def entry(value: Any) -> Any:
            if isinstance(value, list) and isinstance(value[0], list):
                return [of(column) for column in value]
            return of(value) if isinstance(value, list) and len(value) == MANY else value

        return {name: entry(value) for name, value in self.values.items()}

    def point(self, index: int) -> Point:
        return self._each(lambda column: column[index])

    @cached_property
    def arrays(self) -> Point:
        return self._each(lambda column: np.array([float(x) for x in column]))

    def form(self, name: str) -> tuple[Any, Any]:
        bound = bind(self.claim, name, self.part.name, self.arrays, read_array)
        value = run_over(bound)
        return np.broadcast_to(value.log, MANY), np.broadcast_to(value.sign, MANY)

    @cached_property
    def allowed(self) -> Any:
        symbols = {p.name: p for p in self.claim.symbols}
        values = {name: read_array(symbols[name], x) for name, x in self.arrays.items()}
        inside: Any = np.ones(MANY, dtype=bool)
        for _, where in assumed(self.claim, values):
            inside = inside & where
        return inside

    @cached_property
    def undefined(self) -> Any:
        return self.allowed & np.isnan(self.form("printed")[0] + self.form("derived")[0])

    def differs(self, form: str) -> Any:
        """Where the printed form is below the other; above it, for a lower bound; either, for an equality."""
        (log, sign), (other, other_sign) = self.form("printed"), self.form(form)
        with np.errstate(invalid="ignore", over="ignore"):
            top = np.maximum(log, other)
            gap = other_sign * np.exp(other - top) - sign * np.exp(log - top)
        below, above = gap > RELATIVE, gap < -RELATIVE
        return self.allowed & (below | above if self.part.relation == "=" else above if self.part.below else below)

    def simplest(self, chosen: Any) -> int:
        """The chosen point that leaves the start in the fewest coordinates."""
        indices = np.flatnonzero(chosen)
        return int(indices[np.argmin(self.moved[indices])])
