"""Widths that contradict each other: a map takes vectors of so many coordinates, and gets others. Of letters nothing is
said, for two of them may stand for one number; nor of modules that are not known here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import sympify

from ..errors import InputError
from .activations import Activation, Softcap
from .attention import Attention, JointHeads
from .composition import EqualHeads, Heads, Residual, Sequence
from .gated import Gated
from .inputs import Embedding, Patches
from .layers import Layers
from .losses import CrossEntropy, Ramp
from .maps import Fixed, Linear, Offset, Projection, Unembedding
from .multihead import MultiHead
from .normalization import LayerNorm
from .readouts import LargestToken, MeanToken, ReadToken
from .signals import Module
from .words import in_words

Width = Any  # of what comes in or goes out; none where it is not known
KEPT = (Softcap, Fixed, Offset, Projection, ReadToken, MeanToken)  # what goes out is as wide as what comes in


def ends(module: Module) -> tuple[Width, Width]:
    """Of what comes in and what goes out; what contradicts is named."""
    match module:
        case Sequence():
            return _in_order(module.modules)
        case Residual() | Layers():
            found = ends(module.inner if isinstance(module, Residual) else module.block)
            _agree(module, "what comes in and what goes out", found)
            return found
        case Heads():
            into, out = zip(*map(ends, module.heads), strict=True)
            _agree(module, "what comes in", into)
            _agree(module, "what is added", () if module.concatenated else out)
            return into[0], None if module.concatenated else out[0]
        case EqualHeads():
            return ends(module.head)
        case MultiHead():
            Q, K, V, O = module.query, module.key, module.value, module.output  # noqa: E741
            _agree(module, "heads and their width, queries", (module.heads * module.width, Q.outputs, O.inputs))
            _agree(module, "keys, values", (K.outputs, V.outputs))
            _agree(module, "what comes in", (Q.inputs, K.inputs, V.inputs))
            return Q.inputs, O.outputs
        case Gated():
            _agree(module, "what is multiplied", (module.gate.outputs, module.up.outputs, module.down.inputs))
            _agree(module, "what comes in", (module.gate.inputs, module.up.inputs))
            return module.gate.inputs, module.down.outputs
        case Embedding():
            tables = (module.words, module.positions, module.types)
            _agree(module, "what is added", (M.outputs for M in tables if M is not None))
            return None, module.words.outputs
        case Linear() | Patches() | JointHeads():
            return module.matrix.inputs, module.matrix.outputs
        case Attention():
            scores = module.score if isinstance(module.score, tuple) else (module.score,)
            _agree(module, "what comes in", (M.inputs for M in (module.value, *scores)))
            return module.value.inputs, module.value.outputs
        case Unembedding():
            return module.table.outputs, module.table.inputs
        case LayerNorm() | LargestToken() | Activation():
            return module.width, module.width
    return None, None


def _in_order(modules: Iterable[Module]) -> tuple[Width, Width]:
    first: Width = None
    width: Width = None
    known = True  # what comes into this one is as wide as what comes into all
    for part in modules:
        into, out = ends(part)
        _agree(part, "what comes in and what it takes", (width, into))
        scores = sympify(width or 0)
        if isinstance(part, (Ramp, CrossEntropy)) and scores.is_positive and part.several == (scores == 1):
            raise InputError(f"the loss has several={part.several}, and the network gives {scores} to each token")
        first = into if known and first is None else first
        kept = isinstance(part, (*KEPT, Activation)) or (isinstance(part, Residual) and out is None)
        known = known and kept
        width = width if kept and out is None else out
    return first, width


def _agree(module: Module, what: str, widths: Iterable[Width]) -> None:
    numbers = [n for n in map(sympify, (w for w in widths if w is not None)) if n.is_Integer]
    for n in numbers:
        if n != numbers[0]:
            raise InputError(f"widths contradict each other in {in_words(module)}; {what}: {numbers[0]} and {n}")
