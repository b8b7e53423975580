"""What a module is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from ..norms import Matrix
from .attention import Attention
from .signals import Module


def parts_of(module: Module) -> list[Module]:
    """The module and everything in it, in the order in which it is run."""
    inside = [value for value in _values(module) if hasattr(value, "sensitivity")]
    return [module, *(deep for part in inside for deep in parts_of(part))]


def matrices_of(module: Module) -> dict[str, Matrix]:
    """The matrices of a module, by label."""
    found: dict[str, Matrix] = {}
    for part in parts_of(module):
        found |= {M.label: M for M in own_matrices(part)}
    return found


def own_matrices(part: Module) -> list[Matrix]:
    """Those of a module, not of the modules in it."""
    own = [value for value in _values(part) if isinstance(value, Matrix)]
    return [*own[1:], own[0]] if isinstance(part, Attention) else own  # the score's before the values'


def _values(part: Any) -> Iterator[Any]:
    """What stands in its fields: modules, matrices, and what groups of them hold."""
    for value in (getattr(part, field.name) for field in fields(part)) if is_dataclass(part) else ():
        for one in value if isinstance(value, tuple) else (value,):
            if hasattr(one, "sensitivity") or isinstance(one, Matrix):
                yield one
            elif is_dataclass(one) and not isinstance(one, type):
                yield from _values(one)
