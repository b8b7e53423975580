"""Attacks on the lemmas about moved parameters: ascent on the ratio of what moved to what a claim allows.

Many perturbations climb at once, each with a size, a shape and a set of blocks of its own. What a claim allows is the
claim's own form, of sizes that are measured on the perturbation, so that the slope of the ratio knows both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import combinations, cycle, islice
from typing import Any

from sympy import Expr
from sympy.logic.boolalg import BooleanTrue

from maurey.numeric.types import Tensor
from maurey.numeric.walk import walk
from maurey.symbolic import registry
from maurey.verify.attack.ascent import FIRST_RATE, LAST_RATE, NOISE, climb
from maurey.verify.attack.inequality import Tensors
from maurey.verify.checks import Effort, Result, refuted
from maurey.verify.tensors import torch

from .construction import Network
from .perturbations import Case, Moves, measured, sizes

Name = tuple[str, str]  # key and part
End = tuple[str, str, str]  # and form
Measure = Callable[[Case, Network], Moves]

DECADES = (-4.0, -0.3)  # of a perturbation's size, in units of 1/(4D): where units reach their kinks
VIOLATION = 1e-7  # a ratio beyond 1 by more than this is none of rounding
PAIRS, ROUNDS = 48, 120

# --- what the claims say, for tensors --------------------------------------------------------------------------------


class Whole(Tensors):
    """Counts of units and cases, too: sizes are whole numbers that nothing moves, and cases are told apart start by
    start."""

    def rational(self, value: Fraction) -> float:
        return float(value)

    def apply(self, name: str, arguments: list[Any]) -> Any:
        return super().apply(name, [torch.as_tensor(x, dtype=torch.float64) for x in arguments])

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Any:
        return torch.ceil(x)

    def select(self, branches: list[Any], env: Mapping[str, Any]) -> Any:
        *cases, (condition, last) = branches
        assert isinstance(condition, BooleanTrue)
        value = last()
        for relation, case in reversed(cases):
            value = torch.where(walk(relation.lhs, env, self) < walk(relation.rhs, env, self), case(), value)
        return value


class Sheet:
    """All forms of some parts at once, for one target. Steps are told apart by what they compute, so that what the
    forms have in common is computed once, and what depends on the target alone once for all."""

    def __init__(self, names: Sequence[Name], target: Mapping[str, int]) -> None:
        self.nodes: dict[tuple[Expr, tuple[tuple[str, int], ...]], int] = {}
        self.ends: dict[End, int] = {}
        for key, part in names:
            chosen = registry.find(key).part(part)
            for form in chosen.forms:
                made: dict[str, int] = {}
                for step in chosen.steps(form):
                    names_used = sorted(str(s) for s in step.expr.free_symbols if str(s) in made)
                    node = (step.expr, tuple((name, made[name]) for name in names_used))
                    made[step.name] = self.nodes.setdefault(node, len(self.nodes))
                    self.ends[key, part, form] = made[step.name]
        self.known = doubles(target)
        self.fixed: dict[int, Tensor] = {}
        for i, (expr, used) in enumerate(self.nodes):
            others = {str(s) for s in expr.free_symbols} - {name for name, _ in used}
            if others <= set(target) and all(j in self.fixed for _, j in used):
                self.fixed[i] = self._walked(expr, used, self.known, self.fixed)

    def _walked(self, expr: Expr, used: Any, known: Mapping[str, Any], values: Mapping[int, Tensor]) -> Tensor:
        return walk(expr, {**known, **{name: values[i] for name, i in used}}, Whole())

    def __call__(self, at: Mapping[str, Any]) -> dict[End, Tensor]:
        known, values = self.known | doubles(at), dict(self.fixed)
        for i, (expr, used) in enumerate(self.nodes):
            if i not in values:
                values[i] = self._walked(expr, used, known, values)
        return {end: values[i] for end, i in self.ends.items()}


def doubles(at: Mapping[str, Any]) -> dict[str, Tensor]:
    return {name: torch.as_tensor(value, dtype=torch.float64) for name, value in at.items()}


def allowed(key: str, at: Mapping[str, Any]) -> Tensor:
    """Where what a claim assumes holds, so far as it speaks of what is given."""
    known = doubles(at)
    relations = [
        one.relation for one in registry.find(key).assumes if {s.name for s in one.relation.free_symbols} <= {*known}
    ]
    sides = [(walk(r.lhs, known, Whole()), r.rel_op, walk(r.rhs, known, Whole())) for r in relations]
    held = [left < right if how == "<" else left <= right for left, how, right in sides]
    return reduce(torch.logical_and, held, torch.ones_like(known["e_M"], dtype=torch.bool))


# --- the ascent ------------------------------------------------------------------------------------------------------


@dataclass
class Best:
    """The largest ratio of what moved to what a form allows."""

    ratio: float = 0.0
    case: Case | None = None
    move: Tensor | None = None
    moved: float = 0.0
    allowed: float = 0.0


@dataclass
class Tried:
    best: dict[End, Best] = field(default_factory=dict)
    instances: dict[Name, int] = field(default_factory=dict)

    def see(self, end: End, case: Case, E: Tensor, found: Tensor, said: Tensor, counted: Tensor) -> None:
        ratio = torch.where(counted, found / said, 0.0).detach()
        k = int(ratio.argmax())
        if float(ratio[k]) > self.best.setdefault(end, Best()).ratio:
            sides = found[k].item(), said[k].item()
            self.best[end] = Best(float(ratio[k]), case, E[k].detach().clone(), *sides)


def shapes(case: Case, starts: int, rng: Any) -> Tensor:
    """Gaussian, signs, or of rank one in every block."""

    def normal(*size: int) -> Tensor:
        return torch.randn(starts, *size, dtype=torch.float64, generator=rng)

    plain = normal(len(case.theta))
    thin = [
        (normal(b.shape[0], 1) * normal(1, b.shape[1]) if b.dim() == 2 else normal(*b.shape)).flatten(1)
        for b in case.net
    ]
    kinds = torch.stack([plain, plain.sign(), torch.cat(thin, dim=1)])
    return kinds[torch.arange(starts) % len(kinds), torch.arange(starts)]


def units(case: Case, starts: int, rng: Any) -> Tensor:
    """How far every entry of every start moves: one block, all of them, or two; sizes over decades."""
    blocks = torch.cat([torch.full((b.numel(),), i) for i, b in enumerate(case.net)])
    sets = [chosen for k in (1, 7, 2) for chosen in combinations(range(7), k)]
    at = torch.stack([sum((blocks == i) for i in chosen) for chosen in islice(cycle(sets), starts)]).double()
    low, high = DECADES
    decades = low + (high - low) * torch.rand(starts, 1, dtype=torch.float64, generator=rng)
    return at * 10**decades / (4 * case.target.D * math.sqrt(len(case.theta)))


def ascend(
    case: Case, of: Measure, size: Measure, names: Sequence[Name], starts: int, steps: int, tried: Tried
) -> None:
    """So many starts for every name, on the best of its forms; what the others see on the way counts as well."""
    rng, sheet = torch.Generator().manual_seed(starts + case.target.T), Sheet(names, case.at())
    number = starts * len(names)
    order = torch.randperm(number, generator=rng)
    point, unit = shapes(case, number, rng)[order], units(case, number, rng)[order]
    target = torch.arange(number) % len(names)
    first, second = torch.zeros_like(point), torch.zeros_like(point)
    for step in range(steps + 1):
        point.requires_grad_()
        E = point * unit
        found, at = measured(case, E, of), measured(case, E, size) | case.at()
        said, own = sheet(at), torch.zeros(number, dtype=torch.float64)
        met = {key: allowed(key, at) for key, _ in names}
        for i, (key, part) in enumerate(names):
            moves, forms = found[f"{key.partition('/')[2]} {part}"], registry.find(key).part(part).forms
            last = said[key, part, forms[-1]]
            counted = met[key] & (last > NOISE)
            for form in forms:
                tried.see((key, part, form), case, E, moves, said[key, part, form], counted)
            logs = (moves + 1e-300).log() - torch.where(counted, last, 1.0).log()
            own = own + torch.where((target == i) & counted, logs, 0.0)
            if step == steps:
                tried.instances[key, part] = tried.instances.get((key, part), 0) + int(counted.sum())
        if step < steps:
            (slope,) = torch.autograd.grad(own.sum(), [point])
            point, rate = point.detach(), FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (step / steps)
            climb(point, slope, first, second, rate, step + 1)


def attacked(
    cases: Iterable[Case], of: Measure, names: Sequence[Name], starts: int, steps: int, size: Measure = sizes
) -> Tried:
    torch.set_num_threads(1)
    tried = Tried()
    for case in cases:
        ascend(case, of, size=size, names=names, starts=starts, steps=steps, tried=tried)
    return tried


def results(tried: Tried, key: str, note: str) -> Iterator[Result]:
    """Of every form of every part of a claim that was attacked."""
    for (of, part, form), best in tried.best.items():
        if of != key:
            continue
        count = tried.instances[key, part]
        fields: dict[str, Any] = {"part": part, "form": form}
        if best.ratio <= 1 + VIOLATION:
            yield Result("holds", "tested", note, instances=count, tightness=min(best.ratio, 1.0), **fields)
            continue
        assert best.case is not None
        assert best.move is not None
        witness = best.case.shown() | {"perturbation": best.move.tolist()}
        yield refuted("a perturbation moves it further", witness, best.allowed, best.moved, instances=count,
                      tightness=best.ratio, **fields)  # fmt: skip


# --- softmax Jacobians -----------------------------------------------------------------------------------------------


def jacobians(effort: Effort) -> tuple[float, dict[str, Any], int]:
    """The largest row sum of |J - J'| against the l1 distance of the weights, over pairs that climb; and the pair."""
    torch.set_num_threads(1)
    rng, best, count = torch.Generator().manual_seed(effort.seed), 0.0, 0
    pair: dict[str, list[float]] = {}
    for p in (2, 3, 6):
        logits = 3 * torch.randn(2, PAIRS * effort.scale, p, dtype=torch.float64, generator=rng)
        first, second = torch.zeros_like(logits), torch.zeros_like(logits)
        for step in range(ROUNDS):
            logits.requires_grad_()
            s, t = logits.softmax(dim=2)
            one, other = (torch.diag_embed(a) - a[:, :, None] * a[:, None, :] for a in (s, t))
            apart = (s - t).abs().sum(dim=1)
            ratio = torch.where(apart > NOISE, (one - other).abs().sum(dim=2).amax(dim=1) / apart, 1e-9)
            k = int(ratio.argmax())
            if ratio[k].item() > best:
                best, pair = ratio[k].item(), {"s": s[k].tolist(), "s'": t[k].tolist()}
            (slope,) = torch.autograd.grad(ratio.log().sum(), [logits])
            logits = logits.detach()
            climb(logits, slope, first, second, FIRST_RATE / 2, step + 1)
        count += len(apart)
    return best, pair, count
