"""A question in the shape that the proofs like: no equations, signs known, rational ends. Each piece says how a point
of it is one of the question; all pieces together are the whole question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, Pow, S, Symbol

from .cases import narrowed, trimmed
from .problem import Given, Problem, never


@dataclass(frozen=True)
class Piece:
    problem: Problem
    back: Mapping[Symbol, Expr]  # the letters of the question, in those of the piece

    def point(self, witness: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
        return {x: value.subs(dict(witness)) for x, value in self.back.items()}

    def where(self, values: Mapping[Symbol, Expr], *given: Given) -> Iterator[Piece]:
        """The piece on which letters are these expressions in the others; none if it is certainly empty."""
        problem, rest = self.problem, []
        for x, value in values.items():
            low, high = problem.box[x]
            rest += [Given(value - low, ">=")] if low.is_finite and value != low else []
            rest += [Given(high - value, ">=")] if high.is_finite and value != high else []
        old = [Given(sympy.expand(g.expr.subs(values)), g.relation) for g in problem.given]
        kept = tuple(g for g in (*old, *rest, *given) if not (g.expr == 0 and g.relation != ">"))
        box = {x: side for x, side in problem.box.items() if x not in values}
        cut = trimmed(Problem(problem.expr.subs(values), box, problem.strict, kept))
        if cut is not None and not cut.expr.has(sympy.nan, sympy.zoo, sympy.I):
            yield Piece(cut, {x: value.subs(values) for x, value in self.back.items()})


def pieces(problem: Problem) -> list[Piece]:
    box = {x: (sympy.ceiling(a), sympy.floor(b)) if x.is_integer else (a, b) for x, (a, b) in problem.box.items()}
    if any(low > high for low, high in box.values()):
        return []
    whole = Piece(replace(problem, box=box), {x: x for x in problem.box})
    solved = [replace(part, problem=narrowed(part.problem)) for part in _solved(whole)]
    return [one for part in solved for one in _signed(part)]


def _solved(piece: Piece) -> Iterator[Piece]:
    """Without the letters that have one value, or that an equation gives."""
    fixed = {x: low for x, (low, high) in piece.problem.box.items() if low == high}
    if fixed:
        for part in piece.where(fixed):
            yield from _solved(part)
        return
    for given in piece.problem.given:
        parts = _branches(piece, given) if given.relation == "==" else None
        if parts is not None:
            for part in parts:
                yield from _solved(part)
            return
    yield piece


def _branches(piece: Piece, given: Given) -> list[Piece] | None:
    """An equation that is linear in a letter, or has it only as a square; the simplest first. None if there is none."""
    expr = sympy.expand(given.expr)
    linear, square = [], []
    for x in reversed(list(piece.problem.box)):
        if x.is_integer or not expr.has(x) or not expr.is_polynomial(x):
            continue
        c = sympy.Poly(expr, x).all_coeffs()[::-1]
        if len(c) == 2 and (c[1].is_Rational or c[0].is_Rational):
            linear.append((not c[1].is_Rational, x, c))
        elif len(c) == 3 and c[1] == 0 and c[2].is_Rational:
            square.append((x, c))
    if linear:
        _, x, (rest, rate) = min(linear, key=lambda one: one[0])  # where the rate is zero, the rest is not
        if rate.is_Rational or rest != 0:
            return list(piece.where({x: sympy.expand(-rest / rate)}))
    if square:
        x, (rest, _, rate) = square[0]
        root = sympy.sqrt(-rest / rate)
        return [*piece.where({x: root}), *piece.where({x: -root})]
    return None


def _signed(piece: Piece) -> Iterator[Piece]:
    """Letters with what the box says of their signs. Where SymPy then takes a root apart, sqrt(x y) is no longer real
    for x = 0 > y, and a power x^y has no logarithm at x = 0: such a face is a piece of its own."""
    problem = piece.problem
    letters = {x: _letter(x, *side) for x, side in problem.box.items()}
    plain = {new: old for old, new in letters.items()}
    read = {expr: general(expr.xreplace(letters)) for expr in (problem.expr, *(g.expr for g in problem.given))}
    for x, (low, high) in problem.box.items():
        for end in dict.fromkeys((low, high, S.Zero)):
            if low <= end <= high and end.is_finite and not never(problem, x, end):
                touched = end == 0 and any(e.has(x) and r.xreplace(plain) != e for e, r in read.items())
                if touched or any(b.has(x) and b.subs(x, end) == 0 for b in _bases(read)):
                    for part in piece.where({x: end}):
                        yield from _signed(part)
    given = tuple(Given(read[g.expr], g.relation) for g in problem.given)
    box = {letters[x]: side for x, side in problem.box.items()}
    yield Piece(
        Problem(read[problem.expr], box, problem.strict, given),
        {x: value.xreplace(letters) for x, value in piece.back.items()},
    )


def _bases(expressions: Mapping[Expr, Expr]) -> set[Expr]:
    return {p.base for e in expressions for p in e.atoms(Pow) if p.exp.free_symbols and p.base.free_symbols}


def _letter(x: Symbol, low: Expr, high: Expr) -> Symbol:
    whole = {"integer": True} if x.is_integer else {}
    if low > 0:
        return Symbol(x.name, positive=True, **whole)
    if low == 0:
        return Symbol(x.name, nonnegative=True, **whole)
    return Symbol(x.name, negative=True, **whole) if high < 0 else Symbol(x.name, real=True, **whole)


def general(expr: Expr) -> Expr:
    """General powers as exponentials; integer powers of what may be negative stay."""

    def power(p: Expr) -> Expr:
        base, exponent = p.as_base_exp()
        if exponent.is_Rational or base == S.Exp1 or (base.is_Rational and base <= 0):
            return Pow(base, exponent)
        if exponent.is_integer and not base.is_nonnegative:
            return Pow(base, exponent)
        return sympy.exp(exponent * sympy.log(base))

    if any(not p.exp.is_Rational and p.base != S.Exp1 for p in expr.atoms(Pow)):
        expr = expr.replace(lambda e: isinstance(e, Pow), power)
    return expr


def rational_ends(piece: Piece) -> Piece:
    """Ends such as pi/2 moved to 0 and 1, so that cells have exact ends."""
    problem, line, box = piece.problem, dict[Symbol, Expr](), dict[Symbol, tuple[Expr, Expr]]()
    for x, (low, high) in problem.box.items():
        if all(end.is_Rational or not end.is_finite for end in (low, high)):
            box[x] = (low, high)
            continue
        t = Symbol(x.name, nonnegative=True)
        if low.is_finite and high.is_finite:
            line[x], box[t] = low + (high - low) * t, (S.Zero, S.One)
        else:
            line[x], box[t] = (low + t if low.is_finite else high - t), (S.Zero, S.Infinity)
    if not line:
        return piece
    given = tuple(Given(g.expr.subs(line), g.relation) for g in problem.given)
    moved = Problem(problem.expr.subs(line), box, problem.strict, given)
    return Piece(moved, {x: value.subs(line) for x, value in piece.back.items()})
