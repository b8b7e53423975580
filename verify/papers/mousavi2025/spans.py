"""Theorem 9: a network whose first layer lies in the span of n prompts sees n of Nd coordinates.

The best predictor from what it sees, exactly, in rationals; and networks that are trained with weight decay until the
gradient vanishes, whose rows then lie in that span.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat
from sympy import Min, symbols

from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import more, positive
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

from .heads import independent, projection

KEY = "mousavi2025/9"
LARGEST = 9  # of the entries of prompts
DECAY, RATE, STATIONARY = 0.01, 0.3, 1e-10
DESCENT, NEWTON, NEAR, FLAT = 3000, 30, 1e-5, 1e-7
TRIES = 5
SPAN = 1e-8  # by which rows may be off the span, relative

# --- the floor -------------------------------------------------------------------------------------------------------


def unseen(X: fmpq_mat, N: int, d: int) -> fmpq:
    """1 - |V P_t u|^2 averaged over positions t and over an orthonormal basis of u, which is its mean over the sphere:
    V an orthonormal basis of the span of the rows of X, V^T V the projection on it."""
    V = projection(independent(X))
    left = fmpq(0)
    for t in range(N):
        for k in range(d):  # P_t e_k is the coordinate t d + k
            left += 1 - V[t * d + k, t * d + k]
    return left / (N * d)


def floors(effort: Effort) -> tuple[int, str]:
    """Over prompts with integer entries, in general position or not: 1 - rank/(Nd), and never below the claim."""
    rng, count = np.random.default_rng(effort.seed), 0
    for N, d in ((1, 1), (2, 1), (2, 2), (3, 2), (2, 4)):
        for n in range(1, N * d + 3):
            for repeated in (False, True)[: 1 + (n > 1)]:
                X = rng.integers(-LARGEST, LARGEST + 1, size=(n, N * d))
                X[0] = 1 + np.arange(N * d)  # not zero
                X[-1] = X[0] if repeated else X[-1]
                rows = fmpq_mat(X.tolist())
                left, rank = unseen(rows, N, d), rows.rank()
                count += 1
                if left != 1 - fmpq(rank, N * d) or rank > min(n, N * d):
                    return count, f"N = {N}, d = {d}, n = {n}: {left}"
    return count, ""


@check(KEY)
def best_predictor(effort: Effort) -> Iterator[Result]:
    n, N, d, rank = symbols("n N d rank", integer=True, positive=True)
    whole = {positive(c.name): c for c in (n, N, d)}
    left = 1 - rank / (N * d)
    count, odd = floors(effort)
    for form in ("printed", "derived"):
        floor = formula(KEY, form, "risk").subs(whole)
        given = rank <= Min(n, N * d)
        yield conclude(
            "The mean over positions and directions of what the span does not show of <u, x_t> is 1 - rank/(Nd), the "
            "trace of a projection (rationals, up to more prompts than coordinates), and the rank is at most n (z3); "
            "the span does not depend on u, so that some u does no better than the mean.",
            [Proof(not odd, odd), polynomial(left >= floor, given, control=left >= floor + (1 - 1 / more) / (N * d))],
            part="risk", form=form, instances=count, tightness=1.0,
        )  # fmt: skip


# --- trained ---------------------------------------------------------------------------------------------------------


class Net(NamedTuple):
    """x -> <a_t, s(Wx)> with s the identity or a leaky ReLU; all of it decays."""

    W: Array  # (k, Nd)
    a: Array  # (N, k)


def slope(h: Array, leak: float) -> Array:
    return np.where(h > 0, 1.0, leak)


def gradients(net: Net, X: Array, t: Array, y: Array, leak: float) -> Net:
    """Of half the mean square error and the decay."""
    h = X @ net.W.T
    s = slope(h, leak)
    error = ((net.a[t] * s * h).sum(axis=1) - y) / len(X)
    W = (error[:, None] * net.a[t] * s).T @ X
    a = np.zeros_like(net.a)
    np.add.at(a, t, error[:, None] * s * h)
    return Net(W + DECAY * net.W, a + DECAY * net.a)


def train(X: Array, t: Array, y: Array, N: int, width: int, leak: float, rng: np.random.Generator) -> Net | None:
    """Gradient descent, then Newton's steps to a stationary point; none if it is not reached."""
    shape = (width, X.shape[1])
    size = width * X.shape[1]

    def slopes(v: Array) -> Array:
        net = Net(v[:size].reshape(shape), v[size:].reshape(N, width))
        return np.concatenate([part.ravel() for part in gradients(net, X, t, y, leak)])

    v = rng.normal(size=size + N * width) / 2
    rate = RATE / max(1.0, float(np.linalg.norm(X, 2)) ** 2 / len(X))
    for step in range(DESCENT + NEWTON):
        g = slopes(v)
        if np.abs(g).max() < STATIONARY:
            return Net(v[:size].reshape(shape), v[size:].reshape(N, width))
        if step >= DESCENT:
            curvature = np.array([(slopes(v + NEAR * e) - slopes(v - NEAR * e)) / (2 * NEAR) for e in np.eye(len(v))])
            g = np.linalg.lstsq(curvature, g, rcond=FLAT)[0] / rate  # what turns the layers into each other is flat
        v = v - rate * g
    return None


