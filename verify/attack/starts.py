"""Where an ascent starts: many points of the classes at once, each with norm bounds, a scale of movement and a set of
moved variables of its own. So one run reaches tiny and huge bounds, flat and saturated softmaxes, and every term of a
sum alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from typing import Any

from maurey.verify.tensors import torch

from .inequality import Inequality, Values, bound_of, through
from .norm_balls import NORMS, project, spread


def draw_bound(decades: Any, E: int, rng: Any) -> Any:
    """Log-uniform over the decades, to eight binary digits; a number is itself."""
    if not isinstance(decades, tuple):
        return torch.full((E,), float(decades), dtype=torch.float64)
    low, high = decades
    mantissa, exponent = torch.frexp(10 ** (low + (high - low) * torch.rand(E, dtype=torch.float64, generator=rng)))
    return torch.ldexp((mantissa * 256).round() / 256, exponent)


def draw(shape: tuple[int, ...], bounds: Values, E: int, rng: Any) -> Any:
    """(E, *shape), on the boundary of the class or well inside: Gaussian, plus and minus one row (the first one apart
    or not: a query among keys), or diagonal."""

    def normal(*size: int) -> Any:
        return torch.randn(E, *size, dtype=torch.float64, generator=rng)

    *more, n, m = shape
    signs, first = normal(*more, n, 1).sign(), torch.eye(n, 1, dtype=torch.float64)
    plain, alike = normal(*shape), signs * normal(*more, 1, m)
    diagonal = signs * torch.eye(n, m, dtype=torch.float64) + 1e-3 * normal(*shape)
    styles = torch.stack([plain, alike, alike * (1 - first) + plain * first, diagonal])
    M = styles[torch.randint(len(styles), (E,), generator=rng), torch.arange(E)]
    over = [NORMS[kind](M) / spread(b, NORMS[kind](M)) for kind, b in bounds.items()]
    full = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.1, 0.001], dtype=torch.float64)[torch.randint(6, (E,), generator=rng)]
    return M * spread(full, M) / spread(reduce(torch.maximum, over), M) if over else M * spread(full, M)


class Starts:
    """E points of the classes, in units of their bounds: what the ascent moves."""

    def __init__(self, inequality: Inequality, E: int, seed: int) -> None:
        rng = torch.Generator().manual_seed(seed)
        self.variables = inequality.variables
        self.bounds = {n: through(lambda b: draw_bound(b, E, rng), b) for n, b in inequality.bounds.items()}
        self.given = {**self.bounds, **inequality.given(self.bounds)}
        self.norms = {
            name: {kind: bound_of(b, self.bounds).expand(E) for kind, b in v.norms.items()}
            for name, v in self.variables.items()
        }
        movable = [name for name, v in self.variables.items() if v.near]
        self.groups = [*movable, "all"] if len(movable) > 1 else movable or ["all"]
        self.group = torch.arange(E) % len(self.groups)
        self.units, self.points = {}, {}
        for name, v in self.variables.items():
            base = self.norms[v.near or name]
            self.units[name] = reduce(torch.minimum, base.values(), torch.full((E,), math.inf, dtype=torch.float64))
            self.units[name] = torch.where(self.units[name].isinf(), 1.0, self.units[name])
            if v.near:  # it moves by its share of the class: from a thousandth to twice its radius
                here = (self.group == self.groups.index(name)) | (self.group == len(movable))
                self.units[name] *= 10 ** (3.3 * torch.rand(E, generator=rng, dtype=torch.float64) - 3) * here
            inner = {"frobenius": 1.0 + 0 * self.units[name]}
            if not v.near:
                inner = {kind: b / self.units[name] for kind, b in self.norms[name].items()}
            self.points[name] = draw(v.shape, inner, E, rng)
        if inequality.hint:
            self._place(inequality.hint)
        for u in self.points.values():
            u.requires_grad_()
        self.project()

    def _place(self, hint: Mapping[str, Any]) -> None:
        at = {name: torch.tensor(M, dtype=torch.float64) for name, M in hint.items()}
        for name, v in self.variables.items():
            shift = at[name] - at[v.near] if v.near else at[name]
            if v.near:
                self.units[name][0] = shift.abs().max()
            self.points[name][0] = shift / self.units[name][0]

    def values(self, points: Values | None = None) -> dict[str, Any]:
        at, found = points or self.points, dict(self.given)
        for name, v in self.variables.items():  # a moved copy stands after what it is near to
            moved = at[name] * spread(self.units[name], at[name])
            found[name] = found[v.near] + moved if v.near else moved
        return found

    def project(self) -> None:
        with torch.no_grad():
            found: dict[str, Any] = {}
            for name, v in self.variables.items():
                u, unit = self.points[name], spread(self.units[name], self.points[name])
                base = found.get(v.near, 0)
                found[name] = project(base + u * unit, self.norms[name])
                if v.near:
                    change = torch.where(unit > 0, (found[name] - base) / unit, 0)
                    u.copy_(change.nan_to_num())
                else:
                    u.copy_(found[name] / unit)


def rounded(points: Starts, values: Values, at: int) -> dict[str, Any]:
    """One start as exact binary fractions: a hair inside the class, and rounded by much less than that hair, yet by
    more than what doubles differ by from one machine to another."""
    bounds = {name: through(lambda b: float(b[at]), b) for name, b in points.bounds.items()}
    found: dict[str, Any] = {"bounds": bounds, "variables": {}}
    for name in points.variables:
        M = values[name][at] * (1 - 2.0**-22)
        quantum = 2.0 ** (math.frexp(float(M.abs().max()))[1] - 32)
        found["variables"][name] = (M / quantum).round().mul(quantum).tolist()
    return found
