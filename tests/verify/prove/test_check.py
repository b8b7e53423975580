"""An inequality of one's own: proved, refuted, tested; and one clear line when it cannot be asked."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from sympy import exp, log, symbols, tanh

import maurey
from maurey import InputError

x, y = symbols("x y")
FLOATS = st.floats(-4, 4)
PAIRS = st.tuples(FLOATS, FLOATS)


def test_formulas_are_proved_on_the_whole_box():
    page = maurey.check(2 * tanh(x / 2), x, over={"x": (0, 10)})
    assert (page.verdict, page.result.rung, page.result.tightness) == ("holds", "proved", 1.0)
    assert maurey.check(1 + x, exp(x), over={x: (-3, 3)}).verdict in ("holds", "undecided")
    assert maurey.check(x * y, (x**2 + y**2) / 2 + 1, over={"x": (-2, 2), "y": (-2, 2)}).verdict == "holds"


def test_formulas_are_refuted_at_a_point():
    page = maurey.check(2 * tanh(x / 2), 99 * x / 100, over={"x": (0, 10)})
    assert (page.verdict, page.result.rung) == ("fails", "refuted")
    at = float(Fraction(page.result.counterexample["x"]))
    assert 2 * np.tanh(at / 2) > 0.99 * at
    assert "x = " in str(page)


def test_functions_are_tested():
    page = maurey.check(lambda p: p[0] * p[1], lambda p: (p[0] ** 2 + p[1] ** 2) / 2, over=PAIRS, instances=300)
    assert (page.verdict, page.result.rung) == ("holds", "tested")
    assert page.result.instances >= 200
    assert 0.5 < page.result.tightness <= 1 + 1e-9


def test_functions_are_refuted_with_a_small_instance():
    integers = st.lists(st.integers(-1000, 1000), min_size=1, max_size=5)
    page = maurey.check(lambda v: sum(map(abs, v)), lambda v: 5 + 0 * len(v), over=integers)
    assert page.verdict == "fails"
    assert page.result.counterexample["instance"] in ([6], [-6])
    assert "smallest" in str(page)


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "message"),
    [
        (lambda v: "a", lambda v: 1, FLOATS, "left-hand side is not a number: got str"),
        (lambda v: 1, lambda v: float("nan"), FLOATS, "right-hand side is not a number: got nan"),
        (lambda v: np.ones(2) @ np.ones(3), lambda v: 1, FLOATS, "left-hand side cannot be computed"),
        (lambda v: 1, lambda v: 2, FLOATS.filter(lambda v: False), "never meets the hypotheses"),
        (lambda v: assume(False), lambda v: 2, FLOATS, "never meets the hypotheses"),
        (x, y, {"x": (0, 1)}, "the box says nothing of y"),
        (x, x, {"x": (2, 1)}, "the box is empty in x"),
        (x, x, {"x": (0, "1+1")}, "ends of a box are numbers"),
        (lambda v: 1, x, {"x": (0, 1)}, "left-hand side must be a SymPy expression"),
        (x, x, FLOATS, "functions of an instance"),
        (lambda v: 1, lambda v: 1, 7, "must be a hypothesis strategy or a box"),
    ],
)
def test_bad_input(lhs, rhs, over, message):
    with pytest.raises(InputError, match=message):
        maurey.check(lhs, rhs, over=over)


def test_logarithms_and_ends():
    assert maurey.check(log(x), x - 1, over={"x": (1, 5)}).verdict == "holds"
    assert maurey.check(log(x), x - 1, over={"x": ("1/10", 1)}).verdict == "holds"
