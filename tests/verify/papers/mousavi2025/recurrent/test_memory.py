"""The layers of the transition, the recursion and the whole network: against plain formulas, and with wrong parts."""

import math

import numpy as np
import pytest
from mutations import scale
from sympy import Rational, symbols

from maurey.verify.checks import EFFORTS, Result
from maurey.verify.papers.mousavi2025.recurrent import approximation, gates, layers, memory, transition
from maurey.verify.papers.mousavi2025.recurrent.transition import Sizes

QUICK = EFFORTS["quick"]


def rng():
    return np.random.default_rng(2)


def found(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


# --- layers --------------------------------------------------------------------------------------------------------


def test_chords_of_the_square():
    knots, c = gates.chords(4, 0.5)
    s = np.linspace(0, 2, 401)
    chord = (c * np.maximum(s[:, None] - knots, 0)).sum(axis=1)
    off = chord - s**2
    assert off.min() > -1e-12
    assert off.max() == pytest.approx(0.25**2)
    assert chord[::100] == pytest.approx([0, 0.25, 1, 2.25, 4])


@pytest.mark.parametrize("d_e", [1, 2, 7])
@pytest.mark.parametrize("eps", [0.5, 0.03])
def test_inner_products_at_their_worst(d_e, eps):
    """One coordinate pair at a time with u + v halfway between knots and u - v on one."""
    net, K = gates.inner_product(d_e, eps), gates.product_steps(d_e, eps)
    grid = np.arange(-2 * K, 2 * K + 1) / K
    u, v = (a.ravel() for a in np.meshgrid(grid, grid))
    inside = (np.abs(u) <= 1) & (np.abs(v) <= 1)
    pairs = np.zeros((inside.sum(), 2 * d_e))
    pairs[:, 0], pairs[:, d_e] = u[inside], v[inside]
    off = np.abs(net(pairs)[:, 0] - u[inside] * v[inside]).max()
    assert off <= eps / d_e * (1 + 1e-9)
    assert gates.rows_1(net.W) == 1
    assert np.abs(net.A).sum() <= 8 * d_e


@pytest.mark.parametrize(("r", "eps"), [(1.0, 0.3), (4.0, 0.3), (2.0, 0.01)])
def test_gates_at_their_worst(r, eps):
    net = gates.gate(r, eps, math.sqrt(1 + r**2))
    x, z = (a.ravel() for a in np.meshgrid(np.linspace(-r, r, 201), np.linspace(-1, 1, 801)))
    off = np.abs(net(np.stack([x, z], axis=1))[:, 0] - 2 * x * np.maximum(z - 0.5, 0)).max()
    assert 0.9 * eps < off <= eps * (1 + 1e-9)


def test_a_gate_that_need_not_open():
    assert gates.gate(0.5, 1.0, 2.0).width == 0
    carried = gates.gate(0.5, 1.0, 2.0, carry=True)
    assert carried(np.array([[-3.0, 0.2, 1.0]])) == pytest.approx(-3.0)


def test_the_four_lemmas_on_layers():
    for function in (layers.lemma_22, layers.lemma_23, layers.lemma_24, layers.lemma_25):
        results = found(function)
        assert {one.verdict for one in results if not one.edge} == {"holds"}
    power = (-math.log(0.99) / 0.99) ** 0.5
    for function, expected in ((layers.lemma_22, power**4), (layers.lemma_23, power**3)):
        edge = found(function)[-1]
        assert edge.edge
        assert float(edge.printed_value) == pytest.approx(expected, rel=1e-4)


def test_a_stated_norm_that_is_too_small_is_noticed(monkeypatch):
    scale(monkeypatch, layers, 0.5)
    printed = {
        one.part: one.verdict for one in found(layers.lemma_22) if one.form == "printed" and one.rung == "constructed"
    }
    assert printed == {"error": "undecided", "W": "undecided", "b": "undecided", "width": "holds", "a": "holds"}


def test_chords_are_proved_and_nothing_better_is():
    assert all(proof.verdict is True for proof in layers.chords_of_squares())
    s, p, q = symbols("s p q", real=True)
    better = layers.polynomial((s - p) * (q - s) <= (q - p) ** 2 / 5, control=s**2 <= -1)
    assert better.verdict is False
    assert Rational(1, 5) < Rational(1, 4)


# --- positions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [False, True])
def test_positions_next_to_the_first(many):
    w = transition.next_to(many)
    assert len(w) == (4601 if many else 57)
    products = w[:200] @ w.T
    assert np.diag(products) == pytest.approx(1)
    products[np.arange(len(products)), np.arange(len(products))] = 0
    assert np.abs(products).max() <= 0.5 + 1e-12
    assert products[0, 1:] == pytest.approx(0.5)


def test_sign_positions_are_orthogonal():
    w = transition.signs(5)
    assert w.shape == (8, 8)
    assert w @ w.T == pytest.approx(np.eye(8))


# --- transition and recursion --------------------------------------------------------------------------------------


def test_the_transition_is_exactly_zero_elsewhere():
    for w in (transition.signs(8), transition.next_to(False)):
        s = Sizes(2, 3, w.shape[1], 1.5)
        for made, depth in ((transition.transition, 4), (transition.direct_transition, 3)):
            f = made(s, 0.2)
            on, off = memory.one_step(s, f, w, rng())
            assert 0 < on <= 0.2
            assert off == 0.0
            assert len(f.W) == depth


def test_it_is_not_without_the_rectifier():
    w = transition.next_to(False)
    s = Sizes(1, 1, 8, 2.0)
    plain = transition.transition(s, 0.25, rectified=False)
    z = transition.embedded(np.full((57, 1), 2.0), w, np.zeros(1, dtype=int))
    out = np.abs(plain(np.hstack([np.zeros((57, 1)), z]))[1:])
    assert 0.05 < out.max() <= 0.125 + 1e-9


def test_errors_add_up_without_the_rectifier():
    rows = memory.accumulated(0.25, (16, 256, 1024))
    assert all(row.rectified <= row.eps for row in rows)
    growth = [rows[i + 1].plain / rows[i].plain for i in range(2)]
    assert growth == pytest.approx([16, 4], rel=0.1)


def test_states_against_plain_sums():
    """The transition reads no state: states are sums of its outputs, as long as no projection acts."""
    w, s = transition.signs(8), Sizes(2, 2, 8, 1.0)
    x, t = memory.prompt(s, 8, rng())
    z = transition.embedded(x, w, t)
    f = transition.transition(s, 0.1)
    forward, backward = transition.states(f, z, s.d_h, 10.0)
    each = f(np.hstack([np.zeros((8, s.d_h)), z]))
    assert forward == pytest.approx(np.vstack([np.zeros(s.d_h), np.cumsum(each, axis=0)[:-1]]), abs=1e-12)
    assert backward == pytest.approx(np.vstack([np.cumsum(each[::-1], axis=0)[-2::-1], np.zeros(s.d_h)]), abs=1e-12)
    targets = transition.ideal(x, t)
    assert np.abs(forward - targets[0]).max() <= 0.1
    assert np.abs(backward - targets[1]).max() <= 0.1


def test_a_small_ball_cuts_states_off():
    w, s = transition.signs(8), Sizes(2, 2, 8, 1.0)
    x, t = memory.prompt(s, 8, rng())
    cut = transition.states(transition.transition(s, 0.1), transition.embedded(x, w, t), s.d_h, 0.5)[0]
    assert np.linalg.norm(cut, axis=1).max() <= 0.5 + 1e-12


def test_the_three_claims_on_the_network():
    for function in (memory.lemma_26, memory.corollary_27, memory.proposition_28):
        assert {one.verdict for one in found(function)} == {"holds"}


def test_a_rectifier_that_is_too_weak_is_noticed(monkeypatch):
    true = transition.transition

    def weak(s, eps, rectified=True):
        f = true(s, eps, rectified)
        return transition.Deep(f.W, (*f.b[:-1], f.b[-1] / 3)) if rectified else f

    monkeypatch.setattr(memory, "transition", weak)
    results = [one for one in found(memory.lemma_26) if one.rung == "constructed" and "depth 4" in one.note]
    assert {one.verdict for one in results if one.part == "off" and one.form == "printed"} == {"undecided"}


def test_a_link_that_is_read_wrongly_is_noticed(monkeypatch):
    true = memory.read_out
    monkeypatch.setattr(memory, "read_out", lambda s, eps, link: true(s, eps, gates.Layer(2 * link.A, link.W, link.b)))
    assert "undecided" in {one.verdict for one in found(memory.proposition_28)}


# --- 42 ------------------------------------------------------------------------------------------------------------


def test_networks_for_lipschitz_functions():
    results = found(approximation.lipschitz)
    assert [one.verdict for one in results] == ["holds"] * 4 + ["fails"] * 2
    assert all(float(one.printed_value) == pytest.approx((1 - math.log(4)) / 4, rel=1e-4) for one in results[4:])
    for name, _, LR, _, eps, net, off in approximation.instances(QUICK):
        assert off <= eps * (1 + 1e-9), name
        assert net.width <= 8 * LR / eps + 8


def test_functions_are_lipschitz():
    for f in approximation.functions(3.0, 0.5, 0.1, rng()).values():
        x = np.linspace(-0.5, 0.5, 10_001)
        assert np.abs(np.diff(f(x)) / np.diff(x)).max() <= 3 * (1 + 1e-6)
        assert np.abs(f(x)).max() <= 1.5 * (1 + 1e-9)


def test_a_stated_row_that_is_too_small_is_caught(monkeypatch):
    scale(monkeypatch, approximation, 0.99)
    assert found(approximation.lipschitz)[-1].verdict == "undecided"


@pytest.mark.parametrize("part", ["width", "a"])
def test_a_smaller_power_in_42_is_not_enough(part, monkeypatch):
    exact = approximation.value

    def smaller(key, form, name, at):
        return exact(key, form, name, at) * (at["eps"] / at["LR"]) ** (0.5 if name == part else 0)

    monkeypatch.setattr(approximation, "value", smaller)
    assert [one.part for one in found(approximation.lipschitz) if one.verdict == "undecided"] == [part]
