"""Other letters for an inequality: fewer of them, or such that it becomes algebraic."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import sympy
from flint import ctx
from sympy import Expr, Rational, S, Symbol, cos, cosh, exp, sin, sinh, tan, tanh

from maurey.verify.prove.clock import NoAnswer, algebra
from maurey.verify.prove.polynomials import algebraic
from maurey.verify.prove.ranges.floats import values
from maurey.verify.prove.ranges.intervals import between, over

from .cases import trimmed
from .problem import PRECISION, Box, Given, Problem, at, number, zero
from .reductions import Reduction

LONGEST = 120


def scaled(problem: Problem) -> Reduction | None:
    """Homogeneous on a cone: the variable largest in size is 1 (or -1)."""
    letters = problem.letters
    if len(letters) < 2:
        return None
    sides = {problem.box[x] for x in letters}
    cone = {(S.Zero, S.Infinity): (0, 1), (S.NegativeInfinity, S.Infinity): (-1, 1)}
    if len(sides) != 1 or (side := next(iter(sides))) not in cone:
        return None
    if any(degree(expr, letters) is None for expr in (problem.expr, *(g.expr for g in problem.given))):
        return None
    origin = dict.fromkeys(letters, S.Zero)
    if (
        problem.strict
        and at(problem.expr, origin) is not None
        and not any(g.relation == ">" and g.expr.subs(origin).is_nonpositive for g in problem.given)
    ):
        return None
    symmetric = not problem.given and all(
        zero(problem.expr - problem.expr.xreplace({letters[0]: y, y: letters[0]})) for y in letters[1:]
    )  # fmt: skip
    problems = []
    for x in letters[:1] if symmetric else letters:
        for sign in (1,) if side[0] == 0 else (1, -1):
            box = {y: (S(cone[side][0]), S.One) for y in letters if y != x}
            given = tuple(Given(g.expr.subs(x, sign), g.relation) for g in problem.given)
            part = trimmed(Problem(problem.expr.subs(x, sign), box, problem.strict, given))
            problems += [part] if part is not None else []
    return "homogeneous, so that the largest variable is 1", problems


def degree(expr: Expr, letters: list[Symbol]) -> Expr | None:
    """d with f(t x) = t^d f(x) for t > 0; floats say which it may be."""
    points = {x.name: np.array([0.7 + 0.31 * i, 1.9 - 0.17 * i, 0.4 + 0.05 * i]) for i, x in enumerate(letters)}
    here, there = values(expr, points), values(expr, {name: 2 * v for name, v in points.items()})
    with np.errstate(all="ignore"):
        powers = np.log2(there / here)
    d = Fraction(float(powers[0])).limit_denominator(12) if np.isfinite(powers[0]) else None
    if d is None or not np.all(abs(powers - float(d)) < 1e-9):
        return None
    t, power = Symbol("t_", positive=True), Rational(d.numerator, d.denominator)
    inside = {x: Symbol(x.name, positive=True) for x in letters}  # a cone has points where all are
    grown = expr.xreplace({x: t * x for x in letters}) - t**power * expr
    return power if zero(grown) or (all(x.is_nonnegative for x in letters) and zero(grown.xreplace(inside))) else None


def shifted(problem: Problem) -> Reduction | None:
    """f(x + s) = e^(k s) f(x) for all variables moved at once: one of them is 0."""
    letters = problem.letters
    line = (S.NegativeInfinity, S.Infinity)
    if len(letters) < 2 or any(problem.box[x] != line for x in letters):
        return None
    points = {x.name: np.array([0.7 + 0.31 * i, 1.9 - 0.17 * i, 0.4 + 0.05 * i]) for i, x in enumerate(letters)}
    here, there = values(problem.expr, points), values(problem.expr, {name: 1 + v for name, v in points.items()})
    with np.errstate(all="ignore"):
        rates = np.log(there / here)
    k = Fraction(float(rates[0])).limit_denominator(12) if np.isfinite(rates[0]) else None
    if k is None or not np.all(abs(rates - float(k)) < 1e-9):
        return None
    s = Symbol("s_", real=True)
    shift, growth = {x: x + s for x in letters}, sympy.exp(Rational(k.numerator, k.denominator) * s)
    if not zero(sympy.expand(problem.expr.xreplace(shift) - growth * problem.expr)):
        return None
    if not all(zero(g.expr.xreplace(shift) - g.expr) for g in problem.given):
        return None
    box = {y: problem.box[y] for y in letters[:-1]}
    text = f"moving all variables alike changes no sign, so that {letters[-1]} is 0"
    given = tuple(Given(g.expr.subs(letters[-1], 0), g.relation) for g in problem.given)
    part = trimmed(Problem(problem.expr.subs(letters[-1], 0), box, problem.strict, given))
    return text, [] if part is None else [part]


def combined(problem: Problem) -> Reduction | None:
    """Two variables that only stand together, as a product or a difference, are one."""
    if problem.given or problem.strict or len(problem.letters) < 2:
        return None
    t = Symbol("t_", real=True)
    for x in problem.letters:
        for y in [y for y in problem.letters if y != x]:
            for whole, alone in ((x * y, t / y), (x / y, t * y), (x - y, t + y), (x + y, t - y)):
                if not _together(problem.expr, x, y, whole):
                    continue
                rest = sympy.powsimp(sympy.expand(problem.expr.subs(x, alone)))
                if rest.has(y) or (side := _range(whole, problem.box)) is None:
                    continue
                box = {z: s for z, s in problem.box.items() if z not in (x, y)} | {t: side}
                return f"with {t} = {whole}", [Problem(rest, box)]
    return None


def _together(expr: Expr, x: Symbol, y: Symbol, whole: Expr) -> bool:
    """In floats: does moving both so that they stay together change nothing?"""
    letters = [z for z in expr.free_symbols if z not in (x, y)]
    u, v = {x.name: np.array([0.7, 1.3]), y.name: np.array([0.4, 1.1])}, {}
    moves = {"*": (2.0, 0.5), "/": (2.0, 2.0)}
    if whole in (x * y, x / y):
        a, b = moves["*" if whole == x * y else "/"]
        v = {x.name: a * u[x.name], y.name: b * u[y.name]}
    else:
        v = {x.name: u[x.name] + 0.5, y.name: u[y.name] + (0.5 if whole == x - y else -0.5)}
    others = {z.name: np.array([0.6, 0.9]) + 0.1 * i for i, z in enumerate(sorted(letters, key=str))}
    here, there = values(expr, u | others), values(expr, v | others)
    return bool(np.all(abs(here - there) <= 1e-9 * (1 + abs(here))))


def _range(expr: Expr, box: Box) -> tuple[Expr, Expr] | None:
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


def algebraically(problem: Problem) -> Reduction | None:
    """Letters that stand only under exp, sinh, cosh, or under sin and cos, by numbers: e^x > 0, and a point of the
    circle, whatever the angle."""
    if problem.expr.count_ops() > LONGEST or any(set(problem.letters) & g.expr.free_symbols for g in problem.given):
        return None
    expr, box, given = problem.expr, dict[Symbol, tuple[Expr, Expr]](), list[Given]()
    expr = expr.replace(lambda e: isinstance(e, tan), lambda e: sin(e.args[0]) / cos(e.args[0]))
    expr = expr.replace(lambda e: isinstance(e, (sinh, cosh, tanh)), lambda e: e.rewrite(exp))
    kinds = {x: {type(f) for f in expr.atoms(sin, cos, exp) if f.has(x)} for x in problem.letters}
    for x, kind in kinds.items():
        if not kind:
            box[x] = problem.box[x]
            continue
        rates = [sympy.diff(f.args[0], x) for f in expr.atoms(*kind) if f.has(x)]
        unit = rates[0] if not rates[0].free_symbols else S.Zero
        if unit == 0 or not all((r / unit).is_Rational for r in rates) or (exp in kind and len(kind) > 1):
            return None
        unit = unit / lcm(*(int((rate / unit).q) for rate in rates))
        expr = expr.subs(x, x / unit)
        try:
            with algebra(0.3):
                expr = sympy.expand(expr, power_exp=True) if kind == {exp} else sympy.expand_trig(expr)
        except NoAnswer:
            return None
        if kind == {exp}:
            e = Symbol(f"{x.name}_e", positive=True)
            expr = expr.subs(exp(x), e)
            side = _range(exp(unit * x), problem.box)
            if side is None:
                return None
            box[e] = side
        else:
            s, c = Symbol(f"{x.name}_s", real=True), Symbol(f"{x.name}_c", real=True)
            expr = expr.subs({sin(x): s, cos(x): c})
            ranges = _range(sin(unit * x), problem.box), _range(cos(unit * x), problem.box)
            if None in ranges:
                return None
            box |= dict(zip((s, c), ranges, strict=True))
            given.append(Given(s**2 + c**2 - 1, "=="))
        if expr.has(x):
            return None
    if not algebraic(expr) or not any(kinds.values()):
        return None
    return "algebraic in other letters", [Problem(expr, box, problem.strict, tuple(given))]
