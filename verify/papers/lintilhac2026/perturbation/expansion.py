"""Theorem 12: the loss of a perturbed network, to second order, and what ReLUs do to that.

Where no unit crosses its kink the loss is smooth along the segment, and Taylor's formula has a point on it. Where one
does there need be none: moving one offset beyond its margin gives a loss that no second derivative on the way explains,
in fractions. Gaussian perturbations cross kinks with some probability at every sigma; how often is counted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from maurey.verify.checks import Effort, Result, besides, check
from maurey.verify.papers.lintilhac2026.gradients import slopes
from maurey.verify.papers.lintilhac2026.network.construction import (
    Masks,
    Network,
    build,
    flat,
    masks,
    named,
    output,
    run,
)
from maurey.verify.papers.lintilhac2026.network.noise import crossed, moved, perturbations
from maurey.verify.prove.proofs import Proof, conclude
from maurey.verify.tally import ROUNDING, Tally
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings, random_target, values

EXPANSION = "lintilhac2026/12"
SIGMAS = (1e-4, 1e-3, 1e-2)
CONFIDENT = 1.96  # deviations of a mean, for 95%

# --- the quadratic term ----------------------------------------------------------------------------------------------


def trace_by_signs(A: np.ndarray) -> Fraction:
    """E e'Ae for independent signs, which have the second moments of a standard Gaussian: a finite sum."""
    signs = [np.array(e) for e in itertools.product((-1, 1), repeat=len(A))]
    return Fraction(sum(int(e @ A @ e) for e in signs), len(signs))


# --- across a kink ---------------------------------------------------------------------------------------------------


class Kink(NamedTuple):
    """One component of D bits that are all 0: the offset of the unit at -1/(4D) moves up by e."""

    D: int
    e: Fraction

    @property
    def loss(self) -> Fraction:
        """It is off up to e = 1/(4D), and takes 4D times what is beyond away from 1."""
        return (4 * self.D * max(Fraction(0), self.e - Fraction(1, 4 * self.D))) ** 2

    @property
    def by_taylor(self) -> tuple[Fraction, Fraction]:
        """e^2/2 times the second derivative of the loss before the kink, and after."""
        return Fraction(0), self.e**2 / 2 * 2 * (4 * self.D) ** 2

    def built(self) -> float:
        """The same loss from the network, with one parameter moved."""
        target = Target(max(self.D, 2), (tuple(range(self.D)),), (1,))
        net = build(target)
        net.Gamma[1] += float(self.e)
        return float((output(net, torch.zeros(1, target.T), masks(target))[0] - 1) ** 2)


def beyond_kinks() -> list[Proof]:
    """The loss lies strictly between what both pieces say, so that no point of the segment has it."""
    found = []
    for D in range(1, 6):
        kink = Kink(D, Fraction(1, 2 * D))
        low, high = kink.by_taylor
        right = low < kink.loss < high and abs(kink.built() - float(kink.loss)) < ROUNDING
        found.append(Proof(right, f"loss {kink.loss}, by Taylor {low} or {high}, D = {D}"))
    return found


# --- Gaussian perturbations ------------------------------------------------------------------------------------------


class Drawn(NamedTuple):
    """Of networks drawn around the construction."""

    share: float  # of the remainder in the quadratic term
    give: float  # half of its interval of confidence
    active: float  # strings and networks at which a unit crosses, at positions that hold a component
    other: float  # at other positions


