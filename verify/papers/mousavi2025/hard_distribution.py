"""How few heads are enough on the hard law of 4 and 21: layers that are run, and predictors that read their outputs.

Tokens 1, ..., q are standard normal, all others zero, and the query stands at a zero token whose relevant tokens are
1, ..., q. What a head hands on is sum_j a_j z_j: the mixed token sum_j a_j x_j, and, as the embedding holds position
vectors, sum_j a_j w_j, from which the weights a themselves can be read where the vectors are independent. Where scores
may look at tokens, a_j is proportional to exp(c_j + <v, x_j>), so that reading the weights is reading <v, x_j> for
every j: q numbers beside the d of the mixed token. The best predictor adds the mean of what is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.verify.checks import Effort

from .positions import dimension, roots

HALF = 0.5  # of all positions, as N grows, are of the hard kind
SCALE, SPREAD = 0.5, 1.0  # of the directions v, and of the scores that do not look at tokens
DRAWS = 4000


class Law(NamedTuple):
    d: int  # of a token
    H: int  # heads
    q: int  # relevant tokens
    restricted: bool  # key-query matrices that do not mix tokens and encodings

    @property
    def N(self) -> int:
        """The least length with q tokens before N/2."""
        return 2 * self.q + 2

    def floor(self, form: str) -> float:
        """Of 21 where the matrices are restricted (tokens of more dimensions are so many copies), else of 4."""
        if self.restricted:
            form, at = {"sharp": "derived"}.get(form, form), {"N": self.N, "q": self.q, "H": self.H}
            return float(value("mousavi2025/21", form, "risk", at))
        return float(value("mousavi2025/4", form, "risk", {"N": self.N, "q": self.q, "H": self.H, "d": self.d}))


class Layer(NamedTuple):
    """Position vectors (N, d_e), and for each head a key-query matrix (D_e, D_e)."""

    w: Array
    W: list[Array]


def embedded(law: Law, w: Array, x: Array) -> Array:
    """z (draws, N, D_e): every token with its encoding; positions that are not hard point at the last token."""
    t = np.full((law.N, law.q), law.N - 1)
    t[law.N // 2 - 1 :] = np.arange(law.q)
    enc = np.sqrt(law.d / law.q) * np.concatenate([w, w[t].reshape(law.N, -1)], axis=1)
    tokens = np.zeros((len(x), law.N, law.d))
    tokens[:, : law.q] = x
    return np.concatenate([tokens, np.broadcast_to(enc, (len(x), *enc.shape))], axis=2)


def layer(law: Law, rng: np.random.Generator) -> Layer:
    """The query's w_{t_1} = w_1 is what scores are made with: <v, x_j> + <c, w_j>."""
    d_e = dimension(law.N)
    w = np.array(roots(d_e)[: law.N]) / np.sqrt(2)
    size, matrices = np.sqrt(law.d / law.q), []
    for h in range(law.H):
        W = np.zeros((law.d + (law.q + 1) * d_e,) * 2)
        rows = slice(law.d + d_e, law.d + 2 * d_e)
        W[rows, law.d : law.d + d_e] = np.outer(w[0], SPREAD * rng.normal(size=d_e)) / size**2
        if not law.restricted:
            v = SCALE * np.eye(law.d)[h] if h < law.d else np.zeros(law.d)
            W[rows, : law.d] = np.outer(w[0], v) / size
        matrices.append(W)
    return Layer(w, matrices)


def outputs(made: Layer, z: Array) -> Array:
    """What the heads hand on at the last position, which is hard: (draws, H, D_e)."""
    found = []
    for W in made.W:
        a = np.exp(z @ (W.T @ z[0, -1]))  # the query is a zero token, and the same in all draws
        found.append((a[:, None] @ z)[:, 0] / a.sum(axis=1, keepdims=True))
    return np.stack(found, axis=1)


