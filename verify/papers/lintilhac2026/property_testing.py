"""Appendix H: how often a trial of the tests of degree and sparsity rejects, and what follows for their confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, product
from math import prod
from typing import Any

import numpy as np
import sympy
from sympy import Symbol, cosh, exp, sinh

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import value
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.proofs import Proof, conclude
from maurey.verify.prove.subdivision import nonnegative
from maurey.verify.training.tasks.walsh import all_strings, random_target, transform

from .network import property_testing as pt

KEY = "lintilhac2026/H"
DOUBTS = (Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6))
CHANCES = (Fraction(1, 2), Fraction(2, 9), Fraction(1, 100), Fraction(5, 324))
FORMS = ("printed", "derived", "sharp")


def number(form: str, part: str, **at: Any) -> int:
    """A number of trials or queries."""
    return int(value(KEY, form, part, at).unique_fmpz())


# --- hits -------------------------------------------------------------------------------------------------------------


def listed(n: int, k: int) -> Fraction:
    """By all labels of n positions."""
    words = list(product(range(k + 2), repeat=n))
    return Fraction(sum(all(w.count(i) % 2 for i in range(1, k + 2)) for w in words), len(words))


def more_labels() -> Proof:
    """hit(n + 1) >= hit(n), for all n and k. Words of n labels that have 1..k+1 an odd number of times are n! times the
    coefficient of x^n in W = e^x sinh(x)^(k+1), and W' - (k+2) W = (k+1) sinh(x)^k, whose coefficients are not
    negative: sinh has none that is. So there are at least k + 2 times as many words for one label more."""
    x, k = Symbol("x", positive=True), Symbol("k", positive=True)
    W = exp(x) * sinh(x) ** (k + 1)
    left = (sympy.diff(W, x) - (k + 2) * W) / sinh(x) ** k
    right = (k + 1) * (cosh(x) - sinh(x)) * exp(x)
    same = sympy.simplify(sympy.expand(left - right)) == 0
    one = sympy.simplify(((cosh(x) - sinh(x)) * exp(x)).rewrite(exp)) == 1
    return Proof((same and one) or None, "hit(n + 1) >= hit(n)")


@check(KEY)
def hits(effort: Effort) -> Iterator[Result]:
    """The probability by listing all labels, and that of larger components, which is no smaller."""
    sizes = [(n, k) for k in range(1, 4) for n in range(k + 1, 6 + (effort.scale > 1))]
    counted = [Proof(pt.hit(n, k) == listed(n, k), f"hit({n}, {k}) by listing labels") for n, k in sizes]
    for form in ("printed", "derived"):
        said = [
            Proof(Fraction(*_exact(form, k)) == pt.hit(k + 1, k), f"p_1 at k = {k}")
            for k in range(1, 12 * effort.scale)
        ]
        yield conclude(
            "A component of n positions is hit with the probability 2^-(k+1) sum_j (-1)^j C(k+1, j) (1 - 2j/(k+2))^n "
            f"(labels listed for n <= {sizes[-1][0]}), which is p_1 at n = k + 1 and grows with n (by generating "
            "functions).",
            [*counted, *said, more_labels()], part="hit", form=form, instances=len(sizes),
        )  # fmt: skip


def _exact(form: str, k: int) -> tuple[int, int]:
    """The form as a fraction over (k+2)^(k+1), which it has for denominator."""
    below = (k + 2) ** (k + 1)
    made = enclose(registry.find(KEY), form, "hit", 60, k=k)
    numerator = round(Fraction(made.value) * below)
    inside = Fraction(made.lower) * below <= numerator <= Fraction(made.upper) * below
    return (numerator if inside else -1), below


# --- trials -----------------------------------------------------------------------------------------------------------


def enough() -> Proof:
    """1 - p <= e^-p on [0, 1]: so many trials as make e^(-pR) small enough are enough."""
    p = Symbol("p", real=True)
    return nonnegative(exp(-p) - 1 + p, {p: (0, 1)}, tight={p: 0})


@check(KEY)
def repetitions(effort: Effort) -> Iterator[Result]:
    """All accept with probability (1 - p)^R, a fraction."""
    for form in FORMS:
        steps: list[Proof] = [enough()]
        for doubt, p in product(DOUBTS, CHANCES):
            R = number(form, "queries", delta=doubt, hit=p, k=1) // 4
            steps.append(Proof((1 - p) ** R <= doubt, f"(1 - {p})^{R} <= {doubt}"))
            if form == "sharp":
                steps.append(Proof((1 - p) ** (R - 1) > doubt, f"one trial fewer than {R} is too few"))
            else:
                steps.append(Proof(pt.trials(doubt, p) == R, f"{R} = ceil(ln(1/{doubt})/{p})"))
            for k in (1, 3):
                made = number(form, "queries", delta=doubt, hit=p, k=k)
                steps.append(Proof(made == R * 2 ** (k + 1), f"queries at k = {k}"))
            if form != "derived":
                steps.append(Proof(number(form, "repetitions", delta=doubt, hit=p) == R, f"{R} trials"))
        note = (
            "1 - p <= e^-p on [0, 1] (ball arithmetic); (1 - p)^R <= delta' in fractions at every point tried"
            f"{', and one trial fewer would not do' if form == 'sharp' else ''}; no function with the property is ever "
            "rejected, since a set of at most k positions cannot meet k + 1 disjoint blocks."
        )
        for part in ("queries",) if form == "derived" else ("repetitions", "queries"):
            yield conclude(note, steps, part=part, form=form, instances=len(DOUBTS) * len(CHANCES))


def one_sided(effort: Effort) -> tuple[int, Proof]:
    """Drawn functions at and above their degree and sparsity: nothing is left but rounding."""
    rng, count, worst = np.random.default_rng(effort.seed), 0, 0.0
    for D, omega in product((1, 2, 3), (1, 5)):
        asked = pt.of_target(random_target(9, D, omega, rng))
        for k in range(D, 5):
            n = 200 * effort.scale
            blocks = pt.blocks_of(rng.integers(0, k + 2, size=(n, 9)), k)
            worst = max(worst, float(np.abs(pt.alternating(asked, rng.integers(0, 512, size=n), blocks)).max()))
            count += n
        for r in (2, 5, 9):
            worst = max(worst, float(pt.tail(pt.restricted(asked, r, 50, rng), omega).max()))
            count += 50
    return count, Proof(worst < pt.ROUNDING, f"what is left is {worst:.1e}")


def parity(T: int, S: int) -> list[int]:
    return [(x & S).bit_count() % 2 for x in range(2**T)]


@check(KEY)
def one_component(effort: Effort) -> Iterator[Result]:
    """Exactly, for a parity of n > k of T bits: a trial rejects as often as the parity is hit."""
    count, never = one_sided(effort)
    sizes = [(T, k) for T in range(2, 6) for k in range(1, T) if (k + 2) ** T * 2 ** (T + k + 1) < 10**6]
    exact = [Proof(pt.rejection(parity(T, 2**T - 1), k) == pt.hit(T, k), f"parity of {T}, k = {k}") for T, k in sizes]
    exact += [  # sums are linear: no function of degree k is rejected if no character is
        Proof(pt.rejection(parity(4, S), k) == 0, f"the character {S} of 4 bits at k = {k}")
        for k in (1, 2, 3)
        for S in range(16)
        if S.bit_count() <= k
    ]
    for form in FORMS:
        queries = [
            Proof((1 - pt.hit(n, k)) ** (number(form, "component", k=k, delta=doubt) // 2 ** (k + 1)) <= doubt,
                  f"a component of {n} positions at k = {k} passes with probability {doubt} at most")
            for k, doubt in product(range(1, 6), DOUBTS) for n in (k + 1, k + 2, 20)
        ]  # fmt: skip
        yield conclude(
            "One component beyond degree k: a trial rejects with the probability of a hit (all strings and labels for "
            f"T <= {sizes[-1][0]}), which is p_1 or more. No character of degree k or less is ever rejected (all of 4 "
            f"bits), hence no sum of them; {count} trials of drawn functions with the property leave only rounding.",
            [*exact, more_labels(), never, *queries], part="component", form=form, instances=count + len(sizes),
        )  # fmt: skip


# --- several components -----------------------------------------------------------------------------------------------


def products(d: int) -> list[int]:
    """Of d sums of two signs: degree d, 2^d components with equal positive coefficients."""
    y = 1 - 2 * all_strings(2 * d).astype(int)
    made: list[int] = (y[:, ::2] + y[:, 1::2]).prod(axis=1).tolist()
    return made


def rejects_product(d: int, k: int) -> Fraction:
    """By factors: on the 2^(k+1) points of a cube half a sum of two signs is a vector of -1, 0 and 1, which the signs
    and the two labels decide; factors are independent and multiply point by point."""
    corners = list(product((1, -1), repeat=k + 1))
    sides = [(1,) * len(corners), *(tuple(corner[i] for corner in corners) for i in range(k + 1))]
    one = Counter(
        tuple((y * a + z * b) // 2 for a, b in zip(first, second, strict=True))
        for first, second, y, z in product(sides, sides, (1, -1), (1, -1))
    )
    made: Counter[tuple[int, ...]] = Counter({(1,) * len(corners): 1})
    for _ in range(d):
        longer: Counter[tuple[int, ...]] = Counter()
        for (v, n), (w, m) in product(made.items(), one.items()):
            longer[tuple(a * b for a, b in zip(v, w, strict=True))] += n * m
        made = longer
    signs = [prod(corner) for corner in corners]
    odd = sum(n for v, n in made.items() if sum(a * b for a, b in zip(v, signs, strict=True)))
    return Fraction(odd, sum(made.values()))


def components(table: list[int], k: int) -> int:
    """Beyond degree k."""
    spectrum = transform(table)
    return sum(1 for S in range(len(spectrum)) if S.bit_count() > k and spectrum[S])


def uncertain() -> list[Proof]:
    """P(X != 0) >= 1/s for s characters with coefficients, on all functions of 3 bits with values -1, 0, 1."""
    found = []
    for table in product((-1, 0, 1), repeat=8):
        s, support = int(np.count_nonzero(transform(list(table)))), sum(v != 0 for v in table)
        found.append(s * support >= 8 or s == 0)
    return [Proof(all(found), "s P(X != 0) >= 1 for functions of 3 bits")]


@check(KEY)
def cancellation(effort: Effort) -> Iterator[Result]:
    """A product of sums of two signs is zero at most strings: a cube seldom sees it."""
    doubt, k, d = Fraction(1, 20), 1, 6
    p, queries = rejects_product(d, k), number("printed", "components", k=k, delta=doubt)
    passes = (1 - p) ** (queries // 2 ** (k + 1))
    needed = next(R for R in count(1) if (1 - p) ** R <= doubt) * 2 ** (k + 1)
    witness = {"f": "(y_1 + y_2)(y_3 + y_4)...(y_11 + y_12), y_i = (-1)^(z_i)", "T": 2**d, "D": d, "omega": 2**d,
               "k": k, "trial rejects": str(p), "p_1": str(pt.hit(k + 1, k)), "delta": str(doubt)}  # fmt: skip
    if passes > doubt:
        yield refuted(
            f"The number of trials is that of one component. The {2**d} equal ones of a product cancel at most "
            f"strings: they pass the test of a lower degree with probability {float(passes):.3f}, where delta is "
            "allowed (counted exactly). Queries, and how many this function would take.",
            witness, queries, needed, part="components",
        )  # fmt: skip
    tried = [(products(2), 1), (products(2), 0), (products(3), 0), ([0] * 31 + [1], 1), ([0] * 31 + [1], 2)]
    for form in ("derived", "sharp"):
        steps = [more_labels(), *uncertain()]
        same = [(n, j, rejects_product(n, j) == pt.rejection(products(n), j)) for n, j in ((1, 1), (2, 0), (3, 1))]
        steps += [Proof(equal, f"the product of {n} sums at k = {j}, by listing") for n, j, equal in same]
        for f, level in tried:
            s = components(f, level)
            steps.append(Proof(pt.rejection(f, level) >= pt.seldom(level, s), f"{s} components at k = {level}"))
        for s, j in product((1, 2, 16), (1, 2, 4)):
            R = number(form, "components", k=j, delta=doubt, omega=s) // 2 ** (j + 1)
            steps.append(Proof((1 - pt.seldom(j, s)) ** R <= doubt, f"{R} trials at k = {j} for {s} components"))
        yield conclude(
            "A trial rejects with probability p_1/omega at least: given that a component is hit, what is left is a "
            "nonzero sum of s <= omega characters, max |X|^2 <= s E X^2 <= s P(X != 0) max |X|^2. Held against exact "
            "probabilities, also of a conjunction.",
            steps, part="components", form=form, instances=len(tried),
        )  # fmt: skip


# --- sparsity ---------------------------------------------------------------------------------------------------------


@check(KEY)
def slices(effort: Effort) -> Iterator[Result]:
    """T equal components of degree 1 and r < T free positions: never more than r are seen."""
    T, r, eps, doubt = 20, 19, Fraction(1, 100), Fraction(1, 20)
    sets = [1 << j for j in range(T)]
    beyond = Fraction(1, 4 * T)  # the energy of one of them: the coefficient is c/2, c^2 = 1/T
    passes = 1 - pt.shows_more(sets, T, r, r)
    if passes > doubt and beyond > eps:
        yield refuted(
            "Energy eps beyond the s largest coefficients is not what makes a trial reject with probability eps: with "
            "all but one position free, a sum of T bits shows at most T - 1 components, and passes as such for ever: "
            "no number of queries is enough.",
            {"T": T, "D": 1, "omega": T, "s": r, "free": r, "eps": str(eps), "energy beyond s": str(beyond),
             "delta": str(doubt)},
            number("printed", "slices", delta=doubt, eps=eps, free=r), "Infinity", part="slices",
        )  # fmt: skip
    for form in ("derived", "sharp"):
        steps = [enough()]
        for p, q, free in product(DOUBTS, CHANCES, (4, 11)):
            made = number(form, "slices", delta=p, eps=q, free=free)
            R, rest = divmod(made, 2**free)
            least = (1 - q) ** (R - 1) > p if form == "sharp" else pt.trials(p, q) == R
            steps.append(Proof(not rest and (1 - q) ** R <= p and least, f"{made} queries"))
        whole = [pt.shows_more([0b0011, 0b0101, 0b1001], 4, 4, 2), pt.shows_more(sets[:3], 6, 4, 2)]
        steps += [Proof(whole[0] == 1, "all free: told apart"), Proof(whole[1] == Fraction(1, 5), "4 of 6 free")]
        yield conclude(
            "If eps is the probability with which a trial rejects, which is 1 or 0 where all positions are free; "
            "restrictions of s components have s at most, so that nothing else is ever rejected.",
            steps, part="slices", form=form, instances=len(steps) - 1,
        )  # fmt: skip
