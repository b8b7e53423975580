"""Bounds for one network: a level that is too large, a factor that is dropped, a bound for another kind of sample are
each exceeded too often."""

import pytest
from mutations import change, only
from sympy import Product, Symbol

from maurey.symbolic.names import indexed, symbols
from maurey.symbolic.tails import binomial_inverse, chernoff
from maurey.verify.checks import EFFORTS, Result, checks_of

QUICK = EFFORTS["quick"]
errors, m, N, delta, bits, loss_hat, draws, mu, n, i = symbols("errors m N delta bits loss_hat draws mu n i")
bet, loss = indexed("bet loss")


def results(key):
    made = [function(QUICK) for function in checks_of(key)]
    return [one for found in made for one in ([found] if isinstance(found, Result) else found)]


def higher(e):
    """At one and a half times the level."""
    return e.subs(delta, 3 * delta / 2)


@pytest.mark.parametrize(
    ("key", "part", "form", "wrong"),
    [
        ("clopper1934/upper", "risk", "printed", higher),
        ("maurey/finite-pool", "share", "printed", lambda e: binomial_inverse(errors, m, delta)),  # as if independent
        ("hoeffding1963/1", "risk", "printed", lambda e: e.subs(m, 2 * m)),
        ("hoeffding1963/1", "root", "printed", lambda e: loss_hat + (e - loss_hat) / 2),
        ("hoeffding1963/4", "risk", "printed", lambda e: chernoff(loss_hat, delta, 2 * m)),
        ("maurer2009/4", "risk", "printed", lambda e: loss_hat + (e - loss_hat) / 4),
        ("waudbysmith2024/capital", "capital", "printed", lambda e: e * (1 + mu) ** n),
        ("waudbysmith2024/without-replacement", "capital", "printed",
         lambda e: Product(1 + bet[i] * (mu - loss[i]), (i, 1, n))),  # as if with replacement
        ("maurey/occam", "count", "derived", lambda e: e.subs(Symbol("share"), delta)),  # no price for choosing
        ("maurey/occam", "mean", "printed", lambda e: e.subs(bits, 0)),
        ("maurey/martingale-bernstein", "risk", "printed", lambda e: e.subs(delta, delta ** Symbol("slope"))),
        ("maurey/prequential", "fixed", "printed", higher),
        ("maurey/prequential", "mixture", "printed", higher),
        ("maurey/drawn", "risk", "derived", lambda e: Symbol("gibbs") / 2),
        ("maurey/linear-head", "loss", "printed", lambda e: e / 2),
        ("maurey/linear-head", "risk", "derived", lambda e: Symbol("loss") * 2 / 3),
    ],
)  # fmt: skip
def test_what_is_too_good_is_exceeded(key, part, form, wrong, monkeypatch):
    assert only(results(key), part=part, verdict="holds")
    change(monkeypatch, key, part, form, wrong)
    assert only(results(key), part=part, verdict="fails")


def test_the_binomial_interval_fails_without_replacement():
    """A pool of 59 with 58 errors, three of which are drawn, at delta = 1/20."""
    from fractions import Fraction as F

    from maurey.numeric.evaluation import value
    from maurey.verify.complexity.coverage import hypergeometric, often

    above = {
        k: value("clopper1934/upper", "printed", "risk", {"errors": k, "m": 3, "delta": F(1, 20)}) for k in range(4)
    }
    assert often(above, hypergeometric(3, 59, 58), F(58, 59)) == F(3, 59) > F(1, 20)
