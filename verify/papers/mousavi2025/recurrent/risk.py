"""Theorem 5 and Lemmas 32 to 34: from the cover of recurrent networks to their risk, against classes with known
complexities, losses with exact probabilities, and labels that are as large as moments allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
from flint import arb, ctx
from sympy import Rational, log, sqrt

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, to_ball
from maurey.numeric.grids import sweep
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.complexity.distributions import binomial
from maurey.verify.papers.mousavi2025.tokens import taken_off
from maurey.verify.prove.arguments import positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula

from .memory import networks
from .networks import drawn, in_ball, outputs, scaled

RISK, COMPLEXITY, GAP, TRUNCATION = (f"mousavi2025/{number}" for number in (5, 32, 33, 34))
ROUNDING = 1e-9
HIDDEN, BISECTIONS = {"c_R": 6, "C0": 2}, 30
DEPTHS = {"L_h": 2, "L_y": 2}
ONES = {"d": 1, "q": 1, "C_x": 1}
LENGTHS = (1e50, 1e100, 1e200)  # of prompts, to tell powers of a logarithm from others


# --- 32 ------------------------------------------------------------------------------------------------------------


def losses(n: int, count: int, R: float, tau: float, rng: np.random.Generator) -> Array:
    """Of drawn networks of the class on n pairs: shape (networks, n). One in two has no weights on states, so that all
    are within 1/N of not reading them."""
    N, d_h = 4, 2
    z = [scaled(rng.normal(size=(N, 2)), R, rows=True) for _ in range(n)]
    positions, y = rng.integers(N, size=n), rng.normal(size=n) * 2
    found = np.empty((count, n))
    for row in range(count):
        nets = drawn([d_h + 2, 4, d_h], rng), drawn([d_h + 2, 4, d_h], rng), drawn([2 * d_h + 2, 4, 1], rng)
        for net in nets[:2]:
            net.W[0][:, :d_h] = 0
        f, b, read = in_ball(nets, R)
        made = np.array([outputs(f, b, read, tokens, d_h, R)[j] for tokens, j in zip(z, positions, strict=True)])
        found[row] = np.minimum((made - y) ** 2, tau)
    return found


@check(COMPLEXITY)
def lemma_32(effort: Effort) -> Iterator[Result]:
    """All signs; some of the class's networks have no larger complexity than all of them."""
    rng, best, count = np.random.default_rng(effort.seed), {"derived": 0.0, "sharp": 0.0}, 0
    for n, R, tau in ((4, 1.5, 1.0), (8, 3.0, 4.0), (8, 10.0, 100.0)):
        found = rademacher.finite(losses(n, 40 * effort.scale, R, tau, rng), 0, rng).value
        count += 1
        for form in best:
            said = float(value(COMPLEXITY, form, "Rad", dict(n=n, N=4, p=66, R=R, r_h=R, tau=tau, **DEPTHS)))
            if found > said * (1 + ROUNDING):
                where = {"n": n, "R": R, "tau": tau, "networks": "drawn"}
                yield refuted(
                    "the complexity of some of its networks exceeds it", where, said, found, part="Rad", form=form
                )
                return
            best[form] = max(best[form], found / said)
    for form, tight in best.items():
        note = "drawn recurrent networks, truncated losses, all signs"
        yield Result("holds", "tested", note, instances=count, tightness=tight, part="Rad", form=form)
    yield truncated_loss()
    yield from finite_sets(effort)


def truncated_loss() -> Result:
    """min((f - y)^2, tau) in steps of f: its derivative is 2|f - y| up to sqrt(tau), and 0 beyond."""
    rng, worst = np.random.default_rng(0), 0.0
    for tau in (1.0, 9.0):
        f, g = rng.uniform(-6, 6, size=(2, 20_000))
        moved = np.abs(np.minimum(f**2, tau) - np.minimum(g**2, tau))
        worst = max(worst, float((moved / (2 * math.sqrt(tau) * np.abs(f - g))).max()))
    verdict = "holds" if worst <= 1 + ROUNDING else "undecided"
    note = f"the truncated loss moves by at most {worst:.3f} of 2 sqrt(tau) times what predictions do"
    return Result(verdict, "tested", note, instances=2, part="Rad", form="derived")


