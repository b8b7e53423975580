"""Theorem 9 and appendix B: the wave of trapezoids for all x and D, and the network run on whole cubes.

A quadruple of units around h = i/D gives, in u = D (x - h), a function that depends on neither: one identity on the
line, which z3 decides, is the theorem for all D. What the code builds is held against it in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from sympy import Expr, Max, Min, Rational, Symbol, cos, pi, simplify, sin, symbols

from maurey.numeric.balls import at_precision
from maurey.numeric.binding import bind
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check
from maurey.verify.papers.lintilhac2026.network.construction import (
    EDGES,
    build,
    flat,
    masks,
    output,
    random_projection,
    run,
    width,
)
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude
from maurey.verify.prove.subdivision import PRECISION
from maurey.verify.tally import Tally
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings, random_target, values

u = Symbol("u", real=True)
half, less = Rational(1, 2), Rational(999, 1000)
LARGEST = 8  # degrees that are compared in fractions, at the least effort
ROUNDING = 1e-12

# --- 9 ---------------------------------------------------------------------------------------------------------------


def quadruple(u: Expr) -> Expr:
    """The four units of an even i, as they are built: 4 D relu(x - h + o/(4 D)) = 4 relu(u + o/4)."""
    return sum((int(sign) * 4 * Max(0, u + Rational(o, 4)) for o, sign in EDGES), Rational(0))


def trapezoid(u: Expr) -> Expr:
    return Min(1, Max(0, 2 - 4 * Max(u, -u)))


def for_all_degrees() -> list[Proof]:
    """A quadruple is a trapezoid, which is 1 where k = i and 0 at all other whole k."""
    four, one = quadruple(u), trapezoid(u)
    i = Symbol("i", integer=True)
    return [
        polynomial(four <= one, control=four <= less * one),
        polynomial(four >= one, control=less * four >= one),
        same(trapezoid(Rational(0)), 1),
        polynomial(four <= 0, Max(u, -u) >= half, control=four <= 0 * u - (1 - less)),
        polynomial(four >= 1, Max(u, -u) <= half / 2, control=four >= 1 + (1 - less)),
        Proof(simplify(sin(pi * (i + half)) - cos(pi * i)) == 0 or None, "the printed sine is 1 at even i, -1 at odd"),
    ]  # fmt: skip


def built(D: int) -> tuple[list[Fraction], list[Fraction]]:
    """Gamma and the data column of F as fractions: multiples of 1/(4 D) and integers, else nothing."""
    net = build(Target(max(D, 2), (tuple(range(D)),), (1,)))
    quarters, weights = (4 * D * net.Gamma).tolist(), net.F[:, -1].tolist()
    whole = [round(v) for v in quarters]
    if max(abs(a - b) for a, b in zip(quarters, whole, strict=True)) > ROUNDING or net.F[:, :-1].any():
        return [], []
    return [Fraction(v, 4 * D) for v in whole], [Fraction(v) for v in weights]


def wave(D: int, x: Fraction) -> Fraction:
    """The sum of trapezoids."""
    return sum((min(Fraction(1), max(Fraction(0), 2 - 4 * abs(D * x - i))) for i in range(0, D + 1, 2)), Fraction(0))


def stated(form: str, D: int, x: Fraction) -> Any:
    """A form of the claim, which is rational at rationals."""
    bound = bind(registry.find("lintilhac2026/9"), form, "wave", {"D": D, "x": x})
    return at_precision(bound.steps, bound.values, PRECISION)[0]


def in_fractions(D: int) -> Proof:
    """What is built, the claim's two forms and the trapezoids, at all bends and one point beyond: all are straight
    between bends. The claim speaks of shares, from 0 to 1."""
    Gamma, F = built(D)
    bends = sorted({-g for g in Gamma} | {Fraction(k, D) for k in range(D + 1)} | {Fraction(2)})
    of_net = all(sum(f * max(Fraction(0), x + g) for g, f in zip(Gamma, F, strict=True)) == wave(D, x) for x in
                 [Fraction(-1), *bends])  # fmt: skip
    parity = all(wave(D, Fraction(k, D)) == (k % 2 == 0) for k in range(D + 1))
    said = all(stated(form, D, x) == fmpq(*wave(D, x).as_integer_ratio()) for form in ("printed", "derived")
               for x in bends if 0 <= x <= 1)  # fmt: skip
    return Proof(bool(Gamma) and of_net and parity and said, f"what is built and both forms, in fractions, D = {D}")


@check("lintilhac2026/9")
def trapezoids(effort: Effort) -> Iterator[Result]:
    top = LARGEST * min(effort.scale, 4)
    steps = [*for_all_degrees(), *(in_fractions(D) for D in range(1, top + 1))]
    note = (
        "in u = D(x - i/D) the four units of an even i are the same function for all D and i, and equal to "
        "min(1, max(0, 2 - 4|u|)) for all real u (z3, with constants that are refuted when a little better): 1 for "
        f"|u| <= 1/4, 0 for |u| >= 1/2. What is built and both forms agree in fractions at all bends to D = {top}"
    )
    for part in ("wave", "error"):
        yield conclude(note, steps, instances=top, part=part)


# --- B ---------------------------------------------------------------------------------------------------------------


def classes(effort: Effort) -> Iterator[Target]:
    """Random functions of all degrees and sparsities of few bits, and of some of fourteen (all, if there is time)."""
    rng = np.random.default_rng(effort.seed)
    for T in (4, 5, 6) if effort.scale == 1 else (4, 5, 6, 7, 8):
        for D in range(1, T + 1):
            for omega in range(1, min(T, math.comb(T, D)) + 1):
                yield random_target(T, D, omega, rng)
    for D in range(1, 15) if effort.scale == EVERY else (2, 13):
        for omega in range(1, min(14, math.comb(14, D)) + 1) if effort.scale == EVERY else (14,):
            yield random_target(14, D, omega, rng)


EVERY = 16  # from this scale on


def absorbed() -> list[Proof]:
    """The first layer's leak, at most (T+1-D)/(D T^2 + T+1-D), stays on the plateaus, 1/(4 D) to both sides."""
    T, D = symbols("T D", positive=True)
    leak = (T + 1 - D) / (D * T**2 + T + 1 - D)
    return [polynomial(4 * D * leak <= 1, D >= 1, D <= T, T >= 3, control=4 * D * leak <= less)]


