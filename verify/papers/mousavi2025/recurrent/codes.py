"""Binary codes as points of a sphere: words of length D become vectors with entries +-1/sqrt(D), and two words that
differ in w places lie 2 sqrt(w/D) apart. Small codes are written out and their distances counted; large ones exist by
Gilbert and Varshamov's count, in integers, and at any length by the entropy bound on it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from maurey.numeric.exact import PRECISION

Words = NDArray[np.uint8]  # one word in each row


def hamming_ball(D: int, r: int) -> int:
    """Words within distance r of a given one."""
    total = term = 1
    for i in range(min(r, D)):
        term = term * (D - i) // (i + 1)
        total += term
    return total


def exists(D: int, k: int, distance: int) -> bool:
    """2^k words of length D at mutual distance `distance`: while fewer are chosen, the balls of radius distance - 1
    around them do not hold all words, and one more can be."""
    return hamming_ball(D, distance - 1) << k <= 1 << D


@cache
def farthest(D: int, k: int) -> int:
    """The largest distance for which that count gives 2^k words of length D; 0 if it gives none."""
    room, total, term = 1 << (D - k) if k <= D else 0, 0, 1
    for i in range(D + 1):
        total += term
        if total > room:
            return i
        term = term * (D - i) // (i + 1)
    return D + 1


def at_every_length(rate: Fraction, share: Fraction) -> bool:
    """rate <= 1 - H(share), certified: then words of length D at distance at least share D number 2^(rate D) or more,
    whatever D is, for a ball of radius share D <= D/2 holds at most 2^(H(share) D) words."""
    with ctx.workprec(PRECISION):
        p = arb(fmpq(share.numerator, share.denominator))
        H = -(p * p.log() + (1 - p) * (1 - p).log()) / arb(2).log()
        return share <= Fraction(1, 2) and bool(arb(fmpq(rate.numerator, rate.denominator)) <= 1 - H)


def messages(k: int) -> Words:
    """All of them, in the order of the numbers they are."""
    return ((np.arange(1 << k)[:, None] >> np.arange(k)) & 1).astype(np.uint8)


def linear_code(D: int, k: int, rng: np.random.Generator, tries: int = 20) -> tuple[Words, int]:
    """The words of the best of several random linear codes, by message, and the least weight of a word that is not 0,
    which is the least distance of two."""
    best, distance = np.zeros((0, 0), np.uint8), -1
    everything = messages(k).astype(np.int64)
    for _ in range(tries):
        generator = np.hstack([np.eye(k, dtype=np.int64), rng.integers(2, size=(k, D - k))])
        words = (everything @ generator % 2).astype(np.uint8)
        least = int(words[1:].sum(axis=1, dtype=np.int64).min())
        if least > distance:
            best, distance = words, least
    return best, distance


def on_sphere(words: Words) -> NDArray[np.float64]:
    return (1.0 - 2.0 * words.astype(float)) / math.sqrt(words.shape[1])
