"""Moved parameters: what moves, tails and chances by other means, and bounds that are too good and are found out."""

import subprocess
import sys
from fractions import Fraction as F

import numpy as np
import pytest
import torch
from mutations import change, only
from sympy import Rational

from maurey.verify.checks import Effort
from maurey.verify.papers.lintilhac2026.network import ascent, construction, draws, hessians, perturbations, sharpness
from maurey.verify.papers.lintilhac2026.perturbation import gradients, outputs, probabilities, tails
from maurey.verify.papers.lintilhac2026.perturbation import hessians as second
from maurey.verify.training.tasks.walsh import Target, random_target, tiling

pytestmark = pytest.mark.usefixtures("one_thread")
TINY = Effort("tiny", 1, seed=3)
PAPER = "lintilhac2026"
ONE_BIT = Target(2, ((1,),), (1,))


def example():
    return perturbations.Case(random_target(5, 2, 3, np.random.default_rng(1)), [1, 0, 1, 1, 0])


def normal(case, number, sigma, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return sigma * torch.randn(number, len(case.theta), dtype=torch.float64, generator=rng)


# --- what moves -----------------------------------------------------------------------------------------------------


def test_slopes_are_those_of_automatic_differentiation():
    """Gradients with respect to F and Gamma are put together from the slopes, and the network is flat."""
    case = example()
    moved = construction.named(case.theta + normal(case, 1, 0.05)[0], case.net)
    for net in (case.net, moved):
        at = perturbations.inside(case, net)
        slope = construction.named(torch.func.grad(case.output)(construction.flat(net)), net)
        r, on = at.u.relu(), (at.u > 0).double()
        assert torch.allclose(slope.F, r.T @ at.slope)
        assert torch.allclose(slope.Gamma, (on * (at.slope @ net.F.T)).sum(dim=0))
    assert case.inside.jacobian.abs().max() < 1e-12
    assert perturbations.inside(case, moved).jacobian.abs().max() > 0.01


def test_sizes_are_norms():
    case = example()
    E = construction.named(normal(case, 1, 1.0)[0], case.net)
    found = perturbations.sizes(case, E)
    assert float(found["e_M"]) == pytest.approx(np.linalg.norm(E.M.numpy(), 2))
    assert float(perturbations.column_sizes(case, E)["e_F"]) <= float(found["e_F"])
    rows = [[float(x @ E.W_1 @ y) for y in case.X] for x in case.X]
    assert float(found["eta_1"]) == pytest.approx(np.abs(rows).max())


def test_a_unit_reaches_its_kink_where_the_margin_says():
    assert [outputs.margin(D) for D in (1, 3, 8)] == [F(1, 4), F(1, 12), F(1, 32)]
    case = perturbations.Case(tiling(4, 2), [1, 0, 0, 0])
    for factor, flips in ((0.999, False), (1.001, True)):
        E = construction.Network(*(torch.zeros_like(block) for block in case.net))
        E.Gamma[5] = factor / 8  # (i, o) = (1, -1) at the count 1
        to = perturbations.inside(case, perturbations.moved(case, E))
        assert bool(((to.u > 0) != (case.inside.u > 0))[:2].any()) == flips


# --- attacks --------------------------------------------------------------------------------------------------------

TIGHT = [
    ("21", "b", perturbations.values),
    ("22", "shift", perturbations.values),
    ("22", "r", perturbations.values),
    ("22", "g", perturbations.values),
    ("25", "data", perturbations.values),
    ("28", "query", perturbations.values),
]


def attacked(key, part, of):
    cases = [perturbations.Case(Target(3, ((0,),), (1,)), [1, 0, 0])]
    size = perturbations.column_sizes if key == "25" else perturbations.sizes
    tried = ascent.attacked(cases, of, [(f"{PAPER}/{key}", part)], 16, 25, size)
    return list(ascent.results(tried, f"{PAPER}/{key}", ""))


@pytest.mark.parametrize(("key", "part", "of"), TIGHT)
def test_a_constant_that_is_too_good_is_found_out(key, part, of, monkeypatch):
    change(monkeypatch, f"{PAPER}/{key}", part, "sharp", lambda e: Rational(9, 10) * e)
    found = attacked(key, part, of)
    assert {one.verdict for one in only(found, form="derived")} == {"holds"}
    (fails,) = only(found, form="sharp")
    assert (fails.verdict, fails.rung) == ("fails", "refuted")
    assert 1 < float(fails.true_value) / float(fails.printed_value) < 1.2


def test_a_sheet_says_what_the_claims_say():
    """Steps that forms share are computed once; the values are those of the claims, cases included."""
    names = [(f"{PAPER}/24", "moved"), (f"{PAPER}/30", "moved_W_1"), (f"{PAPER}/17", "trace")]
    at = {name: F(k + 1, 10**4) for k, name in enumerate(("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V"))}
    for sigma in (F(1, 10**5), F(1, 10)):  # no unit crosses its kink, or some may
        at |= {"sigma": sigma, "delta": F(1, 10)}
        sizes = {"omega": 3, "D": 2, "T": 5}
        found = ascent.Sheet(names, sizes)({name: float(x) for name, x in at.items()})
        for (key, part, form), value in found.items():
            assert float(value) == pytest.approx(float(draws.value(key, form, part, sizes | at)), rel=1e-12)


@pytest.mark.parametrize("factor", [Rational(1, 2), Rational(2)])
def test_softmax_jacobians(factor, monkeypatch):
    change(monkeypatch, f"{PAPER}/29", "jacobian", "sharp", lambda e: factor * e)
    found = gradients.softmax_jacobian(TINY)
    assert [one.verdict for one in only(found, form="sharp")] == ["fails" if factor < 1 else "holds"]


def test_tokens_at_rest(monkeypatch):
    assert {one.verdict for one in gradients.at_rest(TINY)} == {"holds"}
    change(monkeypatch, f"{PAPER}/26", "sum", "derived", lambda e: e / 2)
    assert only(gradients.at_rest(TINY), part="sum", form="derived", verdict="fails")


# --- tails and chances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "part", "form", "check"),
    [
        ("19", "norm", "derived", tails.one_vector),
        ("20", "norm", "printed", tails.many_vectors),
        ("21", "eta_1", "sharp", tails.random_sizes),
        ("21", "eta_V", "derived", tails.random_sizes),
    ],
)
def test_a_smaller_norm_is_not_proved(key, part, form, check, monkeypatch):
    change(monkeypatch, f"{PAPER}/{key}", part, form, lambda e: Rational(99, 100) * e)
    found = list(check(TINY))
    (changed,) = only(found, part=part, form=form)
    assert changed.verdict != "holds"
    assert {one.verdict for one in found if one is not changed} <= {"holds"}


