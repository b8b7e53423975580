"""Covers of matrices that count corrections, run on many members of classes given by their norms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from maurey.numeric.exact import below
from maurey.numeric.types import Array
from maurey.verify.checks import Effort

from . import online
from .instances import ROUNDING, Instance, inputs, resolution, target
from .l1_balls import RATIOS, log_count, on_lattice, resolution_at


class Class(NamedTuple):
    """Matrices given by their norms: the bounds by name, the squared Frobenius norm they allow, the projection."""

    bounds: dict[str, Fraction]
    frobenius: Fraction  # squared
    project: online.Project


def class_of(norms: str, d_2: int) -> Class:
    """`F`, `inf`, `21`, or `mixed`: the last with columns of norm at most 1/2 that sum to at most 3/2."""
    B, cap = Fraction(3, 2), Fraction(1, 2)
    if norms == "F":
        return Class({"B_W_F": B}, B**2, online.in_frobenius(float(B)))
    if norms == "inf":
        return Class({"B_W_inf": B}, d_2 * B**2, online.in_columns(float(B)))
    top = cap if norms == "mixed" else B
    equal = np.ones(d_2)
    return Class(
        {"B_W_21": B} | ({"B_W_inf": cap} if norms == "mixed" else {}),
        min(B**2, top * B, d_2 * top**2),
        lambda W: online.weighted_columns(W, equal, float(B), float(top)),
    )


def costs_of(N: int, d_1: int, d_2: int, a: Fraction, a_1: Fraction | None) -> dict[str, tuple[Fraction, float]]:
    """For each kind of correction: how many there can be, and the log of the alphabet as the forms count it."""
    rate = Fraction(64, 49)
    costs = {
        "coordinates": (d_2 * a, math.log(2 * d_2 * N + 1)),
        "net": (rate * a, math.log(5**d_2 * N + 1)),
        "everywhere": (rate**2 * a, math.log(5 ** (d_1 + d_2) + 1)),
    }
    if a_1 is not None:
        for name, scale in online.SCALES.items():
            costs[name] = scale.total * a_1, math.log(2 * d_2 * N * (scale.last(d_2) + 1) + 1)
    return costs


def linear(effort: Effort, kind: str, norms: str) -> Iterator[Instance]:
    """Corrections along coordinates, a net, nets on both sides (all inputs at once), columns, or the best of these."""
    rng = np.random.default_rng(effort.seed)
    written = kind in ("net", "everywhere", "best")  # dimensions in which nets are written out
    R = Fraction(2)
    for i in range(48 * effort.scale):
        N, d_2 = int(rng.choice((1, 2, 9, 60))), int(rng.choice((1, 2, 3, 4) if written else (1, 3, 20)))
        d_1 = int(rng.choice((1, 2, 3, 4) if kind == "everywhere" else (1, 2, 4, 1000)))
        members = class_of(norms, d_2)
        eps = resolution(rng, R * Fraction(f"{math.sqrt(members.frobenius):.6g}"))
        a, B_1 = members.frobenius * (R / eps) ** 2, members.bounds.get("B_W_21")
        costs = costs_of(N, d_1, d_2, a, (B_1 * R / eps) ** 2 if B_1 is not None else None)
        chosen = min(costs, key=lambda k: costs[k][0] * Fraction(costs[k][1])) if kind == "best" else kind
        X = float(R) * inputs(rng, N, d_1, i % 3)
        W = target(rng, (min(N, d_1), d_2), i % 4 % 3, members.project, max(1, below(a)))
        if d_1 > N:  # what no input sees needs no correction
            W = members.project(1e6 * X.T @ W)
        at = {"eps": eps, "N": Fraction(N), "d_1": Fraction(d_1), "d_2": Fraction(d_2), "B_X": R, **members.bounds}
        volume = d_1 * d_2 * math.log(1 + 2 * math.sqrt(a))
        if kind == "best" and a > 1 and volume < max(0, below(costs[chosen][0])) * costs[chosen][1]:
            yield _packed(W, X, float(eps), float(R), members.project, at, size=volume)
            continue
        run, again, error = corrected(chosen, W, X, float(R), float(eps), members)
        inside = np.allclose(run.centre, again, rtol=0, atol=1e-12)
        inside = inside and np.allclose(members.project(again), again, rtol=0, atol=1e-9)
        allowed = max(0, below(costs[chosen][0])) if a > 1 else 0  # from the radius on zero alone is a cover
        log_size = allowed * costs[chosen][1]
        yield Instance(at, error / float(eps), len(run.corrections), allowed, log_size, bool(inside))


def _packed(
    W: Array, X: Array, eps: float, R: float, project: online.Project, at: dict[str, Any], size: float
) -> Instance:
    """A member within eps, as a maximal packing that is counted by volume has one."""
    centre = online.near_member(W, eps / R, project)
    error = float(np.linalg.norm(X @ (W - centre), axis=1).max()) / eps
    inside = np.allclose(project(centre), centre, rtol=0, atol=1e-9)
    return Instance(at, error, 0, 0, size, bool(inside))


def corrected(kind: str, W: Array, X: Array, R: float, eps: float, members: Class) -> tuple[online.Run, Array, float]:
    """The corrections, the centre again from their list alone, and how far it is."""
    d_1, d_2 = W.shape
    if kind in online.SCALES:
        scale = online.SCALES[kind]
        bounds = float(members.bounds["B_W_21"]), float(members.bounds.get("B_W_inf", math.inf))
        run = online.correct_columns(W, X, R, eps, *bounds, scale=scale)
        again = online.follow_columns(run.corrections, W.shape, X, R, eps, *bounds, scale=scale)
        return run, again, float(np.linalg.norm(X @ (W - run.centre), axis=1).max())
    if kind == "everywhere":
        net, U = online.net(d_1), online.net(d_2)
        run = online.correct_everywhere(W, R, eps, members.project, net, U)
        step = online.NEAR**2 * eps / R**2
        again = online.follow(run.corrections, net * R, U, step, members.project)
        return run, again, R * float(np.linalg.norm(W - run.centre, 2))
    U, kappa = online.coordinates(d_2), d_2**-0.5
    if kind == "net":
        U, kappa = online.net(d_2), online.NEAR
    run = online.correct(W, X, R=R, eps=eps, project=members.project, U=U, kappa=kappa)
    again = online.follow(run.corrections, X, U, kappa * eps / R**2, members.project)
    return run, again, float(np.linalg.norm(X @ (W - run.centre), axis=1).max())


# --- the norms of the columns of W summed: corrections, or the lattice of a larger l1 ball --------------------------


def column_sum(effort: Effort, in_l1: bool, best: bool) -> Iterator[Instance]:
    """x -> Wx with the norms of the columns of W summed. The corrections of W^T, along coordinates or the smallest of
    all kinds. Inputs in an l1 ball are answered for by scaled basis vectors, and there a lattice is one more kind."""
    rng = np.random.default_rng(effort.seed)
    B, R = Fraction(3, 2), Fraction(2)

    def project(W: Array) -> Array:
        turned = np.swapaxes(W, -1, -2)
        return np.swapaxes(online.weighted_columns(turned, np.ones(turned.shape[-1]), float(B)), -1, -2)

    members = Class({"B_W_21": B}, B**2, project)
    for i in range(40 * effort.scale):
        k, d = int(rng.choice((1, 2, 3) if best else (1, 3, 20))), int(rng.choice((1, 2, 3) if best else (1, 4, 300)))
        a = Fraction(str(rng.choice(RATIOS[:7])))
        eps, N = resolution_at(B * R, a), d if in_l1 else int(rng.choice((1, 9, 60)))
        costs = costs_of(N, d, k, a, None)
        kind = min(costs, key=lambda name: float(costs[name][0]) * costs[name][1]) if best else "coordinates"
        allowed = max(0, below(costs[kind][0])) if a > 1 else 0  # from the radius on zero alone is a cover
        W, size = target(rng, (d, k), i % 4 % 3, project, max(1, below(a))), allowed * costs[kind][1]
        at = {"eps": eps, "N": Fraction(N + in_l1), "d": Fraction(d), "k": Fraction(k), **members.bounds}
        at["B_X_1" if in_l1 else "B_X"] = R
        if a <= 1:
            yield Instance(at, float(R) * float(np.linalg.norm(W)) / float(eps), 0, 0, 0.0)
            continue
        few = math.sqrt(a) * math.log(math.e * d * (k + 1) * 3**k) if in_l1 else math.inf
        volume = min(k * d * math.log(1 + 2 * math.sqrt(a)), few)
        if best and volume < min(size, log_count(k * d, k * a, True) if in_l1 else size):
            X = float(R) * (np.eye(d) if in_l1 else inputs(rng, N, d, i % 3))
            yield _packed(W, X, float(eps), float(R), project, at, size=volume)
            continue
        if best and in_l1 and log_count(k * d, k * a, True) < size:
            centre = _in_larger_ball(W, float(B), k, a, project)
            error = float(R) * float(np.linalg.norm(W - centre)) / float(eps)
            yield Instance(at, error, 0, 0, log_count(k * d, k * a, True), _within(centre, B))
            continue
        X = float(R) * (np.eye(d) if in_l1 else inputs(rng, N, d, i % 3))
        run, again, far = corrected(kind, W, X, float(R), float(eps), members)
        inside = np.allclose(run.centre, again, rtol=0, atol=1e-12) and _within(again, B)
        yield Instance(at, far / float(eps), len(run.corrections), allowed, size, inside)


def _in_larger_ball(W: Array, B: float, k: int, a: Fraction, project: online.Project) -> Array:
    """The entries of W have l1 norm at most sqrt(k) B: the centre on the lattice of that ball. Projected onto the class
    it is in the Frobenius norm nearer to all members."""
    radius = math.sqrt(k) * B
    return project(radius * on_lattice(W.ravel() / radius, k * a).point.reshape(W.shape))


def _within(W: Array, B: Fraction) -> bool:
    return bool(np.linalg.norm(W, axis=1).sum() <= float(B) * (1 + ROUNDING))
