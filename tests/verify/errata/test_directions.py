"""Growth in any number of directions: orders of all kinds of nodes, defects that show along three directions and no
fewer, and what they are found with."""

import random
from fractions import Fraction

import numpy as np
import pytest
import z3
from planted import planted, symbol
from sympy import E, Integral, Max, Min, Piecewise, Rational, binomial, ceiling, exp, log, pi, sqrt, symbols, tanh

from maurey.numeric.walk import walk
from maurey.symbolic import registry
from maurey.symbolic.claim import Assumption, Claim, Constant, Part
from maurey.symbolic.derivation import Step
from maurey.symbolic.names import C0, parameters
from maurey.verify.errata import rays
from maurey.verify.errata.comparison import compare
from maurey.verify.errata.directions import Question, serving
from maurey.verify.errata.entries import comparable, restates
from maurey.verify.errata.growth import Orders, Untreated
from maurey.verify.errata.orders import BEYOND, NOTHING, Order, Size
from maurey.verify.errata.witnesses import replay

x, y, u = symbols("x y u")
NONE = NOTHING.power


def value_in(model, term) -> Fraction:
    return term if isinstance(term, Fraction) else Fraction(str(model.eval(term, model_completion=True)))


def model_of(field: Orders):
    solver = z3.Solver(ctx=field.context)
    solver.add(*field.laws)
    assert solver.check() == z3.sat
    return solver.model()


def order(expr, logarithms=True, **powers):
    """The low and the high end along one ray, each as (power of t, power of log t)."""
    field = Orders(logarithms, z3.Context())
    orders = {name: Order(Fraction(a)) for name, a in powers.items()}
    env = {name: Size(a, a) for name, a in orders.items()}
    found = field.positive(walk(expr, env, field))
    model = model_of(field)
    low, high = ((value_in(model, end.power), value_in(model, end.log)) for end in (found.low, found.high))
    return low[0] if low == high and low[1] == 0 else low if low == high else (low, high)


@pytest.mark.parametrize(
    ("expr", "powers", "expected"),
    [
        (x + y**2, {"x": 3, "y": 1}, 3),
        (sqrt(x * y) / y**3, {"x": 3, "y": 1}, -1),
        (Min(x, y, 5), {"x": -1, "y": 2}, -1),
        (Max(x, y, E * pi), {"x": -1, "y": -2}, 0),
        (log(1 + x), {"x": -2}, -2),
        (log(1 + x) ** 2, {"x": 2}, (0, 2)),
        (log(x) * y, {"x": 5, "y": 1}, (1, 1)),
        (log(log(2 + x)), {"x": 1}, (0, Fraction(1, 1000))),
        (log(x) ** 2, {"x": -3}, (0, 2)),
        (log(5 ** (x + y) * u + 1), {"x": 1, "y": 2, "u": 9}, 2),
        (log(binomial(2 * x, x)), {"x": 1}, 1),
        (ceiling(x), {"x": -1}, 0),
        (ceiling(x) - 1, {"x": -1}, NONE),
        (ceiling(x) - 1, {"x": 2}, 2),
        (ceiling(x) - 1, {"x": 0}, ((NONE, 0), (0, 0))),
        (Piecewise((0, x >= y), (u, True)), {"x": 2, "y": 1, "u": 3}, NONE),
        (Piecewise((0, x >= y), (u, True)), {"x": 1, "y": 2, "u": 3}, 3),
        (Piecewise((0, x >= y), (u, True)), {"x": 1, "y": 1, "u": 3}, ((NONE, 0), (3, 0))),
        (exp(Rational(-3, 2) * log(x * y)), {"x": 1, "y": 1}, -3),
        (exp(x) - 1, {"x": -2}, -2),
        (exp(x) - 1, {"x": 1}, BEYOND.power),
        (x - y, {"x": 2, "y": 1}, 2),
        (Max(u, x - y), {"x": 1, "y": 2, "u": -1}, -1),
        (x - y, {"x": 1, "y": 1}, ((NONE, 0), (1, 0))),
        (x ** (2 * Rational(1, 3)), {"x": 1}, Fraction(2, 3)),
    ],
)
def test_orders(expr, powers, expected):
    assert order(expr, **powers) == expected


