"""Trials counted cell by cell, and the smallest number of samples at which enough of them succeed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maurey.paper_tables.accounts import finished, place, succeeded
from maurey.paper_tables.statistics import TAILS, Growth, Numbers, Sides, growth, line, resampled, threshold, wilson
from maurey.paper_tables.trained import Outcome

SEED = 2022  # with T, of the resamples
RESAMPLES = 2000  # for the interval of an exponent; the first of them give the standard errors
ENOUGH = 3  # contexts for a fit


@dataclass(frozen=True)
class Cell:
    """The trials with one T, m and protocol."""

    T: int
    m: int
    protocol: str
    done: int
    failed: int
    success: int
    zero: int  # trials that made no held-out error

    @property
    def fraction(self) -> float:
        return self.success / self.done

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.success, self.done)


def cells_of(outcomes: Sequence[Outcome]) -> list[Cell]:
    """By protocol, T and m."""
    own: dict[tuple[int, int, str], list[Outcome]] = {}
    for outcome in outcomes:
        own.setdefault(place(outcome.config), []).append(outcome)
    cells = []
    for (T, m, protocol), trials in sorted(own.items(), key=lambda item: (item[0][2], item[0])):
        done = finished(trials)
        zero = sum(o.record["errors"] == 0 for o in done)
        cells.append(
            Cell(
                T=T,
                m=m,
                protocol=protocol,
                done=len(done),
                failed=len(trials) - len(done),
                success=sum(map(succeeded, done)),
                zero=zero,
            )
        )
    return cells


@dataclass(frozen=True)
class Threshold:
    """The critical size at one T, and in resamples of its trials."""

    T: int
    protocol: str
    trials: str  # of a cell
    size: int
    side: int  # 1: beyond the grid; -1: the grid's first or below
    missing: tuple[int, ...]  # m without trials
    step: int  # of the grid, up to the size
    sizes: Numbers
    sides: Sides

    @property
    def complete(self) -> bool:
        return not self.missing

    @property
    def text(self) -> str:
        return {1: "> ", 0: "", -1: "<= "}[self.side] + str(self.size)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the resampled sizes."""
        low, high = np.quantile(self.sizes, TAILS)
        return float(low), float(high)

    @property
    def beyond(self) -> float:
        """The share of them beyond the grid."""
        return float((self.sides > 0).mean())

    def error(self, resamples: int) -> float:
        """The standard deviation of so many resampled sizes, those at an end of the grid or beyond as there."""
        return float(self.sizes[:resamples].std(ddof=1))

    def limits(self, resamples: int) -> int:
        """How many of them are at an end of the grid."""
        return int((self.sides[:resamples] != 0).sum())


def thresholds(cells: Sequence[Cell], grid: Mapping[int, Sequence[int]], name: str, share: float) -> list[Threshold]:
    """For every T of the grid with trials. arXiv: more than a share succeed; ICML: at least a share make no error."""

    def reached(fractions: Numbers) -> np.ndarray:
        return fractions > share if name == "arXiv" else fractions >= share

    found = []
    for T, planned in grid.items():
        own = [cell for cell in cells if cell.T == T and cell.done]
        if not own:
            continue
        k, n = [c.success if name == "arXiv" else c.zero for c in own], [c.done for c in own]
        at = [c.m for c in own]
        (size,), (side,) = threshold(at, reached(np.array([k]) / np.array(n)))
        sizes, sides = threshold(at, reached(resampled(k, n, RESAMPLES, (SEED, T))))
        place = at.index(int(size))
        step = at[max(place, 1)] - at[max(place, 1) - 1] if len(at) > 1 else 0
        trials = str(n[0]) if min(n) == max(n) else f"{min(n)}..{max(n)}"
        missing = tuple(m for m in planned if m not in at)
        found.append(
            Threshold(
                T=T,
                protocol=own[0].protocol,
                trials=trials,
                size=int(size),
                side=int(side),
                missing=missing,
                step=step,
                sizes=sizes,
                sides=sides,
            )
        )
    return found


def law(found: Sequence[Threshold]) -> Growth | None:
    """What is fitted to the sizes; nothing, if fewer than three are more than limits."""
    own = [one for one in found if one.complete]
    if sum(not one.side for one in own) < ENOUGH:
        return None
    sizes, sides = np.array([float(one.size) for one in own]), np.array([one.side for one in own])
    again, sides_again = np.stack([one.sizes for one in own], 1), np.stack([one.sides for one in own], 1)
    return growth([one.T for one in own], sizes, sides, again, sides_again)


def against_linear(found: Sequence[Threshold]) -> tuple[float, float, tuple[float, float]]:
    """How far (root mean square, in samples) a + b log T is off, and a + b T; and 95 % of the resampled differences,
    the first less the second."""
    own = [one for one in found if one.complete]
    sizes, sides = np.array([[float(one.size) for one in own]]), np.array([[one.side for one in own]])
    again, sides_again = np.stack([one.sizes for one in own], 1), np.stack([one.sides for one in own], 1)
    T = np.array([float(one.T) for one in own])
    logarithm, linear = (np.log(T), T)
    low, high = np.quantile(line(logarithm, again, sides_again)[2] - line(linear, again, sides_again)[2], TAILS)
    return (
        float(line(logarithm, sizes, sides)[2][0]),
        float(line(linear, sizes, sides)[2][0]),
        (float(low), float(high)),
    )