def drawn(target: Target, sigma: float, networks: int, strings: int, seed: int) -> Drawn:
    """Perturbations come in pairs of opposite sign, and the quadratic term of each is taken off, since its mean is
    known: what is left has little variance."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 2, (strings, target.T))
    net, mask, bits = build(target), masks(target), torch.from_numpy(z)
    rows, label = slopes(target, net, z), torch.from_numpy(values(target, z))
    quadratic = sigma**2 * rows.square().sum().item() / strings
    rest, crossings = [], []
    for by in sigma * perturbations(net, networks, seed):
        pair = [moved(net, by), moved(net, -by)]
        loss = sum((run(other, bits, mask).f - label).square().mean() for other in pair) / 2
        rest.append((loss - (rows @ by).square().mean()).item() / quadratic)
        crossings += [crossed(net, other, bits, mask, target.omega).double().mean(dim=0) for other in pair]
    active, inactive = torch.stack(crossings).mean(dim=0).tolist()
    return Drawn(float(np.mean(rest)), CONFIDENT * float(np.std(rest)) / math.sqrt(networks), active, inactive)


def mean_loss(net: Network, mask: Masks, bits: Any, label: Any) -> Callable[[Any], Any]:
    """Of a vector of parameters."""
    return lambda vector: (run(named(vector, net), bits, mask).f - label).square().mean()


def held(effort: Effort) -> Tally:
    """Small networks with their whole Hessians: the change of the Hessian is the largest seen on the segments of all
    draws, none of which crosses a kink."""
    tally, rng = Tally(EXPANSION, "printed"), np.random.default_rng(effort.seed)
    for T, D, omega in ((2, 1, 2), (3, 2, 2)):
        target = random_target(T, D, omega, rng)
        net, mask, bits = build(target), masks(target), torch.from_numpy(all_strings(T))
        label = torch.from_numpy(values(target, all_strings(T)))
        start, loss = flat(net), mean_loss(net, mask, bits, label)
        hessian = torch.func.hessian(loss)
        H = hessian(start)
        for sigma in (1e-4, 1e-3):
            steps = sigma * perturbations(net, 4 * effort.scale, effort.seed)
            if any(crossed(net, moved(net, by), bits, mask, T + 1).any() for by in steps):
                continue
            others = (hessian(start + t * by) - H for by in steps for t in (0.5, 1.0))
            change = max(torch.linalg.eigvalsh(other).abs().max().item() for other in others)
            terms = [(loss(start + by) - by @ H @ by / 2).item() for by in steps]
            at = {"sigma": Fraction(sigma), "trace": Fraction(H.trace().item()), "n": len(start)}
            at["Delta"] = Fraction(change)
            tally.see("remainder", abs(float(np.mean(terms))), at, len(steps))
            tally.see("expectation", sigma**2 / 2 * H.trace().item() + float(np.mean(terms)), at, len(steps))
    return tally


def counted(effort: Effort) -> str:
    """What is left of the quadratic term, and how often kinks are crossed, in words."""
    told = []
    for D, sigma in itertools.product((1, 5), SIGMAS):
        target = random_target(20, D, 7, np.random.default_rng(effort.seed))
        one = drawn(target, sigma, 10 * effort.scale, 16, effort.seed)
        told.append(f"sigma = {sigma:g}, D = {D}: {one.share:+.1e} +- {one.give:.0e}, crossed in {one.active:.1%} and "
                    f"{one.other:.0%}")  # fmt: skip
    return "; ".join(told)


@check(EXPANSION)
def expansion(effort: Effort) -> Iterator[Result]:
    rng = np.random.default_rng(effort.seed)
    matrices = [rng.integers(-5, 6, (n, n)) for n in (1, 2, 3, 5) for _ in range(3)]
    wrong = [len(A) for A in matrices if trace_by_signs(A) != int(np.trace(A))]
    yield conclude(
        "E e_i e_j is sigma^2 where i = j, else 0: only the trace is left (finite sums over signs, which have the same "
        "second moments, in fractions)",
        [Proof(not wrong, f"matrices of size {wrong}")], part="quadratic", instances=len(matrices), tightness=1.0,
    )  # fmt: skip
    kinks = beyond_kinks()
    if any(proof.verdict is not True for proof in kinks):
        yield conclude("", kinks, part="expectation")
        return
    tally = held(effort)
    note = (
        "full Hessians of small networks, perturbations that cross no kink, the largest change seen on their segments; "
        "what is left after the quadratic term, relative to it (95%), and pairs of networks and strings that cross at "
        f"positions with and without a component, 20 bits, omega = 7: {counted(effort)}"
    )
    yield besides(
        "Taylor's formula asks for perturbations that cross no kink. Across one there need be no point of the segment: "
        "one offset moved by 1/(2D), twice its margin, gives the loss 1, and by the formula 0 or 4 (fractions). Of "
        "Gaussian perturbations some do cross at every sigma, and over all of them the Hessian is unbounded.",
        part="expectation",
    )
    for one in tally.results(note, ("expectation", "remainder")):
        yield replace(one, rung="tested")
