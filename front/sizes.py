"""Sizes and norms of networks of one's own: numbers, or names of what is given later."""

from __future__ import annotations

import re
from typing import Any

from sympy import Expr, Indexed, Integer, Rational, Symbol

from maurey.numeric.binding import exact
from maurey.symbolic.errors import InputError, cut

NAME = re.compile(r"([A-Za-z]\w*)(?:\[(\w+)\])?", re.ASCII)
Size = Any  # a number, a name, or an expression of SymPy


def value(given: Size, what: str = "a size or a norm") -> Expr:
    """A number, exactly; a name as a symbol, `B_V[i]` as an entry of a list; expressions as they are."""
    if isinstance(given, Expr):
        return given
    found = NAME.fullmatch(given.strip()) if isinstance(given, str) else None
    if found:
        name, index = found.groups()
        if index and index.isdigit() and not int(index):
            raise InputError(f"the entries of a list are counted from 1, got {given}")
        return Indexed(name, Integer(index) if index.isdigit() else Symbol(index)) if index else Symbol(name)
    try:
        number = exact(given)
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"{what} is a number or a name, e.g. 64, '1/2', 'B_V' or 'B_V[i]', got {cut(repr(given))}"
        ) from None
    if number < 0:
        raise InputError(f"{what} is not negative, got {cut(str(given))}")
    return Rational(number.numerator, number.denominator)


def size(given: Size, what: str = "a size") -> Expr:
    """A positive integer, or a name."""
    found = value(given, what)
    if found.is_number and not (found.is_Integer and found > 0):
        raise InputError(f"{what} is a positive integer or a name, got {cut(str(given))}")
    return found


def positive(given: Size, what: str) -> Expr:
    found = value(given, what)
    if found == 0:
        raise InputError(f"{what} is positive, got 0")
    return found
