"""The network of Lemma 38 through given points, in rationals, and points and labels that make it large."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb, ctx

from maurey.numeric.exact import PRECISION, to_ball
from maurey.verify.checks import Effort

Rationals = Sequence[Fraction]


@dataclass(frozen=True)
class Unscaled:
    """sum_j a_j sigma(t - knot_j), all exact; one network for each scale alpha: alpha a, 1/alpha, -knots/alpha."""

    a: tuple[Fraction, ...]
    knots: tuple[Fraction, ...]

    def __call__(self, t: Fraction) -> Fraction:
        return sum((a * max(t - knot, Fraction(0)) for a, knot in zip(self.a, self.knots, strict=True)), Fraction(0))

    @property
    def squares(self) -> tuple[Fraction, Fraction]:
        """|a'|^2, and |w'|^2 + |b'|^2."""
        return sum((a**2 for a in self.a), Fraction(0)), sum((1 + b**2 for b in self.knots), Fraction(0))


def through(points: Rationals, labels: Rationals) -> Unscaled:
    """The printed construction: one unit before the first point, then one at each point but the last."""
    (z, *rest), (y, *others) = zip(*sorted(zip(points, labels, strict=True)), strict=True)
    knots, coefficients, slope = [z - 1], [y], y
    for (left, right), (low, high) in zip(pairwise([z, *rest]), pairwise([y, *others]), strict=True):
        steeper = (high - low) / (right - left)
        knots.append(left)
        coefficients.append(steeper - slope)
        slope = steeper
    return Unscaled(tuple(coefficients), tuple(knots))


def squared_norm(net: Unscaled, points: Rationals, labels: Rationals, eps: Fraction) -> arb:
    """|a|^2 + |w|^2 + |b|^2 at the paper's scale, alpha^4 = (|z|^2 + n) eps^2/|y|^2."""
    outer, inner = map(to_ball, net.squares)
    with ctx.workprec(PRECISION):
        scale = (to_ball(square(points) + len(points)) / to_ball(square(labels))).sqrt() * to_ball(eps)  # alpha^2
        return scale * outer + inner / scale


def square(v: Rationals) -> Fraction:
    return sum((x**2 for x in v), Fraction(0))


def least_gap(points: Rationals) -> Fraction:
    return min((b - a for a, b in pairwise(sorted(points))), default=Fraction(1))


def ratio(points: Rationals, labels: Rationals) -> arb:
    """Of that norm to |y| sqrt(n + |z|^2)/eps, with eps the least distance or 1."""
    eps = min(least_gap(points), Fraction(1))
    with ctx.workprec(PRECISION):
        said = (to_ball(square(labels)) * to_ball(square(points) + len(points))).sqrt() / to_ball(eps)
        return squared_norm(through(points, labels), points, labels, eps) / said


def point(points: Rationals, labels: Rationals) -> dict[str, Fraction]:
    """Where the claim is evaluated; norms are rounded up, at the fortieth digit."""
    return {
        "n": Fraction(len(points)), "eps": min(least_gap(points), Fraction(1)),
        "y_norm": root_above(square(labels)), "z_norm": root_above(square(points)),
    }  # fmt: skip


def root_above(x: Fraction) -> Fraction:
    return Fraction(math.isqrt(math.ceil(x * 10**80)) + 1, 10**40)


def instances(effort: Effort) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
    """Drawn points, and labels that alternate on points as near as can be, which are the worst found."""
    rng = np.random.default_rng(effort.seed)
    rationals = lambda v: [Fraction(int(x), 1000) for x in v]  # noqa: E731
    for n in (1, 2, 3, 10, 50):
        for _ in range(10 * effort.scale):
            drawn = rng.choice(4000 * n, size=n, replace=False) - 2000 * n
            yield rationals(drawn), rationals(1000 * rng.normal(size=n) + 0.5)
    for n in (1, 2, 3, 10, 60 * math.isqrt(effort.scale)):
        for eps in (Fraction(1), Fraction(1, 1000)):
            start = -eps * (n // 2) - Fraction(1, 2)
            spread = [start + i * eps for i in range(n)]
            yield spread, [Fraction((-1) ** i) for i in range(n)]
            yield spread, [Fraction(1), *[Fraction(0)] * (n - 1)]


def worst_small(effort: Effort) -> tuple[list[Fraction], list[Fraction]]:
    """Points and labels with the largest ratio that moving single numbers finds, from alternating labels on a few."""
    rng = np.random.default_rng(effort.seed)
    found: list[tuple[float, list[Fraction], list[Fraction]]] = []
    for n in (1, 2, 4, 8):
        z, y = [Fraction(i, 2) - Fraction(n, 4) for i in range(n)], [Fraction((-1) ** i) for i in range(n)]
        best = float(ratio(z, y))
        for _ in range(40 * effort.scale):
            new_z, new_y = list(z), list(y)
            moved, place = Fraction(int(rng.integers(-300, 301)), 1000), int(rng.integers(n))
            if rng.random() < 0.5:
                new_z = [x + moved for x in z]
            else:
                new_y[place] += moved
            if any(new_y) and (now := float(ratio(new_z, new_y))) > best:
                z, y, best = new_z, new_y, now
        found.append((best, z, y))
    _, z, y = max(found)
    return z, y