def finite_sets(effort: Effort) -> Iterator[Result]:
    """Massart's lemma, on which it stands: K vectors of losses in [0, tau], all signs."""
    rng, worst, count = np.random.default_rng(effort.seed), {"derived": 0.0, "sharp": 0.0}, 0
    for n, K, tau in product((2, 6, 10), (2, 16, 200), (1.0, 5.0)):
        values = tau * rng.integers(2, size=(K, n)).astype(float)
        found, count = rademacher.finite(values, 0, rng).value, count + 1
        for form, size in (("derived", tau), ("sharp", tau / 2)):
            worst[form] = max(worst[form], found / (size * math.sqrt(2 * math.log(K) / n)))
    for form, ratio in worst.items():
        note = f"finite sets of losses, all signs: {ratio:.3f} of what Massart's lemma allows"
        verdict = "holds" if ratio <= 1 + ROUNDING else "undecided"
        yield Result(verdict, "tested", note, instances=count, part="Rad", form=form)


# --- 33 ------------------------------------------------------------------------------------------------------------


@check(GAP)
def corollary_33(effort: Effort) -> Iterator[Result]:
    """One network, losses 0 and tau: the risk exceeds the empirical risk by as much as a binomial tells."""
    best, count = {"derived": 0.0, "sharp": 0.0}, 0
    for n, share, delta, tau in product((1, 10, 100 * effort.scale), (0.05, 0.5), (0.01, 0.5), (1.0, 9.0)):
        weights = np.array(binomial(n, share))
        excess, count = tau * (share - np.arange(n + 1) / n), count + 1
        for form in best:
            said = float(value(GAP, form, "gap", dict(n=n, N=1, p=1, R=2, r_h=1, tau=tau, delta=delta, **DEPTHS)))
            often = float(weights[excess > said].sum())
            if often > delta:
                where = {"n": n, "share": share, "delta": delta, "tau": tau}
                yield refuted(f"exceeded with probability {often:.3g}", where, delta, often, part="gap", form=form)
                return
            reached = excess[np.cumsum(weights) > delta]
            best[form] = max(best[form], float(reached.max(initial=0.0)) / said)
    for form, tight in best.items():
        note = "one network with losses 0 and tau, exact probabilities"
        yield Result("holds", "tested", note, instances=count, tightness=tight, part="gap", form=form)
    n, N, C, d, delta, r = positive("n N C_x d delta r")
    usual = formula(GAP, "printed", "failure") - delta
    order = r**2 / (C * d)  # in units of e: at r^2 = 3 C e d log(nN) it is 3 log(nN)
    yield conclude(
        "Markov's inequality at the order 3 log(nN), as in 12, gives the probability of a long token",
        [same(log(usual), log(n * N) - Rational(1, 2) * order.subs(r, sqrt(3 * C * d * log(n * N))))],
        part="failure",
    )  # fmt: skip


# --- 34 ------------------------------------------------------------------------------------------------------------


def gaussian(at: dict[str, Any]) -> arb:
    """The variance of the error for a label N(0, 1) and a read-out of depth 2 that reads one coordinate of a token with
    two units, R/sqrt 2 each: s(h) - s(-h) = h makes (R^2/2) x."""
    return 1 + to_ball(Fraction(at["R"]) ** 4 / 4)


def two_labels(tau: float, C: float, s: float) -> float:
    """E[(y^2 - tau)_+] for labels that are 0 or one value, as likely as moments of order 1 and more allow, at the worst
    value; the network is zero. With mass p at u, p <= (C r^s/u^2)^(r/2), least at r^s = (u/e^(s/2))^2/C."""
    squares = tau * np.geomspace(1.0001, 1e4, 4000)
    order = np.maximum(1.0, (squares / C) ** (1 / s) / math.e)
    mass = np.minimum(0.0, order / 2 * (math.log(C) + s * np.log(order) - np.log(squares)))
    return float((np.exp(mass) * (squares - tau)).max())


def losses_at(tau: float, at: dict[str, Any]) -> dict[str, float]:
    """By law: what truncation at this level takes off."""
    found = {"labels of two values": two_labels(tau, float(at["C_y"]), at["s"])}
    if at["C_y"] == at["s"] == 1:
        with ctx.workprec(PRECISION):
            found["Gaussian errors"] = float(taken_off(gaussian(at), arb(tau)))
    return found


