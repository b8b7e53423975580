"""Our own tools: proved as they are, and not with better constants."""

import math
from itertools import product

import numpy as np
import pytest
from sympy import Rational

from maurey.verify.checks import Effort
from maurey.verify.papers.maurey import tools
from maurey.verify.prove import arguments

TINY = Effort("tiny", 1, seed=3)
PROVED = [tools.one_step, tools.one_deviation, tools.units, tools.columns, tools.ball, tools.few_columns, tools.block]


def proofs(function):
    return [one.verdict for one in function(TINY) if one.rung == "proved"]


@pytest.mark.parametrize("function", PROVED, ids=lambda function: function.__name__)
def test_proved_and_nothing_better_is(function, monkeypatch):
    assert set(proofs(function)) == {"holds"}
    better = lambda *a, true=tools.formula, **at: true(*a, **at) * tools.less  # noqa: E731
    monkeypatch.setattr(tools, "formula", better)
    assert set(proofs(function)) == {"undecided"}


@pytest.mark.parametrize(
    ("name", "better"),
    [("EXCESS", Rational(851, 10000)), ("SHARES", {True: Rational(179, 100), False: Rational(259, 100)})],
)
@pytest.mark.parametrize("external", [False, True])
def test_levels_need_their_constants(name, better, external, monkeypatch):
    assert all(proof.verdict is True for proof in arguments.best_levels(external))
    monkeypatch.setattr(arguments, name, better)
    assert not all(proof.verdict is True for proof in arguments.best_levels(external))


def test_levels_are_best_as_is_said():
    """The smallest N e^(u/N) over N, against e times u and the constant: at two levels' change it is attained."""
    worst = max(min(N * math.exp(u / N) for N in range(1, 60)) / math.e - u for u in np.linspace(1, 30, 3000))
    at_change = 4 / math.e - math.log(4)
    assert worst <= at_change <= 0.0853
    assert at_change - worst < 1e-3


def test_units_of_all_sizes():
    """What the proof says of norms: sorted by halvings, each level has fewer than twice as many as the one before."""
    rng = np.random.default_rng(0)
    for k, S in product((1, 2, 7, 40), (1.0, 3.0)):
        norms = rng.dirichlet(np.full(k, 0.2)) * S
        levels = math.ceil(math.log2(k))
        for j in range(levels):
            assert (norms > S / 2 ** (j + 1)).sum() < 2 ** (j + 1)


@pytest.mark.parametrize("every", [False, True])
def test_a_smaller_deviation_is_refuted(every, monkeypatch):
    """Half of it: some class on two points exceeds that too often."""
    from mutations import change

    change(monkeypatch, tools.SIDES, "gap_every" if every else "gap", "printed", lambda e: e / 3)
    found = [one for one in tools.one_deviation(TINY) if one.rung != "proved"]
    assert "fails" in {one.verdict for one in found}


def test_the_ball_of_few_columns_is_not_packed_by_more():
    """Greedy packings of the class at twice the resolution, in small dimensions."""
    rng = np.random.default_rng(1)
    for d, k, rho in ((1, 1, 3.0), (2, 1, 4.0), (3, 2, 2.5)):
        chosen: list[np.ndarray] = []
        for _ in range(3000):
            W = rng.normal(size=(d, k)) * rng.choice((0, 1), size=(d, 1))
            norms = np.linalg.norm(W, axis=1)
            W *= rho * rng.random() ** 0.3 / max(norms.sum(), 1e-9)
            if all(np.linalg.norm(W - C, axis=1).max() > 2 for C in chosen):
                chosen.append(W)
        assert math.log(len(chosen)) <= rho * math.log(math.e * d * (k + 1) * 3**k)
