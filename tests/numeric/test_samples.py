"""The smallest sample size, with the two inequalities that prove it; and who is to blame."""

import random
import time
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, exp, log, sqrt

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from points import point
from sympy import Max, Min, Piecewise, Symbol, ceiling

import maurey
from maurey import InputError
from maurey.commands import options
from maurey.numeric.balls import Balls, Unresolved
from maurey.numeric.binding import bind, names_in
from maurey.numeric.blame import blame, shares_of
from maurey.numeric.exact import to_rational
from maurey.numeric.samples import certified, samples
from maurey.numeric.slopes import Line, Slopes
from maurey.numeric.walk import Undefined, run
from maurey.symbolic import registry
from maurey.symbolic.claim import Assumption, Claim, Parameter, Part

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


def made_up(bound):
    """A claim that says so of m alone."""
    symbols = (Parameter("m", "m", "samples", "positive integer"),)
    return Claim("made/up", "", "generalization", "", symbols, parts=(Part("gap", "", "", printed=lambda _: bound),))


m, u = Symbol("m"), Symbol("u")
BUMP = Piecewise((1 / m, m <= 50), (sympy.Rational(2, 5), m <= 60), (1 / m, True))
BOUNDS = [
    (3 * ceiling(m / 7) / m, lambda m: Fraction(3 * ceil(Fraction(m, 7)), m), "0.5"),
    (3 * ceiling(m / 7) / m, lambda m: Fraction(3 * ceil(Fraction(m, 7)), m), "0.43"),
    (ceiling(10 * sympy.sqrt(m)) / m, lambda m: ceil(10 * sqrt(m)) / m, "0.1967"),
    ((ceiling(3 * sympy.sqrt(m)) - 1) / m, lambda m: (ceil(3 * sqrt(m)) - 1) / m, "0.0711"),
    (100 / (ceiling(m / 9) * ceiling(m / 5)), lambda m: 100 / (ceil(m / 9) * ceil(m / 5)), "0.0123"),
    (BUMP, lambda m: 0.4 if 50 < m <= 60 else 1 / m, "0.3"),
    (BUMP, lambda m: 0.4 if 50 < m <= 60 else 1 / m, "0.41"),
    (sympy.log(m) / sympy.sqrt(m), lambda m: log(m) / sqrt(m), "0.3"),
    (sympy.log(m) / sympy.sqrt(m), lambda m: log(m) / sqrt(m), "0.7357"),
    (20 * sympy.log(m / 40) / m, lambda m: 20 * log(m / 40) / m, "0.1"),
    (20 * sympy.log(m / 40) / m, lambda m: 20 * log(m / 40) / m, "0.1839"),
    (m * sympy.exp(-m / 50), lambda m: m * exp(-m / 50), "1"),
    (Max(2 / m, 1 / sympy.sqrt(m)), lambda m: max(2 / m, 1 / sqrt(m)), "0.031"),
    (1 / sympy.sqrt(m) - 5 / m, lambda m: 1 / sqrt(m) - 5 / m, "0.049999"),
    (Min(1, 30 / m) - 1 / m, lambda m: min(1, 30 / m) - 1 / m, "0.0171"),
    (Min(1, 30 / m, 3 / sympy.sqrt(m)) + 1 / m, lambda m: min(1, 30 / m, 3 / sqrt(m)) + 1 / m, "0.0171"),
    (
        sympy.Integral(1 / (m * u + 1), (u, sympy.Rational(1, 10), 2)),
        lambda m: log((2 * m + 1) / (m / 10 + 1)) / m,
        "0.0117",
    ),
    (1 / (m - 30) ** 2 + 1 / m, lambda m: 1 / (m - 30) ** 2 + 1 / m if m != 30 else 9, "0.0321"),
]


@pytest.mark.parametrize(("bound", "value", "gap"), BOUNDS)
def test_against_plain_scans(bound, value, gap):
    """Jumps up at ceilings, bumps, falls from below zero, holes in the domain: the last m above, up to 4,000."""
    values = [value(m) for m in range(1, 4001)]
    assert all(isinstance(v, Fraction) or abs(v - float(gap)) > 1e-7 for v in values)  # no tie in doubles
    assert max(values[3000:]) < Fraction(gap)
    found = samples(made_up(bound), gap)
    assert found.m == max((m for m, v in enumerate(values, 1) if v > Fraction(gap)), default=0) + 1


