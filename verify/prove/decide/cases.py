"""Absolute values, minima, maxima, signs and cases: one smooth problem for each branch."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Expr, Max, Min, Symbol
from sympy.core.relational import Relational

from .problem import Box, Given, Problem

MOST, MOST_ROUNDED = 16, 3


def cases(problem: Problem) -> tuple[str, list[Problem]] | None:
    """None if there is no branch, or too many."""
    if steps := _rounded(problem):
        return steps
    if _innermost(problem.expr) is None:
        return _beside_poles(problem)
    open_parts, done = [problem], []
    while open_parts:
        part = open_parts.pop()
        node = _innermost(part.expr)
        if node is None:
            done.append(part)
            continue
        split = _branches(part, node)
        if split is None:
            return None
        open_parts += split
        if len(open_parts) + len(done) > MOST:
            return None
    return f"{len(done)} cases", done


def _rounded(problem: Problem) -> tuple[str, list[Problem]] | None:
    """A ceiling is its argument and less than 1; a floor its argument less that. More than is asked."""
    kinds = (sympy.floor, sympy.ceiling)
    if any(g.expr.has(*kinds) for g in problem.given):
        return None
    parts, rests = problem.expr, list[Symbol]()
    while node := next((n for n in sympy.postorder_traversal(parts) if isinstance(n, kinds) and n.free_symbols), None):
        rest = Symbol(f"r{len(rests) + 1}_", nonnegative=True)
        rests.append(rest)
        parts = parts.xreplace({node: node.args[0] + (rest if isinstance(node, sympy.ceiling) else -rest)})
    if not 0 < len(rests) <= MOST_ROUNDED:
        return None
    box = {**problem.box, **dict.fromkeys(rests, (sympy.S.Zero, sympy.S.One))}
    below = tuple(Given(1 - r, ">") for r in rests) if problem.strict else ()
    return "whatever is lost by rounding", [replace(problem, expr=parts, box=box, given=(*problem.given, *below))]


def _beside_poles(problem: Problem) -> tuple[str, list[Problem]] | None:
    """Where a quotient by a linear function has no value, two sides that need not be looked at together."""
    for p in problem.expr.atoms(sympy.Pow):
        if p.exp.is_negative and len(p.base.free_symbols) == 1 and p.exp.is_integer:
            sides = [halved(problem.box, sign * p.base) for sign in (1, -1)]
            if all(sides) and all(side != problem.box for side in sides):
                (x,) = p.base.free_symbols
                return f"on both sides of {x} = {-p.base.subs(x, 0) / sympy.diff(p.base, x)}", [
                    replace(problem, box=side) for side in sides if side
                ]
    return None


def _innermost(expr: Expr) -> Expr | None:
    kinds = (sympy.Abs, Min, Max, sympy.sign, sympy.Piecewise)
    return next((n for n in sympy.postorder_traversal(expr) if isinstance(n, kinds) and n.free_symbols), None)


def _branches(problem: Problem, node: Expr) -> list[Problem] | None:
    if isinstance(node, (sympy.Abs, sympy.sign)):
        (u,) = node.args
        up, down = (u, -u) if isinstance(node, sympy.Abs) else (sympy.S.One, sympy.S.NegativeOne)
        middle = [_with(problem, node, sympy.S.Zero, u, "==")] if isinstance(node, sympy.sign) else []
        return [p for p in (_with(problem, node, up, u), _with(problem, node, down, -u), *middle) if p is not None]
    if isinstance(node, (Min, Max)):
        a, *rest = node.args
        b = node.func(*rest)
        if node.func(*rest).has(Min, Max):
            return None if len(rest) > 3 else _nested(problem, node, a, rest)
        sign = 1 if isinstance(node, Max) else -1
        pair = (_with(problem, node, a, sign * (a - b)), _with(problem, node, b, sign * (b - a)))
        return [p for p in pair if p is not None]
    return _piecewise(problem, node)


def _nested(problem: Problem, node: Expr, a: Expr, rest: list[Expr]) -> list[Problem] | None:
    """The extremum is one of several: that one is beyond all others."""
    sign, found = (1 if isinstance(node, Max) else -1), []
    for one in (a, *rest):
        part: Problem | None = problem
        for other in (a, *rest):
            if part is not None and other is not one:
                part = _with(part, node, one, sign * (one - other))
        if part is not None:
            found.append(part)
    return found


def _piecewise(problem: Problem, node: Expr) -> list[Problem] | None:
    found: list[Problem] = []
    part: Problem | None = problem
    for branch in node.args:
        if branch.cond == sympy.true:
            if part is not None:
                found.append(replace(part, expr=part.expr.xreplace({node: branch.expr})))
            return found
        if not isinstance(branch.cond, Relational) or branch.cond.rel_op in ("==", "!=") or part is None:
            return None
        cond = branch.cond
        u = cond.lhs - cond.rhs if cond.rel_op in (">", ">=") else cond.rhs - cond.lhs
        here = _with(part, node, branch.expr, u)  # its closure, which is more than is asked
        if here is not None:
            found.append(here)
        part = _with(part, node, node, -u)
    return found


def _with(problem: Problem, node: Expr, value: Expr, u: Expr, relation: str = ">=") -> Problem | None:
    """The branch on which u >= 0; a condition on one variable cuts the box itself. None if the branch is empty."""
    expr = problem.expr.xreplace({node: value})
    given = tuple(Given(g.expr.xreplace({node: value}), g.relation) for g in problem.given)
    part = replace(problem, expr=expr, given=given)
    if relation == ">=" and (box := halved(problem.box, u)) is not None:
        return replace(part, box=box) if box else None
    return replace(part, given=(*given, Given(u, relation)))


def halved(box: Box, u: Expr) -> dict[Symbol, tuple[Expr, Expr]] | None:
    """The part of the box on which a linear u(x) >= 0; {} if there is none, None if u is not of that kind."""
    if len(u.free_symbols) != 1:
        return None
    (x,) = u.free_symbols
    slope = sympy.diff(u, x)
    if not slope.is_Rational or slope == 0 or x not in box:
        return None
    zero = -u.subs(x, 0) / slope
    if not zero.is_Rational:
        return None
    low, high = box[x]
    if slope > 0:
        low = max(low, zero)
    else:
        high = min(high, zero)
    return {} if low > high else {**box, x: (low, high)}


def narrowed(problem: Problem) -> Problem:
    """What is given linearly bounds every letter by what the others can be: on a simplex none is more than 1."""
    box = dict(problem.box)
    for g in problem.given:
        letters = [x for x in box if g.expr.has(x)]
        rates = {x: sympy.diff(g.expr, x) for x in letters}
        if not all(rate.is_Rational for rate in rates.values()):
            continue
        for x, rate in rates.items():
            most = g.expr.subs(dict.fromkeys(letters, 0))
            most += sum(rates[y] * box[y][1 if rates[y] > 0 else 0] for y in letters if y != x)
            if not most.is_Rational:
                continue
            low, high = box[x]
            cut = (low, min(high, -most / rate)) if rate < 0 else (max(low, -most / rate), high)
            if cut[0] <= cut[1]:
                box[x] = cut
    return replace(problem, box=box)


def trimmed(problem: Problem) -> Problem | None:
    """What is given of one variable, linearly, cuts the box; None if nothing is left."""
    box, given = dict(problem.box), []
    for g in problem.given:
        if not g.expr.free_symbols:
            if g.expr.is_negative:
                return None
            if g.relation != "==" and g.expr.is_nonnegative and (g.relation == ">=" or g.expr.is_positive):
                continue
        cut = halved(box, g.expr) if g.relation == ">=" else None
        if cut is None:
            given.append(g)
        elif not cut:
            return None
        else:
            box = cut
    return replace(problem, box=box, given=tuple(given))
