"""Powers of balls: exact where an exact number has an exact root, rounded outward elsewhere."""

from __future__ import annotations

from functools import lru_cache

from flint import arb, fmpq

from .types import Ball
from .walk import Undefined

EXACT_BITS = 1 << 17  # integers beyond this size become balls
LARGEST_ORDER = 1 << 32  # of a root


def rational_power(x: Ball, p: int, q: int) -> Ball:
    """x^(p/q)"""
    if type(x) is fmpq:
        if not x:
            if p < 0:
                raise Undefined("a division by zero")
            return fmpq(0) if p else fmpq(1)
        root = x if q == 1 else _exact_root(x, q)
        if root is not None:
            return root**p if abs(p) == 1 or abs(p) * root.height_bits() <= EXACT_BITS else arb(root) ** p
        x = arb(x)
    if q > 1:
        if x < 0:
            raise Undefined("a root of a negative number")
        if q >= LARGEST_ORDER:
            return x ** arb(fmpq(p, q))
        x = x.root(q)
    return x if p == 1 else 1 / x if p == -1 else x**p


MODULUS = 7 * 9 * 13  # of its residues few are squares, and few are cubes


@lru_cache(maxsize=64)
def _residues(n: int) -> frozenset[int]:
    """Of n-th powers: what has another one is no such power, which is quicker to see than its root."""
    return frozenset(pow(a, n, MODULUS) for a in range(MODULUS))


def _exact_root(x: fmpq, n: int) -> fmpq | None:
    p = x.p
    if p < 0:
        raise Undefined("a root of a negative number")
    if n >= LARGEST_ORDER:
        return x if x == 1 else None
    residues = _residues(n)
    if p % MODULUS not in residues:
        return None
    q = x.q
    if q % MODULUS not in residues:
        return None
    above = p.root(n)
    if above**n != p:
        return None
    below = q.root(n)
    return fmpq(above, below) if below**n == q else None
