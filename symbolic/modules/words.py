"""A network in words, and what its norms mean."""

from __future__ import annotations

import re

from sympy import Expr, Indexed, Symbol, latex

from ..claim import Parameter
from ..norms import Matrix
from .composition import EqualHeads, Heads, Residual, Sequence
from .layers import Layers
from .signals import Module
from .tree import own_matrices

WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
UPRIGHT = r"\\mathrm{\g<0>}"
SHORT = {
    "Linear": "",
    "ReadToken": "one token",
    "MeanToken": "the mean token",
    "LargestToken": "the largest coordinates",
    "Fixed": "an activation",
    "Projection": "projection",
    "Offset": "positions",
}
KINDS = {
    "spectral": "the spectral norm of",
    "frobenius": "the Frobenius norm of",
    "rows": "the longest row of",
    "columns": "the longest column of",
    "row_sum": "the sum of the row norms of",
    "column_sum": "the sum of the column norms of",
    "row_l1": r"the largest $\ell_1$ norm of a row of",
    "column_l1": r"the largest $\ell_1$ norm of a column of",
    "entries": "the sum of the absolute entries of",
}
OF_COLUMNS = KINDS | {"spectral": "the norm of", "rows": "the largest entry of"}


def in_words(module: Module) -> str:
    """Its modules in order, with their matrices."""
    match module:
        case Sequence():
            return ", ".join(in_words(part) for part in module.modules)
        case Residual():
            return f"x + ({in_words(module.inner)})"
        case Heads():
            return f"({' and '.join(in_words(part) for part in module.heads)})"
        case EqualHeads():
            return f"{module.number} times ({in_words(module.head)})"
        case Layers():
            return f"{module.number} layers [{in_words(module.block)}]"
    name = type(module).__name__
    labels = ", ".join(M.label for M in own_matrices(module))
    called = SHORT.get(name, name if not hasattr(module, "name") else module.name)
    numbers = ", ".join(str(getattr(module, n)) for n in ("margin", "cap") if hasattr(module, n))
    inside = ", ".join(filter(None, (labels, numbers)))
    return f"{called}({inside})" if called and inside else inside or called


def norms_of(M: Matrix, table: bool = False) -> list[Parameter]:
    """The norms of a matrix that have names; the columns of a table are the vectors that are looked up."""
    found, kinds = [], OF_COLUMNS if M.inputs == 1 else KINDS
    for kind, words in kinds.items():
        words = words.replace("column", "vector") if table else words
        bound = getattr(M, kind)
        if isinstance(bound, (Symbol, Indexed)):
            name = _name(bound)
            found.append(Parameter(name, _latex(name), f"{words} ${WORD.sub(UPRIGHT, M.mark)}$"))
    return found


def _latex(name: str) -> str:
    """Words that are indices stand upright, with commas between: `B_E_rows`, `B_head`."""
    head, brace, below = latex(Symbol(name)).partition("_{")
    return head + brace + WORD.sub(UPRIGHT, below).replace(" ", ",")


def _name(bound: Expr) -> str:
    return str(bound.base.label) if isinstance(bound, Indexed) else str(bound)
