r"""Activations, each with two numbers: the largest |f(u)|/|u|, and its Lipschitz constant. They differ for those that
are not monotone: GELU and SiLU rise faster than u where they overtake it.

The constants are the largest derivatives. GELU, u Phi(u): the second derivative (2 - u^2) phi(u) vanishes at sqrt 2, so
the constant is Phi(sqrt 2) + sqrt 2 phi(sqrt 2) = (1 + erf 1)/2 + 1/(e sqrt pi). The others have no closed form. All
are rounded up in the twentieth digit (maurey/activations). Quick GELU, u s(1.702 u), is SiLU in other units.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Integer, Rational, Symbol, sqrt

from ..claim import Constant
from ..derivation import Derivation
from .signals import Sensitivity, Signal, times

SOURCE = "maurey/activations"
ONE = Integer(1)


def _slope(name: str, latex: str, of: str, value: str) -> tuple[str, Constant]:
    return name, Constant(name, Fraction(value), rf"L_{{\mathrm{{{latex}}}}}", f"the largest slope of {of}", SOURCE)


CONSTANTS = dict([
    _slope("L_gelu", "GELU", "GELU", "1.1289041451851547864"),
    _slope("L_gelu_tanh", "tGELU", "GELU in its tanh form", "1.1289930686587717655"),
    _slope("L_silu", "SiLU", "SiLU", "1.0998393201288669170"),
])  # fmt: skip


@dataclass(frozen=True)
class Slope:
    """|f(u)| <= factor |u|, |f(u)| <= most, and the Lipschitz constant."""

    lipschitz: Expr
    factor: Expr | None = ONE
    most: Expr | None = None


ACTIVATIONS = {
    "relu": Slope(ONE),
    "gelu": Slope(Symbol("L_gelu")),
    "gelu_tanh": Slope(Symbol("L_gelu_tanh")),
    "silu": Slope(Symbol("L_silu")),
    "quick_gelu": Slope(Symbol("L_silu")),
    "tanh": Slope(ONE, most=ONE),
    "sigmoid": Slope(Rational(1, 4), None, ONE),
    "identity": Slope(ONE),
}


@dataclass(frozen=True)
class Activation:
    """One of the table, coordinate by coordinate. The sigmoid is not zero at zero: the radius of what comes out is that
    of a vector of ones, for which the width is asked."""

    name: str
    width: Expr | None = None

    @property
    def slope(self) -> Slope:
        return ACTIVATIONS[self.name]

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        f = self.slope
        if f.factor is not None:
            radius = times(f.factor, x.radius)
        elif self.width is None or f.most is None:
            raise ValueError(f"the radius behind {self.name} is known only for a given width")
        else:
            radius = times(f.most, sqrt(self.width))
        return Sensitivity(x.to(radius), lambda: f.lipschitz)


@dataclass(frozen=True)
class Softcap:
    """c tanh(u/c), coordinate by coordinate: 1-Lipschitz, and no longer than u."""

    cap: Expr

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.to(x.radius), lambda: ONE)
