"""Lemmas 22 to 25: the layers of the transition, written down and measured against what is stated to exist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sympy import Rational, symbols

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude

from .gates import Layer, gate, inner_product, rows_1
from .transition import Sizes, first_layer, second_layer

ROUNDING = 1e-9


class Built(NamedTuple):
    at: dict[str, Any]  # where the claim is evaluated
    true: dict[str, float]  # by part: what the network has


def held(key: str, found: Iterable[Built], what: str) -> Iterator[Result]:
    """A network that exists is measured against every form of every part. One that is larger than stated refutes
    nothing, as there may be a smaller one; where a constant is hidden, the note says how large it must be for these. A
    derived form speaks of another network, and is mentioned only where this one has no more."""
    claim, worst, count = registry.find(key), dict[tuple[str, str], float](), 0
    for one in found:
        count += 1
        for part, true in one.true.items():
            for form in claim.part(part).forms:
                said = float(value(key, form, part, one.at))
                ratio = true / said if said > 0 else (math.inf if true > ROUNDING else 0.0)
                worst[part, form] = max(worst.get((part, form), 0.0), ratio)
    for (part, form), ratio in worst.items():
        hidden = form == "printed" and claim.part(part).relation == "<~" and math.isfinite(ratio)
        enough = hidden or ratio <= 1 + ROUNDING
        if enough or form == "printed":
            note = f"{what}; {ratio:.3g} of what is stated" + (", which hides a constant" if hidden else "")
            tight = None if hidden or not enough else ratio
            yield Result(
                "holds" if enough else "undecided",
                "constructed",
                note,
                instances=count,
                tightness=tight,
                part=part,
                form=form,
            )


def chords_of_squares() -> list[Proof]:
    """A chord of s^2 exceeds it by (s - p)(q - s) <= ((q - p)/2)^2; products are differences of squares; the slanted
    difference is x sigma(v) where |a x| <= |v|, and off by (v -+ a x)^2/(4a) <= a x^2/4 elsewhere."""
    s, p, q, u, v, x = symbols("s p q u v x", real=True)
    a = symbols("a", positive=True)
    chord = p**2 + (q**2 - p**2) / (q - p) * (s - p)
    less = Rational(999, 1000)
    off = (v - a * x) ** 2 / (4 * a)
    return [
        same(chord - s**2, (s - p) * (q - s)),
        polynomial((s - p) * (q - s) <= (q - p) ** 2 / 4, control=(s - p) * (q - s) <= less * (q - p) ** 2 / 4),
        same(((u + v) ** 2 - (u - v) ** 2) / 4, u * v),
        same(((v + a * x) ** 2 - (v - a * x) ** 2) / (4 * a), x * v),
        same((v + a * x) ** 2 / (4 * a) - x * v, off),
        polynomial(off <= a * x**2 / 4, v >= 0, v <= a * x, control=off <= less * a * x**2 / 4),
        polynomial((v + a * x) ** 2 / (4 * a) <= a * x**2 / 4, v <= 0, -v <= a * x,
                   control=(v + a * x) ** 2 / (4 * a) <= less * a * x**2 / 4),
    ]  # fmt: skip


# --- 22 and 23 -----------------------------------------------------------------------------------------------------


def unit_pairs(d_e: int, count: int, rng: np.random.Generator) -> Array:
    """Drawn, sparse, equal and opposite pairs."""
    w = rng.normal(size=(count, 2, d_e))
    w[: count // 4] *= rng.random((count // 4, 2, d_e)) < 2 / d_e
    w[np.linalg.norm(w, axis=2) == 0] = np.eye(d_e)[0]
    w /= np.linalg.norm(w, axis=2, keepdims=True)
    w[::5, 1] = w[::5, 0]
    w[1::5, 1] = -w[1::5, 0]
    return w.reshape(count, 2 * d_e)


def measured(net: Layer) -> dict[str, float]:
    return {"width": float(net.width), "a": float(np.linalg.norm(net.A)), "W": rows_1(net.W),
            "b": float(np.abs(net.b).max(initial=0.0))}  # fmt: skip


def inner_products(effort: Effort) -> Iterator[Built]:
    rng = np.random.default_rng(effort.seed)
    for d_e, eps in product((2, 3, 8, 24), (1.0, 0.5, 0.1, 0.01)):
        net, pairs = inner_product(d_e, eps), unit_pairs(d_e, 400 * effort.scale, rng)
        off = np.abs(net(pairs)[:, 0] - (pairs[:, :d_e] * pairs[:, d_e:]).sum(axis=1)).max()
        yield Built({"eps": eps, "d_e": d_e, "m": net.width}, measured(net) | {"error": float(off)})


@check("mousavi2025/22")
def lemma_22(effort: Effort) -> Iterator[Result]:
    yield from held("mousavi2025/22", inner_products(effort), "a network by chords of squares, d_e up to 24")
    d_e, eps, K = symbols("d_e eps K", positive=True)
    off, given = d_e * (2 / K) ** 2 / 16, 4 * K**2 * eps >= d_e
    yield conclude(
        "d_e products by chords over pieces of length 2/K are off by d_e (2/K)^2/16 at most (z3)",
        [*chords_of_squares(), polynomial(off <= eps, given, control=off <= Rational(999, 1000) * eps)], part="error",
    )  # fmt: skip
    yield no_units()


def no_units() -> Result:
    """d_e = 1 and eps a little below 1: the products are 1 and -1, and a network without units is off by 1."""
    at: dict[str, Any] = {"d_e": "1", "eps": "99/100"}
    said = enclose(registry.find("mousavi2025/22"), "printed", "width", **at)
    assert said.upper < Decimal(1)
    note = "at d_e = 1 the printed logarithm vanishes as eps goes to 1, and a network needs a unit to tell 1 from -1"
    return refuted(note, at, f"{said.value:.6g}", 1, part="width", edge=True, instances=1)


def no_weights() -> Result:
    """The same of the layer: its outputs are at least 1 - eps in size, and its units at most 2 where rows of W_1 and
    biases are at most 1, so that a row of A_1 has (1 - eps)/2 at least; the print has a power 3/2 of 1 - eps."""
    at: dict[str, Any] = {"d_e": "1", "eps": "99/100"}
    said, needed = enclose(registry.find("mousavi2025/23"), "printed", "A", **at), Fraction(1, 200)
    assert said.upper < Decimal("0.005")
    note = "at d_e = 1 the printed logarithm vanishes as eps goes to 1, faster than the output weights that are needed"
    return refuted(note, at, f"{said.value:.6g}", needed, part="A", edge=True, instances=1)


def first_layers(effort: Effort) -> Iterator[Built]:
    rng = np.random.default_rng(effort.seed)
    for d, q, d_e, eps in ((1, 1, 2, 0.5), (3, 2, 8, 0.1), (2, 3, 4, 0.02)):
        s = Sizes(d, q, d_e, 1.0)
        net, count = first_layer(s, eps), 100 * effort.scale
        w = rng.normal(size=(count, q + 1, d_e))
        w /= np.linalg.norm(w, axis=2, keepdims=True)
        w[::3, 1] = w[::3, 0]
        h, x = 100 * rng.normal(size=(count, s.d_h)), 10 * rng.normal(size=(count, d))
        out = net(np.hstack([h, x, w.reshape(count, -1)]))
        off = np.abs(out[:, d:] - np.einsum("be,bqe->bq", w[:, 0], w[:, 1:])).max()
        true = measured(net) | {"A": rows_1(net.A), "error": float(off), "token": float(np.abs(out[:, :d] - x).max())}
        yield Built({"eps": eps, "d": d, "q": q, "d_e": d_e}, {n: v for n, v in true.items() if n != "a"})


@check("mousavi2025/23")
def lemma_23(effort: Effort) -> Iterator[Result]:
    yield from held("mousavi2025/23", first_layers(effort), "the layer written out, d_h + d + (q + 1) d_e inputs")
    yield no_weights()


# --- 24 and 25 -----------------------------------------------------------------------------------------------------


def gates(effort: Effort) -> Iterator[Built]:
    """Near z = 1/2 and x = +-r the error is as large as allowed."""
    rng = np.random.default_rng(effort.seed)
    for r, eps, carry in product((0.3, 1.0, 5.0), (1.0, 0.3, 0.02), (True, False)):
        r_h, count = 3.0 if carry else 0.0, 1000 * effort.scale
        R = math.sqrt(1 + r**2 + r_h**2)
        net = gate(r, eps, R, carry)
        h, x, z = rng.uniform((-r_h, -r, -1), (r_h, r, 1), size=(count, 3)).T
        x[::3], z[::2] = r, np.clip(0.5 + 4 * eps / r * rng.uniform(-1, 1, size=len(z[::2])), -1, 1)
        target = h + 2 * x * np.maximum(z - 0.5, 0)
        out = net(np.stack([h, x, z] if carry else [x, z], axis=1))[:, 0]
        assert np.abs(out - target).max() <= eps * (1 + ROUNDING)
        true = measured(net)
        if not carry:
            true = {"width_plain": true["width"], "a_plain": true["a"], "W": true["W"], "b": true["b"]}
        yield Built({"eps": eps, "R": R, "m": max(1, net.width)}, true)


@check("mousavi2025/24")
def lemma_24(effort: Effort) -> Iterator[Result]:
    what = "a network by slanted differences of chords, within eps on drawn and on the worst inputs"
    yield from held("mousavi2025/24", gates(effort), what)


def second_layers(effort: Effort) -> Iterator[Built]:
    rng = np.random.default_rng(effort.seed)
    for d, q, r, eps in ((1, 1, 1.0, 0.5), (3, 2, 2.0, 0.1), (2, 3, 5.0, 0.3)):
        s, count = Sizes(d, q, 1, r), 1000 * effort.scale
        net = second_layer(s, eps)
        x, z = rng.uniform(-r, r, size=(count, d)), rng.uniform(-1, 1, size=(count, q))
        x[::2], z[::3] = r, 0.5
        target = 2 * x[:, None, :] * np.maximum(z[:, :, None] - 0.5, 0)
        off = np.abs(net(np.hstack([x, z])) - target.reshape(count, -1)).max()
        true = measured(net) | {"A": rows_1(net.A), "error": float(off)}
        at = {"eps": eps, "d": d, "q": q, "R": math.sqrt(1 + r**2), "c_R": 3}
        yield Built(at, {n: v for n, v in true.items() if n != "a"})


@check("mousavi2025/25")
def lemma_25(effort: Effort) -> Iterator[Result]:
    yield from held("mousavi2025/25", second_layers(effort), "the layer written out; as the degree of R, 3")
