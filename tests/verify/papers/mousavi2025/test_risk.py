"""Risks: the floor of networks in a span, complexities, labels on long tokens, and the auxiliary lemmas."""

import itertools
import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq, fmpq_mat
from mutations import change, only
from sympy import Rational, Symbol

from maurey.numeric.evaluation import value
from maurey.symbolic import registry
from maurey.verify.checks import Effort, checks_of, exemption_of
from maurey.verify.papers.mousavi2025 import auxiliary, risk, spans

TINY = Effort("tiny", 1, seed=3)
MINE = ("as1", "as2", "as3", "eqA.2", "tab1", *(str(i) for i in (1, 2, 3, 4, 8, *range(9, 22), 39, 40)))


def test_every_claim_is_checked_or_says_why_not():
    for number in (*MINE, *(f"eq2.{i}" for i in range(1, 5))):
        key = f"mousavi2025/{number}"
        assert registry.find(key)
        assert bool(checks_of(key)) != bool(exemption_of(key))


# --- 9 --------------------------------------------------------------------------------------------------------------


def test_what_a_span_does_not_show():
    assert spans.unseen(fmpq_mat([[3, 0, 0, 0]]), 2, 2) == fmpq(3, 4)
    X = np.random.default_rng(0).normal(size=(2, 6))
    Q = np.linalg.qr(X.T)[0]
    seen = [np.sum((Q.T[:, 2 * t : 2 * t + 2] @ u) ** 2) for t in range(3) for u in np.eye(2)]
    assert 1 - np.mean(seen) == pytest.approx(1 - 2 / 6)


def test_the_floor_and_a_higher_one(monkeypatch):
    assert {one.verdict for one in spans.best_predictor(TINY)} == {"holds"}
    n, N, d = (Symbol(x) for x in "nNd")
    for form in ("printed", "derived"):
        with monkeypatch.context() as m:
            change(m, spans.KEY, "risk", form, lambda e: e + n / (100 * N * d))
            assert only(spans.best_predictor(TINY), form=form, verdict="undecided")


def test_gradients_of_networks():
    rng = np.random.default_rng(0)
    X, t, y = rng.normal(size=(3, 4)), np.array([0, 1, 1]), rng.normal(size=3)
    net = spans.Net(rng.normal(size=(2, 4)), rng.normal(size=(2, 2)))

    def loss(net):
        h = X @ net.W.T
        out = (net.a[t] * np.where(h > 0, h, h / 4)).sum(axis=1)
        return ((out - y) ** 2).sum() / 6 + spans.DECAY / 2 * ((net.W**2).sum() + (net.a**2).sum())

    g = spans.gradients(net, X, t, y, 0.25)
    for part in ("W", "a"):
        for where in np.ndindex(getattr(net, part).shape):
            moved = [net._replace(**{part: getattr(net, part) + s * 1e-6 * _unit(net, part, where)}) for s in (1, -1)]
            assert (loss(moved[0]) - loss(moved[1])) / 2e-6 == pytest.approx(getattr(g, part)[where], abs=1e-6)


def _unit(net, part, where):
    e = np.zeros(getattr(net, part).shape)
    e[where] = 1
    return e


def test_stationary_points_lie_in_the_span_and_above_the_floor(monkeypatch):
    result = spans.stationary_points(TINY)
    assert (result.verdict, result.rung) == ("holds", "tested")
    assert 0.5 < result.tightness <= 1
    with monkeypatch.context() as m:
        change(m, spans.KEY, "risk", "printed", lambda e: 2 * e)
        assert "below" in spans.stationary_points(TINY).note
    monkeypatch.setattr(
        spans, "train", lambda X, t, y, N, width, **_: spans.Net(np.ones((width, X.shape[1])), np.zeros((N, width)))
    )
    assert "off the span" in spans.stationary_points(TINY).note


# --- 18 and 19 ------------------------------------------------------------------------------------------------------


def test_the_truncated_loss_and_a_smaller_constant():
    assert risk.lipschitz().verdict is True
    rng = np.random.default_rng(0)
    f, g, y = rng.normal(scale=3, size=(3, 1000))
    moved = np.abs(np.minimum((f - y) ** 2, 2.0) - np.minimum((g - y) ** 2, 2.0))
    assert (moved <= 2 * math.sqrt(2) * np.abs(f - g) + 1e-12).all()
    assert (moved / np.abs(f - g)).max() > 2.5


def test_known_complexities_by_all_signs():
    at, found = risk.known(2, 2, F(4))
    prompts = np.repeat(np.arange(2), 2)
    losses = np.array([[4.0 * on[k] for k in prompts] for on in itertools.product((0, 1), repeat=2)])
    signs = np.array(list(itertools.product((-1, 1), repeat=4)))
    assert float(found) == pytest.approx((signs @ losses.T).max(axis=1).mean() / 4)
    assert at["B_W_F"] ** 2 >= 2 * 4  # both units of sqrt(tau) fit


