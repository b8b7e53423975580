"""Finite classes whose complexities are computed: sign vectors and unions of them, losses of words; and read-outs that
are moved. What they are held against stands in chain.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from maurey.numeric.balls import enclose
from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.modules import Linear
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.trauger2024 import section_5
from maurey.symbolic.papers.trauger2024.section_4 import BY_ENTRIES, deep
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.complexity.rademacher import Array

from .layers import At, shown


class Instance(NamedTuple):
    """The claim's symbols, what is true there and a lower bound on it, and what to show if that is too much."""

    at: At
    true: float
    lower: float
    witness: At


# --- sign vectors, unions, heads, corners of balls -------------------------------------------------------------------


def sign_vectors(part: str, effort: Effort) -> Iterator[Instance]:
    """Zero and functions with values A or -A, n in all: one centre from A on, all of them below. So the entropy is at
    most log(n), log(n) A^2/eps^2 and log(n) A/eps."""
    rng = np.random.default_rng(effort.seed)
    for m, size, A in ((1, 2, 1.0), (4, 16, 3.0), (12, 3, 0.1), (12, 4096, 1.0), (400, 50 * effort.scale, 2.0)):
        everything = size == 2**m
        values = rademacher.signs(m, 0, rng)[0] if everything else rng.choice((-1.0, 1.0), size=(size, m))
        found = rademacher.finite(A * np.vstack([np.zeros(m), values]), 2000 * effort.scale, rng)
        h = math.log(size + 1)
        entropies: list[dict[str, float]] = [{"K_F": A * h}]
        if part != "linear":
            entropies = [{"C_F": A**2 * h * q, "p_0": h * (1 - q)} for q in (1e-6, 0.5, 1.0)]
        for entropy in entropies:
            at = {"A": A, "m": m, **entropy}
            yield Instance(at, found.value, found.lower, {"functions": size, **shown(at)})


def families(effort: Effort) -> Iterator[Instance]:
    """n classes of one or a few functions with values A or -A, or between."""
    rng = np.random.default_rng(effort.seed)
    for (m, n), each in product(((1, 2), (4, 16), (8, 40), (12, 60), (300, 500)), (1, 3)):
        values = rng.uniform(-1, 1, size=(n, each, m)) if each > 1 else rng.choice((-1.0, 1.0), size=(n, 1, m))
        if n == 2**m:
            values[:, 0] = rademacher.signs(m, 0, rng)[0]
        draws = 2000 * effort.scale
        whole = rademacher.finite(values.reshape(-1, m), draws, rng)
        # of one function the complexity is 0; where signs are drawn, classes of several have no exact one
        if each > 1 and m > rademacher.ALL_SIGNS:
            continue
        R = max(rademacher.finite(one, draws, rng).value for one in values) if each > 1 else 0.0
        at = {"n": n, "A": float(np.abs(values).max()), "m": m, "R_F": max(R, 0.0)}
        yield Instance(at, whole.value, whole.lower, shown(at))


def all_sums(heads: list[Array]) -> Array:
    """One function of each head, added up: every choice."""
    return np.array([sum(choice) for choice in product(*heads)])


@check("maurey/peeling")
def at_the_vertices(effort: Effort) -> Result:
    """In integers: the largest v.u over the vertices of the ball, and over other points of it, against the form."""
    claim, rng, count = registry.find("maurey/peeling"), np.random.default_rng(effort.seed), 0
    for d, B in product((1, 2, 5, 30), (1, 7)):
        u = rng.integers(-(10**6), 10**6, size=d)
        shares = rng.multinomial(B, np.ones(d) / d, size=50) * rng.choice((-1, 1), size=(50, d))
        largest = max(int(x) for s in (B, -B) for x in s * u)
        said = enclose(claim, "printed", "duality", B_w_1=B, Delta=int(np.abs(u).max()))
        if not said.lower <= largest <= said.upper or int((shares @ u).max()) > largest:
            where = {"u": [int(x) for x in u], "B_w_1": B}
            return refuted("another point of the ball", where, said.value, largest, part="duality")
        count += 1
    return Result("holds", "tested", "vertices and other points of the ball, in integers", count, 1.0, part="duality")


# --- words -----------------------------------------------------------------------------------------------------------


def moved_loss(scores: Array, steps: Array) -> Array:
    """How far the cross-entropy of word 0 moves, for rows of scores."""

    def loss(x: Array) -> Array:
        top = x.max(axis=1)
        found: Array = np.log(np.exp(x - top[:, None]).sum(axis=1)) + top - x[:, 0]
        return found

    return np.abs(loss(scores + steps) - loss(scores))


