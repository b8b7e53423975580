"""The gap, and one layer by peeling: the chain against complexities that are computed.

The layers that have them stand in layers.py; here is what they are held against.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from sympy import Max, Min, diff, log, sqrt

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.complexity.deviations import deviations
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import least_at, polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.tally import ROUNDING

from . import peeling
from .layers import (
    EXPERIMENT,
    LAYERS,
    OUTER,
    PEELED,
    POSITIONS,
    along_the_values,
    along_the_width,
    below_zero,
    complexity,
    layers,
    spread_out,
)

# --- S2.3 ------------------------------------------------------------------------------------------------------------


@check("trauger2024/S2.3")
def gap_from_complexity(effort: Effort) -> Iterator[Result]:
    yield from deviations("trauger2024/S2.3", ("printed", "derived", "sharp"), True, effort)


# --- 4.1 and its corollaries ----------------------------------------------------------------------------------------


def against_layers(key: str, effort: Effort) -> Iterator[Result]:
    count = 0
    forms = "repaired", "derived", "sharp"
    best = {(part, form): 0.0 for part in ("R", "R_rows") for form in forms}
    for z, by_rows, sigma, widths, at in layers(key, effort):
        part, count = "R_rows" if by_rows else "R", count + len(widths)
        found = complexity(peeling.outer(z, by_rows, sigma, widths[0]), z, by_rows, effort)
        for form in forms:  # none falls with k
            said = float(value(key, form, part, at | {"k": widths[0]}))
            if PEELED * found.lower > said * (1 + ROUNDING):
                witness = texts(at) | {"k": widths[0], "sigma": sigma, "averages": z.tolist()}
                yield refuted("a layer exceeds it", witness, said, PEELED * found.lower, part=part, form=form)
                return
            best[part, form] = max(best[part, form], PEELED * found.value / said)
    note = "layers with exact suprema over the outer maps, k = 1, 4, 64, identity and ReLU, seven query-key matrices"
    for (part, form), ratio in best.items():
        yield Result("holds", "tested", note, instances=count // 2, tightness=ratio, part=part, form=form)


def step_by_step(effort: Effort) -> Iterator[Result]:
    """Rows bounded, ReLU, all signs: with the outer sign; twice without it; without the activation; and Dudley's sum
    for what is left, of which the textbook's constants are at most 12."""
    worst, count = [0.0, 0.0, 0.0], 0
    for z, by_rows, sigma, _, at in layers("trauger2024/4.1", effort):
        if not by_rows or sigma != "relu" or at["m"] > rademacher.ALL_SIGNS:
            continue
        suprema = (peeling.outer(z, True, "relu", 1), peeling.signed(z), peeling.outer(z, True, "identity", 1))
        whole, unsigned, left = (complexity(one, z, True, effort).value for one in suprema)
        inner = {name: x for name, x in at.items() if name not in OUTER}
        said = 12 * float(value("trauger2024/4.1", "derived", "E", inner))
        ratios = whole / (2 * unsigned), unsigned / left, left / said
        worst, count = [max(pair) for pair in zip(worst, ratios, strict=True)], count + 1
    steps = dict(zip(("sign", "activation", "Dudley's sum"), worst, strict=True))
    note = f"peeling step by step, the largest ratios: {', '.join(f'{name} {r:.3f}' for name, r in steps.items())}"
    for part, ratio in (("R_rows", max(worst[:2])), ("E", worst[2])):
        if ratio > 1 + ROUNDING:
            yield refuted(note, steps, 1, ratio, part=part, form="derived")
        else:
            yield Result("holds", "tested", note, instances=count, tightness=ratio, part=part, form="derived")


# --- 4.1: the cut-off of Dudley's sum --------------------------------------------------------------------------------


def best_cut_off() -> tuple[list[Proof], list[Proof]]:
    """tau + (B - tau) r + s log(B/tau) has the slope 1 - r - s/tau: over (0, B] it is least where that vanishes, if it
    does so below B, and else at B. For m > ln(2d), that is r < 1."""
    B, tau, r, s, d, m, C = positive("B_X tau r s d m C_F")
    dudley = tau + (B - tau) * r + s * log(B / tau)
    slope, inside = diff(dudley, tau), s / (1 - r)
    best = 1 / Max(1 / B, (1 - r) / s)
    roots = {r: sqrt(log(2 * d) / m), s: sqrt(C * (2 * B**2) ** 2 / m)}
    where, least = (formula("trauger2024/4.1", "derived", part) for part in ("delta_star", "E"))
    cases = [
        least_at(dudley, tau, inside, r < 1),
        polynomial(slope <= 0, r < 1, s >= (1 - r) * B, tau <= B, control=slope <= less - 1),
        polynomial(best <= Min(B, inside), r < 1, control=best <= less * Min(B, inside)),
        polynomial(best >= Min(B, inside), r < 1, control=less * best >= Min(B, inside)),
        same(where, best.subs(roots)),
    ]
    # at B the sum is B, so that the least value is no larger
    return cases, [*cases, same(dudley.subs(tau, B), B), same(least, Min(B, dudley.subs(tau, best).subs(roots)))]


def one_coordinate(m: int) -> Fraction:
    """All tokens e_1/2, outer bounds 1: in both readings E|sum of m signs|/2m."""
    return spread_out(1, m)


@check("trauger2024/4.1")
def cut_off(effort: Effort) -> Iterator[Result]:
    claim, at = registry.find("trauger2024/4.1"), {"d": 4, "m": 16, "B_X": 1, "C_F": 2}
    note = "over (0, B_x] the sum is least where its slope vanishes, if that is below B_x, and else at B_x (z3)"
    for part, proofs in zip(("delta_star", "E"), best_cut_off(), strict=True):
        yield conclude(note, proofs, part=part, form="derived")
    star, printed = (enclose(claim, "printed", part, **at) for part in ("delta_star", "E"))
    assert star.lower > 1 > printed.upper  # the slope is negative up to the star, so the least is the sum at B_x, B_x
    note = "its minimiser lies beyond the range B_x, up to which the integral goes; within, the sum falls to its end"
    yield refuted(note, texts(at), star.value, 1, part="delta_star", instances=1)
    yield refuted(f"below the least of Dudley's sum: {note}", texts(at), printed.value, 1, part="E", instances=1)
    B_X, C_F = LAYERS["trauger2024/4.1"]["sizes"]
    at, true = {"d": EXPERIMENT["d"], "m": EXPERIMENT["m"], "B_X": B_X, "C_F": C_F}, one_coordinate(EXPERIMENT["m"])
    printed = enclose(claim, "printed", "E", **at)
    assert printed.upper < 0 < true
    witness = {"class": "one token e_1/2 in each sample: signed coordinates of averages", **texts(at)}
    note = f"negative, where the complexity of coordinates of averages is positive: at {POSITIONS}"
    yield refuted(note, witness, printed.value, float(true), part="E", instances=1)


for _key in LAYERS:
    for _function in (below_zero, against_layers):
        check(_key)(partial(_function, _key))
    check(_key)(partial(along_the_width, _key))
check("trauger2024/4.1.1")(along_the_values)
check("trauger2024/4.1")(step_by_step)
