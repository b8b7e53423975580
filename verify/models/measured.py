"""What is measured on a model, tensor by tensor, and the class of networks that it makes.

A norm that was measured is rounded up to its cell, and its cell is paid for. What was fixed before the sample (a frozen
tensor) has its norms for nothing. A head that the model lacks has rows of norm 1, by hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from maurey.symbolic.architecture import SUFFIXES, Norm

from .families.places import Place
from .numbers.cells import Cell, cell
from .numbers.coding import coded_bits
from .numbers.enclosures import Between
from .numbers.norms import Norms, norms
from .numbers.tensors import Stored, Tensor, width_of

LARGE = 10**9  # numbers, beyond which one pass is made over each tensor
Report = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One matrix: its norms are those of the map."""

    name: str
    place: Place
    shape: tuple[int, ...]
    kind: str
    norms: Norms
    frozen: bool = False
    coded: int | None = None  # bits, in a prefix code; none in one pass

    @property
    def numbers(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def bits(self) -> int:
        return self.numbers * width_of(self.kind)

    @property
    def stable_rank(self) -> float | None:
        """At most: the squared Frobenius norm over the squared spectral norm."""
        low = self.norms.spectral.lower
        return float(self.norms.frobenius.upper**2 / low**2) if low else None


class Source(Protocol):
    """A model whose tensors can be had one after the other, each with its place."""

    def weights(self) -> Iterator[tuple[Place, Tensor]]: ...
    def is_turned(self, place: Place) -> bool: ...
    def kind(self, slot: str) -> str: ...


def measure(
    source: Source, one_pass: bool, tell: Report, frozen: Callable[[str], bool] = lambda name: False
) -> Iterator[Row]:
    """No more than one tensor is in memory."""
    for place, tensor in source.weights():
        tell(f"norms of {tensor.name}")
        held, own = tensor if one_pass else tensor.read(), frozen(whole_of(tensor.name))
        found = norms(held, one_pass)
        yield Row(
            name=tensor.name,
            place=place,
            shape=(*tensor.shape, 1)[:2],
            kind=tensor.kind,
            norms=found.turned() if source.is_turned(place) else found,
            frozen=own,
            coded=coded_bits(held) if isinstance(held, Stored) and not own and not one_pass else None,
        )


def whole_of(name: str) -> str:
    """The tensor that a part was taken from."""
    return name.partition(" (")[0]


@dataclass(frozen=True)
class Class:
    """Bounds on the norms of a class, by name, and the cells that are paid for."""

    norms: Mapping[str, Norm]
    cells: Mapping[str, Cell]


def class_of(source: Source, rows: Sequence[Row]) -> Class:
    """Every norm that has a name."""
    found, cells = dict[str, dict[int, Fraction]](), dict[str, Cell]()
    for row in rows:
        for suffix, field in SUFFIXES[source.kind(row.place.slot)].items():
            name = f"{row.place.slot}_{suffix}" if suffix else row.place.slot
            measured: Between = getattr(row.norms, field)
            bound = measured.upper
            if not row.frozen or not bound:
                bound = (own := cell(bound)).bound
                cells[f"{name}_{row.place.layer}" if row.place.layer else name] = own
            found.setdefault(name, {})[row.place.layer] = bound
    return Class({name: listed(each) for name, each in found.items()}, cells)


def listed(each: Mapping[int, Fraction]) -> Norm:
    """One number, or one for each layer."""
    return each[0] if 0 in each else tuple(each[layer] for layer in sorted(each))
