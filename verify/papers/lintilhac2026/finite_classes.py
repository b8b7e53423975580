"""PAC-Bayes bounds on finite classes: the exact probability with which some posterior exceeds one.

A sample is m bits, each 1 with probability p; hypothesis k has the loss l_k0 on a 0 and l_k1 on a 1, so that everything
depends on the number j of ones, which is binomial. For bounds that are functions of E L_hat, E L and KL, a posterior
that comes out worst has the form prior * exp(a L - b L_hat): these are tried, for a and b on a grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Risk = Callable[[Array, Array], Array]  # from the mean loss on the sample and KL
TILTS = np.array([0.0, *np.geomspace(0.3, 1000, 10)])  # of L, and with the other sign of L_hat
ROUNDING = 1e-9


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
        j = np.arange(self.m + 1)
        logs = [math.lgamma(self.m + 1) - math.lgamma(i + 1) - math.lgamma(self.m - i + 1) for i in j]
        return np.exp(np.array(logs) + j * math.log(self.p) + (self.m - j) * math.log1p(-self.p))

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