@pytest.mark.parametrize(("check", "part", "factor"), [("complexity", "Rad", 3), ("deviations", "gap", 50)])
@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
def test_smaller_bounds_are_exceeded(check, part, factor, form, monkeypatch):
    run = getattr(risk, check)
    assert {one.verdict for one in run(TINY)} == {"holds"}
    key = risk.COMPLEXITY if part == "Rad" else risk.GAP
    change(monkeypatch, key, part, form, lambda e: e / factor)
    assert only(run(TINY), form=form, verdict="fails")


# --- 10 and 3 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", risk.RAYS)
def test_labels_on_long_tokens(key, monkeypatch):
    found = list(risk.labels_beyond(key, TINY))
    (fails,) = only(found, verdict="fails")
    assert (fails.part, fails.rung, fails.edge) == ("risk", "refuted", False)
    assert len(only(found, verdict="holds")) == 2
    number = 200
    assert float(fails.true_value) == pytest.approx(4 * math.e * math.log(number) / number**2, rel=1e-3)
    for form in ("derived", "sharp"):
        with monkeypatch.context() as m:
            change(m, key, "risk", form, lambda e: e / 1000)
            assert only(risk.labels_beyond(key, TINY), form=form, verdict="fails")


def test_the_law_of_long_tokens_meets_the_assumptions():
    """n = N = 2, C_x = C_y = d = s = 1: every moment from order 1 on, and the label vanishes within r_x."""
    number = 4
    p, rho, M = number**-2, math.sqrt(4 * math.e * math.log(number)), math.sqrt(4 * math.e * math.log(number))
    assert rho > math.sqrt(3 * math.e * math.log(number))
    for r in np.linspace(1, 60, 500):
        assert p ** (1 / r) * rho <= math.sqrt(r) * (1 + 1e-12)
        assert p ** (1 / r) * M <= math.sqrt(r) * (1 + 1e-12)


@pytest.mark.parametrize("key", risk.RAYS)
def test_the_scale_of_the_blocks_stays_along_the_ray(key):
    """Otherwise the class would be empty, or the bound large for another reason."""
    _, more, ray, _ = risk.RAYS[key]
    at = {name: F(x) for name, x in (risk.AT | more).items()}
    values = []
    for t in (10**6, 10**12):
        point = {name: float(x) for name, x in at.items()} | {n: float(t) ** float(F(p)) for n, p in ray.items()}
        r_x = math.sqrt(3 * math.e * point["d"] * math.log(200))
        values.append(2 * point["r_a"] * point["r_w"] * r_x * point["N"] / math.sqrt(point["eps_2NN"]))
    assert values[0] == pytest.approx(values[1])
    assert values[0] > 1


def test_the_printed_bound_of_10_by_hand():
    at = {"n": 100, "N": 2, "m": 1, "d": 1, "q": 1, "d_e": 2, "r_a": 1, "r_w": 1, "eps_2NN": 1}
    at |= {"C_x": 1, "C_y": 1, "s": 1}
    r_z2 = 3 * mpmath.e * mpmath.log(200) + 2
    alpha = 4 * mpmath.log(4 * mpmath.sqrt(r_z2 - 2))
    expected = 1 + r_z2 * mpmath.sqrt((2 + min(r_z2**3 * alpha**2, 2)) / 100)
    assert float(value(risk.PRODUCT, "printed", "risk", {n: F(x) for n, x in at.items()})) == pytest.approx(
        float(expected)
    )


# --- 39 and 40 ------------------------------------------------------------------------------------------------------


def test_products_and_a_smaller_constant(monkeypatch):
    found = list(auxiliary.products(TINY))
    assert {one.verdict for one in found} == {"holds"}
    assert found[0].tightness == pytest.approx(1)
    change(monkeypatch, "mousavi2025/39", "norm", "printed", lambda e: Rational(99, 100) * e)
    assert only(auxiliary.products(TINY), verdict="fails", form="printed")


def test_covariances_by_simulation():
    rng = np.random.default_rng(0)
    S, mu = np.array([[2.0, 0.6], [0.6, 1.0]]), np.array([0.5, -1.0])
    x = rng.multivariate_normal(mu, S, size=400_000) ** 2
    at = {auxiliary.entry(i, j): S[i, j] for i in range(2) for j in range(2)} | {
        auxiliary.mean(i): mu[i] for i in (0, 1)
    }
    for i, j in ((0, 0), (0, 1)):
        assert float(auxiliary.covariance(i, j).subs(at)) == pytest.approx(np.cov(x.T)[i, j], rel=0.03, abs=0.06)


@pytest.mark.parametrize("form", ["printed", "derived"])
def test_the_variance_is_an_identity_and_another_is_none(form, monkeypatch):
    found = only(auxiliary.squared_norm(TINY), form=form)
    assert [(one.verdict, one.rung) for one in found] == [("holds", "proved")]
    change(monkeypatch, "mousavi2025/40", "variance", form, lambda e: Rational(1001, 1000) * e)
    assert only(auxiliary.squared_norm(TINY), form=form, verdict="undecided")


def test_another_variance_is_not_the_sum_of_covariances():
    mu, S = auxiliary.mean(0), auxiliary.entry(0, 0)
    assert sympy.expand(auxiliary.covariance(0, 0) - 2 * S**2 - 4 * mu**2 * S) == 0
    assert sympy.expand(auxiliary.covariance(0, 0) - 2 * S**2 - 2 * mu**2 * S) != 0
