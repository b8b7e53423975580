"""An inequality of one's own: proved, refuted, tested; and one clear line when it cannot be asked."""

from fractions import Fraction
from time import process_time

import numpy as np
import pytest
import torch
from hypothesis import assume
from hypothesis import strategies as st
from sympy import (
    Abs,
    E,
    Eq,
    Function,
    Ge,
    Integer,
    Lt,
    Max,
    Piecewise,
    Rational,
    Symbol,
    acos,
    asin,
    atan,
    ceiling,
    cos,
    cosh,
    erf,
    evaluate,
    exp,
    floor,
    gamma,
    log,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
    sympify,
    tan,
    tanh,
)  # fmt: skip

import maurey
from maurey import InputError
from maurey.verify.attack.strategies import boolean_inputs, heads, layers, matrices, probability_rows, tokens
from maurey.verify.prove.decide.problem import Problem, violated

x, y, tau = symbols("x y tau")
n = Symbol("n", integer=True)
a, b, c, d = symbols("a b c d")
p, v = symbols("p1:4"), symbols("v1:4")
FLOATS = st.floats(-4, 4)
PAIRS = st.tuples(FLOATS, FLOATS)
HALF, UP, LINE = Rational(1, 2), (0, oo), (-oo, oo)

maurey.check(x, x, over={"x": (0, 1)})  # what is imported on first use
SPREAD = sum(p[i] * v[i] ** 2 for i in range(3)) - sum(p[i] * v[i] for i in range(3)) ** 2
SQUARES = sum(one**2 for one in v)
BALL = {**dict.fromkeys(p, (0, 1)), **dict.fromkeys(v, (-1, 1))}

PROMISED = [
    (x**2, x, {"x": (0, 1)}, {}, "holds"),
    (sqrt(x), x, {"x": (0, 2)}, {}, "fails"),
    (x * (1 - x), Rational(1, 4), {x: LINE}, {}, "holds"),
    (2 * tanh(x / (2 * tau)), x, {"x": (0, 10), "tau": ("1/10", 2)}, {}, "fails"),
    (2 * tanh(x / (2 * tau)), x / tau, {"x": (0, 10), "tau": ("1/10", 2)}, {}, "holds"),
    (sqrt(a * b), (a + b) / 2, {"a": UP, "b": UP}, {}, "holds"),
    ((a * b * c * d) ** Rational(1, 4), (a + b + c + d) / 4, dict.fromkeys("abcd", UP), {}, "holds"),
    (log(1 + x), x, {"x": (-1, float("inf"))}, {}, "holds"),
    (log(1 - a + a * exp(b)), a * b + b**2 / 8, {"a": (0, 1), "b": (-3, 3)}, {}, "holds"),  # Hoeffding's lemma
    (SPREAD, SQUARES / 2, BALL, {"assuming": Eq(sum(p), 1)}, "holds"),
    (SPREAD.subs(p[2], 1 - p[0] - p[1]), SQUARES / 2, BALL, {"assuming": [p[0] + p[1] <= 1]}, "holds"),
    (SPREAD, SQUARES * Rational(499, 1000), BALL, {"assuming": Eq(sum(p), 1)}, "fails"),
]


@pytest.mark.parametrize(("lhs", "rhs", "over", "options", "verdict"), PROMISED)
def test_what_was_promised_is_decided_soon(lhs, rhs, over, options, verdict):
    start = process_time()
    page = maurey.check(lhs, rhs, over=over, **options)
    assert page.verdict == verdict
    assert page.evidence == {"holds": "proved", "fails": "refuted"}[verdict]
    assert process_time() - start < 2