def level_needed(cost: float, at: dict[str, Any]) -> float:
    """A level at which one of the laws still loses more than that, but for rounding the largest."""
    low, high = 0.0, 1.0
    while max(losses_at(high, at).values()) > cost:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if max(losses_at(middle, at).values()) > cost else (low, middle)
    return low


@check(TRUNCATION)
def lemma_34(effort: Effort) -> Iterator[Result]:
    """At the level of the form, what truncation takes off is within the cost; and the level that this cost needs is
    within that of the form. The print, which hides them, has a degree of 6 and constants of 2 here, and C_y is 1."""
    for form, sizes in (("derived", (Fraction(1, 100), 1, 10**6)), ("sharp", (1,)), ("printed", (1,))):
        tight, count = {"cost": 0.0, "level": 0.0}, 0
        priced = "derived" if form == "sharp" else form
        for n, R, C_y, s in product((1, 10, 10**4, 10**8), (2, 5), sizes, (1, 3)):
            at: dict[str, Any] = ONES | {"n": n, "R": R, "r_h": Fraction(1, 100), "C_y": C_y, "s": s, "L_y": 2}
            plain = {name: float(x) for name, x in at.items()} | {"L_y": 2} | HIDDEN
            said = {"level": float(value(TRUNCATION, form, "level", plain)),
                    "cost": float(value(TRUNCATION, priced, "cost", plain))}  # fmt: skip
            true = {"cost": max(losses_at(said["level"], at).values()), "level": level_needed(said["cost"], at)}
            count += 1
            for part in tight:
                if form == "printed" and true[part] > said[part]:
                    yield Result(
                        "undecided", "tested", f"these constants do not do at {at}", instances=count, part=part
                    )
                    return
                if true[part] > said[part] * (1 + ROUNDING):
                    where = {name: str(x) for name, x in at.items()}
                    yield refuted("labels or errors lose more", where, said[part], true[part], part=part, form=form)
                    return
                tight[part] = max(tight[part], true[part] / said[part])
        note = (
            "labels of two values with all the mass that moments allow, and Gaussian errors: what truncation takes "
            "off, and the level that it needs"
        )
        note += "; with a degree of 6 and constants of 2 for what is hidden" if form == "printed" else ""
        for part in tight if form == priced else ("level",):
            yield Result("holds", "tested", note, instances=count, tightness=tight[part], part=part, form=form)


# --- 5 -------------------------------------------------------------------------------------------------------------


@check(RISK)
def theorem_5(effort: Effort) -> Iterator[Result]:
    """The network that the minimiser is compared with, run on prompts: its empirical risk against what is counted for
    the fit; and how the whole grows with the length of prompts."""
    found = [(one.true["squared_error"], one.at["eps_2NN"]) for one in networks(effort)]
    worst = max(error / (4 * eps) for error, eps in found)
    if worst > 1 + ROUNDING:
        yield refuted("the network fits worse", {"eps_2NN": found[0][1]}, 1, worst, part="risk", form="derived")
        return
    at = {"d": 2, "q": 2, "d_e": 8, "m": 4, "r_a": 1, "r_w": 1, "eps_2NN": 0.1, "C_x": 1, "C_y": 1, "s": 1, "n": 10**9}
    for form in ("derived", "sharp"):
        logs = [sweep(registry.find(RISK), form, "risk", **at, N=N).log for N in LENGTHS]
        widths = [math.log(math.log(1e9 * b) / math.log(1e9 * a)) for a, b in pairwise(LENGTHS)]
        powers = [float(b - a) / width for (a, b), width in zip(pairwise(logs), widths, strict=True)]
        note = (
            f"the network of 28 fits with {worst:.3f} of what is counted for it, on prompts that are run; at fixed d_e "
            f"the bound grows as power {powers[-1]:.1f} of log(nN), and no power of N"
        )
        verdict = "holds" if abs(powers[1] - powers[0]) < 1 else "undecided"
        yield Result(verdict, "tested", note, instances=len(found), part="risk", form=form)
