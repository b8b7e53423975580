"""A form as an ordered list of named steps.

A step gives a name to an expression in the claim's parameters and the names of earlier steps. Trace,
"where" clauses, ball arithmetic and a cost linear in the depth all come from this list; a nested
expression tree gives none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
        self._over: tuple[Symbol, Expr] | None = None

    def copy(self) -> Derivation:
        """The same steps; what is added to one is not added to the other."""
        other = Derivation()
        other._steps = dict(self._steps)
        return other

    @contextmanager
    def over(self, index: tuple[Symbol, Expr] | None) -> Iterator[None]:
        """Steps made inside that speak of i, of (i, n), have one value for each i = 1..n."""
        before, self._over = self._over, index
        try:
            yield
        finally:
            self._over = before

    def let(self, name: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Expr:
        expr = sympify(expr)
        over = self._over if self._over and self._over[0] in expr.free_symbols else None
        step = Step(name, latex, expr, reason, key, over)
        if self._steps.setdefault(name, step) != step:
            raise ValueError(f"the derivation already has another step {name!r}")
        return Symbol(name) if over is None else Indexed(name, over[0])

    def name(self, name: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Expr:
        """`let`, except that a number or a symbol keeps the name it has."""
        expr = sympify(expr)
        if expr.is_Atom or isinstance(expr, Indexed):
            return expr
        return self.let(name, latex, expr, reason, key)

    def next(self, letter: str, latex: str) -> tuple[str, str]:
        """What the next step of a letter is called: they are numbered."""
        number = 1 + sum(name.startswith(f"{letter}_") for name in self._steps)
        return f"{letter}_{number}", f"{latex}_{{{number}}}"

    def fresh(self, letter: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Expr:
        """`name`, called so."""
        return self.name(*self.next(letter, latex), expr, reason, key)

    def called(self, name: str) -> Expr:
        """A step by its name."""
        over = self._steps[name].over
        return Symbol(name) if over is None else Indexed(name, over[0])

    def steps_to(self, end: Expr) -> list[Step]:
        """The steps that `end` rests on, in order, itself last."""
        needed, kept = {str(symbol) for symbol in end.free_symbols}, []
        for step in reversed(self._steps.values()):
            if step.name in needed:
                kept.append(step)
                needed |= {symbol.name for part in (step.expr, *(step.over or ())) for symbol in part.free_symbols}
        return kept[::-1]