@check("lintilhac2026/B")
def on_whole_cubes(effort: Effort) -> Iterator[Result]:
    tally, off, moved, count = Tally("lintilhac2026/B", "printed"), 0.0, 0.0, 0
    for target in classes(effort):
        T, D, z = target.T, target.D, all_strings(target.T)
        net, bits, true = build(target), torch.from_numpy(z), values(target, z)
        off = max(off, float(np.abs(output(net, bits, masks(target)).numpy() - true).max()))
        leak = float(np.abs(output(net, bits).numpy() - true).max())
        tally.see("leak", leak, {"omega": target.omega, "D": D, "T": T}, len(z))
        tally.see("count", len(flat(net)), {"omega": target.omega, "D": D, "T": T})
        few = run(net, bits[:64])
        k = torch.from_numpy(z[:64] @ target.members()) / D
        away = (few.b[:, : target.omega, -1] - k).abs().max().item()
        moved = max(moved, away * (D * T**2 + T + 1 - D) / (T + 1 - D))
        count += 1
    if off > ROUNDING or moved > 1 + ROUNDING:
        yield Result("undecided", "constructed", f"off by {off:.2g}; the first layer leaks {moved:.4f} of what it may")
        return
    proofs = absorbed()
    if any(proof.verdict is not True for proof in proofs):
        yield conclude("", proofs)
        return
    errors, wide = projected(effort)
    note = (
        f"{count} functions of all degrees and sparsities on all their strings: with masks exact up to {off:.1e}; "
        "without, the first layer's leak stays on the plateaus for all T >= 3 (z3). Positions projected to "
        f"8 log T/eps^2 channels (eps = 1/4, {wide} for 12 bits, where one-hot ones take 13): outputs are off by "
        f"{', '.join(f'{e:.2f}' for e in errors)} for {len(errors)} draws"
    )
    yield from tally.results(note)


def projected(effort: Effort) -> tuple[list[float], int]:
    """How far the masked network moves when positions are projected: two draws."""
    target = random_target(12, 2, 6, np.random.default_rng(effort.seed))
    z, wide = torch.from_numpy(all_strings(12)[::16]), width(12, 0.25)
    found = []
    for seed in range(2):
        J = random_projection(12, wide, seed)
        off = output(build(target, J), z, masks(target), J) - output(build(target), z, masks(target))
        found.append(off.abs().max().item())
    return found, wide
