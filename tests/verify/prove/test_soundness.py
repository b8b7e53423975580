"""What must not be called proved or refuted: integers, open ends, branches, kinks, domains with nothing in them."""

import pytest
from sympy import (  # fmt: skip
    Abs,
    Eq,
    Max,
    Min,
    Ne,
    Piecewise,
    Rational,
    Symbol,
    asin,
    atan,
    exp,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
)

import maurey
from maurey import InputError

x, y = symbols("x y")
n, m = symbols("n m", integer=True)
positive = Symbol("x", positive=True)
HALF, THIRD = Rational(1, 2), Rational(1, 3)
NEARLY = (n - m * Rational(141421356, 10**8)) ** 2 - n * m / 10**9  # negative for reals; for integers far away


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "options"),
    [
        (n * (1 - n), 0, {n: (0, 3)}, {}),
        (n * (1 - n), 0, {n: (0, pi)}, {}),
        (n * (1 - n), 0, {n: (-2, 3), y: (0, 3)}, {"assuming": Eq(n + y, 1)}),
        ((-1) ** n, 1, {n: (0, 5)}, {}),
        (sin(x), x, {x: (0, oo)}, {"relation": "<", "assuming": x > 0}),
        (2 * x, 1 + x**2, {x: (1, oo)}, {"relation": "<", "assuming": x > 1}),
        (1, exp(positive), {positive: (0, 1)}, {"relation": "<"}),
        (x / (1 + x), 1, {x: (0, oo)}, {"relation": "<"}),
        (sign(x) * x, Abs(x), {x: (-2, 1)}, {"relation": "=="}),
    ],
)
def test_what_is_true_only_of_integers_or_of_open_sides_is_proved(lhs, rhs, over, options):
    page = maurey.check(lhs, rhs, over=over, **options)
    assert (page.verdict, page.evidence) == ("holds", "proved")
    assert page.how


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "options", "witness"),
    [
        (x * (1 - x), 0, {x: (0, 3)}, {}, {"x": HALF}),
        (n * (2 - n), HALF, {n: (0, 3)}, {}, {"n": 1}),
        (n * m / 4, (2 * n - m) ** 2, {n: (0, oo), m: (0, oo)}, {}, {"n": 1, "m": 2}),
        (0, x**n, {x: (-1, 1), n: (1, 3)}, {}, {"x": -1, "n": 1}),
        ((-1) ** n, 0, {n: (0, 5)}, {}, {"n": 0}),
        (2 * x, 1 + x**2, {x: (1, oo)}, {"relation": "<"}, {"x": 1}),
        (Piecewise((x, Ne(x, 0)), (5, True)), 1, {x: (-1, 1)}, {}, {"x": 0}),
        (Piecewise((5, Eq(x, THIRD)), (x, True)), 1, {x: (-1, 1)}, {}, {"x": THIRD}),
        (tan(x), tan(3), {x: (0, 3)}, {}, {"x": 0}),
        (0, (tan(x) + HALF) * (atan(x) + 1), {x: (0, 3)}, {}, {"x": 2}),
        (Max(x, 0), x, {x: (-1, 1)}, {"relation": "=="}, {"x": -1}),  # equal from above alone
        (Min(x, 0), x, {x: (-1, 1)}, {"relation": "=="}, {"x": 1}),  # from below alone
        (asin(sin(x)), x, {x: (-2, 1)}, {"relation": "=="}, {"x": -2}),
    ],
)
def test_what_is_false_is_refuted_where_it_may_be(lhs, rhs, over, options, witness):
    page = maurey.check(lhs, rhs, over=over, **options)
    assert (page.verdict, page.witness) == ("fails", witness)


def test_what_is_false_only_at_far_integers_is_not_proved():
    """Homogeneous, so that reals may be scaled to a box; integers may not."""
    assert maurey.check(0, NEARLY, over={n: (0, oo), m: (0, oo)}, seconds=1).verdict != "holds"
    real = {n: Symbol("n"), m: Symbol("m")}
    assert maurey.check(0, NEARLY.subs(real), over={"n": (0, oo), "m": (0, oo)}, seconds=3).verdict == "fails"


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "assuming", "message"),
    [
        (log(x), 0, {"x": (-2, -1)}, (), "both sides are real at no point of the box"),
        (sqrt(x - 3), 0, {"x": (-2, -1)}, (), "both sides are real at no point of the box"),
        (1 / x, 2, {"x": (0, 0)}, (), "both sides are real at no point of the box"),
        (x, 0, {x: (1, 2)}, x > 3, "no point of the box meets what is assumed"),
        (x, 0, {x: (1, 2)}, Eq(x, 3), "no point of the box meets what is assumed"),
        (x, 0, {x: (1, 2)}, exp(x) <= 1, "no point of the box meets what is assumed"),
        (x, 0, {x: (1, 2), y: (0, 1)}, x**2 + y**2 <= HALF, "no point of the box meets what is assumed"),
        (n, 0, {n: (THIRD, HALF)}, (), "the box is empty in n: it holds no integer"),
        (Ne(x, 1), None, {x: (0, 2)}, (), "a relation is one of <=, <, >=, >, =="),
        (x, 0, {x: (0, 2)}, Ne(x, 1), "a relation is one of <=, <, >=, >, =="),
        (x, 1, {"x": (0, 1), x: (0, 2)}, (), "the box names x twice"),
    ],
)
def test_nothing_is_said_of_nothing(lhs, rhs, over, assuming, message):
    with pytest.raises(InputError, match=message):
        maurey.check(lhs, rhs, over=over, assuming=assuming)
