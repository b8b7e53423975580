"""What a user asks: two sides or a relation, a box, assumptions; read into exact expressions, or one clear line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any

import sympy
from flint import ctx
from sympy import Expr, Float, Pow, Rational, S, Symbol
from sympy.core.relational import Relational

from maurey.numeric.binding import LONGEST, exact
from maurey.numeric.walk import ELEMENTARY
from maurey.symbolic.claim import InputError
from maurey.symbolic.expressions import MOST_DEEP, depth

from .decide.domains import conditions, reality
from .decide.problem import PRECISION, Box, Given, box_text, number
from .ranges.intervals import between
from .ranges.intervals import over as range_over

RELATIONS = ("<=", "<", ">=", ">", "==")
MOST_BITS = int(LONGEST * math.log2(10))
FUNCTIONS = (*ELEMENTARY, "exp", "log", "Abs", "ceiling", "Min", "Max", "Piecewise")
INVERSE = (sympy.asin, sympy.acos, sympy.acosh, sympy.atanh)  # which SymPy leaves as they are where they are not real
OTHERS: dict[Any, Any] = {  # by functions that there are
    sympy.cot: lambda u: sympy.cos(u) / sympy.sin(u), sympy.sec: lambda u: 1 / sympy.cos(u),
    sympy.csc: lambda u: 1 / sympy.sin(u), sympy.coth: lambda u: sympy.cosh(u) / sympy.sinh(u),
    sympy.sech: lambda u: 1 / sympy.cosh(u), sympy.csch: lambda u: 1 / sympy.sinh(u),
    sympy.acot: lambda u: sympy.atan(1 / u), sympy.asec: lambda u: sympy.acos(1 / u),
    sympy.acsc: lambda u: sympy.asin(1 / u), sympy.acoth: lambda u: sympy.atanh(1 / u),
    sympy.sinc: lambda u: sympy.sin(u) / u,
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    lhs: Expr
    rhs: Expr
    relation: str
    box: Box
    given: tuple[Given, ...]
    real: tuple[Given, ...]  # what makes both sides real numbers
    statement: str
    where: str


def question(lhs: Any, rhs: Any, over: Mapping[Any, Any], relation: str, assuming: Any) -> Question:
    if isinstance(lhs, sympy.logic.boolalg.Boolean) and not isinstance(lhs, Symbol):
        if rhs is not None:
            raise InputError("a relation is checked alone: check(relation, over=...)")
        lhs, rhs, relation = _split(lhs)
    if rhs is None:
        raise InputError("the right-hand side is missing: check(lhs, rhs, over=...) or check(relation, over=...)")
    if relation not in RELATIONS:
        raise InputError(f"no relation {relation!r}; there are {', '.join(RELATIONS)}")
    left, right = _expression(lhs, "left-hand side"), _expression(rhs, "right-hand side")
    relations = [_split(one) for one in _several(assuming)]
    used = [side for a, b, _ in relations for side in (a, b) if isinstance(side, Expr)]
    names, letters, open_ends = dict[str, tuple[Expr, Expr]](), dict[str, Symbol](), list[Given]()
    for name, ends in over.items():
        if str(name) in names:
            raise InputError(f"the box names {name} twice")
        kinds = [s for e in (left, right, *used) for s in e.free_symbols if getattr(s, "name", "") == str(name)]
        letter = letters[str(name)] = Symbol(str(name), **_kind(kinds))
        names[str(name)], strict = _declared(name, _side(name, ends), kinds)
        open_ends += [Given(sign * letter, ">") for sign in strict]

    def own(expr: Expr) -> Expr:
        missing = {s.name for s in expr.free_symbols if isinstance(s, Symbol)} - set(names)
        if missing:
            raise InputError(f"the box says nothing of {', '.join(sorted(missing))}")
        return readable(expr.xreplace({s: letters[s.name] for s in expr.free_symbols}))

    stated = [_given(own(_expression(a, "assumption")), own(_expression(b, "assumption")), rel)
              for a, b, rel in relations]  # fmt: skip
    given = (*stated, *open_ends)
    box = {letters[n]: side for n, side in names.items()}
    texts = [f"{a} {'=' if rel == '==' else rel} {b}" for a, b, rel in relations]
    first, second = own(left), own(right)
    partial = any(_may_fail(u, either, box) for expr in (first, second) for u, either in conditions(expr))
    real = ["where every part is real"] if partial else []
    bases = {p.base for e in (first, second) for p in e.atoms(Pow) if p.exp.free_symbols and not p.exp.is_integer}
    powers = [f"{base} >= 0" for base in sorted(bases, key=str)
              if not (base.is_nonnegative or (base in box and box[base][0] >= 0))]  # fmt: skip
    where = ", ".join([box_text(box), *(f"{g.expr} > 0" for g in open_ends), *texts, *powers, *real])
    statement = f"{left} {relation.replace('==', '=')} {right}"
    parts = [g for expr in (first, second) for g in reality(expr) if g.expr.free_symbols]
    return Question(first, second, relation, box=box, given=given, real=tuple(dict.fromkeys(parts)),
                    statement=statement, where=where)  # fmt: skip


def _may_fail(u: Expr, either: bool, box: Box) -> bool:
    """As far as neither the signs of symbols nor intervals tell."""
    if u.is_positive or (either and u.is_nonzero):
        return False
    with ctx.workprec(PRECISION):
        found, _ = range_over(u, {x.name: between(number(low), number(high)) for x, (low, high) in box.items()})
    return found is None or not (found.low > 0 or (either and found.high < 0))


def _several(assuming: Any) -> list[Any]:
    if isinstance(assuming, sympy.logic.boolalg.Boolean):
        assuming = assuming.args if isinstance(assuming, sympy.And) else (assuming,)
    if not isinstance(assuming, Iterable) or isinstance(assuming, (str, Mapping)):
        raise InputError(f"assuming takes SymPy relations, got {type(assuming).__name__}")
    return [one for one in assuming if one != sympy.true]


def _split(relation: Any) -> tuple[Any, Any, str]:
    if isinstance(relation, (sympy.logic.boolalg.BooleanAtom, bool)):
        raise InputError(f"SymPy has already turned this relation into {relation}: give its two sides apart")
    if not isinstance(relation, Relational) or relation.rel_op not in RELATIONS:
        raise InputError(f"a relation is one of {', '.join(RELATIONS)} between SymPy expressions, got {relation}")
    return relation.lhs, relation.rhs, relation.rel_op


def _given(a: Expr, b: Expr, relation: str) -> Given:
    if relation == "==":
        return Given(a - b, "==")
    return Given(b - a if relation in ("<", "<=") else a - b, ">" if relation in ("<", ">") else ">=")


def plain(value: Any) -> Any:
    """NumPy and torch scalars as Python numbers."""
    if not isinstance(value, (Expr, str)) and hasattr(value, "item") and getattr(value, "shape", None) in ((), None):
        return value.item()
    return value


def _expression(side: Any, what: str) -> Expr:
    side = plain(side)
    if isinstance(side, Expr):
        if depth(side, MOST_DEEP + 1) > MOST_DEEP:
            raise InputError(f"the {what} is nested too deeply: {MOST_DEEP} levels are the most")
        if any(max(abs(number.p), number.q).bit_length() > MOST_BITS for number in side.atoms(Rational)):
            raise InputError(f"the {what} has a number that is too long: {LONGEST} digits are the most")
        return side
    if isinstance(side, Number) and not isinstance(side, (bool, complex)):
        try:
            number = exact(side)
        except (ValueError, OverflowError):
            raise InputError(f"the {what} is no number: {side!r}") from None
        return Rational(number.numerator, number.denominator)
    raise InputError(f"over a box the {what} must be a SymPy expression or a number, got {type(side).__name__}")


def _side(name: Any, ends: Any) -> tuple[Expr, Expr]:
    if not isinstance(name, (str, Symbol)):
        raise InputError(f"a box names its symbols, e.g. {{'x': (0, 1)}}, got {name!r}")
    if isinstance(ends, (str, Mapping)) or not hasattr(ends, "__len__") or len(ends) != 2:
        raise InputError(f"a box gives each symbol its two ends, e.g. {{{str(name)!r}: (0, 1)}}, got {ends!r}")
    low, high = (_end(value) for value in ends)
    if low == S.Infinity or high == S.NegativeInfinity or (low > high) == True:  # noqa: E712
        raise InputError(f"the box is empty in {name}")
    return low, high


def _end(value: Any) -> Expr:
    value = plain(value)
    if isinstance(value, Expr):
        if value in (S.Infinity, S.NegativeInfinity):
            return value
        if not value.is_number or value.is_extended_real is not True or value.has(sympy.nan):
            raise InputError(f"the ends of a box are real numbers, got {value}")
        return readable(value)
    if isinstance(value, float) and math.isinf(value):
        return S.Infinity if value > 0 else S.NegativeInfinity
    if isinstance(value, str) and value.strip() in ("oo", "-oo", "inf", "-inf"):
        return S.NegativeInfinity if value.strip().startswith("-") else S.Infinity
    try:
        number = exact(value)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError):
        raise InputError(f"the ends of a box are numbers, got {value!r}") from None
    return Rational(number.numerator, number.denominator)


def _kind(symbols: list[Symbol]) -> dict[str, bool]:
    return {"integer": True} if symbols and all(s.is_integer for s in symbols) else {"real": True}


def _declared(name: Any, side: tuple[Expr, Expr], symbols: list[Symbol]) -> tuple[tuple[Expr, Expr], list[int]]:
    """The side cut to the sign that a symbol was declared with, and the sign where zero is excluded."""
    low, high = side
    strict: list[int] = []
    if symbols and all(s.is_nonnegative for s in symbols):
        strict = [1] if low <= 0 and all(s.is_positive for s in symbols) else []
        low = sympy.Max(low, 0)
    elif symbols and all(s.is_nonpositive for s in symbols):
        strict = [-1] if high >= 0 and all(s.is_negative for s in symbols) else []
        high = sympy.Min(high, 0)
    if low > high or (low == high == 0 and strict):
        raise InputError(f"the box is empty in {name}, which was declared {'positive' if side[1] <= 0 else 'negative'}")
    if symbols and all(s.is_integer for s in symbols):
        first, last = sympy.ceiling(low) + int(1 in strict), sympy.floor(high) - int(-1 in strict)
        if first > last:
            raise InputError(f"the box is empty in {name}: it holds no integer")
    return (low, high), strict


def readable(expr: Expr) -> Expr:
    """In the functions that there are; floats as the decimals that they print."""
    for node in sympy.preorder_traversal(expr):
        known = isinstance(node, (Symbol, Rational, Float, sympy.Add, sympy.Mul, Pow, sympy.exp, sympy.log, sympy.Abs,
                                  sympy.ceiling, sympy.Min, sympy.Max, sympy.Piecewise, Relational, *_functions(),
                                  type(sympy.pi), type(sympy.E), *OTHERS, sympy.logic.boolalg.BooleanAtom,
                                  sympy.functions.elementary.piecewise.ExprCondPair))  # fmt: skip
        complex_ = node.is_number and isinstance(node, INVERSE) and node.is_real is False
        if complex_ or node.has(sympy.I, sympy.nan, sympy.zoo) or node in (S.Infinity, S.NegativeInfinity):
            raise InputError(f"the expressions of an inequality are real and finite, got {node}")
        if not known:
            what = f"function {node.func.__name__}" if isinstance(node, sympy.Function) else f"meaning for {node}"
            raise InputError(f"no {what} here; there are {', '.join(FUNCTIONS)}, sums, products and powers")
    floats = {f: Rational(str(f)) for f in expr.atoms(Float)}
    expr = expr.xreplace(floats) if floats else expr
    for kind, of in OTHERS.items():
        if expr.has(kind):
            expr = expr.replace(kind, of)
    return expr


def _functions() -> tuple[Any, ...]:
    return tuple(getattr(sympy, name) for name in ELEMENTARY)