def predicted(law: Law, made: Layer, seen: Array) -> Array:
    """The mean of |x|^2 given what the heads hand on, and from nothing else."""
    d, H, q = law.d, law.H, law.q
    d_e, size = made.w.shape[1], np.sqrt(d / q)
    mixed, encoded = seen[:, :, :d], seen[:, :, d : d + d_e] / size
    a, scores = np.zeros((len(seen), H, q)), np.zeros((len(seen), H, q))
    for h, W in enumerate(made.W):
        c = size**2 * made.w @ (W[d + d_e : d + 2 * d_e, d : d + d_e].T @ made.w[0])
        base = np.exp(c[q:])  # zero tokens have weights that are known but for a factor
        basis = np.column_stack([made.w[:q].T, base @ made.w[q:]])
        basis = np.vstack([basis, np.append(np.ones(q), base.sum())])  # weights sum to 1
        if np.linalg.matrix_rank(basis) <= q:
            raise ValueError(f"weights of {q} tokens cannot be read in {d_e} dimensions")
        right = np.column_stack([encoded[:, h], np.ones(len(seen))])
        weights = np.linalg.lstsq(basis, right.T, rcond=None)[0].T
        a[:, h] = weights[:, :q]
        scores[:, h] = np.log(weights[:, :q] / weights[:, q:]) - c[:q]
    v = np.array([size * W[d + d_e : d + 2 * d_e, :d].T @ made.w[0] for W in made.W])
    along = np.linalg.pinv(v) @ scores if np.any(v) else np.zeros((len(seen), d, q))
    along = along.swapaxes(1, 2)  # (draws, q, d): tokens in the span of the v
    rest = mixed - a @ along  # the heads' mixtures of what is orthogonal to it
    a, rest = a[:, :q], rest[:, :q]  # more heads than that are not needed
    shown = (rest * np.linalg.solve(a @ a.swapaxes(1, 2), rest)).sum(axis=(1, 2))
    left = (q - min(H, q)) * (d - np.linalg.matrix_rank(v))
    return (along**2).sum(axis=(1, 2)) + shown + left


def risk(law: Law, effort: Effort, draws: int = DRAWS) -> tuple[float, float]:
    """Of the predictor at such positions, over all positions as N grows, with its standard error; labels are
    (|x_1|^2 + ... + |x_q|^2 - q d) / sqrt(q d)."""
    rng = np.random.default_rng(effort.seed)
    made, parts = layer(law, rng), []
    for _ in range(effort.scale):  # one after another, for memory
        x = rng.normal(size=(draws, law.q, law.d))
        found = predicted(law, made, outputs(made, embedded(law, made.w, x)))
        parts.append(HALF * ((x**2).sum(axis=(1, 2)) - found) ** 2 / (law.q * law.d))
    squares = np.concatenate(parts)
    return float(squares.mean()), float(squares.std() / np.sqrt(len(squares)))


class Row(NamedTuple):
    law: Law
    best: float  # the risk of the predictor, with its standard error
    error: float
    printed: float
    sharp: float


SIZES = (
    (1, 1, 2), (1, 2, 4), (1, 3, 4), (1, 1, 8), (2, 1, 2), (2, 1, 4), (2, 2, 4), (4, 1, 4), (4, 2, 4), (4, 4, 8),
    (8, 2, 4),
)  # fmt: skip


def table(effort: Effort, sizes: tuple[tuple[int, int, int], ...] = SIZES) -> list[Row]:
    """(d, H, q) with and without the restriction: the least risk found beside both floors."""
    rows = []
    for d, H, q in sizes:
        for restricted in (True, False):
            law = Law(d, H, q, restricted)
            rows.append(Row(law, *risk(law, effort), law.floor("printed"), law.floor("sharp")))
    return rows


def heads_needed(d: int, q: int, restricted: bool, risk: float) -> int:
    """The least number of heads whose floor is at most the risk: it is attained."""
    return next(H for H in range(1, q + 1) if Law(d, H, q, restricted).floor("sharp") <= risk)
