"""Norms, gradients and traces of the constructed network by exact formulas, without automatic differentiation.

At the ideal network all follows from the counts k_t. Positions of equal count have equal hidden vectors r(k), so that
sums over pairs of components are quadratic forms in the D + 1 numbers h_k = sum of c_t over k_t = k. Let p = f/C, let
q be the MLP's value at the last position, delta_t = c_t (p_t - p) the slope of f in the score of t, and w_t the scores.
Squared gradients:

  v_2    sum (c_t/C)^2 + p^2                        W_2  (sum delta_t^2 + C^2 p^2 (1-p)^2) (1 + q^2)
  Gamma  32 D^2 sum_i (sum of c_t over k_t >= i)^2  M    32 sum_i (sum of c_t k_t over k_t >= i)^2
  F      sum_{t,t'} (c_t c_t' + |w|^2 delta_t delta_t') <r(k_t), r(k_t')> + (delta . w)^2 |r_{T+1}|^2
  W_1, W_V  0: trapezoids are flat where the counts are, and what the last position's data channel holds is not read.

The second derivative of f in the scores is diag(delta) - delta s' - s delta' with s = c/C; in M, in Gamma and in F's
data column the network is linear near by, so that W_2 and the other columns of F alone add to the trace.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maurey.numeric.types import Array
from maurey.verify.training.tasks.walsh import Target, all_strings, counts

AT_ONCE = 1 << 15  # strings
BENDS = np.array([-2, -1, 1, 2]) / 4  # of a trapezoid, in units of 1/D


class Blocks(NamedTuple):
    """A number for every block of parameters and every string; F in two parts: the column of the data channel, and
    those of the positions, where the parameters are 0."""

    W_1: Array
    W_V: Array
    M: Array
    Gamma: Array
    F_data: Array
    F_positions: Array
    W_2: Array
    v_2: Array

    @property
    def total(self) -> Array:
        return np.sum(self, axis=0)


def offsets(D: int) -> Array:
    """Gamma: four units for each of 0, 1/D, ..., 1."""
    return ((BENDS - np.arange(D + 1)[:, None]) / D).reshape(-1)


def hidden(D: int, x: Array) -> Array:
    """The hidden vectors at shares x of ones: (n,) -> (n, 4 (D + 1))."""
    return np.maximum(x[:, None] + offsets(D), 0)


def wave(D: int, x: Array) -> Array:
    """What the MLP makes of a share: trapezoids of height 1 around 0, 2/D, 4/D, ..."""
    away = np.abs(D * x[:, None] - np.arange(0, D + 1, 2))
    return np.clip(2 - 4 * away, 0, 1).sum(axis=1)


def scores(target: Target) -> Array:
    """w_t, the entries of W_2."""
    return np.log(target.c) + 2 * math.log(target.T)


def norms(target: Target) -> Blocks:
    """Squared Frobenius norms."""
    D, omega = target.D, target.omega
    W_1 = 4 * omega * D * math.log(target.T) ** 2
    Gamma = 2 * (D + 1) * (2 * D + 1) / (3 * D) + 5 * (D + 1) / (8 * D**2)
    W_2 = (scores(target) ** 2).sum()
    return Blocks(*np.array([W_1, 1, 4 * (D + 1), Gamma, 64 * D**2 * (D // 2 + 1), 0, W_2, target.C**2]))


class Sums(NamedTuple):
    """What is read from n strings."""

    h: Array  # (n, D + 1)
    even: Array  # (D + 1,): 1, 0, 1, ...
    gram: Array  # (D + 1, D + 1): <r(k), r(l)>
    p: Array  # (n,)
    q: Array  # (n,)
    last: Array  # (n,): |r_{T+1}|^2
    squares: Array  # (n,): sum of c_t^2 p_t
    parity: Array  # (n, omega): p_t


def sums(target: Target, z: NDArray) -> Sums:
    T, D, c = target.T, target.D, target.c
    k = counts(target, z)
    parity = (1 - k % 2).astype(np.float64)
    h = np.stack([(k == i) @ c for i in range(D + 1)], axis=1)
    even = (1 - np.arange(D + 1) % 2).astype(np.float64)
    units = hidden(D, np.arange(D + 1) / D)
    ones = np.asarray(z).sum(axis=1, dtype=np.int64)
    share = np.arange(T + 1) / (T + 1)  # the last position sees all T + 1 bits alike
    last = (hidden(D, share) ** 2).sum(axis=1)
    return Sums(
        h=h,
        even=even,
        gram=units @ units.T,
        p=h @ even / target.C,
        q=wave(D, share)[ones],
        last=last[ones],
        squares=parity @ c**2,
        parity=parity,
    )


def gradients(target: Target, z: NDArray) -> Blocks:
    """Squared norms of the gradient of f at strings (n, T), block by block, at the ideal network."""
    return Blocks(*np.concatenate([_gradients(target, some) for some in parts(z)], axis=1))


def _gradients(target: Target, z: NDArray) -> Blocks:
    c, C, D, w = target.c, target.C, target.D, scores(target)
    h, even, gram, p, q, last, squares, parity = sums(target, z)
    delta = h * (even - p[:, None])  # by count
    moved = squares * (1 - 2 * p) + p**2 + (C * p * (1 - p)) ** 2  # |G' delta|^2, and |c| = 1
    weighted = parity @ (c * w) - p * (c @ w)
    above, times = (np.cumsum(a[:, ::-1], axis=1) for a in (h, h * np.arange(D + 1)))
    return Blocks(
        W_1=np.zeros(len(z)),
        W_V=np.zeros(len(z)),
        M=32 * (times**2).sum(axis=1),
        Gamma=32 * D**2 * (above**2).sum(axis=1),
        F_data=_form(h, gram, h),
        F_positions=(w @ w) * _form(delta, gram, delta) + weighted**2 * last,
        W_2=moved * (1 + q**2),
        v_2=1 / C**2 + p**2,
    )


def _form(a: Array, gram: Array, b: Array) -> Array:
    return np.einsum("nk,nk->n", a @ gram, b)


def hessian_trace(target: Target, z: NDArray) -> Array:
    """Of the squared loss at each string: 2 |grad f|^2, since the ideal network makes no error."""
    return 2 * gradients(target, z).total


def network_trace(target: Target, z: NDArray) -> Array:
    """Of the second derivative of f itself, which the trace of the loss contains as often as the network errs."""
    return np.concatenate([_network_trace(target, some) for some in parts(z)])


def _network_trace(target: Target, z: NDArray) -> Array:
    c, C, w = target.c, target.C, scores(target)
    h, even, gram, p, q, last, squares, parity = sums(target, z)
    delta = h * (even - p[:, None])
    diagonal = -2 * (squares - p) / C + C * p * (1 - p) * (1 - 2 * p)  # in W_2: of the positions, and of the data
    pairs = delta @ np.diag(gram) - 2 * _form(delta, gram, h) / C
    along = parity @ (c * w**2) - p * (c @ w**2) - 2 * (parity @ (c * w) - p * (c @ w)) * (c @ w) / C
    return diagonal * (1 + q**2) + (w @ w) * pairs + along * last


def mean(target: Target) -> Blocks:
    """Squared gradients averaged over all 2^T strings, for as many bits as are enumerated."""
    return Blocks(*(block.mean() for block in gradients(target, all_strings(target.T))))


def mean_of_pairs(target: Target) -> dict[str, float]:
    """The same for the blocks M, Gamma, F_data and v_2, for any number of bits: two counts are a + i and b + i with a,
    b and i binomial, i the ones that are common; parities of different components are independent."""
    c, C, D = target.c, target.C, target.D
    common = (target.members().T @ target.members()).astype(int)
    k = np.arange(D + 1)
    least = np.minimum(k[:, None], k) + 1.0
    units = hidden(D, k / D)
    forms = {"M": 32 * np.outer(k, k) * least, "Gamma": 32 * D**2 * least, "F_data": units @ units.T}
    joint = {i: _joint(D, i) for i in np.unique(common).tolist()}
    found = {
        name: sum(float((c[:, None] * c)[common == i].sum() * (table * form).sum()) for i, table in joint.items())
        for name, form in forms.items()
    }
    return found | {"v_2": 1 / C**2 + (1 + 1 / C**2) / 4}  # E p^2 = (C^2 + 1)/(4 C^2)


def _joint(D: int, i: int) -> Array:
    """The law of two counts of D bits each, i of them the same."""
    table = np.zeros((D + 1, D + 1))
    for both in range(i + 1):
        own = np.array([math.comb(D - i, a) for a in range(D - i + 1)], dtype=float)
        size = len(own)
        table[both : both + size, both : both + size] += math.comb(i, both) * np.outer(own, own)
    return table / 2.0 ** (2 * D - i)


def parts(z: NDArray) -> list[NDArray]:
    return [z[start : start + AT_ONCE] for start in range(0, len(z), AT_ONCE)]
