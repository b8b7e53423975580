"""What must be so of every claim: a check, evidence that is its own, hypotheses that can be met, samples that decide,
and printed values on the right side of what is derived, or an entry of the errata."""

import random

import pytest
from independent import KEYS, forms_of
from points import met, point

import maurey
from maurey.numeric.walk import Undefined
from maurey.symbolic import registry
from maurey.verify import ledger
from maurey.verify.checks import checks_of, exemption_of
from maurey.verify.errata.entries import comparable, restates
from maurey.verify.evidence import verdict_of

TRIES, POINTS = 12, 4
EVERY = [claim.key for claim in registry.all_claims()]


@pytest.mark.parametrize("key", EVERY)
def test_it_has_a_check_or_an_exemption_and_evidence(key):
    claim = registry.find(key)
    source = restates(claim) or key
    assert bool(checks_of(source)) != bool(exemption_of(source))
    assert verdict_of(claim) is not None, f"run `make claim KEY={key}`"


def value(key, part, form, at):
    """Certified, or none where the form says nothing."""
    try:
        return maurey.claim(key).enclose(form=form, part=part, digits=12, **at)
    except Undefined:
        return None


@pytest.mark.parametrize("key", KEYS)
def test_hypotheses_can_be_met_and_every_form_has_a_value_there(key):
    claim, rng = registry.find(key), random.Random(f"effective {key}")
    points = [point(claim, rng) for _ in range(TRIES)]
    assert all(met(claim, at) for at in points)
    for part, form in forms_of(key):
        assert any(value(key, part, form, at) for at in points), (part, form)


@pytest.mark.parametrize("key", [key for key in KEYS if comparable(registry.find(key))])
def test_the_print_is_on_the_right_side_or_in_the_errata(key):
    """Of parts that hide or leave open no constant. One proved form is enough: printed bounds may be true by another
    route."""
    claim, rng = registry.find(key), random.Random(f"side {key}")
    known = {entry.part for one in ledger.comparisons(keys={key}) for entry in one.errata}
    for part in comparable(claim) if not any(constant.left_open for constant in claim.constants) else ():
        if part.name in known or part.relation in ("<~", ">~"):
            continue
        for _ in range(POINTS):
            at = {name: x for name, x in point(claim, rng).items() if name in {p.name for p in claim.symbols}}
            proved = [value(key, part.name, form, at) for form in part.forms if form != "printed"]
            printed = value(key, part.name, "printed", at)
            if printed and all(proved):
                assert on_the_right_side(part, printed, proved), (part.name, at)


def on_the_right_side(part, printed, proved):
    if part.relation == "=":
        return printed.lower <= proved[0].upper and proved[0].lower <= printed.upper
    if part.below:
        return any(printed.lower <= one.upper for one in proved)
    return any(printed.upper >= one.lower for one in proved)
