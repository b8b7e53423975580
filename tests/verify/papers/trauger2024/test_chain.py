"""One layer by peeling: suprema and complexities by brute force, and what wrong constants and witnesses come to."""

import itertools
import math
import sys
from functools import partial

import numpy as np
import pytest
from mutations import scale
from sympy import Rational

from maurey import cli
from maurey.verify.checks import EFFORTS, Result
from maurey.verify.complexity import deviations, rademacher
from maurey.verify.papers.trauger2024 import chain, layers, peeling
from maurey.verify.prove.proofs import formula

QUICK = EFFORTS["quick"]
SIGMA = {"identity": lambda x: x, "relu": lambda x: np.maximum(x, 0)}


def rng():
    return np.random.default_rng(7)


def found(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


# --- suprema -----------------------------------------------------------------------------------------------------


def random_layers(z, eps, by_rows, sigma, k, draws):
    """sum_i eps_i w^T W_c^T sigma(W_v^T z_i) for drawn weights on the spheres of their norms."""
    g, d = rng(), z.shape[1]
    axis = -1 if by_rows else -2
    w, C, V = (g.normal(size=(draws, *shape)) for shape in ((d,), (d, k), (k, d)))
    for M in (w, C, V):  # sparse ones reach the vertices
        M *= g.random(M.shape) < g.choice((0.2, 0.6, 1.0), size=(draws, *[1] * (M.ndim - 1)))
    w /= np.maximum(np.abs(w).sum(-1, keepdims=True), 1e-9)
    C, V = (M / np.maximum(np.abs(M).sum(axis, keepdims=True), 1e-9) for M in (C, V))
    hidden = SIGMA[sigma](np.einsum("nkd,md->nmk", V, z))
    return np.einsum("nd,ndk,nmk,m->n", w, C, hidden, eps)


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("sigma", ["identity", "relu"])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_suprema_are_not_exceeded_and_are_approached(by_rows, sigma, k):
    g = rng()
    for _ in range(3):
        z, eps = g.normal(size=(4, 2)), g.choice((-1.0, 1.0), size=4)
        exact = float(peeling.outer(z[None], by_rows, sigma, k)(eps[None])[0])
        best = random_layers(z, eps, by_rows, sigma, k, 60_000).max()
        assert best <= exact * (1 + 1e-12)
        assert best >= (0.97 if k == 1 else 0.6) * exact


def test_two_neurons_share_the_columns_budget():
    """relu(z_1) on e_1 and relu(-z_2) on -e_2 use both budgets; one neuron can have only a part of both."""
    z, eps = np.array([[[1.0, 0.0], [0.0, -1.0], [1.0, 1.0]]]), np.array([[1.0, 1.0, -1.0]])
    alone, two, many = (float(peeling.outer(z, False, "relu", k)(eps)[0]) for k in (1, 2, 64))
    fine = [np.array([a, b]) for a, b in itertools.product(np.linspace(-1, 1, 21), repeat=2)]
    one = lambda v: float((eps[0] * np.maximum(z[0] @ v, 0)).sum())  # noqa: E731
    assert alone == pytest.approx(max(abs(one(v)) for v in fine))
    pairs = (abs(one(v)) + abs(one(u)) for v in fine for u in fine[::7] if (np.abs(v) + np.abs(u) <= 1 + 1e-12).all())
    assert max(pairs) <= two + 1e-12
    assert two == many >= alone


def test_query_keys_lie_in_their_ball():
    for norm in peeling.NORMS:
        QK = peeling.query_keys(5, 3, norm, 2.5, rng())
        assert peeling.NORMS[norm](QK) == pytest.approx([0, 2.5, 2.5, 2.5, 2.5, 2.5])
    W = np.array([[[1.0, -2.0], [3.0, 4.0]]])
    assert [float(peeling.NORMS[n](W)[0]) for n in ("_11", "_1inf", "_21")] == pytest.approx(
        [10, 6, math.sqrt(10) + math.sqrt(20)]
    )


# --- witnesses ---------------------------------------------------------------------------------------------------


def printed_4_1(d, m, C, B=1.0):
    s = 2 * B**2 * math.sqrt(C) / math.sqrt(m)
    return s * (1 + math.log(math.sqrt(m) / (2 * B * math.sqrt(C)))) + B * math.sqrt(math.log(2 * d) / m)


def test_complexities_of_the_witnesses():
    one = np.tile([[0.5, 0.0]], (12, 1))[None]
    for by_rows in (True, False):
        exact = rademacher.complexity(peeling.outer(one, by_rows, "identity", 1), 12, 1.0, 0, rng())
        assert exact.value == pytest.approx(float(chain.one_coordinate(12)))
    spread = np.repeat(np.eye(3) / 2, 4, axis=0)[None]
    exact = rademacher.complexity(peeling.outer(spread, False, "identity", 1), 12, 1.0, 0, rng())
    assert exact.value == pytest.approx(float(chain.spread_out(3, 4)))
    assert 0.8 * exact.value < layers.least_spread(3, 4) <= exact.value


def test_what_is_refuted_in_4_1():
    entries = list(chain.below_zero("trauger2024/4.1", QUICK))
    assert [entry.part for entry in entries] == ["R", "R_rows"]
    for entry in entries:
        assert float(entry.printed_value) == pytest.approx(printed_4_1(64, 300, 324, 6))
        assert float(entry.printed_value) < 0 < float(entry.true_value)
    wide = chain.along_the_width("trauger2024/4.1", QUICK)
    ratios = [float(r) for r in wide.counterexample["ratios"]]
    for t, ratio in zip(wide.counterexample["t"], ratios, strict=True):
        d = math.isqrt(int(t))
        assert ratio == pytest.approx(printed_4_1(d, d**2, 1) * 2 * math.sqrt(2 * d), rel=1e-4)
    assert ratios[-1] < 1
    assert ratios == sorted(ratios, reverse=True)


@pytest.mark.parametrize("key", [key for key in chain.LAYERS if key != "trauger2024/4.1"])
def test_what_is_refuted_in_the_corollaries(key):
    assert all(float(entry.printed_value) < 0 for entry in chain.below_zero(key, QUICK))
    ratios = [float(r) for r in chain.along_the_width(key, QUICK).counterexample["ratios"]]
    assert ratios[0] > 2 * ratios[1] > 4 * ratios[2]


def test_the_bound_on_values_is_lost():
    for entry in chain.along_the_values(QUICK):
        first, *_, last = (float(r) for r in entry.counterexample["ratios"])
        assert first / last == pytest.approx(10**4, rel=1e-3)


def test_the_cut_off():
    """By a fine grid: the least of Dudley's sum within the range, where the printed minimiser is beyond it."""
    *proved, star, least, negative = chain.cut_off(QUICK)
    assert [(r.verdict, r.rung, r.form) for r in proved] == [("holds", "proved", "derived")] * 2
    r, s = math.sqrt(math.log(8) / 16), 2 * math.sqrt(2) / 4
    grid = np.linspace(1e-4, 1, 10**5)
    values = grid + (1 - grid) * r + s * np.log(1 / grid)
    assert grid[values.argmin()] == float(star.true_value) == 1
    assert float(star.printed_value) == pytest.approx(s / (1 - r))
    assert float(star.printed_value) > 1
    assert values.min() == pytest.approx(float(least.true_value))
    assert float(least.printed_value) < values.min()
    assert float(negative.printed_value) < 0 < float(negative.true_value)


def test_a_worse_cut_off_is_not_proved(monkeypatch):
    scaled = lambda key, form, part: Rational(999, 1000) * formula(key, form, part)  # noqa: E731
    monkeypatch.setattr(chain, "formula", scaled)
    assert [r.verdict for r in chain.cut_off(QUICK)][:2] == ["undecided", "undecided"]


# --- wrong constants ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "function", "form", "factor"),
    [
        (deviations, chain.gap_from_complexity, "sharp", 0.2),
        (chain, partial(chain.against_layers, "trauger2024/4.1.1"), "sharp", 0.3),
        (chain, partial(chain.against_layers, "trauger2024/D.0.1"), "derived", 0.1),
        (chain, partial(chain.against_layers, "trauger2024/D.0.2"), "sharp", 0.3),
        (chain, chain.step_by_step, "derived", 0.05),
    ],
)
def test_a_constant_below_the_tightness_is_caught(module, function, form, factor, monkeypatch):
    true = [one for one in found(function) if one.form == form and one.rung == "tested"]
    assert true
    assert all(one.verdict == "holds" and one.instances for one in true)
    assert factor < max(one.tightness for one in true) <= 1 + 1e-9
    scale(monkeypatch, module, factor, lambda name, part: name == form)
    assert "fails" in [one.verdict for one in found(function) if one.form == form]


# --- hypotheses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "condition"), [({"m": 3, "d": 4}, "m > d"), ({"m": 4, "d": 4}, "m > d"), ({"m": 5, "d": 4}, "")]
)
def test_conditions_are_enforced(given, condition, capsys, monkeypatch):
    at = {"B_X": 1, "C_F": 1, **dict.fromkeys(chain.OUTER, 1), "k": 1, **given}
    monkeypatch.setattr(sys, "argv", ["maurey", "eval", "trauger2024/4.1", *(f"{n}={x}" for n, x in at.items())])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == (2 if condition else 0)
    assert condition in capsys.readouterr().err
