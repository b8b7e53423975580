"""Classes whose entropy and complexity are known: what is said of them, and forms that are too small."""

import math

import pytest

from maurey.verify.checks import EFFORTS
from maurey.verify.complexity import known_classes
from maurey.verify.complexity.known_classes import Instance, comparison

QUICK = EFFORTS["quick"]


def test_a_form_is_held_against_every_instance():
    """maurey/union with one class of complexity R says R."""
    at = {"n": 1, "A": 1, "m": 4, "R_F": 0.5}
    fine, large = (Instance(at, true, true, {"class": "this"}, "too much") for true in (0.4, 0.6))
    result = comparison("maurey/union", "printed", "R", [fine, fine], "held")
    assert (result.verdict, result.instances, result.tightness) == ("holds", 2, pytest.approx(0.8))
    result = comparison("maurey/union", "printed", "R", [fine, large], "held")
    assert (result.verdict, result.note, result.counterexample) == ("fails", "too much", {"class": "this"})
    assert float(result.printed_value) == 0.5 < float(result.true_value)


def test_complexities_are_at_most_what_the_values_allow():
    for what, found, at in known_classes.classes(QUICK):
        assert found.lower <= found.value <= at["A"] * (1 + 1e-12), what
    for instance in known_classes.sign_vectors("R", QUICK):
        assert 0 <= instance.true <= instance.at["A"]


def test_sign_vectors_at_one_point():
    """At one point zero, A and -A have the supremum A for either sign."""
    first = next(known_classes.sign_vectors("linear", QUICK))
    assert (first.at["m"], first.true) == (1, 1)
    assert first.at["K_F"] == pytest.approx(math.log(3))


def test_a_union_of_single_functions_has_no_complexity_of_its_parts():
    single, several = list(known_classes.unions(QUICK))[:2]
    assert single.at["R_F"] == 0 < single.true
    assert 0 <= several.at["R_F"] <= several.true <= several.at["A"]
