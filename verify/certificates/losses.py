"""Losses as they are read from files and arrays: exact, in [0, 1], rounded up to multiples of 1/UNIT."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from maurey.symbolic.errors import InputError, cut

from .wording import SORTED, UNIT

KINDS = ".npy, .csv or .jsonl"
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
OUTSIDE = (
    "a loss is in [0, 1]. A log loss has no largest value: mix the prediction with the uniform one, (1 - a) p + a/V with "
    "a fixed before; then it is at most log(V/a), divide by that; a sample costs at most log(1/(1 - a)) more"
)


@dataclass(frozen=True)
class Losses:
    """In multiples of 1/UNIT; `indices` are the members of a pool, where they are given."""

    units: list[int]
    zero_one: bool
    indices: list[int] | None = None

    @property
    def n(self) -> int:
        return len(self.units)

    @property
    def errors(self) -> int:
        return sum(self.units) // UNIT

    def window(self, first: int, last: int) -> Losses:
        """From the first to the last, counted from 1."""
        return Losses(self.units[first - 1 : last], self.zero_one)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def content_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def of_file(path: Path) -> Losses:
    if path.suffix == ".npy":
        return of_array(_array(path), path.name)
    if path.suffix not in (".csv", ".jsonl"):
        raise InputError(f"losses come in a file {KINDS}, got {path.name}")
    rows = list(_named(path))
    indices = [_index(row["index"], path.name, i) for i, row in enumerate(rows, 1)] if "index" in rows[0] else None
    return _checked([_loss(row, path.name, i) for i, row in enumerate(rows, 1)], path.name, indices)


def of_array(array: Any, name: str = "losses") -> Losses:
    """Of numbers that NumPy or torch has."""
    found = _numbers(array, name)
    if found.ndim != 1 or not found.size:
        raise InputError(f"{name}: a row of losses, one for each sample, got an array of shape {found.shape}")
    return Losses(_units(found).tolist(), bool(((found == 0) | (found == 1)).all()))


def of_networks(path: Path) -> tuple[int, int, int]:
    """A row of losses for each network: how many networks, how many samples, and the sum of all units."""
    if path.suffix == ".npy":
        found = _numbers(_array(path), path.name)
        if found.ndim != 2 or not found.size:
            raise InputError(f"{path.name}: a row for each drawn network, a column for each sample, got {found.shape}")
        return (*found.shape, sum(sum(row) for row in _units(found).tolist()))
    rows = [[_ceiling(x) for x in row] for row in _table(path)]
    if len({len(row) for row in rows}) != 1:
        raise InputError(f"{path.name}: all networks have their losses on the same samples, got rows of other lengths")
    return len(rows), len(rows[0]), sum(map(sum, rows))


def of_columns(path: Path, names: tuple[str, ...]) -> list[tuple[Fraction, ...]]:
    """Numbers of any size, in columns."""
    if path.suffix == ".npy":
        array = _array(path)
        if array.ndim != 2 or array.shape[1] != len(names) or array.dtype.kind not in "iuf":
            raise InputError(f"{path.name}: columns {', '.join(names)}, got an array of shape {array.shape}")
        if not np.isfinite(array).all():
            raise InputError(f"{path.name}: a number that is not finite")
        return [tuple(map(Fraction, row)) for row in array.astype(float).tolist()]
    rows = list(_named(path, names))
    if missing := [name for name in names if name not in rows[0]]:
        raise InputError(f"{path.name} has no column {missing[0]!r}; it needs {', '.join(names)}")
    return [tuple(_exact(row[name], path.name, i) for name in names) for i, row in enumerate(rows, 1)]


# --- arrays -----------------------------------------------------------------------------------------------------------


def _array(path: Path) -> Any:
    content_of(path)
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path.name} is no array that NumPy reads without running code: {cut(str(error))}") from None


def _numbers(array: Any, name: str) -> Any:
    if hasattr(array, "detach"):
        array = array.detach().cpu().numpy()
    found = np.asarray(array)
    if found.dtype.kind not in "biuf" or found.dtype.itemsize > 8:
        raise InputError(f"{name}: losses are numbers, got an array of {found.dtype}")
    found = found.astype(np.float64)
    bad = ~((found >= 0) & (found <= 1))
    if bad.any():
        at = tuple(int(i) + 1 for i in np.argwhere(bad)[0])
        where = at[0] if len(at) == 1 else at
        raise InputError(f"{name}, row {where}: {found[bad][0]:g} is no loss; {OUTSIDE}")
    return found


def _units(found: Any) -> Any:
    """A power of two times a double is exact."""
    return np.ceil(found * UNIT).astype(np.int64)


# --- texts ------------------------------------------------------------------------------------------------------------


def _named(path: Path, names: tuple[str, ...] = ("loss",)) -> Iterator[dict[str, Any]]:
    """Rows by the names of their columns; where there are none, of the columns that are asked for."""
    text = _text(path)
    if path.suffix == ".jsonl":
        rows = (_json(line, path.name, i) for i, line in enumerate(text, 1) if line.strip())
        found = [row if isinstance(row, dict) else dict(zip(names, _listed(row), strict=False)) for row in rows]
    else:
        lines = [row for row in csv.reader(text) if row]
        header = names
        if lines and not all(_is_number(cell) for cell in lines[0]):
            header = tuple(cell.strip() for cell in lines.pop(0))
        found = [dict(zip(header, row, strict=False)) for row in lines]
    if not found:
        raise InputError(f"{path.name} has no rows")
    if any(set(row) != set(found[0]) for row in found):
        raise InputError(f"{path.name}: rows have different columns")
    yield from found


def _table(path: Path) -> list[list[Fraction]]:
    text = _text(path)
    if path.suffix == ".jsonl":
        rows = [_listed(_json(line, path.name, i)) for i, line in enumerate(text, 1) if line.strip()]
    elif path.suffix == ".csv":
        rows = [row for row in csv.reader(text) if row]
    else:
        raise InputError(f"losses come in a file {KINDS}, got {path.name}")
    if not rows or not rows[0]:
        raise InputError(f"{path.name} has no rows")
    return [[_in_range(_exact(x, path.name, i), path.name, i) for x in row] for i, row in enumerate(rows, 1)]


def _text(path: Path) -> list[str]:
    try:
        return content_of(path).decode().splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path.name} is not a text") from None


def _json(line: str, name: str, row: int) -> Any:
    try:
        return json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except ValueError:
        raise InputError(f"{name}, row {row}: no JSON: {cut(line)}") from None


def _listed(row: Any) -> Sequence[Any]:
    return row if isinstance(row, list) else [row]


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell.strip())) or cell.strip().lower().lstrip("+-") in ("nan", "inf", "infinity")


def _exact(x: Any, name: str, row: int) -> Fraction:
    text = x.strip() if isinstance(x, str) else str(int(x)) if isinstance(x, bool) else str(x)
    if not NUMBER.fullmatch(text):
        raise InputError(f"{name}, row {row}: {cut(repr(x))} is no number; {OUTSIDE}")
    return Fraction(text)


def _in_range(x: Fraction, name: str, row: int) -> Fraction:
    if not 0 <= x <= 1:
        raise InputError(f"{name}, row {row}: {cut(str(x))} is no loss; {OUTSIDE}")
    return x


def _loss(row: dict[str, Any], name: str, i: int) -> Fraction:
    if "loss" in row:
        return _in_range(_exact(row["loss"], name, i), name, i)
    if {"label", "prediction"} <= set(row):
        return Fraction(not _same(str(row["label"]).strip(), str(row["prediction"]).strip()))
    raise InputError(f"{name} has columns {', '.join(map(str, row))}; it needs loss, or label and prediction")


def _same(label: str, prediction: str) -> bool:
    """1 and 1.0 are one label."""
    numbers = all(map(NUMBER.fullmatch, (label, prediction)))
    return Fraction(label) == Fraction(prediction) if numbers else label == prediction


def _index(x: Any, name: str, row: int) -> int:
    try:
        return int(str(x))
    except ValueError:
        raise InputError(f"{name}, row {row}: {cut(repr(x))} is no index") from None


def _ceiling(x: Fraction) -> int:
    return -(-x.numerator * UNIT // x.denominator)


def _checked(losses: Iterable[Fraction], name: str, indices: list[int] | None) -> Losses:
    found = list(losses)
    return Losses([_ceiling(x) for x in found], all(x in (0, 1) for x in found), indices)


def check_order(losses: Losses, name: str) -> None:
    """Betting is for losses in the order in which they were drawn."""
    units = losses.units
    if len(set(units)) >= SORTED and units in (sorted(units), sorted(units, reverse=True)):
        raise InputError(
            f"{name}: the losses are in order of size, in which no samples are drawn; give them in the order of the draw"
        )
