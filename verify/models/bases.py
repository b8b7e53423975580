"""A base that was fixed before the sample: how far the weights of a model are from its own.

The class is all weights within the measured distances of the base, each distance rounded up to its cell, so that norms
are at most the base's and the distance. Distances of what the base lacks (a head) are from zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from sympy import Expr, Indexed, Symbol

from maurey.numeric.routes import Subject
from maurey.symbolic.architecture import SUFFIXES, Norm
from maurey.symbolic.errors import InputError, cut
from maurey.symbolic.modules import matrices_of
from maurey.symbolic.modules.words import KINDS
from maurey.symbolic.norms import Matrix

from .checkpoints import CONFIG, MOST, Checkpoint, named
from .files.documents import read_object
from .files.safetensors import Entry
from .measured import Report, Row, Source, listed
from .model import Model
from .numbers.cells import LEAST, Cell, cell, weight
from .numbers.enclosures import Between
from .numbers.norms import Norms, norms
from .numbers.tensors import Difference

PREFIXES = ("bert.", "roberta.", "distilbert.", "transformer.", "vit.", "model.")
WIDER = 1 + Fraction(1, 1 << 51)  # for the rounding of differences


@dataclass(frozen=True)
class Moved:
    """One matrix: the norms of what it has moved, and those of its base, if there is one."""

    row: Row
    base: Norms | None
    norms: Norms


def base_of(folder: Path, checkpoint: Checkpoint) -> dict[str, Entry]:
    """The base's tensors under the names that the checkpoint has for them."""
    kind = read_object(folder / CONFIG, MOST).get("model_type")
    if kind != checkpoint.reading.family:
        raise InputError(f"the base is of the family {cut(repr(kind))}, the model of {checkpoint.reading.family!r}")
    there = {_bare(name): entry for name, entry in named(folder).items()}
    found = {name: there[bare] for name in checkpoint.tensors if (bare := _bare(name)) in there}
    if not found:
        raise InputError("the base has no tensor of the model's")
    for name, entry in found.items():
        if entry.shape != checkpoint.tensors[name].shape:
            ours = list(checkpoint.tensors[name].shape)
            raise InputError(f"{name} has shape {list(entry.shape)} in the base, and {ours} in the model")
    return found


def _bare(name: str) -> str:
    return next((name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)), name)


def moved(checkpoint: Checkpoint, base: Mapping[str, Entry], rows: Mapping[str, Row], tell: Report) -> Iterator[Moved]:
    """Of all that is trained; `rows` by label."""
    for name, tensor in checkpoint.tensors.items():
        ours = checkpoint.placed(name, tensor)
        theirs = checkpoint.placed(name, base[name]) if name in base else None
        for place, own in ours:
            other = next(theirs)[1] if theirs is not None else None
            row = rows[place.label]
            if row.frozen:
                continue
            tell(f"distance of {name} from the base")
            if other is None:
                yield Moved(row, None, row.norms)
                continue
            turned = checkpoint.is_turned(place)
            before, after = norms(other.read()), norms(Difference(own.read(), other.read()))
            yield Moved(row, before.turned() if turned else before, widened(after.turned() if turned else after))


def widened(found: Norms) -> Norms:
    ends: dict[str, Any] = {f.name: getattr(found, f.name) for f in fields(found)}
    wider = {n: Between(x.lower / WIDER, x.upper * WIDER) for n, x in ends.items() if x is not None}
    return replace(found, **wider)


@dataclass(frozen=True)
class Near:
    """The class around the base: bounds on distances and on norms, by name, and what is paid for."""

    norms: Mapping[str, Norm]
    distances: Mapping[str, Norm]
    cells: Mapping[str, Cell]
    lacks: tuple[str, ...]  # tensors that the base has not
    moved: tuple[Moved, ...]

    @property
    def share(self) -> Fraction:
        return weight(self.cells.values())


def near_base(model: Model, folder: Path, rows: Sequence[Row], margin: Mapping[str, Cell], tell: Report) -> Near:
    checkpoint = model.source
    if not isinstance(checkpoint, Checkpoint):
        raise InputError("a base is a folder, and so must the model be")
    base = base_of(folder, checkpoint)
    norms, distances, cells = dict[str, dict[int, Fraction]](), dict[str, dict[int, Fraction]](), dict(margin)
    for row in rows:
        if row.frozen:
            for name, field in _named(checkpoint, row):
                norms.setdefault(name, {})[row.place.layer] = getattr(row.norms, field).upper
                distances.setdefault(name, {})[row.place.layer] = LEAST  # in its list; it is not covered
    every = tuple(moved(checkpoint, base, {row.place.label: row for row in rows}, tell))
    for one in every:
        layer = one.row.place.layer
        for name, field in _named(checkpoint, one.row):
            own = cell(getattr(one.norms, field).upper)
            cells[f"{name}_{layer}"] = own
            distances.setdefault(name, {})[layer] = own.bound
            before = getattr(one.base, field).upper if one.base is not None else Fraction(0)
            norms.setdefault(name, {})[layer] = before + own.bound
    lacks = tuple(name for name in checkpoint.tensors if name not in base)
    on_norms, on_distances = ({name: listed(by) for name, by in found.items()} for found in (norms, distances))
    return Near(norms=on_norms, distances=on_distances, cells=cells, lacks=lacks, moved=every)


def _named(source: Source, row: Row) -> Iterator[tuple[str, str]]:
    """The norms of a matrix that have names, with the fields that they bound."""
    for suffix, field in SUFFIXES[source.kind(row.place.slot)].items():
        yield f"{row.place.slot}_{suffix}" if suffix else row.place.slot, field


def around(s: Subject, near: Near, frozen: frozenset[str]) -> Subject:
    """The class around the base: the bounds D on what moves beside the bounds B on norms."""
    values = {**s.values, **{f"D_{name}": _value(bound) for name, bound in near.distances.items()}}
    known = {f"D_{name}" for name in near.distances}
    matrices = {label: M for label, M in matrices_of(s.network).items() if label not in frozen}
    moves = {label: _renamed(M) for label, M in matrices.items()}
    moves = {label: M for label, M in moves.items() if _letters(M) <= known}
    return replace(s, values=values, moved=moves, share=near.share)


def _value(bound: Norm) -> Any:
    return list(bound) if isinstance(bound, tuple) else bound


def _letters(M: Matrix) -> set[str]:
    bounds = [getattr(M, name) for name in KINDS if getattr(M, name) is not None]
    return {str(b.base.label) if isinstance(b, Indexed) else str(b) for b in bounds}


def _renamed(M: Matrix) -> Matrix:
    letters: dict[str, Any] = {name: _letter(getattr(M, name)) for name in KINDS}
    return replace(M, label=f"{M.label}_moved", **letters)


def _letter(bound: Expr | None) -> Expr | None:
    if isinstance(bound, Indexed):
        return Indexed(f"D{str(bound.base.label)[1:]}", *bound.indices)
    return Symbol(f"D{str(bound)[1:]}") if isinstance(bound, Symbol) else bound
