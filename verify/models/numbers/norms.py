r"""The norms of a matrix of floats, each between two numbers that are certain.

All but the spectral norm are roots and sums of sums of what is not negative, which doubles add with a relative error of
gamma(n); they take one pass over the matrix, and are all that is taken of very large models. A norm is that of the map
y = Mx: the rows of M are dotted with x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from maurey.symbolic.errors import InputError

from .enclosures import ZERO, Between, around, gamma, root_around
from .spectral import spectral
from .tensors import WIDE, Dense, Tensor, blocks, check_subnormals, exponent_of


@dataclass(frozen=True)
class Norms:
    """Each under the name that it has in a class (`symbolic/norms.py`)."""

    spectral: Between
    frobenius: Between
    rows: Between  # the largest l2 norm of a row
    columns: Between
    row_sum: Between  # the sum of the l2 norms of the rows
    column_sum: Between
    row_l1: Between | None = None  # the largest l1 norm of a row; none in one pass
    column_l1: Between | None = None
    entries: Between | None = None  # the sum of the absolute entries

    def turned(self) -> Norms:
        """Of the transpose."""
        return replace(
            self, rows=self.columns, columns=self.rows, row_sum=self.column_sum, column_sum=self.row_sum,
            row_l1=self.column_l1, column_l1=self.row_l1,
        )  # fmt: skip


def norms(A: Tensor, one_pass: bool = False) -> Norms:
    """Of a matrix, or of a vector as a column. With `one_pass` the spectral norm is only known to lie between the
    largest row or column and the Frobenius norm; a matrix in a file need not be in memory then."""
    check_subnormals()
    if A.kind in WIDE:
        raise InputError(f"{A.name}: a weight is of 32 bits or fewer, or a double, not {A.kind}")
    A = A.as_matrix()
    found = _by_squares(A)
    if min(A.shape) == 1:
        found = replace(found, spectral=found.frobenius)
    if one_pass:
        return found
    assert isinstance(A, Dense)
    if min(A.shape) > 1:
        found = replace(found, spectral=spectral(A))
    return replace(found, **_by_sums(A))


def _slack(A: Tensor) -> float:
    return gamma(2 * sum(A.shape) + 16)


def _by_squares(A: Tensor) -> Norms:
    exponent, (outputs, inputs) = exponent_of(A), A.shape
    rows, columns, ones = np.zeros(outputs), np.zeros(inputs), np.ones(inputs)
    for part, x in blocks(A, exponent):
        np.square(x, out=x)
        np.matmul(x, ones, out=rows[part])
        columns += np.ones(len(x)) @ x
    total, error = float(rows.sum()), _slack(A)
    if not math.isfinite(total):
        raise InputError(f"{A.name} holds NaN or infinity")
    if not total:
        return Norms(*(ZERO,) * 6)
    frobenius = root_around(total, error, exponent)
    row, column = (root_around(float(squares.max()), error, exponent) for squares in (rows, columns))
    return Norms(
        spectral=Between(max(row.lower, column.lower), frobenius.upper),
        frobenius=frobenius,
        rows=row,
        columns=column,
        row_sum=around(float(np.sqrt(rows).sum()), error, exponent),
        column_sum=around(float(np.sqrt(columns).sum()), error, exponent),
    )


def _by_sums(A: Tensor) -> dict[str, Between]:
    """Of absolute values."""
    exponent, (outputs, inputs) = exponent_of(A), A.shape
    rows, columns = np.zeros(outputs), np.zeros(inputs)
    for part, x in blocks(A, exponent):
        np.abs(x, out=x)
        rows[part] = x @ np.ones(inputs)
        columns += np.ones(len(x)) @ x
    ends = {"row_l1": rows.max(initial=0), "column_l1": columns.max(initial=0), "entries": rows.sum()}
    return {name: around(float(x), _slack(A), exponent) if x else ZERO for name, x in ends.items()}
