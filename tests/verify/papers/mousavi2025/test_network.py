"""The network that selects tokens, moments and tails of tokens, and what truncation costs: run again, and changed."""

import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from flint import arb
from mutations import change, only
from sympy import Rational, Symbol

from maurey.verify.checks import Effort
from maurey.verify.papers.mousavi2025 import network, tokens
from maurey.verify.papers.mousavi2025.network import Sizes

TINY = Effort("tiny", 1, seed=3)
LESS = Rational(19, 20)


# --- eqA.2 and 11 ---------------------------------------------------------------------------------------------------


def test_a_block_stands_where_the_paper_puts_it():
    size = Sizes(1, 2, 3, 4)
    W = network.block(size, 2, 5)
    rows, columns = np.nonzero(W)
    assert (rows == np.arange(2 + 2 * 4, 2 + 3 * 4)).all()  # d + h d_e + 1, ..., d + (h + 1) d_e
    assert (columns == np.arange(2, 2 + 4)).all()
    assert (W[rows, columns] == 5).all()


@pytest.mark.parametrize("part", ["op", "F", "QK_21"])
def test_norms_of_blocks(part, monkeypatch):
    assert {one.verdict for one in network.norms(TINY)} == {"holds"}
    change(monkeypatch, "mousavi2025/eqA.2", part, "printed", lambda e: LESS * e)
    assert [one.part for one in only(network.norms(TINY), verdict="undecided")] == [part]


def test_a_block_in_the_wrong_place_is_caught(monkeypatch):
    right = network.block
    monkeypatch.setattr(network, "block", lambda size, h, alpha: right(size, h, alpha).T)
    assert only(network.norms(TINY), verdict="undecided")


def test_the_network_reaches_its_error():
    found = list(network.selects(TINY))
    (fails,) = only(found, verdict="fails")
    assert (fails.part, fails.true_value) == ("QK_21", "0")
    at = {name: float(F(x)) for name, x in fails.counterexample.items()}
    inside = 2 * at["r_a"] * at["r_w"] * at["r_x"] * at["N"] * math.sqrt(at["q"]) / math.sqrt(at["eps_2NN"])
    assert inside < 1
    assert float(fails.printed_value) == pytest.approx(2 * at["d_e"] * at["q"] / at["d"] * math.log(inside), rel=1e-4)
    assert not only(found, verdict="undecided")
    (error,) = only(found, part="error", form="printed", rung="constructed")
    assert 0.97 < error.tightness <= 1