def off_span(W: Array, X: Array) -> float:
    """The part of the rows of W that is orthogonal to the prompts."""
    Q = np.linalg.qr(X.T)[0]
    return float(np.linalg.norm(W - W @ Q @ Q.T) / max(1.0, float(np.linalg.norm(W))))


def risks(net: Net, u: Array, N: int, leak: float, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """Of <u, x_t>: exact for the identity, else a mean over draws; also with five standard errors added."""
    d = len(u)
    if leak == 1.0:
        exact = [np.sum((np.eye(N)[t][:, None] * u - (net.a[t] @ net.W).reshape(N, d)) ** 2) for t in range(N)]
        return float(np.mean(exact)), float(np.mean(exact))
    x = rng.normal(size=(draws, N * d))
    h = x @ net.W.T
    errors = [(x[:, t * d : (t + 1) * d] @ u - (slope(h, leak) * h) @ net.a[t]) ** 2 for t in range(N)]
    square = np.mean(errors, axis=0)
    return float(square.mean()), float(square.mean() + 5 * square.std() / np.sqrt(draws))


@check(KEY)
def stationary_points(effort: Effort) -> Result:
    """One network for each of an orthonormal basis of u: some u does no better than their mean."""
    rng, tight, farthest, largest, count = np.random.default_rng(effort.seed), 0.0, 0.0, 0.0, 0
    for N, d, n, leak in ((3, 2, 2, 1.0), (2, 2, 3, 1.0), (2, 2, 2, 0.25)):
        X, t = rng.normal(size=(n, N * d)), rng.integers(N, size=n)
        found = []
        for u in np.eye(d):
            y = np.array([X[i, t[i] * d : (t[i] + 1) * d] @ u for i in range(n)])
            runs = (
                train(X, t, y=y, N=N, width=3, leak=leak, rng=rng) for _ in range(TRIES)
            )  # a kink of the ReLU can stop one
            net = next((run for run in runs if run is not None), None)
            if net is None:
                return Result(
                    "undecided", "tested", "gradient descent does not come to rest", instances=count, part="risk"
                )
            farthest, largest = max(farthest, off_span(net.W, X)), max(largest, float(np.linalg.norm(net.W)))
            found.append(risks(net, u, N, leak, 20_000 * effort.scale, rng))
            count += 1
        floor = float(value(KEY, "printed", "risk", {"n": n, "N": N, "d": d}))
        mean, high = np.mean(found, axis=0)
        if farthest > SPAN:
            return Result(
                "undecided", "tested", f"rows are off the span by {farthest:.1e}", instances=count, part="risk"
            )
        if high < floor:  # of all u there may be one that does worse than these: no refutation, but no proof either
            note = f"at N = {N}, d = {d}, n = {n} stationary points have a mean risk of {mean:.4g} over a basis of u"
            return Result("undecided", "tested", f"{note}, below {floor:.4g}", instances=count, part="risk")
        tight = max(tight, floor / float(mean))
    note = (
        f"networks trained with weight decay to gradients below {STATIONARY:.0e}: rows are in the span of the prompts "
        f"up to {farthest:.0e} (of norm up to {largest:.2f}), and the risk averaged over u is above the floor"
    )
    return Result("holds", "tested", note, instances=count, tightness=tight, part="risk")
