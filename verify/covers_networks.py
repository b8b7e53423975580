"""The covers of heads and networks, run on random members of their classes with bounds that bind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.binding import bind
from maurey.symbolic import registry

from . import covers_heads as build
from . import covers_online as online
from .checks import Effort
from .covers_instances import ROUNDING, Instance, inputs, target
from .packings import below

Array = Any


def _activation(L_sigma: float) -> Callable[[Array], Array]:
    return lambda x: L_sigma * np.tanh(x)


def _instance(made: build.Built, at: dict[str, Any]) -> Instance:
    """Each weight within what the form allows it; the cover is as large as all of that together."""
    inside = all(cost <= allowed * (1 + ROUNDING) for cost, allowed in made.spent.values())
    size = sum(allowed for _, allowed in made.spent.values())
    return Instance(at, made.error / float(at["eps"]), math.floor(made.log_size), math.ceil(size), size, inside)


def _fractions(**values: str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in values.items()}


def heads(effort: Effort, key: str) -> Iterator[Instance]:
    """4.4, A.11 (with positions), A.12 (two heads), A.12-equal-heads (two equal bounds)."""
    rng, claim = np.random.default_rng(effort.seed), registry.find(key)
    indexed = any(p.index for p in claim.symbols)
    number = 2 if indexed or "equal" in key else 1
    for i in range(12 * effort.scale):
        d, m, T = int(rng.choice((2, 3, 6))), int(rng.choice((1, 4, 12))), int(rng.choice((1, 2, 5)))
        at: dict[str, Any] = _fractions(
            eps=str(rng.choice(("1/2", "1", "2"))), d=str(d), m=str(m), T=str(T), L_sigma="3/2", B_X="1",
            B_V="6/5", B_V_inf="1", B_QK_inf="3/2",
        )  # fmt: skip
        own = [at] * number
        X = inputs(rng, m * T, d, 1 + i % 2).reshape(m, T, d)
        R = 1.0
        if key.endswith("A.11"):
            at |= _fractions(B_P="1/2")
            X, R = X + 0.5 * inputs(rng, T, d, 1), 1.5
        if number == 2:
            at |= _fractions(H="2")
        if indexed:
            own = [at, at | _fractions(B_V="1/2", B_V_inf="1/2", B_QK_inf="1")]
            at = at | {name: [one[name] for one in own] for name in ("B_V", "B_V_inf", "B_QK_inf")}
        projects = [
            (build.bounded(float(one["B_V_inf"]), float(one["B_V"]), rows=True),
             online.in_columns(float(one["B_QK_inf"])))
            for one in own
        ]  # fmt: skip
        weights = [tuple(project(3 * rng.normal(size=(d, d))) for project in pair) for pair in projects]
        bound = bind(claim, at, "sharp", "log_N")
        made = build.build_heads(bound, X, R, weights, projects, _activation(1.5))
        yield _instance(made, at)


def scores(effort: Effort) -> Iterator[Instance]:
    """maurey/score: one query for each of m sequences of T tokens."""
    rng = np.random.default_rng(effort.seed)
    for i in range(24 * effort.scale):
        d, m, T = int(rng.choice((1, 3, 20))), int(rng.choice((1, 4, 30))), int(rng.choice((1, 2, 10)))
        B, R = Fraction(3, 2), Fraction(1, 2)
        eps = B * R**2 * Fraction(str(rng.choice(("21/20", "9/10", "1/2", "1/5", "1/10"))))
        X = float(R) * inputs(rng, m * T, d, i % 3).reshape(m, T, d)
        project = online.in_frobenius(float(B))
        W = target(rng, (d, d), i % 4 % 3, project, max(1, below((B * R**2 / eps) ** 2)))
        left, right = np.repeat(X[:, 0], T, axis=0), X.reshape(m * T, d)
        centre, cost = build.cover_scores(W, left, right, float(R), float(eps), project)
        error = float(np.abs(((left @ (W - centre)) * right).sum(1)).max()) / float(eps)
        allowed = max(0, below((B * R**2 / eps) ** 2))
        used = round(cost / math.log(2 * m * T + 1))
        at = {"eps": eps, "m": Fraction(m), "T": Fraction(T), "B_X": R, "B_QK_F": B}
        inside = bool(np.linalg.norm(centre) <= float(B) * (1 + ROUNDING))
        yield Instance(at, error, used, allowed, allowed * math.log(2 * m * T + 1), inside)


def deep(effort: Effort, key: str = "edelman2022/A.17") -> Iterator[Instance]:
    """A.17 with its own bounds in every layer, or 4.6 with the same in all."""
    rng, claim = np.random.default_rng(effort.seed), registry.find(key)
    equal = key.endswith("4.6")
    for _ in range(8 * effort.scale):
        d, m, T = int(rng.choice((2, 3, 5))), int(rng.choice((1, 3, 6))), int(rng.choice((1, 2, 4)))
        L, k = int(rng.choice((1, 2))), d if equal else int(rng.choice((2, 4)))
        at: dict[str, Any] = _fractions(
            eps=str(rng.choice(("1", "2"))), d=str(d), m=str(m), T=str(T), L=str(L), L_sigma="11/10", B_w="1"
        )
        one = _fractions(V="6/5", V_inf="1", QK="1/2", QK_inf="2/5", C="1", C_inf="9/10")
        if equal:
            one = _fractions(V="1", V_inf="4/5", QK="1", QK_inf="4/5", C="1", C_inf="4/5")
            at |= _fractions(C_2="1", C_inf="4/5", B_X="4/5")
        else:
            at |= {"k": Fraction(k)} | {f"B_{name}": [value] * L for name, value in one.items()}
        R = 0.8 if equal else 1.0
        X = R * inputs(rng, m * T, d, 1).reshape(m, T, d)
        budget = [{name: float(value) for name, value in one.items()} | {"w": 1.0}] * L
        shapes = {"V": (d, k), "QK": (d, d), "C": (k, d)}
        blocks = [
            build.Block(*(
                build.bounded(float(one[f"{name}_inf"]), float(one[name]))(3 * rng.normal(size=shape))
                for name, shape in shapes.items()
            ))
            for _ in range(L)
        ]  # fmt: skip
        w = online.in_frobenius(1.0)(10 * rng.normal(size=(d, 1)))[:, 0]
        bound = bind(claim, at, "sharp", "log_N")
        yield _instance(build.build_deep(bound, X, R, blocks, w, budget, 1.1, _activation(1.1)), at)