TRUE = [
    (Abs(sin(x)), Abs(x), {"x": LINE}),
    (exp(x) * (1 + y), exp(x + y), {"x": (-1, 1), "y": (-1, 1)}),
    (2 * x / pi, sin(x), {"x": (0, pi / 2)}),
    (x**2 * exp(-x), 4 * exp(-2), {"x": UP}),
    (asin(x) + acos(x), pi / 2 + x**2, {"x": (-1, 1)}),
    (erf(x), 2 * x / sqrt(pi), {"x": UP}),
    (ceiling(x), x + 1, {"x": (0, 10)}),
    (floor(x) + sin(x), x + 1, {"x": (-2, 10)}),
    (Max(x, 0), log(1 + exp(x)), {"x": (-20, 20)}),
    (Piecewise((x, x > 0), (0, True)), exp(x), {"x": (-5, 5)}),
    (x**y, 1, {"x": (0, 1), "y": (0, 3)}),
    (tan(x), 2, {"x": (0, 1)}),
    (log(x), x - 1, {"x": (0, 5)}),
    (1 / x, 1, {"x": (1, oo)}),
    (log(1 + exp(x)), Max(x, 0) + exp(-Abs(x)), {"x": LINE}),  # the largest exponential is taken out
    (Abs(x) - log(2), log(cosh(x)), {"x": LINE}),
    (log(log(x)), log(x) / E, {"x": (1, oo)}),
    (E * x + (x - 1) ** 2, exp(x), {"x": UP}),  # far away a power is nothing beside an exponential
    (-Rational(17, 100), x * (1 + erf(x / sqrt(2))) / 2, {"x": LINE}),
    (x / (1 + exp(-x)), Max(0, x), {"x": LINE}),
    (tanh(x), x / sqrt(1 + 2 * x**2 / 3), {"x": (1, oo)}),
    (atan(x) + atan(1 / x), pi / 2, {"x": UP}),
    (sin(sin(x)), cos(cos(x)), {"x": LINE}),
    (Abs(sin(3 * x)), 3 * Abs(sin(x)), {"x": LINE}),
    ((x + 1) * log(x + 1) - x * log(x), 1 + log(1 + x), {"x": UP}),
    ((1 - 1 / n) ** n, 1 / E, {"n": (1, oo)}),
    (log(1 + x) * log(1 + 1 / x), log(2) ** 2 * (1 + Rational(1, 10**6)), {"x": UP}),  # undefined at both ends
    (sin(x) + sin(2 * x) / 2, 3 * sqrt(3) / 4, {"x": LINE}),
]


@pytest.mark.parametrize(("lhs", "rhs", "over"), TRUE)
def test_what_is_true_is_proved(lhs, rhs, over):
    page = maurey.check(lhs, rhs, over=over, seconds=5)
    assert (page.verdict, page.evidence, page.witness) == ("holds", "proved", None)


FALSE = [
    (1 / x, 1, {"x": (-1, 3)}),  # across a pole
    (-1 / x, 1, {"x": (-1, 1)}),
    (tan(x), 10**6, {"x": (0, 3)}),
    (1 / (x - HALF), 5, {"x": (0, 1)}),
    (-log(x), 50, {"x": (0, 1)}),  # only very near to an end
    (x**3, 10**7, {"x": LINE}),
    (sin(x), Rational(999999, 10**6), {"x": (0, 10)}),
    (floor(x), x - Rational(1, 10), {"x": (0, 2)}),
    (x, sqrt(x**2 - 1), {"x": (0, 3)}),
    (exp(x), 1 + x + x**2, {"x": (0, 2)}),
    (sinh(x), x + x**3 / 6, {"x": (0, 1)}),
]


@pytest.mark.parametrize(("lhs", "rhs", "over"), FALSE)
def test_what_is_false_is_refuted_at_an_exact_point(lhs, rhs, over):
    page = maurey.check(lhs, rhs, over=over, seconds=5)
    assert (page.verdict, page.evidence) == ("fails", "refuted")
    assert page.cost["seconds"] < 1
    box = {Symbol(str(name)): tuple(map(sympify, ends)) for name, ends in over.items()}
    assert violated(Problem(rhs - lhs, box), {Symbol(n): value for n, value in page.witness.items()})


def test_ties_are_for_weak_inequalities():
    assert maurey.check(sin(x) < x, over={"x": (0, 5)}).witness == {"x": 0}
    assert maurey.check(Lt(sin(x), x), over={"x": (1, 5)}).verdict == "holds"
    assert maurey.check(2 * x, 1 + x**2, over={"x": LINE}, relation="<").witness == {"x": 1}
    assert maurey.check(Ge(exp(x), 1 + x), over={"x": LINE}).verdict == "holds"
    assert maurey.check(exp(x), E * x, over={"x": LINE}, relation=">").witness == {"x": 1}


def test_equations():
    assert maurey.check(sin(x) ** 2 + cos(x) ** 2, 1, over={"x": LINE}, relation="==").verdict == "holds"
    assert maurey.check(Eq(atan(x), x), over={"x": (0, 1)}).verdict == "fails"


