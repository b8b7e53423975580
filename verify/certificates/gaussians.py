"""The divergence of one product of Gaussians from another, in balls, rounded up."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from maurey.numeric.exact import to_ball
from maurey.symbolic.errors import InputError

from .losses import File, of_columns

BITS = 128


def divergence(posterior: File, prior: File) -> Fraction:
    """Above KL of the posterior from the prior; files have a mean and a deviation for each parameter."""
    pairs = [of_columns(file, ("mean", "sigma")) for file in (posterior, prior)]
    if len(pairs[0]) != len(pairs[1]):
        lengths = " and ".join(str(len(own)) for own in pairs)
        raise InputError(f"posterior and prior have one number of parameters, got {lengths}")
    if bad := [i for own in pairs for i, (_, sigma) in enumerate(own, 1) if sigma <= 0]:
        raise InputError(f"deviations are positive; that of parameter {bad[0]} is not")
    with ctx.workprec(BITS):
        total = arb(0)
        for (mean, sigma), (other, wide) in zip(*pairs, strict=True):
            share = to_ball((sigma / wide) ** 2)
            total += (share - 1 - share.log() + to_ball(((mean - other) / wide) ** 2)) / 2
        mantissa, exponent = total.upper().man_exp()
    return max(Fraction(0), int(mantissa) * Fraction(2) ** int(exponent))
