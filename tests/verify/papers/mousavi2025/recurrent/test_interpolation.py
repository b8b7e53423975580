"""Networks through given points, exactly, and Gaussian points that are well apart."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb
from sympy import Rational

from maurey.verify.checks import EFFORTS, Result
from maurey.verify.papers.mousavi2025.recurrent import interpolants, interpolation
from maurey.verify.papers.mousavi2025.recurrent.interpolants import through

QUICK = EFFORTS["quick"]


def found(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


def test_a_network_by_hand():
    net = through([F(2), F(0), F(3)], [F(5), F(1), F(5)])
    assert net.knots == (-1, 0, 2)
    assert net.a == (1, 1, -2)  # slope 1 up to 0, then 2, then 0
    assert [net(F(t)) for t in (-1, 0, 1, 2, 3, 10)] == [0, 1, 3, 5, 5, 5]


def test_one_point_and_labels_that_are_zero():
    assert through([F(7)], [F(3)])(F(7)) == 3
    zero = through([F(0), F(1)], [F(0), F(0)])
    assert zero.squares[0] == 0  # the scale of the proof is not defined here, and no output weights are needed


def test_the_norm_at_the_papers_scale():
    z, y = [F(0), F(1, 2)], [F(1), F(-1)]
    net = through(z, y)
    scale = math.sqrt((0.25 + 2) * 0.25 / 2)  # alpha^2
    by_hand = scale * float(net.squares[0]) + float(net.squares[1]) / scale
    assert float(interpolants.squared_norm(net, z, y, F(1, 2))) == pytest.approx(by_hand)


def test_the_three_lemmas_hold():
    for function in (interpolation.univariate, interpolation.separating, interpolation.gaussian):
        assert {one.verdict for one in found(function)} == {"holds"}


@pytest.mark.parametrize("form", ["derived", "sharp"])
def test_a_smaller_constant_of_38_is_caught(form, monkeypatch):
    tight = max(one.tightness for one in found(interpolation.univariate) if one.form == form and one.tightness)
    assert 0.7 < tight <= 1
    exact = interpolation.value
    factor = arb(str(0.99 * tight))
    monkeypatch.setattr(interpolation, "value", lambda k, f, p, at: exact(k, f, p, at) * (factor if f == form else 1))
    assert "fails" in [one.verdict for one in found(interpolation.univariate)]


def test_a_wrong_knot_is_caught(monkeypatch):
    true = interpolation.through
    shifted = lambda z, y: interpolants.Unscaled(true(z, y).a, tuple(k + F(1, 10**6) for k in true(z, y).knots))  # noqa: E731
    monkeypatch.setattr(interpolation, "through", shifted)
    assert found(interpolation.univariate)[-1].verdict == "fails"


def test_a_wider_gap_is_not_proved(monkeypatch):
    exact = interpolation.formula
    monkeypatch.setattr(interpolation, "formula", lambda *a, **at: exact(*a, **at) * Rational(1001, 1000))
    gaps = [one.verdict for one in found(interpolation.separating) if one.part == "gap" and one.form != "printed"]
    assert set(gaps) == {"undecided"}


def test_a_much_wider_gap_is_seen(monkeypatch):
    exact = interpolation.value
    monkeypatch.setattr(interpolation, "value", lambda *at: exact(*at) * 20)
    verdicts = [one.verdict for one in found(interpolation.separating) if one.part == "probability"]
    assert "undecided" in verdicts
    assert "fails" in verdicts


def test_probabilities_against_draws():
    x = np.random.default_rng(5).normal(size=(200_000, 2))
    near = (np.abs(x[:, 0] - x[:, 1]) <= 0.3).mean()
    assert float(interpolation.near_each_other(arb("0.3"))) == pytest.approx(near, rel=0.02)
    assert float(interpolation.sum_exceeds(2, 3)) == pytest.approx(math.exp(-3))  # chi^2 of two degrees beyond 6
