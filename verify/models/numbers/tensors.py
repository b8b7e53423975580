"""Numbers as they are stored: integers and floats of one to eight bytes, among them bfloat16, which NumPy lacks.

All of them are turned into doubles without rounding, but for integers of eight bytes; and a stored array is never
turned as a whole, but block by block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self, runtime_checkable

import numpy as np

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError

FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}  # a bfloat16 is the upper half of a float32
INTEGERS = {"I8": "i1", "U8": "u1", "BOOL": "?", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4"}
WIDE = {"I64": "<i8", "U64": "<u8"}  # not every one of them is a double
KINDS = FLOATS | INTEGERS | WIDE
CELLS = 1 << 15  # of a block: what is done to it stays in the cache
RANGE = 200  # squares of what lies within 2^-RANGE and 2^RANGE are far from the ends of the doubles


def width_of(kind: str) -> int:
    """Bits of one number."""
    return 8 * np.dtype(KINDS[kind]).itemsize


class Tensor(Protocol):
    """In memory, or in a file: its rows come in pieces."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def as_matrix(self) -> Self: ...
    def read(self) -> Stored: ...
    def pieces(self) -> Iterator[tuple[slice, Array]]: ...


@runtime_checkable
class Dense(Tensor, Protocol):
    """Its columns can be had too."""

    def turned(self) -> Dense: ...
    def columns(self, start: int, stop: int, exponent: int = 0) -> Array: ...


@dataclass(frozen=True)
class Stored:
    """An array in memory as it lay in a file; `kind` is one of KINDS, and the array's type is the one named there."""

    name: str
    kind: str
    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def as_matrix(self) -> Stored:
        return replace(self, array=self.array.reshape(matrix_shape(self.shape)))

    def read(self) -> Stored:
        return self

    def turned(self) -> Stored:
        return replace(self, array=self.array.T)

    def pieces(self) -> Iterator[tuple[slice, Array]]:
        yield from ((part, self.array[part]) for part in parts(self.shape))

    def columns(self, start: int, stop: int, exponent: int = 0) -> Array:
        """Of a matrix, as doubles, divided by 2^exponent."""
        return scaled(doubles(self.array[:, start:stop], self.kind), exponent)


@dataclass(frozen=True)
class Difference:
    """Of two matrices, in doubles: each entry is off by at most 2^-53, relative."""

    one: Stored
    other: Stored
    kind: str = "F64"

    @property
    def name(self) -> str:
        return self.one.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.one.shape

    def as_matrix(self) -> Difference:
        return replace(self, one=self.one.as_matrix(), other=self.other.as_matrix())

    def read(self) -> Stored:
        return Stored(self.name, "F64", self._of(self.one.array, self.other.array))

    def turned(self) -> Difference:
        return replace(self, one=self.one.turned(), other=self.other.turned())

    def pieces(self) -> Iterator[tuple[slice, Array]]:
        yield from ((part, self._of(self.one.array[part], self.other.array[part])) for part in parts(self.shape))

    def columns(self, start: int, stop: int, exponent: int = 0) -> Array:
        return scaled(self._of(self.one.array[:, start:stop], self.other.array[:, start:stop]), exponent)

    def _of(self, x: Array, y: Array) -> Array:
        return doubles(x, self.one.kind) - doubles(y, self.other.kind)


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """A vector is a column; of an array with more axes all but the first are one."""
    return (shape or (1,))[0], math.prod(shape[1:])


def parts(shape: tuple[int, ...]) -> Iterator[slice]:
    """Rows of a matrix, as many at a time as make a block."""
    rows, columns = shape
    step = max(1, CELLS // max(1, columns))
    yield from (slice(start, min(rows, start + step)) for start in range(0, rows, step))


def blocks(A: Tensor, exponent: int = 0) -> Iterator[tuple[slice, Array]]:
    """Rows of a matrix as doubles, divided by 2^exponent; each block lies where the one before it lay."""
    room = None
    for part, raw in A.pieces():
        if room is None:
            room, half = np.empty(raw.shape), np.empty(raw.shape, np.uint32)
        rows = len(raw)
        yield part, scaled(doubles(raw, A.kind, room[:rows], half[:rows]), exponent)


def exponent_of(A: Tensor) -> int:
    """By which power of two a matrix is best divided: 0, but for doubles whose squares may leave their range."""
    if A.kind != "F64":
        return 0
    _, e = math.frexp(max((float(np.abs(raw).max()) for _, raw in A.pieces() if raw.size), default=0.0))
    return e if abs(e) > RANGE else 0


def scaled(x: Array, exponent: int) -> Array:
    return np.ldexp(x, -exponent, out=x) if exponent else x


def doubles(array: Array, kind: str, out: Array | None = None, half: Array | None = None) -> Array:
    """The same numbers; room for them, and for what is on the way, spares the system to find it."""
    if kind == "BF16":
        array = np.left_shift(array, 16, out=half, dtype=np.uint32).view(np.float32)
    if out is None:
        return array.astype(np.float64)
    np.copyto(out, array)
    return out


def check_subnormals() -> None:
    """Some libraries make the processor take the smallest floats for zero; nothing would be exact then."""
    if not doubles(np.ones(1, np.uint16), "BF16")[0]:
        raise InputError("this process takes subnormal floats for zero (a library was built with -ffast-math)")
