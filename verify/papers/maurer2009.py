"""Bernstein's bound with the variance of the sample: how often it is exceeded by losses 0 and 1, exactly."""

from __future__ import annotations

from fractions import Fraction

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.coverage import of_counts

KEY = "maurer2009/4"


def seen(k: int, m: int) -> dict[str, Fraction]:
    return {"loss_hat": Fraction(k, m), "variance": Fraction(k * (m - k), m * (m - 1))}


@check(KEY)
def with_the_variance(effort: Effort) -> Result:
    return of_counts(KEY, "risk", effort, seen, least=2)
