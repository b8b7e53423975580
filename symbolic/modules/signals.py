"""What goes into a module and comes out of it, and what a module states of itself.

Distances between two token sequences are the largest l2 distance of a token. For tokens of a given radius a
module states three things: the radius of its output, its Lipschitz constant, and its weights, each with a
coefficient: how much the output moves when that matrix moves by one on the vectors it acts on. The perturbed
weights are members of the class too (the covers used are proper), so radii hold along the perturbed network.

Weights move one after the other, from the input upwards: when one moves, those before it have moved already and those
behind it have not. So it acts on vectors of the perturbed network, and its effect passes through maps of the network
as it was. A bound on a product of two neighbours (of values and output projection, say) holds for maps of one network
only, so inside a module the order must be one in which both have moved, or neither. What a module states never
decreases with the radius of what comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sympy import Add, Expr, Integer, Max, S, Symbol, sqrt

from ..derivation import Derivation
from ..norms import Matrix


@dataclass(frozen=True)
class Signal:
    """m sequences of tokens, every token of l2 norm at most the radius."""

    radius: Expr
    sequences: Expr
    tokens: Expr
    radius_1: Expr | None = None  # a bound on the l1 norms, where one is stated
    largest: bool = False  # radius and distances are those of the largest coordinate

    @property
    def number(self) -> Expr:
        return times(self.sequences, self.tokens)

    def to(self, radius: Expr) -> Signal:
        """Other vectors in the place of the tokens: nothing is known of them but their l2 norms."""
        return replace(self, radius=radius, radius_1=None)

    def by_length(self) -> Signal:
        """For a module whose constants are of l2, of which the largest coordinate says nothing."""
        if self.largest:
            raise ValueError(MEASURED)
        return self


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
    by: str = "spectral"  # the norm of the matrix that bounds, times the radius, what it does to these vectors
    over: tuple[Symbol, Expr] | None = None  # (i, L): one for each layer i = 1..L


@dataclass(frozen=True)
class Sensitivity:
    output: Signal
    lipschitz: Callable[[], Expr]  # asked for only where a weight stands upstream
    weights: tuple[Weight, ...] = ()


class Module(Protocol):
    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity: ...


def times(*factors: Expr) -> Expr:
    """The product in the order given, ones left out; zero, if one of them is."""
    if any(factor == 0 for factor in factors):
        return S.Zero
    product = Integer(1)
    for factor in factors:
        if product == 1:
            product = factor
        elif factor != 1:
            product = product * factor
    return product


def plus(*terms: Expr) -> Expr:
    """The sum in the order given, zeros left out."""
    kept = [term for term in terms if term != 0]
    return Add(*kept) if len(kept) > 1 else (kept or [S.Zero])[0]


def square(x: Expr) -> Expr:
    return x if x in (0, 1) else x**2


def root(x: Expr) -> Expr:
    return x if x in (0, 1) else sqrt(x)


def merged(weights: Sequence[Weight]) -> tuple[Weight, ...]:
    """A matrix that is used twice is one weight, whose effects add up, if both uses measure its movement alike."""
    found: dict[str, Weight] = {}
    for w in weights:
        first = found.get(w.matrix.label)
        if first is None or w.by != "columns" or w.radius != first.radius:
            if first is not None:
                raise ValueError(TWICE.format(w.matrix.label))
            found[w.matrix.label] = w
            continue
        number = first.number if first.number == w.number else Max(first.number, w.number)
        effect = plus(first.coefficient, w.coefficient)
        found[w.matrix.label] = replace(first, coefficient=effect, number=number, reason=TIED)
    return tuple(found.values())


MEASURED = "a head's scores are measured by the largest one, so that nothing maps them further: take Linear instead"
TWICE = "two weights are called {0}: give one of them another name, e.g. nn.Matrix('{0}_2', ...)"
TIED = "one matrix, used twice: its effects add up"
