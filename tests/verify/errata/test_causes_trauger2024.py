"""The findings on Trauger and Tewari 2024: conditions against witnesses, and the numbers that the words quote."""

from fractions import Fraction

import pytest
from sympy import Rational
from sympy.core.relational import Relational

from maurey.numeric.exact import fractions
from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.symbolic.printing import plain
from maurey.verify.checks import Effort
from maurey.verify.errata import rays
from maurey.verify.errata.causes import cause_of, causes, within
from maurey.verify.errata.comparison import compare
from maurey.verify.errata.witnesses import _points
from maurey.verify.matrix import _erratum
from maurey.verify.papers.trauger2024 import chain, covering, deep, finite_classes, reductions, shapes

P, QUICK = "trauger2024/", Effort("quick", 1)
CAUSES = {cause.slug: cause for cause in causes("trauger2024")}
CONDITIONS = [(key, where) for cause in CAUSES.values() for key, where in cause.where.items()]


def value(key, form, part, **at):
    return float(sweep(registry.find(P + key), form, part, **at).value)


def met(relation, point):
    """Whether the relation holds there."""
    named = {symbol: point[symbol.name] for symbol in relation.free_symbols}
    found = relation.subs({symbol: Rational(str(Fraction(x))) for symbol, x in named.items()})
    assert found in (True, False)
    return bool(found)


def last(witness):
    """A witness' point; of a ray, its last."""
    return _points(witness, fractions(witness["at"]))[-1] if "ray" in witness else witness


REFUTING = {  # what objects show
    P + "3.2": lambda: [reductions.without_triangles()],
    P + "3.4": lambda: covering.sums(QUICK, P + "3.4"),
    P + "3.5": lambda: covering.sums(QUICK, P + "3.5"),
    P + "S2.5": lambda: shapes.printed(QUICK),
    P + "4.1": lambda: [*chain.cut_off(QUICK), *chain.below_zero(P + "4.1", QUICK)],
    P + "4.2.1-simplified": lambda: deep.simplified(QUICK),
} | {P + number: lambda number=number: chain.below_zero(P + number, QUICK) for number in ("4.1.1", "D.0.1", "D.0.2")}


@pytest.mark.parametrize(("key", "where"), [pair for pair in CONDITIONS if isinstance(pair[1], Relational)])
def test_a_condition_excludes_its_witnesses_and_nothing_usual(key, where):
    claim = registry.find(key)
    made = [one for one in REFUTING.get(key, list)() if one.verdict == "fails"]
    entries = [*(_erratum(claim, one) for one in made), *compare(claim).errata]
    own = [entry for entry in entries if cause_of(entry).where.get(key) == where]
    if key == P + "F.0.2":
        assert not met(where, deep.EDGE)
    else:
        assert own
    inside = [entry for entry in own if met(where, last(entry.witness))]
    if inside:  # an exponent is open to choice under the condition, and was not without it
        assert len(inside) < len(own)
        assert all("which serves it best" in entry.note for entry in inside)
        assert not any(cause_of(entry).where.get(key) == where for entry in compare(within(claim)).errata)
    if key == P + "3.2":
        assert all(met(where, {"q": q}) for q in reductions.QS if q)  # what its check tries
    for part in claim.parts:
        if part.printed is not None:
            start = rays.start(within(claim), part)
            if {symbol.name for symbol in where.free_symbols} <= set(start):
                assert met(where, start)


@pytest.mark.parametrize("number", ["4.1", "4.1.1", "D.0.1", "D.0.2"])
def test_one_layer_with_rows_bounded_holds_below_the_cut_off(number):
    """Under the condition nothing is left but what other findings say."""
    inside = compare(within(registry.find(P + number)))
    left = {(entry.part, cause_of(entry).slug) for entry in inside.errata}
    expected = {("R", "columns-for-rows")}
    if number == "4.1.1":
        expected |= {("R", "values-bound"), ("R_rows", "values-bound")}
    assert left == expected
    assert not inside.undecided


