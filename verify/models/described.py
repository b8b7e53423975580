"""Weights in a state dict, described by a file: [model] says what they make, [weights] where they are.

[weights]
file = "model.pt"                      # what torch.save wrote, or a .safetensors, beside this file
buffers = ["*.mask"]                   # tensors that are no weights
turned = ["W1"]                        # stored by inputs and outputs
first_layer = 0                        # the number of the first layer in names
[weights.names]
Q = "blocks.{}.attention.query.weight" # {} is the number of the layer
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from maurey.symbolic.architecture import Architecture
from maurey.symbolic.errors import InputError, cut, perhaps
from maurey.symbolic.model_tables import read

from .checkpoints import Checkpoint, check_places
from .families.places import Place, Places, Reading
from .files import safetensors, state_dicts
from .files.safetensors import Entry
from .numbers.tensors import Stored

KEYS = ("file", "names", "buffers", "turned", "first_layer")


def open_described(tables: Mapping[str, Any], file: Path) -> Checkpoint:
    """From the tables of a file that has [weights]."""
    weights = tables["weights"]
    _check(weights)
    if tables.get("norms"):
        raise InputError("[norms] and [weights] contradict each other: norms are measured on the weights")
    a = read({name: table for name, table in tables.items() if name != "weights"})
    if a.experts:
        raise InputError("[weights] of models with experts are not read")
    name = weights["file"]
    if Path(name).name != name:
        raise InputError(f"[weights] file is beside {file.name}, got {cut(repr(name))}")
    tensors: Mapping[str, Entry | Stored] = (
        safetensors.entries(file.parent / name)
        if name.endswith(".safetensors")
        else state_dicts.load(file.parent / name)
    )
    places = dict(_places(a, weights))
    patterns = tuple(weights.get("buffers", ()))
    buffers = tuple(n for n in tensors if n not in places and any(fnmatchcase(n, p) for p in patterns))
    kept = {n: tensor for n, tensor in tensors.items() if n not in buffers}
    reading = Reading("described", a, places, patterns)
    check_places(reading, {n: tensor.shape for n, tensor in kept.items()}, file.name)
    return Checkpoint(name=str(file), reading=reading, tensors=kept, buffers=buffers, stated=())


def _check(weights: Any) -> None:
    if not isinstance(weights, Mapping):
        raise InputError("weights is a table, [weights]")
    for key in weights:
        if key not in KEYS:
            raise InputError(f"[weights] has no key {cut(repr(key))}{perhaps(key, KEYS)}; it has {', '.join(KEYS)}")
    if not isinstance(weights.get("file"), str) or not isinstance(weights.get("names"), Mapping):
        raise InputError("[weights] wants file, and the table [weights.names]")
    for key in ("buffers", "turned"):
        found = weights.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise InputError(f"[weights] {key} is a list of names, got {cut(repr(found))}")
    first = weights.get("first_layer", 0)
    if isinstance(first, bool) or not isinstance(first, int) or not 0 <= first <= 10**6:
        raise InputError(f"[weights] first_layer is 0 or a positive integer, got {cut(repr(first))}")


def _places(a: Architecture, weights: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Place, ...]]]:
    known, turned, first = a.slots, weights.get("turned", []), weights.get("first_layer", 0)
    for slot in (*weights["names"], *turned):
        if slot not in known:
            raise InputError(
                f"no weight is called {cut(repr(slot))}{perhaps(slot, known)}; there are {', '.join(known)}"
            )
    if missing := [slot.name for slot in known.values() if not slot.optional and slot.name not in weights["names"]]:
        raise InputError(f"[weights.names] lacks {', '.join(missing)}")
    seen: Places = {}
    for slot, pattern in weights["names"].items():
        if not isinstance(pattern, str) or pattern.count("{}") != known[slot].per_layer:
            wanted = "a name with {} for the number of the layer" if known[slot].per_layer else "a name without {}"
            raise InputError(f"[weights.names] {slot} is {wanted}, got {cut(repr(pattern))}")
        for layer in range(1, a.layers + 1) if known[slot].per_layer else (0,):
            name = pattern.replace("{}", str(first + layer - 1))
            if name in seen:
                raise InputError(f"[weights.names] gives {name} two places")
            seen[name] = (Place(slot, layer, turned=slot in turned),)
    yield from seen.items()
