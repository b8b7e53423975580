"""Definition 1, Theorem 2, Remarks 3 and 4, and the numbers of appendix E.3: held against networks that exist.

The constructed network with exact attention is its own interpolator: it makes no error and dominates itself, so that
all that Theorem 2 asks of the learned network is true of it, and m may be as large as one likes. Singletons {1}, ...,
{T} with equal coefficients are a target on which everything depends on the number of ones, so that means over all
strings are sums over binomial probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Symbol, diff, simplify

from maurey.numeric.balls import enclose
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings, tiling, values

from . import hypotheses
from .network import construction, posterior, sharpness
from .pacbayes import E_2, norm, trace

LEARNER, MAIN, DOMINATION, BOUNDED, NUMBERS = (f"lintilhac2026/{number}" for number in (1, 2, 3, 4, "E.3"))
HOEFFDING = "hoeffding1963/lemma"
CASE: dict[str, Any] = {"omega": 10, "D": 2, "T": 20, "m": 10**6, "Sigma": Fraction(1, 100), "delta": Fraction(1, 20)}
SAID = {"sigma": "2.27e-3", "sharpness": "0.0797", "norm_term": "0.1594", "truncated": "0.239"}
FAR: dict[str, Any] = {"m": 10**80, "Sigma": Fraction(1, 2), "delta": Fraction(1, 20)}
SURE = 4.0  # standard errors


def singletons(T: int) -> Target:
    return Target(T, tuple((j,) for j in range(T)), (1,) * T)


def mean_gradient(T: int) -> float:
    """Of the squared norm of the gradient, over all strings, for singletons: j ones, binomial."""
    strings = np.tri(T + 1, T, -1, dtype=np.uint8)
    logs = [math.lgamma(T + 1) - math.lgamma(j + 1) - math.lgamma(T - j + 1) - T * math.log(2) for j in range(T + 1)]
    return float(sharpness.gradients(singletons(T), strings).total @ np.exp(logs))


# --- 1 ----------------------------------------------------------------------------------------------------------------


def valley(T: int, a: float, K: float, s: float) -> construction.Network:
    """Without first attention, every token gets K in its data channel; position 1 is attended to with weight s, and
    read with factor a: f = a s for all strings. The scores move by K per unit of W_2's last column."""
    like = construction.build(singletons(T))
    net = construction.Network(*(torch.zeros_like(block) for block in like))
    net.Gamma[:] = 1
    net.F[0, T + 1], net.W_2[0, T], net.v_2[0] = K, math.log(s * T / (1 - s)), a
    return net


def objective(net: construction.Network, target: Target) -> float:
    """Loss, norm and trace over all strings added up, by automatic differentiation."""
    z = all_strings(target.T)
    bits, y = torch.from_numpy(z), torch.from_numpy(values(target, z))

    def loss(theta: Any) -> Any:
        return (construction.run(construction.named(theta, net), bits).f - y).square().mean()

    theta = construction.flat(net)
    return float(loss(theta) + theta.norm() + torch.trace(torch.func.hessian(loss)(theta)))


def curving(T: Symbol, s: Symbol) -> Proof:
    """With scores u and s_1 = e^u_1/sum e^u, the second derivatives of s_1^2 in the u_t at u_1 = log(sT/(1-s)), u_t = 0
    elsewhere add up to 2 s^2 (1-s)(1 - 3s + 3(1-s)/T), which is negative at s = 7/10."""
    from sympy import exp

    u, v = Symbol("u", real=True), Symbol("v", real=True)
    first = exp(u) / (exp(u) + T)
    other = exp(u) / (exp(u) + T - 1 + exp(v))  # one of the T others moves
    total = diff(first**2, u, 2) + T * diff(other**2, v, 2).subs(v, 0)
    at = total.subs(exp(u), s * T / (1 - s)).subs(exp(2 * u), (s * T / (1 - s)) ** 2)
    return same(simplify(at), 2 * s**2 * (1 - s) * (1 - 3 * s + 3 * (1 - s) / T))


@check(LEARNER)
def no_minimiser(effort: Effort) -> Result:
    """Along a -> infinity loss and trace grow like a^2, the norm like a. In the trace the last column of W_2 has the
    share a^2 K^2 times a negative number; the rest grows with a^2 or with K^2, not with both."""
    T, a, K, s = 3, 1000.0, 30.0, 0.7
    sums = [objective(valley(T, a * scale, K, s), Target(T, ((0,),), (1,))) for scale in (1, 10)]
    proof = curving(Symbol("T", positive=True), Symbol("s", positive=True))
    if proof.verdict is not True or not sums[1] < 50 * sums[0] < 0:
        return Result("undecided", "refuted", f"the valley is not what it seems: {proof.text}", instances=1)
    note = (
        "nothing minimises the sum: it falls without end along v_2 = a e_1, since the trace, which is no sharpness "
        "where the loss is not small, falls with a^2; among networks without loss it cannot be negative. Minus the "
        "sum, for weights 1"
    )
    witness = {"T": T, "components": "{1}", "a": a, "K": K, "s": s, "alpha": 1, "beta": 1}
    return refuted(note, witness, 0, f"{-sums[0]:.6g}", instances=2)


