"""PAC-Bayes around a base: the network whose weights are drawn around the trained ones with standard deviation sigma.

Prior N(base, sigma^2 I), posterior N(weights, sigma^2 I): KL = |weights - base|^2/(2 sigma^2). The losses that are
given are those of drawn networks on the sample, independent numbers whose mean is the posterior's mean loss; with half
of delta that mean is at most inverse_kl(their mean, log(2/delta)/n) (Chernoff). The other half is for maurer2004/5, at
the share that sigma has in the grid of all decimals of at most six digits. What is bounded is the risk of the noisy
network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

from flint import arb, ctx, fmpq

from maurey.numeric.balls import Enclosure, enclose
from maurey.numeric.inverse_kl import of_balls
from maurey.numeric.routes import DIGITS, NOISY, Row
from maurey.symbolic import registry
from maurey.symbolic.errors import InputError, cut

from .bases import Moved
from .files.documents import check_file
from .numbers.cells import Cell, weight

SEEGER = "maurer2004/5"
FIGURES = 6  # digits of a sigma
MOST_BYTES = 10**8  # of a file of losses
PRECISION = 128


@dataclass(frozen=True)
class Noisy:
    """The risk of the noisy network is at most `risk.upper`; all losses as shares of their range."""

    sigma: Fraction
    KL: Enclosure
    price: Fraction  # by which delta is multiplied, for sigma
    draws: int
    mean: Fraction  # of the losses that are given
    above: Fraction  # the posterior's mean loss is at most that
    risk: Enclosure


@dataclass(frozen=True)
class Sigma:
    """A decimal n 10^e of at most six digits, and its share: one of 10^6 for n, and a cell's for e."""

    value: Fraction
    exponent: int

    @property
    def share(self) -> Fraction:
        return weight([Cell(self.exponent)]) / 10**FIGURES


def read_sigma(text: str) -> Sigma:
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or found <= 0 or abs(found.adjusted()) > 300:
        raise InputError(f"--sigma takes a positive decimal, e.g. 0.01, got {cut(repr(text))}")
    _, digits, exponent = found.normalize().as_tuple()
    if len(digits) > FIGURES:
        raise InputError(f"--sigma has at most {FIGURES} digits, for the grid of all of them is paid; got {cut(text)}")
    return Sigma(Fraction(found), int(exponent))


def read_losses(path: Path, range_: Fraction) -> list[Fraction]:
    """One number on each line, from 0 to the range; a first line may say `loss`."""
    check_file(path)
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path.name} has more than {MOST_BYTES} bytes")
    lines = path.read_text(errors="replace").split()
    lines = lines[1:] if lines and lines[0].lower() == "loss" else lines
    if not lines:
        raise InputError(f"{path.name} has no loss: want the losses of drawn networks, one on each line")
    return [_loss(text, n, path.name, range_) for n, text in enumerate(lines, 1)]


def _loss(text: str, n: int, name: str, range_: Fraction) -> Fraction:
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or abs(found.adjusted()) > 300 or not 0 <= Fraction(found) <= range_:
        raise InputError(f"{name}, loss {n}: want a number from 0 to {range_}, got {cut(repr(text))}")
    return Fraction(found) / range_


def divergence(moved: Sequence[Moved], sigma: Sigma) -> tuple[Fraction, Fraction]:
    """Below and above."""
    low, high = (
        sum((getattr(one.norms.frobenius, end) ** 2 for one in moved), Fraction(0)) for end in ("lower", "upper")
    )
    return low / (2 * sigma.value**2), high / (2 * sigma.value**2)


def noisy(moved: Sequence[Moved], sigma: Sigma, losses: Sequence[Fraction], m: int, delta: Fraction) -> Noisy:
    """`delta` is that of this route alone."""
    low, high = divergence(moved, sigma)
    mean = sum(losses, Fraction(0)) / len(losses)
    above = chernoff(mean, len(losses), delta / 2)
    at = {"loss_hat": above, "KL": high, "m": m, "delta": delta / 2 * sigma.share}
    risk = enclose(registry.find(SEEGER), "printed", "risk", DIGITS, **at)
    return Noisy(
        sigma=sigma.value,
        KL=_between(low, high),
        price=sigma.share,
        draws=len(losses),
        mean=mean,
        above=above,
        risk=risk,
    )


def row_of(found: Noisy, range_: Fraction, trained: str) -> Row:
    """The bound on the risk less the mean loss of the drawn networks."""
    low, value, high = (
        _decimal((Fraction(x) - found.mean) * range_, rounding)
        for x, rounding in (
            (found.risk.lower, ROUND_FLOOR), (found.risk.value, ROUND_CEILING), (found.risk.upper, ROUND_CEILING),
        )
    )  # fmt: skip
    return Row(route=NOISY, trained=trained, log_N=found.KL, gap=Enclosure(min(value, high), low, high, DIGITS))


def chernoff(mean: Fraction, draws: int, delta: Fraction) -> Fraction:
    """Above the mean of numbers in [0, 1], from the mean of independent draws, with probability 1 - delta."""
    with ctx.workprec(PRECISION):
        c = arb(fmpq(delta.denominator, delta.numerator)).log() / draws
        found = of_balls(fmpq(mean.numerator, mean.denominator), c)
        if found is None:
            return Fraction(1)
        mantissa, exponent = found.upper().man_exp()
    return min(Fraction(1), int(mantissa) * Fraction(2) ** int(exponent))


def _between(low: Fraction, high: Fraction) -> Enclosure:
    lower, upper = _decimal(low, ROUND_FLOOR), _decimal(high, ROUND_CEILING)
    return Enclosure(upper, lower, upper, DIGITS)


def _decimal(x: Fraction, rounding: str) -> Decimal:
    return Context(prec=DIGITS, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator))
