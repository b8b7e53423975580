"""What floats call a violation, looked at again: at an exact instance, both sides as balls and the hypotheses exactly.

False is said only where the inequality certainly holds, true only where it certainly does not and the instance is a
member of the class; what balls cannot tell stays open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from maurey.numeric.balls import to_arb
from maurey.verify.tensors import torch

from .inequality import Found, Inequality, Values, bound_of, through

VIOLATION = 1e-9  # a ratio beyond 1 by more than this is looked at in balls
PRECISION = 256  # bits of the balls


def ratio_at(inequality: Inequality, instance: Mapping[str, Any], target: str) -> float:
    """In floats, at one instance."""
    double = partial(torch.tensor, dtype=torch.float64)
    bounds = {name: through(lambda b: double([b]), b) for name, b in instance["bounds"].items()}
    variables = {name: double([M]) for name, M in instance["variables"].items()}
    lhs, rhs, _ = inequality.sides({**bounds, **inequality.given(bounds), **variables})[target]
    return float(lhs / rhs)


def examined(inequality: Inequality, target: str, instance: Mapping[str, Any]) -> Found:
    ratio = ratio_at(inequality, instance, target)
    if ratio <= 1 + VIOLATION:
        return Found(ratio, instance)
    refuted, certified = confirm(inequality, instance, target)
    return Found(ratio if refuted is not False else certified, instance, refuted)


def in_balls(inequality: Inequality, instance: Mapping[str, Any]) -> Values:
    bounds = {name: through(arb, b) for name, b in instance["bounds"].items()}
    variables = {name: np.array(through(arb, M), dtype=object) for name, M in instance["variables"].items()}
    return {**bounds, **inequality.given(bounds), **variables}


def enclosed(inequality: Inequality, instance: Mapping[str, Any], target: str) -> tuple[arb, arb]:
    """Both sides as balls."""
    lhs, rhs, _ = inequality.sides(in_balls(inequality, instance))[target]
    return to_arb(lhs), to_arb(rhs)


def confirm(inequality: Inequality, instance: Mapping[str, Any], target: str) -> tuple[bool | None, float]:
    """Does the exact instance meet the hypotheses and violate the inequality? False only if the inequality certainly
    holds there. Also the ratio, from above."""
    with ctx.workprec(PRECISION):
        lhs, rhs = enclosed(inequality, instance, target)
        upper = float((lhs.upper() / rhs.lower()).upper()) if rhs > 0 else math.inf
        if lhs <= rhs:
            return False, upper
        return (True if lhs > rhs and meets(inequality, instance) else None), upper


def meets(inequality: Inequality, instance: Mapping[str, Any]) -> bool | None:
    """Are the hypotheses met, exactly?"""
    bounds = {name: through(_fraction, b) for name, b in instance["bounds"].items()}
    verdicts = []
    for name, v in inequality.variables.items():
        M = np.array(through(_fraction, instance["variables"][name]), dtype=object)
        for copy in M.reshape(-1, *M.shape[-2:]):  # copies of equal heads, each in the class
            verdicts += [_within(copy, kind, bound_of(b, bounds)) for kind, b in v.norms.items()]
    return False if False in verdicts else None if None in verdicts else True


def _fraction(x: float) -> fmpq:
    p, q = float(x).as_integer_ratio()
    return fmpq(p, q)


def _within(M: Any, kind: str, bound: Any) -> bool | None:
    """A norm of a matrix of rationals against its bound (a rational, or a ball around a root)."""
    squares = M * M
    if kind in ("row_sum", "column_sum"):
        total, limit = sum((arb(r).sqrt() for r in squares.sum(int(kind == "row_sum"))), arb(0)), arb(bound)
        return True if total <= limit else False if total > limit else None
    limit = bound * bound
    if not isinstance(limit, fmpq):
        limit = _fraction(float(limit.lower())) * (1 - fmpq(1, 2**50))  # a rational below the ball
    if kind == "spectral":
        gram = M @ M.T if M.shape[0] <= M.shape[1] else M.T @ M
        fits = _semidefinite(np.diag([limit] * len(gram)) - gram)
    else:
        sizes = {"rows": squares.sum(1), "columns": squares.sum(0), "entries": squares.ravel()}
        fits = all(size <= limit for size in sizes.get(kind, [squares.sum()]))
    return True if fits else False if isinstance(bound, fmpq) else None


def _semidefinite(G: Any) -> bool:
    """Symmetric elimination in exact arithmetic: no pivot is negative, and a zero pivot has a zero row."""
    while len(G):
        pivot = G[0, 0]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in G[0])):
            return False
        G = G[1:, 1:] - (np.outer(G[1:, 0], G[0, 1:]) / pivot if pivot != 0 else 0)
    return True
