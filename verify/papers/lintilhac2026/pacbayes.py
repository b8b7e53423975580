"""The PAC-Bayes chain of appendix E.2: the best temperature and the best deviation by algebra, and the bounds for all
posteriors on finite classes."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol, diff, log, simplify

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.posteriors import HEATS, all_posteriors
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import Proof, conclude, formula

E_2 = "lintilhac2026/E.2"
delta, sigma, norm, trace = (Symbol(name, positive=True) for name in ("delta", "sigma", "norm_squared", "trace"))


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


def best_temperature() -> list[Proof]:
    """K/lambda + lambda Sigma^2/(2m) is convex in lambda, flat at the best temperature, and has the stated value."""
    heat, K, loss = (Symbol(name, positive=True) for name in ("temperature", "K", "loss_hat"))
    as_K = {log(1 / delta): K - norm / (2 * sigma**2)}
    fixed = at("fixed").subs(as_K).expand() - loss
    best, risk = simplify(at("temperature").subs(as_K)), simplify(at("risk").subs(as_K) - loss)
    return [flat_at(fixed, heat, best), convex(fixed, heat), same(simplify(fixed.subs(heat, best)), risk)]


def best_deviation() -> list[Proof]:
    """At delta = 1, with the loss trace sigma^2/2, the bound at the best temperature is convex in sigma and flat at the
    best deviation; sharpness has a third of it, the norm the rest."""
    total = simplify(at("risk", delta=1).subs(Symbol("loss_hat", positive=True), trace * sigma**2 / 2))
    best, least = at("sigma"), at("least")
    there = same(simplify(total.subs(sigma, best)), least)
    return [flat_at(total, sigma, best), convex(total, sigma), there, same(3 * trace / 2 * best**2, least)]


@check(E_2)
def temperatures(effort: Effort) -> Iterator[Result]:
    """The best temperature, the bound there, and the divergence of two Gaussians."""
    note = "K/lambda + lambda Sigma^2/(2m), K = norm^2/(2 sigma^2) + log(1/delta), is convex and flat there"
    yield conclude(note, best_temperature(), part="temperature")
    both = same(simplify(at("temperature", "derived")), simplify(at("temperature")))
    yield conclude(note, [*best_temperature(), both], rung="identity", part="temperature", form="derived")
    x, mean = Symbol("x", real=True), Symbol("mu", positive=True)
    ratio = ((x**2 - (x - mean) ** 2) / (2 * sigma**2)).expand()  # log of the posterior's density over the prior's
    linear = Proof(diff(ratio, x, 2) == 0, f"{ratio} is linear in x, with the mean that it has at the mean of x")
    note = "the logarithm of the ratio of two densities has its mean at the mean; coordinates add up"
    yield conclude(note, [linear, same(ratio.subs(x, mean), at("KL").subs(norm, mean**2))], part="KL")


@check(E_2)
def deviations(effort: Effort) -> Iterator[Result]:
    note = "the sum is convex in sigma and flat at the best deviation; a third of it is sharpness, two thirds are norm"
    for part in ("sigma", "least"):
        yield conclude(note, best_deviation(), part=part)
    same_least = same(at("least", "derived"), at("least"))
    yield conclude(note, [*best_deviation(), same_least], rung="identity", part="least", form="derived")


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
    yield all_posteriors(E_2, "printed", "risk", effort, {"Sigma": 0.5})
    yield all_posteriors(E_2, "derived", "risk", effort, {"Sigma": 0.5})
    yield all_posteriors(E_2, "derived", "chosen", effort, *grids)
    yield all_posteriors(E_2, "sharp", "risk", effort, {"Sigma": 0.5})
    yield from (all_posteriors(E_2, form, "fixed", effort, *heats) for form in ("printed", "derived"))
    yield from (all_posteriors(E_2, form, "mcallester", effort) for form in ("printed", "derived", "sharp"))
