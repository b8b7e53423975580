"""Linear maps with and without biases, and fixed maps without weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Integer, Min, sqrt, sympify

from ..derivation import Derivation
from ..norms import Matrix, norm
from .signals import Sensitivity, Signal, Weight, plus, square, times

MOVES = "the output of a linear map moves as the map"
BIAS = "a bias moves what it is added to as it moves itself"
ONE = Integer(1)


def shift(D: Derivation, bias: Matrix | None, largest: bool = False) -> Expr:
    """How long a bias is at most; of a column, the norm of the largest row is its largest entry."""
    return Integer(0) if bias is None else norm(D, bias, "rows" if largest else "spectral")


def bias_weight(bias: Matrix | None, coefficient: Expr = ONE, largest: bool = False) -> tuple[Weight, ...]:
    """A bias acts on the vector (1), one and the same everywhere."""
    if bias is None:
        return ()
    return (Weight(bias, coefficient, ONE, ONE, BIAS, by="rows" if largest else "spectral"),)


@dataclass(frozen=True)
class Linear:
    """x -> Mx + b, token by token. With `largest`, outputs are measured by their largest coordinate, so that no more
    than the rows of M count."""

    matrix: Matrix
    largest: bool = False
    bias: Matrix | None = None

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x, by = x.by_length(), "rows" if self.largest else "spectral"
        B = norm(D, self.matrix, by)
        weight = Weight(self.matrix, Integer(1), x.radius, x.number, MOVES, radius_1=x.radius_1, by=by)
        output = replace(
            x.to(plus(times(B, x.radius), shift(D, self.bias, self.largest))), largest=self.largest
        )  # fmt: skip
        return Sensitivity(output, lambda: B, (weight, *bias_weight(self.bias, largest=self.largest)))


@dataclass(frozen=True)
class Fixed:
    """A map without trainable weights that is B-Lipschitz and takes zero to zero: an activation, a fixed read-out."""

    lipschitz: Expr

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.by_length().to(times(self.lipschitz, x.radius)), lambda: self.lipschitz)


@dataclass(frozen=True)
class Projection:
    """Each token to the nearest point of the unit ball: u / max(1, |u|). With `carried`, tokens that come in shorter
    than 1 are known to go out so."""

    carried: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        radius = Min(1, x.radius) if self.carried and x.radius != 1 else Integer(1)
        return Sensitivity(x.by_length().to(radius), lambda: Integer(1))


@dataclass(frozen=True)
class Offset:
    """Fixed positional vectors of norm at most B added to the tokens."""

    bound: Expr

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.to(x.radius + self.bound), lambda: Integer(1))


@dataclass(frozen=True)
class WithOne:
    """(x, 1): what makes a bias a column of the next matrix."""

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        return Sensitivity(x.to(sqrt(square(x.radius) + 1)), lambda: Integer(1))


@dataclass(frozen=True)
class Unembedding:
    """g -> E^T g + b, the table of the input once more: the words' scores, measured by their largest coordinate. Per
    unit by which its longest row moves, a score moves by the length of g."""

    table: Matrix  # of the input: its columns are the vectors of the words
    bias: Matrix | None = None

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x, B = x.by_length(), norm(D, self.table, "columns")
        scores = Weight(
            self.table, x.radius, Integer(1), sympify(self.table.inputs), "a score moves as the word's vector",
            by="columns",
        )  # fmt: skip
        output = replace(x.to(plus(times(B, x.radius), shift(D, self.bias, largest=True))), largest=True)
        return Sensitivity(output, lambda: B, (scores, *bias_weight(self.bias, largest=True)))
