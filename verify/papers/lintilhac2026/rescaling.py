"""Appendix D, carried out: rescaled networks compute the same, their norms and gradients follow the closed forms, and
one scale lowers both, or does not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np
from flint import arb, ctx

from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.papers.lintilhac2026.network.construction import build, masks, output
from maurey.verify.papers.lintilhac2026.network.rescaling import (
    best_product,
    improved,
    measured,
    of_gradient,
    of_norm,
    pruned,
    rescaled,
)
from maurey.verify.tally import ROUNDING, Tally
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings, random_target, values

from .gradients import BITS, in_balls
from .norms import at_of, cyclic

KEY = "lintilhac2026/D"
WIDE = 20  # bits, of one class of the paper's experiments


def off(target: Target, alpha: float) -> float:
    """How far the rescaled network is from the closed forms and from the function, relative; all strings."""
    z = all_strings(target.T)
    bits, norm, gradient = torch.from_numpy(z), of_norm(target), of_gradient(target, z)
    other = rescaled(build(target), alpha)
    same = np.abs(output(other, bits, masks(target)).numpy() - values(target, z)).max()
    square, slope = measured(other, bits, target)
    return max(float(same), abs(square / float(norm.at(alpha)) - 1), abs(slope / float(gradient.at(alpha)) - 1))


def gains(D: int, seed: int) -> str:
    """What one scale does, and what leaving out the units of odd counts does besides."""
    target = random_target(WIDE, D, 7, np.random.default_rng(seed))
    z = np.random.default_rng(seed).integers(0, 2, (128, WIDE))
    norm, gradient = of_norm(target), of_gradient(target, z)
    alpha = best_product(norm, gradient)
    square, slope = measured(improved(target, alpha, True), torch.from_numpy(z), target)
    before, sharp = float(norm.at(1.0)), float(gradient.at(1.0))
    return (
        f"D = {D}: alpha = {alpha:.2f}, norm {norm.at(alpha) / before:.2f} and gradient "
        f"{gradient.at(alpha) / sharp:.2f} of what they were, without the units of odd counts {square / before:.2f} "
        f"and {slope / sharp:.2f}"
    )


def least_scale() -> tuple[arb, arb]:
    """Mean squared gradients of M and Gamma, and of F, over all strings of as many bits as components of one bit; they
    depend on the number of ones alone."""
    target = cyclic(WIDE, 1, WIDE)
    with ctx.workprec(BITS):
        weights = [to_ball(Fraction(comb(WIDE, ones), 2**WIDE)) for ones in range(WIDE + 1)]
        found = [in_balls(target, (np.arange(WIDE) < ones).astype(np.int64)) for ones in range(WIDE + 1)]
        inner = sum((w * one.inner for w, one in zip(weights, found, strict=True)), arb(0))
        return inner, sum((w * one.outer for w, one in zip(weights, found, strict=True)), arb(0))


@check(KEY)
def rescaling(effort: Effort) -> Iterator[Result]:
    rng, tally, worst = np.random.default_rng(effort.seed), Tally(KEY, "printed"), 0.0
    for T, D, omega in ((2, 1, 2), (5, 2, 3), (6, 3, 6), (6, 6, 1)):
        target = random_target(T, D, omega, rng)
        norm = of_norm(target)
        worst = max(worst, off(target, norm.best), off(target, 0.7))
        square = sum(block.square().sum().item() for block in rescaled(build(target), norm.best)[2:5])
        tally.see("alpha", norm.best, at_of(target))
        tally.see("network", square, at_of(target))
        z = torch.from_numpy(all_strings(T))
        without = output(pruned(build(target)), z, masks(target)) - output(build(target), z, masks(target))
        worst = max(worst, without.abs().max().item())
    if worst > ROUNDING:
        yield Result("undecided", "constructed", f"the rescaled network is off by {worst:.2g}")
        return
    note = (
        "rescaled networks, and those without the units of odd counts, which have no weight, compute the same on all "
        f"strings, with norm and gradient as stated. At the scale where norm times gradient is least, {WIDE} bits, "
        f"omega = 7: {'; '.join(gains(D, effort.seed) for D in (1, 2, 5))}"
    )
    yield from tally.results(note)
    inner, outer = least_scale()
    if not inner < outer:
        yield Result("undecided", "refuted", "the scale is not what it seems", part="alpha_gradient")
        return
    with ctx.workprec(BITS):
        scale = (inner / outer) ** to_ball(Fraction(1, 4))
    note = (
        f"one component for each of {WIDE} bits, equal coefficients, mean over all strings in balls: the gradient is "
        "least below 1, since F's columns of positions count, while the norm is least beyond 1: this rescaling lowers "
        "not both. It does where omega is small or D large; leaving out units always does"
    )
    witness = {name: str(value) for name, value in at_of(cyclic(WIDE, 1, WIDE)).items()}
    yield refuted(note, witness, 1, decimal(scale), part="alpha_gradient", instances=1)
