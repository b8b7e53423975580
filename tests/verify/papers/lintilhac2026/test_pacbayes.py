"""The PAC-Bayes chain, what Theorem 2 assumes, and the numbers of appendix E.3: checks that would notice."""

import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
import torch
from mutations import change, only
from sympy import Rational, Symbol, diff, exp, simplify

from maurey.symbolic import registry
from maurey.verify.checks import Effort, checks_of, exemption_of
from maurey.verify.papers.lintilhac2026 import hypotheses, main_bound, pacbayes
from maurey.verify.papers.lintilhac2026.network import construction, posterior, sharpness
from maurey.verify.training.tasks.walsh import Target, all_strings, tiling, values

TINY = Effort("tiny", 1, seed=3)
MINE = ("lintilhac2026/2", "lintilhac2026/3", "lintilhac2026/4", "lintilhac2026/E.2",
        "lintilhac2026/E.3")  # fmt: skip


def test_every_claim_is_checked():
    for key in MINE:
        assert registry.find(key)
        assert checks_of(key)


# --- E.2 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "form"), [("sigma", "printed"), ("least", "printed"), ("least", "derived")])
def test_best_deviations(part, form, monkeypatch):
    change(monkeypatch, pacbayes.E_2, part, form, lambda e: Rational(101, 100) * e)
    assert only(pacbayes.deviations(TINY), part=part, form=form, verdict="undecided")


@pytest.mark.parametrize(("part", "form"), [("temperature", "derived"), ("KL", "printed")])
def test_best_temperatures(part, form, monkeypatch):
    change(monkeypatch, pacbayes.E_2, part, form, lambda e: Rational(101, 100) * e)
    assert only(pacbayes.temperatures(TINY), part=part, form=form, verdict="undecided")


def test_e_2_holds():
    assert {one.verdict for check in (pacbayes.temperatures, pacbayes.deviations) for one in check(TINY)} == {"holds"}


def test_a_constant_of_remark_4_that_is_too_small(monkeypatch):
    (one,) = main_bound.remark_4(TINY)
    assert (one.verdict, one.rung) == ("holds", "proved")
    assert 0.3 < one.tightness < 1
    change(monkeypatch, main_bound.BOUNDED, "Sigma", "printed", lambda e: Rational(99, 100) * e)
    assert {one.verdict for one in main_bound.remark_4(TINY)} == {"undecided"}


@pytest.mark.parametrize("part", ["temperature", "sigma", "least"])
def test_an_optimum_of_theorem_2_that_is_not_one(part, monkeypatch):
    assert only(main_bound.of_the_optimum(), part=part)[0].verdict == "holds"
    change(monkeypatch, main_bound.MAIN, part, "printed", lambda e: Rational(101, 100) * e)
    assert only(main_bound.of_the_optimum(), part=part)[0].verdict == "undecided"


# --- 1, 2 and 3 ------------------------------------------------------------------------------------------------------


def valley(T, a, K, s):
    """Without first attention, every token gets K in its data channel; position 1 is attended to with weight s, and
    read with factor a: f = a s for all strings. The scores move by K per unit of W_2's last column."""
    like = construction.build(main_bound.singletons(T))
    net = construction.Network(*(torch.zeros_like(block) for block in like))
    net.Gamma[:] = 1
    net.F[0, T + 1], net.W_2[0, T], net.v_2[0] = K, math.log(s * T / (1 - s)), a
    return net


def objective(net, target):
    """Loss, norm and trace over all strings added up, by automatic differentiation."""
    z = all_strings(target.T)
    bits, y = torch.from_numpy(z), torch.from_numpy(values(target, z))

    def loss(theta):
        return (construction.run(construction.named(theta, net), bits).f - y).square().mean()

    theta = construction.flat(net)
    return float(loss(theta) + theta.norm() + torch.trace(torch.func.hessian(loss)(theta)))


