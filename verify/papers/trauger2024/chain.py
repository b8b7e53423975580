"""One layer by peeling, its losses and its gap: the chain against complexities that are computed.

What has them stands in layers.py and finite_classes.py; here is what they are held against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from sympy import Max, Min, diff, exp, limit, log, oo, sqrt

from maurey.numeric.balls import enclose
from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.packings.attacks import falling
from maurey.verify.papers.foster2019 import worst_sample
from maurey.verify.papers.maurey.proofs import less, positive
from maurey.verify.papers.shalev2014 import deviations
from maurey.verify.prove.proofs import Proof, conclude, formula, least_at, polynomial, same

from . import finite_classes as finite
from . import peeling
from .finite_classes import losses, on_the_sample
from .layers import (
    LAYERS,
    OUTER,
    PEELED,
    At,
    along_the_values,
    along_the_width,
    below_zero,
    complexity,
    layers,
    shown,
    spread_out,
)

ROUNDING = 1e-9  # relative, of doubles


def value(claim: Claim, form: str, part: str, at: At) -> float:
    return float(sweep(claim, form, part, **at).value)


def held(key: str, part: str, instances: Iterable[finite.Instance], note: str, exceeded: str) -> Result:
    """The printed form against what is true at every instance."""
    claim, best, count = registry.find(key), 0.0, 0
    for one in instances:
        said, count = value(claim, "printed", part, one.at), count + 1
        if one.lower > said * (1 + ROUNDING):
            return refuted(exceeded, one.witness, said, one.lower, part=part)
        best = max(best, one.true / said)
    return Result("holds", "tested", note, count, best, part=part)


# --- S2.3 ------------------------------------------------------------------------------------------------------------


@check("trauger2024/S2.3")
def gap_from_complexity(effort: Effort) -> Iterator[Result]:
    yield from deviations("trauger2024/S2.3", ("printed", "derived", "sharp"), True, effort)


# --- 4.1 and its corollaries ----------------------------------------------------------------------------------------


def against_layers(key: str, effort: Effort) -> Iterator[Result]:
    claim, count = registry.find(key), 0
    best = {(part, form): 0.0 for part in ("R", "R_rows") for form in ("derived", "sharp")}
    for z, by_rows, sigma, widths, at in layers(key, effort):
        part, count = "R_rows" if by_rows else "R", count + len(widths)
        found = complexity(peeling.outer(z, by_rows, sigma, widths[0]), z, by_rows, effort)
        for form in ("derived", "sharp"):  # neither falls with k
            said = value(claim, form, part, at | {"k": widths[0]})
            if PEELED * found.lower > said * (1 + ROUNDING):
                witness = shown(at) | {"k": widths[0], "sigma": sigma, "averages": z.tolist()}
                yield refuted("a layer exceeds it", witness, said, PEELED * found.lower, part=part, form=form)
                return
            best[part, form] = max(best[part, form], PEELED * found.value / said)
    note = "layers with exact suprema over the outer maps, k = 1, 4, 64, identity and ReLU, seven query-key matrices"
    for (part, form), ratio in best.items():
        yield Result("holds", "tested", note, count // 2, ratio, part=part, form=form)


def step_by_step(effort: Effort) -> Iterator[Result]:
    """Rows bounded, ReLU, all signs: with the outer sign; twice without it; without the activation; and Dudley's sum
    for what is left, of which the textbook's constants are at most 12."""
    claim, worst, count = registry.find("trauger2024/4.1"), [0.0, 0.0, 0.0], 0
    for z, by_rows, sigma, _, at in layers("trauger2024/4.1", effort):
        if not by_rows or sigma != "relu" or at["m"] > rademacher.ALL_SIGNS:
            continue
        suprema = (peeling.outer(z, True, "relu", 1), peeling.signed(z), peeling.outer(z, True, "identity", 1))
        whole, unsigned, left = (complexity(one, z, True, effort).value for one in suprema)
        said = 12 * value(claim, "derived", "E", {name: x for name, x in at.items() if name not in OUTER})
        ratios = whole / (2 * unsigned), unsigned / left, left / said
        worst, count = [max(pair) for pair in zip(worst, ratios, strict=True)], count + 1
    steps = dict(zip(("sign", "activation", "Dudley's sum"), worst, strict=True))
    note = f"peeling step by step, the largest ratios: {', '.join(f'{name} {r:.3f}' for name, r in steps.items())}"
    for part, ratio in (("R_rows", max(worst[:2])), ("E", worst[2])):
        if ratio > 1 + ROUNDING:
            yield refuted(note, steps, 1, ratio, part=part, form="derived")
        else:
            yield Result("holds", "tested", note, count, ratio, part=part, form="derived")


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
    yield refuted(note, shown(at), star.value, 1, part="delta_star", instances=1)
    yield refuted(f"below the least of Dudley's sum: {note}", shown(at), printed.value, 1, part="E", instances=1)
    at, true = {"d": 2, "m": 16, "B_X": 1, "C_F": 10**6}, one_coordinate(16)
    printed = enclose(claim, "printed", "E", **at)
    assert printed.upper < 0 < true
    witness = {"class": "one token e_1/2 in each sample: signed coordinates of averages", **shown(at)}
    note = "negative, where the complexity of coordinates of averages is positive"
    yield refuted(note, witness, printed.value, float(true), part="E", instances=1)


