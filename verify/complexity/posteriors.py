"""PAC-Bayes bounds on finite classes: the exact probability with which some posterior exceeds one, against delta.

A sample is m bits, each 1 with probability p; hypothesis k has the loss l_k0 on a 0 and l_k1 on a 1, so that everything
depends on the number j of ones, which is binomial. For bounds that are functions of E L_hat, E L and KL, a posterior
that comes out worst has the form prior * exp(a L - b L_hat): these are tried, for a and b on a grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from maurey.numeric.grids import sweep
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, refuted
from maurey.verify.tally import ROUNDING

from .distributions import binomial

Risk = Callable[[Array, Array], Array]  # from the mean loss on the sample and KL
TILTS = np.array([0.0, *np.geomspace(0.3, 1000, 10)])  # of L, and with the other sign of L_hat
DELTAS = (0.05, 0.5)
HEATS = (1.0, 3.0, 20.0)  # temperatures, in sqrt(m)


@dataclass(frozen=True)
class Problem:
    m: int
    p: float
    losses: Array  # (hypotheses, 2)
    prior: Array  # (hypotheses,)

    @property
    def true(self) -> Array:
        return self.losses @ np.array([1 - self.p, self.p])

    def on_samples(self) -> Array:
        """L_hat of every hypothesis, for every number of ones: (m + 1, hypotheses)."""
        ones = np.arange(self.m + 1)[:, None] / self.m
        return (1 - ones) * self.losses[:, 0] + ones * self.losses[:, 1]

    def weights(self) -> Array:
        """The probabilities of these numbers."""
        return binomial(self.m, self.p)

    def exceeded(self, bound: Risk) -> float:
        """With what probability some posterior has a risk above the bound."""
        tilts = TILTS if len(self.prior) > 1 else TILTS[:1]  # one hypothesis has one posterior
        a, b = (grid.ravel() for grid in np.meshgrid(tilts, tilts))
        seen, true = self.on_samples()[:, None], self.true
        tilted = a[:, None] * true - b[:, None] * seen + np.log(self.prior)  # (m + 1, tilts, hypotheses)
        top = tilted.max(-1, keepdims=True)
        rho = np.exp(tilted - top)
        rho /= rho.sum(-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            KL = np.where(rho > 0, rho * np.log(rho / self.prior), 0.0).sum(-1).clip(min=0)
        ratio = ((rho @ true) / bound((rho * seen).sum(-1), KL)).max(-1)
        return float(self.weights()[ratio > 1 + ROUNDING].sum())


def problems(rng: np.random.Generator, number: int) -> list[Problem]:
    """A fair coin alone, where nothing is to be chosen and bounds are nearest to what happens; then classes of coins,
    and of losses at random in [0, 1]."""
    found = [Problem(m, 0.5, np.eye(2)[:1], np.ones(1)) for m in (8, 60, 400)]
    for i in range(number):
        K, p = int(rng.integers(2, 6)), float(rng.choice([0.5, 0.1, 0.9]))
        losses = rng.random((K, 2)) if i % 2 else np.eye(2)
        found.append(
            Problem(int(rng.choice([8, 20, 60])), p, losses, rng.dirichlet(np.ones(len(losses))).clip(min=1e-9))
        )
    return found


def risk_bound(key: str, form: str, part: str, problem: Problem, delta: float, more: dict[str, Any]) -> Risk:
    """A form as a function of loss and divergence. Forms that take no divergence take it as |Theta|^2/(2 sigma^2) with
    sigma = 1; temperatures are given in sqrt(m)."""
    claim = registry.find(key)
    names = {symbol.name for symbol in claim.symbols}
    at = {name: value for name, value in more.items() if name in names}
    if "temperature" in names:
        at |= {"temperature": more.get("heat", 1.0) * math.sqrt(problem.m)}

    def risk(loss: Array, KL: Array) -> Array:
        own = {"KL": KL} if "KL" in names else {"norm_squared": 2 * KL + 1e-12, "sigma": 1}
        values = sweep(claim, form, part, loss_hat=loss.clip(max=1), m=problem.m, delta=delta, **own, **at)
        return np.asarray(values.value)

    return risk


def all_posteriors(key: str, form: str, part: str, effort: Effort, *given: dict[str, Any]) -> Result:
    """A bound on the risk of losses in [0, 1], for all posteriors at once, at each of the given values of its other
    symbols."""
    rng, best, count = np.random.default_rng(effort.seed), 0.0, 0
    for problem in problems(rng, 4 * effort.scale):
        for delta in DELTAS:
            for more in given or ({},):
                often = problem.exceeded(risk_bound(key, form, part, problem, delta, more))
                count, best = count + 1, max(best, often / delta)
                if often > delta:
                    where = {"m": problem.m, "p": problem.p, "losses": problem.losses.tolist(),
                             "prior": problem.prior.tolist(), "delta": delta, **more}  # fmt: skip
                    note = f"some posterior exceeds it with probability {often:.3g}"
                    return refuted(note, where, delta, often, part=part, form=form, instances=count)
    note = "how often some posterior of a finite class exceeds it: exact probabilities, none above delta"
    return Result("holds", "tested", note, instances=count, tightness=best, part=part, form=form)