def curving(T, s):
    """With scores u and s_1 = e^u_1/sum e^u, the second derivatives of s_1^2 in the u_t at u_1 = log(sT/(1-s)), u_t = 0
    elsewhere add up to 2 s^2 (1-s)(1 - 3s + 3(1-s)/T), which is negative at s = 7/10."""
    u, v = Symbol("u", real=True), Symbol("v", real=True)
    first = exp(u) / (exp(u) + T)
    other = exp(u) / (exp(u) + T - 1 + exp(v))  # one of the T others moves
    total = diff(first**2, u, 2) + T * diff(other**2, v, 2).subs(v, 0)
    at = total.subs(exp(u), s * T / (1 - s)).subs(exp(2 * u), (s * T / (1 - s)) ** 2)
    return simplify(at - 2 * s**2 * (1 - s) * (1 - 3 * s + 3 * (1 - s) / T)) == 0


def test_the_valley_falls_as_it_should():
    """The part of the trace that grows with K^2, by hand: (a s_1 - y)^2 in the scores, y being 1 half of the time, and
    v_2's last entry, with which f grows by K."""
    T, a, s = 3, 50.0, 0.7
    nets = [valley(T, a, K, s) for K in (10.0, 30.0)]
    target = Target(T, ((0,),), (1,))
    low, high = (objective(net, target) - float(construction.flat(net).norm()) for net in nets)
    square = 2 * s**2 * (1 - s) * (1 - 3 * s + 3 * (1 - s) / T)
    plain = s * (1 - s) * (1 - 2 * s) + s * (1 - s) * (2 * (1 - s) / T - 1)
    assert (high - low) / (900 - 100) == pytest.approx(a**2 * square - 2 * a * 0.5 * plain + 2, rel=1e-6)
    low, high = (objective(valley(T, scale * 1000.0, 30.0, s), target) for scale in (1, 10))
    assert high < 50 * low < 0  # nothing minimises it
    assert curving(Symbol("T", positive=True), Symbol("s", positive=True))
    assert "nothing minimises the sum" in exemption_of(main_bound.LEARNER)


def test_the_loss_of_no_parameters():
    assert main_bound.spread_at_zero(tiling(20, 2)) == F(209, 80)
    target = tiling(8, 2)
    net = construction.Network(*(torch.zeros_like(block) for block in construction.build(target)))
    z = all_strings(8)
    losses = (construction.output(net, torch.from_numpy(z)).numpy() - values(target, z)) ** 2
    assert float(main_bound.spread_at_zero(target)) == pytest.approx(losses.var())


def test_the_risk_of_drawn_networks_is_their_squared_gradient():
    target = main_bound.singletons(8)
    exact = main_bound.mean_gradient(8)
    assert exact == pytest.approx(float(sharpness.mean(target).total))
    mean, error = main_bound.drawn_risk(target, 1e-9, 400, 0)
    assert mean == pytest.approx(exact, abs=4 * error)
    assert error < exact / 8


def test_theorem_2_is_refuted_and_a_larger_one_is_not(monkeypatch):
    found = list(main_bound.theorem_2(TINY))
    (broken,) = only(found, verdict="fails")
    assert (broken.part, broken.form) == ("risk", "printed")
    assert float(broken.true_value) > float(broken.printed_value)
    assert {one.verdict for one in found if one.form != "printed"} == {"holds"}
    exact = main_bound.mean_gradient(64)
    monkeypatch.setattr(main_bound, "drawn_risk", lambda target, *_: (exact, exact / 20))
    assert only(main_bound.theorem_2(TINY), verdict="fails")
    change(monkeypatch, main_bound.MAIN, "risk", "printed", lambda e: 3 * e)
    assert not only(main_bound.theorem_2(TINY), verdict="fails")


def test_drawn_networks_that_do_not_agree_with_the_gradient_decide_nothing(monkeypatch):
    exact = main_bound.mean_gradient(64)
    for mean, error in ((1.5 * exact, exact / 100), (exact, exact / 2)):  # another mean, or one that says little
        monkeypatch.setattr(main_bound, "drawn_risk", lambda target, *_, pair=(mean, error): pair)
        assert not only(main_bound.theorem_2(TINY), verdict="fails")


