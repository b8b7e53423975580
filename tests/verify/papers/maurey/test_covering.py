"""Our own covers: counts of lattice points, rounding of entries."""

from fractions import Fraction as F

import numpy as np
import pytest

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort
from maurey.verify.covers import l1_balls
from maurey.verify.papers.maurey import covering

TINY = Effort("tiny", 1, seed=3)


def run(function):
    return list(function(TINY))


def test_entrywise_covers_are_built():
    found = run(covering.rounded)
    assert {(one.verdict, one.rung, one.part) for one in found} == {("holds", "constructed", p) for p in ("l1", "l2")}


def test_closed_counts_are_proved_and_nothing_better_is(monkeypatch):
    assert covering.closed(TINY).verdict == "holds"
    monkeypatch.setattr(covering, "formula", lambda *a, true=covering.formula, **at: true(*a, **at) * covering.less)
    assert covering.closed(TINY).verdict == "undecided"


def test_rounding_is_proved_and_nothing_better_is(monkeypatch):
    assert {one.verdict for one in run(covering.entrywise)} == {"holds"}
    monkeypatch.setattr(covering, "formula", lambda *a, true=covering.formula, **at: true(*a, **at) * covering.less)
    assert {one.verdict for one in run(covering.entrywise)} == {"undecided"}


def test_scores_move_by_an_entry_at_most():
    rng = np.random.default_rng(0)
    for _ in range(200):
        d, B, Delta = int(rng.integers(1, 30)), 1.5, 0.3
        x, y = (B * l1_balls.member(rng, d, int(rng.integers(4)), 4) for _ in range(2))
        D = Delta * rng.uniform(-1, 1, (d, d))
        bound = float(value("maurey/entrywise", "printed", "moved", _at(B_X_1="3/2", Delta="3/10")))
        assert abs(x @ D @ y) <= bound * (1 + 1e-12)
        assert B * Delta * B == pytest.approx(bound)  # at a corner


def _at(**values):
    return {name: F(x) for name, x in ({"eps": "1", "n": "1", "rho": "1"} | values).items()}
