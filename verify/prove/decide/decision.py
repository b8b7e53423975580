"""Whether an inequality holds on a box: refuted by search, proved by z3, by reductions or by certified subdivision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Rational, Symbol
from sympy.core.relational import Relational

from maurey.verify.prove.clock import Clock
from maurey.verify.prove.polynomials import algebraic, decide

from .cases import cases
from .cells import MOST_CELLS, Cells, subdivided
from .domains import regular
from .exponentials import exponentiated, in_letters, taken_out
from .integers import by_values, relaxed
from .problem import KINKS, Given, Problem, violated, zero
from .reductions import (
    Reduction,
    as_hyperbolic,
    by_derivative,
    cleared,
    constant,
    divided,
    least,
    logged,
    sides,
    squared,
    to_the_edge,
)
from .search import Found, confirmed, search
from .shapes import apart, between_ends, concave, to_a_limit
from .substitutions import algebraically, combined, periodic, scaled, shifted
from .ties import Tie, ties_of, touches

DEEPEST = 7
FEW_CELLS, MORE_CELLS = 100, 1000
LONGEST = 400  # operations of an expression that is looked at further


@dataclass(frozen=True)
class Decision:
    """True, False with a witness, or None; and by what."""

    verdict: bool | None
    how: str = ""
    witness: Mapping[Symbol, Any] | None = None


def decided(problem: Problem, clock: Clock, instances: int = 1000, seed: int = 0) -> Decision:
    """Search, then proof. Raises OutOfTime."""
    found = search(problem, clock, instances, seed)
    if found.witness is not None:
        return Decision(False, "found by search, confirmed in balls", found.witness)
    verdict, witness = _asked_of_z3(problem, clock)
    if verdict is not None:
        return Decision(verdict, "z3" if verdict else "found by z3, confirmed in balls", witness)
    if (touched := _touched(problem, found, clock)) is not None:
        return Decision(False, "both sides are equal there", touched)
    if any(x.is_integer for x in problem.letters):
        return _over_integers(problem, clock, instances, seed)
    problem = closed(problem)
    how = proved(problem, found, clock)
    return Decision(None) if how is None else Decision(True, how)


def _touched(problem: Problem, found: Found, clock: Clock) -> Mapping[Symbol, Any] | None:
    """In one variable, an exact point at which what should be positive is zero."""
    ties = (
        ties_of(problem, found.tight, clock) if problem.strict and len(problem.letters) == len(problem.box) == 1 else []
    )
    points: list[dict[Symbol, Any]] = [{tie.x: tie.place} for tie in ties]
    return next((point for point in points if violated(problem, point)), None)


def closed(problem: Problem) -> Problem:
    """Without what only takes an end off a side: a continuous function that is nonnegative up to there is so there."""
    if problem.strict or problem.expr.has(*KINKS):
        return problem
    ends = {Given(sign * (x - end), ">") for x, side in problem.box.items() for end in side for sign in (1, -1)}
    return replace(problem, given=tuple(g for g in problem.given if g not in ends))


def _over_integers(problem: Problem, clock: Clock, instances: int, seed: int) -> Decision:
    """For all reals, or one value after another; beyond the first few values for all reals again."""
    if how := _over_reals(problem, clock):
        return Decision(True, f"for all real numbers: {how}")
    split = by_values(problem)
    if split is None:
        return Decision(None)
    parts, rest = split
    for value, part in parts:
        found = decided(part, clock, instances, seed)
        if found.verdict is not True:
            return Decision(found.verdict, found.how, None if found.witness is None else {**found.witness, **value})
    if rest is None:
        return Decision(True, f"{len(parts)} values, one by one")
    how = _over_reals(rest, clock)
    return Decision(None) if how is None else Decision(True, f"{len(parts)} values, and for all larger numbers: {how}")


def _over_reals(problem: Problem, clock: Clock) -> str | None:
    real = relaxed(problem)
    if real is None:
        return None
    found = search(real, clock, 300, 1)
    if found.witness is not None:
        return None
    verdict, _ = _asked_of_z3(real, clock)
    return "z3" if verdict else proved(closed(real), found, clock)


def identical(problem: Problem, clock: Clock) -> str | None:
    """The expression is zero on the whole box: by rewriting, because nothing moves it, or from both sides."""
    if zero(problem.expr):
        return "both sides are the same after rewriting"
    if regular(problem.expr, problem.box, clock):  # so that what is true inside is true on the whole box
        positive = {x: Symbol(x.name, positive=True) for x in problem.box if x.is_nonnegative}
        if zero(problem.expr.xreplace(positive)):
            return "both sides are the same after rewriting"
        inner = [p for p in (dict.fromkeys(problem.letters, v) for v in map(Rational, ("1", "1/2", "0")))
                 if all(problem.box[x][0] < v < problem.box[x][1] for x, v in p.items())]  # fmt: skip
        if any(touches(problem, p) for p in inner) and all(zero(sympy.diff(problem.expr, x)) for x in problem.letters):
            return "the difference is constant, and zero at a point"
    for sign in (1, -1):
        part = replace(problem, expr=sign * problem.expr)
        if (how := proved(closed(part), search(part, clock, 300, 0), clock)) is None:
            return None
    return how


class Attempt:
    """What is known of one problem while it is worked on, and how many reductions are still allowed."""

    def __init__(self, problem: Problem, found: Found) -> None:
        self.problem, self.found = problem, found
        self.ties: list[Tie] | None = None
        self.corners: list[dict[Symbol, Any]] | None = None
        self.tool: Cells | None = None
        self.reductions: dict[str, Any] = {}
        self.cells = 0  # tried without success
        self.z3 = False
        self.failed = -1  # with so many reductions left
        self.how: str | None = None  # of what is shown: two parts of a problem may be the same


Notes = dict[Any, Attempt | None]  # None: known to be false


def proved(problem: Problem, found: Found, clock: Clock) -> str | None:
    """By what, or None. The shortest chain of reductions first."""
    notes: Notes = {}
    attempt = Attempt(problem, found)
    attempt.z3 = True  # was asked before
    for left in range(DEEPEST):
        how = _proved(attempt, clock, notes, left)
        if how is not None:
            return how
    return _by_cells(attempt, clock, MOST_CELLS)


def _proved(attempt: Attempt, clock: Clock, notes: Notes, left: int) -> str | None:
    clock.look()
    if attempt.how or attempt.failed >= left:
        return attempt.how
    problem = attempt.problem
    if attempt.failed < 0 and not problem.strict and zero(problem.expr):
        return "both sides are the same"
    if attempt.failed < 0 and _is_given(problem):
        return "it is what is given"
    how = (None if attempt.z3 else _by_z3(problem, clock, bool(notes))) or _by_cells(attempt, clock, FEW_CELLS)
    attempt.z3 = True
    if how is None and left:
        how = _by_reduction(attempt, clock, notes, left)
    if how is None and left > 1:
        how = _by_cells(attempt, clock, MORE_CELLS)
    attempt.failed, attempt.how = left, how
    return how


def _is_given(problem: Problem) -> bool:
    """Is the expression one of those that are given, or the sum of two?"""
    for several in (*combinations(problem.given, 1), *combinations(problem.given, 2)):
        rest = problem.expr - sympy.Add(*(g.expr for g in several))
        if (not problem.strict or any(g.relation == ">" for g in several)) and sympy.expand_mul(rest) == 0:
            return True
    return False


def show(problem: Problem, clock: Clock, notes: Notes, left: int) -> str | None:
    """A smaller problem, with a search of its own; None if it is false or stays open."""
    if problem.expr.count_ops() > LONGEST:
        return None
    if not problem.letters:
        return "at a point" if _at_a_point(problem) else None
    problem = replace(problem, box={x: problem.box[x] for x in problem.letters})
    key = problem.expr, tuple(problem.box.items()), problem.strict, problem.given
    if key not in notes:
        found = search(problem, clock, 300, 1)
        notes[key] = None if found.witness is not None else Attempt(problem, found)
    attempt = notes[key]
    return None if attempt is None else _proved(attempt, clock, notes, left)


def _at_a_point(problem: Problem) -> bool:
    """The opposite, strict or not, is certainly wrong."""
    return violated(Problem(-problem.expr, {}, strict=not problem.strict), {})


def _by_z3(problem: Problem, clock: Clock, inner: bool) -> str | None:
    asked = _for_z3(problem)
    if asked is None:
        return None
    verdict, _ = decide(*asked, min(3.0, clock.left() * (0.2 if inner else 0.4)))
    return "z3" if verdict else None


def _for_z3(problem: Problem) -> tuple[Relational, list[Relational]] | None:
    """The claim and what is given, if z3 understands them."""
    expr = problem.expr
    constants = {node: Symbol(f"c{i}") for i, node in enumerate(_constants(expr))}
    if not algebraic(expr.xreplace(constants)) or not all(algebraic(g.expr) for g in problem.given):
        return None
    claim = sympy.Gt(expr, 0, evaluate=False) if problem.strict else sympy.Ge(expr, 0, evaluate=False)
    relations = {">=": sympy.Ge, ">": sympy.Gt, "==": sympy.Eq}
    given = [relations[g.relation](g.expr, 0, evaluate=False) for g in problem.given]
    return claim, [*given, *sides(problem.box, set(problem.letters))]


def _asked_of_z3(problem: Problem, clock: Clock) -> tuple[bool | None, Mapping[Symbol, Any] | None]:
    """False only with a point, that of z3's model or one beside it, at which balls say so too."""
    asked = _for_z3(problem)
    if asked is None:
        return None, None
    verdict, model = decide(*asked, min(3.0, clock.left() * 0.4))
    if verdict is not False:
        return verdict, None
    exact = {x: Rational(model.get(x.name, "0").rstrip("?")) for x in problem.box}
    floats = np.array([float(value) for value in exact.values()])
    witness = exact if violated(problem, exact) else confirmed(problem, list(problem.box), floats)
    return (None, None) if witness is None else (False, witness)


