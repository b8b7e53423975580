"""Exponentials and logarithms written otherwise, so that nothing is infinite: by their largest term, or as letters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy
from sympy import Add, Expr, S, Symbol, exp, log

from maurey.verify.prove.clock import NoAnswer, algebra

from .domains import range_of
from .problem import Problem
from .reductions import Reduction
from .substitutions import algebraically


def taken_out(problem: Problem) -> Iterator[Reduction]:
    """log(c e^u + ...) is u + log(c + ...), where that is bounded and the first is not, or shorter."""
    for node in problem.expr.atoms(log):
        try:
            with algebra(0.3):
                terms = Add.make_args(sympy.expand(node.args[0].rewrite(exp)))
                powers = dict.fromkeys(power for term in terms for power in term.atoms(exp) if power.free_symbols)
                quotients = {power: Add(*(sympy.powsimp(term / power) for term in terms)) for power in powers}
        except NoAnswer:
            continue
        whole = _bounded(node.args[0], problem)
        for power, quotient in quotients.items():
            if quotient.count_ops() < node.args[0].count_ops() or (not whole and _bounded(quotient, problem)):
                inner = power.args[0] + log(quotient)
                expr = sympy.expand_mul(problem.expr.xreplace({node: inner}))
                yield f"with {power} taken out", [replace(problem, expr=expr)]


def exponentiated(problem: Problem) -> Reduction | None:
    """Logarithms of sums of exponentials, and linear terms, alone: their exponentials, if these are algebraic."""
    more, less, rest = S.One, S.One, S.Zero
    for term in Add.make_args(sympy.expand(problem.expr)):
        rate, node = term.as_coeff_Mul(rational=True)
        if isinstance(node, log) and node.free_symbols:
            more, less = (more * node.args[0] ** rate, less) if rate > 0 else (more, less * node.args[0] ** -rate)
        elif all(sympy.diff(term, x).is_Rational for x in problem.letters):
            rest += term
        else:
            return None
    if more == less == 1 or not problem.expr.has(exp):
        return None
    found = algebraically(replace(problem, expr=more - less * exp(-rest)))
    return None if found is None else (f"in exponentials, {found[0]}", found[1])


def _bounded(expr: Expr, problem: Problem) -> bool:
    ends = range_of(expr, problem.box)
    return ends is not None and bool(ends[0] > 0) and bool(ends[1].is_finite)


def in_letters(problem: Problem) -> Iterator[Reduction]:
    """A variable that stands only in its logarithm, or only in exponentials."""
    for x in problem.letters:
        if any(g.expr.has(x) for g in problem.given):
            continue
        for of, rest, e in (_by_logarithm(problem.expr, x), _by_exponential(problem.expr, x, problem.box[x])):
            side = None if rest is None or rest.has(x) else range_of(of, problem.box)
            if side is not None:
                box = {y: s for y, s in problem.box.items() if y != x} | {e: side}
                yield f"with {e} = {of}", [replace(problem, expr=rest, box=box)]


def _by_logarithm(expr: Expr, x: Symbol) -> tuple[Expr, Expr | None, Symbol]:
    u = Symbol(f"{x.name}_u", real=True)
    return log(x), expr.xreplace({log(x): u}) if expr.has(log(x)) else None, u


def _by_exponential(expr: Expr, x: Symbol, side: tuple[Expr, Expr]) -> tuple[Expr, Expr | None, Symbol]:
    """In e^(kx) with the least k of all; with a minus where x has no upper end, so that it is bounded."""
    e = Symbol(f"{x.name}_e", positive=True)
    nodes = [node for node in expr.atoms(exp) if node.has(x)]
    rates = [sympy.diff(node.args[0], x) for node in nodes]
    if not nodes or not all(rate.is_Rational for rate in rates):
        return S.Zero, None, e
    unit = min(map(abs, rates)) * (-1 if side[1] == S.Infinity else 1)
    if not all((rate / unit).is_Integer for rate in rates):
        return S.Zero, None, e
    named = {
        node: exp(sympy.expand(node.args[0] - rate * x)) * e ** (rate / unit)
        for node, rate in zip(nodes, rates, strict=True)
    }
    return exp(unit * x), expr.xreplace(named), e
