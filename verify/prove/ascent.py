"""Ascent on lhs - rhs from an instance, brought back into its class after each step.

An instance is an array, or lists and dictionaries of arrays; it moves as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from maurey.symbolic.claim import InputError
from maurey.symbolic.errors import cut

from .clock import Clock, Halt, fence

STEPS = 60
FIRST_RATE, LAST_RATE = 0.3, 0.01


class Ascent:
    def __init__(self, lhs: Any, rhs: Any, known: Any, project: Any, clock: Clock) -> None:
        self.lhs, self.rhs, self.known, self.project, self.clock = lhs, rhs, known, project, clock

    def top(self, start: Any) -> Any:
        """An instance of the same kind; None where nothing can be moved: no numbers, or no slope."""
        if not _movable(start):
            return None
        from maurey.verify.tensors import torch

        point = _each(lambda array: torch.as_tensor(np.array(array, dtype=float)), start)
        with fence(self.clock.left()):
            for step in range(STEPS):
                self.clock.look()
                slope = self.slope(point, torch)
                if slope is None:
                    return None
                rate = FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (step / STEPS)
                point = self.inside(_moved(point, slope, rate), torch)
        return _each(lambda array, tensor: tensor.numpy() if isinstance(array, np.ndarray) else tensor, start, point)

    def slope(self, point: Any, torch: Any) -> list[Any] | None:
        point = _each(lambda tensor: tensor.clone().requires_grad_(True), point)
        try:
            rise = torch.as_tensor(self.lhs(point)) - torch.as_tensor(self.rhs(point))
            if rise.numel() != 1 or not rise.requires_grad:
                return None
            slopes = torch.autograd.grad(rise.sum(), _leaves(point), allow_unused=True, materialize_grads=True)
        except Halt:
            raise
        except Exception:  # they are functions of what was drawn, and need not be of tensors
            return None
        return [slope.nan_to_num(0.0, 0.0, 0.0) for slope in slopes]

    def inside(self, point: Any, torch: Any) -> Any:
        """By the projection that was given, and then by what the strategy knows, so that nothing leaves its class."""
        if self.project is not None:
            point = self.projected(point, torch)
        if self.known is not None:
            point = _each(torch.as_tensor, self.known(_each(lambda tensor: tensor.numpy(), point)))
        return point

    def projected(self, point: Any, torch: Any) -> Any:
        try:
            back = self.project(_each(lambda tensor: tensor.clone(), point))
        except Halt:
            raise
        except Exception as error:
            reason = cut(f"{type(error).__name__}: {error}")
            raise InputError(f"project cannot be computed for a tensor: {reason}") from error
        wanted, got = _text(point), _text(back)
        if wanted != got:
            raise InputError(f"project must give back {wanted}, like what it is given, got {got}")
        back = _each(lambda array: torch.as_tensor(array).detach().to(torch.float64), back)
        if not all(bool(tensor.isfinite().all()) for tensor in _leaves(back)):
            raise InputError("project must give back finite numbers")
        return back


def _moved(point: Any, slope: list[Any], rate: float) -> Any:
    """By a part of its own length along the slope."""
    leaves = _leaves(point)
    length, steep = (math.sqrt(sum(float((x * x).sum()) for x in tensors)) for tensors in (leaves, slope))
    size = sum(x.numel() for x in leaves)
    step = rate * max(1e-3 * math.sqrt(size), length) / (steep + 1e-300)
    moves = iter(slope)
    return _each(lambda tensor: tensor + step * next(moves), point)


def _each(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """The function of every array, in trees of the same form."""
    if isinstance(first, dict):
        return {name: _each(function, first[name], *(other[name] for other in others)) for name in first}
    if isinstance(first, (list, tuple)):
        branches = (_each(function, *branch) for branch in zip(first, *others, strict=True))
        return tuple(branches) if isinstance(first, tuple) else list(branches)
    return function(first, *others)


def _leaves(tree: Any) -> list[Any]:
    found: list[Any] = []
    _each(found.append, tree)
    return found


def _movable(tree: Any) -> bool:
    leaves = _leaves(tree)
    return bool(leaves) and all(len(getattr(x, "shape", ())) > 0 and "float" in str(x.dtype) for x in leaves)


def _text(tree: Any) -> str:
    """The form of an instance: `a tensor of shape (3, 4)`."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{name}: {_text(tree[name])}" for name in sorted(tree, key=str)) + "}"
    if isinstance(tree, (list, tuple)):
        return "[" + ", ".join(map(_text, tree)) + "]"
    shape = getattr(tree, "shape", None)
    return f"a tensor of shape {tuple(shape)}" if isinstance(shape, tuple) else cut(repr(tree))
