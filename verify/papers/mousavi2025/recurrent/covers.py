"""Lemmas 29 to 31: covers of recurrent networks. Pairs of networks that are as near as a cover promises are run, drawn
ones and those that lose most, and their outputs are to be within eps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
from sympy import E, Rational, log, prod, symbols

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.papers.mousavi2025.covers import size_of
from maurey.verify.prove.arguments import positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import least_at, polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

from .networks import deep, distance, drawn, in_ball, outputs, scaled, shifted
from .transition import Deep

COMPOSED, NETWORK, CLASS = (f"mousavi2025/{number}" for number in (29, 30, 31))
ROUNDING = 1e-9


# --- 29 ------------------------------------------------------------------------------------------------------------


def moved_by_covers(form: str, effort: Effort) -> Iterator[tuple[str, float]]:
    """Transitions that differ by a vector of length eps_h everywhere, read-outs by eps/2: the distance of the outputs,
    over eps."""
    rng, eps = np.random.default_rng(effort.seed), 1.0
    for N, d_h, _ in product((2, 5, 30), (1, 3), range(2 * effort.scale)):
        f, b, y = drawn([d_h + 2, 6, d_h], rng), drawn([d_h + 2, 6, d_h], rng), drawn([2 * d_h + 2, 6, 1], rng)
        for net in (f, b):
            net.W[0][:, :d_h] /= N * np.linalg.norm(net.W[0][:, :d_h], 2) * np.linalg.norm(net.W[1], 2)
        C = float(np.linalg.norm(y.W[0], 2) * np.linalg.norm(y.W[1], 2))
        near = float(value(COMPOSED, form, "eps_h", dict(eps=eps, N=N, alpha_N=1 / N, C_y_W=C)))
        v = [near * u / np.linalg.norm(u) for u in rng.normal(size=(2, d_h))]
        z, r_h = rng.normal(size=(N, 2)), 3.0
        apart = outputs(f, b, y, z, d_h, r_h) - outputs(
            shifted(f, v[0]), shifted(b, v[1]), shifted(y, np.array([eps / 2])), z, d_h, r_h
        )
        yield "drawn networks", float(np.abs(apart).max()) / eps
    both = [math.sqrt(0.5), math.sqrt(0.5), 0.0]
    for N, seen in product((1, 2, 5, 30, 200), ([1.0, 0.0, 0.0], both)):  # h grows by h/N and by eps_h at each step
        f = Deep((np.array([[1 / N, 0.0]]), np.eye(1)), (np.zeros(1),))
        y = Deep((np.array([seen]), np.eye(1)), (np.zeros(1),))
        near = float(value(COMPOSED, form, "eps_h", dict(eps=eps, N=N, alpha_N=1 / N, C_y_W=1)))
        g, far = shifted(f, np.array([near])), shifted(y, np.array([eps / 2]))
        z = np.zeros((N, 1))
        apart = outputs(g, g, far, z, 1, 1e9) - outputs(f, f, y, z, 1, 1e9)
        yield f"states that grow by 1/N at each step, N = {N}", float(np.abs(apart).max()) / eps


def growth_of_states() -> list[Proof]:
    """a <= 1/N: log(1 + a) <= a, so that (1 + a)^N <= e; and the sum of (1 + a)^l is at most N times the largest."""
    a, N = symbols("a N", positive=True)
    return [
        least_at(a - log(1 + a), a, 0),
        same((a - log(1 + a)).subs(a, 0), 0),
        polynomial(a * N <= 1, a <= 1 / N, control=a * N <= Rational(999, 1000)),
    ]


def within(found: list[tuple[str, float]], which: str, part: str, form: str) -> Result:
    """Distances of outputs over eps, each with its networks: none may be above 1."""
    what, worst = max(found, key=lambda one: one[1])
    if worst > 1 + ROUNDING:
        return refuted(f"outputs are farther apart: {what}", {"networks": what}, 1, worst, part=part, form=form)
    note = f"{which}: outputs within {worst:.3g} eps ({what})"
    return Result("holds", "tested", note, instances=len(found), tightness=worst, part=part, form=form)


def three_classes(effort: Effort) -> Result:
    """States of both directions are integers at n pairs, and a read-out is a table of their sum that moves by at most L
    from one to the next; exact covering numbers."""
    rng, tight, count = np.random.default_rng(effort.seed), 0.0, 0
    for _ in range(20 * effort.scale):
        grid, n, L = int(rng.integers(2, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
        states = [[tuple(int(v) for v in rng.integers(grid, size=n)) for _ in range(2)] for _ in range(2)]
        tables = [np.cumsum([int(rng.integers(-4, 5)), *rng.integers(-L, L + 1, size=2 * grid - 2)]) for _ in range(2)]
        read = [tuple(int(v) for v in table) for table in tables]
        found = [tuple(y[a + b] for a, b in zip(f, g, strict=True)) for y in read for f in states[0] for g in states[1]]
        eps_y, eps_f, eps_b = (int(rng.integers(0, 3)) + Fraction(1, 2) for _ in range(3))
        most = size_of(read, eps_y) * size_of(states[0], eps_f) * size_of(states[1], eps_b)
        least, count = size_of(found, eps_y + L * (eps_f + eps_b)), count + 1
        if least > most:
            at = {"read-outs": read, "states": states, "eps": [str(eps_y), str(eps_f), str(eps_b)], "L": L}
            return refuted("a composition needs more", at, most, least, part="log_N")
        tight = max(tight, least / most)
    note = (
        "finite classes: smallest covers of read-outs, of states of both directions and of the outputs, by trying all"
    )
    return Result("holds", "tested", note, instances=count, tightness=tight, part="log_N")


@check(COMPOSED)
def lemma_29(effort: Effort) -> Iterator[Result]:
    eps, N, C = positive("eps N C_y_W")
    shares = {"printed": 2 * C * E * N, "derived": 2 * C * (E - 1) * N}
    x, y, z = symbols("x y z", real=True)
    half, through_states = formula(COMPOSED, part="eps_y"), 2 * C * E * N * formula(COMPOSED, part="eps_h")
    yield conclude(
        "outputs move by eps_y with the read-out, and with the states by 2 e N times its Lipschitz constant times "
        "eps_h: by eps in all (z3)",
        [polynomial(x - z <= eps, x - y <= half, y - z <= through_states, control=x - z <= Rational(999, 1000) * eps)],
        part="eps_y",
    )  # fmt: skip
    sizes = positive("K_y K_h K_back")
    logs = dict(zip(positive("E_y E_h E_back"), map(log, sizes), strict=True))
    yield conclude(
        "a centre for each triple of centres: as many as the product of the three (identity), and as near as the "
        "resolutions make them",
        [same(formula(COMPOSED, part="log_N").subs(logs), log(prod(sizes)))], part="log_N",
    )  # fmt: skip
    yield three_classes(effort)
    for form, through in shares.items():
        yield conclude(
            "states differ by eps_h times the sum of (1 + a)^l over N - 1 steps at most, which is at most e N for "
            "a <= 1/N, and (e - 1) N as it grows with a; through the read-out, and with both directions, that is eps/2",
            [*growth_of_states(), same(through * formula(COMPOSED, form, "eps_h"), eps / 2),
             same(half, eps / 2)], part="eps_h", form=form,
        )  # fmt: skip
    for form in ("printed", "derived", "sharp"):
        yield within(list(moved_by_covers(form, effort)), "pairs of networks at these distances, run", "eps_h", form)


# --- 30 ------------------------------------------------------------------------------------------------------------


def movement(form: str, L: int, R: float) -> float:
    """Lambda, read off the claim: log N = p log(1 + 2 rho Lambda/eps) with rho = sqrt(2L - 1) R, at eps = p = 1."""
    log_N = float(value(NETWORK, form, "log_N", dict(eps=1e-6, p=1, R=R, L=L)))
    return math.expm1(log_N) * 1e-6 / (2 * math.sqrt(2 * L - 1) * R)


def moved_networks(effort: Effort) -> Iterator[tuple[str, int, float, float]]:
    """|f - f'| over |vec - vec'|, at |x| = R: drawn pairs, and the chain in which all is aligned."""
    rng = np.random.default_rng(effort.seed)
    for L, R, step in product((1, 2, 3, 4), (0.3, 1.0, 3.0), (1e-3, 1.0)):
        for _ in range(4 * effort.scale):
            sizes = [3, *[4] * (L - 1), 1]
            one, two = drawn(sizes, rng), drawn(sizes, rng)
            blocks = [scaled(M, R) for M in (*one.W, *one.b)]
            moved = [scaled(M + step * D, R) for M, D in zip(blocks, (*two.W, *two.b), strict=True)]
            x = scaled(rng.normal(size=(8, 3)), R, rows=True)
            apart = float(np.abs(deep(blocks, L)(x) - deep(moved, L)(x)).max())
            yield "drawn networks", L, R, apart / distance(blocks, moved)
        chain = [np.full((1, 1), R)] * L + [np.full(1, R)] * (L - 1)
        slopes = chain_slopes(L, R)
        size = math.sqrt(sum(s**2 for s in slopes))
        lower = [M - step * 1e-3 * R * s / size for M, s in zip(chain, slopes, strict=True)]
        x = np.full((1, 1), R)
        apart = float(np.abs(deep(chain, L)(x) - deep(lower, L)(x)).max())
        yield "one unit in each layer, all of norm R", L, R, apart / distance(chain, lower)


def chain_slopes(L: int, R: float) -> list[float]:
    """Of the output in each weight and bias, where all are R and x = R."""
    radii = [R]
    for _ in range(L - 1):
        radii.append(R * radii[-1] + R)
    return [R ** (L - layer) * radius for layer, radius in enumerate(radii, 1)] + [
        R ** (L - layer) for layer in range(1, L)
    ]


@check(NETWORK)
def lemma_30(effort: Effort) -> Result:
    found, worst = list(moved_networks(effort)), 0.0
    for what, L, R, ratio in found:
        most = movement("derived", L, R)
        if ratio > most * (1 + 1e-6):
            where = {"L": L, "R": R, "networks": what}
            return refuted("outputs move further", where, most, ratio, part="log_N", form="derived")
        worst = max(worst, min(1.0, ratio / most))  # differences of doubles
    note = f"outputs move by at most {worst:.4f} of what the cover allows: drawn networks, and one unit in each layer"
    return Result("holds", "tested", note, instances=len(found), tightness=worst, part="log_N", form="derived")


# --- 31 ------------------------------------------------------------------------------------------------------------


def resolution(form: str, eps: float, N: int, R: float, r_h: float, depths: tuple[int, int]) -> float:
    """How near parameters must be: log N = p log(1 + 2R/that)."""
    log_N = float(value(CLASS, form, "log_N", dict(eps=eps, N=N, p=1, R=R, r_h=r_h, L_h=depths[0], L_y=depths[1])))
    return 2 * R / math.expm1(log_N)


def perturbed(nets: tuple[Deep, Deep, Deep], d_h: int, by: float, rng: np.random.Generator) -> list[Deep]:
    """Weights and biases of all three moved by a vector of that length; what reads states in transitions stays."""
    steps = [[rng.normal(size=M.shape) for M in (*net.W, *net.b)] for net in nets]
    for step in steps[:2]:
        step[0][:, :d_h] = 0
    size = math.sqrt(sum(float((D**2).sum()) for step in steps for D in step))
    moved = []
    for net, step in zip(nets, steps, strict=True):
        blocks = [M + by / size * D for M, D in zip((*net.W, *net.b), step, strict=True)]
        moved.append(deep(blocks, len(net.W)))
    return moved


def moved_recurrent(form: str, effort: Effort) -> Iterator[tuple[str, float]]:
    rng, eps = np.random.default_rng(effort.seed), 0.1
    for N, R, r_h, _ in product((3, 20), (1.5, 3.0), (0.5, 5.0), range(2 * effort.scale)):
        d_h, depths = 2, (2, 2)
        by = resolution(form, eps, N, R, r_h, depths)
        nets = drawn([d_h + 2, 4, d_h], rng), drawn([d_h + 2, 4, d_h], rng), drawn([2 * d_h + 2, 4, 1], rng)
        for net in nets[:2]:
            net.W[0][:, :d_h] = 0
        f, b, y = nets = in_ball(nets, R - by)
        z = scaled(rng.normal(size=(N, 2)), R, rows=True)
        before = outputs(f, b, y, z, d_h, r_h)
        for _ in range(3):
            moved = perturbed(nets, d_h, by, rng)
            after = outputs(moved[0], moved[1], moved[2], z, d_h, r_h)
            yield f"drawn networks, N = {N}, R = {R}", float(np.abs(after - before).max()) / eps
    for N, R in product((5, 50), (1.5, 3.0)):  # one unit in each layer, states that add up, all moved along
        by, r_h = resolution(form, eps, N, R, 100.0, (2, 2)), 100.0
        size = (R - by) / math.sqrt(11)
        f = Deep((np.array([[0.0, size]]), np.full((1, 1), size)), (np.full(1, size),))
        y = Deep((np.full((1, 3), size), np.full((1, 1), size)), (np.full(1, size),))
        step = by / math.sqrt(11)
        g = Deep((np.array([[0.0, size + step]]), np.full((1, 1), size + step)), (np.full(1, size + step),))
        w = Deep((np.full((1, 3), size + step), np.full((1, 1), size + step)), (np.full(1, size + step),))
        z = np.full((N, 1), R)
        apart = outputs(g, g, w, z, 1, r_h) - outputs(f, f, y, z, 1, r_h)
        yield f"states that add up, N = {N}, R = {R}", float(np.abs(apart).max()) / eps


@check(CLASS)
def corollary_31(effort: Effort) -> Iterator[Result]:
    for form in ("derived", "sharp"):
        yield within(list(moved_recurrent(form, effort)), "networks as near as the cover makes them", "log_N", form)
