"""Numbers as they are stored: integers and floats of one to eight bytes, among them bfloat16, which NumPy lacks.

All of them are turned into doubles without rounding, but for integers of eight bytes; and a stored array is never
turned as a whole, but block by block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError

FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}  # a bfloat16 is the upper half of a float32
INTEGERS = {"I8": "i1", "U8": "u1", "BOOL": "?", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4"}
WIDE = {"I64": "<i8", "U64": "<u8"}  # not every one of them is a double
KINDS = FLOATS | INTEGERS | WIDE
CELLS = 1 << 16  # of a block: what is done to it stays in the cache
RANGE = 200  # squares of what lies within 2^-RANGE and 2^RANGE are far from the ends of the doubles


@dataclass(frozen=True)
class Stored:
    """An array as it lies in a file; `kind` is one of KINDS, and the array's type is the one named there."""

    name: str
    kind: str
    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def bits(self) -> int:
        return 8 * self.array.nbytes

    def as_matrix(self) -> Stored:
        """A vector is a column; of an array with more axes all but the first are one."""
        shape = (self.shape or (1,))[0], math.prod(self.shape[1:])
        return Stored(self.name, self.kind, self.array.reshape(shape))

    def turned(self) -> Stored:
        return Stored(self.name, self.kind, self.array.T)

    def block(self, rows: slice, columns: slice = slice(None), exponent: int = 0) -> Array:
        """Of a matrix, as doubles, divided by 2^exponent."""
        found = doubles(self.array[rows, columns], self.kind)
        return np.ldexp(found, -exponent) if exponent else found

    def blocks(self, cells: int = CELLS) -> Iterator[slice]:
        """Rows of a matrix, as many at a time as make so many cells."""
        rows, columns = self.shape
        step = max(1, cells // max(1, columns))
        yield from (slice(start, min(rows, start + step)) for start in range(0, rows, step))

    def exponent(self) -> int:
        """By which power of two a matrix is best divided: 0, but for doubles whose squares may leave their range. What
        is not finite is refused."""
        if self.kind != "F64" or not self.array.size:
            return 0
        _, e = math.frexp(max(float(np.abs(self.array[rows]).max()) for rows in self.blocks()))
        return e if abs(e) > RANGE else 0


def doubles(array: Array, kind: str) -> Array:
    if kind == "BF16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def check_subnormals() -> None:
    """Some libraries make the processor take the smallest floats for zero; nothing would be exact then."""
    if not doubles(np.ones(1, np.uint16), "BF16")[0]:
        raise InputError("this process takes subnormal floats for zero (a library was built with -ffast-math)")
