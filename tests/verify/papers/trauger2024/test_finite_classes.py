"""Several heads, losses of words: by all read-outs and all signs, and what wrong constants come to."""

import itertools

import numpy as np
import pytest
from mutations import scale
from sympy import Rational

from maurey.verify.checks import EFFORTS, Result
from maurey.verify.complexity import rademacher
from maurey.verify.papers.trauger2024 import finite_classes, peeling
from maurey.verify.prove.proofs import formula

QUICK = EFFORTS["quick"]


def rng():
    return np.random.default_rng(7)


def found(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


def test_losses_at_the_sample_itself():
    """K = 3, all read-outs +-e_s and all signs: the losses have what is said, one score at most so."""
    K, words = 3, np.repeat(np.arange(3), 2)
    after, one = finite_classes.on_the_sample(K)
    inputs = np.eye(K)[words] / 2
    scores = np.array([inputs @ np.diag(a) for a in itertools.product((-1.0, 1.0), repeat=K)])
    exact = rademacher.finite(finite_classes.losses(scores, words), 0, rng()).value
    assert exact == pytest.approx(float(after))
    score = rademacher.complexity(peeling.outer(inputs[None], True, "identity", 1), 2 * K, 1.0, 0, rng()).value
    assert 0 < score <= one


@pytest.mark.parametrize(
    ("function", "form", "factor"),
    [
        (finite_classes.several_heads, "printed", 0.999),
        (finite_classes.cross_entropy, "printed", 0.999),
        (finite_classes.vocabulary, "sharp", 0.9),
    ],
)
def test_a_constant_below_the_tightness_is_caught(function, form, factor, monkeypatch):
    true = [one for one in found(function) if one.form == form and one.rung == "tested"]
    assert true
    assert all(one.verdict == "holds" and one.instances for one in true)
    assert factor < max(one.tightness for one in true) <= 1 + 1e-9
    scale(monkeypatch, finite_classes, factor, lambda name, part: name == form)
    assert "fails" in [one.verdict for one in found(function) if one.form == form]


def test_a_better_constant_of_the_loss_is_not_proved(monkeypatch):
    assert {one.verdict for one in found(finite_classes.cross_entropy)} == {"holds"}
    monkeypatch.setattr(finite_classes, "formula", lambda key: Rational(999, 1000) * formula(key))
    assert [one.verdict for one in found(finite_classes.cross_entropy) if one.rung == "proved"] == ["undecided"]