def _constants(expr: Expr) -> list[Expr]:
    """Numbers such as pi and log 2, the largest first."""
    return [n for n in sympy.preorder_traversal(expr) if n.is_number and not n.is_Rational and not algebraic(n)]


def _by_reduction(attempt: Attempt, clock: Clock, notes: Notes, left: int) -> str | None:
    for reduction in _reductions(attempt, clock, left):
        clock.look()
        text, parts = reduction
        hows = []
        for part in parts:
            how = show(part, clock, notes, left - 1)
            if how is None:
                break
            hows.append(how)
        else:
            return f"{text}: {', '.join(dict.fromkeys(hows))}" if hows else text
    return None


def _reductions(attempt: Attempt, clock: Clock, left: int) -> Iterator[Reduction]:
    """Each is looked for once."""
    problem, ties = attempt.problem, _ties(attempt, clock)
    alone = len(problem.letters) == 1

    def kept(name: str, find: Callable[[], Any]) -> list[Reduction]:
        if name not in attempt.reductions:
            found = find()
            attempt.reductions[name] = [] if found is None else [found] if isinstance(found, tuple) else list(found)
        return list(attempt.reductions[name])

    yield from kept("periodic", lambda: periodic(problem))
    split = kept("cases", lambda: cases(problem))
    yield from split
    if split:
        return
    yield from kept("algebraic", lambda: algebraically(problem))
    yield from kept("taken out", lambda: taken_out(problem))
    yield from kept("exponentiated", lambda: exponentiated(problem))
    yield from kept("letters", lambda: in_letters(problem))
    clear = kept("cleared", lambda: cleared(problem, clock))
    if shorter := [one for one in clear if one[1][0].expr.count_ops() < problem.expr.count_ops()]:
        yield from shorter
    if alone:
        yield from kept("constant", lambda: constant(problem, clock))
        yield from kept("hyperbolic", lambda: as_hyperbolic(problem))
        yield from kept("derivative", lambda: by_derivative(problem, ties, clock))
        if left > 1:  # they take longer
            yield from kept("limit", lambda: to_a_limit(problem, clock))
            yield from kept("ends", lambda: between_ends(problem, clock))
            yield from kept("apart", lambda: apart(problem))
    else:
        yield from kept("scaled", lambda: scaled(problem))
        yield from kept("shifted", lambda: shifted(problem))
        yield from kept("combined", lambda: combined(problem))
        yield from kept("concave", lambda: concave(problem, clock))
        yield from kept("edge", lambda: to_the_edge(problem, clock))
        yield from kept("least", lambda: least(problem, clock, ties))
    yield from clear
    yield from kept("divided", lambda: divided(problem, clock))
    yield from kept("squared", lambda: squared(problem, clock))
    yield from kept("logged", lambda: logged(problem, clock))


