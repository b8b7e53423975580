"""Covers of the Transformer: volumes against what they say of real functions, witnesses seen again, and changes."""

import itertools
import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from flint import arb
from mutations import change, only

from maurey.verify.attack.statements import examine
from maurey.verify.checks import Effort
from maurey.verify.packings import attacks
from maurey.verify.papers.mousavi2025 import covers, packings

TINY = Effort("tiny", 1, seed=3)


def of(check):
    return list(check(TINY))


# --- 13 -------------------------------------------------------------------------------------------------------------


def test_compositions_hold_and_a_smaller_sum_does_not(monkeypatch):
    assert {one.verdict for one in of(covers.triangle)} == {"holds"}
    exact = covers.size_of
    monkeypatch.setattr(covers, "size_of", lambda members, eps: exact(members, eps) if len(members) > 3 else 1)
    assert only(of(covers.triangle), part="log_N", verdict="fails")


@pytest.mark.parametrize("part", ["moved", "radius"])
def test_a_smaller_movement_or_radius_is_not_proved(part, monkeypatch):
    change(monkeypatch, "mousavi2025/13", part, "printed", lambda e: e * F(99, 100))
    assert only(of(covers.triangle), part=part, verdict="undecided")


def test_smallest_covers_of_functions():
    members = [(0, 0), (1, 0), (5, 5), (5, 6)]
    assert covers.size_of(members, F(3, 2)) == 2
    assert covers.size_of(members, F(1, 2)) == 4


# --- 15 -------------------------------------------------------------------------------------------------------------


def attacked():
    return examine("mousavi2025/15", TINY, covers.ATTACKED)


def test_attention_moves_by_half_of_what_is_printed():
    found = attacked()
    assert {one.verdict for one in found} == {"holds"}
    for one in found:
        assert one.tightness == pytest.approx(1 if one.form == "sharp" else 0.5, abs=0.01)


@pytest.mark.parametrize(("part", "form", "factor"), [("moved", "sharp", F(9, 10)), ("eps_QK", "sharp", F(10, 9))])
def test_a_smaller_constant_is_refuted(part, form, factor, monkeypatch):
    change(monkeypatch, "mousavi2025/15", part, form, lambda e: factor * e, forget=[covers._forms])
    (fails,) = only(attacked(), verdict="fails")
    assert (fails.part, fails.form, fails.rung) == (part, form, "refuted")
    assert only(of(covers.softmaxed), form=form, verdict="undecided")


# --- volumes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "D"), [(F(4), 1), (F(9), 2), (F(30), 3)])
def test_balls_on_signs(a, D):
    """The volume of the ball over that of the octahedron |v|_1 <= sqrt(D), by mpmath."""
    ball = mpmath.pi ** (mpmath.mpf(D) / 2) / mpmath.gamma(mpmath.mpf(D) / 2 + 1) * mpmath.sqrt(float(a)) ** D
    octahedron = (2 * mpmath.sqrt(D)) ** D / mpmath.factorial(D)
    assert float(packings.ball_on_signs(a, D).log) == pytest.approx(float(mpmath.log(ball / octahedron)))
    signs = np.array(list(itertools.product((1, -1), repeat=D))) / math.sqrt(D)
    v = np.random.default_rng(0).normal(size=(20, D))
    assert np.allclose(np.abs(v @ signs.T).max(axis=1), np.abs(v).sum(axis=1) / math.sqrt(D))


def test_units_of_the_block_are_as_far_apart_as_said():
    rng = np.random.default_rng(0)
    for _ in range(50):
        w, v = rng.normal(size=(2, 4))
        h = (w - v) / np.linalg.norm(w - v)
        far = max(abs(max(0, w @ x) - max(0, v @ x)) for x in (h, -h))
        assert far >= np.linalg.norm(w - v) / 2 - 1e-12


