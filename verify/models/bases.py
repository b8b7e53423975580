"""A base that was fixed before the sample: how far the weights of a model are from its own.

The class is all weights within the measured distances of the base, each distance rounded up to its cell, so that norms
are at most the base's and the distance. Distances of what the base lacks (a head) are from zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path

from sympy import Expr, Indexed, Symbol

from maurey.numeric.routes import Subject
from maurey.symbolic.errors import InputError
from maurey.symbolic.modules import matrices_of
from maurey.symbolic.norms import Matrix

from .checkpoints import CONFIG, MOST, Checkpoint
from .files import safetensors
from .files.documents import read_object
from .files.safetensors import Entry
from .measured import Report, Row
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
    if kind != checkpoint.reading.family and kind not in checkpoint.reading.family:
        raise InputError(f"the base is of the family {kind!r}, the model of {checkpoint.reading.family!r}")
    there = {_bare(name): entry for name, entry in safetensors.entries(folder).items()}
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
    ends = {f.name: getattr(found, f.name) for f in fields(found)}
    return Norms(**{n: Between(x.lower / WIDER, x.upper * WIDER) if x is not None else None for n, x in ends.items()})


def around(s: Subject, labels: Callable[[str], bool]) -> Subject:
    """The class around the base: the bounds D on what moves beside the bounds B on norms."""
    named = {label: M for label, M in matrices_of(s.network).items() if labels(label)}
    return replace(s, moved={label: _renamed(M) for label, M in named.items()})


def _renamed(M: Matrix) -> Matrix:
    bounds = {
        f.name: _letter(getattr(M, f.name)) for f in fields(M) if f.name not in ("label", "mark", "outputs", "inputs")
    }
    return replace(M, label=f"{M.label}_moved", **bounds)


def _letter(bound: Expr | None) -> Expr | None:
    if isinstance(bound, Indexed):
        return Indexed(f"D{str(bound.base.label)[1:]}", *bound.indices)
    return Symbol(f"D{str(bound)[1:]}") if isinstance(bound, Symbol) else bound
