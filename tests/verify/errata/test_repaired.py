"""Repaired forms: true where another proved form is known, close to the print where its order is right, and closed."""

import random

import natural
import pytest
from independent import OWN
from points import point
from sympy import ceiling

import maurey
from maurey.numeric.walk import Undefined
from maurey.symbolic.claim import HIDES, Setting

PARTS = [
    pytest.param(key, part.name, id=f"{key}:{part.name}")
    for key in OWN
    for part in maurey.claim(key).parts
    if part.repaired is not None
]
POINTS = 6
ABOVE_DERIVED = {
    "edelman2022/B.2:W_Q",  # the key is left as it is, the derived one is scaled up to the norm that is printed
    "edelman2022/B.2:error",  # as the print has it; the derived one is smaller
    "edelman2022/B.4:W_Q",
    "edelman2022/B.4:error",
    "lintilhac2026/10:F",  # for an even D, whatever D is
    "lintilhac2026/10:total",
    "mousavi2025/12:P",  # a power of e, as the print has
    "mousavi2025/31:log_N",  # powers of R for sums over layers
    "trauger2024/3.1:count",  # a power, as the print has, for a binomial coefficient
    "trauger2024/4.2.1-simplified:log_N",  # one logarithm, of the largest matrix, for all
}
LETTERS = 11  # steps at most, those that the papers' own letters stand for among them


def natural_constants(claim, at):
    """What the claims say of kappa and the like is what derived forms rest on."""
    return {name: value for name, value in at.items() if name not in {c.name for c in claim.constants}}


def values(claim, part, at):
    """Enclosures of all proved forms."""
    forms = [form for form in claim.record.part(part).forms if form != "printed"]
    return {form: claim.enclose(form=form, part=part, digits=20, **at) for form in forms}


@pytest.mark.parametrize(("key", "part"), PARTS)
def test_between_the_sharp_and_the_derived_form(key, part):
    claim, rng, seen = maurey.claim(key), random.Random(f"repaired {key}"), 0
    below = claim.record.part(part).below
    for _ in range(POINTS):
        try:
            found = values(claim, part, natural_constants(claim, point(claim.record, rng)))
        except Undefined:
            continue
        seen += 1
        repaired = found["repaired"]
        if "sharp" in found:
            low, high = (repaired, found["sharp"]) if below else (found["sharp"], repaired)
            assert low.lower <= high.upper, found
        if "derived" in found and f"{key}:{part}" not in ABOVE_DERIVED:
            low, high = (found["derived"], repaired) if below else (repaired, found["derived"])
            assert low.lower <= high.upper, found
    assert seen


@pytest.mark.parametrize(("key", "part"), PARTS)
def test_a_display_is_closed(key, part):
    """As many steps for twelve layers as for two; no ceilings; nothing hidden."""
    record = maurey.claim(key).record.part(part)
    few, many = (record.steps("repaired", Setting(default=size)) for size in (2, 12))
    assert len(few) == len(many) <= LETTERS
    assert not any(step.expr.has(ceiling) for step in few)
    assert record.relation_of("repaired") not in HIDES


MOST = {"trauger2024/4.1.1": 5}  # 4 for all others


@pytest.mark.parametrize(("key", "part"), PARTS)
def test_near_the_print(key, part):
    """At natural sizes and norms of 1, at most 4 times the printed value, its hidden constant 1."""
    claim = maurey.claim(key)
    if {key, f"{key}:{part}"} & set(natural.FAR) or claim.record.part(part).printed is None:
        return
    ratio = natural.ratio(claim, part, "repaired", natural.point(claim))
    assert ratio <= MOST.get(key, 4)
    assert ratio >= 0.1 or claim.kind == "construction"


def test_what_is_far_from_the_print_is():
    """Where a reason is given there is something to give it for."""
    for place in natural.FAR:
        key, _, part = place.partition(":")
        claim = maurey.claim(key)
        parts = [part] if part else [one.name for one in claim.record.parts if {"printed", "repaired"} <= {*one.forms}]
        ratios = [natural.ratio(claim, one, "repaired", natural.point(claim)) for one in parts]
        assert any(ratio is None or not 0.1 <= ratio <= 4 for ratio in ratios), (place, ratios)
