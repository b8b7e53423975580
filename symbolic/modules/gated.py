r"""The gated MLP of SwiGLU and GeGLU: D(f(Gx + b_G) * (Ux + b_U)) + b_D.

With a_G = |f(Gx + b_G)|_inf <= r(G)R + |b_G| and n_G = |G|R + |b_G|, r the largest row norm, and a_U, n_U alike, the
product has norm at most min(a_G n_U, n_G a_U). Of the difference f(Gx) * (Ux) - f(G'x') * (U'x') the first factor
moves by at most L_f times its argument and meets a_U, the second one meets a_G; D comes last, on what the product is.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Min

from ..derivation import Derivation
from ..norms import Matrix, norm
from .activations import ACTIVATIONS
from .maps import MOVES, bias_weight, shift
from .signals import Sensitivity, Signal, Weight, plus, times

GATE = r"a gate moves by the activation's slope, and meets the largest entry of what it lets through"
UP = r"what is let through meets the largest entry of the gate"


@dataclass(frozen=True)
class Gated:
    gate: Matrix
    up: Matrix
    down: Matrix
    activation: str
    gate_bias: Matrix | None = None
    up_bias: Matrix | None = None
    down_bias: Matrix | None = None

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x = x.by_length()
        f, R, B = ACTIVATIONS[self.activation], x.radius, norm(D, self.down, "spectral")
        entry_G, length_G = self._sizes(D, self.gate, self.gate_bias, R, "G")
        entry_U, length_U = self._sizes(D, self.up, self.up_bias, R, "U")
        if f.factor is None:  # a sigmoid: the gate is never above what it is at most, however short its argument
            assert f.most is not None
            entry_G, inner = f.most, times(f.most, length_U)
        else:
            entry_G, length_G = times(f.factor, entry_G), times(f.factor, length_G)
            inner = Min(entry_G * length_U, length_G * entry_U)
        inner = D.fresh("R", "R", inner, "the length of the product, of which one factor counts by its largest entry")

        def lipschitz() -> Expr:
            through_gate = times(f.lipschitz, entry_U, norm(D, self.gate, "spectral"))
            return times(B, through_gate + times(entry_G, norm(D, self.up, "spectral")))

        weights = []
        for M, bias, effect, reason in (
            (self.gate, self.gate_bias, times(B, f.lipschitz, entry_U), GATE),
            (self.up, self.up_bias, times(B, entry_G), UP),
            (self.down, self.down_bias, Integer(1), MOVES),
        ):
            radius = inner if M is self.down else R
            weights += [Weight(M, effect, radius, x.number, reason), *bias_weight(bias, effect)]
        return Sensitivity(x.to(plus(times(B, inner), shift(D, self.down_bias))), lipschitz, tuple(weights))

    @staticmethod
    def _sizes(D: Derivation, M: Matrix, bias: Matrix | None, R: Expr, mark: str) -> tuple[Expr, Expr]:
        """The largest entry of Mx + b, and its length."""
        b = shift(D, bias)
        entry, length = (plus(times(norm(D, M, kind), R), b) for kind in ("rows", "spectral"))
        entry = D.fresh("a", f"a^{{{mark}}}", entry, "the largest row meets the token")
        return entry, D.fresh("n", f"n^{{{mark}}}", length, "the length of what the map makes of a token")
