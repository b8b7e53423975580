"""A PAC-Bayes certificate for a network that was trained, with nothing left out of its price.

Posterior N(mean, s^2 I), prior N(prior_mean, s^2 I), of divergence |mean - prior_mean|^2/(2 s^2). The prior mean has
not seen the strings: it is fixed before, or was trained on others. For losses in [0, 1] and one s, with probability
1 - delta over the n strings, for all means at once (maurer2004/5),

  risk of a drawn network <= inverse_kl(loss of a drawn network on the strings, (KL + log(2 sqrt(n)/delta))/n).

  * s is chosen with the strings in sight, from a grid that is not: the bound holds for all of it at delta/len(GRID).
  * The loss of a drawn network is a mean over all networks. It is estimated by N draws, each on strings picked from the
    sample with replacement: N independent numbers in [0, 1] with that mean, which is below
    inverse_kl(their mean, log(1/delta')/N) with probability 1 - delta' (Chernoff). s is settled before, by other draws.
  * inverse_kl increases in both arguments, so that upper ends may be put in for what they bound.

Outputs of networks and means of losses are floating-point numbers; all that comes after is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from flint import arb, ctx, fmpq
from torch import Tensor

from maurey.numeric.balls import enclose
from maurey.numeric.inverse_kl import of_balls
from maurey.symbolic import registry
from maurey.symbolic.claim import InputError

Forward = Callable[[Tensor, Tensor], Tensor]  # networks (E, P), strings (E, n, T): outputs (E, n)
Data = tuple[Tensor, Tensor]  # strings (n, T), labels (n,)

SEEGER = "maurer2004/5"
GRID = tuple(share * 2.0**-k for k in range(14) for share in (1.0, 0.75))  # of s; exact as floats
MONTE_CARLO = Fraction(1, 5)  # of delta: with what probability the draws may mislead
PILOT = 12, 16  # networks, and strings of each, by which s is settled
CELLS, AT_ONCE = 1 << 22, 1024  # parameters at a time; strings at a time
FLOATS = 1 + 2.0**-50  # a sum of squares in doubles is short by less, relatively
PRECISION = 96  # bits


def squared(f: Tensor, y: Tensor) -> Tensor:
    """At most 1, and 1 where the output is no number."""
    return (f - y).square().clamp(max=1).nan_to_num(1.0)


def wrong(f: Tensor, y: Tensor) -> Tensor:
    """Where labels are bits: not rounded to the right one."""
    return (~((f - y).abs() < 0.5)).to(f.dtype)


LOSSES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {"squared": squared, "wrong": wrong}


@dataclass(frozen=True)
class Gibbs:
    """Networks drawn around the mean, on strings."""

    forward: Forward
    mean: Tensor  # (P,)
    loss: str

    def losses(self, s: float, data: Data, draws: int, batch: int, rng: np.random.Generator) -> np.ndarray:
        """(draws,): of each network, the mean loss on strings of its own, picked with replacement."""
        strings, labels = data
        noise = torch.Generator(self.mean.device).manual_seed(int(rng.integers(2**62)))
        found = []
        for start in range(0, draws, size := max(1, CELLS // len(self.mean))):
            shape = min(size, draws - start), len(self.mean)
            rows = torch.from_numpy(rng.integers(len(labels), size=(shape[0], batch))).to(labels.device)
            drawn = self.mean + s * torch.randn(shape, generator=noise, dtype=self.mean.dtype, device=self.mean.device)
            with torch.no_grad():
                outputs = self.forward(drawn, strings[rows])
            found.append(LOSSES[self.loss](outputs, labels[rows]).double().mean(1).cpu().numpy())
        return np.concatenate(found)

    def at_the_mean(self, data: Data) -> float:
        total = 0.0
        for strings, labels in zip(*(part.split(AT_ONCE) for part in data), strict=True):
            with torch.no_grad():
                outputs = self.forward(self.mean[None], strings[None])
            total += float(LOSSES[self.loss](outputs[0], labels).double().sum())
        return total / len(data[1])


def divergence(mean: Tensor, prior_mean: Tensor, s: float) -> Fraction:
    """KL of N(mean, s^2 I) from N(prior_mean, s^2 I), from above."""
    squares = math.fsum((mean.double() - prior_mean.double()).square().tolist()) * FLOATS
    return Fraction(squares) / (2 * Fraction(s) ** 2)


def chernoff(estimate: Fraction, draws: int, delta: Fraction) -> Fraction:
    """Above the mean of numbers in [0, 1], from the mean of independent draws, with probability 1 - delta."""
    with ctx.workprec(PRECISION):
        c = arb(fmpq(delta.denominator, delta.numerator)).log() / draws
        found = of_balls(fmpq(estimate.numerator, estimate.denominator), c)
        if found is None:
            return Fraction(1)
        mantissa, exponent = found.upper().man_exp()
    return min(Fraction(1), int(mantissa) * Fraction(2) ** int(exponent))


def seeger(loss: Fraction, KL: Fraction, n: int, delta: Fraction) -> Fraction:
    """Above the risk of a drawn network, from its loss on n strings, with probability 1 - delta."""
    found = enclose(registry.find(SEEGER), "printed", "risk", loss_hat=min(loss, 1), KL=KL, m=n, delta=delta)
    return min(Fraction(1), Fraction(found.upper))


def up(x: Fraction) -> float:
    """The double at or above."""
    y = float(x)
    return y if Fraction(y) >= x else math.nextafter(y, math.inf)


def certify(
    forward: Forward,
    mean: Tensor,
    prior_mean: Tensor,
    strings: Tensor,
    labels: Tensor,
    rng: np.random.Generator,
    *,
    loss: str = "squared",
    test: Data | None = None,
    delta: Fraction = Fraction(1, 20),
    draws: int = 2000,
    batch: int = 16,
) -> dict[str, Any]:
    """What bounds the risk of a network drawn around the mean with probability 1 - delta, and all that went into it.
    The strings are those that the prior mean has not seen; `test` are for comparison alone."""
    if loss not in LOSSES:
        raise InputError(f"no loss {loss!r}; there are {', '.join(LOSSES)}")
    if mean.shape != prior_mean.shape:
        raise InputError(f"posterior and prior have one number of parameters, got {len(mean)} and {len(prior_mean)}")
    if len(labels) < 8:
        raise InputError(f"the bound needs at least 8 strings, got {len(labels)}")
    gibbs, data, n = Gibbs(forward, mean, loss), (strings, labels), len(labels)
    by_draws, by_strings = delta * MONTE_CARLO, delta * (1 - MONTE_CARLO)

    def bound(estimate: Fraction, s: float) -> Fraction:
        return seeger(estimate, divergence(mean, prior_mean, s), n, by_strings / len(GRID))

    pilot = {s: Fraction(float(gibbs.losses(s, data, *PILOT, rng).mean())) for s in GRID}
    s = min(GRID, key=lambda s: bound(pilot[s], s))
    each = gibbs.losses(s, data, draws, batch, rng)
    estimate = Fraction(float(each.mean()))
    above = chernoff(estimate, draws, by_draws)
    record = {
        "loss": loss,
        "bound": up(bound(above, s)),
        "KL": up(divergence(mean, prior_mean, s)),
        "sigma": s,
        "strings": n,
        "parameters": len(mean),
        "delta": float(delta),
        "delta_draws": float(by_draws),
        "grid": len(GRID),
        "draws": draws,
        "batch": batch,
        "gibbs": float(estimate),
        "gibbs_above": up(above),
        "mean": gibbs.at_the_mean(data),
    }
    if test is not None:
        risks = gibbs.losses(s, test, draws, batch, rng)
        record |= {
            "test_gibbs": float(risks.mean()),
            "test_gibbs_error": float(risks.std(ddof=1) / math.sqrt(draws)),
            "test_mean": gibbs.at_the_mean(test),
        }
    return record
