"""Every form against an independent second computation, and against literal values."""

import json
import random
from decimal import Decimal
from pathlib import Path

import mpmath
import pytest
from independent import ALL, FORMS, close, second
from points import point

import maurey
from maurey.numeric.walk import Undefined

PINS = json.loads(Path(__file__).with_name("pins.json").read_text())


def expected_at(key, part, form, at):
    """The same, or none where both computations have no value."""
    try:
        return second(key, part, form, at)
    except Undefined:
        with pytest.raises(Undefined):
            maurey.claim(key).enclose(form=form, part=part, digits=30, **at)
        return None


def test_every_form_has_a_second_computation():
    assert set(ALL) == set(FORMS)


@pytest.mark.parametrize(("key", "part", "form"), ALL)
def test_equals_the_second_computation(key, part, form):
    claim, rng = maurey.claim(key), random.Random(f"{key} {part} {form}")
    for _ in range(12):
        at = point(claim.record, rng)
        expected = expected_at(key, part, form, at)
        if expected is None:
            continue
        try:
            enclosure = claim.enclose(form=form, part=part, digits=30, **at)
        except Undefined:
            assert mpmath.mag(expected) > 10**17  # exp of a large entropy has no decimals
            continue
        assert close(enclosure.value, expected, 29), (at, expected, enclosure)
        assert enclosure.lower <= enclosure.value <= enclosure.upper
        assert close(claim.evaluate(form=form, part=part, digits=30, **at), expected, 28)


@pytest.mark.parametrize(("key", "part", "form"), ALL)
def test_equals_its_pin(key, part, form):
    pin = PINS[f"{key}:{part} {form}"]
    found = maurey.claim(key).enclose(form=form, part=part, digits=25, **pin["at"])
    assert found.value == Decimal(pin["value"])


@pytest.mark.parametrize(("key", "part", "form"), ALL)
@pytest.mark.parametrize("eps", ["1/10", "1", "1/3"])
def test_natural_inputs(key, part, form, eps):
    """Norms of 1 and eps = 1/10 tie almost every ceiling; they are decided, never guessed and never refused."""
    claim = maurey.claim(key)
    for d in ("1", "4", "9"):
        at = {p.name: ["1", "8"] if p.index else "1" for p in claim.symbols if not p.optional}
        natural = {
            "eps": eps,
            "share": "1/2",
            "delta": "1/10",
            "risk": "1/10",
            "hit": "1/10",
            "coherence": "1/4",
            "gamma": "1/2",
            "d": d,
            "d_1": d,
            "d_2": d,
            "k": d,
            "H": "2",
            "L": "2",
        }
        if claim.record.assumes:
            natural |= {"m": "10", "N": "10", "f_norm": "1/2"}
            natural |= {"R": "4", "variation": "2", "alpha_N": "1/10", "L_y": "2", "c": "1/2"}
            natural |= {"T": "4"} | dict.fromkeys(("e_M", "e_Gamma", "eta_1", "eta_V"), "1/100")
        at |= {name: value for name, value in natural.items() if name in at}
        if any(p.index == "n" for p in claim.symbols):
            at["n"] = "2"
        if any(p.name == "eps" and p.domain == "in (0, 1)" for p in claim.symbols):
            at["eps"] = "1/2" if eps == "1" else eps
        expected = expected_at(key, part, form, at)
        if expected is None:
            continue
        found = claim.enclose(form=form, part=part, digits=50, **at)
        assert close(found.value, expected, 45)
        assert found.lower <= found.value <= found.upper
