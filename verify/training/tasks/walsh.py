"""Real functions of T bits and their Fourier-Walsh spectra.

A string is a row of 0 and 1; position j of string number i is bit j of i, and a set of positions has the number of its
indicator string, so that a spectrum is indexed as a table of values is. With chi_S(x) = (-1)^(sum of x over S),

  f(x) = sum over S of f_hat(S) chi_S(x),   f_hat(S) = 2^-T sum over x of f(x) chi_S(x).

The targets of Lintilhac and Shaikh are sums of indicators of even parity, (1 + chi_S)/2: half of every coefficient goes
to the constant. Degree and sparsity are therefore those of the rest of the spectrum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maurey.symbolic.errors import InputError

ENUMERATED = 20  # bits: a million strings are the most that are listed
EXACT = 2**53  # integers below are exact in doubles, and so are they divided by a power of two


@dataclass(frozen=True)
class Target:
    """f(z) = sum of c_t [an even number of ones in S_t]: sets of one size, positive coefficients of any norm."""

    T: int
    components: tuple[tuple[int, ...], ...]
    coefficients: tuple[float | Fraction, ...]

    def __post_init__(self) -> None:
        sets = [frozenset(component) for component in self.components]
        if not 1 <= len(sets) <= self.T:
            raise InputError(f"the sparsity is {len(sets)}: it must be from 1 to T = {self.T}")
        if len(self.coefficients) != len(sets):
            raise InputError(f"{len(sets)} components need as many coefficients, not {len(self.coefficients)}")
        if not all(0 < c < math.inf for c in self.coefficients):
            raise InputError(f"the coefficients must be positive: {', '.join(str(c) for c in self.coefficients)}")
        if len({len(component) for component in self.components}) > 1:
            raise InputError(f"components of one degree, not {sorted({len(each) for each in self.components})}")
        if not 1 <= self.D <= self.T:
            raise InputError(f"the degree is {self.D}: it must be from 1 to T = {self.T}")
        if any(not 0 <= j < self.T for each in sets for j in each):
            raise InputError(f"positions run from 0 to T - 1 = {self.T - 1}")
        if len(set(sets)) < len(sets) or any(len(each) < self.D for each in sets):
            raise InputError("a component or a position in it is repeated")

    @property
    def D(self) -> int:
        return len(self.components[0])

    @property
    def omega(self) -> int:
        return len(self.components)

    @property
    def c(self) -> NDArray[np.float64]:
        """The coefficients with unit 2-norm."""
        raw = np.array([float(c) for c in self.coefficients])
        return raw / np.linalg.norm(raw)

    @property
    def C(self) -> float:
        return float(self.c.sum())

    def members(self) -> NDArray[np.float64]:
        """(T, omega): 1 where position j is in component t."""
        table = np.zeros((self.T, self.omega))
        for t, component in enumerate(self.components):
            table[list(component), t] = 1
        return table


def counts(target: Target, z: NDArray) -> NDArray[np.int64]:
    """k_t, the ones of a string in each component: (n, T) -> (n, omega)."""
    return (np.asarray(z, dtype=np.float64) @ target.members()).astype(np.int64)


def values(target: Target, z: NDArray) -> NDArray[np.float64]:
    return (1 - counts(target, z) % 2) @ target.c


def all_strings(T: int) -> NDArray[np.uint8]:
    if not 1 <= T <= ENUMERATED:
        raise InputError(f"T = {T}: strings are enumerated for T from 1 to {ENUMERATED}")
    return (np.arange(2**T)[:, None] >> np.arange(T) & 1).astype(np.uint8)


def random_target(T: int, D: int, omega: int, rng: np.random.Generator) -> Target:
    """Distinct D-subsets in random order, absolute values of standard normal variables divided by their norm."""
    if not 1 <= D <= T:
        raise InputError(f"the degree is {D}: it must be from 1 to T = {T}")
    if not 1 <= omega <= min(T, math.comb(T, D)):
        raise InputError(f"the sparsity is {omega}: T = {T} and degree {D} allow 1 to {min(T, math.comb(T, D))}")
    chosen: dict[tuple[int, ...], None] = {}  # repeats thrown away: the beginning of a random order of all subsets
    while len(chosen) < omega:
        chosen[tuple(sorted(rng.choice(T, D, replace=False).tolist()))] = None
    c = np.abs(rng.standard_normal(omega))
    return Target(T, tuple(chosen), tuple((c / np.linalg.norm(c)).tolist()))


def tiling(T: int, k: int) -> Target:
    """Parities of k bits side by side, with equal coefficients; T mod k bits at the end are not read."""
    if not 1 <= k <= T:
        raise InputError(f"the degree is {k}: it must be from 1 to T = {T}")
    blocks = tuple(tuple(range(start, start + k)) for start in range(0, T - k + 1, k))
    return Target(T, blocks, (1,) * len(blocks))


def transform(table: NDArray | Sequence[Fraction | int]) -> NDArray:
    """The spectrum of 2^T values, or of each row of them: exact for integers (as doubles, while they are) and fractions
    (as fractions)."""
    a = np.array(table)
    T = a.shape[-1].bit_length() - 1
    if a.shape[-1] != 2**T:
        raise InputError(f"{a.shape[-1]} values: a function of T bits has 2^T")
    if a.dtype.kind in "bui" and max(abs(int(a.max())), abs(int(a.min()))) << T < EXACT:
        a = a.astype(np.int64)
    elif a.dtype.kind in "buiO":
        a = a.astype(object) * Fraction(1)
    for j in range(T):
        pair = a.reshape(-1, 2, 2**j)
        low, high = pair[:, 0] + pair[:, 1], pair[:, 0] - pair[:, 1]
        pair[:, 0], pair[:, 1] = low, high
    return a / 2**T


def sizes(T: int) -> NDArray[np.int64]:
    """How many positions each set has."""
    return np.array([i.bit_count() for i in range(2**T)])


def degree(spectrum: NDArray, zero: float = 0.0) -> int:
    """The size of the largest set with a coefficient beyond `zero` (for rounded spectra); 0 for constants."""
    seen = np.abs(spectrum) > zero
    return int(sizes(len(spectrum).bit_length() - 1)[seen].max(initial=0))


def sparsity(spectrum: NDArray, zero: float = 0.0) -> int:
    """The number of sets whose coefficient is not zero, the empty set not counted."""
    return int((np.abs(spectrum[1:]) > zero).sum())


def algebraic_degree(bits: NDArray) -> int:
    """The degree of the polynomial over GF(2) with these 2^T values, by the Moebius transform; 0 for constants."""
    a = np.array(bits, dtype=np.uint8)
    T = len(a).bit_length() - 1
    if len(a) != 2**T or (a > 1).any():
        raise InputError("a function to GF(2) of T bits has 2^T values 0 and 1")
    for j in range(T):
        pair = a.reshape(-1, 2, 2**j)
        pair[:, 1] ^= pair[:, 0]
    return int(sizes(T)[a == 1].max(initial=0))
