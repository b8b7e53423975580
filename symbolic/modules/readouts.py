"""What is read of a sequence of tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Integer, Min, sqrt

from ..derivation import Derivation
from .signals import Sensitivity, Signal, times


@dataclass(frozen=True)
class ReadToken:
    """Keep one token of each sequence: the first, [CLS], or the last."""

    last: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(replace(x, tokens=Integer(1)), lambda: Integer(1))


@dataclass(frozen=True)
class MeanToken:
    """The mean over the tokens, all or those that are not masked: it is no longer than the longest token, and moves no
    further than the token that moves most."""

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(replace(x, tokens=Integer(1)), lambda: Integer(1))


@dataclass(frozen=True)
class LargestToken:
    """Of every coordinate the largest value over the tokens. Coordinate j moves by at most max_t |x_tj - y_tj|; squared
    and summed over j that is at most the sum over t of |x_t - y_t|^2, and at most d times the largest |x_t - y_t|^2."""

    width: Expr

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        factor = sqrt(Min(x.tokens, self.width))
        return Sensitivity(replace(x.to(times(factor, x.radius)), tokens=Integer(1)), lambda: factor)