def test_domination_can_be_met():
    one = main_bound.trade(TINY)
    assert (one.verdict, one.instances) == ("holds", 20)


def test_a_network_that_is_not_dominated_is_noticed(monkeypatch):
    monkeypatch.setattr(main_bound.rescaling, "pruned", lambda net: net)
    assert main_bound.trade(TINY).verdict == "undecided"


# --- the audit -------------------------------------------------------------------------------------------------------


def test_the_bound_of_the_audit():
    terms = hypotheses.Terms(0.1, 1500.0, 0.01, 0.002, 10**6, grid=20)
    K = mpmath.mpf(1500) / (2 * mpmath.mpf(0.002) ** 2) + mpmath.log(400)
    exact = mpmath.mpf(0.1) + 2 * mpmath.sqrt(mpmath.mpf(0.01) ** 2 * K / (2 * 10**6))
    assert float(terms.bound) == pytest.approx(float(exact), rel=1e-8)
    sigma = hypotheses.best_sigma(100, 1500, 0.01, 10**6)
    values = [100 * x**2 + 0.01 * math.sqrt(1500 / 10**6) / x for x in (sigma * 0.99, sigma, sigma * 1.01)]
    assert values[1] == min(values)


def audited(**changes):
    usual = {"loss": 0.0, "norm_squared": 1000.0, "trace": 5000.0, "risk": 0.0, "gradient": 0.0, "flipped": 0.0,
             "drawn_loss": (0.01, 0.001), "Sigma": {"learned": 0.0, "posterior": 0.009, "prior": 1.6}}  # fmt: skip
    case = hypotheses.Case(15524, 1303.93, 0.01, 10**6)
    return {one.name: one for one in hypotheses.audit(case, hypotheses.Network(**(usual | changes)))}


def test_each_hypothesis_has_its_status():
    fine = audited()
    statuses = {name: one.status for name, one in fine.items()}
    assert [name for name, status in statuses.items() if status == "fails"] == ["one constant for the prior"]
    for change_, name in (({"loss": 0.02}, "interpolation"), ({"gradient": 1.0}, "stationarity"),
                          ({"drawn_loss": (0.09, 0.001)}, "expansion"), ({"flipped": 0.1}, "expansion"),
                          ({"norm_squared": 1400.0}, "norm"), ({"trace": 40_000.0}, "sharpness"),
                          ({"Sigma": {"posterior": 0.02}}, "a constant for each network")):  # fmt: skip
        now = audited(**change_)
        assert now[name].status == "fails"
        assert name == "stationarity" or now[name].bound > fine[name].bound or "flipped" in change_
    assert audited(drawn_loss=None)["expansion"].status == "assumed"
    near = audited(Sigma={"posterior": 0.011}, Sigma_error=0.001)["a constant for each network"]
    assert (near.status, near.numbers["Sigma"]) == ("assumed", pytest.approx(0.014))  # within its errors
    assert audited(trace=-10.0)["all together, losses clipped"].numbers["sigma"] == 1  # an estimate may be negative
    assert fine["one constant for the prior"].bound > 5
    assert "all together, a constant for each network" in fine


def root(norm, Sigma, sigma, m=10**6, doubt=F(1, 20)):
    K = norm / (2 * sigma**2) + math.log(1 / doubt)
    return 2 * math.sqrt(Sigma**2 * K / (2 * m))


