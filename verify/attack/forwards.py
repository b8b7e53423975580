"""What a module of the calculus computes, beside what the calculus says of it.

`forward` runs a symbolic module with concrete weights, on tensors (any leading dimensions, then tokens and features) or
on balls (arrays of Arb numbers, no leading dimensions). `inequality` puts its sensitivity beside it: two sets of
weights of the class and two inputs; the outputs differ by at most what the Lipschitz constant and the coefficients say,
the output has at most the stated radius, and so have the vectors on which each weight acts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from flint import arb
from sympy import Expr, Integer, Symbol, sympify

from maurey.symbolic.derivation import Derivation
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
    Signal,
    WithOne,
)
from maurey.symbolic.norms import Matrix
from maurey.verify.tensors import torch

from .ascent import Inequality, Sides, Values, Variable, bound_of, spread, value_of

Array = Any  # a tensor (..., n, m), or an array of balls (n, m)
OFFSET, INPUT, MOVED = "P", "X", "~"  # names of the positional vectors and the input; the mark of what was moved
NORM_KINDS = ("spectral", "frobenius", "rows", "columns", "row_sum")

# --- primitives, for tensors and for balls -----------------------------------------------------------------------


def turned(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def lengths(x: Array) -> Array:
    """The l2 norms along the last axis."""
    if isinstance(x, np.ndarray):
        return np.vectorize(lambda s: s.nonnegative_part().sqrt(), otypes=[object])((x * x).sum(-1))
    return x.norm(dim=-1)


def largest(x: Array, axes: int = 1) -> Any:
    """Over the last axes; of balls, over all."""
    return reduce(arb.max, np.ravel(x)) if isinstance(x, np.ndarray) else x.flatten(-axes).amax(-1)


def tokens(x: Array) -> Any:
    """The largest l2 norm of a token."""
    return largest(lengths(x))


def at_least_one(x: Array) -> Array:
    if isinstance(x, np.ndarray):
        return np.vectorize(lambda s: s.max(arb(1)), otypes=[object])(x)
    return x.clamp(min=1)


def joined(parts: list[Array]) -> Array:
    """Side by side, along the last axis."""
    return np.concatenate(parts, -1) if isinstance(parts[0], np.ndarray) else torch.cat(parts, -1)


def softmax(x: Array) -> Array:
    """Along the last axis."""
    if isinstance(x, np.ndarray):
        e = np.exp(x)
        return e / e.sum(-1, keepdims=True)
    return x.softmax(-1)


def tanh(x: Array) -> Array:
    return np.tanh(x) if isinstance(x, np.ndarray) else x.tanh()


# 1-Lipschitz and zero at zero
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda x: x,
    "relu": lambda x: (x + abs(x)) / 2,
    "tanh": tanh,
    "abs": abs,
}

# --- the forward -------------------------------------------------------------------------------------------------

Seen = list[tuple[str, str, Array, Array]]  # label, how it acts, on which vectors, and for scores also on which keys


def attention(X: Array, V: Array, score: Callable[[Array, Array], Array], queries: Array) -> Array:
    """To each query (q, d) the average of the values (T, k) with the softmax of its scores (q, T)."""
    return softmax(score(queries, X)) @ (X @ turned(V))


def forward(
    module: Module, weights: Values, X: Array, at: Values | None = None, sigma: str = "relu", seen: Seen | None = None
) -> Array:
    """The output (..., T, k) on tokens X (..., T, d), with weights by label, maps acting from the left.

    `at` gives values to the symbols in the module, `sigma` names the activation of every `Fixed`, scaled to its
    Lipschitz constant, and `seen` collects the vectors that each weight acts on.
    """
    at, seen = at or {}, [] if seen is None else seen

    def inner(part: Module, x: Array, own: Values = weights) -> Array:
        return forward(part, own, x, at, sigma, seen)

    match module:
        case Sequence():
            return reduce(lambda x, part: inner(part, x), module.modules, X)
        case Linear():
            seen.append((module.matrix.label, "map", X, X))
            return X @ turned(weights[module.matrix.label])
        case Fixed():
            return ACTIVATIONS[sigma](X) * spread(bound_of(module.lipschitz, at), X)
        case Projection():
            return X / at_least_one(lengths(X))[..., None]
        case Offset():
            return X + weights[OFFSET]
        case ReadToken():
            return X[..., :1, :]
        case Residual():
            return X + inner(module.inner, X)
        case Heads():
            outputs = [inner(head, X) for head in module.heads]
            return joined(outputs) if module.concatenated else reduce(add, outputs)
        case EqualHeads():
            labels = matrices(module.head)
            number = weights[next(iter(labels))].shape[-3]
            own = [{name: weights[name][..., h, :, :] for name in labels} for h in range(number)]
            return reduce(add, (inner(module.head, X, copy) for copy in own))
        case Attention():
            return _attend(module, weights, X, seen)
        case JointHeads():
            return _attend_jointly(weights[module.matrix.label], X, module.matrix.label, seen)
        case WithOne():
            return joined([X, X[..., :1] * 0 + 1])
    raise TypeError(f"no forward for {type(module).__name__}")


def _attend(module: Attention, weights: Values, X: Array, seen: Seen) -> Array:
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


def _attend_jointly(M: Array, X: Array, label: str, seen: Seen) -> Array:
    """The blocks of M x, one for each head, are what the keys are dotted with; the values are the tokens."""
    query, width = X[..., :1, :], X.shape[-1]
    seen.append((label, "map", query, X))
    moved = query @ turned(M)
    blocks = [moved[..., h : h + width] for h in range(0, moved.shape[-1], width)]
    return joined([softmax(block @ turned(X)) @ X for block in blocks])


def parts_of(module: Module) -> list[Module]:
    """The module and everything in it, in the order in which it is run."""
    parts: tuple[Module, ...] = getattr(module, "modules", ()) or getattr(module, "heads", ())
    parts += tuple(getattr(module, name) for name in ("inner", "head") if hasattr(module, name))
    return [module, *(deep for part in parts for deep in parts_of(part))]


def matrices(module: Module) -> dict[str, Matrix]:
    """The matrices of a module, by label."""
    found: list[Matrix] = []
    for part in parts_of(module):
        if isinstance(part, (Linear, JointHeads)):
            found.append(part.matrix)
        if isinstance(part, Attention):
            found += [part.score] if isinstance(part.score, Matrix) else part.score
            found.append(part.value)
    return {M.label: M for M in found}


def moved_by(change: Array, how: str, x: Array, keys: Array) -> Any:
    """How far a weight moves on the vectors it acts on."""
    if how == "score":
        return largest(abs(x @ change @ turned(keys)), 2)
    if how == "keys":  # a score x . S z, as the vectors S z
        return tokens(keys @ turned(change))
    return tokens(x @ (change if how == "queries" else turned(change)))


def reached(how: str, x: Array, keys: Array) -> Any:
    """The largest norm of the vectors it acts on; of scores, of the outer products."""
    return tokens(x) * tokens(keys) if how == "score" else tokens(keys if how == "keys" else x)


# --- the sensitivity beside it -----------------------------------------------------------------------------------


def inequality(
    module: Module, radius: Expr, sizes: Mapping[str, int], bounds: Mapping[str, Any], sigma: str = "identity"
) -> Inequality:
    """Targets: `moved` (the outputs), `radius` (of the output) and `reach` (the vectors that weights act on).

    `sizes` gives values to the symbols of dimensions, T and H among them; `bounds` decades to all others.
    """
    D = Derivation()
    s = module.sensitivity(D, Signal(radius, Integer(1), Integer(sizes["T"])))
    asked = {"radius": s.output.radius}
    with suppress(ValueError):  # scores that nothing bounds: then the input stays where it is
        asked["lipschitz"] = s.lipschitz()
    for w in s.weights:
        asked |= {f"coefficient of {w.matrix.label}": w.coefficient, f"reach of {w.matrix.label}": w.radius}
    steps = {name: D.steps_to(D.let(name, "", expr, "")) for name, expr in asked.items()}
    numbers = {Symbol(name): size for name, size in sizes.items()}
    labels = matrices(module)
    equal = [part for part in parts_of(module) if isinstance(part, EqualHeads)]
    copies = {label: part.number for part in equal for label in matrices(part)}

    def shape(M: Matrix) -> tuple[int, ...]:
        axes = [copies[M.label]] if M.label in copies else []
        return tuple(int(sympify(n).subs(numbers)) for n in (*axes, M.outputs, M.inputs))

    def norms(M: Matrix) -> dict[str, Expr]:
        return {kind: getattr(M, kind) for kind in NORM_KINDS if getattr(M, kind) is not None}

    width = sizes.get("inputs", sizes["d"])
    variables = {INPUT: Variable((sizes["T"], width), {"rows": radius})}
    variables |= {name: Variable(shape(M), norms(M)) for name, M in labels.items()}
    still = set() if "lipschitz" in asked else {INPUT}
    variables |= {n + MOVED: Variable(v.shape, v.norms, near=n) for n, v in variables.items() if n not in still}
    for part in parts_of(module):
        if isinstance(part, Offset):
            variables[OFFSET] = Variable((sizes["T"], width), {"rows": part.bound})

    def given(bounds: Values) -> dict[str, Any]:
        some = next(b for v in bounds.values() for b in (v if isinstance(v, list) else [v]))
        sized = {name: some * 0 + size for name, size in sizes.items()}
        return sized | {name: value_of(own, {**sized, **bounds}) for name, own in steps.items()}

    def sides(v: Values) -> Sides:
        here = {name: v[name] for name in labels} | {OFFSET: v.get(OFFSET)}
        there = {name: v[name + MOVED] for name in labels} | {OFFSET: v.get(OFFSET)}
        seen: Seen = []
        X, Y, reach = v[INPUT], v.get(INPUT + MOVED, v[INPUT]), []
        # movements are measured on the vectors of the moved network, as in A.15
        before, after = forward(module, here, X, v, sigma), forward(module, there, Y, v, sigma, seen)
        allowed = v.get("lipschitz", 0) * tokens(X - Y)
        for i, (label, how, x, keys) in enumerate(seen):
            change = here[label] - there[label]
            if label in copies:
                change = change[..., [entry[0] for entry in seen[:i]].count(label), :, :]
            allowed = allowed + v[f"coefficient of {label}"] * moved_by(change, how, x, keys)
            reach.append(reached(how, x, keys) / v[f"reach of {label}"])
        size = tokens(before)
        found = {"moved": (tokens(before - after), allowed, size), "radius": (size, v["radius"], size)}
        if reach:
            worst = reduce(arb.max, reach) if isinstance(X, np.ndarray) else torch.stack(reach).amax(0)
            found["reach"] = (worst, worst * 0 + 1, worst)
        return found

    return Inequality(variables, bounds, sides, given, still=("radius", "reach"))
