"""Inverses of tails: against sums of exact fractions, at ties and at both ends, and quick where there are many
trials."""

from fractions import Fraction as F
from math import comb

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maurey.numeric import tails
from maurey.numeric.balls import Balls, Unresolved
from maurey.numeric.walk import Undefined

LEVELS = st.fractions(F(1, 1000), F(999, 1000), max_denominator=1000)


def ball(x):
    return fmpq(x.numerator, x.denominator)


def ends(found):
    """Just below and just above."""
    low, high = (x.man_exp() for x in (found.lower(), found.upper()))
    return [F(int(m)) * F(2) ** int(e) for m, e in (low, high)]


def below(k, m, p):
    return sum(comb(m, j) * p**j * (1 - p) ** (m - j) for j in range(k + 1))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 25), st.integers(0, 25), LEVELS)
def test_the_binomial_inverse(m, k, delta):
    assume(k < m)
    with ctx.workprec(64):
        found = tails.of_binomial(fmpq(k), fmpq(m), ball(delta))
    low, high = ends(found)
    assert found.rel_accuracy_bits() > 50
    assert below(k, m, low) >= delta >= below(k, m, high)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 25), st.integers(0, 23), LEVELS)
def test_the_mixture_inverse(m, S, delta):
    """The integral, term by term: u^S/(1 - mu + mu u)^m has a sum of powers for a primitive; here by a rational sum."""
    assume(m - 2 >= S)

    def integral(mu):
        odds, term, total = mu / (1 - mu), F(1), F(0)
        for i in range(S + 1, m):
            total += term
            term *= odds * F(m - 1 - i, i + 1)
        return total / (S + 1) / (1 - mu)

    with ctx.workprec(64):
        found = tails.of_mixture(fmpq(S), fmpq(m), ball(delta))
    low, high = ends(found)
    assert integral(low) <= 1 / delta <= integral(high)
    with ctx.workprec(80):  # the sum is the integral
        mu = arb(1) / 3
        from flint import acb

        whole = acb.integral(lambda u, _: u**S / (1 - mu + mu * u) ** m, 0, 1).real
        assert whole.overlaps(arb(ball(integral(F(1, 3)))))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 20), LEVELS)
def test_the_hypergeometric_inverse(m, k, more, delta):
    assume(k <= m)
    N = m + more

    def tail(M):
        return F(sum(comb(M, j) * comb(N - M, m - j) for j in range(k + 1)), comb(N, m))

    found = Balls([]).apply("hypergeometric_inverse", [fmpq(k), fmpq(m), fmpq(N), ball(delta)])
    M = int(found * N)
    assert found == fmpq(M, N)
    assert tail(M) >= delta
    assert M == N or tail(M + 1) < delta


def test_a_tie_is_counted_in_integers():
    """One of ten that are drawn from ten with M errors is right with probability 1 - M/10: 1/10 at M = 9 exactly."""
    at = [fmpq(0), fmpq(1), fmpq(10), fmpq(1, 10)]
    with ctx.workprec(512):
        assert Balls([]).apply("hypergeometric_inverse", at) == fmpq(9, 10)
    assert tails.on_arrays(tails.of_hypergeometric)(0, 1, 10, np.log(0.1)) == 0.9


def test_a_level_that_is_a_ball():
    wide = tails.of_binomial(fmpq(3), fmpq(20), arb(0.05, 0.001))
    for level in (fmpq(49, 1000), fmpq(1, 20), fmpq(51, 1000)):
        assert wide.contains(tails.of_binomial(fmpq(3), fmpq(20), level).mid())


def test_edges():
    of = Balls([]).apply
    assert of("binomial_inverse", [fmpq(4), fmpq(4), fmpq(1, 20)]) == 1
    assert of("binomial_inverse", [fmpq(0), fmpq(4), fmpq(1)]) == 0
    assert of("mixture_inverse", [fmpq(3), fmpq(4), fmpq(1, 20)]) == 1
    assert abs(of("binomial_inverse", [fmpq(0), fmpq(7), fmpq(1, 20)]) - (1 - arb(fmpq(1, 20)) ** fmpq(1, 7))) < 1e-14
    tiny = of("binomial_inverse", [fmpq(3), fmpq(9), fmpq(1, 2**40000)])
    assert tiny.contains(arb(1)) or tiny > 1 - arb(2) ** -40
    for bad in ([fmpq(5), fmpq(4), fmpq(1, 2)], [fmpq(1, 2), fmpq(4), fmpq(1, 2)], [fmpq(1), fmpq(4), fmpq(0)],
                [fmpq(1), fmpq(4), fmpq(3, 2)], [fmpq(1), fmpq(10**9), fmpq(1, 2)]):  # fmt: skip
        with pytest.raises(Undefined):
            of("binomial_inverse", bad)
    with pytest.raises(Undefined):
        of("hypergeometric_inverse", [fmpq(1), fmpq(4), fmpq(3), fmpq(1, 2)])


def test_a_root_that_is_a_little_off_is_not_let_through(monkeypatch):
    plain = tails.log_below
    with monkeypatch.context() as patch:
        patch.setattr(tails, "log_below", lambda k, m, x: (arb(plain(k, m, x)[0].mid(), 1e-3), plain(k, m, x)[1]))
        with pytest.raises(Unresolved):
            Balls([]).apply("binomial_inverse", [fmpq(3), fmpq(20), fmpq(1, 20)])


@pytest.mark.parametrize("k", [0, 1000, 500_000, 999_999])
def test_a_million_trials(k):
    """Against the incomplete beta integral."""
    found = tails.of_binomial(fmpq(k), fmpq(10**6), fmpq(1, 20))
    with ctx.workprec(120):
        assert (1 - found).beta_lower(10**6 - k, k + 1, True).overlaps(arb(fmpq(1, 20)))
