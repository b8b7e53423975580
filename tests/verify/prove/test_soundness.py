"""What must not be called proved or refuted: integers, open ends, branches, kinks, domains with nothing in them."""

from contextlib import suppress

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from sympy import (  # fmt: skip
    Abs,
    E,
    Eq,
    Integer,
    Max,
    Min,
    Mul,
    Ne,
    Piecewise,
    Rational,
    Symbol,
    acos,
    asin,
    atan,
    atanh,
    ceiling,
    cos,
    erf,
    exp,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    tanh,
)

import maurey
from maurey import InputError
from maurey.verify.prove.clock import Clock, OutOfTime
from maurey.verify.prove.decide.cells import Cells
from maurey.verify.prove.decide.decision import proved
from maurey.verify.prove.decide.problem import Problem
from maurey.verify.prove.decide.search import Found
from maurey.verify.prove.ranges.forms import _fading, dominated
from maurey.verify.prove.ranges.intervals import between
from maurey.verify.prove.ranges.intervals import entropy as entropy_of

x, y = symbols("x y")
n, m = symbols("n m", integer=True)
z, k = Symbol("z", real=True), Symbol("k", real=True)
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
        (sqrt(-5 * y / 4 - acos(y)), 1, {x: (-oo, 0), y: (-2, 5)}, (), "both sides are real at no point of the box"),
        (log(x), -1, {"x": (-2, 0)}, (), "both sides are real at no point of the box"),
        (log(sqrt(x)), 1, {"x": (-3, -1)}, (), "both sides are real at no point of the box"),
        (log(x), log(x), {"x": (-2, -1)}, (), "both sides are real at no point of the box"),
        (x + acos(E), x + acos(E), {"x": (0, 1)}, (), r"real and finite, got acos\(E\)"),
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


def test_a_tangent_plane_is_that_of_its_own_corner():
    """Convex, and zero at (1/4, 1/4), where nothing is an edge, and at (0, 0), where it falls towards (1/4, 0)."""
    box = {x: (Integer(0), Integer(1)), y: (Integer(0), Integer(1))}
    corners = [{x: Rational(1, 4), y: Rational(1, 4)}, {x: Integer(0), y: Integer(0)}]
    cells = Cells(Problem(x**2 - x / 2 + y**2, box), [], corners, regular=True)
    whole = {letter: (fmpq(0), fmpq(1)) for letter in box}
    assert not any(cells.by_convexity(whole, i, [x, y]) for i in range(2))
    bowl = Cells(Problem(x**2 + x / 2 + y**2, box), [], [{x: Integer(0), y: Integer(0)}], regular=True)
    assert bowl.by_convexity(whole, 0, [x, y])


def test_more_corners_than_letters_and_fewer():
    assert maurey.check(sin(x) + sin(y) + sin(x + y), 3 * sqrt(3) / 2, over={x: (0, pi), y: (0, pi)}).verdict == "holds"
    six = symbols("a:f")
    page = maurey.check(Mul(*six) ** Rational(1, 6), sum(six) / 6, over=dict.fromkeys(six, (0, oo)), seconds=1)
    assert page.verdict != "fails"


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "relation", "witness"),
    [
        (x + log(x), 2 * x + log(x), {x: (-1, 1)}, "<=", None),  # and not at x = -1, where no side is real
        (sqrt(x - 3) + x, sqrt(x - 3) + 2 * x - 4, {x: (0, 5)}, "<=", {"x": 3}),
        (sqrt(x - 3) + x, sqrt(x - 3) + 2 * x - 3, {x: (0, 5)}, "<=", None),
        (1 / x, 1 / x + x**2, {x: (-1, 1)}, "<", None),
    ],
)
def test_sides_are_real_where_a_witness_is(lhs, rhs, over, relation, witness):
    """What falls out of the difference is still part of both sides."""
    page = maurey.check(lhs, rhs, over=over, relation=relation)
    assert (page.verdict, page.witness) == ("holds" if witness is None else "fails", witness)


def test_a_case_that_is_not_chosen_need_not_be_real():
    log_from_one = Piecewise((x, x < 1), (log(x), True))
    assert maurey.check(log_from_one, 5, over={x: (-2, -1)}).verdict == "holds"
    assert maurey.check(log_from_one, x, over={x: (-2, 3)}).verdict == "holds"


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "relation", "verdict"),
    [
        (1 - erf(x), exp(-(x**2)), {x: (0, oo)}, "<=", "holds"),  # SymPy wants 10^12 bits
        (atanh(4 / sqrt(n)), Piecewise((Rational(1, 4), n <= E), (n, True)), {n: (0, oo)}, "<=", "undecided"),
        (sqrt(Max(sqrt(x), x**2)), tanh(x), {x: (-3, -1)}, ">=", "undecided"),
        (ceiling(cos(x)), 1, {x: (0, pi / 2)}, "<=", "holds"),
        (Max(0, log(x)), Abs(log(x)), {x: (0, oo)}, "<=", "holds"),
        (x**E, exp(x), {x: (0, oo)}, "<=", "holds"),
    ],
)
def test_algebra_that_gives_up_is_no_traceback(lhs, rhs, over, relation, verdict):
    assert maurey.check(lhs, rhs, over=over, relation=relation).verdict == verdict


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "witness"),
    [
        (-(sin(x) ** 2), 0, {x: (3, 4)}, pi),
        (-((x**2 - 2) ** 2), 0, {x: (0, 2)}, sqrt(2)),
        (log(x) / x, exp(-1), {x: (0, oo)}, E),
    ],
)
def test_sides_that_meet_refute_what_is_strict(lhs, rhs, over, witness):
    page = maurey.check(lhs, rhs, over=over, relation="<")
    assert (page.verdict, page.witness) == ("fails", {"x": witness})
    assert maurey.check(lhs, rhs, over=over).verdict == "holds"


