"""What is to be shown: expr >= 0, or > 0, on a box with rational or infinite ends, where other expressions are >= 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from sympy import Expr, Rational, S, Symbol

from maurey.numeric.balls import Balls, Unresolved
from maurey.numeric.walk import Undefined, walk
from maurey.verify.prove.clock import NoAnswer, algebra

PRECISION = 96  # bits, over cells
DEEP = 320  # bits, at points

KINKS = (sympy.floor, sympy.ceiling, sympy.sign, sympy.Piecewise, sympy.Abs, sympy.Min, sympy.Max)

Side = tuple[Expr, Expr]  # numbers, or -oo and oo
Box = Mapping[Symbol, Side]


@dataclass(frozen=True)
class Given:
    """expr >= 0, expr > 0 or expr = 0."""

    expr: Expr
    relation: str  # ">=", ">" or "=="


@dataclass(frozen=True)
class Problem:
    expr: Expr
    box: Box
    strict: bool = False
    given: tuple[Given, ...] = ()

    @cached_property
    def letters(self) -> list[Symbol]:
        return [x for x in self.box if x in self.expr.free_symbols or any(g.expr.has(x) for g in self.given)]

    def text(self) -> str:
        return f"{self.expr} {'>' if self.strict else '>='} 0 for {box_text(self.box)}"


def box_text(box: Box) -> str:
    return ", ".join(side_text(x, *side) for x, side in box.items())


def side_text(x: Any, low: Expr, high: Expr) -> str:
    below = f"{low} {'<' if low == S.NegativeInfinity else '<='} "
    above = f" {'<' if high == S.Infinity else '<='} {high}"
    if low == S.NegativeInfinity and high == S.Infinity:
        return f"all real {x}"
    return (
        f"{x}{above}" if low == S.NegativeInfinity else f"{x} >= {low}" if high == S.Infinity else below + f"{x}{above}"
    )


def number(value: Any) -> Any:
    """A rational for Arb, or a ball of a real number; infinite ends too."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, Rational):
        return fmpq(int(value.p), int(value.q))
    if value is S.Infinity or value is S.NegativeInfinity:
        return arb.pos_inf() if value is S.Infinity else arb.neg_inf()
    return walk(value, {}, Balls([]))


def at(expr: Expr, point: Mapping[Symbol, Any], bits: int = DEEP) -> Any:
    """The value at an exact point: an exact rational, or a ball; None where there is none, or none that is told."""
    with ctx.workprec(bits):
        try:
            value = walk(expr, {x.name: number(v) for x, v in point.items()}, Balls([]))
        except (Unresolved, Undefined, ZeroDivisionError):
            return None
    return value if isinstance(value, fmpq) or value.is_finite() else None


def met(given: Given, point: Mapping[Symbol, Any]) -> bool:
    """Certainly, at an exact point?"""
    value = at(given.expr, point)
    if value is None:
        return False
    if given.relation == "==" or (given.relation == ">=" and not value > 0):
        return bool(value == 0) or vanishes(given.expr, point)
    return bool(value > 0)


def vanishes(expr: Expr, point: Mapping[Symbol, Any]) -> bool:
    """Exactly, as far as SymPy tells; only asked where balls do not exclude it."""
    for bits in (DEEP, 8 * DEEP):
        value = at(expr, point, bits)
        if value is None or value > 0 or value < 0:
            return False
        if value == 0:
            return True
    try:
        with algebra(0.6):
            here = expr.subs(plain(point))
            return here == 0 or zero(here)
    except NoAnswer:
        return False


def plain(point: Mapping[Symbol, Any]) -> dict[Symbol, Any]:
    """Arb's rationals as SymPy's."""
    return {x: Rational(int(v.p), int(v.q)) if isinstance(v, fmpq) else v for x, v in point.items()}


SAMPLES = ("3/7", "13/11", "5/3", "2/9", "17/6", "7/8")  # where a function that is not zero shows it


def zero(expr: Expr) -> bool:
    """Is this number, or this function, certainly zero? Balls at a few points first, for they are quick."""
    if expr == 0:
        return True
    letters = sorted(expr.free_symbols, key=str)
    for turn in range(3 if letters else 1):
        sample = {x: Rational(SAMPLES[(i + turn * (i + 2)) % len(SAMPLES)]) for i, x in enumerate(letters)}
        value = at(expr, sample)
        if value is not None and (value > 0 or value < 0):
            return False
    for rewrite in (sympy.expand, sympy.radsimp, _logarithms, _errors, sympy.simplify):
        try:
            with algebra(0.5):
                if rewrite(expr) == 0:
                    return True
        except NoAnswer:
            continue
    return False


def _logarithms(expr: Expr) -> Expr:
    return sympy.expand(sympy.expand_log(expr))


def _errors(expr: Expr) -> Expr:
    return sympy.expand(expr.rewrite(sympy.erf)) if expr.has(sympy.erfc) else expr


def violated(problem: Problem, point: Mapping[Symbol, Any]) -> bool:
    """Is the problem certainly wrong at this exact point, which lies in the box and meets what is given?"""
    value = at(problem.expr, point)
    if value is None or value > 0:
        return False
    if not (value < 0 or (problem.strict and (value == 0 or vanishes(problem.expr, point)))):
        return False
    return inside(problem.box, point) and all(met(g, point) for g in problem.given)


def never(problem: Problem, x: Symbol, place: Expr) -> bool:
    """Does something given, strictly and of this variable alone, exclude the place?"""
    strict = [g.expr.subs(x, place) for g in problem.given if g.relation == ">" and g.expr.free_symbols == {x}]
    return any(value.is_nonpositive for value in strict)


def positive_somewhere(problem: Problem) -> bool:
    """At one of a few simple points inside the box, which no expression that is zero throughout is."""
    for place in map(Rational, ("1", "1/2", "2", "-1", "3/7", "17/3")):
        inner = {x: place if low < place < high else _middle(low, high) for x, (low, high) in problem.box.items()}
        value = at(problem.expr, inner)
        if value is not None and value > 0:
            return True
    return False


def _middle(low: Expr, high: Expr) -> Expr:
    if low.is_finite and high.is_finite:
        return (low + high) / 2
    return low + 1 if low.is_finite else high - 1 if high.is_finite else S.Zero


def inside(box: Box, point: Mapping[Symbol, Any]) -> bool:
    with ctx.workprec(DEEP):
        for x, (low, high) in box.items():
            here = number(point[x])
            if x.is_integer and not (isinstance(here, fmpq) and here.q == 1):
                return False
            if not (here >= number(low) or point[x] == low) or not (here <= number(high) or point[x] == high):
                return False
    return True
