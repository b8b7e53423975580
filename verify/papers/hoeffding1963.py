"""Hoeffding's lemma, proved: a variable on an interval is sub-Gaussian with half its length."""

from __future__ import annotations

from sympy import Rational, Symbol, diff, exp, log, simplify

from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude, formula

KEY = "hoeffding1963/lemma"


@check(KEY)
def bounded_variables(effort: Effort) -> Result:
    """By convexity a law on [0, b] has no larger moments e^(tX) than the law on the two ends with its mean bp. There
    log E e^(tX) - tbp vanishes at 0 with its slope, and bends by b^2 x (1 - x)."""
    t, b, p, x = (Symbol(name, positive=True) for name in "tbpx")
    moment = log(1 - p + p * exp(t * b)) - t * b * p
    share = p * exp(t * b) / (1 - p + p * exp(t * b))
    constant = formula(KEY, "printed", "Sigma")
    bend = polynomial(x * (1 - x) <= (constant / b) ** 2, x <= 1, control=x * (1 - x) <= Rational(249, 1000))
    return conclude(
        "the logarithm of the moments of two ends bends by at most b^2/4",
        [same(simplify(diff(moment, t, 2)), b**2 * share * (1 - share)),
         same(simplify(diff(moment, t).subs(t, 0)), 0), bend],
        part="Sigma",
    )  # fmt: skip