def test_what_takes_the_place_of_a_hypothesis():
    """Every bound of the audit by hand: the numbers of `audited`, one of them exchanged at a time."""
    found, case = audited(loss=0.003), hypotheses.Case(15524, 1303.93, 0.01, 10**6)
    s = case.sigma
    by_hand = {
        "interpolation": 15524 * s**2 + 0.003 + root(1303.93, 0.01, s),
        "expansion": 0.01 + 3 * 0.001 + root(1303.93, 0.01, s),
        "norm": 15524 * s**2 + root(1000, 0.01, s),
        "sharpness": 2500 * s**2 + root(1303.93, 0.01, s),
        "one constant for the prior": 15524 * s**2 + root(1303.93, 0.5, s),
        "a constant for each network": 15524 * s**2 + root(1303.93, 0.009, s),
        "sigma beforehand": 15524 * s**2 + root(1303.93, 0.01, s, doubt=F(1, 400)),
        "all together, a constant for each network": 0.013 + root(1000, 0.009, s, doubt=F(1, 400)),
    }
    for name, value in by_hand.items():
        assert float(found[name].bound) == pytest.approx(value, rel=1e-9), name
    clipped = found["all together, losses clipped"]
    sigma = clipped.numbers["sigma"]
    best = (0.25 * 1000 / (4 * 10**6 * 2500**2)) ** (1 / 6)
    assert math.log2(sigma) == round(math.log2(best))
    loss, doubt = 0.003 + 2500 * sigma**2, F(1, 20) / 20 / 20  # both meshes are paid for
    K, first = 1000 / (2 * sigma**2) + math.log(1 / doubt), math.sqrt(2 * 10**6 * math.log(1 / doubt)) / 0.5
    heat = math.sqrt(2 * 10**6 * K) / 0.5
    missed = max(math.sqrt(2), heat / (first * 2**19))
    assert float(clipped.bound) == pytest.approx(loss + root(1000, 0.5, sigma, doubt=doubt) * (missed + 1 / missed) / 2)
    assert clipped.numbers["m for 1"] == pytest.approx(27 / 4 * 2500 * 1000 / 4)
    assert audited(trace=20_000.0)["sharpness"].status == "assumed"  # below 2 G_u, above G_u


def test_all_parts_of_the_chain_are_held_against_something():
    made = [pacbayes.at_the_best(TINY)]
    for check in (pacbayes.temperatures, pacbayes.deviations, pacbayes.for_all_posteriors):
        made += check(TINY)
    seen = {(one.part, one.form) for one in made}
    parts = registry.find(pacbayes.E_2).parts
    assert {(p.name, f) for p in parts for f in p.forms} == seen


def test_the_constructed_network_is_measured():
    target = tiling(6, 2)
    small, leaky = (posterior.measure(target, 1e-4, ideal, 8) for ideal in (True, False))
    assert small.loss < 1e-20 < leaky.loss
    assert small.gradient < 1e-10 < leaky.gradient
    assert small.flipped == 0 < posterior.measure(target, 0.3, True, 4).flipped
    assert small.norm_squared == pytest.approx(float(construction.flat(construction.build(target)).square().sum()))
    mean, error = posterior.measure(target, 1e-4, True, 200).drawn_loss
    assert mean == pytest.approx(1e-8 * small.trace / 2, abs=4 * error)
    assert small.Sigma["learned"] < small.Sigma["posterior"] < small.Sigma["prior"]
    assert 0 < small.Sigma_error < small.Sigma["posterior"]
    mean, error = posterior.root_mean_square([3.0, 4.0, 5.0, 4.0])
    assert (mean, error) == (pytest.approx(math.sqrt(16.5)), pytest.approx(np.std([9, 16, 25, 16], ddof=1) / 4 / mean))


# --- E.3 -------------------------------------------------------------------------------------------------------------


def test_the_numbers_of_the_text(monkeypatch):
    found = list(main_bound.numbers(TINY))
    assert {one.part for one in only(found, verdict="fails")} == {"truncated"}
    assert not only(found, verdict="undecided")
    for part, wrong in (("sharpness", Rational(101, 100)), ("B_W_1", Rational(1, 2))):
        with monkeypatch.context() as m:
            m.setattr(main_bound, "truncated", lambda _: found[0])
            change(m, main_bound.NUMBERS, part, "printed", lambda e, wrong=wrong: wrong * e)
            assert any(one.verdict != "holds" for one in only(main_bound.numbers(TINY), part=part, form="printed"))
