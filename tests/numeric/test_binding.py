"""What users give: exact numbers inside the domains, and clear refusals."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maurey
from maurey import InputError
from maurey.numeric.binding import bind, exact

A10 = dict(eps="1/10", N=100, B_w=1, B_X=1)


@pytest.mark.parametrize(
    ("raw", "number"),
    [("1e-3", "1/1000"), ("3/4", "3/4"), ("2.5", "5/2"), (".5", "1/2"),
     (0.1, "1/10"), (7, "7"), (Decimal("0.3"), "3/10"),
     (np.float64(0.1), "1/10"), (np.int64(3), "3"), (Fraction(2, 3), "2/3")],
)  # fmt: skip
def test_numbers_are_read_exactly(raw, number):
    assert exact(raw) == Fraction(number)


@pytest.mark.parametrize(
    "raw",
    ["", "abc", "1+1", "nan", "inf", "1e9999999", "__import__('os')", "1/0", "0x10", "1_000", "1,2",
     "9" * 2000, None, True,
     float("nan"), "1/2/3", "2 3", "\u0663"],
)  # fmt: skip
def test_anything_else_is_refused_by_name(raw):
    with pytest.raises(InputError, match="eps must be a positive real"):
        maurey.claim("edelman2022/A.10").enclose(**(A10 | {"eps": raw}))


@given(st.text(max_size=30))
def test_no_text_is_ever_evaluated(text):
    try:
        number = exact(text)
    except (ValueError, ZeroDivisionError):
        return
    assert number == Fraction(text.strip())


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("edelman2022/A.10", {"eps": "0"}, "eps must be a positive real, got '0'"),
        ("edelman2022/A.10", {"N": "2.5"}, "N must be a positive integer, got '2.5'"),
        ("edelman2022/A.10", {"N": "1,2"}, "got a list of 2"),
        (
            "edelman2022/A.10",
            {"nonsense": "3"},
            "unknown parameter 'nonsense'; edelman2022/A.10 takes eps, N, B_w, B_X",
        ),
        ("edelman2022/4.2", {"share": "1.5"}, r"share must be in \[0, 1\], got '1.5'"),
        ("edelman2022/4.4", {"kappa": "-2"}, "kappa must be a positive real"),
        ("edelman2022/A.12", {"H": 2, "B_V": "1,2,3"}, "B_V must be one value or H = 2 of them, got 3"),
        ("edelman2022/A.12", {"B_V": "1,2", "B_V_inf": "1,2,3"}, "B_V_inf must be one value or H = 2 of them, got 3"),
        ("edelman2022/A.12", {"B_V": "1", "H": "0"}, "H must be a positive integer"),
        ("edelman2022/A.12", {"B_V": "1"}, "missing parameter H"),
        ("edelman2022/A.8", {"alpha": "1,2", "beta": "1,2", "C": 1, "i": 3}, "assumes that the index i is at most n"),
    ],
)
def test_refusals_name_the_parameter(key, values, message):
    with pytest.raises(InputError, match=message):
        bind(maurey.claim(key).record, "", "", values)


def test_missing_parameters_are_named():
    with pytest.raises(InputError, match="missing parameter B_X: a positive real, bound on the token norms"):
        maurey.claim("edelman2022/A.10").enclose(eps=1, N=3, B_w=1)


def test_other_symbols_are_accepted_and_reported():
    at = dict(eps=1, N=10, d_1=3, d_2=4, B_X=1, B_W_inf=1, B_W_21=2)
    assert bind(maurey.claim("edelman2022/4.5-stronger").record, "", "", at).unused == ("d_1", "B_W_inf")


def test_constants_can_be_overridden_in_one_call():
    claim = maurey.claim("edelman2022/4.5")
    at = dict(eps=1, N=10, d_2=4, B_X=1, B_W_inf=1, form="printed")
    assert claim.enclose(**at, C0=1000).value == 1000 * claim.enclose(**at).value


def test_lists_may_be_given_once_for_all():
    claim = maurey.claim("edelman2022/A.12")
    at = dict(eps="1/3", d=5, m=7, T=11, L_sigma=1, B_X=2)
    once = claim.enclose(H=3, B_V=2, B_V_inf=1, B_QK_inf="1/2", **at)
    assert once.value == claim.enclose(B_V=[2, 2, 2], B_V_inf=1, B_QK_inf="0.5,0.5,0.5", **at).value


def test_optional_symbols_replace_the_norm_inequality():
    claim = maurey.claim("edelman2022/4.4")
    at = dict(eps="1/3", d=4, m=7, T=11, L_sigma=1, B_X=2, B_V=2, B_V_inf=1, B_QK_inf="1/2", form="sharp")
    assert claim.enclose(**at, B_QK_F=1).value == claim.enclose(**at).value  # sqrt(4) * 1/2
    assert claim.enclose(**at, B_QK_F="1/2").value < claim.enclose(**at).value


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("edelman2022/A.10", {"eps": [1]}, "eps must be a positive real, got a list of 1"),
        ("edelman2022/A.10", {"eps": []}, "got a list of 0"),
        ("edelman2022/A.12", {"B_V": []}, "got a list of 0"),
        ("edelman2022/A.12", {"H": 10**9, "B_V": 1}, "H must be at most 1000"),
        ("edelman2022/A.10", {"eps": "1e-1000"}, "exponents go up to 999"),
    ],
)
def test_odd_values_are_refused(key, values, message):
    with pytest.raises(InputError, match=message):
        bind(maurey.claim(key).record, "", "", values)


@pytest.mark.parametrize("digits", [0, -50, 15.5, 10**6])
def test_digits_are_checked(digits):
    with pytest.raises(InputError, match="digits must be an integer"):
        maurey.claim("edelman2022/A.10").enclose(**A10, digits=digits)


def test_more_information_is_never_worse():
    """A slack extra bound leaves the sharp form as it is."""
    claim = maurey.claim("edelman2022/4.4")
    at = dict(eps="1/3", d=4, m=7, T=11, L_sigma=1, B_X=2, B_V=2, B_V_inf=1, B_QK_inf="1/2", form="sharp")
    assert claim.enclose(**at, B_V_F=1000, B_QK_F=1000).value == claim.enclose(**at).value
    assert claim.enclose(**(at | {"B_V_inf": 1000})).value == claim.enclose(**(at | {"B_V_inf": 2})).value


def test_numpy_floats_are_read_as_they_print():
    assert exact(np.float32(0.1)) == Fraction(1, 10)
