"""The smallest sample size, with the two inequalities that prove it; and who is to blame."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import maurey
from maurey import InputError
from maurey.numeric.blame import blame
from maurey.numeric.samples import certified, samples
from maurey.symbolic import registry

GAP = dict(L_loss=1, C_F=1, A=1, b=1, delta="1/20")
DEEP = dict(d=4, k=4, T=9, L_sigma=1, B_w=1, B_C=1, B_C_inf="1/2", B_V=1, B_V_inf="1/2", B_QK="1/2", B_QK_inf="1/4")


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
@pytest.mark.parametrize("change", [{}, {"C_F": 1000, "A": "1/10"}, {"C_F": "1/1000", "A": 7}])
def test_the_two_inequalities(form, change):
    claim = registry.find("edelman2022/2.2")
    found = samples(claim, "0.1", form, **(GAP | change))
    at_m, before = certified(found.at_m, above=False), certified(found.before, above=True)
    assert at_m <= Fraction(1, 10) < before
    view = maurey.claim("edelman2022/2.2")
    assert (
        view.evaluate(form, **(GAP | change), m=found.m) <= 0.1 < view.evaluate(form, **(GAP | change), m=found.m - 1)
    )
    for m in (found.m * 2, found.m * 1000, found.m * 10**9):
        assert view.evaluate(form, **(GAP | change), m=m) <= 0.1


def test_small_m_where_the_print_is_negative_is_not_taken():
    """With A far below sqrt(C/m) the printed 2.2 is negative at m = 1 and rises above the gap later."""
    claim = maurey.claim("edelman2022/2.2")
    at = GAP | {"C_F": 1000, "A": "1/10"}
    assert claim.evaluate("printed", **at, m=1) < 0
    found = samples(claim.record, "0.1", "printed", **at)
    assert found.m > 10**9


def test_the_smallest_allowed():
    found = samples(registry.find("edelman2022/A.4"), 10**6, L_loss=1, b=1, delta="1/2", R_F=0)
    assert found.m == 1
    assert found.before is None


def test_none_below_the_limit():
    assert samples(registry.find("edelman2022/A.4"), 1, L_loss=1, b=1, delta="1/2", R_F=3) is None


def test_against_a_plain_scan():
    claim = maurey.claim("edelman2022/A.4")
    at = dict(L_loss=1, b="3/10", delta="1/3", R_F=0)
    found = samples(claim.record, "0.4", **at)
    above = [m for m in range(1, 500) if claim.evaluate(**at, m=m) > 0.4]
    assert found.m == max(above) + 1


@pytest.mark.parametrize("L", [1, 2, 5])
def test_deep_networks(L):
    claim = registry.find("edelman2022/A.17")
    derived, sharp = (
        samples(claim, "0.1", form, "gap", L=L, L_loss=1, b=1, delta="1/20", **DEEP) for form in ("derived", "sharp")
    )
    assert sharp.m * 1000 < derived.m


@pytest.mark.parametrize(
    ("key", "gap", "values", "message"),
    [
        ("edelman2022/2.2", "0", GAP, "gap must be a positive real"),
        ("edelman2022/2.2", "-1", GAP, "gap must be a positive real"),
        ("edelman2022/2.2", "x", GAP, "gap must be a positive real"),
        ("edelman2022/2.2", "1", GAP | {"m": 3}, "m is what is asked for"),
        ("edelman2022/2.2", "1", {}, "missing parameter"),
        ("edelman2022/A.7", "1", {}, "does not speak of a sample size"),
        ("edelman2022/A.17", "1", DEEP | {"L": 0}, "L must be a positive integer"),
        ("edelman2022/A.17", "1", DEEP | {"L": 2, "B_V": "1,2,3"}, "B_V must be one value or L = 2 of them, got 3"),
    ],
)
def test_bad_input(key, gap, values, message):
    with pytest.raises(InputError, match=message):
        samples(registry.find(key), gap, **values)


def test_shares_of_a_product_are_its_exponents():
    at = dict(eps="1/2", N=50, d_2=8, B_X=3, B_W_inf=5)
    found = blame(registry.find("edelman2022/4.5"), "printed", **at)
    shares = {row.name: row.share for row in found.shares}
    for name in ("d_2", "B_X", "B_W_inf"):
        # the walk begins one step late, where the logarithm of N is not zero
        assert shares[name] == pytest.approx(2 * np.log(float(at[name])), rel=0.003)
    assert shares["eps"] == pytest.approx(2 * np.log(2), rel=0.003)
    halved = {row.name: row.halved for row in found.shares}
    assert halved["d_2"] == pytest.approx(1 / 4)
    assert halved["eps"] == pytest.approx(4)


@pytest.mark.parametrize("form", ["derived", "sharp"])
def test_shares_add_up(form):
    claim = maurey.claim("edelman2022/A.17")
    at = DEEP | {"L": 2, "eps": "1/10", "m": 1000, "B_V": "2,3"}
    found = blame(claim.record, form, "log_N", **at)
    assert sum(row.share for row in found.shares) == pytest.approx(found.log)
    assert np.exp(found.log) == pytest.approx(float(claim.evaluate(form, "log_N", **at)), rel=1e-9)
    assert set(found.layers) == {"L = 1", "L = 2"}
    half = claim.evaluate(form, "log_N", **(at | {"B_V": "1,3"})) / claim.evaluate(form, "log_N", **at)
    row = next(row for row in found.shares if row.name == "B_V[1]")
    assert row.halved == pytest.approx(float(half), rel=1e-6)


def test_nothing_to_blame():
    with pytest.raises(InputError, match="nothing to share"):
        blame(registry.find("edelman2022/A.10"), "sharp", eps=10, N=5, B_w=1, B_X=1)


def test_a_tie_is_at_the_gap_not_above_it():
    """Where the trivial bound A is the bound and the gap is A, every m will do; a little less, and it will not."""
    claim = registry.find("edelman2022/A.3")
    at = dict(C_F=10**6, A="1/10")
    tie = samples(claim, "1/10", **at)
    assert tie.m == 1
    assert certified(tie.at_m, above=False) == Decimal("0.1")
    assert samples(claim, "0.0999999999999999999999999", **at).m > 10**6