def test_chances_are_below_what_draws_show():
    case = perturbations.Case(ONE_BIT, [0, 0])
    for sigma in (10, 100):
        E = normal(case, 3000, sigma)
        at = [
            torch.func.vmap(lambda e, of=of: of(case.theta + e))(E)
            for of in (case.output, torch.func.grad(case.output))
        ]
        moves = [(at[0] - case.inside.f).abs(), (at[1] - case.gradient).norm(dim=1)]
        for found, move in zip((probabilities.output(2, sigma), probabilities.gradient(2, sigma)), moves, strict=True):
            share = (move > float(found)).double().mean()
            assert share > 0.1
        units = torch.func.vmap(lambda e: perturbations.inside(case, construction.named(case.theta + e, case.net)).u)(E)
        assert (units[:, 0].relu().norm(dim=1) > float(probabilities.hessian(2, sigma))).double().mean() > 0.1


def test_the_loss_of_one_bit_has_no_trace_but_the_gradients():
    case = perturbations.Case(ONE_BIT, [0, 0])
    at = case.theta + normal(case, 1, 2.0)[0]
    squared = torch.func.grad(case.output)(at).square().sum().item()
    assert hessians.loss_trace(case, at) == pytest.approx(2 * squared, rel=1e-9)


def test_a_bound_that_grows_as_the_output_does_is_not_exceeded(monkeypatch):
    assert "sigma = 10, 1.514e+04" in probabilities.exceeded(f"{PAPER}/24", "T_p", probabilities.output)
    change(monkeypatch, f"{PAPER}/24", "T_p", "printed", lambda e: e**4)
    assert "No sigma" in probabilities.exceeded(f"{PAPER}/24", "T_p", probabilities.output)


@pytest.mark.parametrize(("number", "part", "second"), [(24, "T_p", False), (30, "G_p", False), (17, "P", True)])
def test_draws_at_small_sigma_catch_a_form_that_is_too_small(number, part, second, monkeypatch):
    key = f"{PAPER}/{number}"
    one = draws.small(key, part, TINY, "", second)
    assert (one.verdict, one.form) == ("holds", "printed")
    assert 0 < one.tightness < 1
    change(monkeypatch, key, part, "printed", lambda e: e * Rational(one.tightness) / 2)
    assert draws.small(key, part, TINY, "", second).verdict == "undecided"


# --- second derivatives ---------------------------------------------------------------------------------------------