# --- 2 ----------------------------------------------------------------------------------------------------------------


def spread_at_zero(target: Target) -> Fraction:
    """The variance of the loss f^2 of the network whose parameters are all 0, for a tiling with equal coefficients:
    f^2 = j^2/omega with j binomial."""
    omega = target.omega
    law = [Fraction(math.comb(omega, j), 2**omega) for j in range(omega + 1)]
    squares = [Fraction(j * j, omega) for j in range(omega + 1)]
    mean = sum((p * x for p, x in zip(law, squares, strict=True)), Fraction(0))
    return sum((p * (x - mean) ** 2 for p, x in zip(law, squares, strict=True)), Fraction(0))


def drawn_risk(target: Target, sigma: float, networks: int, seed: int) -> hypotheses.Estimate:
    """Of networks of N(construction, sigma^2 I), each on a few strings, in units of sigma^2."""
    rng, net, masks = np.random.default_rng(seed), construction.build(target), construction.masks(target)
    found = []
    for one in posterior.around(net, sigma, networks, seed):
        z, y = posterior.strings(target, 8, rng)
        found.append(float((construction.run(one, z, masks).f - y).square().mean()) / sigma**2)
    return posterior.estimate(found)


@check(MAIN)
def theorem_2(effort: Effort) -> Iterator[Result]:
    """The risk of networks drawn around the construction is sigma^2 times the mean squared gradient as sigma -> 0; with
    m large enough nothing is left of the printed bound but G_u sigma^2, which counts F's data column alone."""
    T, sigma = 64, 1e-11
    target, at = singletons(T), {"omega": T, "D": 1, "T": T, "sigma": Fraction(sigma), **FAR}
    mean, error = drawn_risk(target, sigma, 600 * effort.scale, effort.seed)
    low = Fraction(mean - SURE * error) * Fraction(sigma) ** 2
    claim = registry.find(MAIN)
    said = Fraction(enclose(claim, "printed", "risk", **at).upper)
    exact = mean_gradient(T)
    if abs(mean - exact) > SURE * error:
        yield Result(
            "undecided",
            "refuted",
            f"drawn networks have {mean:.4g}, their gradient {exact:.4g}",
            instances=1,
            part="risk",
        )
    elif low > said:
        note = (
            "networks drawn around the construction, which fits and dominates itself, have a larger risk: "
            f"{mean:.4g} +- {error:.2g} times sigma^2, where the squared gradient is {exact:.6g} on average"
        )
        witness = {name: str(x) for name, x in at.items()} | {"components": "{1}, ..., {T}", "coefficient": "1"}
        yield refuted(
            note, witness, f"{float(said):.6g}", f"{float(low):.4g}", part="risk", instances=600 * effort.scale
        )
    for form in ("derived", "sharp"):
        more = [at | {"grid": 1}, CASE | {"sigma": Fraction(2265676, 10**9), "grid": 20, "Sigma": Fraction(1, 2)}]
        risks = [mean * sigma**2, drawn_risk(tiling(20, 2), 2.265676e-3, 100, effort.seed)[0] * 2.265676e-3**2]
        best = max(
            risk / float(enclose(claim, form, "risk", **where).upper) for risk, where in zip(risks, more, strict=True)
        )
        note = "networks drawn around the construction, losses far below where they are clipped"
        yield Result(
            "holds" if best <= 1 else "undecided", "tested", note, instances=2, tightness=best, part="risk", form=form
        )
    yield from of_the_optimum()
    yield no_constant()


def of_the_optimum() -> Iterator[Result]:
    """As in E.2, with what is printed for norm and sharpness."""
    L, G_u = formula("lintilhac2026/10", "printed", "total"), formula("lintilhac2026/14", "printed", "total")
    for part in ("temperature", "sigma", "least"):
        usual = formula(E_2, "printed", part).subs({norm: L, trace: 2 * G_u})
        yield conclude(f"{part} as in E.2", [same(formula(MAIN, "printed", part), usual)], rung="identity", part=part)


def no_constant() -> Result:
    """The hypothesis on Sigma. No Sigma is below the standard deviation of a loss. At all parameters 0 that is an exact
    number, and it is continuous in them, so that the networks near 0 have about as much; and along v_2 = a e it is
    a^2 times one that is positive."""
    variance = spread_at_zero(tiling(20, 2))
    note = (
        "what it assumes of Sigma is true of no number: the standard deviation of the loss, which Sigma is not below, "
        f"is {math.sqrt(variance):.4g} at parameters 0 in E.3's case (variance {variance}), hence about that near by, "
        "and without bound as v_2 grows, on sets of positive mass under the prior; for losses clipped at b it is true "
        "of b/2"
    )
    return Result("undecided", "refuted", note, instances=1, part="risk")


