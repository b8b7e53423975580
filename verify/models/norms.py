r"""The norms of a matrix of floats, each between two numbers that are certain.

All but the spectral norm are roots and sums of sums of what is not negative, which doubles add with a relative error of
gamma(n); they take one pass over the matrix. A norm is that of the map y = Mx: the rows of M are dotted with x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError

from .enclosures import ZERO, Between, around, gamma, root_around
from .spectral import spectral
from .tensors import WIDE, Stored, check_subnormals


@dataclass(frozen=True)
class Norms:
    """Each under the name that it has in a class (`symbolic/norms.py`)."""

    frobenius: Between
    rows: Between  # the largest l2 norm of a row
    columns: Between
    row_sum: Between  # the sum of the l2 norms of the rows
    column_sum: Between
    row_l1: Between  # the largest l1 norm of a row
    column_l1: Between
    entries: Between  # the sum of the absolute entries
    spectral: Between

    def turned(self) -> Norms:
        """Of the transpose."""
        return replace(
            self, rows=self.columns, columns=self.rows, row_sum=self.column_sum, column_sum=self.row_sum,
            row_l1=self.column_l1, column_l1=self.row_l1,
        )  # fmt: skip


def norms(A: Stored, one_pass: bool = False) -> Norms:
    """Of a matrix, or of a vector as a column. With `one_pass` the spectral norm is only known to lie between the
    largest row or column and the Frobenius norm, or the root of the largest row and column sums, if that is less."""
    check_subnormals()
    if A.kind in WIDE:
        raise InputError(f"{A.name}: a weight is of 32 bits or fewer, or a double, not {A.kind}")
    A = A.as_matrix()
    found = _sums(A)
    if found.frobenius.upper == 0:
        return found
    if min(A.shape) == 1:
        return replace(found, spectral=found.frobenius)
    if one_pass:
        return replace(found, spectral=_from_the_others(found))
    return replace(found, spectral=spectral(A))


def _sums(A: Stored) -> Norms:
    exponent = A.exponent()
    outputs, inputs = A.shape
    rows, rows_l1 = np.zeros(outputs), np.zeros(outputs)
    columns, columns_l1 = np.zeros(inputs), np.zeros(inputs)
    for part in A.blocks():
        x = A.block(part, exponent=exponent)
        ones = np.ones(len(x))
        rows[part] = np.vecdot(x, x)
        np.abs(x, out=x)
        rows_l1[part] = x @ np.ones(inputs)
        columns_l1 += ones @ x
        np.multiply(x, x, out=x)
        columns += ones @ x
    if not math.isfinite(total := float(rows.sum())):
        raise InputError(f"{A.name} holds NaN or infinity")
    return _ends((rows, columns, rows_l1, columns_l1), total, gamma(2 * (outputs + inputs) + 16), exponent)


def _ends(sums: tuple[Array, Array, Array, Array], total: float, error: float, exponent: int) -> Norms:
    rows, columns, rows_l1, columns_l1 = sums
    if not total:
        return Norms(**dict.fromkeys(Norms.__dataclass_fields__, ZERO))
    return Norms(
        frobenius=root_around(total, error, exponent),
        rows=root_around(float(rows.max()), error, exponent),
        columns=root_around(float(columns.max()), error, exponent),
        row_sum=around(float(np.sqrt(rows).sum()), error, exponent),
        column_sum=around(float(np.sqrt(columns).sum()), error, exponent),
        row_l1=around(float(rows_l1.max()), error, exponent),
        column_l1=around(float(columns_l1.max()), error, exponent),
        entries=around(float(rows_l1.sum()), error, exponent),
        spectral=ZERO,
    )


def _from_the_others(found: Norms) -> Between:
    low = max(found.rows.lower, found.columns.lower)
    return Between(low, min(found.frobenius.upper, root_above(found.row_l1.upper * found.column_l1.upper)))


def root_above(x: Fraction) -> Fraction:
    """Not below the root of it, and above by less than 2^-60, relative."""
    shift = 2 * (64 + max(0, x.denominator.bit_length() - x.numerator.bit_length()))
    return Fraction(math.isqrt((x.numerator << shift) // x.denominator) + 1, 1 << shift // 2)
