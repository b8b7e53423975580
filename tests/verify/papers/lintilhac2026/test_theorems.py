"""Checks of Theorems 5, 6 and 9 to 15 and of appendices B and D: what they find, and what they catch."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from mutations import change, only
from sympy import Rational

from maurey.verify.checks import Effort
from maurey.verify.papers.lintilhac2026 import construction, gradients, jacobian, norms, rescaling, sizes
from maurey.verify.papers.lintilhac2026.network import sharpness
from maurey.verify.papers.lintilhac2026.perturbation import expansion, loss
from maurey.verify.training.tasks import walsh

pytestmark = pytest.mark.usefixtures("one_thread")
TINY = Effort("tiny", 1, seed=3)
P = "lintilhac2026/"


def verdicts(found, form="printed"):
    return {one.part: one.verdict for one in found if one.form == form}


# --- 9 and B ---------------------------------------------------------------------------------------------------------


def test_trapezoids_are_proved():
    assert [(one.part, one.verdict, one.rung) for one in construction.trapezoids(TINY)] == [
        ("wave", "holds", "proved"), ("error", "holds", "proved"),
    ]  # fmt: skip


def test_a_wave_that_is_a_little_too_high_is_not_proved(monkeypatch):
    change(monkeypatch, P + "9", "wave", "printed", lambda e: Rational(1001, 1000) * e)
    assert {one.verdict for one in construction.trapezoids(TINY)} == {"undecided"}


@pytest.mark.parametrize(
    "edges", [((-2, 1.0), (-1, -1.0), (1, -1.0), (3, 1.0)), ((-2, 1.0), (-1, -1.0), (1, 1.0), (2, 1.0))]
)
def test_a_wrong_quadruple_is_not_a_trapezoid(edges, monkeypatch):
    monkeypatch.setattr(construction, "EDGES", edges)
    assert any(proof.verdict is not True for proof in construction.for_all_degrees())


def test_built_weights_are_the_fractions_of_the_wave():
    Gamma, F = construction.built(3)
    assert Gamma[:5] == [Fraction(-1, 6), Fraction(-1, 12), Fraction(1, 12), Fraction(1, 6), Fraction(-1, 2)]
    assert F == [12, -12, -12, 12, 0, 0, 0, 0] * 2


def test_whole_cubes(monkeypatch):
    monkeypatch.setattr(
        construction, "classes", lambda effort: [walsh.random_target(6, 2, 3, np.random.default_rng(0))]
    )
    assert verdicts(construction.on_whole_cubes(TINY)) == {"leak": "holds", "count": "holds"}
    change(monkeypatch, P + "B", "count", "printed", lambda e: e + 1)
    assert verdicts(construction.on_whole_cubes(TINY)) == {"leak": "holds", "count": "fails"}


# --- 10 and 11 -------------------------------------------------------------------------------------------------------


def test_norms():
    found = list(norms.norms(TINY))
    assert verdicts(found, "derived") | verdicts(found, "sharp") == dict.fromkeys(
        ({*norms.BLOCKS} - {"W_V"}) | {"total", "projected"}, "holds"
    )
    failed = only(found, verdict="fails")
    assert {one.part for one in failed} == {"F", "total", "projected"}
    (total,) = (one for one in failed if one.part == "total")
    assert (total.printed_value, total.true_value) == ("1303.93", "1492.69")
    (F,) = (one for one in failed if one.part == "F")
    assert (F.printed_value, F.true_value) == ("192", "512")


@pytest.mark.parametrize(("part", "form"), [("W_1", "derived"), ("M", "derived"), ("Gamma", "derived")])
def test_a_norm_that_is_too_small_is_caught(part, form, monkeypatch):
    monkeypatch.setattr(norms, "functions", lambda *_: [walsh.tiling(6, 2)])
    monkeypatch.setattr(norms, "projected", lambda effort: [])
    change(monkeypatch, P + "10", part, form, lambda e: Rational(99, 100) * e)
    assert verdicts(norms.norms(TINY), form)[part] == "fails"


def test_entries_add_up_to_the_norm():
    target = walsh.tiling(20, 2)
    balls = norms.entry_by_entry(target)
    for name, value in zip(sharpness.Blocks._fields, sharpness.norms(target), strict=True):
        if name != "F_positions":
            assert abs(float(balls[name.removesuffix("_data")]) - value) < 1e-9


def test_fourth_moments():
    W = np.array([[1, 2], [-1, 3]])
    assert norms.expected(W, 2) == norms.closed(W, 2) == 15 + Fraction(16 + 6, 2)
    assert norms.closed(W, 1) == norms.expected(W, 1) != norms.closed(W, 2)


def test_sizes():
    assert set(verdicts(sizes.sizes(TINY)).values()) == {"holds"}


@pytest.mark.parametrize(("part", "factor"), [("hidden", Rational(99, 100)), ("Y_rows", Rational(3, 4))])
def test_a_size_that_is_too_small_is_caught(part, factor, monkeypatch):
    monkeypatch.setattr(sizes, "functions", lambda *_: [walsh.tiling(5, 1)])
    change(monkeypatch, P + "11", part, "printed", lambda e: factor * e)
    assert [one for one, verdict in verdicts(sizes.sizes(TINY)).items() if verdict == "fails"] == [part]


# --- 5, 13, 14 and 15 ------------------------------------------------------------------------------------------------


def test_gradients(monkeypatch):
    found = list(gradients.gradients(TINY))
    assert set(verdicts(found, "derived").values()) == {"holds"}
    assert {part for part, verdict in verdicts(found).items() if verdict == "fails"} == {"total"}
    tight = {one.part: one.tightness for one in found if one.form == "derived"}
    assert all(tight[part] == pytest.approx(1) for part in ("v_2", "F", "M", "Gamma"))
    monkeypatch.setattr(gradients, "wide", lambda effort: [walsh.tiling(6, 2)])
    change(monkeypatch, P + "14", "F", "derived", lambda e: Rational(99, 100) * e)
    assert verdicts(gradients.gradients(TINY), "derived")["F"] == "fails"


def test_wrong_formulas_decide_nothing(monkeypatch):
    right = sharpness.gradients
    monkeypatch.setattr(sharpness, "gradients", lambda *given: right(*given)._replace(M=1.01 * right(*given).M))
    assert [one.verdict for one in gradients.gradients(TINY)] == ["undecided"]


@pytest.mark.parametrize(("T", "D", "omega"), [(5, 1, 5), (8, 3, 8), (6, 2, 1)])
def test_gradients_in_balls(T, D, omega):
    target, z = norms.cyclic(T, D, omega), walsh.all_strings(T)[11]
    found, blocks = gradients.in_balls(target, z), sharpness.gradients(target, z[None])
    for ball, names in (
        (found.inner, ("M", "Gamma")),
        (found.outer, ("F_data", "F_positions")),
        (found.rest, ("W_2", "v_2")),
    ):
        assert float(ball) == pytest.approx(sum(getattr(blocks, name)[0] for name in names), rel=1e-12)


def test_a_string_that_is_too_sharp(monkeypatch):
    """Also with softmax in the first layer; without the columns of positions it is not."""
    target, z = gradients.witness()
    blocks, said = sharpness.gradients(target, z[None]), 4 + 4 * 40 * 67
    assert gradients.in_balls(target, z).total > 11905
    assert blocks.total[0] - blocks.F_positions[0] < said < gradients.with_softmax() == pytest.approx(11460, abs=0.5)
    assert gradients.too_large(P + "14", "total", 1).verdict == "fails"
    monkeypatch.setattr(gradients, "with_softmax", lambda: float(said))
    assert gradients.too_large(P + "14", "total", 1).verdict == "undecided"


def test_the_identity_of_13_is_proved_and_its_bound_is_not(monkeypatch):
    tallies = gradients.tallied(TINY)
    monkeypatch.setattr(gradients, "tallied", lambda effort: tallies)
    found = list(gradients.trace(TINY))
    assert {(one.part, one.verdict, one.rung) for one in found if one.form == "printed"} == {
        ("trace", "holds", "proved"), ("operator", "holds", "proved"), ("bound", "fails", "refuted"),
    }  # fmt: skip
    change(monkeypatch, P + "13", "trace", "printed", lambda e: Rational(101, 100) * e)
    assert verdicts(gradients.trace(TINY))["trace"] == "undecided"


def test_statement():
    found = list(gradients.statement(TINY))
    assert verdicts(found) == {"trace": "fails", "order": "fails"}
    assert verdicts(found, "derived") == {"trace": "holds"}
    (order,) = (one for one in found if one.part == "order")
    ratios = [float(r) for r in order.counterexample["ratios"]]
    assert ratios == sorted(ratios)
    assert ratios[-1] > 10 * ratios[0]


def test_softmax_jacobian(monkeypatch):
    assert {(one.form, one.verdict, one.tightness) for one in jacobian.softmax_jacobian(TINY)} == {
        ("sharp", "holds", 1.0), ("printed", "holds", 0.5),
    }  # fmt: skip
    change(monkeypatch, P + "15", "moved", "sharp", lambda e: Rational(999, 1000) * e)
    assert "undecided" in {one.verdict for one in jacobian.softmax_jacobian(TINY)}


# --- 12 and 6 --------------------------------------------------------------------------------------------------------


def test_expansion(monkeypatch):
    monkeypatch.setattr(expansion, "counted", lambda effort: "")
    assert verdicts(expansion.expansion(TINY)) == dict.fromkeys(("quadratic", "expectation", "remainder"), "holds")


@pytest.mark.parametrize(("part", "factor"), [("expectation", Rational(1, 3)), ("remainder", Rational(1, 10**5))])
def test_too_little_room_for_the_remainder_is_caught(part, factor, monkeypatch):
    monkeypatch.setattr(expansion, "counted", lambda effort: "")
    change(monkeypatch, P + "12", part, "printed", lambda e: factor * e)
    assert [one for one, verdict in verdicts(expansion.expansion(TINY)).items() if verdict == "fails"] == [part]


def test_across_a_kink_no_point_of_the_segment_will_do():
    kink = expansion.Kink(2, Fraction(1, 4))
    assert (kink.loss, kink.by_taylor) == (1, (0, 4))
    assert kink.built() == pytest.approx(1, abs=1e-12)
    before = expansion.Kink(2, Fraction(1, 8))
    assert before.loss == 0
    assert before.built() < 1e-28


def test_remainders_shrink_with_sigma():
    """In opposite pairs the remainder is of second order relative to the quadratic term."""
    target = walsh.random_target(8, 2, 3, np.random.default_rng(0))
    small, large = (expansion.drawn(target, sigma, 6, 8, 0) for sigma in (1e-4, 1e-3))
    assert large.share / small.share == pytest.approx(100, rel=0.1)
    assert small.give < 1e-5


def test_perturbed_loss(monkeypatch):
    monkeypatch.setattr(loss, "functions", lambda *_: [walsh.tiling(6, 2)])
    found = list(loss.perturbed_loss(TINY))
    assert verdicts(found) == {"loss": "fails"}
    assert [one.verdict for one in found if one.form != "printed"] == ["holds", "holds"]
    change(monkeypatch, P + "6", "loss", "printed", lambda e: 4 * e)
    assert verdicts(loss.perturbed_loss(TINY)) == {"loss": "holds"}


# --- D ---------------------------------------------------------------------------------------------------------------


def test_rescaling(monkeypatch):
    found = list(rescaling.rescaling(TINY))
    assert verdicts(found) == {"alpha": "holds", "network": "holds", "alpha_gradient": "fails"}
    inner, outer = rescaling.least_scale()
    monkeypatch.setattr(rescaling, "WIDE", 10)  # the same mean, by strings, for fewer bits
    few = rescaling.least_scale()
    mean = sharpness.mean(norms.cyclic(10, 1, 10))
    assert float(few[0]) == pytest.approx(mean.M + mean.Gamma)
    assert float(few[1]) == pytest.approx(mean.F_data + mean.F_positions)
    assert inner < outer
    assert isinstance(inner, arb)
    change(monkeypatch, P + "D", "network", "printed", lambda e: Rational(101, 100) * e)
    assert verdicts(rescaling.rescaling(TINY))["network"] == "fails"


# --- a check that is shown something wrong says so -------------------------------------------------------------------


def answers(check):
    found = check(TINY)
    return {one.verdict for one in (found if not hasattr(found, "verdict") else [found])}


def test_a_network_that_is_off_decides_nothing(monkeypatch):
    few = lambda effort: [walsh.random_target(6, 2, 3, np.random.default_rng(0))]  # noqa: E731
    monkeypatch.setattr(construction, "classes", few)
    plain = construction.output
    monkeypatch.setattr(construction, "output", lambda *given: plain(*given) + 1e-6)
    assert answers(construction.on_whole_cubes) == {"undecided"}


@pytest.mark.parametrize(
    ("module", "name", "wrong", "check"),
    [
        (gradients, "whole_hessian", lambda effort: (0.0, 1e-3, 1), gradients.trace),
        (gradients, "whole_hessian", lambda effort: (1e-3, 0.0, 1), gradients.trace),
        (jacobian, "softmax_ratio", lambda effort: (1.5, 10), jacobian.softmax_jacobian),
        (rescaling, "rescaled", lambda net, alpha: net._replace(M=alpha * net.M), rescaling.rescaling),
        (rescaling, "pruned", lambda net: net._replace(F=0 * net.F), rescaling.rescaling),
        (expansion.Kink, "built", lambda self: 0.5, expansion.expansion),
    ],
)
def test_what_does_not_agree_decides_nothing(module, name, wrong, check, monkeypatch):
    monkeypatch.setattr(module, name, wrong)
    assert "undecided" in answers(check)
    assert "holds" not in {
        one.verdict for one in check(TINY) if one.part in ("", "trace", "moved", "alpha", "expectation")
    }


def test_a_first_layer_that_leaks_more_decides_nothing(monkeypatch):
    """Where attention is a little weaker than T^2; masks would hide it."""
    few = lambda effort: [walsh.random_target(6, 2, 3, np.random.default_rng(0))]  # noqa: E731
    monkeypatch.setattr(construction, "classes", few)
    plain = construction.build

    def weak(target, J=None):
        net = plain(target, J)
        return net._replace(W_1=0.95 * net.W_1)

    monkeypatch.setattr(construction, "build", weak)
    assert answers(construction.on_whole_cubes) == {"undecided"}


def test_given_coefficients_must_give_the_norm(monkeypatch):
    plain = norms.given
    monkeypatch.setattr(norms, "given", lambda target, part: 1.001 * plain(target, part))
    sharp = [one.verdict for one in norms.norms(TINY) if one.form == "sharp"]
    assert set(sharp) == {"undecided"}


def test_functions_keep_to_the_hypothesis():
    for power in (2, 4):
        for target in norms.functions(TINY, power):
            assert target.c.min() >= float(target.T) ** -power


def test_rows_need_a_union(monkeypatch):
    from maurey.symbolic.gaussian import kappa
    from maurey.symbolic.names import symbols

    d, delta = symbols("d delta")
    change(monkeypatch, P + "11", "Y_rows", "printed", lambda e: (1 + kappa(d, delta) ** 2) ** Rational(1, 2))
    assert sizes.projected_rows("printed", TINY).verdict == "fails"
    assert sizes.projected_rows("derived", TINY).verdict == "holds"


def test_what_is_left_of_the_loss_is_relative_to_its_quadratic_term():
    import torch

    target, sigma = walsh.random_target(5, 2, 3, np.random.default_rng(0)), 0.02
    found = expansion.drawn(target, sigma, 6, 8, 4)
    z = np.random.default_rng(4).integers(0, 2, (8, 5))
    net, mask = expansion.build(target), expansion.masks(target)
    quadratic = sigma**2 * sharpness.gradients(target, z).total.mean()
    label, rows = torch.from_numpy(walsh.values(target, z)), expansion.slopes(target, net, z)
    rest = []
    for by in sigma * expansion.perturbations(net, 6, 4):
        pair = [expansion.run(expansion.moved(net, side * by), torch.from_numpy(z), mask).f for side in (1, -1)]
        loss = sum(float((f - label).square().mean()) for f in pair) / 2
        rest.append((loss - float((rows @ by).square().mean())) / quadratic)
    assert found.share == pytest.approx(np.mean(rest), rel=1e-9)
    assert found.give == pytest.approx(1.96 * np.std(rest) / 6**0.5, rel=1e-9)
