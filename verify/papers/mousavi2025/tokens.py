"""Moments of tokens and labels (Assumption 1) and what follows from them: the longest token (12), truncation (20).

Gaussian tokens have chi-square moments and tails, in balls. The law that has its whole mass at 0 and at one radius,
with as large a probability as all moments of order 1 and more allow, attains Markov's inequality at every radius.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from flint import arb, ctx
from sympy import E, Expr, log, sqrt

from maurey.numeric.evaluation import value
from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

PRECISION = 128  # bits
FAR, RATIO = 8, Fraction(513, 512)  # orders up to which moments are looked at, and in which steps
CLOSE = Fraction(1003, 1000)  # of the least constant, to be certain of it
BISECTIONS = 20

# --- as1 -------------------------------------------------------------------------------------------------------------


def squared_moment(d: int, r: Fraction) -> arb:
    """E[|x|^r]^(2/r) of a standard normal vector: it increases with r."""
    half, order = to_ball(Fraction(d, 2)), to_ball(r)
    return (((half + order / 2).lgamma() - half.lgamma()) * 2 / order).exp() * 2


def least_constant(d: int) -> tuple[arb, arb]:
    """The least C_x of standard normal tokens lies between the two: what order 1 asks for, and what is enough for all.

    From r to r' moments are at most those of order r'. Beyond the last order: an even moment 2k is d (d + 2) ... (d +
    2k - 2), at most (d + k - 1)^k, so that E[|x|^r]^(2/r) <= d + r/2.
    """
    with ctx.workprec(PRECISION):
        low, r, most = squared_moment(d, Fraction(1)) / d, Fraction(1), to_ball(Fraction(1, FAR) + Fraction(1, 2 * d))
        while r < FAR:
            following = Fraction(round(r * RATIO * 2**20), 2**20)
            most = most.max(squared_moment(d, following) / (d * to_ball(r)))
            r = following
        return low, most


@check("mousavi2025/as1")
def gaussian(effort: Effort) -> Result:
    """C_x = 1 is enough for standard normal tokens in every dimension, and no less in all of them."""
    d, r = positive("d r")
    sizes = (1, 2, 3, 10, 100, 1000 * effort.scale)
    found = {size: least_constant(size) for size in sizes}
    wide = [size for size, (low, high) in found.items() if not (high < low * to_ball(CLOSE) and high < to_ball(CLOSE))]
    falls = [a for a, b in pairwise(sizes) if not found[a][0] < found[b][0]]
    values = ", ".join(f"{float(low):.4f} at d = {size}" for size, (low, _) in found.items())
    return conclude(
        "Standard normal tokens satisfy it with C_x = 1: up to order 2 moments are at most d, beyond at most d + r/2 "
        "(even ones are products, and moments increase with their order), both at most d r (z3). The least constant is "
        f"that of order 1, in balls up to {float(CLOSE - 1):.1%}: {values}; it tends to 1.",
        [polynomial(d <= d * r, r >= 1, r <= 2, control=d <= less * d * r),
         polynomial(d + r / 2 <= d * r, r >= 2, d >= 1, control=d + r / 2 <= less * d * r),
         Proof(not wide, f"least constants at d = {wide}"), Proof(not falls, f"they increase at d = {falls}")],
        instances=len(sizes),
    )  # fmt: skip


# --- 12 --------------------------------------------------------------------------------------------------------------


def longest(d: int, radius: Fraction, number: int) -> arb:
    """P(max |x| >= radius) of so many independent standard normal tokens."""
    one = to_ball(radius**2 / 2).gamma_upper(to_ball(Fraction(d, 2)), regularized=1)
    return 1 - (1 - one) ** number


def most_likely(squared: arb, number: int) -> arb:
    """The same for tokens that are as likely to be as long as moments allow, never two of them at once; the squared
    radius in units of C_x e d. With mass p at the radius rho, p <= (C_x d r/rho^2)^(r/2) for all r >= 1."""
    order = squared.max(arb(1))
    return (number * (order / (arb.const_e() * squared)) ** (order / 2)).min(arb(1))


def markov(order: Expr) -> Expr:
    """nN (C_x d p)^(p/2) / r_x^p."""
    n, N, C, d, r = positive("n N C_x d r_x")
    return n * N * (C * d * order) ** (order / 2) / r**order


@check("mousavi2025/12")
def by_moments(effort: Effort) -> Iterator[Result]:
    n, N, C, d, r = positive("n N C_x d r_x")
    printed, usual = (formula("mousavi2025/12", part=part) for part in ("P", "P_usual"))
    at_usual = printed.subs(r, sqrt(3 * C * E * d * log(n * N)))
    markovs = same(log(markov(r**2 / (C * E * d))), log(printed))
    yield conclude(
        "Markov's inequality at the order p = r_x^2/(C_x e d) gives the bound (identity); Assumption 1 speaks of that "
        "moment where p is at least 1.",
        [markovs], part="P",
    )  # fmt: skip
    steps = [markovs, same(log(at_usual), log(usual))]
    yield conclude(
        "Markov's inequality at the order p = r_x^2/(C_x e d) gives the first bound, and that at the usual radius the "
        "second (identities); p = 3 log(nN) is then at least 1 for nN >= 2, and at nN = 1 the bound is 1.",
        [*steps, same(usual.subs({n: 1, N: 1}), 1), Proof(bool(3 * arb(2).log() > 1), "3 log 2 > 1")], part="P_usual",
    )  # fmt: skip
    yield from (along_radii(form, effort) for form in ("printed", "derived"))
    yield at_one_token()


def along_radii(form: str, effort: Effort) -> Result:
    """Gaussian tokens (C_x = 1), and the most likely law, over radii and numbers; radii below sqrt(C_x e d) are left to
    `at_one_token` as far as the print is concerned."""
    tight, count = 0.0, 0
    radii = [Fraction(i, 4) for i in range(1, 40 * (1 + effort.scale // 4), 3)]
    with ctx.workprec(PRECISION):
        for d, number, radius in product((1, 3, 10), (1, 2, 50), radii):
            squared = to_ball(radius**2 / d) / arb.const_e()
            if form == "printed" and not squared >= 1:
                continue
            said = value("mousavi2025/12", form, "P", {"n": number, "N": 1, "d": d, "r_x": radius, "C_x": 1})
            for what, true in (("Gaussian", longest(d, radius, number)), ("two radii", most_likely(squared, number))):
                count += 1
                if true > said * (1 + to_ball(Fraction(1, 10**9))):
                    at = {"n": number, "N": 1, "d": d, "r_x": str(radius), "C_x": 1, "law": what}
                    return refuted(f"{what} tokens are longer", at, decimal(said), decimal(true, False), part="P",
                                   form=form)  # fmt: skip
                tight = max(tight, float(true / said))
    note = (
        "standard normal tokens (C_x = 1, in balls) and tokens of two radii, 0 and the one asked for, with all the "
        "mass there that moments of order 1 and more allow and never two at once: these attain it"
    )
    return Result(
        "holds",
        "tested" if form == "printed" else "constructed",
        note,
        instances=count,
        tightness=min(tight, 1.0),
        part="P",
        form=form,
    )


def at_one_token() -> Result:
    """|x| = sqrt(C_x d) always: all moments are sqrt(C_x d) <= sqrt(C_x d r)."""
    at = {"n": 1, "N": 1, "d": 1, "r_x": 1, "C_x": 1}
    said = value("mousavi2025/12", "printed", "P", at)
    if not said < 1:
        return Result("undecided", "refuted", "the edge is not what it seems", instances=1, part="P")
    note = "for one token and a radius below sqrt(C_x e d) the moment that the proof takes is of an order below 1"
    witness = {**{name: str(x) for name, x in at.items()}, "law": "|x| = sqrt(C_x d) always"}
    return refuted(note, witness, decimal(said), 1, part="P", instances=1)


# --- 20 --------------------------------------------------------------------------------------------------------------


def taken_off(variance: arb, tau: arb) -> arb:
    """E[(D^2 - tau)_+] for D ~ N(0, variance): with t = tau/variance, 2 ((1 - t) Q(sqrt t) + sqrt t phi(sqrt t))."""
    if not tau > 0:
        return variance - tau
    t = tau / variance
    above = (t / 2).sqrt().erfc()  # twice Q(sqrt t)
    density = 2 * (t / (2 * arb.pi())).sqrt() * (-t / 2).exp()
    return variance * ((1 - t) * above + density)


def variance_of(at: dict[str, Any]) -> arb:
    """A label N(0, 1), and a prediction that reads one coordinate of one token with two units: s(h) - s(-h) = h."""
    return 1 + to_ball((Fraction(at["B_a"]) * Fraction(at["B_W_F"])) ** 2 / 4)


def level_needed(variance: arb, cost: arb) -> arb:
    """A level at which truncating the square of an N(0, variance) error still costs more than that."""
    low, high = arb(0), variance
    while taken_off(variance, high) > cost:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if taken_off(variance, middle) > cost else (low, middle)
    return low


GAUSSIAN = {"d": 1, "q": 1, "H": 1, "C_x": 1, "C_y": 1, "s": 1}


@check("mousavi2025/20")
def truncated(effort: Effort) -> Iterator[Result]:
    for form in ("printed", "derived", "sharp"):
        yield from held(form)
    at = GAUSSIAN | {"n": 100, "N": 10, "B_a": Fraction(1, 100), "B_W_F": 1}
    said = value("mousavi2025/20", "printed", "level", at)
    if not said < 0:
        yield Result("undecided", "refuted", "the point is not what it seems", instances=1, part="level")
        return
    note = (
        "it is negative where kappa^2 sqrt(n) is well below 1, whatever constant it hides: the level must grow with "
        "the labels, whose size kappa does not know. Labels N(0, 1) need more than the true value"
    )
    with ctx.workprec(PRECISION):
        needed = level_needed(arb(1), 1 / arb(100).sqrt())
    yield refuted(note, {name: str(x) for name, x in at.items()}, decimal(said), decimal(needed, False), part="level",
                  instances=1)  # fmt: skip


def held(form: str) -> Iterator[Result]:
    """At the level of the form, what truncation takes off is within the cost; and the level that this cost needs is
    within that of the form. The print with C0 = 1, where kappa^2 >= 2 (r_z^2 is at least 2 here)."""
    tight, count = {"cost": 0.0, "level": 0.0}, 0
    priced = "derived" if form == "sharp" else form  # the sharp level is for the same cost
    with ctx.workprec(PRECISION):
        for n, N, B_a in product((1, 4, 100, 10**6), (1, 10, 1000), map(Fraction, ("1/100", "1/2", "1", "30"))):
            at = GAUSSIAN | {"n": n, "N": N, "B_a": B_a, "B_W_F": 1}
            if form == "printed" and B_a < 1:
                continue
            said = {
                "level": value("mousavi2025/20", form, "level", at),
                "cost": value("mousavi2025/20", priced, "cost", at),
            }
            variance, count = variance_of(at), count + 1
            true = {"cost": taken_off(variance, said["level"]), "level": level_needed(variance, said["cost"])}
            for part in tight:
                if form == "printed" and true[part] > said[part]:
                    yield Result(
                        "undecided", "tested", f"a constant of 1 does not do at {at}", instances=count, part=part
                    )
                    return
                if true[part] > said[part]:
                    where = {name: str(x) for name, x in at.items()}
                    yield refuted("Gaussian errors lose more", where, decimal(said[part]), decimal(true[part], False),
                                  part=part, form=form)  # fmt: skip
                    return
                tight[part] = max(tight[part], float(true[part] / said[part]))
    for part in tight if form == priced else ("level",):
        note = "labels N(0, 1) and a linear prediction: what truncation takes off and the level that it needs, in balls"
        yield Result("holds", "tested", note, instances=count, tightness=tight[part], part=part, form=form)
