"""A form as data: its steps, and every expression in them as nested lists that go through JSON.

A node is a list that begins with its type. What is not a text is a node again:

    ["number", "3/2"]                an exact integer or fraction
    ["pi"], ["e"]
    ["symbol", NAME]                 a parameter, a constant, an earlier step, or the index of a sum around it
    ["entry", NAME, i]               of a list, counted from 1: one value per layer, head or term
    ["add", x, ...]                  in the order in which they are written; a difference adds ["multiply", -1, x]
    ["multiply", x, ...]
    ["power", base, exponent]        a quotient has the exponent -1, a root 1/2
    ["min", x, ...], ["max", x, ...]
    ["ceiling", x], ["floor", x]
    ["log", x], ["exp", x]           natural; so ["tanh", x] and the other elementary functions, by name
    ["binomial", n, k]
    ["ceil_log2", n]                 of an integer: the least k with n <= 2^k
    ["inverse_kl", q, c]             the largest p in [q, 1] with KL(q||p) <= c, for coins
    ["binomial_inverse", k, m, delta], ["hypergeometric_inverse", k, m, N, delta], ["mixture_inverse", S, m, delta]
                                     inverses of tails, as `maurey.symbolic.tails` has them
    ["sum", i, low, high, term]      over the integers i from low to high; none of them: 0
    ["product", i, low, high, term]  none of them: 1
    ["integral", x, low, high, f]
    ["cases", ["case", condition, value], ...]   the first whose condition holds
    ["<=", a, b], and "<", ">=", ">", "="; ["true"]  conditions: comparisons of numbers that are not negative

A step gives its name to a value. One with `over`, [i, n], is a list: its value at i = 1, ..., n, in this order, for an
entry may speak of those before it. The last step is the right-hand side of the part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy import Basic

from .claim import Claim, InputError, Setting
from .covers import ceil_log2
from .derivation import Step
from .expressions import chain
from .pacbayes import inverse_kl
from .tails import binomial_inverse, hypergeometric_inverse, mixture_inverse

Node = list[Any]
RELATIONS = {sympy.Le: "<=", sympy.Lt: "<", sympy.Ge: ">=", sympy.Gt: ">", sympy.Eq: "="}


def export(claim: Claim, form: str = "", part: str = "", setting: Setting | None = None) -> dict[str, Any]:
    """A form written out for list lengths: what it takes from outside, and its steps."""
    form = form or claim.default_form
    chosen = claim.part_with(form, part)
    steps = chosen.steps(form, setting)
    made = {step.name for step in steps}
    taken = {name for step in steps for name in _names(step)} - made
    return {
        "key": claim.key,
        "part": chosen.name,
        "form": form,
        "relation": chosen.relation_of(form),
        "takes": [
            {"name": p.name, "latex": p.latex, "meaning": p.meaning, "domain": p.domain, "index": p.index or None}
            for p in claim.symbols
            if p.name in taken
        ],
        "constants": {c.name: str(c.value) for c in claim.constants if c.name in taken},
        "steps": [_step(claim, step) for step in steps],
    }


def _names(step: Step) -> set[str]:
    exprs = [step.expr, *([step.over[1]] if step.over else [])]
    return {symbol.name for expr in exprs for symbol in expr.free_symbols if isinstance(symbol, sympy.Symbol)}


def _step(claim: Claim, step: Step) -> dict[str, Any]:
    over = step.over and [step.over[0].name, node(step.over[1])]
    key = step.key if step.key != claim.key else ""
    return {"name": step.name, "latex": step.latex, "over": over, "value": node(step.expr), "reason": step.reason,
            "key": key or None}  # fmt: skip


def node(expr: Basic) -> Node:
    """An expression, or the condition of a case."""
    rule = next((RULES[kind] for kind in type(expr).__mro__ if kind in RULES), None)
    if rule is None:
        raise InputError(f"no node for {type(expr).__name__}; help(maurey.symbolic.export) lists what there is")
    return rule(expr)


def _called(name: str) -> Callable[[Any], Node]:
    return lambda expr: [name, *map(node, expr.args)]


def _chain(name: str, kind: type) -> Callable[[Any], Node]:
    """A group in parentheses stays one."""

    def rule(expr: Any) -> Node:
        first, *rest = map(node, chain(expr, kind))
        return [name, first, *rest] if rest else first

    return rule


def _loop(name: str) -> Callable[[Any], Node]:
    def rule(expr: Any) -> Node:
        ((index, low, high),) = expr.limits
        return [name, index.name, node(low), node(high), node(expr.function)]

    return rule


def _function(kind: type) -> str:
    return RELATIONS.get(kind, kind.__name__.lower())


FUNCTIONS = (
    *(sympy.Min, sympy.Max, sympy.ceiling, sympy.floor, sympy.log, sympy.exp, sympy.sign, sympy.Abs),
    *(sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan, sympy.erf, sympy.erfc),
    *(sympy.sinh, sympy.cosh, sympy.tanh, sympy.asinh, sympy.acosh, sympy.atanh),
    *(sympy.binomial, ceil_log2, inverse_kl, binomial_inverse, hypergeometric_inverse, mixture_inverse, *RELATIONS),
)
RULES: dict[type, Callable[[Any], Node]] = {
    sympy.Rational: lambda expr: ["number", str(expr)],
    type(sympy.pi): lambda expr: ["pi"],
    type(sympy.E): lambda expr: ["e"],
    type(sympy.true): lambda expr: ["true"],
    sympy.Symbol: lambda expr: ["symbol", expr.name],
    sympy.Indexed: lambda expr: ["entry", expr.base.label.name, node(expr.indices[0])],
    sympy.Add: _chain("add", sympy.Add),
    sympy.Mul: _chain("multiply", sympy.Mul),
    sympy.Pow: lambda expr: ["power", node(expr.base), node(expr.exp)],
    sympy.Sum: _loop("sum"),
    sympy.Product: _loop("product"),
    sympy.Integral: _loop("integral"),
    sympy.Piecewise: lambda expr: ["cases", *(["case", node(when), node(value)] for value, when in expr.args)],
    **{kind: _called(_function(kind)) for kind in FUNCTIONS},
}
