"""Complexities that are known, and what the checks of the chain make of a wrong constant."""

import itertools
import math

import numpy as np
import pytest

from maurey.verify.checks import EFFORTS
from maurey.verify.complexity import rademacher
from maurey.verify.papers.edelman2022 import chain

QUICK = EFFORTS["quick"]


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


@pytest.mark.parametrize(
    ("function", "factor"),
    [
        (chain.dudley, 0.1),
        (chain.chaining, 0.4),
        (chain.deviation, 0.2),
        (chain.bartlett, 0.1),
        (lambda effort: list(chain.two_sides(effort))[-1], 0.2),
        (lambda effort: next(iter(chain.quadratic_entropy(effort))), 0.4),
    ],
)
def test_a_constant_below_the_tightness_is_caught(function, factor, monkeypatch):
    true = function(QUICK)
    assert true.verdict == "holds"
    assert true.instances > 0
    assert factor < true.tightness <= 1
    exact = chain._value
    monkeypatch.setattr(chain, "_value", lambda *arguments: factor * exact(*arguments))
    assert function(QUICK).verdict == "fails"


def test_what_is_refuted_is_refuted():
    """By hand: with R = 0, |gap| = b and m = 1 the print says 2 b sqrt(log(1/delta)/2)."""
    result = next(iter(chain.two_sides(QUICK)))
    assert float(result.printed_value) == pytest.approx(2 * math.sqrt(math.log(1 / 0.9) / 2), rel=1e-12)
    assert float(result.printed_value) < float(result.true_value) == 1
    result = list(chain.quadratic_entropy(QUICK))[-1]
    assert float(result.printed_value) == pytest.approx(12 * 10 * (1 + math.log(1 / 10)), rel=1e-12)
    result = next(iter(chain.gap_from_entropy(QUICK)))
    assert all(float(ratio) < 1 for ratio in result.counterexample["ratios"])