def test_assumptions_are_met_exactly():
    page = maurey.check(x * y, Rational(24, 100), over={"x": (0, 1), "y": (0, 1)}, assuming=Eq(x + y, 1))
    assert page.verdict == "fails"
    assert page.witness["x"] + page.witness["y"] == 1
    assert (
        maurey.check(x * y, Rational(1, 4), over={"x": (0, 1), "y": (0, 1)}, assuming=Eq(x + y, 1)).verdict == "holds"
    )
    assert maurey.check(x, y, over={"x": (0, 1), "y": (0, 1)}, assuming=[x <= y]).verdict == "holds"


def test_what_is_open_has_no_evidence():
    hard = maurey.check(waves(), 3 - Rational(1, 10**7), over={"x": UP}, seconds=0.5)
    assert (hard.verdict, hard.evidence, hard.witness) == ("undecided", None, None)
    assert "proved" not in str(hard)


def waves():
    """As near to 3 as one likes, very far away."""
    return sin(x) + sin(sqrt(2) * x) + sin(sqrt(3) * x)


def test_time_is_kept():
    start = process_time()
    page = maurey.check(waves(), 3 - Rational(1, 10**7), over={"x": UP}, seconds=1)
    assert page.verdict == "undecided"
    assert process_time() - start < 4  # of far more


def test_pages_say_it_in_short():
    page = maurey.check(sqrt(x), x, over={"x": (0, 2)})
    assert repr(page) == "<sqrt(x) <= x: fails, refuted at x = 1/2>"
    assert "witness    x = 1/2" in str(page)
    assert "s CPU" in str(page)
    assert "where every part is real" in maurey.check(log(x), x, over={"x": (-1, 1)}).where
    assert "real" not in maurey.check(x**2, x, over={"x": (0, 1)}).where


def test_scalars_of_other_libraries_and_idle_symbols():
    over = {"x": (np.float64(0), torch.tensor(1.0)), "idle": (0, 1)}
    assert maurey.check(x**2, x, over=over).verdict == "holds"
    assert maurey.check(x, np.int64(1), over={"x": (0, 1)}).verdict == "holds"
    assert maurey.check(x * 0.5, HALF, over={"x": (0, 1)}).verdict == "holds"


# --- functions --------------------------------------------------------------------------------------------------------


def test_functions_are_tested():
    page = maurey.check(lambda p: p[0] * p[1], lambda p: (p[0] ** 2 + p[1] ** 2) / 2, over=PAIRS, instances=300)
    assert (page.verdict, page.evidence) == ("holds", "tested")
    assert page.cost["instances"] >= 200
    assert 0.5 < page.tightness <= 1 + 1e-9
    assert "sampled only" in page.how


def test_functions_are_refuted_with_a_small_instance():
    integers = st.lists(st.integers(-1000, 1000), min_size=1, max_size=5)
    page = maurey.check(lambda v: sum(map(abs, v)), lambda v: 5 + 0 * len(v), over=integers)
    assert page.verdict == "fails"
    assert page.witness["instance"] in ([6], [-6])
    assert "smallest" in str(page)


def _mixed(M):
    M = torch.as_tensor(M)
    return (M @ torch.arange(1.0, 5.0, dtype=torch.float64)).norm()


def test_tensors_of_a_norm_ball_are_attacked_by_ascent():
    """|M u| <= |u| for |M| <= 1 is attained by one direction, which is hardly ever drawn."""
    bound = float(torch.arange(1.0, 5.0).norm())
    page = maurey.check(_mixed, lambda M: bound, over=matrices((3, 4)), instances=60)
    assert (page.verdict, page.evidence) == ("holds", "tested")
    assert page.tightness > 0.999
    assert "ascent" in page.how
    wrong = maurey.check(_mixed, lambda M: 0.999 * bound, over=matrices((3, 4)), instances=30)
    assert wrong.verdict == "fails"
    assert np.linalg.norm(wrong.witness["instance"]) <= 1


def test_a_projection_of_ones_own():
    vectors = st.lists(st.floats(-1, 1), min_size=4, max_size=4).map(lambda v: np.array(v) / max(1, np.linalg.norm(v)))
    page = maurey.check(
        lambda v: torch.as_tensor(v).sum(), lambda v: 1.99, over=vectors, instances=20,
        project=lambda v: v / max(1.0, float(v.norm())),
    )  # fmt: skip
    assert page.verdict == "fails"


