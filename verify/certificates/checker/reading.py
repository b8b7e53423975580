"""Files as a checker reads them: numbers are exact, and nothing but numbers is read."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from fractions import Fraction
from typing import Any

import numpy as np

from ..wording import UNIT


class Unsound(ValueError):
    """It does not stand; the text says what does not."""


def require(condition: object, text: str) -> None:
    if not condition:
        raise Unsound(text)


def fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def once(found: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len({name for name, _ in found}) == len(found), "a name is there twice")
    return dict(found)


def certificate(text: str) -> dict[str, Any]:
    """Its numbers are whole or stand in texts; no name is there twice."""

    def never(number: str) -> Any:
        raise Unsound(f"a number that is not whole: {number[:20]}")

    read = json.loads(text, object_pairs_hook=once, parse_float=never, parse_constant=never)
    require(isinstance(read, dict), "it is no record")
    return dict(read)


def seal(read: dict[str, Any]) -> str:
    rest = {name: read[name] for name in sorted(read) if name != "digest"}
    return fingerprint(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii"))


def fraction(text: object, what: str) -> Fraction:
    """A decimal or a fraction, as a certificate writes it."""
    require(isinstance(text, str) and 0 < len(str(text)) <= 100 and set(str(text)) <= set("0123456789./"),
            f"{what} is no number")  # fmt: skip
    try:
        return Fraction(str(text))
    except (ValueError, ZeroDivisionError):
        raise Unsound(f"{what} is no number") from None


# --- tables -----------------------------------------------------------------------------------------------------------


def table(name: str, content: bytes, columns: tuple[str, ...]) -> list[list[Fraction]]:
    """Rows of numbers; with a header, those of the named columns."""
    rows, header = _rows(name, content)
    if header is not None:
        rows = [[row.get(column) for column in columns] for row in rows]
    try:
        return [[_number(cell) for cell in row] for row in rows]
    except (ValueError, TypeError, OverflowError):
        raise Unsound(f"{name} holds what is no number") from None


def column(name: str, content: bytes, wanted: str) -> list[list[Fraction]]:
    """A column by its name; nothing, where there is none of that name."""
    if name.rpartition(".")[2] not in ("csv", "jsonl") or wanted not in (_rows(name, content)[1] or ()):
        return []
    return table(name, content, (wanted,))


def losses(name: str, content: bytes) -> tuple[list[Fraction], list[int] | None]:
    """One for each sample, and the members of the pool that they are of, if it says."""
    rows, header = _rows(name, content)
    try:
        if header is None:
            require(all(len(row) == 1 for row in rows), f"{name} has more than one column")
            return [_number(row[0]) for row in rows], None
        found = [_loss(row) for row in rows]
        if "index" not in header:
            return found, None
        named = [str(row["index"]).strip() for row in rows]
        require(all(re.fullmatch("[0-9]{1,18}", one) for one in named), f"{name} has an index that is none")
        require(len({int(one) for one in named}) == len(named), f"{name} has a sample twice")
        return found, list(map(int, named))
    except Unsound:
        raise
    except (ValueError, TypeError, KeyError, OverflowError):
        raise Unsound(f"{name} holds what is no loss") from None


def _loss(row: dict[str, Any]) -> Fraction:
    if "loss" in row:
        return _number(row["loss"])
    require(all(isinstance(row[column], str | bool) for column in ("prediction", "label")), "a label is none")
    said, true = str(row["prediction"]).strip(), str(row["label"]).strip()
    require(not {said.lower(), true.lower()} & {"", "nan"}, "a label or a prediction is missing")
    try:
        return Fraction(int(_number(said) != _number(true)))
    except ValueError:
        return Fraction(int(said != true))


def _number(cell: Any) -> Fraction:
    """Doubles are exact; texts are decimals."""
    if isinstance(cell, float | bool | int):
        return Fraction(cell)
    text = str(cell).strip()
    power = text.lower().partition("e")[2].lstrip("+-")
    if not text or not set(text) <= set("0123456789.eE+-") or len(text) > 400 or len(power) > 3:
        raise ValueError
    return Fraction(text)


def _rows(name: str, content: bytes) -> tuple[list[Any], set[str] | None]:
    kind = name.rpartition(".")[2]
    if kind == "npy":
        array = np.load(io.BytesIO(content), allow_pickle=False)
        require(
            array.dtype.kind in "biuf" and array.dtype.itemsize <= 8 and array.ndim in (1, 2), f"{name} is no table"
        )
        numbers = array.tolist()  # whole ones stay whole
        return ([[x] for x in numbers] if array.ndim == 1 else numbers), None
    lines = [line[:-1] if line.endswith("\r") else line for line in content.decode("utf-8-sig").split("\n")]
    lines = lines[:-1] if lines[-1] == "" else lines  # after the last end of a line
    if kind == "jsonl":
        read = [json.loads(line, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=once)
                for line in lines]  # fmt: skip
        if read and isinstance(read[0], dict):
            same = all(isinstance(row, dict) and set(row) == set(read[0]) for row in read)
            require(same, f"{name} has rows of several kinds")
            return read, set(read[0])
        return [row if isinstance(row, list) else [row] for row in read], None
    require(kind == "csv", f"{name} is neither .npy nor .csv nor .jsonl")
    cells = [cell for line in lines for cell in csv.reader([line], strict=True)]
    try:
        for cell in cells[0]:
            _number(cell)
        return cells, None
    except (ValueError, IndexError):
        require(cells, f"{name} is empty")
        header = [cell.strip() for cell in cells[0]]
        require(len(set(header)) == len(header), f"{name} has two columns of one name")
        require(all(len(row) == len(header) for row in cells), f"{name} has rows with other columns")
        return [dict(zip(header, row, strict=False)) for row in cells[1:]], set(header)


def rounded_up(found: list[Fraction], name: str) -> list[int]:
    """In units, within [0, 1]."""
    require(found, f"{name} is empty")
    require(all(0 <= x <= 1 for x in found), f"{name} has a loss outside [0, 1]")
    return [-((-x.numerator * UNIT) // x.denominator) for x in found]
