"""Lemma 42 in one dimension and for the two functions that the paper needs it for: networks that are written down."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from maurey.numeric.evaluation import value
from maurey.numeric.exact import decimal, texts
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, refuted

from .gates import Layer, gate, inner_product

KEY = "mousavi2025/42"
ROUNDING = 1e-9
CONSTANT = 4  # that serves here for C_d, d = 1 and 2


def on_the_line(f: Callable[[Array], Array], L: float, R: float, eps: float) -> Layer:
    """Chords over K = ceil(LR/eps) pieces are within eps of an L-Lipschitz function on [-R, R]: half of L 2R/K."""
    K = max(1, math.ceil(L * R / eps))
    knots = np.linspace(-R, R, K + 1)
    values = f(knots)
    slopes = np.diff(values) / np.diff(knots)
    a = np.concatenate([values[:1], R * slopes[:1], R * np.diff(slopes)])
    W = np.concatenate([[0.0], np.full(K, 1 / R)])[:, None]
    return Layer(a[None, :], W, np.concatenate([[1.0], -knots[:-1] / R]))


def functions(L: float, R: float, eps: float, rng: np.random.Generator) -> dict[str, Callable[[Array], Array]]:
    """L-Lipschitz and at most LR on [-R, R]. The zigzag of height 2 eps, or LR, needs a unit for each of its turns, of
    which there are of the order of LR/eps: no smaller power of that would do for the width, nor for the norm."""
    height = min(2 * eps, L * R)
    knots = np.linspace(-R, R, 60)
    walk = np.cumsum(rng.choice((-1.0, 1.0), size=60)) * L * (knots[1] - knots[0])
    walk = np.clip(walk - walk.mean(), -L * R, L * R)
    return {
        "|x|": lambda x: L * np.abs(x),
        "a zigzag": lambda x: height * 2 / math.pi * np.arcsin(np.sin(L * math.pi * x / (2 * height))),
        "a sine": lambda x: L * R / 9 * np.sin(9 * x / R),
        "a walk": lambda x: np.interp(x, knots, walk),
    }


def instances(effort: Effort) -> Iterator[tuple[str, int, float, float, float, Layer, float]]:
    """What, its dimension, LR, R, the error asked for, the network, and its error."""
    rng = np.random.default_rng(effort.seed)
    x = np.linspace(-1, 1, 4001 * effort.scale)
    for L, R, relative in ((1.0, 1.0, 0.9), (3.0, 0.5, 0.1), (0.2, 10.0, 0.01), (1.0, 2.0, 0.001)):
        eps = relative * L * R
        for name, f in functions(L, R, eps, rng).items():
            net = on_the_line(f, L, R, eps)
            yield name, 1, L * R, R, eps, net, float(np.abs(net(R * x[:, None])[:, 0] - f(R * x)).max())
    for eps in (0.3, 0.05):
        net = inner_product(1, eps)
        pairs = rng.uniform(-1, 1, size=(4000 * effort.scale, 2))
        off = float(np.abs(net(pairs)[:, 0] - pairs.prod(axis=1)).max())
        yield "a product", 2, 2.0, math.sqrt(2), eps, net, off  # sqrt(2)-Lipschitz, read with |x| <= sqrt(2)
    for r, eps in ((1.0, 0.3), (5.0, 0.5)):
        R = math.sqrt(1 + r**2)
        net = gate(r, eps, R)
        pairs = rng.uniform((-r, -1), (r, 1), size=(4000 * effort.scale, 2))
        off = float(np.abs(net(pairs)[:, 0] - 2 * pairs[:, 0] * np.maximum(pairs[:, 1] - 0.5, 0)).max())
        yield "a gate", 2, 2 * R**2, R, eps, net, off


@check(KEY)
def lipschitz(effort: Effort) -> Iterator[Result]:
    parts = ("width", "a", "W", "b")
    worst, count = dict.fromkeys(parts, 0.0), 0
    for name, d, LR, R, eps, net, off in instances(effort):
        if off > eps * (1 + ROUNDING):
            yield Result(
                "undecided", "constructed", f"the network for {name} is off by {off:.3g}, not {eps}", part="width"
            )
            return
        true = {"width": float(net.width), "a": float(np.linalg.norm(net.A)),
                "W": float(np.linalg.norm(net.W, axis=1).max()), "b": float(np.abs(net.b).max())}  # fmt: skip
        count += 1
        for part in parts:
            at = {"eps": eps, "d": d, "m": net.width, "R": R, "LR": LR, "C_d": CONSTANT}
            said = float(value(KEY, "printed", part, at))
            if true[part] > said * (1 + ROUNDING):
                note = f"the network for {name} exceeds it at {at}: there may be a smaller one"
                yield Result("undecided", "tested", note, instances=count, part=part)
                return
            worst[part] = max(worst[part], true[part] / said)
    for part in parts:
        hidden = f"; with {CONSTANT} for the hidden constant" if part in ("width", "a") else ""
        note = f"networks by chords for functions on a line, a product and a gate{hidden}"
        yield Result("holds", "tested", note, instances=count, tightness=worst[part], part=part)
    yield from (negative(part) for part in ("width", "a"))


def negative(part: str) -> Result:
    """In one dimension, for an error beyond e LR."""
    at = {"eps": 4, "d": 1, "m": 1, "R": 1, "LR": 1, "C_d": 1}
    said = value(KEY, "printed", part, at)
    if not said < 0:
        return Result("undecided", "refuted", "the point is not what it seems", instances=1, part=part)
    note = "for an error beyond LR the printed logarithm is negative, and no width or norm is; the zero network serves"
    return refuted(note, texts(at), decimal(said), 0, part=part, instances=1)
