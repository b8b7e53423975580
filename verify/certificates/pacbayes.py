"""A PAC-Bayes certificate for a network that was trained, with nothing left out of its price.

Weights are multiples of h = s/16 and stay floats without rounding: the posterior is m + h J, with m the mean on that
lattice and J whole with P(J = j) proportional to exp(-h^2 j^2/(2 s^2)), the prior the same around its own mean m_0.
As the mean of J is 0, the divergence is |m - m_0|^2/(2 s^2), as it is for Gaussians of deviation s. The prior mean
has not seen the strings: it is fixed before, or was trained on others. For losses in [0, 1] and one s, with
probability 1 - delta over the n strings, for all means at once (maurer2004/5),

  risk of a drawn network <= inverse_kl(loss of a drawn network on the strings, (KL + log(2 sqrt(n)/delta))/n).

  * s is chosen with the strings in sight, from a grid that is not: the bound holds for all of it at delta/len(GRID).
  * J is drawn from a table of its law with probabilities that are multiples of 2^-64: less than 2^-55 of each parameter
    is elsewhere, and by so much all together the loss of a drawn network may be larger.
  * The loss of a drawn network is a mean over all networks. It is estimated by N draws, each on strings picked from the
    sample with replacement: N independent numbers in [0, 1] with that mean, which is below
    inverse_kl(their mean, log(1/delta')/N) with probability 1 - delta' (Chernoff). s is settled before, by other draws.
  * inverse_kl increases in both arguments, so that upper ends may be put in for what they bound.

Outputs are computed in doubles, which depend on how many are computed at once; they are rounded to multiples of 2^-20,
and a loss is the largest within 2^-20 of that: it is the same at every size of a batch, and not below that of the exact
network as long as doubles are right to 2^-21. Losses are rounded up to multiples of 2^-40: their means are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import torch
from flint import arb, ctx, fmpq
from torch import Tensor

from maurey.numeric.balls import enclose
from maurey.numeric.inverse_kl import of_balls
from maurey.symbolic import registry
from maurey.symbolic.claim import InputError

from . import bounds
from .losses import of_array

Forward = Callable[[Tensor, Tensor], Tensor]  # networks (E, P), strings (E, n, T): outputs (E, n)
Data = tuple[Tensor, Tensor]  # strings (n, T), labels (n,)

SEEGER = "maurer2004/5"
GRID = tuple(share * 2.0**-k for k in range(14) for share in (1.0, 0.75))  # of s; exact as floats
MONTE_CARLO = Fraction(1, 5)  # of delta: with what probability the draws may mislead
PILOT = 12, 16  # networks, and strings of each, by which s is settled
CELLS, AT_ONCE = 1 << 22, 1024  # parameters at a time; strings at a time
POINTS = 16  # of the lattice in a deviation
REACH = 10 * POINTS  # beyond which J is never
ELSEWHERE = Fraction(1, 2**55)  # of the law of J, at most: what a table of multiples of 2^-64 misses
FINE = 2.0**-20  # outputs are multiples of it
PRECISION = 96  # bits


def squared(f: Tensor, y: Tensor) -> Tensor:
    """At most 1, and 1 where the output is no number; the largest within FINE."""
    return ((f - y).abs() + FINE).square().clamp(max=1).nan_to_num(1.0)


def wrong(f: Tensor, y: Tensor) -> Tensor:
    """Where labels are bits: not rounded to the right one, or so near that it may not be."""
    return (~((f - y).abs() < 0.5 - FINE)).to(f.dtype)


LOSSES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {"squared": squared, "wrong": wrong}


@cache
def _table() -> np.ndarray:
    """2^64 P(J <= j) for j from -REACH on, rounded down; the last is left out."""
    with ctx.workprec(192):
        weights = [(-arb(fmpq(j * j, 2 * POINTS**2))).exp() for j in range(-REACH, REACH + 1)]
        total, below, ends = sum(weights, arb(0)), arb(0), []
        for weight in weights[:-1]:
            below += weight
            ends.append(int((below / total * 2**64).floor().unique_fmpz()))
    return np.array(ends, dtype=np.uint64)


def noise(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """J, independently: the same numbers whether many rows are drawn at once or few."""
    found = np.searchsorted(_table(), rng.integers(2**64, size=shape, dtype=np.uint64), side="right")
    return found.astype(np.float64) - REACH


def on_lattice(mean: Tensor, s: float) -> Tensor:
    """In multiples of s/POINTS, as doubles."""
    return (mean.double() * (POINTS / s)).round()


def fits(mean: Tensor, s: float) -> bool:
    """Whether all that is drawn around it are floats of single precision: s is 1 or 3/4 times a power of two."""
    return bool(3 * (on_lattice(mean, s).abs().max() + REACH) <= 2**24)


@dataclass(frozen=True)
class Gibbs:
    """Networks drawn around the mean, on strings."""

    forward: Forward
    mean: Tensor  # (P,)
    loss: str

    def each(self, weights: Tensor, strings: Tensor, labels: Tensor) -> Tensor:
        """Losses of networks (E, P) on strings (E, n, T)."""
        with torch.no_grad():
            outputs = self.forward(weights.double(), strings.double())
        found = LOSSES[self.loss]((outputs.double() / FINE).round() * FINE, labels.double())
        return (found / FINE**2).ceil() * FINE**2

    def losses(self, s: float, data: Data, draws: int, batch: int, rng: np.random.Generator) -> list[Fraction]:
        """Of each network, the mean loss on strings of its own, picked with replacement."""
        strings, labels = data
        rows = torch.from_numpy(rng.integers(len(labels), size=(draws, batch))).to(labels.device)
        centre, found = on_lattice(self.mean, s), list[Fraction]()
        for start in range(0, draws, size := max(1, CELLS // len(self.mean))):
            own = rows[start : start + size]
            moved = torch.from_numpy(noise((len(own), len(self.mean)), rng)).to(centre)
            each = self.each((centre + moved) * (s / POINTS), strings[own], labels[own])
            found += [Fraction(total) / batch for total in each.sum(1).tolist()]
        return found

    def at(self, weights: Tensor, data: Data) -> Tensor:
        """Losses of one network (P,) on all strings."""
        parts = zip(*(part.split(AT_ONCE) for part in data), strict=True)
        return torch.cat([self.each(weights[None], strings[None], labels[None])[0] for strings, labels in parts])

    def at_the_mean(self, data: Data) -> float:
        return up(mean_of([Fraction(x) for x in self.at(self.mean, data).tolist()]))


def mean_of(found: list[Fraction]) -> Fraction:
    return sum(found, Fraction(0)) / len(found)


def divergence(mean: Tensor, prior_mean: Tensor, s: float) -> Fraction:
    """KL of the posterior around the one from the prior around the other; whole numbers up to 2^53 are exact."""
    steps = (on_lattice(mean, s) - on_lattice(prior_mean, s)).tolist()
    return Fraction(sum(int(step) ** 2 for step in steps), 2 * POINTS**2)


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
    The strings are those that the prior mean has not seen; `test` are for comparison alone, and so is what an ordinary
    held-out test says of the network at the prior mean."""
    if loss not in LOSSES:
        raise InputError(f"no loss {loss!r}; there are {', '.join(LOSSES)}")
    if mean.shape != prior_mean.shape:
        raise InputError(f"posterior and prior have one number of parameters, got {len(mean)} and {len(prior_mean)}")
    if len(labels) < 8:
        raise InputError(f"the bound needs at least 8 strings, got {len(labels)}")
    gibbs, data, n = Gibbs(forward, mean, loss), (strings, labels), len(labels)
    by_draws, by_strings = delta * MONTE_CARLO, delta * (1 - MONTE_CARLO)
    grid = [s for s in GRID if fits(mean, s) and fits(prior_mean, s)]
    if not grid:
        raise InputError("no lattice of floats holds these weights: they are too large")

    def bound(estimate: Fraction, s: float) -> Fraction:
        return seeger(estimate + len(mean) * ELSEWHERE, divergence(mean, prior_mean, s), n, by_strings / len(GRID))

    pilot = {s: mean_of(gibbs.losses(s, data, *PILOT, rng)) for s in grid}
    s = min(grid, key=lambda s: bound(pilot[s], s))
    estimate = mean_of(gibbs.losses(s, data, draws, batch, rng))
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
        "gibbs": up(estimate),
        "gibbs_above": up(above),
        "mean": gibbs.at_the_mean(data),
        "prior": held_out(gibbs.at(prior_mean, data), delta),
    }
    if test is not None:
        risks = [float(x) for x in gibbs.losses(s, test, draws, batch, rng)]
        record |= {
            "test_gibbs": math.fsum(risks) / draws,
            "test_gibbs_error": float(np.std(risks, ddof=1) / math.sqrt(draws)),
            "test_mean": gibbs.at_the_mean(test),
        }
    return record


def held_out(losses: Tensor, delta: Fraction) -> dict[str, float]:
    """The mean loss of one network on strings that it has not seen, and what it bounds."""
    found = of_array(losses)
    return {"mean": up(bounds.mean(found)), "bound": up(Fraction(bounds.least(bounds.holdout(found, delta))))}
