"""Where an expression is smooth: inside a whole box, or only as far as a cell shows."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from flint import ctx, fmpq
from sympy import Expr, Mul, Pow, Rational

from maurey.verify.prove.clock import Clock
from maurey.verify.prove.polynomials import algebraic, decide
from maurey.verify.prove.ranges.intervals import between, over

from .problem import KINKS, PRECISION, Box, Given, at, number

MOST_CELLS = 300
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
    if algebraic(u):
        sides = [x > box[x][0] for x in letters] + [x < box[x][1] for x in letters]
        return decide(u > 0, sides, min(SECONDS, clock.left()))[0] is True
    return len(letters) == 1 and _rises_from_its_ends(u, letters[0], box)


def _rises_from_its_ends(u: Expr, x: sympy.Symbol, box: Box) -> bool:
    """In one variable, where u may vanish at an end of the box and is strictly monotone beside it."""
    slope, ends = sympy.diff(u, x), box[x]
    if u.has(*KINKS):
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
            if rate is not None and whole and (rate.low > 0 or rate.high < 0):
                end, edge = (low, ends[0]) if rate.low > 0 else (high, ends[1])
                if isinstance(end, fmpq):
                    exact = sympy.Rational(int(end.p), int(end.q))
                    there = at(u, {x: exact})
                    if there is not None and (there > 0 or (exact == edge and (there == 0 or u.subs(x, exact) == 0))):
                        continue
            if not (isinstance(low, fmpq) and isinstance(high, fmpq)) or high - low < fmpq(1, 4096):
                return False
            cells += [(low, (low + high) / 2), ((low + high) / 2, high)]
    return False