def test_what_cannot_be_treated_is_named():
    with pytest.raises(Untreated, match="tanh"):
        order(tanh(x), x=1)
    with pytest.raises(Untreated, match="exponential"):
        order(exp(exp(x)), x=1)


# --- the same growth in numbers -------------------------------------------------------------------------------------

SLOW = {"edelman2022/A.2", "edelman2022/sec2-linear-cover"} | {f"mousavi2025/{n}" for n in (5, 7, 28, 35)}
# an unknown integral, exponentials, and powers of logarithms or constants that hide powers of t at 1e200


def drawn(claim: Claim, at, rng: random.Random) -> list[rays.Ray]:
    ways = [(n, rays.signs(p)) for p in claim.symbols if p.name in at and p.name not in rays.fixed(claim)
            for n in rays.entries(p) if rays.signs(p)]  # fmt: skip
    found = [{n: Fraction(rng.choice((0, 1, 1, 2, 3)) * rng.choice(s), 3) for n, s in ways} for _ in range(2)]
    return rays._within(claim, at, [{n: a for n, a in ray.items() if a} for ray in found if any(ray.values())])


@pytest.mark.parametrize("paper", ["edelman2022", "mousavi2025", "trauger2024"])
def test_growth_as_in_numbers(paper):
    """Every form with a hidden constant, along rays in many directions: the order is the power that doubles show."""
    rng, count = random.Random(7), 0
    for claim in registry.claims_of(paper).values():
        for part in (p for p in comparable(claim) if not restates(claim) and claim.key not in SLOW):
            if not rays.open_constants(claim, part):
                continue
            at, choices = rays.start(claim, part), rays.open_constants(claim, part)
            exponents = rays.exponents(choices[len(choices) // 2])
            for ray in drawn(claim, at, rng):
                question = Question(claim, part, at, exponents, ray=ray)
                model = model_of(question.field)
                for form, size in question.forms.items():
                    growth = rays.growth(claim, part, form, at | exponents, [ray])
                    low, high = (float(value_in(model, end.power)) for end in (size.low, size.high))
                    if low != high or not (growth.sign > 0).all() or not np.isfinite(growth.log).all():
                        continue  # a tie, or what doubles lose
                    assert abs(low - float(growth.power[0])) < 0.05, (claim.key, part.name, form, ray)
                    count += 1
    assert count > 20


# --- planted defects --------------------------------------------------------------------------------------------------

THREE = [
    ("edelman2022/4.4", "log_N", "m d B_X"),
    ("edelman2022/4.5", "log_N", "N d_2 B_X"),
    ("edelman2022/4.5-stronger", "log_N", "B_W_21 d_2 B_X"),
    ("edelman2022/A.11", "log_N", "L_sigma B_P d"),
    ("edelman2022/A.12-equal-heads", "log_N", "T L_sigma B_X"),
    ("edelman2022icml/4.6", "log_N", "B_X B_W_21 d_2"),
    ("mousavi2025/16", "log_N", "n D_e r_z"),
    ("mousavi2025/17", "log_N", "m B_a B_W_F D_e"),
    ("mousavi2025/32", "Rad", "p N R"),
    ("trauger2024/3.4", "log_N", "B_X_1 B_W_21 k"),
    ("trauger2024/3.5", "log_N", "N k B_X"),
    ("trauger2024/4.1", "R_rows", "L_sigma B_w_1 B_V_1inf"),
]


@pytest.mark.parametrize(("key", "part", "names"), THREE)
def test_a_defect_in_three_directions(key, part, names):
    """The print loses the harmonic mean of quantities, which grows only where all of them do."""
    lost = sum(1 / symbol(name) for name in names.split())
    claim = planted(key, part, lambda e: e / (1 + 1 / lost))
    at = rays.start(claim, claim.parts[0])
    few = rays.rays(claim, at)
    printed, derived = (rays.growth(claim, claim.parts[0], form, at, few) for form in ("printed", "derived"))
    assert not rays.falls_short(printed, derived, False)["power"].any(), "it shows along two directions"
    (entry,) = (entry for entry in compare(claim).errata if "ray" in entry.witness)
    assert {name for name, power in entry.witness["ray"].items() if power > 0} >= set(names.split())
    assert len(entry.witness["ray"]) >= 3
    assert replay(claim, entry)
    assert [entry for entry in compare(planted(key, part, lambda e: e)).errata if not entry.edge] == []


def test_there_are_ten():
    assert len(THREE) >= 10
    assert all(len(names.split()) >= 3 for *_, names in THREE)


# --- factors, open exponents, ties ------------------------------------------------------------------------------------


def claim_of(names, printed, derived, assumes=(), constants=(C0,), keeps=(), sharp=None) -> Claim:
    part = Part("size", "h", "size", "<~", "a constant", keeps, printed=lambda _: symbols("C0") * printed,
                derived=lambda _: [Step("size", "", derived, "for the test")],
                sharp=sharp and (lambda _: [Step("size", "", sharp, "for the test")]))  # fmt: skip
    return Claim(
        "test/rays", "Size", "covering", "A size.", parameters(names), assumes, constants=constants, parts=(part,)
    )


def test_a_strict_assumption_needs_a_factor():
    """The print falls short only where m and d grow alike, and m is to be above d."""
    m, d, w = symbols("m d B_w")
    claim = claim_of("m d B_w", w + m / d, w + m / d * Min(w, d**2 / m), (Assumption(m > d, "m is above d"),))
    (entry,) = compare(claim).errata
    assert {"m", "d", "B_w"} == set(entry.witness["ray"])
    at, ray = entry.witness["at"], entry.witness["ray"]
    assert ray["m"] > ray["d"] or Fraction(at["m"]) > 1
    assert replay(claim, entry)


def test_the_smaller_of_the_proved_forms_counts():
    """The derived form exceeds the print in three directions; a sharp form may be below it, there or not."""
    m, d, w = symbols("m d B_w")
    excess = 1 / (1 / m + 1 / d + 1 / w)
    for sharp, wrong in ((None, True), (2 + excess**2, True), (2 + sqrt(sqrt(excess)), False)):
        found = compare(claim_of("m d B_w", 1 + sqrt(excess), 1 + excess, sharp=sharp))
        assert (bool(found.errata), found.undecided) == (wrong, [])


def test_an_open_exponent_is_read_as_it_serves():
    R, eps, k = symbols("B_w eps c_R")
    degree = Constant("c_R", Fraction(1), "c", "a degree", "the test", left_open=True)
    good = claim_of("B_w eps", (1 + R) ** k / eps, R**3 / eps, constants=(C0, degree))
    assert compare(good).errata == compare(good).undecided == []
    bad = claim_of("B_w eps", R**k / eps, (R**3 + R) / eps, constants=(C0, degree))  # too small at one end or the other
    at = rays.start(bad, bad.parts[0])
    guess = serving(bad, bad.parts[0], at, [{"c_R": Fraction(2)}])
    question = Question(bad, bad.parts[0], at, guess)
    assert question.exists(question.fails())
    assert compare(bad).errata


def test_integrals_are_shared():
    """Of the same integral twice as much is no more, whatever it is; something beside it is."""
    A, tau = symbols("A tau")
    inner = Integral(sqrt(1 / u**2 + 1), (u, tau, A))
    for derived, fails in ((2 * inner, False), (2 * inner + A * A, True)):
        claim = claim_of("A tau", inner, derived)
        question = Question(claim, claim.parts[0], rays.start(claim, claim.parts[0]), {})
        assert question.exists(question.fails()) == fails
