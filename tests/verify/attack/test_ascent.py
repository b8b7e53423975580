"""Attacks: that they call nothing a violation that is none, and find the one that is."""

from dataclasses import replace

import pytest
import torch
from flint import arb

from maurey.verify.attack.ascent import attack
from maurey.verify.attack.confirmation import confirm, meets, ratio_at
from maurey.verify.attack.forwards import tokens
from maurey.verify.attack.inequality import Inequality, Variable
from maurey.verify.attack.layers import softmax_pair
from maurey.verify.attack.statements import Statement, Tally, result

torch.set_num_threads(1)

# --- exact hypotheses --------------------------------------------------------------------------------------------


def member(M, kind, bound):
    inequality = Inequality({"M": Variable((len(M), len(M[0])), {kind: "B"})}, {"B": 1}, lambda v: {})
    return meets(inequality, {"bounds": {"B": bound}, "variables": {"M": M}})


def test_membership_is_decided_exactly():
    """On the boundary a matrix is a member; a bit beyond it is not, however small the bit."""
    tiny = 2.0**-50
    assert member([[1.0, 0.0], [0.0, -1.0]], "spectral", 1.0) is True
    assert member([[1.0, tiny], [0.0, 1.0]], "spectral", 1.0) is False
    assert member([[1.0, 2.0, 2.0]], "spectral", 3.0) is True
    assert member([[1.0, 2.0, 2.0 + tiny]], "spectral", 3.0) is False
    assert member([[3.0, 4.0], [0.0, 5.0]], "rows", 5.0) is True
    assert member([[3.0, 4.0], [0.0, 5.0]], "columns", 5.0) is False
    assert member([[3.0], [4.0]], "columns", 5.0) is True
    assert member([[1.0, -1.0], [1.0, 1.0]], "frobenius", 2.0) is True
    assert member([[1.0, -1.0], [1.0, 1.0]], "frobenius", 2.0 - tiny) is False
    assert member([[1.0, -2.0]], "entries", 2.0) is True
    assert member([[1.0, -2.0]], "entries", 1.5) is False
    assert member([[1.0, 0.0], [0.0, 1.0]], "row_sum", 1.9) is False
    assert member([[1.0, 0.0], [0.0, 1.0]], "row_sum", 2.1) is True
    assert member([[3.0, 0.0], [4.0, 1.0]], "column_sum", 5.9) is False
    assert member([[3.0, 0.0], [4.0, 1.0]], "column_sum", 6.1) is True


# --- honesty: what must not be called a violation ----------------------------------------------------------------


def interval(sides):
    """One number of absolute value at most B, which is between 0.1 and 1."""
    return Inequality({"x": Variable((1, 1), {"entries": "B"})}, {"B": (-1, 0)}, sides)


def cancelling(change):
    """A left-hand side that loses its digits in floats, and then looks larger than the right-hand side."""

    def sides(v):
        x = tokens(v["x"])
        return {"it": ((change(x) + 2.0**52) - 2.0**52, x, x)}

    return interval(sides)


@pytest.mark.parametrize(
    ("change", "refuted", "verdict"),
    [(lambda x: x, False, "holds"), (lambda x: x * 0.999, False, "holds"), (lambda x: x / 3 * 3, None, "undecided")],
)
def test_rounding_errors_are_not_violations(change, refuted, verdict):
    """Balls see through it: less or equal is certain, or, at a tie behind a division, open; never a violation."""
    instance = {"bounds": {"B": 1.0}, "variables": {"x": [[0.6]]}}
    assert ratio_at(cancelling(change), instance, "it") > 1.5
    assert confirm(cancelling(change), instance, "it")[0] is refuted
    found = attack(cancelling(change), 64, 5, seed=0).best["it"]
    assert found.refuted is refuted
    assert found.ratio <= 1 + 1e-9 or refuted is None
    t = Tally()
    t.add(1, found, {})
    assert result("", "printed", [("it", t)], Statement(interval, (), "numbers")).verdict == verdict


def test_a_violation_outside_the_class_is_not_confirmed():
    def sides(v):
        x = tokens(v["x"])
        return {"it": (x, x * 0 + 1, x)}

    outside = {"bounds": {"B": 1.0}, "variables": {"x": [[1.0 + 2.0**-30]]}}
    assert ratio_at(interval(sides), outside, "it") > 1
    assert confirm(interval(sides), outside, "it")[0] is None
    wider = replace(interval(sides), variables={"x": Variable((1, 1), {"entries": 2.0})})
    assert confirm(wider, outside, "it")[0] is True


def test_a_real_violation_is_found_among_false_ones():
    """Some starts only seem to violate; the attack goes on to the one that does."""

    def sides(v):
        x = tokens(v["x"])
        noise = 0.0 if isinstance(x, arb) else torch.where(x < 0.2, 3.0, 0.0)
        return {"it": (x * 1.01 + noise, x + 0 * x + 0.005, x)}

    found = attack(interval(sides), 20, 0, seed=0).best["it"]
    assert found.refuted is True
    assert found.instance["variables"]["x"][0][0] ** 2 > 0.25


# --- seeds -------------------------------------------------------------------------------------------------------


def test_the_same_seed_finds_the_same():
    inequality = softmax_pair(3, "edelman2022/A.7")
    first, again, other = (attack(inequality, 16, 8, seed) for seed in (3, 3, 4))
    assert first == again
    assert first != other
