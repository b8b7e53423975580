"""The PAC-Bayes chain: bounds for all posteriors on finite classes, Hoeffding's lemma, and appendix E.2 by algebra.

On a finite class the probability that some posterior exceeds a bound is a sum of binomial probabilities; it is compared
with delta. The bounds of E.2 take any divergence as |Theta|^2/(2 sigma^2) with sigma = 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from sympy import Expr, Rational, Symbol, diff, exp, log, simplify, sqrt

from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.proofs import Proof, conclude, formula, polynomial, same

from .finite_classes import Problem, Risk, problems

CATONI, SEEGER, MCALLESTER, HOEFFDING = (
    "alquier2024/sub-gaussian", "maurer2004/5", "neyshabur2017/mcallester", "hoeffding1963/lemma",
)  # fmt: skip
E_2 = "lintilhac2026/E.2"
DELTAS = (0.05, 0.5)
HEATS = (1.0, 3.0, 20.0)  # temperatures, in sqrt(m)
m, delta, Sigma, sigma, norm, trace = (
    Symbol(name, positive=True) for name in ("m", "delta", "Sigma", "sigma", "norm_squared", "trace")
)


# --- bounds for all posteriors ----------------------------------------------------------------------------------------


def held_against(key: str, form: str, part: str, effort: Effort, *given: dict[str, Any]) -> Result:
    """A bound on the risk of losses in [0, 1], at each of the given values of its other symbols."""
    rng, best, count = np.random.default_rng(effort.seed), 0.0, 0
    for problem in problems(rng, 4 * effort.scale):
        for delta in DELTAS:
            for more in given or ({},):
                often = problem.exceeded(risk_of(key, form, part, problem, delta, more))
                count, best = count + 1, max(best, often / delta)
                if often > delta:
                    where = {"m": problem.m, "p": problem.p, "losses": problem.losses.tolist(),
                             "prior": problem.prior.tolist(), "delta": delta, **more}  # fmt: skip
                    note = f"some posterior exceeds it with probability {often:.3g}"
                    return refuted(note, where, delta, often, part=part, form=form, instances=count)
    note = "some posterior of a finite class exceeds it: exact probabilities, against delta"
    return Result("holds", "tested", note, count, best, part=part, form=form)


def risk_of(key: str, form: str, part: str, problem: Problem, delta: float, more: dict[str, Any]) -> Risk:
    claim = registry.find(key)
    names = {symbol.name for symbol in claim.symbols}
    at = {name: value for name, value in more.items() if name in names}
    if "temperature" in names:
        at |= {"temperature": more.get("heat", 1.0) * math.sqrt(problem.m)}

    def risk(loss: np.ndarray, KL: np.ndarray) -> np.ndarray:
        own = {"KL": KL} if "KL" in names else {"norm_squared": 2 * KL + 1e-12, "sigma": 1}
        values = sweep(claim, form, part, loss_hat=loss.clip(max=1), m=problem.m, delta=delta, **own, **at)
        return np.asarray(values.value)

    return risk


@check(CATONI)
def catoni(effort: Effort) -> Result:
    return held_against(CATONI, "printed", "risk", effort, *({"Sigma": 0.5, "heat": heat} for heat in HEATS))


@check(SEEGER)
def seeger(effort: Effort) -> Iterator[Result]:
    yield from (held_against(SEEGER, "printed", part, effort) for part in ("risk", "root"))
    q, p = Symbol("q", positive=True), Symbol("p", positive=True)
    divergence = q * log(q / p) + (1 - q) * log((1 - q) / (1 - p))
    c = formula(SEEGER, "printed", "rate")
    kl_at = diff(divergence - 2 * (p - q) ** 2, p)
    yield conclude(
        "Pinsker's inequality: the derivative of kl(q||p) - 2(p-q)^2 in p is (p-q)(1/(p(1-p)) - 4), of the sign of p-q",
        [same(simplify(kl_at * p * (1 - p)), (p - q) * (1 - 4 * p * (1 - p))),
         polynomial(4 * p * (1 - p) <= 1, p < 1, control=Rational(401, 100) * p * (1 - p) <= 1),
         same(formula(SEEGER, "printed", "root") - Symbol("loss_hat", positive=True), sqrt(c / 2))],
        part="root",
    )  # fmt: skip


@check(MCALLESTER)
def mcallester(effort: Effort) -> Result:
    return held_against(MCALLESTER, "printed", "risk", effort)


@check(HOEFFDING)
def hoeffding_lemma(effort: Effort) -> Result:
    """By convexity a law on [0, b] has no larger moments e^(tX) than the law on the two ends with its mean bp. There
    log E e^(tX) - tbp vanishes at 0 with its slope, and bends by b^2 x (1 - x)."""
    t, b, p, x = (Symbol(name, positive=True) for name in "tbpx")
    moment = log(1 - p + p * exp(t * b)) - t * b * p
    share = p * exp(t * b) / (1 - p + p * exp(t * b))
    constant = formula(HOEFFDING, "printed", "Sigma")
    bend = polynomial(x * (1 - x) <= (constant / b) ** 2, x <= 1, control=x * (1 - x) <= Rational(249, 1000))
    return conclude(
        "the logarithm of the moments of two ends bends by at most b^2/4",
        [same(simplify(diff(moment, t, 2)), b**2 * share * (1 - share)),
         same(simplify(diff(moment, t).subs(t, 0)), 0), bend],
        part="Sigma",
    )  # fmt: skip


# --- E.2 --------------------------------------------------------------------------------------------------------------


def at(part: str, form: str = "printed", **values: Expr | int) -> Expr:
    return formula(E_2, form, part, **values)


def flat_at(expr: Expr, x: Symbol, point: Expr) -> Proof:
    """The derivative vanishes there."""
    return same(simplify(diff(expr, x).subs(x, point)), 0)


def convex(expr: Expr, x: Symbol) -> Proof:
    """A sum of terms c x^k with c > 0 and k < 0 or k >= 1, and constants."""
    terms = expr.expand().as_ordered_terms()
    powers = [term.as_coeff_exponent(x) for term in terms]
    fine = all(c.is_positive and (k <= 0 or k >= 1) for c, k in powers)
    return Proof(fine or None, f"{expr} is convex in {x}")


@check(E_2)
def temperatures(effort: Effort) -> Iterator[Result]:
    """The best temperature, the bound there, and the divergence of two Gaussians."""
    heat = Symbol("temperature", positive=True)
    K = Symbol("K", positive=True)
    loss = Symbol("loss_hat", positive=True)
    usual = norm / (2 * sigma**2) + log(1 / delta)
    fixed = at("fixed").subs(log(1 / delta), K - norm / (2 * sigma**2)).expand() - loss
    best, risk = (at(part).subs(log(1 / delta), K - norm / (2 * sigma**2)) for part in ("temperature", "risk"))
    best, risk = simplify(best), simplify(risk - loss)
    steps = [flat_at(fixed, heat, best), convex(fixed, heat), same(simplify(fixed.subs(heat, best)), risk)]
    note = "K/lambda + lambda Sigma^2/(2m) is convex in lambda and flat at the best temperature, K = " + str(usual)
    both = same(simplify(at("temperature", "derived")), simplify(at("temperature")))
    for form in ("printed", "derived"):
        yield conclude(note, [*steps, both], rung="identity", part="temperature", form=form)
    x, mean = Symbol("x", real=True), Symbol("mu", positive=True)
    ratio = ((x**2 - (x - mean) ** 2) / (2 * sigma**2)).expand()  # log of the posterior's density over the prior's
    linear = Proof(diff(ratio, x, 2) == 0, f"{ratio} is linear in x, with the mean that it has at the mean of x")
    for form in ("printed", "derived"):
        yield conclude(
            "the logarithm of the ratio of two densities has its mean at the mean; coordinates add up",
            [linear, same(ratio.subs(x, mean), at("KL", form).subs(norm, mean**2))],
            rung="identity", part="KL", form=form,
        )  # fmt: skip


@check(E_2)
def deviations(effort: Effort) -> Iterator[Result]:
    """At delta = 1, with the loss trace sigma^2/2, the bound at the best temperature is the sum that the best deviation
    is for; the sharpness has a third of it, the norm the rest."""
    total = simplify(at("risk", delta=1).subs(Symbol("loss_hat", positive=True), trace * sigma**2 / 2))
    best, least = at("sigma"), at("least")
    sharpness = trace / 2 * best**2
    steps = [
        flat_at(total, sigma, best),
        convex(total, sigma),
        same(simplify(total.subs(sigma, best)), least),
        same(3 * sharpness, least),
    ]
    note = "the sum is convex in sigma and flat at the best deviation; a third of it is sharpness, two thirds are norm"
    for part in ("sigma", "least"):
        yield conclude(note, steps, rung="identity", part=part)
    yield conclude(note, [*steps, same(at("least", "derived"), least)], rung="identity", part="least", form="derived")


@check(E_2)
def at_the_best(effort: Effort) -> Result:
    """The bound at the best temperature for that deviation and that loss, each of the deviations at its share."""
    grid, best = Symbol("grid", positive=True), at("sigma")
    loss = {Symbol("loss_hat", positive=True): trace / 2 * best**2}
    usual = at("risk", "derived").subs(loss).subs(sigma, best).subs(delta, delta / grid)
    note = "as at the best temperature, with the best deviation put in"
    return conclude(note, [same(at("at_best", "derived"), usual)], rung="identity", part="at_best", form="derived")


@check(E_2)
def for_all_posteriors(effort: Effort) -> Iterator[Result]:
    """Losses in [0, 1] have Sigma = 1/2, at which nothing is clipped."""
    grids = [{"Sigma": 0.5, "grid": number} for number in (1, 8)]
    heats = [{"Sigma": 0.5, "heat": heat} for heat in HEATS]
    yield held_against(E_2, "printed", "risk", effort, {"Sigma": 0.5})
    yield held_against(E_2, "derived", "risk", effort, {"Sigma": 0.5})
    yield held_against(E_2, "derived", "chosen", effort, *grids)
    yield held_against(E_2, "sharp", "risk", effort, {"Sigma": 0.5})
    yield from (held_against(E_2, form, "fixed", effort, *heats) for form in ("printed", "derived"))
    yield from (held_against(E_2, form, "mcallester", effort) for form in ("printed", "derived", "sharp"))
