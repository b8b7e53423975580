"""What forwards are made of, written once for tensors (any leading dimensions, then tokens and features) and for balls
(arrays of Arb numbers, no leading dimensions)."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from flint import arb, fmpq
from sympy import Expr

from maurey.numeric.types import Either
from maurey.verify.tensors import torch

from .inequality import Values, bound_of
from .norm_balls import spread


def turned(x: Either) -> Either:
    return x.swapaxes(-1, -2)


def lengths(x: Either) -> Either:
    """The l2 norms along the last axis."""
    if isinstance(x, np.ndarray):
        return np.vectorize(lambda s: s.nonnegative_part().sqrt(), otypes=[object])((x * x).sum(-1))
    return x.norm(dim=-1)


def largest(x: Either, axes: int = 1) -> Any:
    """Over the last axes; of balls, over all."""
    return reduce(arb.max, np.ravel(x)) if isinstance(x, np.ndarray) else x.flatten(-axes).amax(-1)


def tokens(x: Either) -> Any:
    """The largest l2 norm of a token."""
    return largest(lengths(x))


def at_least_one(x: Either) -> Either:
    if isinstance(x, np.ndarray):
        return np.vectorize(lambda s: s.max(arb(1)), otypes=[object])(x)
    return x.clamp(min=1)


def joined(parts: list[Either], axis: int = -1) -> Either:
    """Side by side, along the last axis."""
    return np.concatenate(parts, axis) if isinstance(parts[0], np.ndarray) else torch.cat(parts, axis)


def softmax(x: Either) -> Either:
    """Along the last axis."""
    if isinstance(x, np.ndarray):
        e = np.exp(x)
        return e / e.sum(-1, keepdims=True)
    return x.softmax(-1)


def masked_softmax(x: Either, seen: Any) -> Either:
    """Over those keys alone that a query sees: an array of truth values, queries by keys."""
    if isinstance(x, np.ndarray):
        e = np.exp(x) * np.vectorize(arb, otypes=[object])(seen.astype(float))
        return e / e.sum(-1, keepdims=True)
    return x.masked_fill(~torch.as_tensor(seen), -torch.inf).softmax(-1)


def tanh(x: Either) -> Either:
    return np.tanh(x) if isinstance(x, np.ndarray) else x.tanh()


def entrywise(balls: Callable[[Any], Any], tensors: Callable[[Any], Any]) -> Callable[[Either], Either]:
    """A function of one number, on every entry."""
    over = np.vectorize(balls, otypes=[object])
    return lambda x: over(x) if isinstance(x, np.ndarray) else tensors(x)


root = entrywise(lambda s: s.nonnegative_part().sqrt(), lambda x: x.clamp(min=0).sqrt())
normal = entrywise(lambda u: (1 + (u / arb(2).sqrt()).erf()) / 2, lambda x: torch.special.ndtr(x))  # Phi
sigmoid = entrywise(lambda u: 1 / (1 + (-u).exp()), lambda x: x.sigmoid())
unit = entrywise(lambda u: u.max(arb(0)).min(arb(1)), lambda x: x.clamp(0, 1))  # to the nearest of [0, 1]


def most(x: Either, cap: Any) -> Either:
    """No more than the cap."""
    if isinstance(x, np.ndarray):
        return np.vectorize(lambda u: u.min(arb(cap)), otypes=[object])(x)
    return torch.minimum(x, torch.as_tensor(cap, dtype=x.dtype).expand_as(x) if not torch.is_tensor(cap) else cap)


def top(x: Either) -> Either:
    """The largest along the last axis, which stays."""
    if isinstance(x, np.ndarray):
        return np.apply_along_axis(lambda row: np.array([reduce(arb.max, row)], dtype=object), -1, x)
    return x.amax(-1, keepdim=True)


def number(expr: Expr, at: Values, like: Either) -> Any:
    """A number of a module beside these tensors or balls."""
    if not isinstance(like, np.ndarray) and not any(torch.is_tensor(v) for v in at.values()):
        at = {**at, "": like.new_zeros(())}
    found = bound_of(expr, at)
    if isinstance(found, fmpq) and isinstance(like, np.ndarray):
        return arb(found)
    return spread(found, like)


def whole(expr: Expr, at: Values) -> int:
    """A size."""
    if expr.is_Integer:
        return int(expr)
    value = at[str(expr)]
    if isinstance(value, fmpq):
        return int(value.p)
    return int(value.flatten()[0]) if torch.is_tensor(value) else int(float(value))
