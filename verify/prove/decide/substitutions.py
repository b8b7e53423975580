"""Other letters for an inequality: fewer of them, or such that it becomes algebraic."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
import sympy
from sympy import Expr, Rational, S, Symbol, cos, cosh, exp, pi, sin, sinh, tan, tanh

from maurey.verify.prove.clock import NoAnswer, algebra
from maurey.verify.prove.polynomials import algebraic
from maurey.verify.prove.ranges.floats import values

from .cases import trimmed
from .domains import range_of
from .problem import Given, Problem, at, zero
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
                if rest.has(y) or (side := range_of(whole, problem.box)) is None:
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


def periodic(problem: Problem) -> Reduction | None:
    """Variables without ends that stand only in sines and cosines: over a period, in units of pi, so that the places
    where these are simple are simple numbers."""
    expr, box = problem.expr, dict(problem.box)
    for x, unit in product(problem.letters, (S.One, pi)):
        waves = [node for node in expr.atoms(sin, cos, tan) if node.has(x)]
        rates = {node: sympy.diff(node.args[0], x) / unit for node in waves}
        inner = [node for node in waves if rates[node].is_Rational]
        hidden = expr.xreplace({node: Symbol(f"w{i}_") for i, node in enumerate(inner)})
        if inner and not hidden.has(x) and _unlimited(problem, x):
            box[x] = (S.Zero, S(2) * lcm(*(int(rates[node].q) for node in inner)))
            expr = expr.subs(x, pi * x / unit)
    if box == dict(problem.box):
        return None
    return "over a period, in units of pi", [replace(problem, expr=expr, box=box)]


def _unlimited(problem: Problem, x: Symbol) -> bool:
    return all(not end.is_finite for end in problem.box[x]) and not any(g.expr.has(x) for g in problem.given)


def algebraically(problem: Problem) -> Reduction | None:
    """Letters that stand only under exp, sinh, cosh, or under sin and cos, by numbers: e^x > 0, and a point of the
    circle, whatever the angle."""
    if problem.expr.count_ops() > LONGEST:
        return None
    box, given = dict[Symbol, tuple[Expr, Expr]](), list[Given]()
    exprs = [_plain(expr) for expr in (problem.expr, *(g.expr for g in problem.given))]
    kinds = {x: {type(f) for f in exprs[0].atoms(sin, cos, exp) if f.has(x)} for x in problem.letters}
    for x, kind in kinds.items():
        if not kind:
            box[x] = problem.box[x]
            continue
        rates = [sympy.diff(f.args[0], x) for f in exprs[0].atoms(*kind) if f.has(x)]
        unit = rates[0] if not rates[0].free_symbols else S.Zero
        if unit == 0 or not all((r / unit).is_Rational for r in rates) or (exp in kind and len(kind) > 1):
            return None
        unit = unit / lcm(*(int((rate / unit).q) for rate in rates))
        exprs = [expr.subs(x, x / unit) for expr in exprs]
        try:
            with algebra(0.3):
                wide = {"power_exp": True} if kind == {exp} else {"trig": True}
                exprs = [sympy.expand(expr, **wide) if expr.has(x) else expr for expr in exprs]
        except NoAnswer:
            return None
        if kind == {exp}:
            e = Symbol(f"{x.name}_e", positive=True)
            exprs = [expr.subs(exp(x), e) for expr in exprs]
            side = range_of(exp(unit * x), problem.box)
            if side is None:
                return None
            box[e] = side
        else:
            s, c = Symbol(f"{x.name}_s", real=True), Symbol(f"{x.name}_c", real=True)
            exprs = [expr.subs({sin(x): s, cos(x): c}) for expr in exprs]
            ranges = range_of(sin(unit * x), problem.box), range_of(cos(unit * x), problem.box)
            if None in ranges:
                return None
            box |= dict(zip((s, c), ranges, strict=True))
            given.append(Given(s**2 + c**2 - 1, "=="))
        if exprs[0].has(x):
            return None
    if not algebraic(exprs[0]) or not any(kinds.values()):
        return None
    for old, expr in zip(problem.given, exprs[1:], strict=True):  # without those that are of another kind it is more
        given += [replace(old, expr=expr)] if algebraic(expr) and expr.free_symbols <= set(box) else []
    return "algebraic in other letters", [Problem(exprs[0], box, problem.strict, tuple(given))]


def _plain(expr: Expr) -> Expr:
    """In sines, cosines and exponentials."""
    expr = expr.replace(lambda e: isinstance(e, tan), lambda e: sin(e.args[0]) / cos(e.args[0]))
    return expr.replace(lambda e: isinstance(e, (sinh, cosh, tanh)), lambda e: e.rewrite(exp))
