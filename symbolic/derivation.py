"""A form as an ordered list of named steps.

A step gives a name to an expression in the claim's parameters and the names of earlier steps. Trace,
"where" clauses, ball arithmetic and a cost linear in the depth all come from this list; a nested
expression tree gives none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Indexed, Symbol, sympify

from .errors import cut
from .expressions import text_of


@dataclass(frozen=True, repr=False)
class Step:
    name: str  # ASCII, unique in its list
    latex: str
    expr: Expr
    reason: str
    key: str = ""  # the claim that justifies the step, if one does
    over: tuple[Symbol, Expr] | None = None  # (i, n): one value for each i = 1..n, called name[i]

    @property
    def shown(self) -> str:
        """Its name as it stands in formulas."""
        return self.name if self.over is None else f"{self.name}[{self.over[0]}]"

    def __repr__(self) -> str:
        return f"<{self.shown} = {cut(text_of(self.expr))}>"


class Derivation:
    """Collects steps in order; `let` returns the symbol by which later steps call the new one."""

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}

    def let(self, name: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Symbol:
        step = Step(name, latex, sympify(expr), reason, key)
        if self._steps.setdefault(name, step) != step:
            raise ValueError(f"the derivation already has another step {name!r}")
        return Symbol(name)

    def name(self, name: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Expr:
        """`let`, except that a number or a symbol keeps the name it has."""
        expr = sympify(expr)
        if expr.is_Atom or isinstance(expr, Indexed):
            return expr
        return self.let(name, latex, expr, reason, key)

    def fresh(self, letter: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Expr:
        """`name`, numbered by how many steps of its letter there are."""
        number = 1 + sum(name.startswith(f"{letter}_") for name in self._steps)
        return self.name(f"{letter}_{number}", f"{latex}_{{{number}}}", expr, reason, key)

    def steps_to(self, end: Expr) -> list[Step]:
        """The steps that `end` rests on, in order, itself last."""
        needed, kept = {str(end)}, []
        for step in reversed(self._steps.values()):
            if step.name in needed:
                kept.append(step)
                needed |= {symbol.name for symbol in step.expr.free_symbols}
        return kept[::-1]
