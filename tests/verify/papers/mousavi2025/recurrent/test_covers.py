"""Covers of recurrent networks and their risk: pairs of networks by plain recursions, and wrong constants."""

import math

import numpy as np
import pytest
from sympy import Rational

from maurey.verify.checks import EFFORTS, Result
from maurey.verify.papers.mousavi2025.recurrent import covers, networks, risk
from maurey.verify.papers.mousavi2025.recurrent.transition import Deep

QUICK = EFFORTS["quick"]


def found(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


def test_directions_by_hand():
    f = Deep((np.array([[0.5, 1.0]]), np.eye(1)), (np.zeros(1),))  # h -> relu(h/2 + z)
    z = np.array([[1.0], [2.0], [0.0]])
    assert networks.direction(f, z, 1, 100.0)[:, 0] == pytest.approx([0, 1, 3.5])
    assert networks.direction(f, z, 1, 2.0)[:, 0] == pytest.approx([0, 1, 2])
    read = Deep((np.eye(3), np.array([[1.0, 10.0, 100.0]])), (np.zeros(3),))
    made = networks.outputs(f, f, read, z, 1, 100.0)
    assert made == pytest.approx([0 + 20 + 100, 1 + 0 + 200, 3.5])  # from the right: 2 after the last two, 0 after one


def test_states_that_grow():
    """sum (1 + 1/N)^l over N - 1 steps, run and in closed form."""
    N = 30
    f = Deep((np.array([[1 / N, 0.0]]), np.eye(1)), (np.zeros(1),))
    h = networks.direction(networks.shifted(f, np.array([1.0])), np.zeros((N, 1)), 1, 1e9)
    assert h[-1, 0] == pytest.approx(((1 + 1 / N) ** (N - 1) - 1) * N)
    assert h[-1, 0] <= (math.e - 1) * N


@pytest.mark.parametrize("number", [29, 30, 31, 32, 33, 34, 5])
def test_the_claims_hold(number):
    functions = {
        29: covers.lemma_29, 30: covers.lemma_30, 31: covers.corollary_31,
        32: risk.lemma_32, 33: risk.corollary_33, 34: risk.lemma_34,
        5: risk.theorem_5,
    }  # fmt: skip
    results = found(functions[number])
    assert results
    assert {one.verdict for one in results if not one.edge} == {"holds"}


@pytest.mark.parametrize(
    ("module", "function", "key", "part", "factor"),
    [
        (covers, covers.lemma_29, "mousavi2025/29", "eps_h", 3),
        (covers, covers.lemma_30, "mousavi2025/30", "log_N", 0.98),
        (covers, covers.corollary_31, "mousavi2025/31", "log_N", 0.3),
        (risk, risk.lemma_32, "mousavi2025/32", "Rad", 0.2),
        (risk, risk.corollary_33, "mousavi2025/33", "gap", 0.1),
        (risk, risk.lemma_34, "mousavi2025/34", "level", 0.1),
    ],
)
def test_a_wrong_constant_is_caught(module, function, key, part, factor, monkeypatch):
    exact = module.value

    def scaled(of, form, name, at):
        found = exact(of, form, name, at)
        return found * factor if (of, name) == (key, part) else found

    monkeypatch.setattr(module, "value", scaled)
    assert "fails" in [one.verdict for one in found(function)]


def test_a_coarser_resolution_is_not_proved(monkeypatch):
    exact = covers.formula
    monkeypatch.setattr(covers, "formula", lambda *a, **more: exact(*a, **more) * Rational(1001, 1000))
    open_parts = {one.part for one in found(covers.lemma_29) if one.verdict == "undecided"}
    assert open_parts == {"eps_y", "eps_h", "log_N"}


@pytest.mark.parametrize("L", [1, 2, 4])
def test_the_chain_of_units_moves_as_its_slopes_say(L):
    R, h = 1.3, 1e-6
    chain = [np.full((1, 1), R)] * L + [np.full(1, R)] * (L - 1)
    x = np.full((1, 1), R)
    base = networks.deep(chain, L)(x)[0, 0]
    for i, slope in enumerate(covers.chain_slopes(L, R)):
        moved = [M + h * (j == i) for j, M in enumerate(chain)]
        assert (networks.deep(moved, L)(x)[0, 0] - base) / h == pytest.approx(slope, rel=1e-4)


def test_labels_of_two_values_by_a_grid():
    """The mass at u that all moments of order 1 to 60 allow, C = 1 and s = 1."""
    tau, best = 20.0, 0.0
    orders = np.linspace(1, 60, 6000)
    for u in np.sqrt(np.geomspace(20.1, 2000, 300)):
        mass = np.minimum(1, (orders / u**2) ** (orders / 2)).min()
        best = max(best, mass * (u**2 - tau))
    assert risk.two_labels(tau, 1.0, 1.0) == pytest.approx(best, rel=0.01)


@pytest.mark.parametrize("part", ["level", "cost"])
def test_less_is_not_enough_in_34(part, monkeypatch):
    """A level with a smaller power of R; a cost that is a tenth."""
    exact = risk.value

    def smaller(of, form, name, at):
        less = at["R"] ** 3 if part == "level" else 10
        return exact(of, form, name, at) / (less if (form, name) == ("printed", part) else 1)

    monkeypatch.setattr(risk, "value", smaller)
    assert {one.verdict for one in found(risk.lemma_34) if one.form == "printed"} == {"undecided"}
