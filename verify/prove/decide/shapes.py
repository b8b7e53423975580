"""By the shape of a function: concave, monotone, or rising before it falls, it is least at an end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import sympy
from flint import ctx
from sympy import Expr, Rational, S, Symbol

from maurey.numeric.types import Array
from maurey.verify.prove.clock import Clock
from maurey.verify.prove.ranges.floats import values
from maurey.verify.prove.ranges.forms import hyperbolic
from maurey.verify.prove.ranges.intervals import between, over

from .domains import regular
from .limits import limit_at
from .problem import KINKS, PRECISION, Box, Given, Problem, Side, at, number, positive_somewhere, zero
from .reductions import SIMPLER, Reduction, cleared

TINY = 1e-12
MOST_SLOPES = 3


def concave(problem: Problem, clock: Clock) -> Iterator[Reduction]:
    """Concave in one variable between finite ends, and continuous up to them: least at one of them."""
    if problem.expr.has(*KINKS) or not continuous(problem.expr, problem.box):
        return
    for x in problem.letters:
        ends = problem.box[x]
        if not all(end.is_finite for end in ends) or any(g.expr.has(x) for g in problem.given):
            continue
        if not regular(problem.expr, problem.box, clock):
            return
        others = {y: side for y, side in problem.box.items() if y != x}
        bent = Problem(-sympy.diff(problem.expr, x, 2), problem.box)
        faces = [replace(problem, expr=problem.expr.subs(x, end), box=others) for end in ends]
        yield f"concave in {x}, so that it is least at {x} = {ends[0]} or {ends[1]}", [bent, *faces]


def continuous(expr: Expr, box: Box) -> bool:
    """On the whole box, its faces included, as far as intervals tell."""
    with ctx.workprec(PRECISION):
        return over(expr, {x.name: between(number(low), number(high)) for x, (low, high) in box.items()})[1]


def to_a_limit(problem: Problem, clock: Clock) -> Iterator[Reduction]:
    """In one variable: it falls to an end, to its value there, or to a limit where it has none."""
    (x,) = problem.letters
    if not regular(problem.expr, problem.box, clock) or (problem.strict and not positive_somewhere(problem)):
        return
    slope = hyperbolic(sympy.diff(problem.expr, x))
    seen = _sampled(slope, x, problem.box[x])
    for end, sign in zip(problem.box[x], (1, -1), strict=True):
        if not np.all(sign * seen >= -TINY):
            continue
        value = at(problem.expr, {x: end}) if end.is_finite else None
        limit = limit_at(problem.expr, x, problem.box[x], end) if value is None else None
        if value is not None and value > 0:
            yield f"least at {x} = {end}", [Problem(sign * slope, problem.box)]
        if limit is not None and limit.is_nonnegative:
            yield f"monotone towards {limit} at {x} = {end}", [Problem(sign * slope, problem.box)]


def apart(problem: Problem) -> Reduction | None:
    """In one variable, not defined at an end: what lies beside that end, before all places at which it turns, and the
    rest."""
    (x,) = problem.letters
    side = problem.box[x]
    slope = sympy.diff(problem.expr, x)
    points = _points(side)
    signs = np.sign(values(slope, {x.name: points}))
    turns = points[1:][(signs[1:] * signs[:-1] < 0)]
    ends = [end for end in side if not (end.is_finite and at(problem.expr, {x: end}) is not None)]
    if not len(turns) or not ends:
        return None
    inner = [_before(turns[0 if end == side[0] else -1], end, 1 if end == side[0] else -1) for end in ends]
    cuts = [side[0], *inner, side[1]]
    if not all(a < b for a, b in pairwise(cuts)):
        return None
    text = f"apart at {x} = {', '.join(map(str, inner))}"
    return text, [replace(problem, box={**problem.box, x: ends}) for ends in pairwise(cuts)]


def _before(turn: float, end: Expr, sign: int) -> Rational:
    """A simple number between an end and the turn that is next to it."""
    if not end.is_finite:
        return Rational(round(float(turn - sign * (1 + abs(turn)))))
    near = Fraction((float(end) + float(turn)) / 2).limit_denominator(100)
    return Rational(near.numerator, near.denominator)


def _sampled(expr: Expr, x: Symbol, side: tuple[Expr, Expr]) -> Array:
    found = values(expr, {x.name: _points(side)})
    return found[np.isfinite(found)]


def _points(side: tuple[Expr, Expr]) -> Array:
    """Floats, from the lower end to the upper."""
    low, high = (float(end) for end in side)
    s = np.linspace(0.01, 0.99, 40)
    if np.isfinite(low) and np.isfinite(high):
        return low + s * (high - low)
    if np.isfinite(low) or np.isfinite(high):
        return low + s / (1 - s) if np.isfinite(low) else high - (1 - s) / s
    return np.sinh(8 * (2 * s - 1))


def between_ends(problem: Problem, clock: Clock) -> Iterator[Reduction]:
    """In one variable, not negative at both ends: it rises and then falls if its slope is positive, then negative."""
    (x,) = problem.letters
    ends = problem.box[x]
    if problem.strict or not regular(problem.expr, problem.box, clock):
        return
    if not all(_not_negative(problem.expr, x, ends, end) for end in ends):
        return
    for parts in _turns(sympy.diff(problem.expr, x), x, ends, clock, MOST_SLOPES):
        yield "not negative at both ends, and rising before it falls", parts


def _turns(slope: Expr, x: Symbol, ends: Side, clock: Clock, left: int) -> Iterator[list[Problem]]:
    """What shows that a slope is positive, then negative: it falls; or it is not negative at the lower end and its own
    slope does the same; or not positive at the upper end, and its own slope does the opposite."""
    if np.any(np.diff(np.sign(_sampled(slope, x, ends))) > 0):
        return
    clock.look()
    short = cleared(Problem(slope, {x: ends}), clock)
    steep = slope if short is None else short[1][0].expr
    if not regular(steep, {x: ends}, clock):
        return
    if not steep.has(*SIMPLER, sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.tan):
        later = Symbol(f"{x.name}_", **x.assumptions0)  # once it falls, it does not rise again
        given = Given(-steep, ">"), Given(later - x, ">")
        yield [Problem(-steep.xreplace({x: later}), {x: ends, later: ends}, given=given)]
        return
    inner = sympy.diff(steep, x)
    yield [Problem(-inner, {x: ends})]
    for sign, end in zip((1, -1), ends, strict=True):
        if left > 1 and _not_negative(sign * steep, x, ends, end):
            yield from _turns(sign * inner, x, ends, clock, left - 1)


def _not_negative(expr: Expr, x: Symbol, ends: Side, end: Expr) -> bool:
    """At an end, or towards it."""
    value = expr.subs(x, end) if end.is_finite and at(expr, {x: end}) is not None else None
    value = limit_at(expr, x, ends, end) if value is None else value
    return value is not None and bool(value == S.Infinity or value.is_nonnegative or zero(value))