@pytest.mark.parametrize(("form", "part"), [("derived", "gap"), ("sharp", "gap"), ("derived", "R"), ("printed", "R")])
def test_random_bounds_against_plain_scans(form, part):
    """The gap is a value of the bound, a little more or a little less: every m that exceeds it is counted."""
    claim = maurey.claim("edelman2022/2.2" if part == "gap" else "edelman2022/A.3")
    rng, compared = random.Random(form + part), 0
    for _ in range(20):
        at = {n: v for n, v in point(claim.record, rng).items() if n != "m"}
        at |= {"C_F": Fraction(rng.randint(1, 99), 100), "A": Fraction(rng.randint(1, 50), 10)}
        values = claim.sweep(form, **at, m=np.arange(1, 2001)).value
        gap = values[rng.randint(200, 1800)] * rng.choice([1 - 1e-9, 1 + 1e-9])
        if max(values[1900:]) < gap:
            last = max((m for m, v in enumerate(values, 1) if v > gap), default=0)
            assert samples(claim.record, Fraction(gap), form, **at).m == last + 1
            compared += 1
    assert compared > 10


def test_a_tie_at_the_peak():
    """The printed A.3 has its peak, exactly c A, at m = C_F / A^2."""
    claim, at = registry.find("edelman2022/A.3"), dict(C_F=900, A=3)
    assert samples(claim, 36, "printed", **at).m == 1
    below = samples(claim, "35.9999", "printed", **at)
    assert below.m == 101
    assert certified(below.before, above=True) == 36


def test_assumptions_on_m():
    """What a claim does not allow is not below the gap, in a range either."""
    small = replace(made_up(1 / m), assumes=(Assumption(m <= 10**30, "m is at most 10^30"),))
    assert samples(small, "1/10").m == 10
    smaller = replace(made_up(1 / m), assumes=(Assumption(m <= 1000, "m is at most 1000"),))
    assert samples(smaller, "1/10") is None
    hole = replace(made_up(1 / m), assumes=(Assumption((m - 500) * (m - 600) >= 0, "m is not between 500 and 600"),))
    assert samples(hole, "1/10").m == 600


def test_far_out():
    """A bump between two points far out where the bound is small; and an m at which it says nothing."""
    bump = Piecewise((1 / m, m < 2**30), (1, m < 2**31), (1 / m, True))
    assert samples(made_up(bump), "1/2").m == 2**31
    hole = samples(made_up(Piecewise((1 / m, m < 50), (2 / m, m > 50))), "1/10")
    assert hole.m == 51
    assert hole.before is None


WITH_M = [
    (claim.key, part.name, form)
    for claim in registry.all_claims()
    if any(p.name == claim.samples for p in claim.symbols)
    for part in claim.parts
    for form in part.forms
    if claim.samples in names_in(step.expr for step in part.steps(form))
]
NO_LINES = {  # a difference comes first, or a maximum in the only step with m: there balls must do
    *(("mousavi2025/9", "risk", form) for form in ("printed", "derived")),
    ("mousavi2025/37", "gap", "sharp"),
    ("mousavi2025/36", "total", "sharp"),
    ("mousavi2025/20", "level", "repaired"),
    *(("trauger2024/4.1", "delta_star", form) for form in ("printed", "repaired")),
    ("trauger2024/4.1", "E", "printed"),
    ("mousavi2025/12", "P", "repaired"),
    *(("clopper1934/upper", "risk", "printed"), ("maurey/finite-pool", "share", "printed")),
    ("maurey/occam", "count", "derived"),
    *(("maurey/prequential", part, "printed") for part in ("fixed", "mixture")),
    ("maurer2009/4", "risk", "printed"),
    *((f"trauger2024/D.0.{n}", part, "printed") for n in (1, 2) for part in ("R", "R_rows")),
}


