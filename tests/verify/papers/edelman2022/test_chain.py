"""From covers to gaps: what the checks make of a wrong constant, and what is refuted."""

import math

import pytest
from mutations import scale

from maurey.verify.checks import EFFORTS
from maurey.verify.complexity import deviations, known_classes
from maurey.verify.papers.edelman2022 import chain

QUICK = EFFORTS["quick"]


@pytest.mark.parametrize(
    ("module", "function", "factor"),
    [
        (deviations, lambda effort: list(chain.two_sides(effort))[-1], 0.2),
        (known_classes, lambda effort: next(iter(chain.quadratic_entropy(effort))), 0.4),
    ],
)
def test_a_constant_below_the_tightness_is_caught(module, function, factor, monkeypatch):
    true = function(QUICK)
    assert true.verdict == "holds"
    assert true.instances > 0
    assert factor < true.tightness <= 1
    scale(monkeypatch, module, factor)
    assert function(QUICK).verdict == "fails"


def test_what_is_refuted_is_refuted():
    """By hand: with R = 0, |gap| = b and m = 1 the print says 2 b sqrt(log(1/delta)/2)."""
    result = next(iter(chain.two_sides(QUICK)))
    assert float(result.printed_value) == pytest.approx(2 * math.sqrt(math.log(1 / 0.9) / 2), rel=1e-12)
    assert float(result.printed_value) < float(result.true_value) == 1
    result = list(chain.quadratic_entropy(QUICK))[-1]
    assert float(result.printed_value) == pytest.approx(12 * 10 * (1 + math.log(1 / 10)), rel=1e-12)
    result = next(iter(chain.gap_from_entropy(QUICK)))
    assert all(float(ratio) < 1 for ratio in result.counterexample["ratios"])
