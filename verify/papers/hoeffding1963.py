"""Hoeffding's lemma, proved: a variable on an interval is sub-Gaussian with half its length."""

from __future__ import annotations

from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import two_ends
from maurey.verify.prove.proofs import conclude, formula

KEY = "hoeffding1963/lemma"


@check(KEY)
def bounded_variables(effort: Effort) -> Result:
    note = "the logarithm of the moments of two ends bends by at most b^2/4"
    return conclude(note, two_ends(formula(KEY, "printed", "Sigma")), part="Sigma")
