"""Lemmas 21 and 22, Remark 23 and Theorem 24: how far a perturbation moves what the network computes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb, ctx

from maurey.numeric.evaluation import BITS, value
from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.gaussian_tails import beyond
from maurey.verify.papers.lintilhac2026.network.ascent import Tried, attacked, results
from maurey.verify.papers.lintilhac2026.network.draws import held, small
from maurey.verify.papers.lintilhac2026.network.perturbations import cases, values
from maurey.verify.papers.lintilhac2026.network.sharpness import gradients
from maurey.verify.training.tasks.walsh import Target

from .probabilities import exceeded, output

FIRST, NETWORK, INACTIVE, OUTPUT = (f"lintilhac2026/{number}" for number in (21, 22, 23, 24))
NAMES = ((FIRST, "b"), (NETWORK, "shift"), (NETWORK, "r"), (NETWORK, "g"), (INACTIVE, "q"), (OUTPUT, "moved"))
STARTS, STEPS = 5, 20
CLIMBED = "perturbations of one block, of two and of all, Gaussian, of signs and of rank one, climbed on the ratio"


@cache
def tried(effort: Effort) -> Tried:
    return attacked(cases(effort), values, NAMES, STARTS * effort.scale, STEPS * min(effort.scale, 4))


@check(FIRST)
def first_layer(effort: Effort) -> Iterator[Result]:
    yield from results(tried(effort), FIRST, f"{CLIMBED}; tight where only values move")


def margin(D: int) -> Fraction:
    """The least distance of a unit's input from its kink where the count is whole."""
    return min(
        abs(Fraction(k, D) + Fraction(o - 4 * i, 4 * D))
        for k in range(D + 1)
        for i in range(D + 1)
        for o in (-2, -1, 1, 2)
    )


@check(NETWORK)
def network(effort: Effort) -> Iterator[Result]:
    """At k/D the input of unit (i, o) is (4 (k - i) + o)/(4D), where o is 1 or 2 up to its sign."""
    highest = 12 + effort.scale
    if any(margin(D) != Fraction(1, 4 * D) for D in range(1, highest + 1)):
        yield Result("undecided", "tested", "a unit is nearer to its kink than 1/(4D)")
        return
    note = (
        f"{CLIMBED}. The margin is 1/(4D) exactly for all D up to {highest}, ends of the grid included: a change of "
        "one entry of Gamma by 1/(4D) puts a unit on its kink, so that the condition cannot be weakened"
    )
    yield from results(tried(effort), NETWORK, note)


@check(INACTIVE)
def inactive(effort: Effort) -> Iterator[Result]:
    note = f"{CLIMBED}; among the strings those that put units on their kinks"
    yield from results(tried(effort), INACTIVE, note)


@check(OUTPUT)
def outputs(effort: Effort) -> Iterator[Result]:
    yield from results(tried(effort), OUTPUT, CLIMBED)
    yield from held(OUTPUT, "T_p", effort)
    note = (
        f"{exceeded(OUTPUT, 'T_p', output)}. As sigma tends to 0 it is exceeded with a probability below "
        f"{float(rarely().upper()):.1g} for all sizes tried up to T = 100, but with a probability of "
        f"{tiny_coefficient():.2g} where a coefficient is 1e-300: some least coefficient is needed"
    )
    yield small(OUTPUT, "T_p", effort, note)


def tiny_coefficient() -> float:
    """How often, as sigma tends to 0, where a coefficient c makes the score log c + 2 log T large."""
    target = Target(3, ((0,), (1,), (2,)), (1, 1, 1e-300))
    at = {"omega": 3, "D": 1, "T": 3}
    deviation = math.sqrt(gradients(target, np.array([[0, 1, 0]])).total[0])
    return math.erfc(float(over_sigma(at)) / (math.sqrt(2) * deviation))


def over_sigma(at: dict[str, int]) -> arb:
    """T_p is sigma times this."""
    return value(OUTPUT, "printed", "T_p", at | {"sigma": Fraction(1, 10**6)}) * 10**6


def rarely() -> arb:
    """As sigma tends to 0, f moves by sigma times a Gaussian of deviation |grad f|: T_p is exceeded with at most this
    probability, for every target and string of these sizes, by Theorem 14 as derived."""
    most = arb(0)
    with ctx.workprec(BITS):
        for T in (2, 3, 5, 10, 20, 50, 100):
            for D in {1, 2, T}:
                for omega in {1, 2, T}:
                    at = {"omega": omega, "D": D, "T": T}
                    level = over_sigma(at)
                    squared = value("lintilhac2026/14", "derived", "total", at)
                    most = max(most, beyond(level / squared.sqrt()), key=float)
    return most
