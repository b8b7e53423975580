"""Norm balls of matrices, many at once: the norms, the projection into an intersection of balls, and membership."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from maurey.verify.tensors import torch

from .inequality import Values

SLACK = 1e-12  # by which a norm may exceed its bound in floats
LARGEST_CLIP = 8  # up to this size a spectral norm is clipped singular value by singular value (the exact projection)


def spectral(M: Any) -> Any:
    """The largest singular value, from the smaller Gram matrix."""
    gram = M @ M.mT if M.shape[-2] <= M.shape[-1] else M.mT @ M
    return torch.linalg.eigvalsh(gram)[..., -1].clamp(min=0).sqrt()


NORMS: dict[str, Callable[[Any], Any]] = {
    "spectral": spectral,
    "frobenius": lambda M: M.flatten(-2).norm(dim=-1),
    "rows": lambda M: M.norm(dim=-1).amax(-1),
    "columns": lambda M: M.norm(dim=-2).amax(-1),
    "entries": lambda M: M.abs().amax((-2, -1)),
    "row_sum": lambda M: M.norm(dim=-1).sum(-1),
    "column_sum": lambda M: M.norm(dim=-2).sum(-1),
}


def spread(b: Any, like: Any) -> Any:
    """(E,) to (E, 1, ..., 1)."""
    return b.reshape(b.shape + (1,) * (like.dim() - b.dim())) if torch.is_tensor(b) else b


def project(M: Any, bounds: Values) -> Any:
    """Into the norm balls. Singular values (up to 8 of them), rows, columns and entries are clipped, which is the exact
    projection; the rest is scaled radially. Scaling rows or columns down never raises another norm, so that the order
    below ends inside all of them."""
    for kind in sorted(bounds, key=list(NORMS).index):
        b = spread(bounds[kind], M)
        if kind == "spectral" and min(M.shape[-2:]) == 1:
            M = M * (b / spread(NORMS["frobenius"](M), M)).clamp(max=1)
        elif kind == "spectral" and min(M.shape[-2:]) <= LARGEST_CLIP:
            U, S, V = torch.linalg.svd(M, full_matrices=False)
            M = (U * torch.minimum(S, b[..., 0]).unsqueeze(-2)) @ V
        elif kind == "entries":
            M = torch.minimum(torch.maximum(M, -b), b)
        elif kind in ("rows", "columns"):
            M = M * (b / M.norm(dim=-1 if kind == "rows" else -2, keepdim=True)).clamp(max=1)
        else:
            M = M * (b / spread(NORMS[kind](M), M)).clamp(max=1)
    return M


def inside(M: Any, bounds: Values) -> Any:
    """(E,): are all norms within their bounds?"""
    checks = [NORMS[kind](M) <= spread(b, NORMS[kind](M)) * (1 + SLACK) for kind, b in bounds.items()]
    flat = [c.reshape(c.shape[0], -1).all(-1) for c in checks]
    return reduce(torch.logical_and, flat, torch.ones(M.shape[0], dtype=torch.bool))
