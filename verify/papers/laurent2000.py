"""Laurent and Massart's tail of a chi-squared variable: Chernoff's bound, and exact tails in balls."""

from __future__ import annotations

from functools import partial
from itertools import product

from flint import ctx
from sympy import Expr, sqrt

from maurey.numeric.evaluation import BITS, value
from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity.gaussian_tails import DIMENSIONS, FAILING, chernoff, longer, quantile
from maurey.verify.prove.proofs import conclude, formula

KEY = "laurent2000/1"


def level(n: Expr, failing: Expr) -> Expr:
    return sqrt(formula(KEY, "printed", "squared", n=n, delta=failing))


@check(KEY)
def chi_squared(effort: Effort) -> Result:
    tight, count = 0.0, 0
    with ctx.workprec(BITS):
        for n, failing in product(DIMENSIONS, FAILING):
            said = value(KEY, "printed", "squared", {"n": n, "delta": failing}).sqrt()
            true, count = longer(n, said), count + 1
            if true > to_ball(failing):
                note = "it is exceeded more often than with the stated probability, which is the first value"
                witness = {"n": str(n), "delta": str(failing)}
                return refuted(note, witness, failing, decimal(true, False), part="squared")
            tight = max(tight, (quantile(partial(longer, n), failing, float(said)) / float(said)) ** 2)
    note = "Chernoff's bound with the exact moment generating function; exact tails in balls beside it"
    return conclude(note, chernoff(level), instances=count, tightness=tight, part="squared")
