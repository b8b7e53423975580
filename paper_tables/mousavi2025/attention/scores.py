"""How near the matrix between queries and keys is to construction (A.2).

A token is (x, w_j, w_t): what it holds, where it stands, and which place it asks for. The score of query i and key j is
z_i . M z_j, and (A.2) has M = alpha I on the block B with the rows of the query's w_t and the columns of the key's w_j,
and zeros elsewhere. The scores below were fixed before any network was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def ideal(d: int, d_e: int) -> Matrix:
    """(A.2) for q = 1, with alpha = 1."""
    M = np.zeros((d + 2 * d_e, d + 2 * d_e))
    M[d + d_e :, d : d + d_e] = np.eye(d_e)
    return M


@dataclass(frozen=True)
class Scores:
    block: float  # share of the squared Frobenius norm that is in B
    diagonal: float  # that is on the diagonal of B
    within: float  # of that in B, what is on its diagonal
    cosine: float  # of the angle between M and (A.2)
    largest: float  # of the absolute entries
    on_diagonal: bool  # whether that is on the diagonal of B

    @classmethod
    def of(cls, M: Matrix, d: int, d_e: int) -> Scores:
        B, whole = M[d + d_e :, d : d + d_e], float((M**2).sum())
        block, diagonal = float((B**2).sum()), float((np.diag(B) ** 2).sum())
        largest = float(np.abs(M).max())
        cosine = float((M * ideal(d, d_e)).sum()) / sqrt(whole * d_e)
        top = bool(np.abs(np.diag(B)).max() == largest)
        return cls(block / whole, diagonal / whole, diagonal / block if block else 0.0, cosine, largest, top)


def random(d: int, d_e: int) -> tuple[float, float, float, float]:
    """Of a matrix with independent entries of one variance: the expected shares, and the standard deviation of the
    cosine, whose mean is 0."""
    D = d + 2 * d_e
    return d_e**2 / D**2, d_e / D**2, 1 / d_e, 1 / D


def between(outcome: Any) -> Matrix:
    """Of the one head."""
    M: Matrix = np.array(outcome.record["qk"][0])
    return M
