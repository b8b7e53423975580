"""Which of several proved steps a derivation takes: the paper's, or a sharper one. Each sharpening is one swap."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Symbol

from .covers import Cover, length_free, online, zhang
from .modules import Attention
from .norms import Matrix
from .softmax import BEST_CONSTANT

PAPER_CONSTANT = Symbol("kappa")


@dataclass(frozen=True)
class Route:
    kappa: Expr = PAPER_CONSTANT  # the softmax constant: a named constant of the claim, or 1 (maurey/softmax)
    cover: Cover = zhang  # of linear maps
    scalar_scores: bool = False  # maurey/score
    best_gain: bool = False  # maurey/attention
    read_one: bool = False  # maurey/read: the last layer computes only the token that is read
    carried_radii: bool = False  # a projection leaves a token that is shorter than 1 as it is
    chaining: bool = False  # maurey/chaining in the place of Dudley's integral

    def attention(self, value: Matrix, score: Matrix, one_query: bool = False) -> Attention:
        return Attention(value, score, self.kappa, one_query, self.scalar_scores, self.best_gain)


PAPER = Route()
SHARP = Route(
    BEST_CONSTANT, online, scalar_scores=True, best_gain=True, read_one=True, carried_radii=True, chaining=True
)
LENGTH_FREE = replace(SHARP, cover=length_free, scalar_scores=False)  # no cover that counts its inputs
