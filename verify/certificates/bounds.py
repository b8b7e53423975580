"""What a certificate's bounds come to: forms of claims at what was seen, rounded up to multiples of 1/GRID.

Where one of several is picked after the losses are seen, each has its share of delta. Hoeffding's root is not among
them, for the inverse of the divergence is never above it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from maurey.numeric.balls import enclose
from maurey.numeric.exact import to_ball
from maurey.symbolic import registry

from . import betting
from .betting import BITS
from .losses import Losses
from .wording import DRAWS, GRID, SLOPES, UNIT

Part = dict[str, Any]
DIGITS = 22
EXACT, MEAN, VARIANCE, CAPITAL = "clopper1934/upper", "hoeffding1963/1", "maurer2009/4", "waudbysmith2024/capital"
POOL_EXACT, POOL_MEAN, POOL_CAPITAL = "maurey/finite-pool", "hoeffding1963/4", "waudbysmith2024/without-replacement"
OCCAM, MIXTURE, MARTINGALE, LINEAR = (
    f"maurey/{name}" for name in ("occam", "prequential", "martingale-bernstein", "linear-head")
)
SEEGER = "maurer2004/5"


def on_grid(x: Fraction) -> int:
    """Rounded up."""
    return -(-x.numerator * GRID // x.denominator)


def decimal(units: int) -> str:
    """A multiple of 1/GRID as it is written."""
    whole, rest = divmod(units, GRID)
    return f"{whole}.{rest:012d}".rstrip("0").rstrip(".")


def _form(key: str, form: str, part: str, delta: Fraction, **at: Any) -> int:
    found = enclose(registry.find(key), form, part, DIGITS, delta=delta, **at)
    return min(GRID, on_grid(Fraction(found.upper)))


def _part(key: str, delta: Fraction, bound: int, **more: Any) -> Part:
    return {"key": key, "delta": str(delta), "bound": decimal(bound), **more}


def mean(losses: Losses) -> Fraction:
    return Fraction(sum(losses.units), losses.n * UNIT)


def squares(units: Iterable[int]) -> int:
    return sum(x * x for x in units)


# --- one hypothesis ---------------------------------------------------------------------------------------------------


def holdout(losses: Losses, delta: Fraction) -> list[Part]:
    m = losses.n
    if losses.zero_one:
        k = losses.errors
        return [_part(EXACT, delta, _form(EXACT, "printed", "risk", delta, errors=k, m=m), errors=k)]
    share, own = delta / (3 if m > 1 else 2), mean(losses)
    parts = [_part(MEAN, share, _form(MEAN, "printed", "risk", share, m=m, loss_hat=own))]
    if m > 1:
        variance = Fraction(m * squares(losses.units) - sum(losses.units) ** 2, m * (m - 1) * UNIT**2)
        found = _form(VARIANCE, "printed", "risk", share, m=m, loss_hat=own, variance=variance)
        parts.append(_part(VARIANCE, share, found))
    return [*parts, _part(CAPITAL, share, betting.upper(losses.units, share))]


def pool(losses: Losses, delta: Fraction, N: int) -> list[Part]:
    """Drawn without replacement."""
    m = losses.n
    if losses.zero_one:
        k = losses.errors
        return [_part(POOL_EXACT, delta, _form(POOL_EXACT, "printed", "share", delta, errors=k, m=m, N=N), errors=k)]
    share = delta / 2
    return [
        _part(POOL_MEAN, share, _form(POOL_MEAN, "printed", "risk", share, m=m, N=N, loss_hat=mean(losses))),
        _part(POOL_CAPITAL, share, betting.upper(losses.units, share, N)),
    ]


def occam(losses: Losses, delta: Fraction, bits: int) -> list[Part]:
    m = losses.n
    if losses.zero_one:
        k = losses.errors
        return [_part(OCCAM, delta, _form(OCCAM, "derived", "count", delta, errors=k, m=m, bits=bits), errors=k)]
    share = delta / 2
    return [
        _part(OCCAM, share, _form(OCCAM, "derived", "mean", share, m=m, bits=bits, loss_hat=mean(losses))),
        _part(CAPITAL, share, betting.upper(losses.units, share / 2**bits)),
    ]


# --- hypotheses that change, or are drawn -----------------------------------------------------------------------------


def prequential(losses: Losses, delta: Fraction) -> list[Part]:
    """The sum of the losses is rounded up to a whole number."""
    m, total = losses.n, -(-sum(losses.units) // UNIT)
    share = delta if losses.zero_one else delta / 2
    parts = [_part(MIXTURE, share, _form(MIXTURE, "printed", "mixture", share, total=total, m=m), total=total)]
    if losses.zero_one:
        return parts
    at = {"m": m, "loss_hat": mean(losses), "squares": Fraction(_surprises(losses.units), m * UNIT**2)}
    own = {s: _form(MARTINGALE, "printed", "risk", share / len(SLOPES), slope=s, **at) for s in SLOPES}
    slope = min(own, key=lambda s: own[s])
    return [*parts, _part(MARTINGALE, share, own[slope], slope=str(slope), slopes=len(SLOPES))]


def _surprises(units: list[int]) -> int:
    """The sum of (x_t - v_t)^2, with v_t the mean of those before and of one more, 1/2, rounded down."""
    total, found = UNIT // 2, 0
    for t, x in enumerate(units, 1):
        found += (x - total // t) ** 2
        total += x
    return found


def gibbs(total: int, draws: int, m: int, KL: Fraction, delta: Fraction) -> list[Part]:
    """Of networks that were drawn, and `total` the sum of the units of all their losses on the samples."""
    by_draws = delta * DRAWS
    seen = _form(MEAN, "printed", "risk", by_draws, m=draws, loss_hat=Fraction(total, draws * m * UNIT))
    risk = _form(SEEGER, "printed", "risk", delta - by_draws, m=m, KL=KL, loss_hat=Fraction(seen, GRID))
    return [_part(MEAN, by_draws, seen, draws=draws), _part(SEEGER, delta - by_draws, risk, KL=plain(KL))]


def linear_head(margins: list[Fraction], KL: Fraction, delta: Fraction) -> tuple[str, list[Part]]:
    """The mean loss of a head drawn at distance sqrt(2 KL), rounded up, and the bound."""
    with ctx.workprec(BITS):
        root = to_ball(KL).sqrt()  # a margin g is met with probability Phi(-b g) = erfc(b g/sqrt(2))/2, b = sqrt(2 KL)
        total = sum(((root * to_ball(x)).erfc() / 2 for x in margins), arb(0)) / len(margins)
        seen = min(GRID, int((total * GRID).upper().ceil().unique_fmpz()))
    at = {"m": len(margins), "KL": KL, "loss_hat": Fraction(seen, GRID)}
    risk = _form(SEEGER, "printed", "risk", delta, **at)
    return decimal(seen), [_part(LINEAR, delta, risk, KL=plain(KL))]


def plain(x: Fraction) -> str:
    """A multiple of 1/GRID, rounded up."""
    return decimal(on_grid(x))


def least(parts: list[Part]) -> str:
    return decimal(min(on_grid(Fraction(part["bound"])) for part in parts))
