"""The grid on which measured norms are rounded up."""

import random
from fractions import Fraction

import pytest

from maurey.numeric.evaluation import value
from maurey.verify.models.numbers.cells import LEAST, TOTAL, Cell, cell, weight

DRAW = random.Random(0)
NORMS = [Fraction(DRAW.lognormvariate(0, 20)) for _ in range(300)]


@pytest.mark.parametrize("x", [*NORMS[:20], Fraction(1), Fraction(2) ** 40, Fraction(1, 4), Fraction(2) ** 1024])
def test_a_norm_lies_in_its_cell(x):
    found = cell(x)
    assert max(x, LEAST) ** 8 <= Fraction(2) ** found.k
    assert max(x, LEAST) ** 8 > Fraction(2) ** (found.k - 1)


def test_bounds_are_above_by_a_little():
    for k in range(-320, 400):
        bound = Cell(k).bound
        assert Fraction(2) ** k <= bound**8 <= Fraction(2) ** k * (1 + Fraction(1, 1 << 50))
        assert cell(bound).k in (k, k + 1)
    assert [Cell(8 * q).bound for q in (-2, 0, 5)] == [Fraction(1, 4), 1, 32]


def test_zero_is_paid_for():
    assert cell(Fraction(0)) == cell(LEAST) == Cell(-320)
    assert weight([cell(Fraction(0))]) == Fraction(1, 321**2) / TOTAL


def test_the_weight_is_below_that_of_the_claim():
    from math import exp, isclose, log

    cells = [cell(x) for x in NORMS]
    at = {"n": len(cells), "place": [Fraction(c.place) for c in cells]}
    price = float(value("maurey/posthoc", "printed", "price", at))
    exact = weight(cells)
    found = log(exact.denominator) - log(exact.numerator)
    assert price < found < price + 1e-3 * len(cells)
    assert isclose(exp(-0.8284), 1 / float(TOTAL), rel_tol=1e-3)


def test_the_weights_of_all_cells_sum_to_at_most_one():
    total = sum(weight([Cell(k)]) for k in range(-3000, 3001))
    assert 0.999 < total < 1
    assert total + 2 * Fraction(2, 6003) / TOTAL <= 1  # what is left is less: 1/x^2 is convex
