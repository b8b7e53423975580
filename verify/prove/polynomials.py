"""Polynomial inequalities, decided by z3, which refutes their negation; and where a function is least."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import sympy
from flint import arb, ctx
from sympy import Add, Expr, Max, Min, Mul, Pow, Rational, Symbol, sympify
from sympy.core.relational import Relational

from maurey.numeric.balls import Balls, Unresolved
from maurey.numeric.walk import Undefined, walk

from .clock import due, remaining
from .proofs import Proof

EFFORT = 20_000_000  # z3's own count of what it does, so that an answer does not depend on the machine


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
    proved = here is True and there is not True and smooth(expr)
    return Proof(proved or None, f"{expr} is least at {x} = {c}")


def smooth(expr: Expr) -> bool:
    """Between its poles, as far as its nodes tell."""
    return not expr.has(sympy.floor, sympy.ceiling, sympy.Piecewise, sympy.Abs, Max, Min)


def algebraic(expr: Any) -> bool:
    """Made of symbols, rationals, arithmetic, roots, Min, Max, absolute values and cases: what z3 decides."""
    kinds = (Add, Mul, Symbol, Rational, Max, Min, sympy.Abs, sympy.floor, sympy.ceiling, sympy.Piecewise, sympy.sign)
    if isinstance(expr, Pow):
        return isinstance(expr.exp, Rational) and abs(expr.exp.p) <= 64 and expr.exp.q <= 16 and algebraic(expr.base)
    plain = isinstance(expr, (*kinds, Relational, sympy.functions.elementary.piecewise.ExprCondPair))
    return isinstance(expr, sympy.logic.boolalg.BooleanAtom) or (plain and all(map(algebraic, expr.args)))


def decide(
    claim: Relational, given: Iterable[Relational], seconds: float, poles: bool = False
) -> tuple[bool | None, dict[str, str]]:
    """Within so many seconds, and no limit of the clock overrun."""
    found = _decide(claim, given, poles, milliseconds=max(1, int(1000 * min(seconds, remaining()))))
    due()
    return found


def _decide(
    claim: Relational, given: Iterable[Relational], poles: bool = False, milliseconds: int = 0
) -> tuple[bool | None, dict[str, str]]:
    """With `poles`, a quotient by zero is not left out: it may be any number."""
    z3 = importlib.import_module("z3")
    rules: list[Any] = []
    divisors: list[Any] = []
    opaque: dict[Expr, Any] = {}

    def read(expr: Any) -> Any:
        return _for_z3(expr, z3, rules, divisors, opaque)

    solver = z3.Solver()
    if milliseconds:
        solver.set("timeout", milliseconds)
    else:
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
        *cases, last = _branches(expr, z3, rules, divisors, opaque)
        return reduce(lambda rest, case: z3.If(case[1], case[0], rest), reversed(cases), last[0])
    operations = {Add: add, Mul: mul, Max: lambda a, b: z3.If(a >= b, a, b), Min: lambda a, b: z3.If(a <= b, a, b)}
    inner = [read(argument) for argument in expr.args]
    if expr.func in operations:
        return reduce(operations[expr.func], inner)
    if isinstance(expr, sympy.Abs):
        return z3.If(inner[0] >= 0, inner[0], -inner[0])
    if isinstance(expr, sympy.sign):
        return z3.If(inner[0] > 0, z3.RealVal(1), z3.If(inner[0] < 0, z3.RealVal(-1), z3.RealVal(0)))
    if isinstance(expr, sympy.floor):
        return z3.ToReal(z3.ToInt(inner[0]))
    if isinstance(expr, sympy.ceiling):
        return -z3.ToReal(z3.ToInt(-inner[0]))
    if isinstance(expr, Relational):
        a, b = inner
        return {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b, "!=": a != b}[expr.rel_op]
    if expr not in opaque:
        opaque[expr] = z3.Real(f"value {len(opaque)}")
        rules += _enclosed(expr, opaque[expr], z3)
    return opaque[expr]


def _branches(expr: Any, z3: Any, rules: list[Any], divisors: list[Any], opaque: dict[Expr, Any]) -> list[Any]:
    """Values and conditions. That a root exists, or that a divisor is not zero, is asked where its branch counts."""
    found: list[Any] = []
    for branch in expr.args:
        condition = _for_z3(branch.cond, z3, rules, divisors, opaque)
        here = z3.And(condition, *(z3.Not(other) for _, other in found))
        known, below = len(rules), len(divisors)
        found.append((_for_z3(branch.expr, z3, rules, divisors, opaque), condition))
        rules[known:] = [z3.Implies(here, rule) for rule in rules[known:]]
        divisors[below:] = [z3.If(here, divisor, 1) for divisor in divisors[below:]]
    return found


def _enclosed(expr: Any, value: Any, z3: Any) -> list[Any]:
    """A number such as pi or log 2 lies between two rationals."""
    if expr.free_symbols or not expr.is_real:
        return []
    ball = constant(expr)
    if ball is None:
        return []
    return [value >= z3.Q(*ball[0].as_integer_ratio()), value <= z3.Q(*ball[1].as_integer_ratio())]


def constant(expr: Expr) -> tuple[Fraction, Fraction] | None:
    """Rationals around a real number, some 60 digits apart."""
    with ctx.workprec(200):
        try:
            value = arb(walk(expr, {}, Balls([])))
        except (Unresolved, Undefined, KeyError, StopIteration):
            return None
        middle, radius, exponent = (int(v) for v in value.mid_rad_10exp(50)) if value.is_finite() else (0, 0, 0)
    if not value.is_finite():
        return None
    scale = Fraction(10) ** exponent
    return (middle - radius) * scale, (middle + radius) * scale
