"""Tensors in the safetensors format: eight bytes with the length of a header, the header in JSON, the numbers.

The header is held against the file before anything is read: every tensor lies where it says, has the bytes that its
shape takes, and no byte belongs to two tensors or to none. Then one tensor is read at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError, cut

from ..numbers.tensors import KINDS, Stored, matrix_shape, parts
from .documents import an_object, check_file, parsed, read_object

HEADER = 1 << 24  # bytes: of more than a hundred thousand tensors
AXES = 8
INDEX = "model.safetensors.index.json"


@dataclass(frozen=True)
class Entry:
    """One tensor, and where it lies."""

    name: str
    kind: str
    shape: tuple[int, ...]
    file: Path
    start: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.count * np.dtype(KINDS[self.kind]).itemsize

    def as_matrix(self) -> Entry:
        return replace(self, shape=matrix_shape(self.shape))

    def read(self) -> Stored:
        with self.file.open("rb") as file:
            file.seek(self.start)
            array = np.fromfile(file, KINDS[self.kind], self.count)
        self._check_end(array.size, self.count)
        return Stored(self.name, self.kind, array.reshape(self.shape))

    def pieces(self) -> Iterator[tuple[slice, Array]]:
        """Of a matrix; each piece lies where the one before it lay."""
        columns, room = self.shape[1], None
        with self.file.open("rb", buffering=0) as file:
            file.seek(self.start)
            for part in parts(self.shape):
                rows = part.stop - part.start
                room = np.empty((rows, columns), KINDS[self.kind]) if room is None else room
                piece = room[:rows]
                self._check_end(file.readinto(piece.view(np.uint8).data), piece.nbytes)
                yield part, piece

    def _check_end(self, there: int, wanted: int) -> None:
        if there != wanted:
            raise InputError(f"{self.file.name} ended within {self.name}")


def entries(place: Path) -> dict[str, Entry]:
    """All tensors of a file, or of a folder with one file or several that an index lists."""
    if not place.is_dir():
        return {entry.name: entry for entry in _of_file(place)}
    if (place / "model.safetensors").exists():
        return entries(place / "model.safetensors")
    if (place / INDEX).exists():
        return _of_shards(place)
    files = sorted(place.glob("*.safetensors"))
    if len(files) == 1:
        return entries(files[0])
    if files:
        raise InputError(f"{place} has {len(files)} safetensors files and no {INDEX} that says what is in them")
    pickles = sorted(path.name for kind in ("bin", "pt", "pth", "ckpt") for path in place.glob(f"*.{kind}"))
    if pickles:
        raise InputError(
            f"{place} has no model.safetensors; {pickles[0]} is a pickle, which may hold code, and is not read: write "
            "its tensors with safetensors.torch.save_file"
        )
    raise InputError(f"{place} has no model.safetensors")


def _of_shards(folder: Path) -> dict[str, Entry]:
    listed = read_object(folder / INDEX, HEADER).get("weight_map")
    if not isinstance(listed, dict) or not listed:
        raise InputError(f"{INDEX} has no weight_map from tensors to files")
    found: dict[str, Entry] = {}
    for name in dict.fromkeys(listed.values()):
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(".safetensors"):
            raise InputError(f"{INDEX} names a file {cut(repr(name))}; want a .safetensors beside it")
        for entry in _of_file(folder / name):
            if listed.get(entry.name) != name:
                elsewhere = listed.get(entry.name, "no file")
                raise InputError(f"{entry.name} lies in {name}, and {INDEX} says in {elsewhere}")
            found[entry.name] = entry
    if missing := sorted(set(listed) - set(found)):
        raise InputError(f"{listed[missing[0]]} lacks {missing[0]}, which {INDEX} says is there")
    return found


def _of_file(path: Path) -> Iterator[Entry]:
    """In the order in which they lie."""
    check_file(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > size - 8:
            raise InputError(f"{path.name} is cut: a header of {length} bytes does not fit in a file of {size}")
        if length > HEADER:
            raise InputError(f"{path.name} has a header of {length} bytes, of which at most {HEADER} are read")
        header = an_object(parsed(file.read(length), name := f"the header of {path.name}"), name)
    header.pop("__metadata__", None)
    rows = [(*_ends(name, row, path), name, row) for name, row in header.items()]
    at = 0
    for start, stop, name, row in sorted(rows, key=lambda row: row[:2]):
        if start != at:
            what = "overlaps with another tensor" if start < at else f"leaves {start - at} bytes before it unused"
            raise InputError(f"{path.name}: {cut(name)} {what}")
        at = stop
        entry = Entry(name, _kind(name, row, path), _shape(name, row, path), path, 8 + length + start)
        if entry.bytes != stop - start:
            raise InputError(
                f"{path.name}: {cut(name)} is said to take {stop - start} bytes; {entry.kind} of shape "
                f"{list(entry.shape)} takes {entry.bytes}"
            )
        if 8 + length + stop > size:
            raise InputError(f"{path.name} is cut: {cut(name)} ends at byte {8 + length + stop} of {size}")
        yield entry
    if 8 + length + at != size:
        raise InputError(f"{path.name} has {size - 8 - length - at} bytes behind its last tensor")


def _ends(name: str, row: Any, path: Path) -> tuple[int, int]:
    ends = row.get("data_offsets") if isinstance(row, dict) else None
    if ends is None or not (_integers(ends, 1 << 60) and len(ends) == 2 and ends[0] <= ends[1]):
        raise InputError(f"{path.name}: {cut(name)} has no data_offsets [start, end]")
    return ends[0], ends[1]


def _kind(name: str, row: Any, path: Path) -> str:
    kind = row.get("dtype")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{path.name}: {cut(name)} has dtype {cut(repr(kind))}; {', '.join(KINDS)} can be read")
    return kind


def _shape(name: str, row: Any, path: Path) -> tuple[int, ...]:
    shape = row.get("shape")
    if not (_integers(shape, 1 << 40) and len(shape) <= AXES):
        raise InputError(f"{path.name}: {cut(name)} has no shape of at most {AXES} sizes: {cut(repr(shape))}")
    return tuple(shape)


def _integers(found: Any, most: int) -> bool:
    return isinstance(found, list) and all(type(x) is int and 0 <= x <= most for x in found)
