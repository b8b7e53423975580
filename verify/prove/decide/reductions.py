"""From an inequality to simpler ones that imply it. Each says in words what it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy
from sympy import Expr, Mul, Pow, Rational, S, Symbol

from maurey.verify.prove.clock import Clock, NoAnswer, algebra
from maurey.verify.prove.polynomials import algebraic, decide
from maurey.verify.prove.ranges.forms import hyperbolic

from .cases import trimmed
from .domains import positive_inside, regular
from .problem import Box, Given, Problem, never, positive_somewhere, zero
from .ties import Tie

SIMPLER = (  # whose derivatives are
    sympy.log, sympy.atan, sympy.asin, sympy.acos, sympy.asinh, sympy.acosh, sympy.atanh, sympy.erf, sympy.erfc,
)  # fmt: skip
TINY = 1e-12
Reduction = tuple[str, list[Problem]]  # what was done, and what is left to be shown


def cleared(problem: Problem, clock: Clock) -> Reduction | None:
    """Denominators and factors that are nonnegative where they are defined are left out."""
    expr = problem.expr
    quotients = {node: sympy.sin(node.args[0]) / sympy.cos(node.args[0]) for node in expr.atoms(sympy.tan)}
    quotients |= {node: sympy.sinh(node.args[0]) / sympy.cosh(node.args[0]) for node in expr.atoms(sympy.tanh)}
    try:
        with algebra(min(0.5, clock.left())):
            whole = sympy.together(expr.xreplace(quotients))
            if whole.count_ops() < 120:
                whole = sympy.factor(whole) if not whole.has(sympy.Pow) or whole.count_ops() < 60 else whole
    except NoAnswer:
        return None
    kept, sign = [], 1
    for factor in Mul.make_args(whole):
        inverse = isinstance(factor, Pow) and factor.exp.is_negative  # never zero where it is defined
        known = _sign(factor, problem.box, clock) if inverse or not problem.strict else 0
        if known == 0:
            kept.append(factor)
        else:
            sign *= known
    rest = sign * Mul(*kept)
    if rest == expr or rest.count_ops() > 2 * expr.count_ops() + 20:
        return None
    return "after clearing what is positive", [replace(problem, expr=rest)]


def _sign(factor: Expr, box: Box, clock: Clock) -> int:
    if isinstance(factor, Pow) and isinstance(factor.exp, Rational):
        if factor.exp.q == 1 and factor.exp.p % 2 == 0:
            return 1
        if factor.exp.q % 2 == 0:  # real only where it is nonnegative
            return 1
        return _sign(factor.base, box, clock) if factor.exp.q == 1 else 1
    if factor.is_number:
        return 1 if factor.is_positive else -1 if factor.is_negative else 0
    if positive_inside(factor, box, clock):
        return 1
    return -1 if positive_inside(-factor, box, clock) else 0


def to_the_edge(problem: Problem, clock: Clock) -> Iterator[Reduction]:
    """Where it falls towards the edge of what is given, linearly in one variable: on that edge, or at the end of the
    box that comes first."""
    for g in problem.given if regular(problem.expr, problem.box, clock) else ():
        for x in problem.letters:
            rate = sympy.diff(g.expr, x)
            if g.relation == "==" or not rate.is_Rational or rate == 0:
                continue
            low, high = problem.box[x]
            edge = sympy.expand(x - g.expr / rate)
            others = {y: side for y, side in problem.box.items() if y != x}
            rest = [h for h in problem.given if not h.expr.has(x)]  # without the others it is more than is asked
            on_edge = [*rest, *([Given(edge - low, ">=")] if low.is_finite else [])]
            on_edge += [Given(high - edge, ">=")] if high.is_finite else []
            parts = [Problem(problem.expr.subs(x, edge), others, problem.strict, tuple(on_edge))]
            end = low if rate > 0 else high
            if end.is_finite:
                kept = (*rest, Given(g.expr.subs(x, end), g.relation))
                parts.append(Problem(problem.expr.subs(x, end), others, problem.strict, kept))
            falls = Problem(sympy.sign(rate) * sympy.diff(problem.expr, x), problem.box, given=(*rest, g))
            whole = [part for part in map(trimmed, parts) if part is not None]
            yield f"least in {x} at the edge {x} = {edge}", [falls, *whole]


def as_hyperbolic(problem: Problem) -> Reduction | None:
    """e^u and e^-u together as cosh u and sinh u."""
    found = {e.args[0] for e in problem.expr.atoms(sympy.exp)}
    pairs = {u for u in found if -u in found and u.free_symbols}
    if not pairs:
        return None
    both = {sympy.exp(u): sympy.cosh(u) + sympy.sinh(u) for u in pairs}
    try:
        with algebra(0.5):
            expr = sympy.expand(problem.expr.xreplace(both))
    except NoAnswer:
        return None
    if expr.count_ops() >= problem.expr.count_ops():
        return None
    return "in hyperbolic functions", [replace(problem, expr=expr)]


def logged(problem: Problem, clock: Clock) -> Reduction | None:
    """P - N with both positive: log P - log N, where one of them is a product."""
    terms = sympy.Add.make_args(problem.expr)
    if problem.strict or not 2 <= len(terms) <= 6 or not problem.expr.has(sympy.exp, sympy.sinh, sympy.cosh, sympy.Pow):
        return None
    more, less = [], []
    for term in terms:
        clock.look()
        if positive_inside(term, problem.box, clock):
            more.append(term)
        elif positive_inside(-term, problem.box, clock):
            less.append(-term)
        else:
            return None
    if not more or not less or min(len(more), len(less)) > 1:
        return None
    top, bottom = (sympy.expand_log(sympy.log(sympy.Add(*side)), force=True) for side in (more, less))
    if not (top - bottom).has(*problem.letters) or top - bottom == problem.expr:
        return None
    if not (regular(problem.expr, problem.box, clock) and regular(top - bottom, problem.box, clock)):
        return None  # a logarithm was taken apart into factors that are negative
    return "in logarithms", [replace(problem, expr=top - bottom)]


def least(problem: Problem, clock: Clock, ties: list[Tie]) -> Iterator[Reduction]:
    """As a function of one variable it is least at a place that the others tell: the derivative has the sign of the
    distance to it. There it is a function of the others alone."""
    for x in problem.letters:
        if len(problem.letters) < 2 or problem.given:
            return
        slope = sympy.diff(problem.expr, x)
        low, high = problem.box[x]
        places = [tie.place for tie in ties if tie.x == x] + _stationary(slope, x)
        for place in dict.fromkeys(places):
            clock.look()
            if not place.free_symbols <= set(problem.box):
                continue
            sign = (x - place) * slope
            others = {y: side for y, side in problem.box.items() if y != x}
            rest = Problem(problem.expr.subs(x, place), others, problem.strict)
            if rest.expr.has(sympy.nan, sympy.zoo) or not _within(place, (low, high), others, clock):
                continue
            if not (regular(problem.expr, problem.box, clock) and regular(place, others, clock)):
                continue
            text = f"least at {x} = {place}"
            if algebraic(sign):
                if _by_z3(sign, problem.box, clock):
                    yield text, [rest]
                continue
            convex = sympy.diff(slope, x)
            if zero(slope.subs(x, place)):
                if positive_inside(convex, problem.box, clock):
                    yield f"convex in {x}, " + text, [rest]
                    continue
                yield f"convex in {x}, " + text, [Problem(convex, problem.box), rest]
            yield text, [Problem(sign, problem.box), rest]


def _by_z3(expr: Expr, box: Box, clock: Clock) -> bool:
    """At every inner point; at the ends a derivative may have a pole, and the function itself is continuous."""
    inner = sides(box, expr.free_symbols, sympy.Gt, sympy.Lt)
    return decide(expr >= 0, inner, min(1.0, clock.left()), poles=True)[0] is True


def sides(
    box: Box, letters: set[Symbol], above: Any = sympy.Ge, below: Any = sympy.Le
) -> list[sympy.core.relational.Relational]:
    """A box as relations."""
    found = []
    for x in box:
        if x in letters:
            low, high = box[x]
            found += [above(x, low, evaluate=False)] if low.is_finite else []
            found += [below(x, high, evaluate=False)] if high.is_finite else []
    return found


def _stationary(slope: Expr, x: Symbol) -> list[Expr]:
    """Where the derivative vanishes, as far as SymPy soon tells."""
    if slope.count_ops() > 60:
        return []
    try:
        with algebra(0.5):
            found = sympy.solve(slope, x)
    except NoAnswer:
        return []
    return [place for place in found if isinstance(place, Expr) and place.is_real is not False][:2]


def _within(place: Expr, side: tuple[Expr, Expr], box: Box, clock: Clock) -> bool:
    """Whatever the other variables are inside the box."""
    low, high = side
    letters = place.free_symbols
    if not letters:
        return bool(low <= place <= high)
    if letters == {place} and box[place] == side:
        return True
    ok_low = low == S.NegativeInfinity or (low == 0 and place.is_nonnegative) or _at_least(place - low, box, clock)
    return bool(ok_low and (high == S.Infinity or _at_least(high - place, box, clock)))


def _at_least(expr: Expr, box: Box, clock: Clock) -> bool:
    if algebraic(expr):
        return decide(expr >= 0, sides(box, expr.free_symbols), min(0.5, clock.left()))[0] is True
    return positive_inside(expr, box, clock)


def constant(problem: Problem, clock: Clock) -> Reduction | None:
    """In one variable, whose derivative is zero: it is what it is at some point."""
    (x,) = problem.letters
    if not regular(problem.expr, problem.box, clock) or not zero(sympy.diff(problem.expr, x)):
        return None
    low, high = problem.box[x]
    inner = [place for place in map(Rational, ("1", "1/2", "0", "2", "-1")) if low < place < high]
    return ("constant", [replace(problem, expr=problem.expr.subs(x, inner[0]), given=())]) if inner else None


def by_derivative(problem: Problem, ties: list[Tie], clock: Clock) -> Iterator[Reduction]:
    """In one variable, tight at a point: it falls before it and rises after it. Unless it is zero
    throughout, it is then positive beside such a place, for it is analytic."""
    (x,) = problem.letters
    if not regular(problem.expr, problem.box, clock) or (problem.strict and not positive_somewhere(problem)):
        return
    low, high = problem.box[x]
    slope = hyperbolic(sympy.diff(problem.expr, x))
    for tie in ties:
        if tie.place.is_Rational and (not problem.strict or never(problem, x, tie.place)):
            before = Problem(-slope, {x: (low, tie.place)}) if low < tie.place else None
            after = Problem(slope, {x: (tie.place, high)}) if tie.place < high else None
            yield (
                f"by the sign of the derivative on both sides of {x} = {tie.place}",
                [part for part in (before, after) if part is not None],
            )


def squared(problem: Problem, clock: Clock) -> Iterator[Reduction]:
    """A positive term with a square root against a positive rest: their squares, which have a root less."""
    terms = sympy.Add.make_args(problem.expr)
    for term in terms if 2 <= len(terms) <= 6 else ():
        rest = problem.expr - term
        sign = -1 if term.could_extract_minus_sign() else 1
        if not any(root.exp.q == 2 for root in _roots(term)) or len(_roots(rest)) > 1:
            continue
        clock.look()
        expr = sympy.expand(sign * term**2 - sign * rest**2)
        if len(_roots(expr)) >= len(_roots(problem.expr)) or not regular(problem.expr, problem.box, clock):
            continue
        if positive_inside(sign * term, problem.box, clock) and positive_inside(-sign * rest, problem.box, clock):
            yield "in squares", [replace(problem, expr=expr)]


def _roots(expr: Expr) -> list[Expr]:
    return [p for p in expr.atoms(Pow) if isinstance(p.exp, Rational) and p.exp.q > 1 and p.base.free_symbols]


def divided(problem: Problem, clock: Clock) -> Reduction | None:
    """A + B f(u) with one function whose derivative is simpler: divided by B, where that has a sign."""
    nodes = [n for n in problem.expr.atoms(*SIMPLER) if n.free_symbols]
    if len(nodes) != 1 or len(problem.letters) != 1 or problem.strict:
        return None
    letter = Symbol("f_")
    expr = sympy.expand(problem.expr).xreplace({nodes[0]: letter})
    factor = expr.coeff(letter, 1)
    rest = sympy.expand(expr - factor * letter)
    if rest.has(letter) or not factor.free_symbols or factor.has(letter):
        return None
    factor = sympy.factor(factor)
    sign = (
        1 if positive_inside(factor, problem.box, clock) else -1 if positive_inside(-factor, problem.box, clock) else 0
    )
    if sign == 0 or not regular(problem.expr, problem.box, clock):
        return None
    return f"divided by {sign * factor}", [replace(problem, expr=sign * (nodes[0] + sympy.cancel(rest / factor)))]
