"""Theorems 17, 18 and 31: the Hessian of the output, at rest and after a perturbation, and the trace of the loss's.

Single bits with equal coefficients, omega = T, some of them 0 and the others 1, show what pairs of blocks that were
dropped do as T grows. With p the share of zeros, C = sqrt(T), w = log(T^2/sqrt(T)) the scores and r_0, r_1 the hidden
vectors of the two counts, |r_0 - r_1|^2 = 25/8:

  F alone moves the scores of zeros against those of ones: in its unit direction (r_0 - r_1) (1, ..., 1)' f has the
  second derivative C T w^2 |r_0 - r_1|^2 p (1 - p) (1 - 2p), of order T^(3/2) log^2 T; H_u is of order T^(3/2).
  The squared gradient has C^2 p^2 (1 - p)^2 T w^2 |r_0 - r_1|^2 from these columns of F, of order T^2 log^2 T, beside
  64 (1-p)^2 T from M and 32 (1 + (1-p)^2) T from Gamma; G_u is of order T.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from maurey.numeric.evaluation import BITS, value
from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.papers.lintilhac2026.network.draws import held, largest, largest_share, small
from maurey.verify.papers.lintilhac2026.network.hessians import (
    FULL,
    along,
    at_random,
    loss_trace,
    operator,
    pairs,
    scores_apart,
)
from maurey.verify.papers.lintilhac2026.network.perturbations import Case, cases
from maurey.verify.papers.lintilhac2026.network.sharpness import gradients
from maurey.verify.tally import Tally
from maurey.verify.training.tasks.walsh import Target, random_target, tiling

from .probabilities import FAILING, exceeded, trace

TRACE, AT_REST, AFTER = (f"lintilhac2026/{number}" for number in (17, 18, 31))
KEPT = {("W_2", "v_2"), ("F", "v_2"), ("M", "v_2"), ("Gamma", "v_2"), ("M", "F"), ("Gamma", "F")}
VANISHES = 1e-9
SIGMA = {TRACE: Fraction(1, 10**9), AFTER: Fraction(1, 10**10)}  # the largest at which what is lacking at rest shows
AGREE = 1e-6


class Bits(NamedTuple):
    """Single bits with equal coefficients, so many of them zero."""

    T: int
    zeros: int

    def case(self) -> Case:
        target = Target(self.T, tuple((t,) for t in range(self.T)), (1,) * self.T)
        return Case(target, [int(t >= self.zeros) for t in range(self.T)])

    def at(self) -> dict[str, Any]:
        return {"omega": self.T, "D": 1, "T": self.T}

    def shown(self) -> dict[str, Any]:
        return {name: str(x) for name, x in self.at().items()} | {
            "components": "single bits",
            "coefficients": "equal",
            "string": f"{self.zeros} zeros, then ones",
        }

    def _common(self) -> tuple[arb, arb]:
        """T w^2 |r_0 - r_1|^2, and p."""
        units = [max(k + Fraction(o - 4 * i, 4), Fraction(0)) for k in (0, 1) for i in (0, 1) for o in (-2, -1, 1, 2)]
        apart = sum(((a - b) ** 2 for a, b in zip(units[:8], units[8:], strict=True)), Fraction(0))
        w = arb(self.T).log() * 3 / 2
        return self.T * w**2 * to_ball(apart), to_ball(Fraction(self.zeros, self.T))

    def curve(self) -> arb:
        """The second derivative in the direction of F."""
        common, p = self._common()
        return arb(self.T).sqrt() * common * p * (1 - p) * (1 - 2 * p)

    def trace(self) -> arb:
        """A part of twice the squared gradient: M, Gamma, and the columns of F that hold positions."""
        common, p = self._common()
        return 2 * self.T * (p**2 * (1 - p) ** 2 * common + 64 * (1 - p) ** 2 + 32 * (1 + (1 - p) ** 2))


MOST_CURVED = (3 - math.sqrt(3)) / 6  # share of zeros
CURVED, STEEP = Bits(600, 125), Bits(60, 30)  # so large that the leak of the first softmax does not hide it
Found = tuple[Bits, arb, arb]


def exceeding(key: str, part: str, bits: Bits, lower: Callable[[Bits], arb], **more: Fraction) -> Found | None:
    """Both, where the lower bound exceeds the printed form."""
    with ctx.workprec(BITS):
        said, true = value(key, "printed", part, bits.at() | more), lower(bits)
        return (bits, said, true) if true > said else None


# --- 18 --------------------------------------------------------------------------------------------------------------


def networks(effort: Effort) -> Iterator[Case]:
    """Random functions of all degrees and sparsities, the paper's own tiling, and single bits, which come nearest."""
    rng = np.random.default_rng(effort.seed)
    yield from cases(effort, 5)
    sizes = [(6, 1, 6), (5, 3, 2), (4, 4, 1), (7, 2, 2)] + [(8, 2, 5), (9, 3, 4), (20, 3, 7)] * (effort.scale // 4)
    for T, D, omega in sizes:
        target = random_target(T, D, omega, rng)
        if target.c.min() >= float(T) ** -2:
            yield Case(target, rng.integers(0, 2, size=T).tolist())
    yield Case(tiling(20, 2), ([1, 0] * 8 + [0, 0] * 2))
    for T in (2, 3, 4, 20):
        yield Bits(T, round((1 - MOST_CURVED) * T)).case()


def dropped(some: list[Case]) -> dict[tuple[str, str], float]:
    """Pairs of blocks that do not vanish and that the paper does not keep, and how large they were."""
    found: dict[tuple[str, str], float] = {}
    for case in some:
        for pair, size in pairs(case).items():
            if pair not in KEPT and size > VANISHES:
                found[pair] = max(found.get(pair, 0.0), size)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def with_softmax(bits: Bits) -> float:
    """The second derivative in the same direction, with softmax in the first layer for the ideal averages."""
    case = bits.case()
    direction = scores_apart(case)
    case.masks = None
    return along(case, case.theta, direction)


@check(AT_REST)
def at_rest(effort: Effort) -> Iterator[Result]:
    some = list(networks(effort))
    tallies = {form: Tally(AT_REST, form) for form in ("printed", "derived", "sharp")}
    for case in some:
        norm = operator(case)
        for tally in tallies.values():
            tally.see("operator", norm, case.at())
    note = "automatic differentiation for random functions of all sizes, and by power iteration for up to 20 bits"
    for form in ("derived", "sharp"):
        yield replace(tallies[form].result("operator", note), rung="tested")
    beyond = exceeding(AT_REST, "operator", CURVED, Bits.curve)
    if beyond is None or tallies["printed"].exceeded("operator"):
        yield Result("undecided", "refuted", "the direction in F is not what it seems", part="operator")
        return
    bits, said, true = beyond
    case = bits.case()
    if abs(along(case, case.theta, scores_apart(case)) / float(true) - 1) > AGREE:
        yield Result("undecided", "refuted", "the direction in F has another derivative", part="operator")
        return
    soft = with_softmax(bits)
    if not said < soft * (1 - AGREE):
        yield Result("undecided", "refuted", f"with softmax in the first layer it is {soft:.6g}", part="operator")
        return
    lost = dropped([case for case in some if len(case.theta) <= FULL])
    words = ", ".join(f"({one}, {other}) up to {size:.3g}" for (one, other), size in lost.items())
    note = (
        f"the second derivative along one unit direction in F, in balls and by automatic differentiation; with softmax "
        f"in the first layer it is {soft:.6g}. "
        f"{len(lost)} of the 22 pairs of blocks that are not kept do not vanish, on the networks tried: {words}. The "
        f"largest eigenvalue on these, T up to 20, is {tallies['printed'].ratios['operator']:.2g} of the bound"
    )
    yield refuted(note, bits.shown(), decimal(said), decimal(true, False), part="operator",
                  instances=tallies["printed"].instances["operator"])  # fmt: skip


# --- 31, 17 ----------------------------------------------------------------------------------------------------------


def still(key: str, part: str, beyond: Found | None, measure: Callable[[Any, Any], float], note: str) -> Result:
    """What exceeds the bound at rest does so after every perturbation that is small enough, and so with a probability
    that tends to 1 as sigma tends to 0; at one draw it is measured."""
    if beyond is None:
        return Result("undecided", "refuted", "nothing exceeds it at rest", part=part)
    bits, said, true = beyond
    case = bits.case()
    moved = measure(case, at_random(case, float(SIGMA[key])))
    if not moved >= float(true) * (1 - AGREE):
        return Result("undecided", "refuted", f"a draw has {moved:.6g}, which does not show it", part=part)
    note = (
        "what is missing at rest is missing as sigma tends to 0, with a probability that tends to 1; a draw has "
        f"{moved:.6g}. At ten times this sigma the terms of the perturbation, of high powers of T, hide it. {note}"
    )
    witness = bits.shown() | {"sigma": str(SIGMA[key]), "delta": str(FAILING)}
    return refuted(note, witness, decimal(said), decimal(true, False), part=part, instances=1)


@check(AFTER)
def after(effort: Effort) -> Iterator[Result]:
    yield from held(AFTER, "operator", effort, second=True)
    beyond = exceeding(AFTER, "operator", CURVED, Bits.curve, sigma=SIGMA[AFTER], delta=FAILING)
    seen = largest(AFTER, "operator", effort, second=True)
    note = f"Of draws with sigma up to 0.01 for two and three bits the largest is {seen:.2g} of the bound"
    yield still(AFTER, "operator", beyond, lambda case, at: along(case, at, scores_apart(case)), note)


@check(TRACE)
def loss(effort: Effort) -> Iterator[Result]:
    for part in ("trace", "P"):
        yield from held(TRACE, part, effort, second=True)
    beyond = exceeding(TRACE, "trace", STEEP, Bits.trace, sigma=SIGMA[TRACE], delta=FAILING)
    seen, share = largest(TRACE, "trace", effort, second=True), largest_share(effort)
    note = (
        f"Of draws with sigma up to 0.01 for two and three bits the largest is {seen:.2g} of the bound; the trace of "
        f"the second derivative of f is at most {share:.2g} of its operator norm times the number of parameters"
    )
    yield still(TRACE, "trace", beyond, loss_trace, note)
    (before,) = 2 * gradients(Target(2, ((0,),), (1,)), np.zeros((1, 2))).total
    beyond_that = exceeded(TRACE, "P", lambda T, sigma: trace(T, sigma) - to_ball(Fraction(before)))
    yield small(TRACE, "P", effort, beyond_that, second=True)
