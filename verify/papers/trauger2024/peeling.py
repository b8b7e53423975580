"""Suprema over the outer maps of one attention layer, to be set against what peeling them off says.

The layer is w^T W_c^T sigma(W_v^T z), z an average of tokens. Over |w|_1 <= 1 and outer matrices of norm 1 the supremum
of sum_i eps_i of it, for each row of signs, is exact:

- rows bounded: one entry of w, one of a row of W_c^T: sup over |v|_1 <= 1 of |sum_i eps_i sigma(v.z_i)|, whatever k is;
- columns bounded: w = e_1 and a row of signs, so that a neuron v_h has the weight 1 or -1; and sum_h |v_ht| <= 1 for
  each coordinate t.

With the identity they are max_j |u_j| and sum_j |u_j|, u = sum_i eps_i z_i. With ReLU and d = 2 the sum is linear on
each cone between the lines v.z_i = 0 and the axes, so that their rays, and the corners of the ball, decide: one neuron
in the square, or, for k >= 2, two that share both budgets, since a linear program with two rows needs no more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from maurey.numeric.types import Array

Supremum = Callable[[Array], Array]


def averages(X: Array, QK: Array) -> Array:
    """X^T softmax(X W_QK x_1) for samples X (m, T, d) and matrices QK (n, d, d): shape (n, m, d)."""
    scores = np.einsum("mtd,nde,me->nmt", X, QK, X[:, 0])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("nmt,mtd->nmd", weights / weights.sum(-1, keepdims=True), X)


def outer(z: Array, by_rows: bool, sigma: str, k: int) -> Supremum:
    """For averages z (n, m, d), the largest over all n."""
    one = {"identity": _identity, "relu": _relu}[sigma]
    return lambda eps: np.max([one(eps, own, by_rows, k) for own in z], axis=0)


def _identity(eps: Array, z: Array, by_rows: bool, k: int) -> Array:
    u = np.abs(eps @ z)
    return u.max(axis=1) if by_rows else u.sum(axis=1)


def _relu(eps: Array, z: Array, by_rows: bool, k: int) -> Array:
    v = directions(z)
    if by_rows:
        return np.abs(values(eps, z, v / np.abs(v).sum(axis=1, keepdims=True))).max(axis=1)
    alone = np.vstack([v / np.abs(v).max(axis=1, keepdims=True), CORNERS])
    best = np.abs(values(eps, z, alone)).max(axis=1)
    if k == 1:
        return best
    gains = np.abs(values(eps, z, v))
    first, second = np.triu_indices(len(v), 1)
    costs = np.abs(v)
    determinant = costs[first, 0] * costs[second, 1] - costs[first, 1] * costs[second, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        a = (costs[second, 1] - costs[second, 0]) / determinant
        b = (costs[first, 0] - costs[first, 1]) / determinant
        both = (np.abs(determinant) > SMALL) & (a >= 0) & (b >= 0)  # budgets used up, nothing negative
    a, b, first, second = a[both], b[both], first[both], second[both]
    return np.maximum(best, (gains[:, first] * a + gains[:, second] * b).max(axis=1, initial=0.0))


CORNERS = np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)])
AXES = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
SMALL = 1e-12


def directions(z: Array) -> Array:
    """The rays at which a sum of ReLUs in the plane bends, and the axes."""
    if z.shape[1] != 2:
        raise ValueError("suprema with ReLU are exact in the plane only")
    across = z[np.abs(z).sum(axis=1) > SMALL] @ np.array([(0.0, 1.0), (-1.0, 0.0)])
    return np.vstack([across, -across, AXES])


def values(eps: Array, z: Array, v: Array) -> Array:
    """sum_i eps_i relu(v.z_i) for every row of signs and every v."""
    found: Array = eps @ np.maximum(z @ v.T, 0)
    return found


def signed(z: Array) -> Supremum:
    """Rows bounded, ReLU, without the outer sign: sup over |v|_1 <= 1 of sum_i eps_i relu(v.z_i)."""

    def supremum(eps: Array) -> Array:
        found = []
        for own in z:
            v = directions(own)
            found.append(values(eps, own, v / np.abs(v).sum(axis=1, keepdims=True)).max(axis=1, initial=0.0))
        return np.max(found, axis=0)

    return supremum


# --- classes of query-key matrices -------------------------------------------------------------------------------

NORMS: dict[str, Callable[[Array], Array]] = {  # of a stack of matrices
    "_11": lambda W: np.abs(W).sum(axis=(1, 2)),
    "_1inf": lambda W: np.abs(W).sum(axis=1).max(axis=1),
    "_21": lambda W: np.linalg.norm(W, axis=1).sum(axis=1),
}


def query_keys(number: int, d: int, norm: str, bound: float, rng: np.random.Generator) -> Array:
    """Zero and so many others on the sphere of the norm, dense and with a single entry."""
    W = rng.normal(size=(number, d, d))
    W[::2] *= np.arange(d * d).reshape(d, d) == rng.integers(d * d, size=(len(W[::2]), 1, 1))
    W *= (bound / NORMS[norm](W))[:, None, None]
    return np.concatenate([np.zeros((1, d, d)), W])
