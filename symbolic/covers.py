"""Linear covers: how many points cover x -> Mx for M in a norm class, on N inputs of norm at most R, in l2.

A cover is a plug-in: a function of a weight that returns an entropy and writes the steps it needs. The scalar
formulas stand once, here; the claims that state them print them from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr, Function, Min, Rational, binomial, ceiling, log, sympify

from .derivation import Derivation
from .entropy import Entropy, parametric, quadratic
from .modules import Weight, times
from .norms import norm

Cover = Callable[[Derivation, Weight], Entropy]


class ceil_log2(Function):
    """The least integer p with 2^p >= n, for an integer n >= 1."""

    nargs = 1


# --- Zhang's theorem, row by row ---------------------------------------------------------------------------


def zhang_scalar(B: Expr, R: Expr, N: Expr) -> Entropy:
    """x -> v.x, |v| <= B (zhang2002/4). Zhang's centres are vectors of values, not functions of the class."""
    BR = times(B, R)
    return Entropy(
        lambda eps: 36 * (BR / eps) ** 2 * log(2 * ceiling(4 * BR / eps + 2) * N + 1),
        36 * BR**2,
        proper=False,
        reason="Zhang's theorem",
        key="zhang2002/4",
    )


def zhang_rows(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """d rows of norm at most B, each coordinate covered at eps / sqrt(d)."""
    return replace(zhang_scalar(B, R, N).coordinates(d), reason="Zhang's theorem for each coordinate")


def zhang_grid(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """d rows whose norms sum to at most B.

    Round the norms up to multiples of B/d: with k_i = floor(d |v_i| / B) there are at most binom(2d, d) profiles,
    since the k_i sum to at most d. Cover row i, of norm at most b_i = B (k_i + 1)/d, at
    e_i = eps sqrt((k_i + 1)/(2d)). The e_i^2 sum to at most eps^2 and the (b_i/e_i)^2 to at most (2B/eps)^2, so the
    rows together cost no more than one row of norm 2B at eps.
    """
    scalar = zhang_scalar(2 * B, R, N)
    return replace(
        scalar,
        log_size=lambda eps: log(binomial(2 * d, d)) + scalar.log_size(eps),
        reason="Zhang's theorem for each coordinate, over a grid of row norms",
    )


def zhang(D: Derivation, w: Weight) -> Entropy:
    """Zhang's theorem for every row: equal radii where the largest row is bounded, else a grid of radii."""
    M = w.matrix
    if w.scalar or M.outputs == 1:
        return zhang_scalar(norm(D, M, "frobenius"), w.radius, w.number)
    if M.rows is not None:
        return zhang_rows(M.rows, w.radius, w.number, M.outputs)
    return zhang_grid(norm(D, M, "row_sum"), w.radius, w.number, M.outputs)


# --- covers that count corrections (maurey/online): proper, for any closed convex class that holds zero ----------


def online_scalar(B: Expr, R: Expr, N: Expr) -> Entropy:
    """x -> v.x, |v| <= B: fewer than (BR/eps)^2 corrections, each one of 2N or none."""
    BR = times(B, R)
    return Entropy(
        lambda eps: (ceiling((BR / eps) ** 2) - 1) * log(2 * N + 1),
        BR**2 * log(2 * N + 1),
        proper=True,
        reason="at most so many corrections, each one of 2N or none",
        key="maurey/online",
    )


def online_coordinates(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """d outputs, |M|_F <= B, corrections along coordinates."""
    return quadratic(d * times(B, R) ** 2 * log(2 * d * N + 1))


def online_net(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """The same with corrections along a 1/2-net of the sphere of outputs."""
    return quadratic(Rational(64, 49) * times(B, R) ** 2 * log(5**d * N + 1))


def online_everywhere(B: Expr, R: Expr, d_in: Expr, d_out: Expr) -> Entropy:
    """For all inputs of norm at most R at once: no N."""
    return quadratic(Rational(64, 49) ** 2 * times(B, R) ** 2 * log(5 ** (d_in + d_out) + 1))


def online_row_sum(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """Row norms that sum to at most B, in a class closed under zeroing rows."""
    return quadratic(3 * times(B, R) ** 2 * log(2 * d * N * (ceil_log2(d) + 1) + 1))


def online(D: Derivation, w: Weight) -> Entropy:
    """The best of the covers that count corrections; one centre from the radius of the class on."""
    M, R, N = w.matrix, w.radius, w.number
    F = norm(D, M, "frobenius", best=True)
    if w.scalar or M.outputs == 1:
        return online_scalar(F, R, N)
    candidates = [
        online_coordinates(F, R, N, M.outputs),
        online_net(F, R, N, M.outputs),
        online_everywhere(F, R, M.inputs, M.outputs),
    ]
    if M.row_sum is not None:
        candidates.append(online_row_sum(M.row_sum, R, N, M.outputs))
    C = D.let(
        f"C_{M.label}", f"C_{{{M.mark}}}", Min(*(c.coefficient for c in candidates)),
        "the best of the covers that count corrections", "maurey/online",
    )  # fmt: skip
    radius = times(M.spectral if M.spectral is not None else F, R)
    return replace(
        quadratic(C).trivial(radius), reason="one centre from the radius of the class on", key="maurey/online"
    )


# --- counting parameters --------------------------------------------------------------------------------------


def volumetric(D: Derivation, w: Weight) -> Entropy:
    """A maximal packing in the spectral norm, by volume: at most (1 + 2BR/eps)^(entries of M) points."""
    M = w.matrix
    B = norm(D, M, "frobenius" if w.scalar else "spectral")
    count = parametric(times(sympify(M.outputs), sympify(M.inputs)), 2 * B * w.radius)
    return replace(count, reason="a maximal packing of the class, counted by volume")