def losses(scores: Array, words: Any) -> Array:
    """Cross-entropies of scores (functions, m, K) with one word for each sample."""
    top = scores.max(axis=2)
    picked = scores[:, np.arange(len(words)), words]
    found: Array = np.log(np.exp(scores - top[..., None]).sum(axis=2)) + top - picked
    return found


def on_the_sample(K: int) -> tuple[arb, Fraction]:
    """The layer of 4.1 with rows bounded by 1, d = K, m = 2K, samples of a masked token 0 and a token e_s, each twice,
    with the word s: the average is e_s/2. Read-outs W_s = e_s or -e_s, apart for each s, give the losses of word s two
    values, so that they have at least a quarter of the distance of these; one score has at most 1/m."""
    half = arb(1) / 2
    distance = (((-half).exp() + K - 1) / (half.exp() + K - 1)).log() + 1
    return distance / 4, Fraction(1, 2 * K)


WORDS = Matrix("w", "w", section_5.K, section_5.d, rows=section_5.B_w, entries=section_5.B_11)


def tiny_networks(K: int, m: int, at: dict[str, Any], effort: Effort) -> Array:
    """The losses (functions, m) of so many networks of the class, drawn at random."""
    from maurey.verify.papers.edelman2022.lipschitz import tools

    f, rng, T = tools(), np.random.default_rng(effort.seed), 3
    d = at["d"]
    module = deep(Setting({"L": 1}), BY_ENTRIES, "_11", section_5.B_11, last=Linear(WORDS, largest=True))
    X = rng.normal(size=(m, T, d))
    X *= at["B_X"] / np.linalg.norm(X, axis=2, keepdims=True)
    words, found = rng.integers(K, size=m), []
    for _ in range(64 * effort.scale):
        weights = {}
        for name in f.matrices(module):
            W = rng.normal(size=(K if name == "w" else d, d))
            largest = np.linalg.norm(W, axis=1).max() if name == "w" else np.linalg.norm(W, 2)
            own = at["B_w"] if name == "w" else at["B_" + name.partition("_")[0]]
            weights[name] = f.torch.tensor(W * min(own / largest, at["B_W_11"] / np.abs(W).sum()))
        scores = f.forward(module, weights, f.torch.tensor(X), {"L_sigma": 1.0}, "relu")
        found.append(losses(scores.numpy().reshape(1, m, K), words)[0])
    return np.array(found)


NETWORKS = {"L": 1, "L_sigma": 1, "B_C": 1, "B_V": 1, "B_QK": 2, "B_X": 1}


def vocabularies(effort: Effort) -> Iterator[tuple[str, Array, dict[str, Any]]]:
    """What the functions are, their losses, the claim's symbols: networks, and two opposite read-outs."""
    for K, m in product((10, 1000), (1, 10)):
        at = NETWORKS | {"d": 2, "k": 2, "K": K, "m": m, "B_w": 5, "B_W_11": 50}
        yield f"networks, K = {K}, m = {m}", tiny_networks(K, m, at, effort), at
        # one input 1, weights 1: the score of the word is B_w and all others -B_w, or the reverse
        two = np.ones((1, 1, K)) * np.array([[[1.0]], [[-1.0]]])
        two[:, :, 1:] *= -1
        at = NETWORKS | {"d": 1, "k": 1, "K": K, "m": 1, "B_w": 1, "B_W_11": K}
        yield f"two read-outs, K = {K}", losses(two, np.array([0])), at


def moved_read_outs(effort: Effort) -> Iterator[Instance]:
    """Scores of up to 1000 words, rows and input moved."""
    rng = np.random.default_rng(effort.seed)
    for K, d, aligned in product((1, 10, 1000), (1, 3, 20), (False, True)):
        W, moved, g, step = (rng.normal(size=shape) for shape in ((K, d), (K, d), d, d))
        if aligned:  # one row points where its input moves, and the rows move along the perturbed input
            W[0] = 9 * step
            moved = W - np.outer(rng.random(K), g - step)
        at = {
            "B_w": float(np.linalg.norm(W, axis=1).max()),
            "Delta_g": float(np.linalg.norm(step)),
            "Delta_w": float(np.abs((W - moved) @ (g - step)).max()),
        }
        true = float(np.abs(W @ g - moved @ (g - step)).max())
        yield Instance(at, true, true, shown(at))
