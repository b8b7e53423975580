"""Recurrent networks that solve 1STR with few or small weights: what Propositions 6 and 35 are held against.

The state after i tokens is a point that stands for the quantised values <u, x_1>, ..., <u, x_i>; the transition decodes
it, appends the next value and encodes again, which the statement allows, as any map will do. The read-out takes the
quantised value at these points and is continued between them by McShane's formula, which keeps its Lipschitz constant:
(distance of levels)/(distance of points). On words of a code that is a constant, whatever N is.
With r_h = 1 and U = (I, I)/sqrt 2 the operator norm of U is 1, and what f_y reads of a state is the state over sqrt 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from flint import arb, ctx, fmpq, fmpz
from numpy.typing import NDArray

from maurey.numeric.exact import PRECISION, to_ball
from maurey.numeric.types import Array

from .codes import at_every_length, farthest, linear_code, messages, on_sphere
from .quantisers import Quantiser, quantiser

RATE, SHARE = Fraction(1, 4), Fraction(1, 5)  # words of length 4k for k bits, a fifth of whose places differ


# --- networks that run ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """1STR on N tokens of R^d, values quantised; states are the points of a code with one word for each message."""

    N: int
    u: Array
    quantiser: Quantiser
    words: NDArray[np.uint8]  # by message: token p has the bits p, p + (N - 1), p + 2 (N - 1), ...

    @property
    def d_h(self) -> int:
        return int(self.words.shape[1])

    @cached_property
    def states(self) -> Array:
        return on_sphere(self.words)

    @cached_property
    def values(self) -> Array:
        """The quantised values that each message stands for."""
        bits = messages(self.quantiser.bits * (self.N - 1)).reshape(len(self.words), self.quantiser.bits, self.N - 1)
        cells = (bits.astype(np.int64) << np.arange(self.quantiser.bits)[None, :, None]).sum(axis=1)
        return self.quantiser.values[cells]

    def step(self, h: Array, x: Array, i: int) -> Array:
        """The transition on a batch: decode, put the value of token i in its place, encode."""
        cells = self.quantiser.cells(x @ self.u)
        message = (h @ self.states.T).argmax(axis=1)
        for bit in range(self.quantiser.bits):
            place = i + bit * (self.N - 1)
            message = message & ~(1 << place) | ((cells >> bit & 1) << place)
        return self.states[message]

    def run(self, x: Array) -> tuple[list[Array], list[Array]]:
        """States before each token, from the left and from the right; tokens of shape (batch, N, d)."""
        start = np.repeat(self.states[:1], len(x), axis=0)
        forward, backward = [start], [start]
        for i in range(self.N - 1):
            forward.append(self.step(forward[-1], x[:, i], i))
            backward.append(self.step(backward[-1], x[:, self.N - 1 - i], i))
        return forward, backward[::-1]

    def read(self, v: Array, place: int, L_f: float) -> Array:
        """McShane's continuation of the value at one place, at points v of R^(d_h); the points are states/sqrt 2."""
        apart = np.sqrt(np.maximum((v**2).sum(1)[:, None] + 0.5 - math.sqrt(2) * v @ self.states.T, 0))
        return np.asarray((self.values[None, :, place] + L_f * apart).min(axis=1))

    def outputs(self, x: Array, t: NDArray[np.int64]) -> Array:
        """Predictions at every position for the indices t, both of shape (batch, N)."""
        forward, backward = self.run(x)
        made = np.empty(t.shape)
        for j in range(self.N):
            for k in range(self.N):
                asked = t[:, j] == k
                if k == j:
                    made[asked, j] = x[asked, j] @ self.u
                else:
                    state, place = (forward[j], k) if k < j else (backward[j], self.N - 1 - k)
                    made[asked, j] = self.read(state[asked] / math.sqrt(2), place, self.lipschitz)
        return made

    @cached_property
    def lipschitz(self) -> float:
        """Of the read-out on all pairs of states, over all places: words that differ in w places are 2 sqrt(w/d_h)
        apart. The code is linear, so that pairs with the same difference of messages differ in the same places."""
        differences = messages(self.quantiser.bits * (self.N - 1)).reshape(
            len(self.words), self.quantiser.bits, self.N - 1
        )
        changed = (differences.astype(np.int64) << np.arange(self.quantiser.bits)[None, :, None]).sum(axis=1)
        cells = np.arange(1 << self.quantiser.bits)
        levels = self.quantiser.values
        farthest_levels = np.array([np.abs(levels[cells] - levels[cells ^ change]).max() for change in cells])
        weights = self.words.sum(axis=1, dtype=np.int64)[1:]
        ratios = farthest_levels[changed[1:]].max(axis=1) / (2 * np.sqrt(weights / self.d_h) / math.sqrt(2))
        return float(ratios.max())

    @property
    def error(self) -> float:
        """Exactly, of every position: a token's own value is read off it, the others from a state."""
        return float(self.quantiser.error) * (self.N - 1) / self.N


