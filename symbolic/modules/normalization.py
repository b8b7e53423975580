r"""LayerNorm and RMSNorm: n(x) = Px / sqrt(|Px|^2/d + eps), y = g * n(x) + b, with P = I - 11^T/d, for RMSNorm P = I.

n is sqrt(d) times the first d coordinates of Pi(Px/sqrt(d eps), 1), where Pi(u) = u/max(1, |u|), and the vector (., 1)
is never shorter than 1. Pi does not stretch (edelman2022/A.9), so n is 1/sqrt(eps)-Lipschitz; at Px = 0 that is
attained. If |Px| >= r on both sides, (., 1) is never shorter than rho = sqrt(r^2/(d eps) + 1), and outside the ball of
radius rho the map u -> u/|u| is 1/rho-Lipschitz: the constant is 1/sqrt(r^2/d + eps). Whatever comes in, |n| < sqrt(d).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, S, sqrt

from ..derivation import Derivation
from ..norms import Matrix, norm
from .maps import bias_weight, shift
from .signals import Sensitivity, Signal, Weight, plus, square, times

GAIN = r"a gain moves a coordinate, and all coordinates together have norm $\sqrt d$"


@dataclass(frozen=True)
class LayerNorm:
    """Token by token. The gain and the bias are columns; of a column, `rows` bounds the largest entry. With `least`,
    the tokens that come in have |Px| at least that."""

    width: Expr
    eps: Expr
    gain: Matrix | None = None
    bias: Matrix | None = None
    centred: bool = True  # RMSNorm is not
    least: Expr | None = None

    @property
    def refusal(self) -> str:
        """Why no bound on a risk follows, if none does."""
        if self.eps == 0:
            return "a norm with eps = 0 has no Lipschitz constant: u/|u| is not continuous at 0"
        if self.least is not None:
            return "a lower bound on the variances of a sample's tokens says nothing of other tokens"
        return ""

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x = x.by_length()
        g = Integer(1) if self.gain is None else norm(D, self.gain, "rows")
        floor = self.eps if self.least is None else plus(square(self.least) / self.width, self.eps)
        weights = bias_weight(self.bias)
        if self.gain is not None:
            weights = (Weight(self.gain, S.One, sqrt(self.width), x.number, GAIN, by="rows"), *weights)
        radius = plus(times(g, sqrt(self.width)), shift(D, self.bias))
        return Sensitivity(x.to(radius), lambda: g / sqrt(floor), weights)
