"""Crossovers against ones solved by hand, certified ends by the certified values, winners by the grid."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import maurey
from maurey import InputError
from maurey.numeric import curves
from maurey.numeric.compare import compare
from maurey.numeric.crossovers import WIDTH
from maurey.numeric.curves import Graph, order, spread
from maurey.numeric.exact import plain_number

ONLINE = dict(eps="1/10", B_X=1, B_W_F=1)
DEEP = dict(eps="1/10", d=64, k=64, m=1000, T=128, L_sigma=1, B_w=1, B_C=1, B_C_inf="1/2", B_V_inf="1/2", B_QK="1/2",
            B_QK_inf="1/4")  # fmt: skip
HEAD = dict(eps="1/10", d=64, m=1000, L_sigma=1, B_X=1, B_V=2, B_V_inf="0.7", B_QK_inf="0.4")


def value(found, label, x, digits=60):
    """The certified value of a curve, by its own way."""
    curve = next(c for c in found.curves if c.label == label)
    claim = maurey.claim(curve.key)
    known = {p.name for p in claim.names}
    at = {name: v for name, v in (found.given | {found.over: x}).items() if name in known}
    return claim.enclose(curve.form, curve.part, digits, **at)


def tied(found, crossover, x):
    """Sixty digits do not tell the two apart."""
    before, after = (value(found, label, x) for label in crossover.curves)
    return before.lower <= after.upper and after.lower <= before.upper


def check(found, integer):
    """What a comparison promises."""
    for c in found.crossovers:
        low, high = c.at
        assert c.certified
        assert all(tied(found, c, x) for x in range(int(low) + 1, int(high))) if integer else high - low <= WIDTH * low
        assert set(c.curves) == {c.below_before, c.below_after}
        assert value(found, c.below_before, low).upper < value(found, c.below_after, low).lower
        assert value(found, c.below_after, high).upper <= value(found, c.below_before, high).lower
    assert (found.winners[0].start, found.winners[-1].end) == (found.at[0], found.at[-1])
    for before, after in pairwise(found.winners):
        assert before.label != after.label
        assert before.end < after.start
        assert any(c.below_before == before.label and c.below_after == after.label
                   and c.at[0] <= before.end < after.start <= c.at[1] for c in found.crossovers)  # fmt: skip
    logs = {c.label: dict(zip(found.at, c.values.log, strict=True)) for c in found.curves}
    for w in found.winners:
        for x in found.at:
            if w.start <= x <= w.end:
                assert logs[w.label][x] <= min(log[x] for log in logs.values()) + 1e-9


@pytest.mark.parametrize("d_1", [1, 5, 20, 100])
def test_an_integer_crossover_solved_by_hand(d_1):
    """3 log(6 N + 1) passes (64/49)^2 log(5^(d_1 + 3) + 1), which N does not move: up to N near 10^40."""
    found = compare(["maurey/online:coordinates", "maurey/online:everywhere"], ("N", 1, "1e60"),
                    ONLINE | dict(d_1=d_1, d_2=3))  # fmt: skip
    with mpmath.workdps(100):
        root = int((mpmath.exp(mpmath.mpf(64**2) / 49**2 * mpmath.log(5 ** (d_1 + 3) + 1) / 3) - 1) / 6)
    (c,) = found.crossovers
    assert c.at == (root, root + 1)
    assert (c.below_before, c.below_after) == ("maurey/online:coordinates printed", "maurey/online:everywhere printed")
    assert [(w.start, w.end) for w in found.winners] == [(1, c.at[0]), (c.at[1], 10**60)]
    check(found, integer=True)


@pytest.mark.parametrize(("B_w", "points"), [(1, 200), ("1/3", 17), ("0.002", 2), (40, 201)])
def test_a_real_crossover_solved_by_hand(B_w, points):
    """c_f Delta = B_w Delta_g + Delta_w."""
    at = dict(Delta=3, B_w=B_w, Delta_g="0.7", Delta_w="1/20")
    found = compare(["edelman2022/A.6", "edelman2022/A.16"], ("c_f", "1e-3", "1e3"), at, points=points)
    root = (Fraction(B_w) * Fraction(7, 10) + Fraction(1, 20)) / 3
    (c,) = found.crossovers
    assert c.at[0] < root < c.at[1]
    assert c.below_before == "edelman2022/A.6 printed"
    check(found, integer=False)


def test_a_tie_at_an_integer():
    """4 n d_f against 12: equal at n = 3, exactly."""
    at = dict(d_f=1, c_f=5, Delta="12/5")
    found = compare(["edelman2022/B.8:d_2", "edelman2022/A.6"], ("n", 1, 9), at, ["printed"])
    (c,) = found.crossovers
    assert value(found, c.curves[0], c.at[1]).value == 12
    assert (c.at, c.certified) == ((2, 3), True)
    assert [(w.start, w.end) for w in found.winners] == [(1, 2), (3, 9)]


def test_a_tie_at_a_point_of_the_grid():
    """c_f Delta against Delta over a grid that holds c_f = 1."""
    found = compare(["edelman2022/A.6", "maurey/softmax"], ("c_f", "1/10", 10), dict(Delta=3), points=201)
    assert 1 in found.at
    (c,) = found.crossovers
    assert c.at[0] < 1 < c.at[1]
    check(found, integer=False)


def test_jumps_cross_many_times():
    """(ceil(a) - 1) against 0.98^2 a, a = 1/eps^2: one change at a = n / 0.98^2 and one at the jump after it."""
    square = Fraction(98, 100) ** 2
    found = compare(["maurey/online:scalar", "maurey/online:coordinates"], ("eps", "0.205", "0.99"),
                    dict(B_w=1, B_W_F="0.98", B_X=1, d_2=1, N=10), points=1000)  # fmt: skip
    changes = sorted([x for n in range(1, 23) for x in (n / square, Fraction(n + 1))], reverse=True)
    assert len(found.crossovers) == 44
    for c, a in zip(found.crossovers, changes, strict=True):
        assert 1 / c.at[1] ** 2 <= a <= 1 / c.at[0] ** 2
    check(found, integer=False)


def test_several_changes_inside_one_step_of_the_grid():
    found = compare(["maurey/online:scalar", "maurey/online:coordinates"], ("eps", "0.38", "0.99"),
                    dict(B_w=1, B_W_F="0.98", B_X=1, d_2=1, N=10), points=2)  # fmt: skip
    assert len(found.crossovers) > 1
    check(found, integer=False)


def test_deep_bounds_over_a_norm_of_every_layer():
    found = compare(["edelman2022/A.17", "edelman2022/A.12"], ("B_V", "0.1", 10), DEEP | dict(L=2, H=3, B_X=1), ["all"])
    assert len(found.curves) == 8  # two claims, four forms each
    assert len(found.crossovers) >= 3
    check(found, integer=False)


def test_values_are_those_of_the_claims():
    found = compare(["edelman2022/4.4", "edelman2022/A.11"], ("T", 16, "1e6"), HEAD | dict(B_P=1), ["all"])
    for curve in found.curves:
        for i in (0, 57, -1):
            exact = value(found, curve.label, found.at[i], 15).value
            assert curve.log10[i] == pytest.approx(float(exact.log10()), rel=1e-12)


def test_lists_for_layers():
    at = DEEP | dict(B_V="1.5,2", L=2)
    found = compare(["edelman2022/A.17"], ("T", 16, 1000), {name: v for name, v in at.items() if name != "T"}, ["all"])
    for curve in found.curves:
        exact = value(found, curve.label, found.at[3], 15).value
        assert curve.log10[3] == pytest.approx(float(exact.log10()), rel=1e-12)
    with pytest.raises(InputError, match=r"edelman2022/4\.4: B_V must be a positive real, got a list of 2"):
        compare(["edelman2022/4.4"], ("T", 16, 1000), HEAD | dict(B_V="1.5,2"))


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
def test_layers_are_taken_one_by_one(form):
    found = compare(["edelman2022/A.17"], ("L", 1, 4), DEEP | dict(B_V=1), [form])
    assert found.at == [1, 2, 3, 4]
    for L, log10 in zip(found.at, found.curves[0].log10, strict=True):
        exact = maurey.claim("edelman2022/A.17").enclose(form, **DEEP, B_V=1, L=int(L)).value
        assert log10 == pytest.approx(float(exact.log10()), rel=1e-12)
    assert not any("B_QK" in note for note in found.notes)  # the derived form uses it from two layers on


def test_layers_cross():
    """4.4 does not speak of L; A.17 grows with it."""
    found = compare(["edelman2022/A.17", "edelman2022/4.4"], ("L", 1, 12), DEEP | dict(B_V=8, B_X=3), ["printed"])
    (c,) = found.crossovers
    assert c.at[1] - c.at[0] == 1
    assert "no L, k, B_w, B_C, B_C_inf, B_QK in edelman2022/4.4" in found.notes
    check(found, integer=True)


def test_sums_whose_length_varies():
    at = dict(n=30, rho=1, N=60, B_w="0.5", B_X=1)
    found = compare(["maurey/lattice", "maurey/online"], ("eps", "0.1", "0.9"), at, points=40)
    assert found.crossovers
    check(found, integer=False)


def test_curves_that_coincide_do_not_cross():
    found = compare(["edelman2022/A.10", "zhang2002/4"], ("eps", "0.05", "0.9"), dict(N=60, B_w=1, B_X=1), ["printed"])
    assert not found.crossovers
    assert len(found.winners) == 1
    assert "edelman2022/A.10 printed and zhang2002/4 printed coincide" in found.notes


def test_what_balls_leave_open_is_undecided(monkeypatch):
    monkeypatch.setattr(Graph, "enclose", lambda self, x: None)
    found = compare(["edelman2022/A.6", "maurey/softmax"], ("c_f", "1/10", 10), dict(Delta=3))
    (c,) = found.crossovers
    assert not c.certified
    assert c.at[0] <= 1 <= c.at[1]


def test_a_wrong_sweep_is_found_out(monkeypatch):
    """A sweep that is off by 1e-5 leads to a bracket that the balls refuse; a wider one holds the crossover."""
    true_sweep = Graph._sweep

    def wrong(self, xs):
        found = true_sweep(self, xs)
        return curves.LogValue(found.log + 1e-5 * (self.claim.key == "edelman2022/A.6"), found.sign)

    monkeypatch.setattr(Graph, "_sweep", wrong)
    found = compare(["edelman2022/A.6", "maurey/softmax"], ("c_f", "1/10", 10), dict(Delta=3))
    (c,) = found.crossovers
    assert c.certified
    assert c.at[0] < 1 < c.at[1] <= c.at[0] * (1 + WIDTH)
    assert value(found, c.below_before, c.at[0]).upper < value(found, c.below_after, c.at[0]).lower
    assert value(found, c.below_after, c.at[1]).upper < value(found, c.below_before, c.at[1]).lower


RATES = st.fractions(Fraction(1, 5), 5, max_denominator=40)


@settings(max_examples=30, deadline=None)
@given(eps=RATES, B_w=RATES, B_F=RATES, B_1=RATES, d_2=st.integers(1, 6), d_1=st.integers(1, 9))
@example(Fraction(1, 5), Fraction(7, 10), Fraction(1, 5), Fraction(1, 5), 6, 1)  # equal at N = 2, and irrational
def test_winners_are_the_smallest_on_the_grid(eps, B_w, B_F, B_1, d_2, d_1):
    parts = ("scalar", "coordinates", "net", "everywhere", "columns")
    at = dict(eps=eps, B_X=1, B_w=B_w, B_W_F=B_F, B_W_21=B_1, d_1=d_1, d_2=d_2)
    found = compare([f"maurey/online:{part}" for part in parts], ("N", 1, "1e6"), at, points=60)
    check(found, integer=True)


@settings(deadline=None)
@given(low=st.integers(1, 10**9), span=st.integers(1, 10**12), points=st.integers(2, 60))
def test_spacing_of_integers(low, span, points):
    xs = spread(Fraction(low), Fraction(low + span), points, True)
    assert (xs[0], xs[-1]) == (low, low + span)
    assert all(x.denominator == 1 for x in xs)
    assert all(x < y for x, y in pairwise(xs))
    assert len(xs) <= points
    if points >= 3 and span > 1:
        assert len(xs) >= 3


@settings(deadline=None)
@given(low=st.fractions(Fraction(1, 10**9), 10**9), factor=st.fractions(Fraction(10**7 + 1, 10**7), 10**9),
       points=st.integers(3, 60))  # fmt: skip
def test_spacing_of_reals(low, factor, points):
    xs = spread(low, low * factor, points, False)
    assert len(xs) == points
    ratios = np.array([float(y / x) for x, y in pairwise(xs)])
    assert np.allclose(np.log(ratios), np.log(float(factor)) / (points - 1), rtol=0.3, atol=2e-5)
    longest = max(6, 3 - math.floor(math.log10(math.log(float(factor)) / (points - 1))))
    assert all(len(plain_number(x).replace(".", "").strip("0")) <= longest for x in xs[1:-1])


def test_order_of_signed_logarithms():
    plain = np.array([-3.0, -2.0, 0.0, 0.0, 2.0, 3.0, 2.0])
    other = np.array([-2.0, -3.0, 0.0, -1.0, 0.0, 2.0, 2.0 * (1 + 1e-12)])
    with np.errstate(divide="ignore"):
        a, b = (curves.LogValue(np.log(np.abs(v)), np.sign(v)) for v in (plain, other))
    assert order(a, b).tolist() == [-1, 1, 0, 1, 1, 1, 0]


def test_one_vocabulary():
    """Each claim takes what it knows; what none knows is refused, what one misses is said with its key."""
    found = compare(["edelman2022/4.4", "edelman2022/A.12"], ("T", 16, 100), HEAD | dict(H=2))
    assert "no H in edelman2022/4.4" in found.notes
    assert "defaults kappa = 2" in found.notes
    with pytest.raises(InputError, match="unknown parameter 'q'; the chosen claims take eps, d, m, T"):
        compare(["edelman2022/4.4"], ("T", 16, 100), HEAD | dict(q=2))
    with pytest.raises(InputError, match=r"edelman2022/A\.12: missing parameter H"):
        compare(["edelman2022/4.4", "edelman2022/A.12"], ("T", 16, 100), HEAD)
    with pytest.raises(InputError, match="unknown parameter 's'"):
        compare(["edelman2022/4.4"], ("s", 16, 100), HEAD)


def test_forms():
    labels = lambda *forms: [c.label for c in compare(["edelman2022/4.3", "maurey/softmax"], *rest, forms).curves]  # noqa: E731
    rest = (("Delta", 1, 2), at_4_3())
    assert labels() == ["edelman2022/4.3 derived", "maurey/softmax printed"]
    assert labels("all") == ["edelman2022/4.3 printed", "edelman2022/4.3 derived", "maurey/softmax printed"]
    assert labels("printed", "all") == labels("all")
    with pytest.raises(InputError, match=r"edelman2022/4\.3 has no sharp form"):
        labels("sharp")


def at_4_3():
    return {p.name: 1 for p in maurey.claim("edelman2022/4.3").symbols if p.name != "Delta"}


def test_conditions_hold_on_all_of_the_range():
    with pytest.raises(InputError, match="maurey/dudley assumes that the cut-off tau is at most A"):
        compare(["maurey/dudley", "edelman2022/A.6"], ("tau", "0.1", 2), dict(A=1, C_F=1, p_0=0, m=9, c_f=1, Delta=1))
    with pytest.raises(InputError, match="maurey/dudley assumes that the cut-off tau is at most A"):
        compare(["maurey/dudley"], ("A", "0.1", 2), dict(tau=1, C_F=1, p_0=0, m=9))


def test_slack_bounds_are_said():
    found = compare(["edelman2022/A.17"], ("B_V", "0.1", 10), DEEP | dict(L=2))
    assert "B_V_inf = 0.5 is slack: that norm is never above B_V = 0.1" in found.notes
