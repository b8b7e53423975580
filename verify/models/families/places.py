"""Which tensor of a checkpoint is which weight of its class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from maurey.symbolic.architecture import Architecture
from maurey.symbolic.compiled import values
from maurey.symbolic.errors import InputError

from .configs import Config


@dataclass(frozen=True)
class Place:
    """A slot of the record, in one layer if it has one in each; how the tensor lies in it."""

    slot: str
    layer: int = 0  # from 1; 0 beside the layers
    turned: bool = False  # inputs by outputs
    part: int = 0  # of the outputs that several slots share, this one's, from 0
    parts: int = 1

    @property
    def label(self) -> str:
        """Of the matrix in a network that is written out."""
        return f"{self.slot}_{self.layer}" if self.layer else self.slot


Places = dict[str, tuple[Place, ...]]


@dataclass(frozen=True)
class Wanted:
    """What there is, and what is asked for."""

    shapes: Mapping[str, tuple[int, ...]]  # of the tensors, by name
    head: int = 0  # classes of a head that the checkpoint lacks
    pooling: str = ""  # what is read of the tokens, where another file says so
    pictures: Mapping[str, Any] | None = None  # how pixels are prepared, where a file says so


@dataclass(frozen=True)
class Reading:
    """What a family makes of a config and the names of tensors."""

    family: str
    architecture: Architecture
    places: Mapping[str, tuple[Place, ...]]
    buffers: tuple[str, ...] = ()  # tensors that are no weights, if they are there; patterns
    copies: Mapping[str, str] = field(default_factory=dict)  # tensors that repeat another one, if they are there
    left_out: tuple[str, ...] = ()  # of other heads, if they are there; patterns
    stated: tuple[str, ...] = ()  # hypotheses
    angles: str = ""  # the type of rotations that are not run

    @cached_property
    def _sizes(self) -> dict[str, tuple[str, int, int]]:
        """Of every slot: its kind, outputs and inputs."""
        at = values(self.architecture)
        return {
            name: (slot.kind, int(slot.outputs.subs(at)), int(slot.inputs.subs(at)))
            for name, slot in self.architecture.slots.items()
        }

    def kind(self, slot: str) -> str:
        return self._sizes[slot][0]

    def is_turned(self, place: Place) -> bool:
        """Whether a tensor is the transpose of the map; a table has a row for each of its vectors."""
        return place.turned or self._sizes[place.slot][0] == "table"

    def sides(self, name: str) -> tuple[int, int]:
        """Rows and columns of a tensor as it is stored."""
        place = self.places[name][0]
        _, outputs, inputs = self._sizes[place.slot]
        outputs *= place.parts
        return (inputs, outputs) if self.is_turned(place) else (outputs, inputs)


def linear(name: str, slot: str, layer: int = 0, bias: bool = True, turned: bool = False) -> Places:
    """Stored by outputs and inputs, or turned."""
    found: Places = {f"{name}.weight": (Place(slot, layer, turned),)}
    return found | ({f"{name}.bias": (Place(f"{slot}_bias", layer),)} if bias else {})


def normed(name: str, slot: str, layer: int = 0, bias: bool = True) -> Places:
    found: Places = {f"{name}.weight": (Place(f"{slot}_gain", layer),)}
    return found | ({f"{name}.bias": (Place(f"{slot}_bias", layer),)} if bias else {})


def prefix_of(wanted: Wanted, known: str, prefix: str) -> str:
    """Models are saved with a head around them, under a prefix, or without."""
    for one in (prefix, ""):
        if one + known in wanted.shapes:
            return one
    raise InputError(f"no tensor {prefix}{known} or {known}")


def spans(wanted: Wanted) -> tuple[str, ...]:
    """A head that scores where an answer begins and ends has no classes; another one may stand in its place."""
    return ("qa_outputs.*",) if wanted.head else ()


def head_of(
    a: Architecture, places: Places, wanted: Wanted, c: Config, heads: Mapping[str, bool]
) -> tuple[Architecture, Places]:
    """The head of the checkpoint, the first of these that is there, with a bias if it says so; or a new one."""
    there = next((name for name in heads if f"{name}.weight" in wanted.shapes), "")
    if wanted.head and there:
        raise InputError(f"the checkpoint has a head, {there}: leave --head out")
    if wanted.head:
        return replace(a, outputs=wanted.head), places
    if not there:
        raise InputError(f"{c.task or 'the checkpoint'} has no head of classes: --head K adds one of K classes")
    outputs, *_ = wanted.shapes[f"{there}.weight"] or (0,)
    return replace(a, outputs=outputs), places | linear(there, "head", bias=heads[there])
