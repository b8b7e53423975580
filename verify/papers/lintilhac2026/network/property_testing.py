"""Tests of degree and sparsity by queries: Lintilhac and Shaikh, appendix H.

Strings and sets are numbers, as in `walsh`: position j is bit j. Degree and sparsity leave the constant out.

Degree at most k? A trial draws a string x and for every position a label 0..k+1; B_i are the positions labelled i. The
alternating sum over the cube x + span(B_1, ..., B_{k+1}) is, by chi_S(x + B) = chi_S(x) chi_S(B),

  sum over U of (-1)^|U| f(x + sum of B_i over U) = 2^(k+1) * sum of f_hat(S) chi_S(x) over the S that are *hit*,

those with an odd number of positions in every block. A set of at most k positions cannot be: no function of degree k is
ever rejected. A set of n > k positions is hit with probability `hit(n, k)`, which is least at n = k + 1; but the terms
of several sets can cancel, and what is then left is `seldom`.

At most s components? A trial leaves r drawn positions J free and fixes the others to drawn bits z. The coefficient of U
in what is left is the sum of f_hat(S) chi_S(z) over the S that meet J in U: at most as many U as there are S, so that
no function of sparsity s is ever rejected. Sets that meet J in one and the same U merge, and those that miss J vanish.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from maurey.symbolic.claim import InputError
from maurey.verify.training.tasks.walsh import ENUMERATED, Target, transform

Codes = NDArray[np.int64]
Values = NDArray[np.float64]
POINTS, FIRST = 1 << 14, 4  # queries at a time, and trials at first
ROUNDING = 1e-9  # of an alternating sum, for functions with values of order 1
EVEN = np.array([1.0 - (i.bit_count() & 1) for i in range(1 << 16)])
EXACT_CASES = 1 << 24  # alternating sums that are listed
NUMBERED = 62  # bits: what a signed integer of 64 bits holds, sums of two included


@dataclass
class Oracle:
    """A function of T bits that counts how often it is asked."""

    T: int
    function: Callable[[Codes], Values]
    queries: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if not 1 <= self.T <= NUMBERED:
            raise InputError(f"T = {self.T}: strings are numbers of 1 to {NUMBERED} bits")

    def __call__(self, points: Codes) -> Values:
        self.queries += points.size
        return self.function(points)


def of_target(target: Target) -> Oracle:
    sets = [sum(1 << j for j in component) for component in target.components]
    folds, c = [shift for shift in (32, 16) if shift < target.T], target.c

    def value(points: Codes) -> Values:
        total = np.zeros(points.shape)
        for S, weight in zip(sets, c, strict=True):
            own = points & S
            for shift in folds:
                own ^= own >> shift
            total += weight * EVEN[own & 0xFFFF]
        return total

    return Oracle(target.T, value)


def of_table(values: Sequence[float] | NDArray) -> Oracle:
    """All 2^T values, in the order of `walsh.all_strings`."""
    table = np.asarray(values, dtype=np.float64)
    T = len(table).bit_length() - 1
    if len(table) != 2**T or not 1 <= T <= ENUMERATED:
        raise InputError(f"{len(table)} values: a function of T bits has 2^T, T from 1 to {ENUMERATED}")
    return Oracle(T, lambda points: table[points])


# --- how many trials --------------------------------------------------------------------------------------------------


def trials(doubt: Fraction, p: Fraction) -> int:
    """ceil(ln(1/doubt) / p): so many trials, each of which rejects with probability p, all accept with at most this
    probability. The logarithm of a fraction below 1 is irrational: enough digits always decide."""
    if not (0 < doubt < 1 and 0 < p <= 1):
        raise InputError(f"a doubt in (0, 1) and a probability in (0, 1], not {doubt} and {p}")
    for bits in (64, 128, 256, 512, 1024):
        with ctx.workprec(bits):
            number = (arb(fmpq(doubt.denominator, doubt.numerator)).log() / fmpq(p.numerator, p.denominator)).ceil()
            found = number.unique_fmpz()
        if found is not None:
            return int(found)
    raise InputError(f"ln(1/{doubt}) / {p} is too near an integer")


def hit(n: int, k: int) -> Fraction:
    """The probability that n labels drawn from 0..k+1 have each of 1..k+1 an odd number of times: the mean of
    prod (1 - (-1)^count)/2, written out by binomials. (k+1)!/(k+2)^(k+1) at n = k + 1, and more for more labels."""
    terms = ((-1) ** j * math.comb(k + 1, j) * Fraction(k + 2 - 2 * j, k + 2) ** n for j in range(k + 2))
    return sum(terms, Fraction(0)) / 2 ** (k + 1)


def seldom(k: int, components: int) -> Fraction:
    """A trial rejects with at least this probability if so many components, one at least, have more than k positions.
    Let s of them be hit: what is left is X = sum of s characters with coefficients, not zero as a function of x. Then
    max |X| <= sum |X_hat| <= sqrt(s E X^2) and E X^2 <= P(X != 0) max |X|^2, hence P(X != 0) >= 1/s."""
    return hit(k + 1, k) / components


def queries_of_degree(k: int, doubt: Fraction) -> int:
    return trials(doubt, hit(k + 1, k)) * 2 ** (k + 1)


def queries_of_sparsity(r: int, eps: Fraction, doubt: Fraction) -> int:
    return trials(doubt, eps) * 2**r


# --- the tests --------------------------------------------------------------------------------------------------------


def _parts(number: int, points: int) -> Iterator[int]:
    """So many trials: a few first, since what rejects mostly rejects soon, then in parts of a bearable size."""
    size = FIRST
    while number > 0:
        part = min(size, number, max(1, POINTS // points))
        yield part
        number, size = number - part, 2 * size


def _cube(start: Codes, directions: Codes) -> Codes:
    """(n,), (n, q) -> (n, 2^q): bit i of the place says whether direction i was added."""
    points = start[:, None]
    for i in range(directions.shape[1]):
        points = np.concatenate([points, points ^ directions[:, i, None]], axis=1)
    return points


def alternating(oracle: Oracle, x: Codes, blocks: Codes) -> Values:
    """(n,): the alternating sums over the cubes at x (n,) along blocks (n, k+1)."""
    values = oracle(_cube(x, blocks))
    while values.shape[1] > 1:
        half = values.shape[1] // 2
        values = values[:, :half] - values[:, half:]
    return values[:, 0]


def blocks_of(labels: NDArray, k: int) -> Codes:
    """(n, T) labels -> (n, k+1) blocks."""
    powers = 1 << np.arange(labels.shape[1], dtype=np.int64)
    return np.stack([(labels == i) @ powers for i in range(1, k + 2)], axis=1)


def has_degree(
    oracle: Oracle, k: int, doubt: Fraction, rng: np.random.Generator, number: int = 0, tol: float = ROUNDING
) -> bool:
    """Whether the test accepts degree k; `number` trials instead of those that one component needs."""
    number = number or trials(doubt, hit(k + 1, k))
    for n in _parts(number, 2 ** (k + 1)):
        x = rng.integers(0, 1 << oracle.T, size=n)
        blocks = blocks_of(rng.integers(0, k + 2, size=(n, oracle.T)), k)
        if (np.abs(alternating(oracle, x, blocks)) > tol).any():
            return False
    return True


def restricted(oracle: Oracle, r: int, n: int, rng: np.random.Generator) -> Values:
    """(n, 2^r): spectra of n random restrictions to r positions."""
    order = rng.permuted(np.broadcast_to(np.arange(oracle.T), (n, oracle.T)), axis=1)
    free = np.int64(1) << order[:, :r].astype(np.int64)
    fixed = rng.integers(0, 1 << oracle.T, size=n) & ~free.sum(axis=1)
    return transform(oracle(_cube(fixed, free)))


def tail(spectra: Values, s: int) -> Values:
    """(n,): the energy beyond the s largest coefficients, the constant left out."""
    energies, rest = spectra[:, 1:] ** 2, spectra.shape[1] - 1 - s
    return np.partition(energies, rest - 1, axis=1)[:, :rest].sum(axis=1) if rest > 0 else np.zeros(len(spectra))


def has_sparsity(
    oracle: Oracle, s: int, r: int, eps: Fraction, doubt: Fraction, rng: np.random.Generator, tau: float | None = None
) -> bool:
    """Whether the test accepts s components; tau is eps unless given."""
    if not 1 <= r <= oracle.T:
        raise InputError(f"r = {r}: from 1 to T = {oracle.T} positions stay free")
    for n in _parts(trials(doubt, eps), 2**r):
        if (tail(restricted(oracle, r, n, rng), s) > (float(eps) if tau is None else tau)).any():
            return False
    return True


def degree(oracle: Oracle, doubt: Fraction, rng: np.random.Generator) -> int:
    """The first level that is accepted, from 0 upward; T always is."""
    return next(k for k in range(oracle.T + 1) if k == oracle.T or has_degree(oracle, k, doubt, rng))


def sparsity(
    oracle: Oracle, r: int, eps: Fraction, doubt: Fraction, rng: np.random.Generator, tau: float | None = None
) -> int:
    """The first level that is accepted, from 0 upward; 2^r - 1 always is."""
    return next(s for s in range(2**r) if has_sparsity(oracle, s, r=r, eps=eps, doubt=doubt, rng=rng, tau=tau))


# --- exactly, for few bits --------------------------------------------------------------------------------------------


def rejection(values: Sequence[int], k: int) -> Fraction:
    """The probability that a trial rejects the function with these 2^T integers: all strings, all labels."""
    oracle = of_table(values)
    T = oracle.T
    if (k + 2) ** T * 2 ** (T + k + 1) > EXACT_CASES:
        raise InputError(f"{k + 2}^{T} labels of 2^{T} strings are too many to list")
    labels = np.array(list(product(range(k + 2), repeat=T)))
    blocks = np.repeat(blocks_of(labels, k), 2**T, axis=0)
    x = np.tile(np.arange(2**T), len(labels))
    return Fraction(int((alternating(oracle, x, blocks) != 0).sum()), len(x))


def shows_more(components: Sequence[int], T: int, r: int, s: int) -> Fraction:
    """The probability that r free positions of T tell more than s of these sets apart, sets that miss them not counted:
    with coefficients of which no sum or difference vanishes, that a restriction has more than s components."""
    free = [sum(1 << j for j in chosen) for chosen in combinations(range(T), r)]
    seen = [len({S & J for S in components} - {0}) > s for J in free]
    return Fraction(sum(seen), len(free))
