"""Where an expression is smooth: inside a whole box, or only as far as a cell shows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy
from flint import ctx, fmpq
from sympy import Expr, Mul, Pow, Rational, S

from maurey.verify.prove.clock import Clock
from maurey.verify.prove.polynomials import algebraic, decide
from maurey.verify.prove.ranges.intervals import between, over

from .problem import KINKS, PRECISION, Box, Given, at, number

MOST_CELLS = 300
MOST_NAMED = 4  # functions that become letters
SECONDS = 0.4
ODD = (sympy.sinh, sympy.tanh, sympy.asinh, sympy.atanh, sympy.atan, sympy.asin, sympy.erf)  # with the sign of x


def conditions(expr: Expr) -> Iterator[tuple[Expr, bool]]:
    """What must be positive, or (True) not zero, for the expression to be smooth."""
    for node in sympy.preorder_traversal(expr):
        if isinstance(node, Pow):
            if node.exp.free_symbols and node.exp.is_integer:
                yield node.base, True
            elif not isinstance(node.exp, Rational) or node.exp.q > 1:
                yield node.base, False
            elif node.exp < 0:
                yield node.base, True
        elif isinstance(node, sympy.log):
            yield node.args[0], False
        elif isinstance(node, (sympy.asin, sympy.acos, sympy.atanh)):
            yield 1 - node.args[0] ** 2, False
        elif isinstance(node, sympy.acosh):
            yield node.args[0] - 1, False
        elif isinstance(node, sympy.tan):
            yield sympy.cos(node.args[0]), True


def reality(expr: Expr) -> Iterator[Given]:
    """What makes all parts of an expression real numbers; of cases that exclude each other nothing is said."""
    nodes = sympy.preorder_traversal(expr)
    for node in nodes:
        if isinstance(node, sympy.Piecewise):
            nodes.skip()
        elif isinstance(node, Pow):
            if node.exp.is_integer and not node.exp.is_nonnegative:
                yield Given(node.base**2, ">")
            elif not node.exp.is_integer:
                yield Given(node.base, ">" if node.exp.is_negative else ">=")
        elif isinstance(node, sympy.log):
            yield Given(node.args[0], ">")
        elif isinstance(node, (sympy.asin, sympy.acos, sympy.atanh)):
            yield Given(1 - node.args[0] ** 2, ">" if isinstance(node, sympy.atanh) else ">=")
        elif isinstance(node, sympy.acosh):
            yield Given(node.args[0] - 1, ">=")
        elif isinstance(node, sympy.tan):
            yield Given(sympy.cos(node.args[0]) ** 2, ">")


def regular(expr: Expr, box: Box, clock: Clock) -> bool:
    """Is the expression smooth at every inner point of the box?"""
    if expr.has(*KINKS):
        return False
    for u, either in dict.fromkeys(conditions(expr)):
        if not (positive_inside(u, box, clock) or (either and positive_inside(-u, box, clock))):
            return False
    return True


def positive_inside(u: Expr, box: Box, clock: Clock) -> bool:
    """u > 0 at every inner point of the box, factor by factor."""
    if u.is_positive or isinstance(u, (sympy.exp, sympy.cosh)):
        return True
    if isinstance(-u, sympy.log) and positive_inside(1 - (-u).args[0], box, clock):
        return True
    factors = [f for f in Mul.make_args(u) if f != -1]
    if len(factors) > 1 and len(factors) == len(Mul.make_args(u)):
        return all(positive_inside(f, box, clock) for f in factors)
    if isinstance(u, Pow) and u.exp.is_real and positive_inside(u.base, box, clock):
        return True
    if isinstance(u, sympy.log) and positive_inside(u.args[0] - 1, box, clock):
        return True
    if isinstance(u, ODD) and positive_inside(u.args[0], box, clock):
        return True
    letters = [x for x in box if u.has(x)]
    with ctx.workprec(PRECISION):
        value, _ = over(u, {x.name: between(number(low), number(high)) for x, (low, high) in box.items()})
    if value is not None and value.low > 0:
        return True
    if algebraic(u) or len(letters) > 1:
        named = dict[Expr, sympy.Symbol]()
        renamed = _algebraic(u, named)
        sides = [x > box[x][0] for x in letters] + [x < box[x][1] for x in letters]
        for node, letter in named.items():
            if (ends := range_of(node, box)) is None or len(named) > MOST_NAMED:
                return False
            sides += [letter >= ends[0], letter <= ends[1], *([letter > 0] if isinstance(node, sympy.exp) else [])]
        known = [side for side in sides if side != True]  # noqa: E712
        return decide(renamed > 0, known, min(SECONDS, clock.left()))[0] is True
    return len(letters) == 1 and _rises_from_its_ends(u, letters[0], box, clock)


def _algebraic(u: Expr, named: dict[Expr, sympy.Symbol]) -> Expr:
    """With a letter for every function that z3 does not know."""
    if algebraic(u):
        return u
    if isinstance(u, (sympy.Add, Mul)) or (isinstance(u, Pow) and isinstance(u.exp, Rational)):
        return u.func(*(_algebraic(part, named) for part in u.args))
    return named.setdefault(u, sympy.Symbol(f"f{len(named) + 1}_", real=True))


def range_of(expr: Expr, box: Box) -> tuple[Expr, Expr] | None:
    """Rational ends around what an expression can be."""
    with ctx.workprec(PRECISION):
        found, _ = over(expr, {x.name: between(number(a), number(b)) for x, (a, b) in box.items()})
    if found is None:
        return None
    ends = []
    for end, sign in ((found.low, -1), (found.high, 1)):
        if not end.is_finite():
            ends.append(sign * S.Infinity)
        else:
            near = Fraction(float(end)).limit_denominator(10**6)
            value = Rational(near.numerator, near.denominator)
            ends.append(value if number(value) == end else value + sign * Rational(1, 10**6))
    return ends[0], ends[1]


def _positive_between(u: Expr, x: sympy.Symbol, low: Any, high: Any) -> bool:
    """At some point."""
    finite = isinstance(low, fmpq), isinstance(high, fmpq)
    middle = (low + high) / 2 if all(finite) else low + 1 if finite[0] else high - 1
    value = at(u, {x: middle})
    return value is not None and bool(value > 0)


def _rises_from_its_ends(u: Expr, x: sympy.Symbol, box: Box, clock: Clock) -> bool:
    """In one variable, where u may vanish at an end of the box and is monotone beside it: then it is zero nowhere
    else, unless everywhere, for it is analytic."""
    slope, ends = sympy.diff(u, x), box[x]
    if not regular(u, {x: ends}, clock):
        return False
    cells = [(number(ends[0]), number(ends[1]))]
    with ctx.workprec(PRECISION):
        for _ in range(MOST_CELLS):
            if not cells:
                return True
            low, high = cells.pop()
            here = {x.name: between(low, high)}
            value, _ = over(u, here)
            if value is not None and value.low > 0:
                continue
            rate, whole = over(slope, here)
            if rate is not None and whole and (rate.low >= 0 or rate.high <= 0):
                end, edge = (low, ends[0]) if rate.low >= 0 else (high, ends[1])
                if isinstance(end, fmpq) and _positive_between(u, x, low, high):
                    exact = sympy.Rational(int(end.p), int(end.q))
                    there = at(u, {x: exact})
                    if there is not None and (there > 0 or (exact == edge and (there == 0 or u.subs(x, exact) == 0))):
                        continue
            if not (isinstance(low, fmpq) and isinstance(high, fmpq)) or high - low < fmpq(1, 4096):
                return False
            cells += [(low, (low + high) / 2), ((low + high) / 2, high)]
    return False