def _ties(attempt: Attempt, clock: Clock) -> list[Tie]:
    if attempt.ties is None:
        attempt.ties = ties_of(attempt.problem, attempt.found.tight, clock)
    return attempt.ties


def _by_cells(attempt: Attempt, clock: Clock, most: int) -> str | None:
    if attempt.cells >= most:
        return None
    attempt.cells = most
    problem, ties, before = attempt.problem, _ties(attempt, clock), clock.cells
    if attempt.corners is None:
        attempt.corners = tight_corners(problem, attempt.found.tight) if len(problem.letters) > 1 else []
    if attempt.tool is None:
        attempt.tool = Cells(problem, ties, attempt.corners, regular(problem.expr, problem.box, clock))
    cells, corners = attempt.tool, attempt.corners
    if subdivided(cells, clock, most):
        at = [f"{t.x} = {t.place}" for t in ties] or [
            "(" + ", ".join(f"{x} = {v}" for x, v in p.items()) + ")" for p in corners
        ]
        tight = f", tight at {', '.join(at[:3])}" if at else ""
        return f"certified subdivision, {clock.cells - before} cells{tight}"
    return None


def tight_corners(problem: Problem, tight: Any) -> list[dict[Symbol, Any]]:
    """Exact points, corners of the box or simple points near what floats found, at which the difference vanishes."""

    letters = list(problem.box)
    finite = [[end for end in problem.box[x] if end.is_finite] for x in letters]
    points = [dict(zip(letters, corner, strict=True)) for corner in product(*finite)][:64] if all(finite) else []
    seen: list[Any] = []
    for row in tight[:60]:
        if all(np.max(abs(row - other)) > 1e-3 for other in seen):
            seen.append(row)
            nearest = [_nearest(float(v), problem.box[x]) for x, v in zip(letters, row, strict=True)]
            points.append(dict(zip(letters, nearest, strict=True)))
    distinct = [dict(pairs) for pairs in dict.fromkeys(tuple(p.items()) for p in points)]
    return list(islice((p for p in distinct if touches(problem, p)), 12))


def _nearest(value: float, side: tuple[Expr, Expr]) -> Any:
    for end in side:
        if end.is_finite and abs(float(end) - value) < 1e-3:
            return end
    for denominator in (1, 2, 3, 4, 6, 12):
        near = Fraction(value).limit_denominator(denominator)
        if abs(float(near) - value) < 1e-3:
            return Rational(near.numerator, near.denominator)
    near = Fraction(value).limit_denominator(1000)
    return Rational(near.numerator, near.denominator)
