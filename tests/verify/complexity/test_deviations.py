"""Gaps of finite classes by enumeration."""

import itertools
import math

import numpy as np
import pytest

from maurey.verify.complexity.deviations import CLASSES, two_points


@pytest.mark.parametrize("name", CLASSES)
def test_two_points_by_enumeration(name):
    losses, p, m = np.array(CLASSES[name], dtype=float), 0.3, 4
    weight, R, above, below = two_points(losses, p, m)
    assert weight.sum() == pytest.approx(1)
    for j in range(m + 1):
        assert weight[j] == pytest.approx(math.comb(m, j) * p**j * (1 - p) ** (m - j))
        sample = losses[:, [0] * j + [1] * (m - j)]
        suprema = [(sample @ eps).max() for eps in itertools.product((-1, 1), repeat=m)]
        assert R[j] == pytest.approx(sum(suprema) / 2**m / m, abs=1e-12)
        gaps = losses @ [p, 1 - p] - sample.mean(axis=1)
        assert (above[j], below[j]) == pytest.approx((gaps.max(), (-gaps).max()))
