"""Names in a network of one's own: what would stand for two things at once is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from sympy import Expr, Indexed, Symbol

from .errors import InputError
from .modules import Layers, Module, Unembedding, parts_of
from .modules.activations import CONSTANTS
from .modules.layers import ABOVE, INDEX
from .modules.signals import TWICE
from .modules.tree import own_matrices
from .norms import Matrix

LAYERS_TO_COUNT = "{0}[{1}] is a bound of each layer, and these have a letter for their number: Layers(block, 'L')"
OF_LAYERS = "{0}[{1}] is a bound of each layer, and stands in none"


def exprs_of(part: Any) -> Iterator[Expr]:
    """All sizes and norms in a module, but for the index of its layers."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from exprs_of(one)
    elif is_dataclass(part) and not isinstance(part, type):
        for f in fields(part):
            if not (isinstance(part, Layers) and f.name == "index"):
                yield from exprs_of(getattr(part, f.name))


def letters(part: Any) -> set[str]:
    """Of sizes and norms; a list is its own name, not its index."""
    found: set[str] = set()
    for expr in exprs_of(part):
        lists = expr.atoms(Indexed)
        found |= {str(s) for s in expr.xreplace({x: Symbol(_name(x)) for x in lists}).free_symbols}
    return found


def sizes(part: Any) -> set[str]:
    """Letters of numbers of coordinates, layers and heads."""
    found = [n for M in (own for one in parts_of(part) for own in own_matrices(one)) for n in (M.outputs, M.inputs)]
    found += [getattr(one, name) for one in parts_of(part) for name in ("number", "heads") if hasattr(one, name)]
    return {str(s) for n in found if isinstance(n, Expr) for s in n.free_symbols}


def lengths(network: Module) -> dict[str, str]:
    """By the name of a list: the letter of the number of its layers."""
    found: dict[str, str] = {}
    for part in parts_of(network):
        if isinstance(part, Layers):
            found |= {_name(x): str(part.number) for x in _lists(part.block) if part.index in x.free_symbols}
    return found


def lists(part: Any) -> set[str]:
    """Names of bounds of which each layer has its own."""
    return {_name(x) for x in _lists(part)}


def _lists(part: Any) -> list[Indexed]:
    return [x for expr in exprs_of(part) for x in sorted(expr.atoms(Indexed), key=str)]


def _name(x: Indexed) -> str:
    return str(x.base.label)


def check_lists(network: Module) -> None:
    """A bound of each layer stands in layers, of which there are as many as a letter says."""
    known = lengths(network)
    for x in _lists(network):
        index = x.indices[0]
        if index.free_symbols and _name(x) not in known:
            raise InputError(OF_LAYERS.format(_name(x), index))
        if index.free_symbols and not known[_name(x)].isidentifier():
            raise InputError(LAYERS_TO_COUNT.format(_name(x), index))


def check_letters(given: Iterable[Any], steps: Iterable[str], reserved: Iterable[str]) -> None:
    """What a user calls by a name of the bound's own would be taken for it."""
    taken = {*steps, *reserved, *CONSTANTS, str(INDEX), str(ABOVE)}
    for name in sorted({name for part in given for name in letters(part)} & taken):
        raise InputError(f"{name} has a meaning of its own in this bound: call yours otherwise, e.g. {name}_1")


def check_labels(network: Module) -> None:
    """Matrices that share a name would be stored once; a table may be read off again."""
    homes: dict[str, list[tuple[Module, Matrix]]] = {}
    for part in parts_of(network):
        for label, M in {M.label: M for M in own_matrices(part)}.items():
            homes.setdefault(label, []).append((part, M))
    for label, found in homes.items():
        alike = all(one == found[0][1] for _, one in found)
        again = alike and any(isinstance(part, Unembedding) for part, _ in found)
        if len(found) > 1 and not again:
            raise InputError(TWICE.format(label))
