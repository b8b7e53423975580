"""Hoeffding's lemma, proved: a variable on an interval is sub-Gaussian with half its length. His inequalities, with and
without replacement: how often they are exceeded, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.coverage import of_counts, of_pools
from maurey.verify.prove.arguments import two_ends
from maurey.verify.prove.proofs import conclude, formula

KEY, INDEPENDENT, POOL = "hoeffding1963/lemma", "hoeffding1963/1", "hoeffding1963/4"


@check(KEY)
def bounded_variables(effort: Effort) -> Result:
    note = "the logarithm of the moments of two ends bends by at most b^2/4"
    return conclude(note, two_ends(formula(KEY, "printed", "Sigma")), part="Sigma")


def seen(k: int, m: int) -> dict[str, Fraction]:
    return {"loss_hat": Fraction(k, m)}


@check(INDEPENDENT)
def independent_samples(effort: Effort) -> Iterator[Result]:
    yield from (of_counts(INDEPENDENT, part, effort, seen) for part in ("risk", "root"))


@check(POOL)
def without_replacement(effort: Effort) -> Iterator[Result]:
    yield from (of_pools(POOL, part, effort, seen) for part in ("risk", "root"))
