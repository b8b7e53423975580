"""Complexities that are known, against estimates of them."""

import itertools
import math

import numpy as np
import pytest

from maurey.verify.complexity import rademacher


def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("m", [1, 4, 12])
def test_linear_functions_on_orthonormal_points(m):
    found = rademacher.linear(np.eye(m, m + 2), 3.0, 10, rng())
    assert found.value == pytest.approx(3 / math.sqrt(m), rel=1e-12)
    assert found.lower == found.value == found.upper


def test_drawn_signs_come_with_an_interval_that_holds():
    exact = 2 / math.sqrt(40)
    for seed in range(20):
        found = rademacher.linear(np.eye(40), 2.0, 300, np.random.default_rng(seed))
        assert found.lower <= exact <= found.upper
        assert found.upper - found.lower < 2


def test_finite_classes_by_hand():
    values = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, -1.0]])
    by_hand = [
        max(sum(e * v for e, v in zip(s, f, strict=True)) for f in values) for s in itertools.product((-1, 1), repeat=3)
    ]
    found = rademacher.finite(values, 10, rng())
    assert found.value == pytest.approx(sum(by_hand) / 8 / 3, rel=1e-12)


def test_ascent_over_heads_stays_below_and_comes_near():
    """One token: attention does nothing, and the class is x -> (W_V^T x)_1, linear with |column| <= min(norms)."""
    X = np.eye(13, 3)[:, None, :]
    X[3:] = X[:1]
    found = rademacher.head(X, {"B_V": 1.0, "B_V_inf": 1.0, "B_QK_inf": 2.0}, 150, 64, rng())
    exact = rademacher.linear(X[:, 0], 1.0, 64, rng())
    assert found.value <= exact.value * (1 + 1e-9)
    assert found.value >= 0.95 * exact.value
    assert found.upper == math.inf


@pytest.mark.parametrize("m", [1, 2, 7, 10])
def test_mean_absolute(m):
    by_hand = sum(abs(sum(s)) for s in itertools.product((-1, 1), repeat=m)) / 2**m
    assert float(rademacher.mean_absolute(m)) == by_hand


def test_the_worst_sample_by_hand():
    """{f, -f} has the complexity E|sum eps_i f(z_i)|/m, largest where all points are the one with the largest value."""
    values = np.array([[1.0, -3.0, 2.0], [-1.0, 3.0, -2.0]])
    for m in (1, 2, 4):
        assert rademacher.worst_sample(values, m, rng())[0] == pytest.approx(3 * float(rademacher.mean_absolute(m)) / m)