def test_far_out_and_in_short():
    page = maurey.check(-log(x), 700, over={x: (0, 1)})
    assert page.verdict == "fails"
    assert "10^400" in repr(page)
    assert len(repr(page)) < 80


UP, LINE, TINY = (Integer(0), oo), (-oo, oo), Rational(1, 10**9)
SLIGHTLY_FALSE = [  # or only far away
    (exp(z) - E * z - Rational(1001, 1000) * (z - 1) ** 2, UP),
    (1 - TINY - z / sqrt(1 + z**2), LINE),
    (z * exp(-z) - TINY, (Integer(1), oo)),
    (z**5 * exp(-z / 2) - 1, (Integer(4), oo)),
    (log(1 + exp(z)) - z - TINY, LINE),
    (log(1 + exp(-z)) - exp(-z) + exp(-z) ** 2 / 3, LINE),
    (log(z) / Rational(2719, 1000) - log(log(z)), (Integer(1), oo)),
    (z * (1 + erf(z / sqrt(2))) / 2 + Rational(1699, 10000), LINE),
    (cos(cos(z)) - sin(sin(z)) - Rational(1, 5), LINE),
    (Rational(299, 100) * Abs(sin(z)) - Abs(sin(3 * z)), LINE),
    (2 * sin(z) ** 2 + Rational(1, 8) - TINY - sin(z), LINE),
    (atan(z) + atan(1 / z) - pi / 2 - TINY, UP),
    (Rational(3678, 10000) - (1 - 1 / k) ** k, (Integer(1), oo)),
    ((1 - TINY) * erf(positive) - sqrt(1 - exp(-(positive**2))), UP),
    (sqrt(positive) * log(positive) + Rational(735, 1000), UP),
    (1 / sqrt(positive) + log(positive) - 2 + 2 * log(2) - TINY, (Integer(0), Integer(1))),
    ((1 - TINY) * log(2) ** 2 - log(1 + positive) * log(1 + 1 / positive), UP),
]


@pytest.mark.parametrize(("expr", "side"), SLIGHTLY_FALSE)
def test_nothing_false_is_proved_where_no_search_has_found_it(expr, side):
    (letter,) = expr.free_symbols
    with suppress(OutOfTime):
        assert proved(Problem(expr, {letter: side}), Found(None, np.zeros((0, 1))), Clock(0.7)) is None


def test_concave_is_least_at_an_end_only_where_it_is_concave_and_continuous():
    box = {z: (Integer(0), Integer(1)), k: (Integer(0), Integer(1))}
    for expr in (z * (1 - z) * (1 + k) - k / 1000, (z - HALF) ** 2 + k - TINY, log(z) + 10**6 + k):
        with suppress(OutOfTime):
            assert proved(Problem(expr, box), Found(None, np.zeros((0, 2))), Clock(0.7)) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_what_fades_is_within_its_bounds(sign):
    """Terms divided by the largest, over a cell without an end: all their values lie between the bounds."""
    for expr in (exp(z) - z**3 + sqrt(1 + z**2), z / sqrt(3 + 2 * z**2) - tanh(z), log(z**2) ** 2 - sqrt(z**2)):
        for start in (2, 3, 50):
            cell = {"z": between(fmpq(start), arb.pos_inf()) if sign > 0 else between(arb.neg_inf(), fmpq(-start))}
            for _, ratios in dominated(expr):
                for ratio in ratios:
                    bounds = _fading(ratio, cell)
                    for at in (start, start + HALF, 2 * start, 100 * start):
                        value = float(ratio.subs(z, sign * at))
                        assert bounds is None or float(bounds.low) - 1e-9 <= value <= float(bounds.high) + 1e-9


def test_entropy_on_a_simplex():
    """u log u beside 0, and letters that are bounded only together."""
    masses = symbols("p:3")
    entropy, simplex = -sum(p * log(p) for p in masses), Eq(sum(masses), 1)
    over = dict.fromkeys(masses, (0, oo))
    assert maurey.check(entropy, log(3), over=over, assuming=simplex).verdict == "holds"
    page = maurey.check(entropy, log(3) * (1 - Rational(1, 10**6)), over=over, assuming=simplex)
    assert page.witness == dict.fromkeys(("p0", "p1", "p2"), THIRD)
    with ctx.workprec(96):
        for low, high in ((0, 1), (0, fmpq(1, 5)), (fmpq(1, 5), fmpq(1, 2)), (fmpq(1, 2), 3), (-1, fmpq(1, 9))):
            found = entropy_of(between(low, high))
            inner = [arb(max(low, 0) + (high - max(low, 0)) * fmpq(k, 50)) for k in range(1, 51)]
            values = [u * u.log() for u in inner]
            assert not any(v < found.low or v > found.high for v in values)
            assert found.low > min(v.mid() for v in values) - arb("0.05")
