"""L layers of one kind, one after the other, in a form whose length does not depend on L.

Layer i has the norms of its own that its index stands in; everything else is the same in all. Let the radius of what
comes into it be R_i. A block that shields what comes in (a norm at its end) puts out a radius in which R_i does not
occur; one that only adds to it (a norm at its beginning, a residual) puts out R_i + c_i; else there is a recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from sympy import Add, Eq, Expr, Indexed, Integer, Max, Piecewise, Product, Sum, Symbol, true

from ..derivation import Derivation
from ..norms import Matrix
from .composition import Sequence
from .signals import Module, Sensitivity, Signal, Weight, times

INDEX, ABOVE = Symbol("i"), Symbol("j")
RADIUS = "what comes into a layer is as long as what comes out of the one below"


@dataclass(frozen=True)
class Layers:
    block: Module
    number: Expr
    index: Symbol = INDEX

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        s, output = self.block_in(D, x)
        gain = self.gain_of(D, s)
        above = self._power(gain, self.index)
        with D.over((self.index, self.number)):
            if s.weights:
                above = D.fresh("Lambda", r"\Lambda", above, "Lipschitz constants of the layers above")
            weights = tuple(self._copy(w, above) for w in s.weights)
        return Sensitivity(output, lambda: self._power(gain, 0), weights)

    def _copy(self, w: Weight, above: Expr) -> Weight:
        if w.over is not None:
            raise ValueError("layers inside of layers are not known here: write the inner ones out")
        return replace(w, coefficient=times(above, w.coefficient), over=(self.index, self.number))

    def block_in(self, D: Derivation, x: Signal) -> tuple[Sensitivity, Signal]:
        """One layer, and what comes out of the last."""
        first, last, output = self._radii(D, x)
        with D.over((self.index, self.number)):
            s = self.block.sensitivity(D, replace(x.to(first), radius_1=None))
        return s, replace(output, radius=last)

    def gain_of(self, D: Derivation, s: Sensitivity) -> Expr:
        with D.over((self.index, self.number)):
            return D.fresh("g", "g", s.lipschitz(), "the Lipschitz constant of one layer")

    def _power(self, gain: Expr, above: Expr | int) -> Expr:
        """The product over the layers above."""
        if self.index not in gain.free_symbols:
            return gain ** (self.number - above)
        return Product(gain.xreplace({self.index: ABOVE}), (ABOVE, above + 1, self.number))

    def _radii(self, D: Derivation, x: Signal) -> tuple[Expr, Expr, Signal]:
        """R_i, what comes out of the last layer, and the signal that it is."""
        i, L, below = self.index, self.number, Symbol("R_below")
        output = self.block.sensitivity(scratch := Derivation(), x.to(below)).output
        out = inlined(output.radius, scratch)
        if below not in out.free_symbols:
            return *self._shielded(D, x.radius, out), output
        added = [term for term in summands(out) if term != below]
        if len(added) + 1 == len(summands(out)) and not any(below in term.free_symbols for term in added):
            return *self._grown(D, x.radius, Add(*added)), output
        name, latex = D.next("R", "R")
        before = out.xreplace({i: i - 1}).xreplace({below: Indexed(name, i - 1)})
        with D.over((i, L + 1)):
            R = D.let(name, latex, Piecewise((x.radius, Eq(i, 1)), (before, true)), RADIUS)
        return R, Indexed(name, L + 1), output

    def _shielded(self, D: Derivation, start: Expr, out: Expr) -> tuple[Expr, Expr]:
        i, L = self.index, self.number
        if start == out or inlined(start, D) == out:
            return start, out
        if i not in out.free_symbols:
            return D.fresh("R", "R", Max(start, out), "what comes into the first layer, or into another"), out
        with D.over((i, L)):
            R = Piecewise((start, Eq(i, 1)), (out.xreplace({i: i - 1}), true))
            return D.fresh("R", "R", R, RADIUS), out.xreplace({i: L})

    def _grown(self, D: Derivation, start: Expr, added: Expr) -> tuple[Expr, Expr]:
        i, L = self.index, self.number
        with D.over((i, L)):
            added = D.fresh("c", "c", added, "what one layer adds to the radius")
            if i in added.free_symbols:
                grown = [start + Sum(added.xreplace({i: ABOVE}), (ABOVE, 1, end)) for end in (i - 1, L)]
            else:
                grown = [start + times(i - 1, added), start + times(L, added)]
            return D.fresh("R", "R", grown[0], RADIUS), grown[1]


def summands(expr: Expr) -> list[Expr]:
    return [term for part in expr.args for term in summands(part)] if isinstance(expr, Add) else [expr]


def inlined(expr: Expr, D: Derivation) -> Expr:
    """Without names of steps."""
    for step in reversed(D.steps_to(expr)):
        expr = expr.xreplace({Symbol(step.name): step.expr})
    return expr


# --- one layer after the other, written out ---------------------------------------------------------------------------


def written_out(layers: Layers, number: int) -> Sequence:
    """The same as a sequence of so many blocks, in which the matrices of layer 2 are called Q_2."""
    return Sequence(tuple(placed(layers.block, layers.index, n) for n in range(1, number + 1)))


def placed(part: Any, index: Symbol, n: int) -> Any:
    """The layer with this index."""
    if isinstance(part, Expr):
        return part.xreplace({index: Integer(n)})
    if isinstance(part, tuple):
        return tuple(placed(one, index, n) for one in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    moved = {f.name: placed(getattr(part, f.name), index, n) for f in fields(part)}
    if isinstance(part, Matrix):
        moved |= {"label": f"{part.label}_{n}", "mark": f"{part.mark}^{{({n})}}"}
    return replace(part, **moved)