def _closeness(P):
    """1 at the rows (1, 2, 3, 4)/10, and nowhere else."""
    return 1 - ((torch.as_tensor(P) - U / 10) ** 2).sum()


U = torch.arange(1.0, 5.0, dtype=torch.float64)
UNIT = {"spectral": 1.0}
ATTAINED = {  # a strategy, a function of its instances, and the largest value on the class, hardly ever drawn
    "matrices": (matrices((3, 4)), _mixed, float(U.norm())),
    "sphere": (matrices((3, 4), on_sphere=True), _mixed, float(U.norm())),
    "tokens": (tokens(3, 4), _mixed, 3**0.5 * float(U.norm())),
    "probabilities": (probability_rows(2, 4), _closeness, 1.0),
    "heads": (heads(4, 2, V=UNIT, QK=UNIT), lambda h: _mixed(h["QK"]) + torch.as_tensor(h["V"])[0].sum(),
              float(U.norm()) + 2**0.5),
    "layers": (layers(2, 4, 1, V=UNIT, QK=UNIT, C={"frobenius": 1}), lambda ls: sum(_mixed(one["C"]) for one in ls),
               2 * float(U.norm())),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTAINED)
def test_strategies_that_know_their_class_are_attacked(name):
    over, side, most = ATTAINED[name]
    page = maurey.check(side, lambda _: most + 1e-9, over=over, instances=4, seconds=20)
    assert (page.verdict, page.evidence) == ("holds", "tested")
    assert "attacked by ascent" in page.how
    assert page.cost["starts"] > 0
    wrong = maurey.check(side, lambda _: most - 0.01 * abs(most), over=over, instances=4, seconds=20)
    assert wrong.verdict == "fails"
    assert "found by ascent" in wrong.how


def test_an_ascent_stays_on_the_sphere():
    page = maurey.check(
        lambda M: 1 - 1e-6, lambda M: torch.as_tensor(M).norm(), over=matrices((3, 4), on_sphere=True), instances=10
    )
    assert (page.verdict, "ascent" in page.how) == ("holds", True)


def test_a_projection_does_not_lead_out_of_a_class_that_is_known():
    bound = float(U.norm()) + 1e-6
    page = maurey.check(_mixed, lambda M: bound, over=matrices((3, 4)), instances=10, project=lambda M: 100 * M)
    assert page.verdict == "holds"


@pytest.mark.parametrize(
    ("project", "message"),
    [
        (lambda M: M[:1], r"project must give back a tensor of shape \(3, 4\).* got a tensor of shape \(1, 4\)"),
        (lambda M: "a", "project must give back a tensor of shape .* got 'a'"),
        (lambda M: None, "project must give back a tensor of shape .* got None"),
        (lambda M: 1 / 0, "project cannot be computed for a tensor: ZeroDivisionError: division by zero"),
        (lambda M: M * float("nan"), "project must give back finite numbers"),
        (3, "project is a function that brings an instance"),
    ],
)
def test_bad_projections(project, message):
    with pytest.raises(InputError, match=message):
        maurey.check(_mixed, lambda M: 20.0, over=matrices((3, 4)), instances=5, project=project)


def test_time_is_kept_over_a_strategy():
    page = maurey.check(_mixed, lambda M: 20.0, over=matrices((3, 4)), instances=10**9, seconds=0.7)  # days of work
    assert (page.verdict, page.evidence) == ("holds", "tested")
    assert f"of {10**9} instances, then the time was up" in page.how
    stuck = maurey.check(lambda v: sum(1 for _ in iter(int, 1)), lambda v: 1, over=FLOATS, seconds=0.3)
    assert (stuck.verdict, stuck.evidence) == ("undecided", None)


def test_what_was_only_sampled_says_why():
    unknown = maurey.check(lambda v: v.sum(), lambda v: 5, over=boolean_inputs(5), instances=20)
    assert "sampled only: the strategy does not know its class" in unknown.how
    stiff = maurey.check(lambda M: np.abs(M).sum(), lambda M: 4, over=matrices((3, 4)), instances=20)
    assert "sampled only: the sides have no slope" in stiff.how


