"""Reports on architectures: covering numbers against a second computation, sample sizes, shares, what is refused."""

import re
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from by_hand import bert, by_counting, by_norms, gpt
from models import architecture
from mpmath import mpf

from maurey.numeric.report import frozen_labels, report
from maurey.numeric.routes import ROUTES, Asked, subject
from maurey.symbolic.errors import InputError

BIASES = {f"{name}_bias": 1 for name in ("Q", "K", "V", "O", "W1", "W2")}
MATRICES = {"Q": 3, "K": 3, "V": 2, "O": 2, "W1": 4, "W2": 4, "E_rows": 1, "P_rows": 1}
GAINS = {"N1_gain": 1, "N2_gain": Fraction(3, 2), "N3_gain": 1}
BERT_NORMS = MATRICES | BIASES | {
    "S_rows": 1, "head": 2, "N0_gain": 1, "N0_bias": 1, "N1_gain": 1, "N1_bias": 1, "N2_gain": Fraction(3, 2),
    "N2_bias": Fraction(1, 2),
}  # fmt: skip
SIZES = dict(layers=6, width=384, hidden=1536)
BERT = architecture("bert", BERT_NORMS, **SIZES, heads=12, vocabulary=30522, context=512, norm_eps=Fraction("1e-12"),
                    read="mean", outputs=2, pooler="")  # fmt: skip
BERT = replace(BERT, loss=replace(BERT.loss, margin=Fraction(1)))
GPT = architecture("gpt", MATRICES | GAINS | {"Q_bias": 1}, **SIZES, heads=6, vocabulary=50257, context=1024,
                   norm_eps=Fraction("1e-5"))  # fmt: skip
GPT = replace(GPT, loss=replace(GPT.loss, cap=Fraction(10)))
TINY = architecture("bert")
SAMPLES = 10**10
LETTERS = dict(T="context", d="width", d_ff="hidden", H="heads", L="layers", K="vocabulary", types="types")


@pytest.fixture(scope="module")
def reports():
    return {"bert": report(BERT, SAMPLES), "gpt": report(GPT, SAMPLES)}


def by_hand(a, m):
    s = {letter: getattr(a, name) for letter, name in LETTERS.items()}
    s |= {"eps": mpf(a.norm_eps.numerator) / a.norm_eps.denominator, "classes": a.outputs}
    n = {name: mpf(x.numerator) / x.denominator for name, x in a.norms.items()}
    return (bert if a is BERT else gpt)(s, n, m)


def second(route, a, row, m):
    """The log covering number at the resolution of the row."""
    weights = by_hand(a, m)
    if route == "bits":
        stored = sum(w.count for w in weights) + ("K_bias" in a.norms) * a.layers * a.width
        return stored * 32 * mpmath.log(2)
    eps = mpf(str(row.resolution.value))
    if route in ("net", "counting"):
        return by_counting(weights, eps, everywhere=route == "net")
    return by_norms(weights, everywhere=route == "norm net") / eps**2


@pytest.mark.parametrize("model", ["bert", "gpt"])
@pytest.mark.parametrize("route", ["bits", "net", "counting", "norms", "norm net"])
def test_log_covering_numbers_against_a_second_computation(reports, model, route):
    a = {"bert": BERT, "gpt": GPT}[model]
    row = next(row for row in reports[model].rows if row.route == route)
    with mpmath.workdps(40):
        expected = second(route, a, row, SAMPLES)
        assert abs(mpf(str(row.log_N.value)) / expected - 1) < mpf("1e-6")


@pytest.mark.parametrize("model", ["bert", "gpt"])
def test_the_least_sample_size_is_certified_on_both_sides(reports, model):
    found = reports[model]
    for row in found.rows:
        assert row.at_least.upper <= found.range < row.before.lower, row.route
    assert [row.route for row in found.rows] == list(ROUTES)


@pytest.mark.parametrize("model", ["bert", "gpt"])
def test_shares_sum_to_one_and_stretches_are_there(reports, model):
    found = reports[model]
    for route in ROUTES:
        shares = [s.share for s in found.blame if s.route == route]
        assert abs(sum(shares) - 1) < Fraction(1, 10**9)
        assert min(shares) > 0
    assert sorted(s.layer for s in found.stretches if s.layer) == [1, 2, 3, 4, 5, 6]


def test_delta_is_split_over_the_routes_that_are_shown(reports):
    assert reports["bert"].each == Fraction(1, 20) / 6
    assert report(replace(TINY, norm_eps=Fraction(0))).each == Fraction(1, 20)


def test_a_change_that_helps_is_computed(reports):
    """What is said of the tables of words frozen is what is found where they are."""
    said = next(h for h in reports["gpt"].helps if "frozen" in h.change and h.route == "bits")
    held = Asked(subject(GPT), frozenset(("E", "P"))).row("bits", reports["gpt"].each, None, lambda _: None)
    assert (said.m_least, said.m_now) == (held.m_least, reports["gpt"].rows[0].m_least)
    assert said.m_least < said.m_now


REFUSED = {
    "eps = 0 has no Lipschitz constant": dict(norm_eps=Fraction(0)),
    "top-k routing, 2 of 4 experts, is not continuous": dict(experts=4, top_k=2),
    "the 0-1 loss is Lipschitz in nothing": dict(loss=replace(TINY.loss, kind="0-1")),
}


@pytest.mark.parametrize("why", REFUSED)
def test_bits_stand_where_all_else_is_refused(why):
    found = report(replace(TINY, **REFUSED[why]), SAMPLES)
    bits, *others = found.rows
    assert bits.gap is not None
    assert not bits.refused
    assert all(why in row.refused and row.gap is None for row in others)
    assert any(h.status == "refused" for h in found.rests)


def test_experts_count_as_often_as_there_are():
    routed = replace(TINY, experts=8, top_k=2, norms=TINY.norms | {"router": Fraction(1)})
    mlp = 2 * (2 * 4 * 4 + 4 + 4)
    assert Asked(subject(routed)).numbers() - Asked(subject(TINY)).numbers() == 7 * mlp + 2 * 8 * 4


def test_frozen_patterns():
    assert frozen_labels(TINY, ("N2*", "E")) == {"N2_bias", "N2_gain", "E"}
    with pytest.raises(InputError, match="nothing is called 'X'"):
        report(TINY, frozen=("X",))
    with pytest.raises(InputError, match=re.escape("everything is frozen")):
        report(TINY, frozen=("*",))


def test_without_norms_the_bound_is_a_formula():
    found = report(architecture("bert", {}))
    bits, *others = found.rows
    assert bits.m_least
    assert all(row.claim is not None and "formula" in row.refused for row in others)
