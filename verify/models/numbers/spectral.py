r"""The spectral norm of a matrix of floats, between two numbers that are certain and less than 1e-8 apart.

Goal: t with |A|^2 <= t. In doubles G = A A^T comes out as G' with |G - G'| <= gamma |A| |A|^T, entry by entry, so that
the eigenvalues move by at most gamma |A|_F^2. Long sums are split into blocks of n terms, and b blocks make
gamma(n + b) of gamma(n b).

If tI - G' = R R^T + E, then no eigenvalue of G' is above t + |E|. R is what Cholesky's method gives in floats (S. M.
Rump, Verification of positive definiteness, BIT 46, 2006, bounds E in advance); here E is bounded afterwards, from what
R R^T comes out as, so that it does not matter how R was found: |E| <= |S - P|_F + gamma |R|_F^2 for S = tI - G' and
P = R R^T in doubles. Nor does it matter how t was: a vector from Lanczos' method gives a guess, and by its Rayleigh
quotient the lower end.
"""

from __future__ import annotations

import math

import numpy as np

from maurey.numeric.types import Array

from .enclosures import SPARE, UNIT, ZERO, Between, above, between, gamma
from .tensors import Dense, exponent_of

TERMS = 1024  # of a block
FIRST = 2.0**-36  # how far above the guess the bound is tried, relative
MOST = 0.5  # and at most
SMALL = 64  # rows and columns, for which all eigenvectors are found at once
SETTLED = 1e-13  # a guess that grows by less, relative, in STEPS steps
STEPS = 10


def spectral(A: Dense) -> Between:
    """Of a matrix without NaN and infinities."""
    exponent, width = exponent_of(A), min(A.shape)
    if not width:
        return ZERO
    G, terms = gram(A, exponent)
    trace, g = float(np.trace(G)), gamma(terms + width)
    if not trace:
        return ZERO
    error = above(g * trace / (1 - g))  # the trace is |A|_F^2, as it comes out
    low, high = largest(G)
    return between(math.sqrt(max(0.0, low - error)), math.sqrt(high + error), exponent)


def gram(A: Dense, exponent: int = 0) -> tuple[Array, int]:
    """A A^T or A^T A, whichever is smaller; and n with gamma(n) for the error of a sum."""
    if A.shape[0] > A.shape[1]:
        A = A.turned()
    rows, columns = A.shape
    G = np.zeros((rows, rows))
    starts = range(0, columns, TERMS)
    for start in starts:
        block = A.columns(start, start + TERMS, exponent)
        G += block @ block.T
    return mirrored(G), min(TERMS, columns) + len(starts)


def mirrored(G: Array) -> Array:
    """The lower half twice: symmetric to the bit."""
    return np.tril(G) + np.tril(G, -1).T


def largest(G: Array) -> tuple[float, float]:
    """The largest eigenvalue of a symmetric matrix of doubles, not zero, that has none far below zero."""
    guess, x = top(G)
    low, step = rayleigh(G, x), FIRST
    while step < MOST:
        high = eigenvalues_below(G, max(guess, low) * (1 + step))
        if high is not None:
            return low, high
        step *= 8
    return low, above(math.sqrt(float(np.vdot(G, G)) * (1 + gamma(G.size))))  # the Frobenius norm, if all else fails


def eigenvalues_below(G: Array, t: float) -> float | None:
    """A number near t that no eigenvalue exceeds; None if some may be above."""
    n = len(G)
    S = -G
    S[np.diag_indices(n)] += t
    try:
        R = np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        return None
    rest = S - R @ R.T
    squares, size = float(np.vdot(rest, rest)), float(np.vdot(R, R))
    error = math.sqrt(squares * (1 + gamma(n * n + 2))) + gamma(n + 2) * size * (1 + gamma(n * n + 2))
    shift = UNIT * (t + float(np.abs(np.diag(S)).max()))  # tI - G was rounded on the diagonal
    found = above(t + error + shift)
    return found if math.isfinite(found) else None


def rayleigh(G: Array, x: Array) -> float:
    """A number that the largest eigenvalue is not below, from a vector of length about 1."""
    n, size, square = len(G), math.sqrt(float(np.vdot(G, G))), float(x @ x)
    if not 0.5 < square < 2:
        return 0.0
    quotient = float(x @ (G @ x)) / square
    return max(0.0, quotient * (1 - 2 * gamma(n)) - 3 * gamma(n + 2) * size * (1 + SPARE))


def top(G: Array) -> tuple[float, Array]:
    """The largest eigenvalue and its vector, nearly: Lanczos' method, orthogonalised twice."""
    n = len(G)
    if n <= SMALL:
        values, vectors = np.linalg.eigh(G)
        return float(values[-1]), vectors[:, -1]
    basis = np.zeros((n, n), order="F") if n <= 1024 else np.zeros((n, min(n, 1024)), order="F")
    T = np.zeros((basis.shape[1] + 1,) * 2)
    q, last = np.random.default_rng(0).normal(size=n), -math.inf
    q /= np.linalg.norm(q)
    for j in range(basis.shape[1]):
        basis[:, j] = q
        Q = basis[:, : j + 1]
        w = G @ q
        T[j, j] = q @ w
        for _ in range(2):
            w -= Q @ (w @ Q)
        length = float(np.linalg.norm(w))
        ended = length <= 1e-14 * abs(T[0, 0])
        if ended or j % STEPS == STEPS - 1 or j == basis.shape[1] - 1:
            values, vectors = np.linalg.eigh(T[: j + 1, : j + 1])
            if ended or values[-1] - last <= SETTLED * values[-1]:
                break
            last = values[-1]
        T[j, j + 1] = T[j + 1, j] = length
        q = w / length
    return float(values[-1]), Q @ vectors[:, -1]
