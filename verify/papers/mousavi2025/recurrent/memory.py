"""Lemmas 26 to 28: the transition that is exactly zero where nothing is asked for, what that is worth over long
prompts, and the whole network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from sympy import Max, Rational, symbols

from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude

from .gates import Layer
from .layers import Built, held
from .transition import (
    Deep,
    Indices,
    Sizes,
    direct_transition,
    embedded,
    ideal,
    next_to,
    read_out,
    signs,
    states,
    transition,
)


def prompt(s: Sizes, N: int, rng: np.random.Generator) -> tuple[Array, Indices]:
    """Tokens on the sphere of radius r_x, and indices, the first and the last among them where there is room."""
    x = rng.normal(size=(N, s.d))
    x *= s.r_x / np.linalg.norm(x, axis=1, keepdims=True)
    t = rng.integers(N, size=s.q)
    t[: min(2, s.q)] = [0, N - 1][: min(2, s.q)]
    return x, t


def one_step(s: Sizes, f: Deep, w: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Of the transition on a prompt: the largest error where a token is asked for, and the largest output elsewhere."""
    x, t = prompt(s, len(w), rng)
    h = rng.normal(size=(len(x), s.d_h))
    out = f(np.hstack([h, embedded(x, w, t)])).reshape(len(x), s.q, s.d)
    asked = t[None, :] == np.arange(len(x))[:, None]
    target = np.where(asked[:, :, None], x[:, None, :], 0.0)
    return float(np.abs(out - target)[asked].max()), float(np.abs(out[~asked]).max(initial=0.0))


def stored(s: Sizes, eps: float, w: Array, rng: np.random.Generator) -> tuple[float, float, float]:
    """Of the recursion, both ways, states projected on the least ball that is allowed: the largest error of a state,
    the largest entry of what should be zero, and the largest norm."""
    x, t = prompt(s, len(w), rng)
    r_h = math.sqrt(s.q) * (s.r_x + math.sqrt(s.d) * eps)
    found = states(transition(s, eps), embedded(x, w, t), s.d_h, r_h)
    targets = ideal(x, t)
    off = max(float(np.abs(a - b).max()) for a, b in zip(found, targets, strict=True))
    stray = max(float(np.abs(a[b == 0]).max(initial=0.0)) for a, b in zip(found, targets, strict=True))
    return off, stray, max(float(np.linalg.norm(a, axis=1).max()) for a in found)


# --- with and without the rectifier --------------------------------------------------------------------------------


class Kept(NamedTuple):
    N: int
    eps: float
    rectified: float  # the largest error of the last state
    plain: float  # the same without the rectifier


def accumulated(eps: float = 0.25, Ns: tuple[int, ...] = (4, 16, 64, 256, 1024, 4096)) -> list[Kept]:
    """The token asked for comes first; all later positions have the inner product 1/2 with it, where the gate opens,
    and tokens that make the stray output largest. The transition reads no state, so that states are sums of its
    outputs."""
    rows = []
    for N in Ns:
        w = next_to(N > 57)[:N]
        s = Sizes(1, 1, w.shape[1], 2.0)
        z = embedded(np.zeros((N, 1)), w, np.zeros(1, dtype=np.int64))
        grid = np.array([-s.r_x, s.r_x])  # the stray output grows with |x|
        plain, exact = transition(s, eps, rectified=False), transition(s, eps)
        outputs = np.stack([plain(np.hstack([np.zeros((N, 1)), _with(z, x)]))[:, 0] for x in grid])
        worst = grid[outputs.argmax(axis=0)]
        worst[0] = s.r_x
        inputs = np.hstack([np.zeros((N, 1)), _with(z, worst)])
        last = [abs(float(f(inputs).sum()) - s.r_x) for f in (exact, plain)]
        rows.append(Kept(N, eps, *last))
    return rows


def _with(z: Array, x: Array | float) -> Array:
    z = z.copy()
    z[:, 0] = x
    return z


# --- the whole network ---------------------------------------------------------------------------------------------


class Whole(NamedTuple):
    at: dict[str, float]
    error: float  # the largest over all positions
    norm: float
    parameters: int
    largest: float  # norm of a state


def end_to_end(s: Sizes, w: Array, units: int, eps_2NN: float, rng: np.random.Generator) -> Whole:
    """A link that is a two-layer network and a wave of size sqrt(eps_2NN) on it; the network of 28, at its split of the
    error, on one prompt."""
    W, b, a = rng.normal(size=(units, s.d_h)), rng.normal(size=units), rng.normal(size=(1, units)) / units
    r_a, r_w = (
        math.sqrt(units) * float(np.linalg.norm(a)),
        float(np.linalg.norm(np.hstack([W, b[:, None]]))) / math.sqrt(units),
    )
    link, size = Layer(a, W, b), math.sqrt(eps_2NN)
    share = size / (math.sqrt(s.d_h) * r_a * r_w)
    f, y = transition(s, share / 4), read_out(s, share / 2, link)
    x, t = prompt(s, len(w), rng)
    z, r_h = embedded(x, w, t), math.sqrt(s.q) * s.r_x + size / (r_a * r_w)
    forward, backward = states(f, z, s.d_h, r_h)
    asked = x[t].reshape(1, -1)
    wave = size * math.sin(float(asked.sum()) * 7)
    truth = float(link(asked)[0, 0]) + wave
    error = float(np.abs(y(np.hstack([forward, backward, z]))[:, 0] - truth).max())
    norm, largest = math.sqrt(2 * f.norm**2 + y.norm**2), float(np.linalg.norm([*forward, *backward], axis=1).max())
    at = {"d": s.d, "q": s.q, "d_e": s.d_e, "m": units, "r_x": s.r_x, "r_a": r_a, "r_w": r_w, "eps_2NN": eps_2NN}
    return Whole(at, error, norm, 2 * f.parameters + y.parameters, largest)


