"""Recurrent networks for 1STR, run and counted; lower bounds that they respect, and the one that they do not."""

import itertools
import math

import numpy as np
import pytest
from flint import arb
from sympy import Rational, Symbol

from maurey.symbolic import registry
from maurey.verify.checks import EFFORTS, Result
from maurey.verify.complexity import read_outs
from maurey.verify.papers.mousavi2025.recurrent import lower_bounds, samples, solvers

QUICK = EFFORTS["quick"]


def rng():
    return np.random.default_rng(11)


def found(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


# --- networks that run ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[(4, 1), (4, 2), (6, 1)])
def network(request):
    return solvers.small(*request.param, 3, rng())


def test_states_stand_for_the_tokens_seen(network):
    x = rng().normal(size=(20, network.N, 3))
    forward, backward = network.run(x)
    quantised = network.quantiser.values[network.quantiser.cells(x @ network.u)]
    for j in range(network.N):
        for states, seen in ((forward[j], quantised[:, :j]), (backward[j], quantised[:, :j:-1])):
            assert np.linalg.norm(states, axis=1) == pytest.approx(1)
            message = (states @ network.states.T).argmax(axis=1)
            assert np.array_equal(network.values[message][:, : seen.shape[1]], seen)


def test_the_read_out_is_lipschitz_on_all_pairs(network):
    points, steepest = network.states / math.sqrt(2), 0.0
    for i, j in itertools.combinations(range(min(len(points), 128)), 2):
        apart = np.linalg.norm(points[i] - points[j])
        steepest = max(steepest, np.abs(network.values[i] - network.values[j]).max() / apart)
    assert steepest <= network.lipschitz * (1 + 1e-9)
    if len(points) <= 128:
        assert steepest == pytest.approx(network.lipschitz)


def test_the_error_is_the_quantisers(network):
    x = rng().normal(size=(3000, network.N, 3))
    t = rng().integers(network.N, size=(3000, network.N))
    y = np.take_along_axis(x @ network.u, t, axis=1)
    found = ((network.outputs(x, t) - y) ** 2).mean()
    assert found == pytest.approx(network.error, rel=0.08)


def test_a_read_out_that_is_too_flat_misses(network):
    at = network.states / math.sqrt(2)
    assert network.read(at, 0, network.lipschitz) == pytest.approx(network.values[:, 0])
    assert np.abs(network.read(at, 0, network.lipschitz / 3) - network.values[:, 0]).max() > 0.1


# --- networks that exist -------------------------------------------------------------------------------------------


def test_the_table():
    rows = solvers.table((16, 128))
    assert {row.N for row in rows} == {16, 128}
    for row in rows:
        assert float(row.error) == pytest.approx((1 - 2 / math.pi) * (row.N - 1) / row.N)
        spent = row.d_h * math.log1p(float(row.squared)) / row.N
        assert 1.2 < spent < 10  # bits cost log 2 each way, and codes waste some
    assert min(row.d_h for row in rows) == 1


def test_grids_are_as_steep_as_they_say():
    """Three coordinates with four levels each, in the unit ball."""
    made = solvers.by_grid(7, 1, 3)
    side = np.linspace(-1, 1, 4) / math.sqrt(3)
    points = np.array(list(itertools.product(side, repeat=3)))
    assert np.linalg.norm(points, axis=1).max() <= 1 + 1e-12
    apart = min(np.linalg.norm(a - b) for a, b in itertools.combinations(points, 2))
    width = 2 * math.sqrt(2 / math.pi)
    assert float(made.squared) == pytest.approx(2 * width**2 / apart**2)


def test_codes_keep_their_steepness():
    L = [float(solvers.by_code(N, 1, 4 * (N - 1)).squared) for N in (50, 500, 5000)]
    assert max(L) < float(solvers.by_entropy(10, 1).squared) * (1 + 1e-9)
    assert sorted(L) == L  # relative distances fall towards that of the entropy
    assert L[2] / L[0] < 1.2


# --- 35 ------------------------------------------------------------------------------------------------------------


def test_what_stands_and_what_does_not_in_35():
    results = found(lower_bounds.respected)
    assert {one.verdict for one in results} == {"holds"}
    assert {(one.part, one.form) for one in results} >= {
        (p, f) for p in ("width", "norm") for f in ("derived", "sharp")
    }
    entry = lower_bounds.codes_beat_the_norm(QUICK)
    assert (entry.verdict, entry.part) == ("fails", "norm")
    witness = entry.counterexample
    L_f = float(eval_fraction(witness["at"]["L_f"]))
    for t, ratio in zip((1e4, 1e8, 1e12), witness["ratios"], strict=True):
        assert float(ratio) == pytest.approx(L_f**2 * math.log1p(t**2) / t, rel=1e-4)
    assert float(entry.printed_value) > float(entry.true_value) == 1
    assert registry.find("mousavi2025/35").part("norm").below


def eval_fraction(text):
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


@pytest.mark.parametrize(("part", "factor"), [("width", 50), ("norm", 200)])
def test_a_lower_bound_that_is_too_large_is_caught(part, factor, monkeypatch):
    exact = lower_bounds.value
    scaled = lambda key, form, p, at: exact(key, form, p, at) * (factor if p == part else 1)  # noqa: E731
    monkeypatch.setattr(lower_bounds, "value", scaled)
    assert "fails" in [one.verdict for one in found(lower_bounds.respected)]


def test_a_bound_that_does_not_grow_is_not_refuted(monkeypatch):
    monkeypatch.setattr(lower_bounds, "value", lambda *at: arb(1) / 100)
    assert lower_bounds.codes_beat_the_norm(QUICK).verdict == "undecided"


# --- 7 -------------------------------------------------------------------------------------------------------------


def test_suprema_over_states_stay_below_the_comparison():
    ratios = [ratio for _, ratio in read_outs.attacked(EFFORTS["normal"])]
    assert 0.05 < max(ratios) < 1


def test_growth_by_layers():
    assert [read_outs.growth_squared(layers) for layers in (1, 2, 3)] == [1, 2, 4]
    N = Symbol("N", positive=True)
    least = read_outs.least_product(N, 2, Rational(0))
    assert float(least.subs(N, 201)) == pytest.approx(math.sqrt(100 / 2))


def test_one_linear_unit_in_balls():
    """U = 1, W_2 = 1, never clipped: sup_h h sum_k g_k is sqrt 2 |sum_k g_k|, of mean sqrt(2) sqrt(2k/pi)."""
    k = 30
    weights, shifts = [np.eye(1), np.eye(1)], [np.full((k, 1), 5.0)]
    h = read_outs.balls(1, 3, rng())
    values = read_outs.outputs(weights, shifts, h) - read_outs.outputs(weights, shifts, np.zeros((1, 1)))
    g = rng().normal(size=(20_000, k))
    assert (g @ values.T).max(axis=1).mean() == pytest.approx(math.sqrt(2) * math.sqrt(2 * k / math.pi), rel=0.03)


@pytest.mark.parametrize("layers", [2, 3, 5])
def test_the_embedded_network_goes_through_the_samples(layers):
    x, y, a, W, b = samples.through_samples(6, 4, rng())
    net, U = samples.embedded(a, W, b, 9, layers, 3)
    assert net(np.hstack([x, rng().normal(size=(6, 3))]))[:, 0] == pytest.approx(y, rel=1e-6, abs=1e-6)
    assert len(net.W) == layers
    assert not U.any()


def test_theorem_7():
    results = found(samples.theorem_7)
    assert {one.verdict for one in results} == {"holds"}
    assert [one.rung for one in results if one.part == "samples" and one.form == "printed"] == ["derived"]


def test_a_flatter_norm_does_not_prove_7(monkeypatch):
    exact = samples.least_product
    monkeypatch.setattr(samples, "least_product", lambda N, layers, c: exact(N, layers, c) ** Rational(1, 2))
    assert samples.by_the_norm(1, 0.1).verdict == "undecided"
