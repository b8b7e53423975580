"""Proofs by machine: identities, polynomial inequalities, and inequalities on boxes.

Nothing here samples. An identity is decided by rewriting; a polynomial inequality by z3, which refutes its negation; an
inequality between transcendental functions by cutting a box into cells on which ball arithmetic decides it. A prover
that decides nothing says so, and a false step refutes a proof, not the claim that it was to prove.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import lcm
from operator import add, mul
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from sympy import Add, Expr, Indexed, Max, Min, Mul, Pow, Rational, Symbol, expand_log, sympify, together
from sympy.core.relational import Relational

from maurey.numeric.balls import _Unresolved
from maurey.numeric.ranges import Ranges
from maurey.numeric.walk import Undefined, walk
from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.verify.checks import Result

EFFORT = 20_000_000  # z3's own count of what it does, so that an answer does not depend on the machine
MOST_CELLS = 20_000
PRECISION = 96  # bits
HIGHEST_ORDER = 8  # of a derivative at a point where an inequality is tight


@dataclass(frozen=True)
class Proof:
    """Whether a statement was proved (True), is false at the witness (False), or was not decided (None)."""

    verdict: bool | None
    text: str
    witness: Mapping[str, str] = field(default_factory=dict)


def conclude(note: str, proofs: Iterable[Proof], **fields: Any) -> Result:
    """A claim holds if every step of its proof does. A step that does not leaves the claim open."""
    fields = {"rung": "proved", **fields}
    for proof in proofs:
        if proof.verdict is not True:
            at = f", false at {dict(proof.witness)}" if proof.witness else ""
            return Result("undecided", note=f"a step is not proved: {proof.text}{at}", **fields)
    return Result("holds", note=note, **fields)


# --- identities -------------------------------------------------------------------------------------------------


def formula(key: str, form: str = "printed", part: str = "", **values: Expr | int) -> Expr:
    """A form of a claim as one expression, its constants and whatever is given put in."""
    claim = registry.find(key)
    constants = {c.name: Rational(c.value.numerator, c.value.denominator) for c in claim.constants}
    sizes = {name: value for name, value in values.items() if isinstance(value, int)}
    return nested(claim.part(part).steps(form, Setting(sizes)), **{**constants, **values})


def nested(steps: Sequence[Step], **values: Expr | int) -> Expr:
    """Steps as one expression in positive symbols."""
    given = {Symbol(name): sympify(value) for name, value in values.items()}
    made: dict[Symbol, Expr] = {}
    for step in steps:
        made[Symbol(step.name)] = step.expr.subs(given).doit(integrals=False).xreplace(made).doit(integrals=False)
    expr = made[Symbol(steps[-1].name)]
    letters = {entry: Symbol(str(entry), positive=True) for entry in expr.atoms(Indexed)}
    expr = expr.xreplace(letters)
    return expr.xreplace({s: Symbol(s.name, positive=True) for s in expr.free_symbols if isinstance(s, Symbol)})


def identity(left: Expr | int, right: Expr | int) -> bool | None:
    """Are two expressions in positive symbols the same? Exact: a rational function is zero or is not, and every symbol
    is replaced by a power of itself that turns roots of monomials into monomials. Beside logarithms and the like, which
    count as symbols of their own, only equality can be told."""
    difference = expand_log(sympify(left) - sympify(right)).rewrite([sympy.tanh], sympy.exp)
    powers = [power.exp.q for power in difference.atoms(Pow) if isinstance(power.exp, Rational)]
    roots = {x: x ** lcm(*powers) for x in difference.free_symbols if x.is_positive}
    top = sympy.expand(together(difference.xreplace(roots)).as_numer_denom()[0])
    if top == 0:
        return True
    letters = top.free_symbols
    if top.is_polynomial(*letters) and all(
        c.is_Rational for c in sympy.Poly(top, *(letters or {Symbol("x")})).coeffs()
    ):
        return False
    return True if sympy.simplify(difference, doit=False) == 0 else None


def same(left: Expr | int, right: Expr | int) -> Proof:
    return Proof(identity(left, right), f"{left} = {right}")


# --- polynomial inequalities ------------------------------------------------------------------------------------


def polynomial(claim: Relational, *given: Relational, control: Relational) -> Proof:
    """The claim for all numbers that satisfy what is given and at which it is defined. The control is the claim with a
    constant that is a little too good: were it not refuted, the hypotheses would be empty or the proof be worthless."""
    verdict, witness = _decide(claim, given)
    if verdict and _decide(control, given)[0] is not False:
        return Proof(None, f"{claim}: the control {control} is not refuted")
    return Proof(verdict, str(claim), witness)


def least_at(expr: Expr, x: Symbol, c: Expr | int, *given: Relational) -> Proof:
    """expr >= its value at x = c for all x of an interval (`given`, and what x assumes) with c in it or at its end: the
    derivative has the sign of x - c. The control: it has not the sign of x less a point beside c."""
    slope, c = sympy.diff(expr, x), sympify(c)
    beside = c + Rational(1, 1000) if c == 0 else c * Rational(1001, 1000)
    here, there = (_decide((x - point) * slope >= 0, given, poles=True)[0] for point in (c, beside))
    proved = here is True and there is not True and _smooth(expr)
    return Proof(proved or None, f"{expr} is least at {x} = {c}")


def _smooth(expr: Expr) -> bool:
    """Between its poles, as far as its nodes tell."""
    return not expr.has(sympy.floor, sympy.ceiling, sympy.Piecewise, sympy.Abs, Max, Min)


def _decide(claim: Relational, given: Iterable[Relational], poles: bool = False) -> tuple[bool | None, dict[str, str]]:
    """With `poles`, a quotient by zero is not left out: it may be any number."""
    z3 = importlib.import_module("z3")
    rules: list[Any] = []
    divisors: list[Any] = []
    opaque: dict[Expr, Any] = {}

    def read(expr: Any) -> Any:
        return _for_z3(expr, z3, rules, divisors, opaque)

    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(*map(read, given), z3.Not(read(claim)))
    solver.add(*rules, *(divisor != 0 for divisor in divisors if not poles))
    answer = solver.check()
    if answer == z3.unsat:
        return True, {}
    if answer == z3.unknown or opaque:  # a number that stands for log x may not be the logarithm of anything
        return None, {}
    model = solver.model()
    return False, {v.name(): str(model[v]) for v in model.decls() if v.arity() == 0}


def _for_z3(expr: Any, z3: Any, rules: list[Any], divisors: list[Any], opaque: dict[Expr, Any]) -> Any:
    """Symbols with what they assume (integer, positive), roots by what defines them; any other function is some
    number."""

    def read(part: Any) -> Any:
        return _for_z3(part, z3, rules, divisors, opaque)

    if isinstance(expr, sympy.logic.boolalg.BooleanAtom):
        return z3.BoolVal(bool(expr))
    if isinstance(expr, Rational):
        return z3.Q(expr.p, expr.q)
    if isinstance(expr, Symbol):
        number = z3.ToReal(z3.Int(expr.name)) if expr.is_integer else z3.Real(expr.name)
        rules += [number > 0] if expr.is_positive else [number >= 0] if expr.is_nonnegative else []
        return number
    if isinstance(expr, Pow) and isinstance(expr.exp, Rational):
        base, n = read(expr.base), abs(expr.exp.p)
        if expr.exp.q > 1:
            root = z3.Real(f"root {len(rules)}")
            rules += [root >= 0, reduce(mul, [root] * expr.exp.q) == base]
            base = root
        if expr.exp > 0:
            return reduce(mul, [base] * n)
        divisors.append(base)
        return 1 / reduce(mul, [base] * n)
    if isinstance(expr, sympy.Piecewise):
        *cases, last = [(read(b.expr), read(b.cond)) for b in expr.args]
        return reduce(lambda rest, case: z3.If(case[1], case[0], rest), reversed(cases), last[0])
    operations = {Add: add, Mul: mul, Max: lambda a, b: z3.If(a >= b, a, b), Min: lambda a, b: z3.If(a <= b, a, b)}
    inner = [read(argument) for argument in expr.args]
    if expr.func in operations:
        return reduce(operations[expr.func], inner)
    if isinstance(expr, sympy.floor):
        return z3.ToReal(z3.ToInt(inner[0]))
    if isinstance(expr, sympy.ceiling):
        return -z3.ToReal(z3.ToInt(-inner[0]))
    if isinstance(expr, Relational):
        a, b = inner
        return {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b, "!=": a != b}[expr.rel_op]
    return opaque.setdefault(expr, z3.Real(f"value {len(opaque)}"))


# --- inequalities on boxes --------------------------------------------------------------------------------------

Cell = dict[Symbol, tuple[fmpq, fmpq]]


def nonnegative(expr: Expr, box: Mapping[Symbol, tuple[Any, Any]], tight: Mapping[Symbol, Any] | None = None) -> Proof:
    """expr >= 0 on the whole box, which has rational ends; for smooth functions.

    A cell is settled by its values, by the value in its middle and the slopes over it, or, next to a point x = c where
    expr vanishes with its first k - 1 derivatives (`tight`), by the sign of the k-th, which is Taylor's remainder.
    """
    slopes = {x: sympy.diff(expr, x) for x in box}
    flat = {x: (_rational(c), *_order(expr, x, sympify(c))) for x, c in (tight or {}).items()}
    cells: list[Cell] = [{x: (_rational(low), _rational(high)) for x, (low, high) in box.items()}]
    text = f"{expr} >= 0 for {', '.join(f'{a} <= {x} <= {b}' for x, (a, b) in box.items())}"
    for number in range(MOST_CELLS if _smooth(expr) else 0):
        if not cells:
            return Proof(True, f"{text}, in {number} cells")
        cell = cells.pop()
        middle = {x: (low + high) / 2 for x, (low, high) in cell.items()}
        with ctx.workprec(PRECISION):
            at = {x.name: value for x, value in middle.items()}
            over = {x.name: arb(low).union(arb(high)) for x, (low, high) in cell.items()}
            center = _ball(expr, at)
            if center < 0:
                return Proof(False, text, {x.name: str(v) for x, v in middle.items()})
            moved = sum((_ball(slopes[x], over) * (over[x.name] - at[x.name]) for x in cell), arb(0))
            if _ball(expr, over) >= 0 or center + moved >= 0:
                continue
            if any(_by_derivative(cell[x], c, k, _ball(high, over)) for x, (c, k, high) in flat.items() if k):
                continue
        cells += _cut(cell, {x: c for x, (c, _, _) in flat.items()})
    return Proof(None, f"{text}: open after {MOST_CELLS} cells")


def _order(expr: Expr, x: Symbol, c: Expr) -> tuple[int, Expr]:
    """The first derivative in x that does not vanish at x = c, whatever the other variables are; 0 if that is expr."""
    for k in range(HIGHEST_ORDER):
        if identity(expr.subs(x, c), 0) is not True:
            return k, expr
        expr = sympy.diff(expr, x)
    return 0, expr


def _by_derivative(side: tuple[fmpq, fmpq], c: fmpq, k: int, derivative: arb) -> bool:
    low, high = side
    if not low <= c <= high:
        return False
    right, left = derivative >= 0, (derivative if k % 2 == 0 else -derivative) >= 0
    return bool((right or c == high) and (left or c == low))


def _cut(cell: Cell, points: Mapping[Symbol, fmpq]) -> list[Cell]:
    """At a point where expr is tight if one lies inside, else across the longest side."""
    inside = [(x, c) for x, c in points.items() if cell[x][0] < c < cell[x][1]]
    longest = max(cell, key=lambda x: cell[x][1] - cell[x][0])
    x, c = inside[0] if inside else (longest, sum(cell[longest]) / 2)
    return [cell | {x: (cell[x][0], c)}, cell | {x: (c, cell[x][1])}]


def _ball(expr: Expr, at: Mapping[str, Any]) -> arb:
    try:
        return arb(walk(expr, at, Ranges([])))
    except (_Unresolved, Undefined):
        return arb.nan()  # no comparison with it holds


def _rational(value: Any) -> fmpq:
    number = Rational(value)
    return fmpq(int(number.p), int(number.q))
