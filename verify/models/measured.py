"""What is measured on a checkpoint, tensor by tensor, and the class of networks that it makes.

A norm that was measured is rounded up to its cell, and its cell is paid for. What was fixed before the sample (a frozen
tensor) has its norms for nothing. A head that the checkpoint lacks has rows of norm 1, by hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from maurey.symbolic.architecture import SUFFIXES, Architecture, Norm, slots

from .checkpoints import Checkpoint, read
from .families.places import Place
from .numbers.cells import Cell, cell
from .numbers.enclosures import Between
from .numbers.norms import Norms, norms
from .numbers.tensors import width_of

LARGE = 10**9  # numbers, beyond which one pass is made over each tensor
HEAD = Fraction(1)  # the longest row of a new head
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


def measure(
    checkpoint: Checkpoint, one_pass: bool, report: Report, frozen: Callable[[str], bool] = lambda name: False
) -> Iterator[Row]:
    """One tensor after the other; no more than one is in memory."""
    total = len(checkpoint.tensors)
    for n, (place, tensor) in enumerate(checkpoint.weights(), 1):
        report(f"norms of {tensor.name}, {n} of {total}")
        shape = tensor.shape
        found = norms(tensor if one_pass else read(tensor), one_pass)
        found = found.turned() if checkpoint.reading.is_turned(place) else found
        yield Row(name=tensor.name, place=place, shape=shape, kind=tensor.kind, norms=found, frozen=frozen(tensor.name))


@dataclass(frozen=True)
class Class:
    """A record with bounds on norms, and the cells that are paid for."""

    architecture: Architecture
    cells: Mapping[str, Cell]


def class_of(a: Architecture, rows: Sequence[Row]) -> Class:
    """Every norm that a record has a name for."""
    known, found, cells = slots(a), dict[str, dict[int, Fraction]](), dict[str, Cell]()
    for row in rows:
        slot = known[row.place.slot]
        for suffix, field in SUFFIXES[slot.kind].items():
            name = f"{slot.name}_{suffix}" if suffix else slot.name
            measured: Between = getattr(row.norms, field)
            bound = measured.upper
            if not row.frozen or not bound:
                bound = (own := cell(bound)).bound
                cells[f"{name}_{row.place.layer}" if row.place.layer else name] = own
            found.setdefault(name, {})[row.place.layer] = bound
    bounds = {name: _listed(each) for name, each in found.items()}
    if not a.tied and not any(row.place.slot == "head" for row in rows):
        bounds |= {"head_rows" if a.classes > 1 else "head": HEAD}
    return Class(replace(a, norms=bounds), cells)


def _listed(each: Mapping[int, Fraction]) -> Norm:
    return each[0] if 0 in each else tuple(each[layer] for layer in sorted(each))
