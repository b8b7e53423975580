"""Unit vectors whose inner products are at most a given coherence: kind ones, and those that hurt most.

A family is a Gram matrix of exact fractions, so that a witness can be checked exactly; coordinates come from it. The
relevant vectors are the first s. What hurts a head that should attend to them all alike: inner products whose signs
differ from one relevant vector to the next (their scores spread), relevant vectors that repel each other while the
others lean on all of them (the gap closes), and a direction that all have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

Gram = list[list[Fraction]]
ONE = Fraction(1)
ROUNDING = 1e-12


def _gram(T: int, entry: Callable[[int, int], Fraction]) -> Gram:
    return [[ONE if t == u else entry(t, u) for u in range(T)] for t in range(T)]


def orthonormal(T: int, s: int, coherence: Fraction) -> Gram:
    return _gram(T, lambda t, u: 0 * coherence)


def common(T: int, s: int, coherence: Fraction) -> Gram:
    """Equiangular: all share one direction."""
    return _gram(T, lambda t, u: coherence)


def simplex(T: int, s: int, coherence: Fraction) -> Gram:
    """Equiangular, as far apart as the coherence and the number of vectors allow."""
    return _gram(T, lambda t, u: -min(coherence, Fraction(1, T - 1)))


def lonely(T: int, s: int, coherence: Fraction) -> Gram:
    """One relevant vector leans away from all the others, which lean towards each other."""
    return _gram(T, lambda t, u: -coherence if s - 1 in (t, u) else coherence)


def tilted(T: int, s: int, coherence: Fraction) -> Gram:
    """The same among the relevant vectors only; the others are orthogonal to everything."""
    return _gram(T, lambda t, u: 0 * coherence if max(t, u) >= s else -coherence if s - 1 in (t, u) else coherence)


def huddled(T: int, s: int, coherence: Fraction) -> Gram:
    """The relevant vectors lean towards each other; the others are orthogonal to everything."""
    return _gram(T, lambda t, u: coherence if max(t, u) < s else 0 * coherence)


def repelling(T: int, s: int, coherence: Fraction) -> Gram:
    """The relevant vectors repel each other, and the others lean on all of them and on each other."""
    return _gram(T, lambda t, u: -coherence if max(t, u) < s else coherence)


def hadamard(T: int, s: int, coherence: Fraction) -> Gram:
    """By turns from the standard basis and from a Hadamard basis of the same space, whose coherence is 2^-k."""
    k = 0
    while coherence and Fraction(1, 2**k) > coherence:
        k += 1
    if 2 * 4**k < T:
        raise ValueError("too many vectors for the space")
    sign = lambda a, b: -1 if (a & b).bit_count() % 2 else 1  # noqa: E731
    size = type(coherence)(1) / 2**k
    return _gram(T, lambda t, u: sign(t // 2, u // 2) * size if t % 2 != u % 2 else 0 * size)


FAMILIES = {f.__name__: f for f in (orthonormal, common, simplex, lonely, tilted, huddled, repelling, hadamard)}


def surrounded(s: int, others: int) -> Gram:
    """Coherence 1/(2s-1), and the mean of the others is the mean of the relevant vectors, which repel each other.

    Each of the others is that mean, of squared norm 1/(2s-1), plus a corner of a simplex around it.
    """
    coherence = Fraction(1, 2 * s - 1)

    def entry(t: int, u: int) -> Fraction:
        if min(t, u) >= s:
            return coherence - (1 - coherence) / (others - 1)
        return -coherence if max(t, u) < s else coherence

    return _gram(s + others, entry)


def coherence_of(gram: Gram) -> Fraction:
    return max((abs(x) for t, row in enumerate(gram) for u, x in enumerate(row) if t != u), default=Fraction(0))


def coordinates(gram: Gram) -> Any:
    """Vectors with these inner products, (T, T); refused if there are none."""
    values, basis = np.linalg.eigh(np.array(gram, dtype=float))
    if values[0] < -ROUNDING * len(gram):
        raise ValueError("no vectors have these inner products")
    return basis * np.sqrt(np.maximum(values, 0))


def drawn(T: int, coherence: Fraction, rng: np.random.Generator) -> Any:
    """Random directions, each kept if it is far enough from those before, in a space with room for them: (T, d)."""
    d = min(T, 8)
    while d < 16 * T:
        tried = rng.normal(size=(4 * T, d))
        tried /= np.linalg.norm(tried, axis=1, keepdims=True)
        close = np.abs(tried @ tried.T) > float(coherence)
        kept: list[int] = []
        for t in range(4 * T):
            if len(kept) < T and not close[t, kept].any():
                kept.append(t)
        if len(kept) == T:
            return tried[kept]
        d *= 2
    return np.linalg.qr(rng.normal(size=(T, T)))[0]


def vectors(family: str, T: int, s: int, coherence: Fraction, rng: np.random.Generator) -> Any:
    """Coordinates of a family by name, (T, d); a ValueError where it has no such vectors."""
    if family == "drawn":
        return drawn(T, coherence, rng)
    # in doubles: coordinates are no more exact than that
    return coordinates(FAMILIES[family](T, s, float(coherence)))  # type: ignore[arg-type]
