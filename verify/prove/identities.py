"""Identities between expressions, decided by rewriting."""

from __future__ import annotations

from math import lcm

import sympy
from sympy import Expr, Pow, Rational, Symbol, expand_log, sympify, together

from .proofs import Proof


def identity(left: Expr | int, right: Expr | int) -> bool | None:
    """Are two expressions in positive symbols the same? Exact: a rational function is zero or is not, and every symbol
    is replaced by a power of itself that turns roots of monomials into monomials. Beside logarithms and the like, which
    count as symbols of their own, only equality can be told."""
    difference = expand_log(sympify(left) - sympify(right)).rewrite([sympy.tanh], sympy.exp)
    powers = [power.exp.q for power in difference.atoms(Pow) if isinstance(power.exp, Rational)]
    roots = {x: x ** lcm(*powers) for x in difference.free_symbols if x.is_positive}
    top = sympy.expand(together(difference.xreplace(roots)).as_numer_denom()[0])
    if top == 0:
        return True
    letters = top.free_symbols
    if top.is_polynomial(*letters) and all(
        c.is_Rational for c in sympy.Poly(top, *(letters or {Symbol("x")})).coeffs()
    ):
        return False
    return True if sympy.simplify(difference, doit=False) == 0 else None


def same(left: Expr | int, right: Expr | int) -> Proof:
    return Proof(identity(left, right), f"{left} = {right}")
