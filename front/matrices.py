"""Matrices of networks of one's own: a name, two sizes, and bounds on norms, which are numbers or names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Integer, Symbol, sympify

from maurey.symbolic.errors import InputError, cut, perhaps
from maurey.symbolic.modules.words import KINDS, in_latex
from maurey.symbolic.norms import Matrix as Map

from .sizes import NAME, Size, size, value


def Matrix(name: str, outputs: Size, inputs: Size, **norms: Size) -> Map:
    """The map x -> Mx. Without norms its spectral norm is at most B_name.

    >>> from maurey import nn
    >>> nn.Matrix("W", 2, "d", rows=1).rows
    1
    """
    for kind in norms:
        if kind not in KINDS:
            raise InputError(f"no norm {kind!r}{perhaps(kind, KINDS)}; there are {', '.join(KINDS)}")
    name = named(name)
    bounds = {kind: value(bound, f"the norm {kind} of {name}") for kind, bound in norms.items()}
    sizes = (size(n, f"the number of {side} of {name}") for n, side in ((outputs, "outputs"), (inputs, "inputs")))
    return Map(name, in_latex(name), *sizes, **(bounds or {"spectral": Symbol(f"B_{name}")}))


def named(name: Any, what: str = "a matrix", example: str = "W") -> str:
    found = NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None or found.group(2):
        raise InputError(f"{what} has a name, e.g. {example!r}, got {cut(repr(name))}")
    return name


def is_map(given: Any, what: str) -> Map:
    if not isinstance(given, Map):
        raise InputError(f"{what} is a matrix, e.g. nn.Matrix('W', 2, 'd'), got {cut(repr(given))}")
    return given


def matrix(given: Any, name: str, outputs: Size, inputs: Size, kind: str = "spectral") -> Map:
    """A matrix, or one with this bound; if nothing is given, with a bound that is called so."""
    if isinstance(given, Map):
        return given
    suffix = {"rows": "_rows", "columns": "_rows"}.get(kind, "")  # the vectors of a table are its rows
    bound = Symbol(f"B_{name}{suffix}") if given is None or given is True else value(given, f"the bound on {name}")
    return Map(name, in_latex(name), size(outputs), size(inputs), **{kind: bound})


def column(given: Any, name: str, outputs: Size, kind: str = "spectral") -> Map | None:
    """A bias or a gain: a matrix of one column; none, or one with this bound."""
    if given is None or given is False:
        return None
    if isinstance(given, Map):
        rows = [n for n in map(sympify, (size(outputs), given.outputs)) if n.is_Integer]
        if given.inputs != 1 or len(set(rows)) > 1:
            raise InputError(f"{given.label} is {given.outputs} x {given.inputs}, and {name} {outputs} x 1")
        return given
    bound = Symbol(f"B_{name}") if given is True else value(given, f"the bound on {name}")
    letter = f"{'g' if name.endswith('_gain') else 'b'}_{{{in_latex(name.rpartition('_')[0])}}}"
    return Map(name, letter, size(outputs), Integer(1), **{kind: bound})


def biases(given: Any, maps: Mapping[str, Map]) -> dict[str, Map | None]:
    """Of all these maps, of those that are listed, or those with a bound of their own; by the letters of the maps."""
    if isinstance(given, (list, tuple, set, frozenset)):
        given = dict.fromkeys(given, True)
    if not isinstance(given, Mapping):
        given = dict.fromkeys(maps, given)
    for letter in given:
        if letter not in maps:
            raise InputError(f"no bias of {cut(repr(letter))}{perhaps(str(letter), maps)}; there are {', '.join(maps)}")
    return {letter: column(given.get(letter), f"{M.label}_bias", M.outputs) for letter, M in maps.items()}
