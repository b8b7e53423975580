"""From entropies to complexities and gaps: a constant below the tightness is caught, and a better one is not proved."""

from functools import partial

import pytest
from mutations import scale
from sympy import Rational

from maurey.verify.checks import EFFORTS, Result
from maurey.verify.complexity import deviations, known_classes
from maurey.verify.papers.maurey import chain
from maurey.verify.prove import arguments

QUICK = EFFORTS["quick"]


def results(function):
    made = function(QUICK)
    return [made] if isinstance(made, Result) else list(made)


@pytest.mark.parametrize(
    ("module", "function", "factor"),
    [
        (known_classes, chain.dudley, 0.05),
        (known_classes, chain.quadratic_entropies, 0.4),
        (known_classes, partial(chain.known_entropies, "R"), 0.9),
        (known_classes, partial(chain.known_entropies, "external"), 0.9),
        (known_classes, partial(chain.known_entropies, "linear"), 0.9),
        (known_classes, chain.unions, 0.8),
        (deviations, chain.both_sides, 0.2),
        (deviations, chain.above, 0.15),
        (chain, chain.negatives, 0.99),
        (known_classes, chain.moved_scores, 0.99),
    ],
)
def test_a_constant_below_the_tightness_is_caught(module, function, factor, monkeypatch):
    true = results(function)
    assert all(one.verdict == "holds" and one.instances for one in true)
    assert factor < max(one.tightness for one in true) <= 1 + 1e-9
    scale(monkeypatch, module, factor)
    assert "fails" in [one.verdict for one in results(function)]


@pytest.mark.parametrize("external", [False, True])
def test_chaining_needs_its_constants(external, monkeypatch):
    assert all(proof.verdict is True for proof in arguments.levels(external))
    monkeypatch.setattr(arguments, "E", Rational(27, 10))
    assert not all(proof.verdict is True for proof in arguments.levels(external))