def test_rows_summed_are_covered_as_printed():
    for number in ("3.4", "3.5"):
        assert {entry.part for entry in compare(registry.find(P + number)).errata} == {"log_N"}


def test_norms_of_at_least_one_leave_the_radius_alone():
    inside = compare(within(registry.find(P + "4.2.1-simplified")))
    assert {cause_of(entry).slug for entry in inside.errata} == {"long-tokens"}


@pytest.mark.parametrize("slug", CAUSES)
def test_the_words_can_be_read_on_a_terminal(slug):
    cause = CAUSES[slug]
    assert "\\" not in plain(f"{cause.title} {cause.explanation} {cause.survives}")


def test_numbers_that_the_words_quote():
    ones = dict.fromkeys(("L_sigma", "B_w_1", "B_C_1inf", "B_V_1inf"), 1)
    assert value("4.1.1", "printed", "R", d=64, k=64, m=300, B_X=6, B_QK_11=1, **ones) == pytest.approx(-61.6, abs=0.05)
    assert value("4.1.1", "printed", "R", d=2, k=1, m=16, B_X=1, B_QK_11=1, **ones) == pytest.approx(1.16, abs=0.005)
    assert float(chain.one_coordinate(16)) == pytest.approx(0.098, abs=0.0005)
    columns = value("3.4", "printed", "log_N", eps="1/2", N=5, d=4, k=100, B_X_1=1, B_W_21=1)
    assert columns == pytest.approx(24, abs=0.05)
    layers = {"eps": "1/16", "L": 2, "L_sigma": 1, "B_w": 1, "B_C": 1, "B_V": 1, "B_QK": 1}
    deep_point = layers | {"L_sigma": 10, "B_X": 1, "C_1": 1, "C_X": 1}
    assert value("4.2", "printed", "log_N", **deep_point) == pytest.approx(4.3e8, rel=0.01)
    assert value("4.2", "derived", "log_N", **deep_point) == pytest.approx(3.7e9, rel=0.01)
    l1_point = layers | {"d": 4, "k": 4, "B_X_1": 1, "B_W_1inf": "1/100"}
    assert value("F.0.1", "printed", "log_N", **l1_point) == pytest.approx(241, abs=0.5)
    assert value("F.0.1", "derived", "log_N", **l1_point) == pytest.approx(6350, abs=0.5)
    at = deep.EXCEEDED["4.2.1"]
    assert value("4.2.1", "printed", "log_N", **at) == pytest.approx(14100, abs=50)
    assert float(deep.restored("4.2.1", at)) == pytest.approx(58600, abs=50)
    assert float(deep.long_tokens(P + "4.2.1", "4.2.1").true_value) > 108000
    alpha, small = 10 * 5, lambda x: x ** (2 / 3)
    terms = [small(2 * 10 * alpha), 1, small(alpha), small(alpha * 10), 1, small(20), small(10)]
    assert sum(terms) ** 3 * 16**2 == pytest.approx(1.8e9, rel=0.02)  # the terms of the proof, without the radius
    read_out = {"eps": "1/16", "d": 1, "k": 1, "L": 2, "L_sigma": 1, "B_w": 1, "B_C": 1, "B_V": 1, "B_W_11": 1}
    small = value("4.2.1-simplified", "printed", "log_N", **read_out, B_X=1, B_QK="1/1000")
    assert small == pytest.approx(0.0003, abs=0.00005)
    assert float(finite_classes.on_the_sample(10**6)[0]) == pytest.approx(0.25, abs=1e-3)


def test_the_sum_of_losses_is_bounded_on_the_worst_sample(monkeypatch):
    """And the check sees a bound that lacks K."""
    assert {one.verdict for one in finite_classes.masking(QUICK)} == {"holds"}
    kept = finite_classes.value
    monkeypatch.setattr(finite_classes, "value", lambda *at: kept(*at) / at[3]["K"])
    assert "undecided" in {one.verdict for one in finite_classes.masking(QUICK)}
