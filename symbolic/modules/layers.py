"""L layers of one kind, one after the other, in a form whose length does not depend on L.

Layer i has the norms of its own that its index stands in; everything else is the same in all. Let the radius of what
comes into it be R_i. A block that shields what comes in (a norm at its end) puts out a radius in which R_i does not
occur; one that only adds to it (a norm at its beginning, a residual) puts out R_i + c_i; else there is a recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from sympy import Add, Eq, Expr, Indexed, Integer, Piecewise, Product, Sum, Symbol, true

from ..derivation import Derivation
from ..norms import Matrix
from .composition import Sequence
from .signals import MEASURED, Module, Sensitivity, Signal, Weight, times

INDEX, ABOVE = Symbol("i"), Symbol("j")
RADIUS = "what comes into a layer is as long as what comes out of the one below"


@dataclass(frozen=True)
class Radii:
    """Of what comes into layer i; into layer i where that is not the first; and out of the last."""

    here: Expr
    above: Expr
    last: Expr


@dataclass(frozen=True)
class Layers:
    block: Module
    number: Expr
    index: Symbol = INDEX

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        radii, output = self._radii(D, x)
        s = self._layer(D, x, radii.here)
        gain = self._gain(D, s if radii.above == radii.here else self._layer(D, x, radii.above))
        above = self._product(gain, self.index)
        with D.over((self.index, self.number)):
            if s.weights:
                above = D.fresh("Lambda", r"\Lambda", above, "Lipschitz constants of the layers above")
            weights = tuple(self._copy(w, above) for w in s.weights)

        def lipschitz() -> Expr:
            return times(self._first(D, x, radii, gain), self._product(gain, Integer(1)))

        return Sensitivity(replace(output, radius=radii.last), lipschitz, weights)

    def gains(self, D: Derivation, x: Signal) -> tuple[Expr, Signal]:
        """The Lipschitz constant of layer i, and what comes out of the last."""
        radii, output = self._radii(D, x)
        gain = self._gain(D, self._layer(D, x, radii.above))
        first = self._first(D, x, radii, gain)
        if first != gain.xreplace({self.index: Integer(1)}):
            gain = Piecewise((first, Eq(self.index, 1)), (gain, true))
        return gain, replace(output, radius=radii.last)

    def _layer(self, D: Derivation, x: Signal, radius: Expr) -> Sensitivity:
        with D.over((self.index, self.number)):
            return self.block.sensitivity(D, replace(x.to(radius), radius_1=None))

    def _gain(self, D: Derivation, s: Sensitivity) -> Expr:
        with D.over((self.index, self.number)):
            return D.fresh("g", "g", s.lipschitz(), "the Lipschitz constant of one layer")

    def _first(self, D: Derivation, x: Signal, radii: Radii, gain: Expr) -> Expr:
        """The Lipschitz constant of the first layer."""
        if radii.above != radii.here:
            gain = self._gain(D, self._layer(D, x, x.radius))
        return gain.xreplace({self.index: Integer(1)})

    def _product(self, gain: Expr, after: Expr) -> Expr:
        """Over the layers after one."""
        if self.index not in gain.free_symbols:
            return gain ** (self.number - after)
        return Product(gain.xreplace({self.index: ABOVE}), (ABOVE, after + 1, self.number))

    def _copy(self, w: Weight, above: Expr) -> Weight:
        if w.over is not None:
            raise ValueError("layers inside of layers are not known here: write the inner ones out")
        return replace(w, coefficient=times(above, w.coefficient), over=(self.index, self.number))

    # --- radii --------------------------------------------------------------------------------------------------------

    def _radii(self, D: Derivation, x: Signal) -> tuple[Radii, Signal]:
        i, L, below = self.index, self.number, Symbol("R_below")
        output = self.block.sensitivity(scratch := Derivation(), x.to(below)).output
        if output.largest != x.largest:
            raise ValueError(MEASURED)
        out = inlined(output.radius, scratch)
        if below not in out.free_symbols:
            return self._shielded(D, x.radius, out), output
        added = [term for term in summands(out) if term != below]
        if len(added) + 1 == len(summands(out)) and not any(below in term.free_symbols for term in added):
            return self._grown(D, x.radius, Add(*added)), output
        name, latex = D.next("R", "R")
        before = out.xreplace({i: i - 1}).xreplace({below: Indexed(name, i - 1)})
        with D.over((i, L + 1)):
            R = D.let(name, latex, Piecewise((x.radius, Eq(i, 1)), (before, true)), RADIUS)
        return Radii(R, R, Indexed(name, L + 1)), output

    def _shielded(self, D: Derivation, start: Expr, out: Expr) -> Radii:
        i, L = self.index, self.number
        before = out.xreplace({i: i - 1})
        if start == out or inlined(start, D) == out:
            return Radii(start, start, out)
        with D.over((i, L)):
            here = D.fresh("R", "R", Piecewise((start, Eq(i, 1)), (before, true)), RADIUS)
        return Radii(here, before, out.xreplace({i: L}))

    def _grown(self, D: Derivation, start: Expr, added: Expr) -> Radii:
        i, L = self.index, self.number
        with D.over((i, L)):
            added = D.fresh("c", "c", added, "what one layer adds to the radius")
            if i in added.free_symbols:
                grown = [start + Sum(added.xreplace({i: ABOVE}), (ABOVE, 1, end)) for end in (i - 1, L)]
            else:
                grown = [start + times(i - 1, added), start + times(L, added)]
            R = D.fresh("R", "R", grown[0], RADIUS)
        return Radii(R, R, grown[1])


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
