"""Posteriors on finite classes: chances by hand, and the worst posterior by duality."""

import math

import numpy as np
import pytest

from maurey.verify.checks import Effort
from maurey.verify.complexity.posteriors import Problem, all_posteriors

TINY = Effort("tiny", 1, seed=3)


def test_a_coin_alone():
    """Nothing to choose: the bound is exceeded where the sample has few ones."""
    problem = Problem(10, 0.5, np.eye(2)[:1], np.ones(1))  # loss 1 on a 0
    often = problem.exceeded(lambda loss, KL: loss + 0.25 + 0 * KL)
    assert often == pytest.approx(sum(math.comb(10, j) for j in range(3)) / 2**10)
    assert problem.weights().sum() == pytest.approx(1)


def test_the_worst_posterior_is_found():
    """At one temperature the excess of the worst is log E exp(lambda (L - L_hat)), by Donsker and Varadhan."""
    rng = np.random.default_rng(0)
    problem = Problem(20, 0.3, rng.random((4, 2)), rng.dirichlet(np.ones(4)))
    heat = 3.0
    gaps = heat * (problem.true - problem.on_samples())
    best = np.log(np.exp(gaps) @ problem.prior) / heat
    for level in np.quantile(best, [0.3, 0.8]) + 1e-3:
        exact = problem.weights()[best > level].sum()
        assert problem.exceeded(lambda loss, KL, level=level: loss + KL / heat + level) <= exact + 1e-12
        assert problem.exceeded(lambda loss, KL, level=level: loss + KL / heat + level - 0.01) >= exact - 1e-12


def test_a_constant_of_its_own_for_each_network():
    """The mean square over the posterior may stand for Sigma^2; that of one network may not."""
    losses = np.array([[0.0, 0.0], [0.0, 1.0], [0.4, 0.6]])
    problem = Problem(30, 0.5, losses, np.array([0.5, 0.3, 0.2]))
    own, heat, delta = np.array([0.0, 0.5, 0.1]), 12.0, 0.2
    gaps = heat * (problem.true - problem.on_samples())
    often = problem.weights()[np.exp(gaps - heat**2 * own**2 / 60) @ problem.prior > 1 / delta].sum()
    assert often <= delta
    steep = 400.0  # Sigma = 0, that of the first: any temperature
    gaps = steep * (problem.true - problem.on_samples())
    assert problem.weights()[np.exp(gaps) @ problem.prior > 1 / delta].sum() > delta


def test_the_risk_of_a_hypothesis_is_that_of_the_coin():
    problem = Problem(4, 0.1, np.array([[0.2, 0.7], [1.0, 0.0]]), np.array([0.5, 0.5]))
    assert problem.true == pytest.approx([0.9 * 0.2 + 0.1 * 0.7, 0.9])
    assert problem.on_samples()[3] == pytest.approx([0.25 * 0.2 + 0.75 * 0.7, 0.25])
    assert problem.weights()[1] == pytest.approx(4 * 0.1 * 0.9**3)


def test_a_bound_that_fails_a_little_too_often_is_refuted(monkeypatch):
    for often, verdict in ((0.06, "fails"), (0.04, "holds")):
        monkeypatch.setattr(Problem, "exceeded", lambda self, bound, often=often: often)
        given = {"Sigma": 0.5, "heat": 1.0}
        assert all_posteriors("alquier2024/sub-gaussian", "printed", "risk", TINY, given).verdict == verdict
