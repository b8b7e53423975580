"""What a module of the calculus computes.

`forward` runs a symbolic module with concrete weights, on tensors (any leading dimensions, then tokens and features) or
on balls (arrays of Arb numbers, no leading dimensions).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add

from maurey.numeric.types import Either
from maurey.symbolic.modules import (
    Attention,
    EqualHeads,
    Fixed,
    Heads,
    JointHeads,
    Linear,
    Module,
    Offset,
    Projection,
    ReadToken,
    Residual,
    Sequence,
    WithOne,
)
from maurey.symbolic.modules.tree import matrices_of
from maurey.symbolic.norms import Matrix

from . import transformers
from .inequality import Values, bound_of
from .norm_balls import spread
from .primitives import at_least_one as at_least_one
from .primitives import joined as joined
from .primitives import largest as largest
from .primitives import lengths as lengths
from .primitives import softmax as softmax
from .primitives import tanh as tanh
from .primitives import tokens as tokens
from .primitives import turned as turned
from .transformers import Pass, Seen

OFFSET = "P"  # the name of the positional vectors

# 1-Lipschitz and zero at zero
ACTIVATIONS: dict[str, Callable[[Either], Either]] = {
    "identity": lambda x: x,
    "relu": lambda x: (x + abs(x)) / 2,
    "tanh": tanh,
    "abs": abs,
}

# --- the forward -------------------------------------------------------------------------------------------------


def attention(X: Either, V: Either, score: Callable[[Either, Either], Either], queries: Either) -> Either:
    """To each query (q, d) the average of the values (T, k) with the softmax of its scores (q, T)."""
    return softmax(score(queries, X)) @ (X @ turned(V))


def forward(
    module: Module, weights: Values, X: Either, at: Values | None = None, sigma: str = "relu", seen: Seen | None = None
) -> Either:
    """The output (..., T, k) on tokens X (..., T, d), with weights by label, maps acting from the left.

    `at` gives values to the symbols in the module, `sigma` names the activation of every `Fixed`, scaled to its
    Lipschitz constant, and `seen` collects the vectors that each weight acts on.
    """
    at, seen = at or {}, [] if seen is None else seen

    def inner(part: Module, x: Either, own: Values = weights) -> Either:
        return forward(part, own, x, at, sigma, seen)

    match module:
        case Sequence():
            return reduce(lambda x, part: inner(part, x), module.modules, X)
        case Linear():
            own = Pass(weights, at, seen)
            made = own.mapped(module.matrix, X, "largest" if module.largest else "map")
            return own.shifted(made, module.bias, module.largest)
        case Fixed():
            return ACTIVATIONS[sigma](X) * spread(bound_of(module.lipschitz, at), X)
        case Projection():
            return X / at_least_one(lengths(X))[..., None]
        case Offset():
            return X + weights[OFFSET]
        case ReadToken():
            return X[..., -1:, :] if module.last else X[..., :1, :]
        case Residual():
            return X + inner(module.inner, X)
        case Heads():
            outputs = [inner(head, X) for head in module.heads]
            return joined(outputs) if module.concatenated else reduce(add, outputs)
        case EqualHeads():
            labels = matrices_of(module.head)
            number = weights[next(iter(labels))].shape[-3]
            own = [{name: weights[name][..., h, :, :] for name in labels} for h in range(number)]
            return reduce(add, (inner(module.head, X, copy) for copy in own))
        case Attention():
            return _attend(module, weights, X, seen)
        case JointHeads():
            return _attend_jointly(weights[module.matrix.label], X, module.matrix.label, seen)
        case WithOne():
            return joined([X, X[..., :1] * 0 + 1])
    return transformers.forward(module, X, Pass(weights, at, seen), inner)


def _attend(module: Attention, weights: Values, X: Either, seen: Seen) -> Either:
    queries = X[..., :1, :] if module.one_query else X
    if isinstance(module.score, Matrix):
        S = weights[module.score.label]
        how = "score" if module.scalar_scores else "queries" if module.covers_queries else "keys"
        seen.append((module.score.label, how, queries, X))
        score = lambda q, z: q @ S @ turned(z)  # noqa: E731
    else:
        Q, K = (weights[M.label] for M in module.score)
        seen += [(module.score[0].label, "map", queries, X), (module.score[1].label, "map", X, X)]
        score = lambda q, z: (q @ turned(Q)) @ turned(z @ turned(K))  # noqa: E731
    seen.append((module.value.label, "map", X, X))
    return attention(X, weights[module.value.label], score, queries)


def _attend_jointly(M: Either, X: Either, label: str, seen: Seen) -> Either:
    """The blocks of M x, one for each head, are what the keys are dotted with; the values are the tokens."""
    query, width = X[..., :1, :], X.shape[-1]
    seen.append((label, "map", query, X))
    moved = query @ turned(M)
    blocks = [moved[..., h : h + width] for h in range(0, moved.shape[-1], width)]
    return joined([softmax(block @ turned(X)) @ X for block in blocks])
