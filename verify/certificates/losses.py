"""Losses as they are read from files and arrays: exact, in [0, 1], rounded up to multiples of 1/UNIT."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from maurey.symbolic.errors import InputError, cut

from .wording import SORTED, UNIT

KINDS = ".npy, .csv or .jsonl"
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
LONGEST = 400  # characters of a number
OUTSIDE = (
    "a loss is in [0, 1]. A log loss has no largest value: mix the prediction with the uniform one, (1 - a) p + a/V "
    "with a fixed before; then it is at most log(V/a), divide by that; a sample costs at most log(1/(1 - a)) more"
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


@dataclass(frozen=True)
class File:
    """A name and what it holds, whether or not it lies anywhere."""

    name: str
    content: bytes

    @staticmethod
    def at(path: Path) -> File:
        try:
            return File(path.name, path.read_bytes())
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None

    @property
    def kind(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def sha256(self) -> str:
        return sha256(self.content)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def of_file(file: File) -> Losses:
    if file.kind == "npy":
        return of_array(_array(file), file.name)
    rows = _named(file)
    indices = [_index(row["index"], file.name, i) for i, row in enumerate(rows, 1)] if "index" in rows[0] else None
    check_once(indices or [], file.name)
    losses = [_loss(row, file.name, i) for i, row in enumerate(rows, 1)]
    return Losses([_ceiling(x) for x in losses], all(x in (0, 1) for x in losses), indices)


def of_array(array: Any, name: str = "losses") -> Losses:
    """Of numbers that NumPy or torch has."""
    found = _numbers(array, name)
    if found.ndim != 1 or not found.size:
        raise InputError(f"{name}: a row of losses, one for each sample, got an array of shape {found.shape}")
    return Losses(_units(found).tolist(), bool(((found == 0) | (found == 1)).all()))


def of_networks(file: File) -> tuple[int, int, int]:
    """A row of losses for each network: how many networks, how many samples, and the sum of all units."""
    if file.kind == "npy":
        found = _numbers(_array(file), file.name)
        if found.ndim != 2 or not found.size:
            raise InputError(f"{file.name}: a row for each drawn network, a column for each sample, got {found.shape}")
        return (*found.shape, sum(sum(row) for row in _units(found).tolist()))
    rows = [[_ceiling(x) for x in row] for row in _table(file)]
    if len({len(row) for row in rows}) != 1:
        raise InputError(f"{file.name}: all networks have their losses on the same samples, got rows of other lengths")
    return len(rows), len(rows[0]), sum(map(sum, rows))


def of_columns(file: File, names: tuple[str, ...]) -> list[tuple[Fraction, ...]]:
    """Numbers of any size, in columns."""
    if file.kind == "npy":
        array = _array(file)
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != len(names) or array.dtype.kind not in "iuf" or array.itemsize > 8:
            raise InputError(f"{file.name}: columns {', '.join(names)}, got an array of shape {array.shape}")
        if not np.isfinite(array).all():
            raise InputError(f"{file.name}: a number that is not finite")
        return [tuple(map(Fraction, row)) for row in array.tolist()]  # whole numbers of any size are exact
    rows = _named(file, names)
    if missing := [name for name in names if name not in rows[0]]:
        raise InputError(f"{file.name} has no column {missing[0]!r}; it needs {', '.join(names)}")
    return [tuple(_exact(row[name], file.name, i) for name in names) for i, row in enumerate(rows, 1)]


def has_column(file: File, name: str) -> bool:
    return file.kind in ("csv", "jsonl") and name in _named(file, ())[0]


# --- arrays -----------------------------------------------------------------------------------------------------------


def _array(file: File) -> Any:
    try:
        return np.load(BytesIO(file.content), allow_pickle=False)
    except Exception as error:  # a header is Python, and may be anything
        raise InputError(f"{file.name} is no array that NumPy reads without running code: {cut(str(error))}") from None


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


def _named(file: File, names: tuple[str, ...] = ("loss",)) -> list[dict[str, Any]]:
    """Rows by the names of their columns; where there are none, of the columns that are asked for."""
    if file.kind == "jsonl":
        read = _lines(file)
        if len({isinstance(row, dict) for row in read}) > 1:
            raise InputError(f"{file.name}: rows of several kinds")
        found = [
            row if isinstance(row, dict) else _by_name(names, _listed(row), file, i) for i, row in enumerate(read, 1)
        ]
    else:
        rows, header = _cells(file), names
        if rows and not all(_is_number(cell) for cell in rows[0]):
            header = tuple(cell.strip() for cell in rows.pop(0))
        if len(set(header)) < len(header):
            raise InputError(f"{file.name}: two columns have one name")
        found = [_by_name(header, row, file, i) for i, row in enumerate(rows, 1)]
    if not found:
        raise InputError(f"{file.name} has no rows")
    if any(set(row) != set(found[0]) for row in found):
        raise InputError(f"{file.name}: rows have different columns")
    return found


def _by_name(names: tuple[str, ...], row: Sequence[Any], file: File, i: int) -> dict[str, Any]:
    if names and len(row) != len(names):
        raise InputError(f"{file.name}, row {i}: {len(row)} columns, and not {len(names)} ({cut(', '.join(names))})")
    return dict(zip(names, row, strict=False))


def _table(file: File) -> list[list[Fraction]]:
    rows = [_listed(row) for row in _lines(file)] if file.kind == "jsonl" else _cells(file)
    if not rows or not rows[0]:
        raise InputError(f"{file.name} has no rows")
    return [[_in_range(_exact(x, file.name, i), file.name, i) for x in row] for i, row in enumerate(rows, 1)]


def _cells(file: File) -> list[list[str]]:
    if file.kind != "csv":
        raise InputError(f"losses and tables come in files {KINDS}, got {file.name}")
    try:
        return [cell for line in _text(file) for cell in csv.reader([line], strict=True)]
    except csv.Error as error:
        raise InputError(f"{file.name} is no table: {error}") from None


def _lines(file: File) -> list[Any]:
    return [_json(line, file.name, i) for i, line in enumerate(_text(file), 1)]


def _text(file: File) -> list[str]:
    """By lines: a row is one of them, whatever else some programs take for the end of a line. An empty one is a row
    too, for a loss may be missing there."""
    try:
        text = file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{file.name} is not a text") from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text.strip() else []


def _json(line: str, name: str, row: int) -> Any:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            raise InputError(f"{name}, row {row}: a name is there twice: {cut(line)}")
        return dict(found)

    try:
        return json.loads(line, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=pairs)
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise InputError(f"{name}, row {row}: no JSON: {cut(line)}") from None


def _listed(row: Any) -> Sequence[Any]:
    return row if isinstance(row, list) else [row]


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell.strip())) or cell.strip().lower().lstrip("+-") in ("nan", "inf", "infinity")


def _exact(x: Any, name: str, row: int) -> Fraction:
    text = x.strip() if isinstance(x, str) else str(int(x)) if isinstance(x, bool) else str(x)
    if len(text) > LONGEST or not NUMBER.fullmatch(text):
        raise InputError(f"{name}, row {row}: {cut(repr(x))} is no number; {OUTSIDE}")
    return Fraction(text)


def _in_range(x: Fraction, name: str, row: int) -> Fraction:
    if not 0 <= x <= 1:
        raise InputError(f"{name}, row {row}: {Decimal(x.numerator) / x.denominator:.6g} is no loss; {OUTSIDE}")
    return x


def _loss(row: dict[str, Any], name: str, i: int) -> Fraction:
    if "loss" in row:
        return _in_range(_exact(row["loss"], name, i), name, i)
    if {"label", "prediction"} <= set(row):
        label, prediction = (_label(row[column], name, i) for column in ("label", "prediction"))
        return Fraction(not _same(label, prediction))
    raise InputError(f"{name} has columns {', '.join(map(str, row))}; it needs loss, or label and prediction")


def _label(x: Any, name: str, row: int) -> str:
    text = str(x).strip()
    if not isinstance(x, str | bool) or text.lower() in ("", "nan"):
        raise InputError(f"{name}, row {row}: {cut(repr(x))} is no label, nor a prediction")
    return text


def _same(label: str, prediction: str) -> bool:
    """1 and 1.0 are one label."""
    numbers = all(map(NUMBER.fullmatch, (label, prediction)))
    return Fraction(label) == Fraction(prediction) if numbers else label == prediction


def _index(x: Any, name: str, row: int) -> int:
    text = str(x).strip()
    if not re.fullmatch("[0-9]{1,18}", text):
        raise InputError(f"{name}, row {row}: {cut(repr(x))} is no index")
    return int(text)


def _ceiling(x: Fraction) -> int:
    return -(-x.numerator * UNIT // x.denominator)


def check_once(indices: Sequence[int], name: str) -> None:
    seen: set[int] = set()
    for row, i in enumerate(indices, 1):
        if i in seen:
            raise InputError(f"{name}, row {row}: sample {i} is there twice, and counts once")
        seen.add(i)


def check_order(losses: Losses, name: str) -> None:
    """Betting is for losses in the order in which they were drawn."""
    units = losses.units
    if len(set(units)) >= SORTED and units in (sorted(units), sorted(units, reverse=True)):
        raise InputError(
            f"{name}: the losses are in order of size, in which no samples are drawn; give them as they were drawn"
        )
