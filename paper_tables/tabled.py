"""Numbers read again from the cells of a table that was written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

Row = dict[str, str]
PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def number(cell: str) -> float:
    """The first in a cell: of `> 200` or `12 given up` too; nan, if there is none."""
    found = PLAIN.search(cell)
    return float(found[0]) if found else math.nan


def numbers(rows: Iterable[Row], column: str) -> list[float]:
    return [number(row[column]) for row in rows]


def ends(cell: str) -> tuple[float, float]:
    """Of an interval: `0.1 to 0.9`, `2 or more`, `2 or less`, `any`."""
    found = [float(x) for x in PLAIN.findall(cell)]
    if len(found) == 2:
        return found[0], found[1]
    if not found:
        return -math.inf, math.inf
    return (found[0], math.inf) if "more" in cell else (-math.inf, found[0])


def where(rows: Iterable[Row], **equal: str) -> list[Row]:
    """Those with these cells; a column whose name is no word of Python has underscores in its place."""
    return [row for row in rows if all(row[name.replace("_", " ")] == cell for name, cell in equal.items())]


def values(rows: Iterable[Row], column: str) -> list[str]:
    """The cells of a column, each once, in their order."""
    return list(dict.fromkeys(row[column] for row in rows))


def paired(rows: Sequence[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    """Of the rows that have both."""
    both = [(number(row[x]), number(row[y])) for row in rows]
    both = [pair for pair in both if not any(map(math.isnan, pair))]
    return [a for a, _ in both], [b for _, b in both]