def test_the_layer_does_what_its_lower_bound_says():
    """Two tokens, one head and one unit, run: within the norms, and the outputs move as `gain` says."""
    rng = np.random.default_rng(0)
    D, K, r_z, B_a, B_W, B_QK = 3, 2, 1.3, 0.7, 1.6, 1.1
    net = packings.Layer(1, 1 + K + D, F(13, 10), F(7, 10), F(8, 5), F(11, 10))
    rho = B_QK / K
    w = B_W / math.sqrt(1 + r_z**2 / 3)
    b = w * r_z / math.sqrt(3)
    assert math.hypot(w, b) == pytest.approx(B_W)

    def outputs(V):
        W = np.zeros((1 + K + D, 1 + K + D))
        W[1 + K :, 1 : 1 + K] = V.T
        assert np.linalg.norm(W, axis=0).sum() <= B_QK + 1e-12
        found = []
        for k, s in itertools.product(range(K), itertools.product((1, -1), repeat=D)):
            z = np.zeros((2, 1 + K + D))
            z[:, 0], z[:, 1 + k], z[:, 1 + K :] = (1, -1), (1, -1), np.array(s) / math.sqrt(D)
            z *= r_z / math.sqrt(3)
            assert np.linalg.norm(z, axis=1) == pytest.approx(r_z)
            e = np.exp(z @ (W.T @ z[0]))
            found.append(B_a * max(0.0, w * ((e / e.sum()) @ z)[0] + b))
        return np.array(found)

    least = float(packings.gain(net, F(11, 20))) * 2 / 3 * r_z**2 / math.sqrt(D)
    for _ in range(50):
        V, U = rng.normal(size=(2, K, D))
        V *= rho / np.linalg.norm(V, axis=1, keepdims=True)
        U *= rho * rng.random() / np.linalg.norm(U, axis=1, keepdims=True)
        far = np.abs(outputs(V) - outputs(U)).max()
        assert far >= least * np.abs(V - U).sum(axis=1).max() - 1e-12


def test_a_number_of_prompts_limits_the_signs():
    at = (F(1, 10), 1, 6, F(1), F(1), F(1))
    sizes = [float(packings.matrices(at[0], n, *at[1:]).log) for n in (1, 8, 64, 10**9)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == float(packings.matrices(at[0], None, *at[1:]).log)
    net = packings.Layer(1, 8, F(1), F(1), F(1), F(40))
    assert float(packings.layer(net, F(1, 50), 2).log) < float(packings.layer(net, F(1, 50), None).log)


PRINTED = {
    "mousavi2025/14": lambda t: 4 * t * mpmath.log(1 + 3 / mpmath.sqrt(t)),
    "mousavi2025/16": lambda t: 16 * mpmath.log(2 * t**2),
    "mousavi2025/17": lambda t: t * mpmath.log(9) + t * mpmath.log(t**2) * 8**2,
}


@pytest.mark.parametrize("key", covers.FALLING)
def test_printed_covers_fall_behind(key):
    at, ray, ts, note = covers.FALLING[key]
    found = attacks.along(key, "log_N", at, ray, ts, note, packings.ATTACKS[key, "log_N"])
    assert (found.verdict, found.rung, found.edge) == ("fails", "refuted", False)
    ratios = [mpmath.mpf(r) for r in found.counterexample["ratios"]]
    assert ratios[2] < ratios[1] / 10 < ratios[0] / 100
    with mpmath.workdps(60):
        printed = PRINTED[key](mpmath.mpf(ts[2]))
        assert abs(printed / mpmath.mpf(found.printed_value) - 1) < 1e-4
        assert abs(printed / mpmath.mpf(found.true_value) / ratios[2] - 1) < 1e-4


def test_a_degree_that_is_lost():
    """D_e = 2 and R = 1000: both logarithms are log(1 + 1/R), and outputs fill an interval of length R^3."""
    found = covers.without_degree()
    assert found.verdict == "fails"
    printed = 2 * math.log1p(1e-3) + min(4 * math.log1p(1e-3), 1e-6 * math.log(4))
    assert float(found.printed_value) == pytest.approx(printed, rel=1e-4)
    assert float(found.true_value) == pytest.approx(math.log(500), rel=1e-4)


def test_orders_of_the_lower_bounds():
    """Linear in D_e (16), and in D_e times the number of columns (17)."""
    small, large = (float(packings.ball_on_signs(F(16), D).log) for D in (10**4, 10**6))
    assert large / small == pytest.approx(100, rel=0.01)
    layers = [packings.Layer(1, t, F(1), F(1), F(1), F(math.isqrt(t))) for t in (10**12, 10**16)]
    sizes = [float(packings.layer(net, F(1, 64), None).log) for net in layers]
    assert sizes[1] / sizes[0] == pytest.approx(10**6, rel=0.01)


@pytest.mark.parametrize("key", covers.FALLING)
def test_forms_that_are_derived_survive_and_smaller_ones_do_not(key, monkeypatch):
    found = of(lambda effort: covers.by_volume(key, effort))
    assert {one.form for one in only(found, verdict="holds")} == {"printed", "derived", "sharp"}
    factor = 100 if key.endswith("17") else 2
    for form in ("derived", "sharp"):
        with monkeypatch.context() as m:
            change(m, key, "log_N", form, lambda e: e / factor)
            result = attacks.survives(key, form, "log_N", TINY, 100, packings.ATTACKS[key, "log_N"])
            assert (result.verdict, result.rung) == ("fails", "refuted")


def test_gains_fall_with_the_range():
    net = packings.Layer(1, 8, F(1), F(1), F(1), F(1))
    assert packings.gain(net, F(0)) > packings.gain(net, F(2)) > arb(0)
