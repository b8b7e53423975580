"""Architectures as compositions of modules, and what each does to radii, distances and weights.

Distances between two token sequences are the largest l2 distance of a token. For tokens of a given radius a
module states three things: the radius of its output, its Lipschitz constant, and its weights, each with a
coefficient: how much the output moves when that matrix moves by one on the vectors it acts on. The perturbed
weights are members of the class too (the covers used are proper), so radii hold along the perturbed network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from sympy import Add, Expr, Integer, Min, S, sqrt

from .derivation import Derivation
from .norms import Matrix, norm


@dataclass(frozen=True)
class Signal:
    """m sequences of tokens, every token of l2 norm at most the radius."""

    radius: Expr
    sequences: Expr
    tokens: Expr
    radius_1: Expr | None = None  # a bound on the l1 norms, where one is stated

    @property
    def number(self) -> Expr:
        return times(self.sequences, self.tokens)

    def to(self, radius: Expr) -> Signal:
        """Other vectors in the place of the tokens: nothing is known of them but their l2 norms."""
        return replace(self, radius=radius, radius_1=None)


@dataclass(frozen=True)
class Weight:
    matrix: Matrix
    coefficient: Expr
    radius: Expr  # of the vectors it acts on
    number: Expr  # of those vectors
    reason: str
    key: str = ""
    scalar: bool = False  # acts as one linear functional of outer products, whose entrywise norms are the radii
    copies: Expr = S.One  # independent weights with these same bounds
    radius_1: Expr | None = None  # of those vectors, in l1, where it is stated


@dataclass(frozen=True)
class Sensitivity:
    output: Signal
    lipschitz: Callable[[], Expr]  # asked for only where a weight stands upstream
    weights: tuple[Weight, ...] = ()


class Module(Protocol):
    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity: ...


def times(*factors: Expr) -> Expr:
    """The product in the order given, ones left out."""
    product = Integer(1)
    for factor in factors:
        if product == 1:
            product = factor
        elif factor != 1:
            product = product * factor
    return product


def square(x: Expr) -> Expr:
    return x if x == 1 else x**2


@dataclass(frozen=True)
class Sequence:
    """One module after the other: radii forward, products of Lipschitz constants backward."""

    modules: tuple[Module, ...]

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        stages: list[Sensitivity] = []
        for module in self.modules:
            stage = module.sensitivity(D, x)
            stages.append(stage)
            radius = D.fresh("R", "R", stage.output.radius, "the radius of what comes out")
            x = replace(stage.output, radius=radius)
        downstream: Expr = Integer(1)
        weights: tuple[Weight, ...] = ()
        for i in reversed(range(len(stages))):
            own = (replace(w, coefficient=times(downstream, w.coefficient)) for w in stages[i].weights)
            weights = (*own, *weights)
            if any(stage.weights for stage in stages[:i]):
                product = times(downstream, stages[i].lipschitz())
                downstream = D.fresh("Lambda", r"\Lambda", product, "Lipschitz constants from here to the output")
        return Sensitivity(x, lambda: times(*(stage.lipschitz() for stage in reversed(stages))), weights)


def compose(*modules: Module) -> Sequence:
    return Sequence(modules)


@dataclass(frozen=True)
class Linear:
    """x -> Mx, token by token. With `largest`, outputs are measured by their largest coordinate, so that no more than
    the rows of M count."""

    matrix: Matrix
    largest: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        B = norm(D, self.matrix, "rows" if self.largest else "spectral")
        moves = "the output of a linear map moves as the map"
        weight = Weight(self.matrix, Integer(1), x.radius, x.number, moves, radius_1=x.radius_1)
        return Sensitivity(x.to(times(B, x.radius)), lambda: B, (weight,))


@dataclass(frozen=True)
class Fixed:
    """A map without trainable weights that is B-Lipschitz and takes zero to zero: an activation, a fixed read-out."""

    lipschitz: Expr

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.to(times(self.lipschitz, x.radius)), lambda: self.lipschitz)


@dataclass(frozen=True)
class Projection:
    """Each token to the nearest point of the unit ball: u / max(1, |u|). With `carried`, tokens that come in shorter
    than 1 are known to go out so."""

    carried: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        radius = Min(1, x.radius) if self.carried and x.radius != 1 else Integer(1)
        return Sensitivity(x.to(radius), lambda: Integer(1))


@dataclass(frozen=True)
class Offset:
    """Fixed positional vectors of norm at most B added to the tokens."""

    bound: Expr

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.to(x.radius + self.bound), lambda: Integer(1))


@dataclass(frozen=True)
class ReadToken:
    """Keep one token of each sequence, [CLS]."""

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(replace(x, tokens=Integer(1)), lambda: Integer(1))


@dataclass(frozen=True)
class Residual:
    """x + f(x)."""

    inner: Module

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        f = self.inner.sensitivity(D, x)
        return Sensitivity(f.output.to(x.radius + f.output.radius), lambda: 1 + f.lipschitz(), f.weights)


@dataclass(frozen=True)
class Heads:
    """Heads side by side on the same tokens, summed or concatenated. A head moves only its own summand or
    block, so its weights keep their coefficients."""

    heads: tuple[Module, ...]
    concatenated: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        stages = [head.sensitivity(D, x) for head in self.heads]

        def join(values: list[Expr]) -> Expr:
            return sqrt(Add(*(v**2 for v in values))) if self.concatenated else Add(*values)

        return Sensitivity(
            stages[0].output.to(join([s.output.radius for s in stages])),
            lambda: join([s.lipschitz() for s in stages]),
            tuple(weight for s in stages for weight in s.weights),
        )


@dataclass(frozen=True)
class EqualHeads:
    """The sum of H independent heads that share their bounds, not their weights."""

    number: Expr
    head: Module

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        s = self.head.sensitivity(D, x)
        return Sensitivity(
            s.output.to(self.number * s.output.radius),
            lambda: self.number * s.lipschitz(),
            tuple(replace(w, copies=times(self.number, w.copies)) for w in s.weights),
        )


@dataclass(frozen=True)
class WithOne:
    """(x, 1): what makes a bias a column of the next matrix."""

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.to(sqrt(square(x.radius) + 1)), lambda: Integer(1))


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
        B_V = norm(D, self.value, "spectral")
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
        return self.on_queries or all(b is None for b in (S.rows, S.column_l1, S.column_sum, S.entries))

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
        R, root = x.radius, sqrt(self.number)

        def lipschitz() -> Expr:
            # in l2 over the heads: the values move all of them by one, a score moves through its query and its key
            return root + 2 * times(self.kappa, square(R), norm(D, self.matrix, "frobenius"))

        output = replace(x.to(times(root, R)), tokens=Integer(1))
        moved = Weight(self.matrix, times(self.kappa, square(R)), R, x.sequences, JOINT, self.key)
        return Sensitivity(output, lipschitz, (moved,))
