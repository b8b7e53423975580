r"""Losses, for one label that is given: the last module, so that covers are covers of the loss.

The margin of K scores is that of the label less the largest other: both move by at most Delta if no score moves by
more, so it is 2-Lipschitz in l_inf; in l2 the two scores move by at most sqrt 2 Delta together. Cross-entropy has the
gradient softmax - e, of l1 norm below 2 and l2 norm below sqrt 2. A loss that is cut at `cap` moves no further.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, sqrt

from ..derivation import Derivation
from .signals import Sensitivity, Signal


def _two_scores(x: Signal) -> Expr:
    return Integer(2) if x.largest else sqrt(Integer(2))


@dataclass(frozen=True)
class ZeroOne:
    """1 where the label is not the largest score. It is Lipschitz in nothing, and so no module."""

    @property
    def range(self) -> Expr:
        return Integer(1)

    @property
    def refusal(self) -> str:
        return "the 0-1 loss is Lipschitz in nothing; bits count"


@dataclass(frozen=True)
class Ramp:
    """min(1, max(0, 1 - u/gamma)) of the margin u; of a single output and a label of 1 or -1, of their product."""

    margin: Expr
    several: bool = True  # scores, one for each class

    @property
    def range(self) -> Expr:
        return Integer(1)

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        slope = (_two_scores(x) if self.several else Integer(1)) / self.margin
        return Sensitivity(Signal(self.range, x.sequences, x.tokens), lambda: slope)


@dataclass(frozen=True)
class CrossEntropy:
    """min(cap, -log softmax_y); of a single output and a label of 1 or -1, min(cap, log(1 + exp(-yu)))."""

    cap: Expr
    several: bool = True

    @property
    def range(self) -> Expr:
        return self.cap

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        slope = _two_scores(x) if self.several else Integer(1)
        return Sensitivity(Signal(self.range, x.sequences, x.tokens), lambda: slope)
