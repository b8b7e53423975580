"""Limits at the ends of a side, as SymPy finds them, held against values ever nearer to the end."""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy import Expr, Rational, S, Symbol

from maurey.verify.prove.clock import NoAnswer, algebra

from .problem import DEEP, Side, at

NEARER = (1, 2, 4, 8, 16, 32, 100, 400)  # powers of ten


@lru_cache(maxsize=256)
def limit_at(expr: Expr, x: Symbol, side: Side, end: Expr) -> Expr | None:
    """From inside; None if there is none, if it is not soon found, or if values do not come near to it."""
    try:
        with algebra(1.0):
            found = sympy.limit(expr, x, end, "+" if end == side[0] else "-")
    except NoAnswer:
        return None
    if not isinstance(found, Expr) or found.free_symbols or found.has(sympy.AccumBounds, sympy.nan, sympy.zoo):
        return None
    return found if not found.is_finite or _approached(expr - found, x, side, end) else None


def _approached(difference: Expr, x: Symbol, side: Side, end: Expr) -> bool:
    """Does it become small, as far as balls tell? They may not, where a value is lost in huge ones."""
    points = [(p, k) for p, k in ((_near(end, side, k), k) for k in NEARER) if side[0] < p < side[1]]
    values = [abs(value) for p, k in points if (value := at(difference, {x: p}, DEEP + 8 * k)) is not None]
    return len(values) > 1 and not values[-1] > values[0] and bool(values[-1] < 1)


def _near(end: Expr, side: Side, power: int) -> Expr:
    if end.is_finite:
        return end + Rational(1 if end == side[0] else -1, 10**power)
    return S(10) ** power * (1 if end == S.Infinity else -1)
