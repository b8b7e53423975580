"""Every form of a claim against an independent second computation, at random points and at natural ones."""

import random
from itertools import product

import mpmath
import pytest
from independent import FORMS, KEYS, OWN, close, forms_of, second
from points import MOST, NATURAL, assumed, met, point

import maurey
from maurey.numeric.walk import Undefined

POINTS = 2  # test_mutations.py has more of them


def expected_at(key, part, form, at):
    """The second computation, or none where neither has a value."""
    try:
        return second(key, part, form, at)
    except Undefined:
        with pytest.raises(Undefined):
            maurey.claim(key).enclose(form=form, part=part, digits=30, **at)
        return None


@pytest.mark.parametrize("key", KEYS)
def test_every_form_has_a_second_computation(key):
    assert {(key, *one) for one in forms_of(key)} == {one for one in FORMS if one[0] == key}


def test_no_second_computation_is_of_a_claim_that_is_not_there():
    assert {key for key, _, _ in FORMS} <= set(KEYS)


def compared(claim, part, form, at):
    """Two values that agree, or none."""
    expected = expected_at(claim.key, part, form, at)
    if expected is None:
        return
    try:
        enclosure = claim.enclose(form=form, part=part, digits=30, **at)
    except Undefined:
        assert mpmath.mag(expected) > 10**17  # exp of a large entropy has no decimals
        return
    assert close(enclosure.value, expected, 29), (at, expected, enclosure)
    assert enclosure.lower <= enclosure.value <= enclosure.upper
    assert close(claim.evaluate(form=form, part=part, digits=30, **at), expected, 28)


@pytest.mark.parametrize("key", KEYS)
def test_equals_the_second_computation(key):
    claim, rng = maurey.claim(key), random.Random(key)
    for (part, form), _ in product(forms_of(key), range(POINTS)):
        compared(claim, part, form, point(claim.record, rng))


ONE = {"in (0, 1)": "1/10", "in [0, 1]": "1/2", "in (0, 1]": "1/2", "in [-1, 1]": "1/2"}  # by domain; 1 in all others
CHOICES = {"positive integer": ["1", "2", "4", "10"], "positive real": NATURAL, "in (0, 1)": ["1/10", "1/2"]}


def natural(claim, eps, d):
    """Norms of 1, and what the hypotheses speak of drawn among natural values until they hold."""
    at = {p.name: ONE.get(p.domain, "1") for p in claim.symbols if not p.optional}
    at |= {p.name: [at[p.name], "8" if at[p.name] == "1" else "1"] for p in claim.symbols if p.index and p.name in at}
    sizes = {p.index: "2" for p in claim.symbols if p.index} | dict.fromkeys(claim.unrolled, "2")
    domain = {p.name: p.domain for p in claim.symbols}
    chosen = {"eps": "1/2" if domain.get("eps") in ONE and eps == "1" else eps, "H": "2", "L": "2"}
    chosen |= dict.fromkeys(("d", "d_1", "d_2", "k"), d) | sizes
    spoken = sorted(assumed(claim) & set(at) - {"eps", "d", *sizes})
    chosen |= {name: "1/100" for name in spoken if domain[name] == "nonnegative real"}
    at |= {name: value for name, value in chosen.items() if name in at}
    rng = random.Random(f"natural {claim.key}")
    for _ in range(MOST):
        if met(claim.record, at):
            return at
        at |= {name: rng.choice(CHOICES[domain[name]]) for name in spoken if domain[name] in CHOICES}
    raise AssertionError(f"no natural values meet the hypotheses of {claim.key}")


def natural_inputs(key, eps, d):
    """Norms of 1 and eps = 1/10 tie almost every ceiling; they are decided, never guessed and never refused."""
    claim = maurey.claim(key)
    at = natural(claim, eps, d)
    for part, form in forms_of(key):
        expected = expected_at(key, part, form, at)
        if expected is None:
            continue
        found = claim.enclose(form=form, part=part, digits=50, **at)
        assert close(found.value, expected, 45), (part, form, at)
        assert found.lower <= found.value <= found.upper


@pytest.mark.parametrize("key", KEYS)
def test_a_natural_input(key):
    natural_inputs(key, "1/10", "4")


@pytest.mark.slow
@pytest.mark.parametrize("key", OWN)
def test_natural_inputs(key):
    for eps, d in product(("1/10", "1", "1/3"), ("1", "4", "9")):
        natural_inputs(key, eps, d)
