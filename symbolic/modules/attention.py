"""Attention of the papers: one head with collapsed or factored scores, and heads that share one matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Integer, sqrt

from ..derivation import Derivation
from ..norms import Matrix, norm
from .signals import Sensitivity, Signal, Weight, square, times

VALUES = "an average of values moves at most as the values"
SCORES = r"per unit of score the softmax moves by its constant in $\ell_1$, and values have norm at most $B_V R$"


@dataclass(frozen=True)
class Attention:
    """Softmax attention: to each query x the average of the values Vz with weights softmax(x . S z).

    `score` is the collapsed matrix S, or the pair (Q, K) of maps with score (Qx) . (Kz). `kappa` is the
    softmax's constant from l_inf to l_1. With one query only that output is computed. A collapsed score may be
    covered as the vectors S z of the keys or S^T x of the queries (`on_queries`, or where nothing that a
    cover could use bounds S), or, with `scalar_scores`, as the numbers x . S z themselves. `best_gain` takes the
    best input-Lipschitz constant (maurey/attention) in the place of the one that the triangle inequality gives.
    """

    value: Matrix
    score: Matrix | tuple[Matrix, Matrix]
    kappa: Expr
    one_query: bool = False
    scalar_scores: bool = False
    best_gain: bool = False
    on_queries: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x, B_V = x.by_length(), norm(D, self.value, "spectral")
        output = replace(x.to(times(B_V, x.radius)), tokens=Integer(1) if self.one_query else x.tokens)

        def lipschitz() -> Expr:
            B = times(square(x.radius), self._score_norm(D))
            if self.best_gain:
                return times(B_V, B + sqrt(1 + B**2))
            # values move by B_V; a score moves through its query and through its key, each by at most R |S|
            return times(B_V, 1 + 2 * times(self.kappa, B))

        value = Weight(self.value, Integer(1), x.radius, x.number, VALUES, "edelman2022/4.3", radius_1=x.radius_1)
        return Sensitivity(output, lipschitz, (*self._score_weights(D, x, output, B_V), value))

    @property
    def covers_queries(self) -> bool:
        """Whether a collapsed score that is covered by vectors is covered by those of the queries."""
        S = self.score
        assert isinstance(S, Matrix)
        norms = (S.rows, S.row_l1, S.row_sum, S.column_l1, S.column_sum, S.entries)
        return self.on_queries or all(b is None for b in norms)

    def _score_norm(self, D: Derivation) -> Expr:
        maps = (self.score,) if isinstance(self.score, Matrix) else self.score
        return times(*(norm(D, M, "spectral") for M in maps))

    def _score_weights(self, D: Derivation, x: Signal, output: Signal, B_V: Expr) -> tuple[Weight, ...]:
        R, queries = x.radius, output.number
        per_score = times(self.kappa, B_V, R)
        if self.scalar_scores and isinstance(self.score, Matrix):
            pairs = times(queries, x.tokens)
            radius_1 = None if x.radius_1 is None else square(x.radius_1)
            weight = Weight(
                matrix=self.score,
                coefficient=per_score,
                radius=square(R),
                number=pairs,
                reason=SCORES,
                key="maurey/score",
                scalar=True,
                radius_1=radius_1,
            )
            return (weight,)
        per_vector = times(self.kappa, B_V, square(R))  # a score is a product with another vector of norm R
        if isinstance(self.score, Matrix):
            moved, number, other, key = self.score, x.number, "query that scores a key", "edelman2022/4.3"
            if self.covers_queries:
                moved, number, other = self.score.transposed(), queries, "key against which a query is scored"
                key = key if self.on_queries else "maurey/orientation"
            reason = f"{SCORES}; the {other} has norm at most $R$"
            return (Weight(moved, per_vector, R, number, reason, key, radius_1=x.radius_1),)
        Q, K = self.score
        reason = f"{SCORES}; the other factor of the score has norm at most its own times $R$"
        return tuple(
            Weight(moved, times(per_vector, norm(D, other, "spectral")), R, number, reason, "edelman2022/4.3")
            for moved, other, number in ((Q, K, queries), (K, Q, x.number))
        )


JOINT = r"per unit of score the softmax moves by its constant in $\ell_1$; tokens and keys have norm at most $R$"


@dataclass(frozen=True)
class JointHeads:
    """H heads side by side, concatenated, whose values are the tokens themselves: to the one query x of each sequence
    the averages of the tokens z with weights softmax(x . W_h z). All are read off one matrix, (W_1, ..., W_H): it acts
    on the query, and block h of what comes out is dotted with the keys. Squares add over the heads, so that the matrix
    moves the output as a whole."""

    matrix: Matrix  # of x -> (W_1^T x, ..., W_H^T x)
    number: Expr
    kappa: Expr
    key: str = "edelman2022/4.3"

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x, root = x.by_length(), sqrt(self.number)
        R = x.radius

        def lipschitz() -> Expr:
            # in l2 over the heads: the values move all of them by one, a score moves through its query and its key
            return root + 2 * times(self.kappa, square(R), norm(D, self.matrix, "frobenius"))

        output = replace(x.to(times(root, R)), tokens=Integer(1))
        moved = Weight(self.matrix, times(self.kappa, square(R)), R, x.sequences, JOINT, self.key)
        return Sensitivity(output, lipschitz, (moved,))