def test_second_derivatives_in_three_ways():
    case = example()
    full = hessians.full(case)
    v = normal(case, 1, 1.0)[0]
    assert torch.allclose(full @ v, hessians.times(case, case.theta, v))
    eigenvalue = float(torch.linalg.eigvalsh(full).abs().max())
    assert hessians.operator(case) == pytest.approx(eigenvalue)
    at = case.theta + normal(case, 1, 0.01)[0]
    error, slope = case.output(at) - case.inside.f, torch.func.grad(case.output)(at)
    trace = 2 * slope.square().sum() + 2 * error * torch.func.hessian(case.output)(at).trace()
    assert hessians.loss_trace(case, at) == pytest.approx(float(trace), rel=1e-9)


def test_power_iteration_finds_the_same(monkeypatch):
    case = example()
    eigenvalue = hessians.operator(case)
    monkeypatch.setattr(hessians, "FULL", 0)
    assert hessians.operator(case) == pytest.approx(eigenvalue, rel=1e-3)


@pytest.mark.parametrize(("T", "zeros"), [(6, 1), (9, 2), (10, 5)])
def test_single_bits_by_automatic_differentiation(T, zeros):
    bits = second.Bits(T, zeros)
    case = bits.case()
    direction = hessians.scores_apart(case)
    assert float(direction.norm()) == pytest.approx(1)
    assert hessians.along(case, case.theta, direction) == pytest.approx(float(bits.curve()), rel=1e-10, abs=1e-9)
    blocks = sharpness.gradients(case.target, np.array([case.bits]))
    parts = blocks.M + blocks.Gamma + blocks.F_positions
    assert float(bits.trace()) == pytest.approx(2 * parts[0], rel=1e-12)


def test_pairs_that_are_dropped_and_do_not_vanish():
    found = second.dropped(
        [perturbations.Case(random_target(5, 2, 3, np.random.default_rng(k)), [1, 0, 1, 1, 0]) for k in (0, 1)]
    )
    assert {("W_V", "M"), ("W_1", "M"), ("W_V", "F"), ("F", "F"), ("W_2", "W_2"), ("F", "W_2")} <= set(found)
    assert not {("W_V", "Gamma"), ("W_1", "v_2"), ("M", "Gamma"), ("W_1", "W_1")} & set(found)


def test_a_smaller_hessian_is_found_out(monkeypatch):
    change(monkeypatch, f"{PAPER}/18", "operator", "sharp", lambda e: e / 100)
    found = list(second.at_rest(TINY))
    assert only(found, form="sharp")[0].verdict == "fails"
    assert only(found, form="derived")[0].verdict == "holds"
    (fails,) = only(found, form="printed")
    assert fails.verdict == "fails"
    assert float(fails.true_value) > float(fails.printed_value)


def test_a_draw_that_does_not_show_it_decides_nothing():
    bits, small = second.Bits(300, 63), {"sigma": F(1, 10**14), "delta": F(1, 10)}
    beyond = second.exceeding(second.AFTER, "operator", bits, second.Bits.curve, **small)
    assert beyond
    assert second.still(second.AFTER, "operator", beyond, lambda case, at: 0.0, "").verdict == "undecided"
    assert second.still(second.AFTER, "operator", None, lambda case, at: 1e9, "").verdict == "undecided"


def test_a_unit_that_is_nearer_to_its_kink_decides_nothing(monkeypatch):
    monkeypatch.setattr(outputs, "margin", lambda D: F(1, 5 * D))
    assert [one.verdict for one in outputs.network(TINY)] == ["undecided"]


def test_a_smaller_union_is_refuted(monkeypatch):
    change(monkeypatch, f"{PAPER}/20", "norm", "printed", lambda e: Rational(1, 2) * e)
    (one,) = only(tails.many_vectors(TINY), form="printed")
    assert (one.verdict, one.rung) == ("fails", "refuted")


def test_small_perturbations_exceed_the_output_bound_rarely():
    """At T = 2 and one bit, where the level is nearest to the deviation: two-sided, by the error function."""
    import math

    ratios = []
    for T, D, omega in ((2, 1, 1), (2, 2, 1), (2, 1, 2), (100, 1, 1)):
        at = {"omega": omega, "D": D, "T": T}
        level = float(outputs.over_sigma(at))
        ratios.append(level / math.sqrt(float(outputs.value(f"{PAPER}/14", "derived", "total", at))))
    assert float(outputs.rarely()) == pytest.approx(max(math.erfc(r / math.sqrt(2)) for r in ratios), rel=1e-9)


def test_the_checks_do_without_torch_until_they_run():
    module = f"maurey.verify.papers.{PAPER}.perturbation.hessians"
    code = f"import sys, {module} as h; assert 'torch' not in sys.modules; print(h.STEEP.T)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "60"
