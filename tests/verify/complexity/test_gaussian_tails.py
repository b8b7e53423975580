"""Gaussian tails against draws, and a level that is too low."""

from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb
from sympy import Rational, log, sqrt

from maurey.verify.complexity import gaussian_tails as tails


def test_exact_tails():
    rng = np.random.default_rng(0)
    norms = np.linalg.norm(rng.standard_normal((40_000, 5)), axis=1)
    for level in (1.5, 2.5, 3.5):
        assert float(tails.longer(5, arb(level))) == pytest.approx((norms > level).mean(), abs=0.01)
    assert float(tails.beyond(arb(1.96))) == pytest.approx(0.05, abs=1e-4)
    assert tails.quantile(tails.beyond, F(1, 20), 10.0) == pytest.approx(1.959964, abs=1e-5)


@pytest.mark.parametrize(("factor", "proved"), [(Rational(1), True), (Rational(99, 100), False)])
def test_chernoff(factor, proved):
    """Of failing probability delta, |X|^2 <= n + 2 sqrt(n log(1/delta)) + 2 log(1/delta)."""

    def level(n, failing):
        return factor * sqrt(n + 2 * sqrt(n * log(1 / failing)) + 2 * log(1 / failing))

    assert all(proof.verdict is True for proof in tails.chernoff(level)) is proved
