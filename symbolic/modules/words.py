"""A network in words, and what its norms mean."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Indexed, Symbol, latex

from ..claim import Parameter
from ..norms import Matrix
from .composition import EqualHeads, Heads, Residual, Sequence
from .gated import Gated
from .layers import Layers
from .multihead import MultiHead
from .normalization import LayerNorm
from .signals import Module
from .tree import own_matrices

SHORT = {
    "Linear": "",
    "ReadToken": "one token",
    "MeanToken": "the mean token",
    "LargestToken": "the largest coordinates",
    "Fixed": "an activation",
    "Projection": "projection",
    "Offset": "positions",
    "ZeroOne": "0-1",
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
    labels = ", ".join(M.label for M in own_matrices(module))
    called = _called(module)
    numbers = ", ".join(str(getattr(module, n)) for n in ("margin", "cap") if hasattr(module, n))
    inside = ", ".join(filter(None, (labels, numbers, *_of_heads(module))))
    return f"{called}({inside})" if called and inside else inside or called


def _called(module: Module) -> str:
    match module:
        case LayerNorm(centred=False):
            return "RMSNorm"
        case Gated():
            return f"gated {module.activation}"
    name = type(module).__name__
    return SHORT.get(name, getattr(module, "name", name))


def _of_heads(module: Module) -> Iterator[str]:
    """How attention is made, beside its matrices."""
    if isinstance(module, MultiHead):
        yield f"{module.heads} heads" if module.heads != 1 else "1 head"
        if module.groups is not None:
            yield f"keys and values for {module.groups}"
        kinds = {"causal": module.causal, "RoPE": module.rotary, "ALiBi": module.alibi, "QK-norm": module.qk_norm}
        yield from (kind for kind, is_so in kinds.items() if is_so)


def norms_of(M: Matrix, table: bool = False) -> list[Parameter]:
    """The norms of a matrix that have names; the columns of a table are the vectors that are looked up."""
    found, kinds = [], OF_COLUMNS if M.inputs == 1 else KINDS
    for kind, words in kinds.items():
        words = words.replace("column", "vector") if table else words
        bound = getattr(M, kind)
        if isinstance(bound, (Symbol, Indexed)):
            name = _name(bound)
            found.append(Parameter(name, in_latex(name), f"{words} ${M.mark}$"))
    return found


def in_latex(name: str) -> str:
    r"""Words upright, what stands behind an underscore below: B_{E,\mathrm{rows}} of B_E_rows."""
    first, *below = [
        latex(Symbol(part)) if len(part) == 1 or not part.islower() else _word(part) for part in name.split("_") if part
    ]
    return f"{first}_{{{','.join(below)}}}" if below else first


def _word(part: str) -> str:
    letter = latex(Symbol(part))  # a Greek one has a sign of its own
    return letter if letter != part else rf"\mathrm{{{part}}}"


def _name(bound: Expr) -> str:
    return str(bound.base.label) if isinstance(bound, Indexed) else str(bound)