def test_the_network_in_floats():
    """All of 11 again in numpy: embedding, scores, softmax, units."""
    N, d, q, d_e, alpha = 5, 2, 2, 6, 7.5
    w = np.array(network.roots(d_e)[:N]) / math.sqrt(2)
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(N, d)), rng.integers(N, size=(N, q))
    z = np.array([np.concatenate([x[i], math.sqrt(d / q) * np.concatenate([w[i], *w[t[i]]])]) for i in range(N)])
    heads = []
    for h in range(q):
        e = np.exp([alpha * d / q * w[t[3, h]] @ w[j] for j in range(N)])
        heads.append((e / e.sum()) @ z)
    expected = 1.5 * max(0.0, 2 / math.sqrt(q) * sum(head[0] for head in heads))
    net = network.Network(Sizes(N, d, q, d_e), network.roots(d_e)[:N], arb(alpha), 3, arb("1.5"), arb(2))
    balls = np.vectorize(lambda v: arb(float(v)), otypes=[object])(x)
    assert float(net.output(balls, t.tolist(), 3)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
def test_a_smaller_error_is_not_reached(form, monkeypatch):
    change(monkeypatch, "mousavi2025/11", "error", form, lambda e: LESS * e)
    assert only(network.selects(TINY), part="error", form=form, verdict="fails")


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
def test_smaller_matrices_do_not_select(form, monkeypatch):
    change(monkeypatch, "mousavi2025/11", "QK_21", form, lambda e: LESS * e)
    found = list(network.selects(TINY))
    assert only(found, part="error", form=form, verdict="fails")
    if form == "printed":
        assert only(found, part="error", rung="proved", verdict="undecided")


# --- as1 and 12 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "r"), [(1, 1), (1, 3), (4, 2), (7, 5)])
def test_moments_of_normal_tokens(d, r):
    with mpmath.workdps(30):
        density = lambda t: t ** (d - 1 + r) * mpmath.exp(-(t**2) / 2)  # noqa: E731
        norm = mpmath.quad(lambda t: t ** (d - 1) * mpmath.exp(-(t**2) / 2), [0, 5, 20])
        moment = mpmath.quad(density, [0, 5, 20, 40]) / norm
    assert float(tokens.squared_moment(d, tokens.Fraction(r))) == pytest.approx(float(moment ** (2 / r)), rel=1e-9)


def test_the_least_constant_of_normal_tokens():
    for d in (1, 2, 5):
        low, high = (float(x) for x in tokens.least_constant(d))
        orders = np.linspace(1, 30, 400)
        found = max(float(tokens.squared_moment(d, tokens.Fraction(r))) / (d * r) for r in orders)
        assert low <= found * (1 + 1e-12)
        assert found <= high < 1.003 * low
    assert tokens.gaussian(TINY).verdict == "holds"


def test_too_small_a_constant_is_not_enough(monkeypatch):
    right = tokens.squared_moment
    monkeypatch.setattr(tokens, "squared_moment", lambda d, r: right(d, r) * (2 if r > 3 else 1))
    assert tokens.gaussian(TINY).verdict == "undecided"


def test_the_longest_token():
    rng = np.random.default_rng(0)
    drawn = np.linalg.norm(rng.normal(size=(40_000, 5, 3)), axis=2).max(axis=1)
    assert float(tokens.longest(3, tokens.Fraction(5, 2), 5)) == pytest.approx((drawn >= 2.5).mean(), abs=0.01)


@pytest.mark.parametrize("squared", [0.2, 1.0, 4.0, 9.0])
def test_the_most_likely_law_meets_all_moments(squared):
    """In units of C_x e d: p rho^r <= (C_x d r)^(r/2) for r >= 1, with equality somewhere unless p = 1."""
    p = float(tokens.most_likely(arb(squared), 1))
    orders = np.linspace(1, 40, 4000)
    allowed = (orders / (math.e * squared)) ** (orders / 2)
    assert (p <= allowed * (1 + 1e-9)).all()
    assert p == 1 or p == pytest.approx(allowed.min(), rel=1e-3)


def test_tails_hold_but_for_one_token():
    found = list(tokens.by_moments(TINY))
    (fails,) = only(found, verdict="fails")
    assert (fails.part, fails.edge, fails.true_value) == ("P", False, "1")
    assert float(fails.printed_value) == pytest.approx(math.exp(-1 / (2 * math.e)), rel=1e-5)
    assert {one.tightness for one in only(found, part="P", verdict="holds") if one.rung != "proved"} == {1.0}


@pytest.mark.parametrize(("part", "form"), [("P", "printed"), ("P", "derived"), ("P_usual", "printed")])
def test_a_smaller_tail_is_caught(part, form, monkeypatch):
    change(monkeypatch, "mousavi2025/12", part, form, lambda e: LESS * e)
    bad = [one for one in list(tokens.by_moments(TINY))[:-1] if one.verdict != "holds"]
    assert any((one.part, one.form) == (part, form) for one in bad)


# --- 20 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variance", "tau"), [(1.0, 2.0), (3.0, 0.5), (2.0, -1.0)])
def test_what_truncation_takes_off(variance, tau):
    rng = np.random.default_rng(0)
    square = variance * rng.normal(size=400_000) ** 2
    lost = (square - np.minimum(square, tau)).mean()
    assert float(tokens.taken_off(arb(variance), arb(tau))) == pytest.approx(lost, rel=0.02)


def test_truncation_levels():
    found = list(tokens.truncated(TINY))
    (fails,) = only(found, verdict="fails")
    assert (fails.part, fails.rung) == ("level", "refuted")
    assert float(fails.printed_value) < 0 < float(fails.true_value)
    needed = float(fails.true_value)
    assert float(tokens.taken_off(arb(1), arb(needed))) > 0.1
    assert not only(found, verdict="undecided")


def test_a_level_that_is_too_low_is_caught(monkeypatch):
    change(monkeypatch, "mousavi2025/20", "level", "derived", lambda e: e / 100)
    assert only(tokens.truncated(TINY), part="cost", form="derived", verdict="fails")


@pytest.mark.parametrize(("part", "by"), [("level", Symbol("n")), ("cost", 10)])
def test_less_is_not_enough_in_20(part, by, monkeypatch):
    change(monkeypatch, "mousavi2025/20", part, "printed", lambda e: e / by)
    assert only(tokens.truncated(TINY), form="printed", verdict="undecided")