# --- 3, 4 -------------------------------------------------------------------------------------------------------------


@check(DOMINATION)
def trade(effort: Effort) -> Result:
    """(alpha M, alpha Gamma, F/alpha) is the same function: squared norm and squared gradient are sums alpha^2 A +
    B/alpha^2 and a/alpha^2 + alpha^2 b, least at different alpha. Between these norm is traded for sharpness."""
    count = 0
    for target in (tiling(10, 2), tiling(12, 3), Target(8, ((0, 1), (2, 3)), (3, 4))):
        size, slope = sharpness.norms(target), sharpness.mean(target)
        best = ((size.F_data + size.F_positions) / (size.M + size.Gamma)) ** 0.25
        flattest = ((slope.M + slope.Gamma) / (slope.F_data + slope.F_positions)) ** 0.25
        if not (best > 1 and flattest > 1 and abs(best - flattest) > 1e-6):
            return Result(
                "undecided", "constructed", f"the optima are at {best:.3g} and {flattest:.3g}", instances=count
            )
        count += 1
    note = (
        "rescaled constructions: some have less norm and less sharpness, so that it can be met; and between the scales "
        "of least norm and of least sharpness the one is traded for the other"
    )
    return Result("holds", "constructed", note, instances=count)


@check(BOUNDED)
def remark_4(effort: Effort) -> Iterator[Result]:
    """For one network. For all of them at once there must be a bound on the loss, see Theorem 2."""
    for form in ("printed", "derived"):
        steps = [same(formula(BOUNDED, form, "Sigma"), formula(HOEFFDING, "printed", "Sigma"))]
        yield conclude("Hoeffding's lemma, for one network", steps, part="Sigma", form=form)


# --- E.3 --------------------------------------------------------------------------------------------------------------


@check(NUMBERS)
def numbers(effort: Effort) -> Iterator[Result]:
    """What the text prints, to its digits; the truncated value as a bound; budgets against the matrices."""
    claim = registry.find(NUMBERS)
    for part, text in SAID.items():
        found = enclose(claim, "printed", part, **CASE)
        digit = Fraction(1, 2) * Fraction(10) ** _last(text)
        near = abs(Fraction(found.value) - Fraction(text)) <= digit
        note = f"{found.value:.6g} at the case of the text, which has {text}"
        if near:
            yield Result("holds", "tested", note, instances=1, part=part)
        else:
            yield refuted(note, {name: str(x) for name, x in CASE.items()}, text, found.value, part=part)
    yield truncated(effort)
    yield from budgets()


def _last(text: str) -> int:
    """The power of ten of the last digit."""
    digits, _, power = text.partition("e")
    return int(power or 0) - len(digits.partition(".")[2])


def truncated(effort: Effort) -> Result:
    """At its own deviation the truncated value is 3 G_u sigma^2, the risk the mean squared gradient times sigma^2."""
    T = 200
    at = {"omega": T, "D": 1, "T": T, **FAR, "m": 10**44}  # sigma is then far above rounding errors
    claim = registry.find(NUMBERS)
    sigma = float(enclose(claim, "printed", "sigma", **at).value)
    said = float(enclose(claim, "printed", "truncated", **at).upper)
    mean, error = drawn_risk(singletons(T), sigma, 100 * effort.scale, effort.seed)
    low = (mean - SURE * error) * sigma**2
    if low <= said:
        return Result(
            "undecided",
            "refuted",
            f"drawn networks have {mean * sigma**2:.4g}, against {said:.4g}",
            instances=1,
            part="truncated",
        )
    note = f"networks drawn around the construction have a larger risk: {mean:.4g} +- {error:.2g} times sigma^2"
    witness = {name: str(x) for name, x in at.items()} | {"components": "{1}, ..., {T}", "sigma": f"{sigma:.6g}"}
    return refuted(note, witness, f"{said:.6g}", f"{low:.4g}", part="truncated", instances=100 * effort.scale)


def budgets() -> Iterator[Result]:
    """The (2,1) norms of the matrices: sums of the norms of columns."""
    worst: dict[tuple[str, str], float] = {}
    cases = (tiling(20, 2), tiling(9, 3), singletons(6), Target(8, ((0, 1), (2, 3)), (3, 4)))
    for target in cases:
        net = construction.build(target)
        sizes = {"omega": target.omega, "D": target.D, "T": target.T}
        for name in ("W_1", "W_V", "M", "F", "W_2"):
            true = float(getattr(net, name).norm(dim=0).sum())
            for form in ("printed", "derived"):
                ratio = true / float(enclose(registry.find(NUMBERS), form, f"B_{name}", **sizes).lower)
                worst[name, form] = max(worst.get((name, form), 0.0), ratio)
    for (name, form), ratio in worst.items():
        verdict = "holds" if ratio <= 1 + 1e-12 else "undecided"
        yield Result(
            verdict,
            "tested",
            "matrices of the construction",
            instances=len(cases),
            tightness=ratio,
            part=f"B_{name}",
            form=form,
        )
