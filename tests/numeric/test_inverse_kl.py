"""The inverse of the binary divergence: certified, monotone, and the same for every kind of number."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Min, Symbol

from maurey.numeric import inverse_kl as kl
from maurey.numeric.balls import Balls, Unresolved
from maurey.numeric.grids import Logs, LogValue
from maurey.numeric.plain import Plain
from maurey.numeric.slopes import Line, Slopes
from maurey.numeric.walk import Undefined, walk
from maurey.symbolic.pacbayes import inverse_kl

q, c = Symbol("q"), Symbol("c")
SHARES = st.fractions(0, 1, max_denominator=10**9)
SIZES = st.builds(
    lambda x, n: x / Fraction(10) ** n, st.fractions(Fraction(1, 100), 100, max_denominator=1000), st.integers(0, 25)
)


def ball(x):
    return fmpq(x.numerator, x.denominator)


def number(x):
    return mpmath.mpf(x.numerator) / x.denominator


def divergence(q, p):
    first = q * mpmath.log(q / p) if q else 0
    return first + ((1 - q) * mpmath.log((1 - q) / (1 - p)) if q < 1 else 0)


def by_bisection(q, c):
    """From the definition, with digits to spare."""
    low, high = q, mpmath.mpf(1)
    while high - low > low * mpmath.mpf(10) ** -60:
        middle = (low + high) / 2
        low, high = (middle, high) if divergence(q, middle) <= c else (low, middle)
    return low


@settings(max_examples=30, deadline=None)
@given(SHARES, SIZES)
def test_every_field_gives_what_the_definition_does(at, size):
    assume(0 < at < 1)
    with mpmath.workdps(140):
        true = by_bisection(number(at), number(size))
    with ctx.workprec(160):
        found = walk(inverse_kl(q, c), {"q": ball(at), "c": ball(size)}, Balls([]))
    assert found.rel_accuracy_bits() > 150
    with mpmath.workdps(60):
        assert abs(mpmath.mpf(found.mid().str(60, radius=False)) - true) < true * mpmath.mpf(10) ** -44
    with mpmath.workdps(50):
        plain = walk(inverse_kl(q, c), {"q": number(at), "c": number(size)}, Plain({}))
        assert abs(plain - true) < true * mpmath.mpf(10) ** -48
    logs = {name: LogValue(np.log(float(x))) for name, x in (("q", at), ("c", size))}
    assert float(walk(inverse_kl(q, c), logs, Logs()).value) == pytest.approx(float(true), rel=1e-13)


@settings(max_examples=40, deadline=None)
@given(SHARES, SIZES, st.fractions(0, 1), st.fractions(0, 1), st.integers(2, 60))
def test_a_ball_holds_the_value_at_all_its_points(at, size, x, y, n):
    """Wide balls too: from corner to corner."""
    width = Fraction(1, 2) ** n
    inside = min(at + width * x, Fraction(1)), size * (1 + width * y)
    with ctx.workprec(100):
        wide = kl.of_balls(
            arb(ball(at)).union(arb(ball(at + width))), arb(ball(size)).union(arb(ball(size * (1 + width))))
        )
        there = kl.of_balls(*map(ball, inside))
        assert wide.overlaps(there)
    with ctx.workprec(300):  # a point, as good as
        assert wide.contains(kl.of_balls(*map(ball, inside)))


@settings(max_examples=40, deadline=None)
@given(SHARES, SHARES, SIZES, SIZES)
def test_it_increases_in_both_arguments(a, b, x, y):
    low, high = kl.of_balls(ball(min(a, b)), ball(min(x, y))), kl.of_balls(ball(max(a, b)), ball(max(x, y)))
    assert not low > high
    assert ball(min(a, b)) <= low.upper()
    assert low.lower() <= 1


@settings(max_examples=40, deadline=None)
@given(SHARES, SIZES)
def test_both_sides_of_the_value_are_where_they_should_be(at, size):
    """Just below the ball the divergence is at most c, just above it is more: the upper end is a bound on the risk."""
    assume(0 < at < 1)
    with ctx.workprec(80):
        found = kl.of_balls(ball(at), ball(size))
    with mpmath.workdps(120):
        low, high = (mpmath.mpf(x.str(110, radius=False)) for x in (found.lower(), found.upper()))
        above = high * (1 + mpmath.mpf(2) ** -70)
        assert above >= 1 or divergence(number(at), above) > number(size)
        assert low <= number(at) or divergence(number(at), low * (1 - mpmath.mpf(2) ** -70)) < number(size)


def test_newtons_steps_are_not_trusted(monkeypatch):
    """A root that is a little off is not bracketed, and nothing is said."""
    plain = kl._newton
    monkeypatch.setattr(kl, "MOST_BITS", 1 << 10)
    for off in (1 + arb(2) ** -40, 1 - arb(2) ** -40):
        monkeypatch.setattr(kl, "_newton", lambda q, c, off=off: plain(q, c) * off)
        assert kl.of_balls(fmpq(1, 10), fmpq(1, 100)) is None


def test_a_ball_holds_the_root_and_is_no_point():
    found = kl.of_balls(fmpq(1, 10), fmpq(1, 100))
    assert found.rad() > 0
    with ctx.workprec(400):
        assert found.contains(kl.of_balls(fmpq(1, 10), fmpq(1, 100)))


def test_edges():
    assert Balls([]).apply("inverse_kl", [fmpq(1), fmpq(3)]) == 1
    assert Balls([]).apply("inverse_kl", [fmpq(1, 3), fmpq(0)]) == fmpq(1, 3)
    assert abs(Balls([]).apply("inverse_kl", [fmpq(0), fmpq(1)]) - (1 - arb(-1).exp())) < 1e-15
    assert kl.of_balls(arb(0, 0.5), arb(0, 0.5)).contains(arb(0.75))
    for outside in ((fmpq(2), fmpq(1)), (fmpq(-1), fmpq(1)), (fmpq(1, 2), fmpq(-1))):
        with pytest.raises(Undefined):
            Balls([]).apply("inverse_kl", list(outside))
    with pytest.raises(Unresolved):
        Balls([]).apply("inverse_kl", [fmpq(1, 2), arb("inf")])
    found = kl.of_arrays(np.array([0, 1, 0.5, 0.5, -1, 2, 0.5, 1e-200]), np.array([1, 1, 0, np.inf, 1, 1, -1, 1e-200]))
    expected = [-np.expm1(-1), 1, 0.5, 1, np.nan, np.nan, np.nan, (2 + 3**0.5) * 1e-200]
    assert found == pytest.approx(expected, rel=1e-7, nan_ok=True)
    assert kl.of_plain(mpmath.mpf(0), mpmath.mpf(1)) == pytest.approx(-np.expm1(-1))
    assert kl.of_plain(mpmath.mpf(1), mpmath.mpf(1)) == 1
    assert kl.of_plain(mpmath.mpf("0.25"), mpmath.mpf(0)) == mpmath.mpf("0.25")


@settings(max_examples=30, deadline=None)
@given(SHARES, SIZES, st.integers(1, 10**6), st.integers(1, 60), st.integers(0, 10**6))
def test_lines(at, size, low, doublings, inner):
    """q/m and c/m over a range of m: the value further on is where the line says."""
    assume(at > 0)
    high = low << doublings
    there = low + (high - low) * inner // 10**6
    expr = inverse_kl(Min(1, q * Symbol("m") ** -1), c / Symbol("m"))
    with ctx.workprec(128):
        env = {"q": ball(at), "c": ball(size)}
        line = walk(expr, {**env, "m": Line(fmpq(low), fmpq(1))}, Slopes([], low, high))
        value = walk(expr, {**env, "m": fmpq(there)}, Balls([]))
        moved = line.at * (line.slope * arb(fmpq(there, low)).log()).exp()
    assert moved.overlaps(arb(value))
    assert line.slope < 1e-6
