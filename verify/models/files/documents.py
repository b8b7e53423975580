"""JSON that somebody else wrote: no longer than it may be, every key once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from maurey.symbolic.errors import InputError, cut


def read_object(path: Path, most: int) -> dict[str, Any]:
    """The object in a file of at most so many bytes."""
    return an_object(read_any(path, most), path.name)


def read_any(path: Path, most: int) -> Any:
    check_file(path)
    if (size := path.stat().st_size) > most:
        raise InputError(f"{path.name} has {size} bytes, of which at most {most} are read")
    return parsed(path.read_bytes(), path.name)


def parsed(text: bytes, name: str) -> Any:
    try:
        return json.loads(text.decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:  # also what is no UTF-8, and numbers of thousands of digits
        raise InputError(f"{name} holds no JSON that can be read: {cut(str(error))}") from None


def an_object(found: Any, name: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise InputError(f"{name} holds no JSON object")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)!r} stands there twice")
    return found


def check_file(path: Path) -> None:
    try:
        there = path.is_file()
    except OSError as error:
        raise InputError(f"cannot read {cut(str(path))}: {error.strerror}") from None
    except ValueError:  # a NUL in the name
        there = False
    if not there:
        raise InputError(f"no file {cut(str(path))}")