for _key in LAYERS:
    for _function in (below_zero, against_layers):
        check(_key)(partial(_function, _key))
    check(_key)(partial(along_the_width, _key))
check("trauger2024/4.1.1")(along_the_values)
check("trauger2024/4.1")(step_by_step)


# --- S4.2 ------------------------------------------------------------------------------------------------------------


@check("trauger2024/S4.2")
def several_heads(effort: Effort) -> Result:
    """Finite heads with integer values, all signs; w = 1, or else both signs of w inside the supremum."""
    claim, rng, count, shared = registry.find("trauger2024/S4.2"), np.random.default_rng(effort.seed), 0, 1.0
    for H, m, size in product((1, 2, 4), (1, 3, 8), (1, 2, 4)):
        heads = [rng.integers(-9, 10, size=(size, m)).astype(float) for _ in range(H)]
        R = [max(rademacher.finite(head, 0, rng).value, 0.0) for head in heads]
        together = rademacher.finite(finite.all_sums(heads), 0, rng).value
        said, count = value(claim, "printed", "R", {"H": H, "R_F": R}), count + 1
        if abs(together - said) > ROUNDING * max(said, 1):
            witness = {"heads": [head.tolist() for head in heads]}
            return refuted("heads whose sum has another complexity", witness, said, together, part="R")
        apart = sum(rademacher.finite(np.vstack([head, -head]), 0, rng).value for head in heads)
        sums = finite.all_sums(heads)
        if apart:
            shared = min(shared, rademacher.finite(np.vstack([sums, -sums]), 0, rng).value / apart)
    note = (
        "finite heads with a fixed w, all signs, equal in every case; with w inside the supremum the heads share it, "
        f"and the left side can be smaller (down to {shared:.3f} of the right)"
    )
    return Result("holds", "tested", note, count, 1.0, part="R")


# --- G ---------------------------------------------------------------------------------------------------------------


@check("trauger2024/G")
def cross_entropy(effort: Effort) -> Iterator[Result]:
    """With v = e^x: the word's own v, another's u, and the rest. A derivative in x is v times that in v."""
    v, u, rest, Delta, q = positive("v u rest Delta q")
    loss, slope = log(v + u + rest) - log(v), formula("trauger2024/G").subs(Delta, 1)
    own, others = -v * diff(loss, v), u * diff(loss, u) / u * (u + rest)  # others: alike in u, and summed over all
    far = log(1 + q * exp(2 * Delta)) - log(1 + q)  # the word's score falls by Delta, the others rise; q = (1 - p)/p
    yield conclude(
        "The gradient is softmax(x) - e_i, of l1 norm 2 (1 - p_i) (identity), at most 2 (z3); where the word has little"
        " mass and its score falls as the others rise, the loss moves by 2 Delta in the limit.",
        [same(own, 1 - v / (v + u + rest)), same(own + others, 2 * (1 - v / (v + u + rest))),
         polynomial(own + others <= slope, control=own + others <= less * slope),
         same(limit(far, q, oo), formula("trauger2024/G"))], part="moved", tightness=1.0,
    )  # fmt: skip
    claim, rng, best, count = registry.find("trauger2024/G"), np.random.default_rng(effort.seed), 0.0, 0
    for K, scale, step in product((2, 10, 1000), (0.1, 3.0, 30.0), (0.1, 1.0, 20.0)):
        scores, steps = rng.normal(scale=scale, size=(200, K)), rng.uniform(-step, step, size=(200, K))
        scores[0, 0], steps[::4] = -40.0, step
        steps[::4, 0] = -step
        ratios = (
            finite.moved_loss(scores, steps) / sweep(claim, "printed", "moved", Delta=np.abs(steps).max(axis=1)).value
        )
        worst, count = int(ratios.argmax()), count + len(scores)
        if ratios[worst] > 1 + ROUNDING:
            witness = {"scores": scores[worst].tolist(), "steps": steps[worst].tolist()}
            yield refuted("the loss moves further", witness, 1, float(ratios[worst]), part="moved")
            return
        best = max(best, float(ratios[worst]))
    note = "scores of 2 to 1000 words; a word of score -40 that falls as all others rise comes near to it"
    yield Result("holds", "tested", note, count, best, part="moved")


# --- 5.1 -------------------------------------------------------------------------------------------------------------


@check("trauger2024/5.1")
def masking_on_the_sample(effort: Effort) -> Result:
    note = (
        "for orthogonal inputs with a word each the losses keep a fixed complexity, and that of one score on the same "
        "sample is at most 1/(2K)"
    )
    made = (
        "one layer, rows bounded by 1, d = K, m = 2K: a masked token 0 beside each of e_1, ..., e_K, twice, with word s"
    )
    ray = {"K": "1", "R_F": "-1"}
    truth = lambda point: (on_the_sample(int(point["K"]))[0], made)  # noqa: E731
    return falling("trauger2024/5.1", "R", {}, ray, (10**4, 10**8, 10**12), note, truth, "class")