@pytest.mark.parametrize(("key", "part", "form"), WITH_M)
def test_lines_hold_over_their_range(key, part, form):
    """Every step at points of the range is where the line from its lower end says."""
    claim, rng = registry.find(key), random.Random(key + part + form)
    compared = 0
    for width in (2**-40, 2**-10, 1, 2**20, 2**64):
        at = point(claim, rng)
        if {"tau", "A"} <= set(at):
            at["tau"] = str(Fraction(str(at["A"])) / rng.randint(2, 50))
        at |= {"d": 2, "m": 9} if "trauger2024/D" in key else {}  # D.0.2 divides by the logarithm of d
        bound = bind(claim, form, part, at)
        low = rng.randint(1, 10) * 10 ** rng.randint(1, 25)
        high = low + max(1, int(low * width))
        with ctx.workprec(192):
            given = {name: to_rational(v) for name, v in bound.values.items()}
            field, lines = Slopes(bound.steps, low, high), given | {claim.samples: Line(fmpq(low), fmpq(1))}
            try:
                for step in bound.steps:
                    lines[step.name] = run([step], lines, field)
            except Unresolved:
                pass
            for inner in (low, rng.randint(low, high), high):
                values, balls = given | {claim.samples: fmpq(inner)}, Balls(bound.steps)
                for step in bound.steps:
                    try:
                        values[step.name] = run([step], values, balls)
                    except Undefined:
                        break  # tails of so many counts are not summed
                    if isinstance(line := lines.get(step.name), Line):
                        there = line.at * (line.slope * arb(fmpq(inner, low)).log()).exp()
                        assert arb(there).overlaps(arb(values[step.name])), step.name
                        compared += 1
    assert bool(compared) == ((key, part, form) not in NO_LINES)


@pytest.mark.parametrize("L", [1, 2, 5, 30])
def test_deep_networks(L):
    claim = registry.find("edelman2022/A.17")
    layers = DEEP | {"B_V": [Fraction(8 + i % 3, 8) for i in range(L)]}
    derived, sharp = (
        samples(claim, "0.1", form, "gap", L=L, L_loss=1, b=1, delta="1/20", **layers) for form in ("derived", "sharp")
    )
    assert sharp.m * 1000 < derived.m
    for found in (derived, sharp):
        assert certified(found.at_m, above=False) <= Fraction(1, 10) < certified(found.before, above=True)


def test_a_line_on_stderr_when_it_takes_long(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with options.patience("quick"):
        pass
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(options, "PATIENCE", 0.05)
    with options.patience("slow") as report:
        time.sleep(0.3)
        report("slower")
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == ""
    assert "slow" in err
    assert "slower" in err


def test_samples_tell_how_far_they_are():
    told = []
    samples(registry.find("edelman2022/2.2"), "0.1", report=told.append, **GAP)
    assert any("ranges certified: 1" in line for line in told)


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


def test_a_length_has_a_share_where_no_list_is_given():
    claim, at = registry.find("lintilhac2026/10"), dict(D=2, T=20, d=21)
    found = blame(claim, "printed", "v_2", omega=10, **at)
    (share,) = (one.share for one in found.shares if one.name == "omega")
    assert share == pytest.approx(log(10))
    listed = blame(claim, "sharp", "v_2", coefficient=[1, 2], **at)
    assert {one.name for one in listed.shares} == {"coefficient[1]", "coefficient[2]", "constants"}


def test_blame_in_pieces(monkeypatch):
    """Points that are too many to hold at once are taken a few at a time."""
    at = dict(part="minimum", alpha=[1, 8, 3], beta=[1, 2, 5], C=2)
    claim, told = registry.find("edelman2022/A.8"), []
    whole = blame(claim, **at)
    monkeypatch.setattr("maurey.numeric.blame.MOST_HELD", 49 * 30)
    pieces = shares_of(claim, "", at.pop("part"), at, told.append)
    assert pieces == whole
    assert told[:2] == [f"moving 7 quantities, step {step} of 400" for step in (1, 31)]


def test_nothing_moves():
    """The form has no quantity but constants."""
    found = blame(registry.find("edelman2022/B.2"), "", "W_V", coherence=0, T=7, gamma=1, s=2)
    assert [row.name for row in found.shares] == ["constants"]


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


def test_a_claim_that_asks_for_many_samples():
    """Theorem 4.1 of Trauger and Tewari assumes m > d: smaller m are not allowed, and the answer begins above them."""
    at = dict(d=64, k=64, L_sigma=1, B_X=1, B_w_1=1, B_C_1inf=1, B_V_1inf=1, B_QK_11=1)
    found = samples(maurey.claim("trauger2024/4.1.1").record, "1e9", **at)
    assert (found.m, found.before) == (65, None)
    small = samples(maurey.claim("trauger2024/4.1.1").record, "1/10", "sharp", "R_rows", **at)
    below, above = (
        maurey.claim("trauger2024/4.1.1").enclose("sharp", "R_rows", m=m, **at) for m in (small.m, small.m - 1)
    )
    assert below.upper <= Decimal("0.1") < above.lower
