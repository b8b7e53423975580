"""How far the attention rows of a trained network are the components of its function, and its MLP a wave.

A row is that of a query; it is in use if its weight in the read-out is at least a tenth of the largest; it shows a
component if its D largest weights are at the positions of one. A component is needed if a network without it could not
come below the threshold of its training loss: one with coefficient c has a share c^2/4 of the variance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

USED = 0.1  # of the largest weight in the read-out
TURN = 0.1  # of the range of a curve: a turn that is smaller is none


@dataclass(frozen=True)
class Scores:
    used: int  # rows
    showing: int  # of these, rows that show a component
    found: int  # needed components that a row in use shows
    needed: int
    among_all: int  # components that a row in use shows, needed or not
    mass: float  # of the read-out, on rows that show one
    weight: float  # mean over needed components of the largest attention that a row in use gives to it
    turns: int  # of the curve on [0, 1]


def tops(attention: NDArray[np.float64], D: int) -> list[frozenset[int]]:
    """The D positions of largest weight in each row."""
    return [frozenset(row.tolist()) for row in np.argsort(-attention, axis=1)[:, :D]]


def score(record: Mapping[str, Any], threshold: float) -> Scores:
    attention, v = np.array(record["attention"]), np.abs(np.array(record["read_out"]))
    components = [frozenset(each) for each in record["components"]]
    rows = tops(attention, len(components[0]))
    used = np.flatnonzero(v >= USED * v.max()).tolist()
    showing = [t for t in used if rows[t] in components]
    needed = [s for s, c in zip(components, record["coefficients"], strict=True) if c**2 / 4 > threshold]
    best = [attention[used][:, sorted(each)].sum(1).max() for each in needed]
    mass = v[[t for t, row in enumerate(rows) if row in components]].sum() / v.sum()
    shown = {rows[t] for t in used}
    among, found = len(shown & set(components)), len(shown & set(needed))
    curve = np.array(record["phi"])
    return Scores(
        used=len(used),
        showing=len(showing),
        found=found,
        needed=len(needed),
        among_all=among,
        mass=float(mass),
        weight=float(np.mean(best)),
        turns=turns(curve),
    )


def turns(curve: NDArray[np.float64]) -> int:
    """How often a curve goes from rising to falling or back, leaving out what is small against its range."""
    least = TURN * float(np.ptp(curve))
    found, way = 0, 0
    low = high = float(curve[0])  # since the last turn
    for value in curve.tolist():
        low, high = min(low, value), max(high, value)
        if way >= 0 and value < high - least:
            found, way, low = found + (way > 0), -1, value
        elif way <= 0 and value > low + least:
            found, way, high = found + (way < 0), 1, value
    return found


def by_chance(T: int, D: int, omega: int) -> float:
    """How often D of the T + 1 positions, picked blindly, are one of the components."""
    return omega / math.comb(T + 1, D)


def shown_by_chance(T: int, D: int, used: int) -> float:
    """How often one of so many rows, picked blindly, shows a given component."""
    return 1 - (1 - 1 / math.comb(T + 1, D)) ** used
