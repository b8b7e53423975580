"""Laurent and Massart's tail of a chi-squared variable: Chernoff's bound, and exact tails in balls."""

from __future__ import annotations

from functools import partial
from itertools import product

from flint import ctx
from sympy import Expr, sqrt

from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.packings.attacks import decimal
from maurey.verify.packings.euclidean import exact
from maurey.verify.papers.lintilhac2026.perturbation.tails import DIMENSIONS, FAILING, chernoff, longer, quantile
from maurey.verify.prove.proofs import conclude, formula
from maurey.verify.tally import PRECISION, stated_ball

KEY = "laurent2000/1"


def level(n: Expr, failing: Expr) -> Expr:
    return sqrt(formula(KEY, "printed", "squared", n=n, delta=failing))


@check(KEY)
def chi_squared(effort: Effort) -> Result:
    tight, count = 0.0, 0
    with ctx.workprec(PRECISION):
        for n, failing in product(DIMENSIONS, FAILING):
            said = stated_ball(KEY, "printed", "squared", {"n": n, "delta": failing}).sqrt()
            true, count = longer(n, said), count + 1
            if true > exact(failing):
                note = "it is exceeded more often than with the stated probability, which is the first value"
                witness = {"n": str(n), "delta": str(failing)}
                return refuted(note, witness, failing, decimal(true, False), part="squared")
            tight = max(tight, (quantile(partial(longer, n), failing, float(said)) / float(said)) ** 2)
    note = "Chernoff's bound with the exact moment generating function; exact tails in balls beside it"
    return conclude(note, chernoff(level), instances=count, tightness=tight, part="squared")
