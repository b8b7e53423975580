"""Bounds for one trained network: how often they are exceeded, exactly, by counts, adversaries, and small classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from flint import arb

from maurey.numeric.evaluation import value
from maurey.numeric.exact import to_rational
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import coverage
from maurey.verify.complexity.coverage import DELTAS, RISKS, ROUNDING, binomial, of_adversaries, of_pools, often

FINITE, OCCAM, MARTINGALE, PREQUENTIAL, DRAWN, LINEAR = (
    f"maurey/{name}" for name in ("finite-pool", "occam", "martingale-bernstein", "prequential", "drawn", "linear-head")
)
SHARES = (Fraction(1, 20), Fraction(1, 3), Fraction(9, 10))  # of points of one kind


@check(FINITE)
def finite_pool(effort: Effort) -> Result:
    return of_pools(FINITE, "share", effort, lambda k, m: {"errors": k})


@check(PREQUENTIAL)
def networks_that_change(effort: Effort) -> Iterator[Result]:
    yield of_adversaries(PREQUENTIAL, "mixture", effort, lambda k, m: {"total": k})
    for temperature in (Fraction(1, 2), Fraction(3)):
        yield of_adversaries(PREQUENTIAL, "fixed", effort, lambda k, m: {"loss_hat": Fraction(k, m)},
                             temperature=temperature)  # fmt: skip


@check(MARTINGALE)
def with_their_variance(effort: Effort) -> Iterator[Result]:
    for v, slope in product((Fraction(0), Fraction(1, 4)), (Fraction(1, 4), Fraction(2, 3))):

        def seen(k: int, m: int, v: Fraction = v) -> dict[str, Fraction]:
            return {"loss_hat": Fraction(k, m), "squares": (k * (1 - v) ** 2 + (m - k) * v**2) / m}

        yield of_adversaries(MARTINGALE, "risk", effort, seen, slope=slope)


# --- classes with a code ----------------------------------------------------------------------------------------------


CODES = ((0,), (1, 1), (1, 2, 2), (3,) * 8)  # lengths of words


@check(OCCAM)
def short_messages(effort: Effort) -> Iterator[Result]:
    """Hypotheses err independently of one another, each with probability p: a sample is a bit for each of them."""
    for part, form in (("count", "derived"), ("mean", "printed")):
        yield _of_codes(part, form, effort)


def _of_codes(part: str, form: str, effort: Effort) -> Result:
    best, count = 0.0, 0
    for m, delta in product(coverage.sizes(effort)[:4], DELTAS):
        above = {bits: _bounds(part, form, m, delta, bits) for bits in {bits for code in CODES for bits in code}}
        for p, code in product(RISKS[1::4], CODES):
            held = math.prod((1 - often(above[bits], binomial(m, p), p) for bits in code), start=Fraction(1))
            failed, count = 1 - held, count + 1
            if failed > delta:
                at = {"m": m, "p": str(p), "delta": str(delta), "lengths": list(code)}
                note = f"exceeded with probability {float(failed):.4g}"
                return refuted(note, at, delta, failed, part=part, form=form)
            best = max(best, float(failed / delta))
    note = "all hypotheses of small prefix codes at once, exact probabilities"
    return Result("holds", "tested", note, instances=count, tightness=best, part=part, form=form)


def _bounds(part: str, form: str, m: int, delta: Fraction, bits: int) -> dict[int, arb]:
    at = {"m": m, "delta": delta, "bits": bits}
    return {k: value(OCCAM, form, part, {**at, "errors": k, "loss_hat": Fraction(k, m)}) for k in range(m + 1)}


# --- posteriors -------------------------------------------------------------------------------------------------------


@check(DRAWN)
def few_draws(effort: Effort) -> Iterator[Result]:
    """Two hypotheses and a prior of one half each; of N draws a binomial number is the first."""
    yield _held("the first errs on ones and the second on zeros, the posterior prefers the one that errs less", [
        (m, delta, p, 6, Fraction(1, 4)) for m, delta, p in product((8, 30), DELTAS, SHARES)
    ], depends=True)  # fmt: skip
    yield _held("the first always errs and the second never, so that nothing but the draws can mislead", [
        (10**9, delta, r, 8, Fraction(9, 10)) for delta, r in product(DELTAS, (Fraction(i, 12) for i in range(1, 12)))
    ], depends=False)  # fmt: skip


Game = tuple[int, Fraction, Fraction, int, Fraction]  # samples, delta, a share, draws, how delta is split


def _held(what: str, games: Sequence[Game], depends: bool) -> Result:
    best = 0.0
    for m, delta, p, N, split in games:
        failed = _misled(m, delta, p, N, split) if depends else _drawn_badly(m, delta, p, N, split)
        if failed > delta:
            where = {"m": m, "share": str(p), "delta": str(delta), "draws": N}
            return refuted(f"exceeded with probability {failed:.4g}", where, delta, failed, part="risk")
        best = max(best, failed / float(delta))
    note = f"two hypotheses, {what}: probabilities summed over samples and draws"
    return Result("holds", "tested", note, instances=len(games), tightness=best, part="risk")


def _misled(m: int, delta: Fraction, p: Fraction, N: int, split: Fraction) -> float:
    failed = 0.0
    for k, weight in enumerate(binomial(m, p)):
        r = 0.9 if 2 * k < m else 0.1  # of the first, which errs k times
        KL = Fraction(float(r * np.log(2 * r) + (1 - r) * np.log(2 * (1 - r))))
        true = r * float(p) + (1 - r) * (1 - float(p))
        for j, share in enumerate(binomial(N, Fraction(r))):
            mean = (j * Fraction(k, m) + (N - j) * Fraction(m - k, m)) / N
            at = {"m": m, "delta": delta, "KL": KL, "draws": N, "split": split, "loss_hat": mean}
            failed += float(weight * share) * bool(value(DRAWN, "derived", "risk", at) < true * (1 - ROUNDING))
    return failed


def _drawn_badly(m: int, delta: Fraction, r: Fraction, N: int, split: Fraction) -> float:
    """The posterior that has the first with probability r; its divergence from the prior is left out."""
    at = {"m": m, "delta": delta, "KL": 0, "draws": N, "split": split}
    risks = (value(DRAWN, "derived", "risk", {**at, "loss_hat": Fraction(j, N)}) for j in range(N + 1))
    return float(sum(w for w, risk in zip(binomial(N, r), risks, strict=True) if risk < to_rational(r)))


@check(LINEAR)
def linear_heads(effort: Effort) -> Iterator[Result]:
    """One feature that is 1 and labels that are 1 with probability p: a head is drawn around +beta or -beta."""
    best, count = 0.0, 0
    scales = [Fraction(x, 2) for x in (1, 3, 8)]
    for m, delta, p in product((1, 8, 12), DELTAS, SHARES):
        weights, failed = binomial(m, p), Fraction(0)
        for k, weight in enumerate(weights):
            if any(_exceeded(m, delta, k, p, beta, side) for beta, side in product(scales, (1, -1))):
                failed += weight
        count += 1
        if failed > delta:
            at = {"m": m, "p": str(p), "delta": str(delta)}
            yield refuted(f"exceeded with probability {float(failed):.4g}", at, delta, failed, part="risk")
            return
        best = max(best, float(failed / delta))
    note = "one feature, heads on both sides and at several distances at once, exact probabilities"
    yield Result("holds", "tested", note, instances=count, tightness=best, part="risk")
    yield from _by_integrals()


def _exceeded(m: int, delta: Fraction, k: int, p: Fraction, beta: Fraction, side: int) -> bool:
    """Of m labels k are 1; the true risk is that of both labels with their probabilities."""
    margins = [side] * k + [-side] * (m - k)
    above = value(LINEAR, "derived", "risk", {"n": m, "delta": delta, "scale": beta, "margin": margins})
    wrong = [_loss(beta, side * y) for y in (1, -1)]
    return bool(above < to_rational(p) * wrong[0] + to_rational(1 - p) * wrong[1])


def _loss(beta: Fraction, margin: int) -> arb:
    return value(LINEAR, "printed", "loss", {"n": 1, "scale": beta, "margin": [margin]})


def _by_integrals() -> Iterator[Result]:
    """The loss against the share of a drawn Gaussian below 0, the divergence against its integral: both by
    quadrature."""
    x = np.linspace(-12, 12, 200_001)
    for beta in (Fraction(1, 2), Fraction(2)):
        density = np.exp(-((x - float(beta)) ** 2) / 2) / np.sqrt(2 * np.pi)
        below = float(np.trapezoid(np.where(x < 0, density, 0), x))
        logs = float(np.trapezoid(density * (x**2 - (x - float(beta)) ** 2) / 2, x))
        for part, found in (("loss", below), ("KL", logs)):
            said = float(value(LINEAR, "printed", part, {"n": 1, "scale": beta, "margin": [1]}))
            if abs(said - found) > 1e-4:
                yield refuted("not what a quadrature gives", {"scale": str(beta)}, said, found, part=part)
                return
            ratio = min(1.0, found / said)
            yield Result("holds", "tested", "against a quadrature", instances=1, tightness=ratio, part=part)