# --- what cannot be asked ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lhs", "rhs", "over", "message"),
    [
        (lambda v: "a", lambda v: 1, FLOATS, "left-hand side is not a number: got str"),
        (lambda v: 1, lambda v: float("nan"), FLOATS, "right-hand side is not a number: got nan"),
        (lambda v: np.ones(2) @ np.ones(3), lambda v: 1, FLOATS, "left-hand side cannot be computed"),
        (lambda v: 1, lambda v: {}["a"], FLOATS, "right-hand side cannot be computed for an instance: KeyError"),
        (lambda v: v.foo, lambda v: 1, FLOATS, "left-hand side cannot be computed for an instance: AttributeError"),
        (lambda v: 1, lambda: 1, FLOATS, "right-hand side cannot be computed for an instance: TypeError"),
        (lambda v: 1, lambda v: 2, FLOATS.filter(lambda v: False), "never meets the hypotheses"),
        (lambda v: assume(False), lambda v: 2, FLOATS, "never meets the hypotheses"),
        (x, y, {"x": (0, 1)}, "the box says nothing of y"),
        (x, x, {"x": (2, 1)}, "the box is empty in x"),
        (x, x, {"x": (0, "1+1")}, "ends of a box are numbers"),
        (x, x, {"x": (0, float("nan"))}, "ends of a box are numbers"),
        (x, x, {"x": 3}, "its two ends"),
        (x, x, {"x": (0, 1, 2)}, "its two ends"),
        (x, x, {"x": (0, y)}, "ends of a box are real numbers"),
        (x, x, {3: (0, 1)}, "a box names its symbols"),
        (lambda v: 1, x, {"x": (0, 1)}, "left-hand side must be a SymPy expression"),
        (x, x, FLOATS, "functions of an instance"),
        (lambda v: 1, lambda v: 1, 7, "must be a hypothesis strategy or a box"),
        (gamma(x), x, {"x": (1, 2)}, "no function gamma here; there are sin"),
        (Function("f")(x), x, {"x": (1, 2)}, "no function f here"),
        (sqrt(-1), x, {"x": (1, 2)}, "real and finite"),
        (x, None, {"x": (1, 2)}, "right-hand side is missing"),
        (x, x, None, "over is missing"),
        (Integer(1) <= Integer(2), None, {"x": (0, 1)}, "already turned"),
        (x <= 1, x, {"x": (0, 1)}, "checked alone"),
    ],
)
def test_bad_input(lhs, rhs, over, message):
    with pytest.raises(InputError, match=message):
        maurey.check(lhs, rhs, over=over)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"relation": "=<"}, "no relation '=<'; there are <="),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"instances": "many"}, "instances must be an integer, at least 1, got 'many'"),
        ({"instances": 0.5}, "instances must be an integer"),
        ({"seed": -1}, "seed must be an integer, at least 0, got -1"),
        ({"seed": None}, "seed must be an integer"),
        ({"project": abs}, "project is a function that brings an instance"),
        ({"assuming": 3}, "assuming takes SymPy relations"),
        ({"assuming": [x]}, "a relation is one of"),
        ({"tol": 1}, "no option 'tol'; there are relation"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        maurey.check(x, 1, over={"x": (0, 1)}, **options)


def test_logarithms_and_ends():
    assert maurey.check(log(x), x - 1, over={"x": (1, 5)}).verdict == "holds"
    assert maurey.check(log(x), x - 1, over={"x": ("1/10", 1)}).verdict == "holds"
    assert maurey.check(log(x), x - 1, over={"x": (Fraction(1, 10), 1)}).verdict == "holds"


def nested(levels):
    expr = x
    with evaluate(False):
        for _ in range(levels):
            expr = expr + x
    return expr


def test_what_is_too_deep_or_too_long():
    with pytest.raises(InputError, match="left-hand side is nested too deeply: 100 levels are the most"):
        maurey.check(nested(5000), x, over={"x": (0, 1)})
    with pytest.raises(InputError, match="right-hand side has a number that is too long"):
        maurey.check(x, Integer(10) ** 5000, over={"x": (0, 1)})


def test_a_power_that_no_list_holds():
    """Time is up in time: nothing is written out a thousand million times."""
    assert maurey.check(x ** (10**9), x, over={"x": (0, 1)}, seconds=0.3).verdict == "undecided"
