"""The fingerprint of a claim: a hash of all that it says, in a notation of our own.

What is kept about a claim is kept under it. It does not depend on the version of SymPy, on the order of terms or
factors, or on words that only explain: the title, the reason of a step.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import sympy
from sympy import Basic

from .claim import Claim, Part, Setting

RELATIONS = {sympy.Le: "<=", sympy.Lt: "<", sympy.Ge: ">=", sympy.Gt: ">", sympy.Eq: "=", sympy.Ne: "!="}
LOOPS = (sympy.Sum, sympy.Product, sympy.Integral)


@cache
def notation(expr: Basic) -> str:
    """An expression as nested lists, head first; sums and products are sorted."""
    match expr:
        case sympy.Rational():
            return f"{expr.p}/{expr.q}"
        case sympy.Symbol():
            return str(expr.name)
        case sympy.Add() | sympy.Mul():
            return _list("+" if isinstance(expr, sympy.Add) else "*", *sorted(map(notation, _operands(expr))))
        case sympy.Pow() | sympy.exp():
            return _list("^", *map(notation, expr.as_base_exp()))
        case sympy.Indexed():
            return _list("at", str(expr.base.label), *map(notation, expr.indices))
        case sympy.Piecewise():
            return _list("cases", *(_list(notation(value), notation(condition)) for value, condition in expr.args))
        case sympy.Min() | sympy.Max():
            return _list(type(expr).__name__, *sorted(map(notation, expr.args)))
        case _ if type(expr) in RELATIONS:
            return _list(RELATIONS[type(expr)], *map(notation, expr.args))
        case _ if isinstance(expr, LOOPS):
            ((index, low, high),) = expr.limits
            return _list(type(expr).__name__, *map(notation, (expr.function, index, low, high)))
        case sympy.Function():
            return _list(type(expr).__name__, *map(notation, expr.args))
    if expr in (sympy.E, sympy.pi, sympy.true):
        return str(expr)
    raise TypeError(f"no notation for {type(expr).__name__}")


def _list(*entries: str) -> str:
    return f"({' '.join(entries)})"


def _operands(expr: Basic) -> list[Basic]:
    """Of a chain of one operation, however it is nested."""
    return [x for arg in expr.args for x in (_operands(arg) if type(arg) is type(expr) else [arg])]


_known: dict[int, tuple[Claim, str]] = {}  # by identity: a claim never changes, but has no hash of its own


def fingerprint(claim: Claim) -> str:
    if id(claim) not in _known:
        text = json.dumps(_content(claim), sort_keys=True)
        _known[id(claim)] = claim, hashlib.sha256(text.encode()).hexdigest()[:16]
    return _known[id(claim)][1]


def _content(claim: Claim) -> list[Any]:
    return [
        [claim.key, claim.kind, _words(claim.statement), claim.uses, claim.reference, claim.source, claim.samples],
        [[p.name, p.domain, p.index, p.optional, _words(p.meaning)] for p in claim.symbols],
        [[notation(assumption.relation), assumption.text] for assumption in claim.assumes],
        [[c.name, str(c.value), c.left_open, c.of, _words(c.meaning)] for c in claim.constants],
        [claim.unrolled, dict(claim.differs)],
        [_part(part, setting) for part in claim.parts for setting in _settings(claim)],
    ]


def _words(text: str) -> str:
    return " ".join(text.split())


def _settings(claim: Claim) -> list[Setting]:
    """Two entries in every list; three, and all that is optional given, where there are lists or options."""
    optional = frozenset(p.name for p in claim.symbols if p.optional)
    more = optional or claim.unrolled or any(p.index for p in claim.symbols)
    return [Setting(), *([Setting(default=3, given=optional)] if more else [])]


def _part(part: Part, setting: Setting) -> list[Any]:
    forms = {form: [_step(step) for step in part.steps(form, setting)] for form in part.forms}
    return [part.name, part.lhs, _words(part.meaning), part.relation, part.hides, part.keeps, part.source, forms]


def _step(step: Any) -> list[Any]:
    over = step.over and [step.over[0].name, notation(step.over[1])]
    return [step.name, notation(step.expr), step.key, over]