# --- the checks ----------------------------------------------------------------------------------------------------

WHERE = "position vectors from a sign matrix and from the roots of E8, whose inner products are 1/2"


def sizes(effort: Effort) -> Iterator[tuple[Sizes, float, Array]]:
    for w in (signs(16), next_to(False)):
        for d, q, r_x, eps in ((1, 1, 1.0, 1.0), (2, 2, 2.0, 0.3), (3, 2, 1.0, 0.1))[: 2 + effort.scale]:
            yield Sizes(d, q, w.shape[1], r_x), eps, w


def transitions(effort: Effort, made: Callable[[Sizes, float], Deep]) -> Iterator[Built]:
    rng = np.random.default_rng(effort.seed)
    for s, eps, w in sizes(effort):
        f = made(s, eps)
        on, off = one_step(s, f, w, rng)
        norm = max(float(np.linalg.norm(M)) for M in (*f.W, *f.b))
        at = {"eps": eps, "d": s.d, "q": s.q, "d_e": s.d_e, "r_x": s.r_x}
        yield Built(at, {"error": on, "off": off, "norm": norm, "width": float(max(len(b) for b in f.b))})


@check("mousavi2025/26")
def lemma_26(effort: Effort) -> Iterator[Result]:
    yield from held("mousavi2025/26", transitions(effort, transition), f"depth 4, written out; {WHERE}")
    what = f"depth 3, two units for each coordinate and no rectifier; {WHERE}"
    yield from held("mousavi2025/26", transitions(effort, direct_transition), what)
    u, b = symbols("u b", real=True)
    rectified, less = Max(u - b, 0) - Max(-u - b, 0), Rational(999, 1000)
    given = (u <= b, u >= -b)
    yield conclude(
        "the rectifier is 0 on [-b, b] and moves no number by more than b (z3)",
        [polynomial(rectified**2 <= 0, *given, control=rectified**2 <= -1),
         polynomial((u - rectified) ** 2 <= b**2, b >= 0, control=(u - rectified) ** 2 <= less * b**2)], part="off",
    )  # fmt: skip


def recursions(effort: Effort) -> Iterator[Built]:
    rng = np.random.default_rng(effort.seed)
    for s, eps, w in sizes(effort):
        off, stray, norm = stored(s, eps, w, rng)
        yield Built({"eps": eps, "d": s.d, "q": s.q, "r_x": s.r_x}, {"error": off, "ahead": stray, "state": norm})


@check("mousavi2025/27")
def corollary_27(effort: Effort) -> Iterator[Result]:
    yield from held("mousavi2025/27", recursions(effort), f"run both ways; {WHERE}")
    rows = accumulated(Ns=(4, 16, 64, 256) if effort.name == "quick" else (4, 16, 64, 256, 1024, 4096))
    for row in rows:
        if row.rectified > row.eps:
            yield refuted("an error beyond eps", {"N": row.N, "eps": row.eps}, row.eps, row.rectified, part="error")
            return
    last = rows[-1]
    note = (
        f"with N = {last.N} and inner products 1/2 the error is {last.rectified / last.eps:.2f} eps, and without the "
        f"rectifier {last.plain / last.eps:.3g} eps, which grows with N"
    )
    yield Result(
        "holds",
        "constructed",
        note,
        instances=len(rows),
        tightness=max(row.rectified / row.eps for row in rows),
        part="error",
    )


def networks(effort: Effort) -> Iterator[Built]:
    rng = np.random.default_rng(effort.seed)
    for d, q, r_x, eps_2NN in ((1, 1, 1.0, 0.5), (2, 2, 1.5, 0.04), (1, 3, 1.0, 0.01)):
        for w in (signs(8), next_to(False)[:20]):
            found = end_to_end(Sizes(d, q, w.shape[1], r_x), w, 6, eps_2NN, rng)
            true = {"squared_error": found.error**2, "radius": found.largest, "norm": found.norm}
            yield Built(found.at, true | {"parameters": float(found.parameters)})


@check("mousavi2025/28")
def proposition_28(effort: Effort) -> Iterator[Result]:
    what = "the whole network, for links that are a network and a wave of size sqrt(eps_2NN) on it"
    yield from held("mousavi2025/28", networks(effort), what)
