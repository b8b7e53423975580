"""Binomial probabilities and quantiles, by hand."""

import math

import numpy as np
import pytest

from maurey.verify.complexity.distributions import binomial, quantile


@pytest.mark.parametrize(("m", "p"), [(0, 0.5), (1, 0.99), (7, 0.3), (40, 0.02)])
def test_binomial_probabilities(m, p):
    by_hand = [math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]
    assert binomial(m, p) == pytest.approx(by_hand, rel=1e-12)


def test_large_binomials_sum_to_one():
    assert binomial(1600, 0.01).sum() == pytest.approx(1, rel=1e-9)


def test_quantiles():
    """3 with probability 1/8, 2 with 1/4, 1 with 1/8, 0 with 1/2: reached with 1/8, 3/8, 1/2 and 1."""
    values, weights = np.array([1.0, 0.0, 3.0, 2.0]), np.array([0.125, 0.5, 0.125, 0.25])
    assert [quantile(values, weights, delta) for delta in (0.1, 0.125, 0.3, 0.4, 0.6)] == [3, 2, 2, 1, 0]
    assert quantile(-values, weights / 2, 0.7) == 0  # nothing is reached so often
