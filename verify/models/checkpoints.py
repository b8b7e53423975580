"""A folder with config.json and safetensors as weights of a class: every tensor has a place, and no place is empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import prod
from pathlib import Path
from typing import Any

from maurey.symbolic.architecture import Architecture
from maurey.symbolic.errors import InputError, cut, perhaps
from maurey.symbolic.model_tables import check

from .families import FAMILIES, pictures
from .families.configs import Config
from .families.places import Place, Reading, Wanted
from .families.pooling import further
from .files import safetensors
from .files.documents import read_object
from .files.safetensors import Entry
from .numbers.tensors import Stored

CONFIG = "config.json"
MOST = 1 << 22  # bytes of a config, labels and all
OLDER = {"gamma": "weight", "beta": "bias"}


@dataclass(frozen=True)
class Checkpoint:
    """What was read of a folder: headers, not yet tensors."""

    name: str
    reading: Reading
    tensors: Mapping[str, Entry | Stored]  # the weights, by name
    buffers: tuple[str, ...]  # the rest, by name
    stated: tuple[str, ...]  # hypotheses of the folder
    refused: tuple[str, ...] = ()  # what the folder adds to the network, and is left out

    @property
    def architecture(self) -> Architecture:
        return self.reading.architecture

    @property
    def numbers(self) -> int:
        return sum(prod(tensor.shape) for tensor in self.tensors.values())

    def is_turned(self, place: Place) -> bool:
        return self.reading.is_turned(place)

    def kind(self, slot: str) -> str:
        return self.reading.kind(slot)

    def weights(self) -> Iterator[tuple[Place, Entry | Stored]]:
        """Each tensor with each of its places, in the family's order; one with several is read, and taken apart."""
        for name in self.reading.places:
            yield from self.placed(name, self.tensors[name])

    def placed(self, name: str, tensor: Entry | Stored) -> Iterator[tuple[Place, Entry | Stored]]:
        """What lies in the places of a tensor with this name."""
        places, tensor = self.reading.places[name], shaped(tensor, self.reading.sides(name))
        if len(places) == 1:
            yield places[0], tensor
        else:
            whole = tensor.read()
            yield from ((place, part_of(whole, place)) for place in places)


def shaped(tensor: Entry | Stored, sides: tuple[int, int]) -> Entry | Stored:
    """As a matrix of these sides."""
    if isinstance(tensor, Entry):
        return replace(tensor, shape=sides)
    return replace(tensor, array=tensor.array.reshape(sides))


def part_of(whole: Stored, place: Place) -> Stored:
    """Its block of the outputs, which are the columns of what is turned."""
    step = whole.shape[1 if place.turned else 0] // place.parts
    own = slice(place.part * step, (place.part + 1) * step)
    array = whole.array[:, own] if place.turned else whole.array[own]
    return Stored(f"{whole.name} ({place.slot})", whole.kind, array)


def open_folder(folder: Path, head: int = 0) -> Checkpoint:
    config = Config(read_object(folder / CONFIG, MOST))
    entries = named(folder)
    pooling, stated, refused = further(folder)
    shapes = {name: entry.shape for name, entry in entries.items()}
    prepared = read_object(folder / pictures.NAME, MOST) if (folder / pictures.NAME).exists() else None
    reading = _family(config)(config, Wanted(shapes, head, pooling, prepared))
    reading = replace(reading, family=config.values["model_type"])
    config.check_all()
    check(reading.architecture)
    buffers = tuple(sorted(_buffers(reading, entries)))
    weights = {name: entry for name, entry in entries.items() if name not in buffers}
    check_places(reading, {name: entry.shape for name, entry in weights.items()})
    return Checkpoint(str(folder), reading, weights, buffers, (*reading.stated, *stated), refused)


def named(folder: Path) -> dict[str, Entry]:
    """Its tensors; older files call the gain and the bias of a norm gamma and beta."""
    found: dict[str, Entry] = {}
    for old, entry in safetensors.entries(folder).items():
        norm, _, last = old.rpartition(".")
        name = f"{norm}.{OLDER[last]}" if norm.endswith("LayerNorm") and last in OLDER else old
        if name in found:
            raise InputError(f"{cut(name)} is there twice, once under an older name")
        found[name] = replace(entry, name=name)
    return found


def _family(config: Config) -> Any:
    name = config.values.get("model_type")
    if name is None:
        raise InputError(f"{CONFIG} lacks model_type, which older ones do not have: add one of {', '.join(FAMILIES)}")
    if not isinstance(name, str) or name not in FAMILIES:
        near = perhaps(str(name), FAMILIES)
        raise InputError(f"{CONFIG}: no family {cut(repr(name))}{near}; there are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def _buffers(reading: Reading, entries: Mapping[str, Entry]) -> Iterator[str]:
    """What is no weight; a copy must be one, to the bit."""
    for name, entry in entries.items():
        if any(fnmatchcase(name, pattern) for pattern in (*reading.buffers, *reading.left_out)):
            if name not in reading.places:
                yield name
        elif name in reading.copies:
            original = entries.get(reading.copies[name])
            if original is None or original.shape != entry.shape or not same(entry.read(), original.read()):
                raise InputError(f"{name} differs from {reading.copies[name]}, of which the config says it is a copy")
            yield name


def same(one: Stored, other: Stored) -> bool:
    return one.kind == other.kind and one.array.tobytes() == other.array.tobytes()


# --- tensors and places -----------------------------------------------------------------------------------------------


def check_places(reading: Reading, shapes: Mapping[str, tuple[int, ...]], by: str = CONFIG) -> None:
    """No tensor without a place, no place without a tensor, and every tensor of the size that the record says."""
    if unused := sorted(set(shapes) - set(reading.places)):
        near = perhaps(unused[0], reading.places)
        raise InputError(f"{unused[0]} is no tensor of a {reading.family} model as {by} has it{near}")
    if missing := sorted(set(reading.places) - set(shapes)):
        raise InputError(f"the checkpoint lacks {missing[0]}" + (f" and {n} more" if (n := len(missing) - 1) else ""))
    for name, shape in shapes.items():
        sides = reading.sides(name)
        if not _fits(shape, sides):
            asked = list(sides if sides[1] != 1 else sides[:1])
            raise InputError(f"{name} has shape {list(shape)}; {by} asks for {asked}")


def _fits(shape: tuple[int, ...], sides: tuple[int, int]) -> bool:
    """Axes of length 1 do not count; a kernel has the inputs in three axes."""
    squeezed = [tuple(n for n in one if n != 1) for one in (shape, sides)]
    return squeezed[0] == squeezed[1] or (len(shape) == 4 and (shape[0], prod(shape[1:])) == sides)
