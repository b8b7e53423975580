"""Attacks on inequalities lhs <= rhs over norm classes: projected gradient ascent on the ratio, many starts at once.

Tensors carry a leading dimension E of independent starts; one backward pass of the sum of log ratios serves them all. A
start has its own norm bounds, its own scale of movement and its own set of moved variables, so that one run reaches
tiny and huge bounds, flat and saturated softmaxes, and every term of a sum alone. An inequality is written once, for
tensors and for balls (arrays of Arb numbers): what floats call a violation must be one in balls, at an instance that
is exact and meets the hypotheses exactly, before it is called one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from operator import add, mul
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from sympy import Expr, Symbol, sympify

from maurey.numeric.balls import Balls, to_arb
from maurey.numeric.walk import Undefined, run
from maurey.symbolic.derivation import Step
from maurey.verify.tensors import torch

Values = Mapping[str, Any]  # bounds and variables by name: tensors (E, ...), or balls
Sides = Mapping[str, tuple[Any, Any, Any]]  # target: lhs, rhs, and the size that rounding errors are relative to

VIOLATION = 1e-9  # a ratio beyond 1 by more than this is looked at in balls
SLACK = 1e-12  # by which a norm may exceed its bound in floats
NOISE = 1e-5  # a rhs below this fraction of the outputs is not told from rounding errors, and does not count
LARGEST_CLIP = 8  # up to this size a spectral norm is clipped singular value by singular value (the exact projection)
PRECISION = 256  # bits of the balls
MOST_EXAMINED = 16  # candidates for a violation that are rounded and looked at in balls
FIRST_RATE, LAST_RATE, DECAYS = 0.2, 0.002, (0.8, 0.99)


@dataclass(frozen=True)
class Variable:
    """A matrix in the intersection of norm balls, or, with `near`, the moved copy of another variable."""

    shape: tuple[int, ...]
    norms: Mapping[str, Expr | str | float] = field(default_factory=dict)  # kind: bound
    near: str = ""


@dataclass(frozen=True)
class Inequality:
    """`bounds` gives each name the decades from which a start draws it (one entry of a list each, where there is a
    list); `sides` computes both sides from bounds and variables; `given` what depends on the bounds alone, once."""

    variables: Mapping[str, Variable]
    bounds: Mapping[str, Any]
    sides: Callable[[Values], Sides]
    given: Callable[[Values], Values] = lambda bounds: {}
    still: tuple[str, ...] = ()  # targets that speak of one point, whatever is moved: few starts suffice
    hint: Mapping[str, Any] | None = None  # values of all variables for the first start, as nested lists
    point: Callable[[Values], Values] = lambda values: {}  # what a claim calls bounds and movements, for its forms


@dataclass(frozen=True)
class Found:
    ratio: float  # at the rounded instance
    instance: Mapping[str, Any]  # bounds and variables as lists of floats, each an exact binary fraction
    refuted: bool | None = False  # None: floats say so, balls cannot tell

    def rank(self) -> tuple[int, float]:
        """A refutation before an open question before a mere ratio."""
        return {True: 2, None: 1, False: 0}[self.refuted], self.ratio


@dataclass(frozen=True)
class Outcome:
    effective: Mapping[str, int]  # target: starts whose best point meets the hypotheses
    best: Mapping[str, Found]
    tightness: Mapping[tuple[str, str], float]  # by target and by what was moved


# --- numbers: one formula for tensors and balls ------------------------------------------------------------------


class Tensors:
    """The field of float tensors, for `walk`."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def rational(self, value: Fraction) -> Any:
        return torch.tensor(float(value), dtype=torch.float64)

    def add(self, terms: list[Any]) -> Any:
        return reduce(add, terms)

    def multiply(self, factors: list[Any]) -> Any:
        return reduce(mul, factors)

    def power(self, base: Any, exponent: Fraction) -> Any:
        return base ** float(exponent)

    def power_of(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def apply(self, name: str, arguments: list[Any]) -> Any:
        pairwise = {"min": torch.minimum, "max": torch.maximum}
        return reduce(pairwise[name], arguments) if name in pairwise else getattr(torch, name)(*arguments)

    def integer(self, x: Any) -> int:
        return int(x)

    def ceiling(self, x: Any, node: Expr, env: Values) -> Any:
        raise Undefined("a count in an inequality between real numbers")

    def select(self, branches: list[Any], env: Values) -> Any:
        raise Undefined("cases in an inequality between real numbers")

    def integrate(self, node: Expr, env: Values) -> Any:
        raise Undefined("an integral in an inequality between real numbers")


def through(function: Callable[[Any], Any], x: Any) -> Any:
    """To every entry of nested lists."""
    return [through(function, y) for y in x] if isinstance(x, list) else function(x)


def value_of(steps: list[Step], values: Values) -> Any:
    """The last step, for tensors or for balls, whichever the values are."""
    floats = any(torch.is_tensor(leaf) for v in values.values() for leaf in (v if isinstance(v, list) else [v]))
    return run(steps, values, Tensors() if floats else Balls(steps))


def bound_of(bound: Expr | str | float, bounds: Values) -> Any:
    """A bound of a norm: a name, a number or an expression in names."""
    expr = Symbol(bound) if isinstance(bound, str) else sympify(Fraction(bound) if isinstance(bound, float) else bound)
    return value_of([Step("bound", "", expr, "")], bounds)


# --- norm balls, batched -----------------------------------------------------------------------------------------


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


# --- starts ------------------------------------------------------------------------------------------------------


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


# --- the ascent --------------------------------------------------------------------------------------------------


def ratios(sides: Sides) -> tuple[list[str], Any, Any]:
    """Targets, log ratios (targets, E), and where they mean something."""
    logs, mean = [], []
    for lhs, rhs, scale in sides.values():
        counted = (rhs > NOISE * scale) & rhs.isfinite() & (rhs > 0)
        logs.append((lhs + 1e-300).log() - torch.where(counted, rhs, 1.0).log())
        mean.append(counted)
    return list(sides), torch.stack(torch.broadcast_tensors(*logs)), torch.stack(torch.broadcast_tensors(*mean))


def attack(inequality: Inequality, starts: int, steps: int, seed: int) -> Outcome:
    """The best ratio of every target over so many starts, each of them moved so many steps."""
    points = Starts(inequality, starts, seed)
    names = list(inequality.sides(points.values()))
    moving = [i for i, name in enumerate(names) if name not in inequality.still]
    turn = torch.arange(starts) // len(points.groups)  # of a start in its group
    target = torch.where(
        points.group == len(points.groups) - 1, turn % len(names), torch.tensor(moving)[turn % len(moving)]
    )
    best = torch.full((starts,), -math.inf, dtype=torch.float64)
    kept = {name: u.detach().clone() for name, u in points.points.items()}
    first, second = ({name: torch.zeros_like(u) for name, u in kept.items()} for _ in range(2))
    for step in range(steps + 1):
        _, logs, counted = ratios(inequality.sides(points.values()))
        own, means = (x.gather(0, target[None])[0] for x in (logs, counted))
        with torch.no_grad():
            better = means & (own > best)
            best = torch.where(better, own, best)
            for name, u in points.points.items():
                kept[name] = torch.where(spread(better, u), u, kept[name])
        if step < steps:
            leaves = list(points.points.values())
            slopes = torch.autograd.grad(own[means].sum(), leaves, allow_unused=True)
            rate = FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (step / steps)
            for name, slope in zip(points.points, slopes, strict=True):
                if slope is not None:
                    _climb(points.points[name], slope, first[name], second[name], rate, step + 1)
            points.project()
    return _outcome(inequality, points, kept)


def _climb(u: Any, slope: Any, first: Any, second: Any, rate: float, count: int) -> None:
    """One step of Adam upwards, each entry in its own scale; written out, for torch's optimizers take seconds to
    import."""
    slope = slope.nan_to_num(0.0, 0.0, 0.0)
    first.lerp_(slope, 1 - DECAYS[0])
    second.lerp_(slope * slope, 1 - DECAYS[1])
    mean, size = first / (1 - DECAYS[0] ** count), (second / (1 - DECAYS[1] ** count)).sqrt()
    with torch.no_grad():
        u += rate * mean / (size + 1e-12)


def _outcome(inequality: Inequality, points: Starts, kept: Values) -> Outcome:
    """What the best point of every start says of every target; the best of them rounded, and confirmed if need be."""
    with torch.no_grad():
        values = points.values(kept)
        names, logs, counted = ratios(inequality.sides(values))
        for name in points.variables:
            counted = counted & inside(values[name], points.norms[name])
        found = torch.where(counted, logs.exp(), 0.0)
    tightness = {
        (name, group): float(found[i][points.group == g].max())
        for i, name in enumerate(names)
        for g, group in enumerate(points.groups)
        if (points.group == g).any()
    }
    best = {}
    for i, name in enumerate(names):
        examples = []
        for at in found[i].argsort(descending=True)[:MOST_EXAMINED].tolist():
            if counted[i][at]:
                examples.append(examined(inequality, name, rounded(points, values, at)))
                if examples[-1].refuted or found[i][at] <= 1 + VIOLATION:
                    break  # refuted, or this is the best one and no candidate
        if examples:
            best[name] = max(examples, key=Found.rank)
    return Outcome({name: int(counted[i].sum()) for i, name in enumerate(names)}, best, tightness)


def rounded(points: Starts, values: Values, at: int) -> dict[str, Any]:
    """One start as exact binary fractions: a hair inside the class, and rounded by much less than that hair."""
    bounds = {name: through(lambda b: float(b[at]), b) for name, b in points.bounds.items()}
    found: dict[str, Any] = {"bounds": bounds, "variables": {}}
    for name in points.variables:
        M = values[name][at] * (1 - 2.0**-36)
        quantum = 2.0 ** (math.frexp(float(M.abs().max()))[1] - 46)
        found["variables"][name] = (M / quantum).round().mul(quantum).tolist()
    return found


def ratio_at(inequality: Inequality, instance: Mapping[str, Any], target: str) -> float:
    """In floats, at one instance."""
    double = partial(torch.tensor, dtype=torch.float64)
    bounds = {name: through(lambda b: double([b]), b) for name, b in instance["bounds"].items()}
    variables = {name: double([M]) for name, M in instance["variables"].items()}
    lhs, rhs, _ = inequality.sides({**bounds, **inequality.given(bounds), **variables})[target]
    return float(lhs / rhs)


def examined(inequality: Inequality, target: str, instance: Mapping[str, Any]) -> Found:
    ratio = ratio_at(inequality, instance, target)
    if ratio <= 1 + VIOLATION:
        return Found(ratio, instance)
    refuted, certified = confirm(inequality, instance, target)
    return Found(ratio if refuted is not False else certified, instance, refuted)


# --- confirmation in balls ---------------------------------------------------------------------------------------


def in_balls(inequality: Inequality, instance: Mapping[str, Any]) -> Values:
    bounds = {name: through(arb, b) for name, b in instance["bounds"].items()}
    variables = {name: np.array(through(arb, M), dtype=object) for name, M in instance["variables"].items()}
    return {**bounds, **inequality.given(bounds), **variables}


def enclosed(inequality: Inequality, instance: Mapping[str, Any], target: str) -> tuple[arb, arb]:
    """Both sides as balls."""
    lhs, rhs, _ = inequality.sides(in_balls(inequality, instance))[target]
    return to_arb(lhs), to_arb(rhs)


def confirm(inequality: Inequality, instance: Mapping[str, Any], target: str) -> tuple[bool | None, float]:
    """Does the exact instance meet the hypotheses and violate the inequality? False only if the inequality certainly
    holds there. Also the ratio, from above."""
    with ctx.workprec(PRECISION):
        lhs, rhs = enclosed(inequality, instance, target)
        upper = float((lhs.upper() / rhs.lower()).upper()) if rhs > 0 else math.inf
        if lhs <= rhs:
            return False, upper
        return (True if lhs > rhs and meets(inequality, instance) else None), upper


def meets(inequality: Inequality, instance: Mapping[str, Any]) -> bool | None:
    """Are the hypotheses met, exactly?"""
    bounds = {name: through(_fraction, b) for name, b in instance["bounds"].items()}
    verdicts = []
    for name, v in inequality.variables.items():
        M = np.array(through(_fraction, instance["variables"][name]), dtype=object)
        for copy in M.reshape(-1, *M.shape[-2:]):  # copies of equal heads, each in the class
            verdicts += [_within(copy, kind, bound_of(b, bounds)) for kind, b in v.norms.items()]
    return False if False in verdicts else None if None in verdicts else True


def _fraction(x: float) -> fmpq:
    p, q = float(x).as_integer_ratio()
    return fmpq(p, q)


def _within(M: Any, kind: str, bound: Any) -> bool | None:
    """A norm of a matrix of rationals against its bound (a rational, or a ball around a root)."""
    squares = M * M
    if kind == "row_sum":
        total, limit = sum((arb(r).sqrt() for r in squares.sum(1)), arb(0)), arb(bound)
        return True if total <= limit else False if total > limit else None
    limit = bound * bound
    if not isinstance(limit, fmpq):
        limit = _fraction(float(limit.lower())) * (1 - fmpq(1, 2**50))  # a rational below the ball
    if kind == "spectral":
        gram = M @ M.T if M.shape[0] <= M.shape[1] else M.T @ M
        fits = _semidefinite(np.diag([limit] * len(gram)) - gram)
    else:
        sizes = {"rows": squares.sum(1), "columns": squares.sum(0), "entries": squares.ravel()}
        fits = all(size <= limit for size in sizes.get(kind, [squares.sum()]))
    return True if fits else False if isinstance(bound, fmpq) else None


def _semidefinite(G: Any) -> bool:
    """Symmetric elimination in exact arithmetic: no pivot is negative, and a zero pivot has a zero row."""
    while len(G):
        pivot = G[0, 0]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in G[0])):
            return False
        G = G[1:, 1:] - (np.outer(G[1:, 0], G[0, 1:]) / pivot if pivot != 0 else 0)
    return True
