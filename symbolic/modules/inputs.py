"""What comes in: words looked up in tables, or patches of a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Integer, Max, Min, S, sympify

from ..derivation import Derivation
from ..norms import Matrix, norm
from .maps import MOVES, bias_weight, shift
from .signals import Module, Sensitivity, Signal, Weight, plus, times

LOOKED_UP = "a token moves as the vector that was looked up, so a table counts by its longest vector"


def looked_up_in(part: Module) -> list[Matrix]:
    """The tables of a module."""
    if isinstance(part, Embedding):
        return [M for M in (part.words, part.positions, part.types) if M is not None]
    return [part.positions] if isinstance(part, Patches) and part.positions is not None else []


def looked_up(D: Derivation, tables: tuple[Matrix | None, ...], number: Expr) -> tuple[Expr, tuple[Weight, ...]]:
    """The sum of a vector from each table: how long it is, and what moves it. Of a table only the vectors count that so
    many tokens can name."""
    radius, weights = [], []
    for table in tables:
        if table is not None:
            radius.append(norm(D, table, "columns"))
            entries = sympify(table.inputs)
            weights.append(Weight(table, S.One, S.One, Min(number, entries), LOOKED_UP, by="columns"))
    return plus(*radius), tuple(weights)


@dataclass(frozen=True)
class Embedding:
    """E[id] + P[t] + S[s]: linear on one-hot vectors, of which a matrix has one column for each word, position or type.
    Words do not move, so that there is no Lipschitz constant."""

    words: Matrix
    positions: Matrix | None = None
    types: Matrix | None = None
    first: int = 0  # the position of the first token

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        radius, weights = looked_up(D, (self.words, self.positions, self.types), x.number)
        return Sensitivity(x.to(radius), _words_stay, weights)


def _words_stay() -> Expr:
    raise ValueError("words do not move: a table is the first module, with no weight before it")


@dataclass(frozen=True)
class Patches:
    """(c, Wx_1 + b, ..., Wx_n + b) + P: a token of its own, [CLS], before the patches, each mapped alike; a vector from
    a table for each place is added."""

    matrix: Matrix
    first: Matrix | None = None  # c, a column
    bias: Matrix | None = None
    positions: Matrix | None = None

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        x, B = x.by_length(), norm(D, self.matrix, "spectral")
        patch = plus(times(B, x.radius), shift(D, self.bias))
        token = patch if self.first is None else Max(patch, norm(D, self.first, "spectral"))
        tokens = x.tokens if self.first is None else x.tokens + 1
        output = replace(x, tokens=tokens)
        place, tables = looked_up(D, (self.positions,), output.number)
        weights = (Weight(self.matrix, S.One, x.radius, x.number, MOVES), *bias_weight(self.bias),
                   *bias_weight(self.first, Integer(1)), *tables)  # fmt: skip
        return Sensitivity(output.to(plus(token, place)), lambda: B, weights)
