"""Norms that a ReLU read-out of recurrent states needs (maurey/readout), and with them Theorem 7 of Mousavi-Hosseini et
al. 2025 by a route that stands. Its own proof takes the norm from Proposition 6, which fails for read-outs that are
only Lipschitz. Its read-outs are ReLU networks whose Frobenius norms are what the minimum is over, and for these the
norm is needed, whatever the width, the transition and the embedding of positions are:

    |U|_F prod_l |W_l|_F >= sqrt((N - 1)/2) (1 - sqrt(c N/(N - 1))) / sqrt(2^(L_y - 1))

if the risk at one position is at most c. Proof. Fix the token there. With g_k the value of token k and F_k(h) the
output for t = k, sum_k E g_k F_k(h) is at least N - 1 - sqrt(N (N - 1) c) (Cauchy-Schwarz), and at most the mean of
sup_h sum_k g_k (F_k(h) - F_k(0)) over |h| <= sqrt 2, as g has mean 0. Let x_k(h) be the change of a layer's output and
S^2 = E sup_h |sum_k g_k x_k(h)|^2; at the input S^2 = 2 (N - 1). The next layer changes by s_k(w.x_k(h)) in the unit of
row w, where s_k is 1-Lipschitz and s_k(0) = 0, shifted by whatever enters there. Let Z be the supremum over h of
sum_k g_k s_k(w.x_k(h)), which is not negative, for h = 0 is among the states, and Z' that of its negative. Contraction
(Ledoux and Talagrand, 4.20) for the convex increasing function x_+^2, with signs before the maps |g_k| s_k(./|g_k|),
bounds E Z^2 by the mean square of sup_h sum_k g_k w.x_k(h), at most |w|^2 S^2; and E Z'^2 = E Z^2, as -g is distributed
like g. The square of the supremum of the modulus is at most Z^2 + Z'^2. Summed over units: S_next^2 <= 2 |W|_F^2 S^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from sympy import Expr, Integer, Symbol, sqrt

from maurey.numeric.types import Array
from maurey.verify.checks import Effort
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof

LARGEST_STATE = math.sqrt(2)  # of both directions together, r_h = 1


def growth_squared(layers: int | Expr) -> Expr:
    """What L_y layers, of which L_y - 1 are followed by an activation, make of S^2/(2 (N - 1) prod |W|_F^2)."""
    return Integer(2) ** (layers - 1)


def least_product(N: Expr, layers: int, level: Expr) -> Expr:
    return sqrt((N - 1) / 2) * (1 - sqrt(level * N / (N - 1))) / sqrt(growth_squared(layers))


def steps_of_the_proof() -> list[Proof]:
    """The recursion a -> 2 a from a = 1, in units of 2 (N - 1) prod |W|_F^2; the squares of both signs; and the
    inequality of means for a product of layers' norms."""
    squares, other, S, w = (Symbol(n, positive=True) for n in ("squares", "other", "S", "w"))
    grown = [growth_squared(layers) for layers in range(1, 8)]
    given = (squares <= w**2 * S**2, other <= w**2 * S**2)
    bound = 2 * w**2 * S**2
    u, v = (Symbol(n, positive=True) for n in ("u", "v"))
    return [
        same(grown[0], 1),
        *(same(2 * before, after) for before, after in pairwise(grown)),
        polynomial(squares + other <= bound, *given, control=squares + other <= bound * Integer(999) / 1000),
        polynomial(u**2 + v**2 >= 2 * u * v, control=u**2 + v**2 >= Integer(2001) / 1000 * u * v),
    ]


# --- the supremum over states, for networks with few coordinates -----------------------------------------------------


def outputs(weights: list[Array], shifts: list[Array], h: Array) -> Array:
    """sum over layers, for states in rows: shape (states, N - 1). shifts[l] has one row for each token asked for."""
    x = h[:, None, :]  # (states, 1, d)
    for W, shift in zip(weights, shifts, strict=False):
        x = np.maximum(x @ W.T + shift[None], 0)
    return np.asarray((x @ weights[-1].T)[..., 0])


def balls(d: int, count: int, rng: np.random.Generator) -> Array:
    """Zero, the ends of all axes, and points of the sphere; on a line a grid."""
    if d == 1:
        return np.linspace(-LARGEST_STATE, LARGEST_STATE, count | 1)[:, None]
    drawn = rng.normal(size=(count, d))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return LARGEST_STATE * np.vstack([np.zeros((1, d)), np.eye(d), -np.eye(d), drawn])


def attacked(effort: Effort) -> Iterator[tuple[str, float]]:
    """The mean of sup_h sum_k g_k (F_k(h) - F_k(0)), from below, over what it may be at most."""
    rng = np.random.default_rng(effort.seed)
    for layers, d, k, scale in ((2, 1, 50, 0.0), (2, 1, 50, 1.0), (2, 2, 50, 0.3), (3, 1, 40, 1.0), (3, 3, 40, 0.0),
                                (4, 2, 30, 0.5), (2, 20, 20, 0.2)):  # fmt: skip
        sizes = [d, *[8] * (layers - 1), 1]
        weights = [rng.normal(size=(b, a)) for a, b in pairwise(sizes)]
        if scale == 0.0:  # all units alike and none of them shifted: linear where it matters
            weights = [np.abs(W) for W in weights]
        shifts = [scale * rng.normal(size=(k, size)) for size in sizes[1:-1]]
        h = balls(d, 400, rng)
        values = outputs(weights, shifts, h)
        values = values - outputs(weights, shifts, np.zeros((1, d)))
        g = rng.normal(size=(400 * effort.scale, k))
        mean = float((g @ values.T).max(axis=1).mean())
        most = math.sqrt(2 * k * float(growth_squared(layers))) * math.prod(float(np.linalg.norm(W)) for W in weights)
        yield f"{layers} layers, states of dimension {d}", mean / most
