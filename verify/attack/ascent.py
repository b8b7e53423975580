"""Attacks on inequalities lhs <= rhs: projected gradient ascent on the ratio, many starts at once.

One backward pass of the sum of log ratios serves all starts. What floats then call a violation is looked at in balls,
at an instance that is exact and meets the hypotheses exactly, before it is called one.
"""

from __future__ import annotations

import math
from typing import Any

from maurey.verify.tensors import torch

from .confirmation import VIOLATION, examined
from .inequality import Found, Inequality, Outcome, Sides, Values
from .norm_balls import inside, spread
from .starts import Starts, rounded

NOISE = 1e-5  # a rhs below this fraction of the outputs is not told from rounding errors, and does not count
MOST_EXAMINED = 16  # candidates for a violation that are rounded and looked at in balls
FIRST_RATE, LAST_RATE, DECAYS = 0.2, 0.002, (0.8, 0.99)


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
                    climb(points.points[name], slope, first[name], second[name], rate, step + 1)
            points.project()
    return _outcome(inequality, points, kept)


def climb(u: Any, slope: Any, first: Any, second: Any, rate: float, count: int) -> None:
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
