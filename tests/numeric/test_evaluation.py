"""One way to evaluate: the same numbers as enclosures, upper ends on the safe side, precision where it is needed."""

import random
from fractions import Fraction

import pytest
from flint import arb
from independent import OWN, close, forms_of, second
from points import point
from sympy import Integer, Rational, Symbol, ceiling, sqrt

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import BITS, upper_end, value, value_of
from maurey.numeric.walk import Undecided, Undefined
from maurey.symbolic import registry
from maurey.symbolic.claim import InputError
from maurey.symbolic.derivation import Step

x = Symbol("x")
HEAD = dict(eps="1/4", d=8, m=100, T=20, L_sigma=1, B_X=1, B_V=2, B_V_inf="0.7", B_QK_inf="0.4")


@pytest.mark.parametrize("key", random.Random(0).sample(OWN, 30))
def test_a_form_against_its_second_computation(key):
    claim, rng = registry.find(key), random.Random(key)
    for part, form in forms_of(key):
        at = point(claim, rng)
        try:
            known, ball = second(key, part, form, at), value(key, form, part, at)
            lower = enclose(claim, form, part, 30, **at).lower
        except Undefined:  # or too large to be written in decimals
            continue
        assert close(upper_end(ball, 30), known, 20) if known else ball == 0, (part, form, at)
        assert upper_end(ball, 40) >= lower


def test_names_of_which_the_claim_does_not_speak_are_left_out():
    more, plain = (value("edelman2022/4.4", "sharp", "log_N", at) for at in (HEAD | {"sigma": 3}, HEAD))
    assert more.contains(plain)
    with pytest.raises(InputError, match="missing parameter"):
        value("edelman2022/4.4", "sharp", "log_N", {name: v for name, v in HEAD.items() if name != "d"})


def test_the_domain_is_checked():
    with pytest.raises(InputError, match="positive"):
        value("edelman2022/4.4", "sharp", "log_N", HEAD | {"d": "1/2"})


def test_what_cancels_gets_more_bits():
    """sqrt(2)^2 - 2 + 10^-50 has no certain bit at the first precision."""
    steps = [Step("r", "", sqrt(x), ""), Step("y", "", Symbol("r") ** 2 - x + Rational(1, 10**50), "")]
    ball = value_of(steps, {"x": Fraction(2)})
    assert ball.rel_accuracy_bits() >= BITS // 2
    assert abs(ball * 10**50 - 1) < arb("1e-15")


def test_a_tie_under_a_ceiling_is_decided():
    assert value_of([Step("y", "", ceiling(sqrt(x) * sqrt(x) * 3), "")], {"x": Fraction(2)}) == 6


def test_what_is_not_defined_says_so():
    with pytest.raises(Undefined):
        value_of([Step("y", "", Integer(1) / (x - 1), "")], {"x": Fraction(1)})
    with pytest.raises(Undecided):
        upper_end(arb("inf"), 10)


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-1, 3), Fraction(10**40 + 1, 7), Fraction(2)])
@pytest.mark.parametrize("digits", [3, 10, 20])
def test_upper_ends_are_above_by_a_digit_at_most(number, digits):
    top = Fraction(upper_end(value_of([Step("y", "", x, "")], {"x": number}), digits))
    assert number <= top <= number + abs(number) * Fraction(10, 10**digits)
