"""From covers to gaps: what the checks make of a wrong constant, and what is refuted."""

import itertools
import math
from fractions import Fraction

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
        (known_classes, lambda effort: list(chain.quadratic_entropy(effort))[1], 0.4),
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
    """By hand: with R = 0 the print says 2 b sqrt(log(1/delta)/(2 m))."""
    three, one = [found for found in chain.two_sides(QUICK) if found.verdict == "fails"]
    for found, delta, m, gap in ((three, 0.24, 3, 1), (one, 0.9, 1, 0.5)):
        assert float(found.printed_value) == pytest.approx(2 * math.sqrt(math.log(1 / delta) / (2 * m)), rel=1e-12)
        assert float(found.printed_value) < float(found.true_value) == gap
    often = sum(abs(sum(signs)) == 3 for signs in itertools.product((-1, 1), repeat=3)) / 8
    assert often == 0.25 > float(Fraction(three.counterexample["delta"]))
    result = list(chain.quadratic_entropy(QUICK))[-1]
    assert float(result.printed_value) == pytest.approx(12 * math.sqrt(10) * (1 - math.log(10) / 2), rel=1e-12)
    falling, negative = itertools.islice(chain.gap_from_entropy(QUICK), 2)
    assert all(float(ratio) < 1 for ratio in falling.counterexample["ratios"])
    assert float(negative.printed_value) < 0
