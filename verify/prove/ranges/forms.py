"""Other ways to write an expression, which keep more of its sign over a cell.

A sum over an infinite cell is infinity less infinity; with its largest term taken out, it is that term times a sum that
has a sign. This is the substitution at infinity: what is left goes to a constant there.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol, exp

from maurey.verify.prove.clock import NoAnswer, algebra

from .intervals import EVERYTHING, Interval, over

MOST_TERMS = 10
LONGEST = 150


def products(expr: Expr) -> list[Expr]:
    """The expression, and the same as a product where that is soon found: products keep their signs."""
    expr = hyperbolic(expr)
    if expr.count_ops() > LONGEST:
        return [expr]
    try:
        with algebra(0.3):
            product = sympy.factor(sympy.together(expr))
    except NoAnswer:
        return [expr]
    return [expr, product] if product != expr else [expr]


def entropies(expr: Expr) -> tuple[Expr, dict[str, Expr]]:
    """The expression with a letter for each u log u, and what u is."""
    found: dict[Expr, Symbol] = {}

    def named(product: Expr) -> Expr:
        factors = list(Mul.make_args(product))
        for one in [f for f in factors if isinstance(f, sympy.log) and f.free_symbols and f.args[0] in factors]:
            factors.remove(one)
            factors.remove(one.args[0])
            factors.append(found.setdefault(one.args[0], Symbol(f"u{len(found)}_log_u", real=True)))
        return Mul(*factors)

    expr = expr.replace(lambda e: isinstance(e, Mul), named)
    return expr, {letter.name: u for u, letter in found.items()}


def hyperbolic(expr: Expr) -> Expr:
    """sinh u / cosh u as tanh u, of which intervals know that it is bounded."""
    if not (expr.has(sympy.sinh) and expr.has(sympy.cosh)):
        return expr

    def quotient(product: Expr) -> Expr:
        factors = list(Mul.make_args(product))
        for sinh in [f for f in factors if isinstance(f, sympy.sinh)]:
            cosh = Pow(sympy.cosh(sinh.args[0]), -1)
            if cosh in factors:
                factors.remove(sinh)
                factors.remove(cosh)
                factors.append(sympy.tanh(sinh.args[0]))
        return Mul(*factors)

    return expr.replace(lambda e: isinstance(e, Mul), quotient)


def dominated(expr: Expr) -> list[tuple[Expr, Expr]]:
    """Each term T with the sum of all terms divided by T."""
    try:
        with algebra(0.3):
            if expr.has(sympy.sinh, sympy.cosh):
                expr = expr.replace(lambda e: isinstance(e, (sympy.sinh, sympy.cosh)), lambda e: e.rewrite(exp))
            terms = Add.make_args(sympy.expand(expr))
            if not 2 <= len(terms) <= MOST_TERMS:
                return []
            return [(t, Add(*(_ratio(other, t) for other in terms))) for t in terms]
    except NoAnswer:
        return []


def _ratio(above: Expr, below: Expr) -> Expr:
    quotient = sympy.powsimp(above / below)
    return quotient.replace(lambda e: isinstance(e, exp), lambda e: exp(sympy.factor(e.args[0])))


def sign_at_infinity(forms: list[tuple[Expr, Expr]], names: Mapping[str, Interval]) -> int:
    """1 or -1 where one form shows that the sum is positive, or negative, over the cell; else 0."""
    for term, rest in forms:
        first, _ = over(term, names)
        if first is None or not (first.low >= 0 or first.high <= 0):
            continue
        second, _ = over(rest, names)
        if second is None or not (second.low > 0 or second.high < 0):
            continue
        return (1 if first.low >= 0 else -1) * (1 if second.low > 0 else -1)
    return 0


def narrowest(forms: list[Expr], names: Mapping[str, Interval]) -> Interval:
    best = EVERYTHING
    for form in forms:
        value, _ = over(form, names)
        if value is None:
            return EVERYTHING
        low = best.low if best.low >= value.low else value.low
        best = Interval(low, best.high if best.high <= value.high else value.high)
        if best.low >= 0 or best.high <= 0:
            break
    return best