@check("trauger2024/5.1")
def masking(effort: Effort) -> Result:
    """Rows of the read-out apart, linear scores: every choice of rows, against the worst sample for one score."""
    claim, rng, found = registry.find("trauger2024/5.1"), np.random.default_rng(effort.seed), []
    for K, m, size, scale in product((2, 3, 5), (2, 4), (2, 3), (0.1, 1.0, 20.0)):
        rows = scale * rng.normal(size=(size, 3))  # values of the scores that a row can give, on three inputs
        chosen = rows[np.array(list(product(range(size), repeat=K)))][..., np.arange(m) % 3]  # (functions, K, m)
        after = rademacher.finite(losses(chosen.swapaxes(1, 2), rng.integers(K, size=m)), 0, rng).value
        said = value(claim, "printed", "R_worst", {"K": K, "R_F": worst_sample(rows, m, rng)})
        found.append(after / said)
    note = (
        "the losses of all choices of rows, against sqrt K times the complexity of one score at the worst sample of "
        "that size: the largest ratio, which the constant and logarithms are to cover"
    )
    return Result("holds", "tested", note, len(found), max(found), part="R_worst")


@check("trauger2024/5.1")
def vocabulary(effort: Effort) -> Iterator[Result]:
    claim = registry.find("trauger2024/5.1")
    best, count = {"derived": 0.0, "sharp": 0.0}, 0
    for what, values, at in finite.vocabularies(effort):
        found, count = rademacher.finite(values, 0, np.random.default_rng(effort.seed)), count + 1
        for form in best:
            said = value(claim, form, "R_vocabulary", at)
            if found.lower > said * (1 + ROUNDING):
                yield refuted(f"exceeded by {what}", shown(at), said, found.lower, part="R_vocabulary", form=form)
                return
            best[form] = max(best[form], found.value / said)
    # where the trivial bound does not rule: K under the root of a logarithm
    at = finite.NETWORKS | {"d": 8, "k": 8, "m": 10**9, "B_w": 1, "B_W_11": 8}
    for form, ratio in best.items():
        sizes = [value(claim, form, "R_vocabulary", at | {"K": K}) for K in (10, 1000, 10**6)]
        note = (
            "the losses of networks and of two opposite read-outs, all signs; at K = 10, 10^3, 10^6 and m = 10^9 it is "
            f"{', '.join(f'{size:.4g}' for size in sizes)}"
        )
        if sizes[2] > 2 * sizes[0]:
            yield Result("undecided", "tested", f"{note}: more than a logarithm", count, part="R_vocabulary", form=form)
        else:
            yield Result("holds", "tested", note, count, ratio, part="R_vocabulary", form=form)


# --- finite classes: maurey/chaining, union, peeling, vocabulary -----------------------------------------------------


@check("maurey/chaining")
def entropies(effort: Effort) -> Iterator[Result]:
    yield from (known_entropies(part, effort) for part in ("R", "external", "linear"))


def known_entropies(part: str, effort: Effort) -> Result:
    note = "finite classes of sign vectors: all signs, or drawn ones"
    return held("maurey/chaining", part, finite.sign_vectors(part, effort), note, "a finite class exceeds it")


@check("maurey/union")
def unions(effort: Effort) -> Result:
    return held(
        "maurey/union", "R", finite.families(effort), "finite classes: all signs, or drawn ones", "a union exceeds it"
    )


@check("maurey/peeling")
def with_its_negative(effort: Effort) -> Result:
    """All signs. Of {0, f} the two suprema are never both positive, so that the factor 2 is attained."""
    claim, rng, best, count = registry.find("maurey/peeling"), np.random.default_rng(effort.seed), 0.0, 0
    for m, size in product((1, 3, 8, 12), (1, 2, 20)):
        values = np.vstack([np.zeros(m), rng.integers(-9, 10, size=(size, m))])
        both = np.vstack([values, -values])
        odd = np.vstack([values, -values]) ** 3  # after an odd activation
        classes = (values, both, odd, np.vstack([odd, -odd]))
        alone, together, once, again = (rademacher.finite(x, 0, rng).value for x in classes)
        bound, count = value(claim, "printed", "sign", {"R_F": alone}), count + 1
        if together > bound * (1 + ROUNDING) or again != once:
            where = {"functions": values.tolist()}
            return refuted("a class with its negative exceeds it", where, bound, together, part="sign")
        best = max(best, together / bound if bound else 0.0)
    note = "finite classes with zero, all signs; {0, f} attains it, and a class that is odd already gains nothing"
    return Result("holds", "tested", note, count, best, part="sign")


@check("maurey/vocabulary")
def moved_scores(effort: Effort) -> Result:
    note = "read-outs of up to 1000 words; rows along the movement of their input come near to it"
    return held("maurey/vocabulary", "moved", finite.moved_read_outs(effort), note, "scores move further")
