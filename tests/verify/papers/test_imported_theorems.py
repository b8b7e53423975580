"""Theorems that the papers import: a constant below the tightness is caught, and a better one is not proved."""

import pytest
from mutations import change, only, scale
from sympy import Rational, Symbol

from maurey.verify.checks import EFFORTS, Effort, Result, checks_of
from maurey.verify.complexity import deviations, known_classes
from maurey.verify.papers import (
    alquier2024,
    bartlett2002,
    dudley1967,
    foster2019,
    hoeffding1963,
    ledoux1991,
    maurer2004,
    neyshabur2017,
    shalev2014,
)

QUICK, TINY = EFFORTS["quick"], Effort("tiny", 1, seed=3)
PAPERS = (alquier2024, bartlett2002, dudley1967, foster2019, hoeffding1963, ledoux1991, maurer2004, neyshabur2017,
          shalev2014)  # fmt: skip
Sigma, loss = Symbol("Sigma"), Symbol("loss_hat")


def results(made):
    return [made] if isinstance(made, Result) else list(made)


def test_every_claim_is_checked():
    for paper in PAPERS:
        assert checks_of(paper.KEY)


@pytest.mark.parametrize(
    ("module", "function", "factor"),
    [
        (known_classes, dudley1967.integral, 0.1),
        (bartlett2002, bartlett2002.one_function, 0.1),
        (ledoux1991, ledoux1991.contraction, 0.99),
        (deviations, shalev2014.one_side, 0.15),
    ],
)
def test_a_constant_below_the_tightness_is_caught(module, function, factor, monkeypatch):
    (true,) = results(function(QUICK))
    assert true.verdict == "holds"
    assert true.instances > 0
    assert factor < true.tightness <= 1 + 1e-9
    scale(monkeypatch, module, factor)
    assert [one.verdict for one in results(function(QUICK))] == ["fails"]


def test_a_power_of_K_that_is_too_small_is_caught(monkeypatch):
    exact = foster2019.value
    assert foster2019.contraction(QUICK).verdict == "holds"
    monkeypatch.setattr(foster2019, "value", lambda *form: exact(*form) / form[-1]["K"] ** 0.25)
    assert foster2019.contraction(QUICK).verdict == "fails"


@pytest.mark.parametrize(
    ("check", "key", "part", "wrong"),
    [
        (alquier2024.catoni, alquier2024.KEY, "risk", lambda e: e.subs(Sigma, Sigma / 4)),
        (maurer2004.seeger, maurer2004.KEY, "root", lambda e: loss + (e - loss) / 3),
        (neyshabur2017.mcallester, neyshabur2017.KEY, "risk", lambda e: loss + (e - loss) / 20),
    ],
)
def test_bounds_that_are_too_good_are_exceeded(check, key, part, wrong, monkeypatch):
    change(monkeypatch, key, part, "printed", wrong)
    assert only(results(check(TINY)), part=part, verdict="fails")


def test_hoeffdings_lemma(monkeypatch):
    assert hoeffding1963.bounded_variables(TINY).verdict == "holds"
    change(monkeypatch, hoeffding1963.KEY, "Sigma", "printed", lambda e: Rational(99, 100) * e)
    assert hoeffding1963.bounded_variables(TINY).verdict == "undecided"
