"""Balls that may stand for a whole range of a parameter, not only for a point known to so many bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, fmpq
from sympy import Expr, true

from .balls import Balls, Unresolved
from .types import Ball
from .walk import Undefined


class Ranges(Balls):
    """A ceiling or a case that differs over it gives the hull."""

    def at_most(self, x: Ball, gap: fmpq) -> bool:
        return bool(x <= gap)

    def ceiling(self, x: Ball, node: Expr, env: Mapping[str, Any]) -> Ball:
        return fmpq(x.ceil()) if isinstance(x, fmpq) else x.ceil()

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Ball:
        hull: Ball = None
        for condition, value in branches:
            try:
                holds: bool | None = condition == true or self._holds(condition, env)
            except Unresolved:
                holds = None
            if holds is False:
                continue
            here = value()
            hull = here if hull is None else arb(hull).union(arb(here))
            if holds:
                return hull
        raise Undefined("no case applies")

    def _vanishes(self, expr: Expr, env: Mapping[str, Any]) -> bool:
        return False  # a range is not a point