def small(N: int, bits: int, d: int, rng: np.random.Generator, rate: Fraction = RATE) -> Network:
    u = rng.normal(size=d)
    k = bits * (N - 1)
    words, _ = linear_code(math.ceil(k / rate), k, rng)
    return Network(N, u / np.linalg.norm(u), quantiser(bits), words)


# --- networks that exist -------------------------------------------------------------------------------------------


class Exists(NamedTuple):
    """A network with r_h = 1 and |U| = 1."""

    N: int
    d_h: int
    squared: arb  # L_f^2 |U|^2
    error: arb
    how: str


def _made(N: int, d_h: int, q: Quantiser, squared_distance: arb, how: str) -> Exists:
    """Any two states are at least so far apart, and any two levels at most the width of the quantiser."""
    with ctx.workprec(PRECISION):
        return Exists(N, d_h, 2 * q.width**2 / squared_distance, q.error * (N - 1) / N, how)


def by_code(N: int, bits: int, d_h: int) -> Exists | None:
    """A code of this length by Gilbert and Varshamov's count, in integers."""
    distance = farthest(d_h, bits * (N - 1))
    if not distance:
        return None
    how = f"words of length {d_h} that differ in {distance} places"
    return _made(N, d_h, quantiser(bits), arb(fmpq(4 * distance, d_h)), how)


def by_entropy(N: int, bits: int) -> Exists:
    """Words of length 4k that differ in a fifth of their places, at any k."""
    assert at_every_length(RATE, SHARE)
    d_h = math.ceil(bits * (N - 1) / RATE)
    return _made(N, d_h, quantiser(bits), 4 * to_ball(SHARE), "words that differ in a fifth of their places")


def by_grid(N: int, bits: int, d_h: int) -> Exists:
    """Equally spaced levels in each of d_h coordinates, in the cube inside the ball: few coordinates, and a read-out
    that is as steep as it must be."""
    per = math.ceil(bits * (N - 1) / d_h)
    with ctx.workprec(PRECISION + per):
        squared = arb(fmpz(4)) / ((arb(fmpz(2) ** per) - 1) ** 2 * d_h)
    return _made(N, d_h, quantiser(bits), squared, f"2^{per} levels in each of {d_h} coordinates")


def table(Ns: tuple[int, ...] = (16, 128, 1024, 8192), bits: int = 1) -> list[Exists]:
    """For every N networks from one coordinate to four for each bit: what width costs in steepness."""
    rows: list[Exists] = []
    for N in Ns:
        k = bits * (N - 1)
        rows += [by_grid(N, bits, d_h) for d_h in sorted({1, max(1, k // 16), max(1, k // 4), k})]
        rows += [made for share in (Fraction(4, 3), Fraction(2), Fraction(4))
                 if (made := by_code(N, bits, math.ceil(k * share)))]  # fmt: skip
    return rows
