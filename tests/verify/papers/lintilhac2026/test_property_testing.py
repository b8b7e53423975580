"""Tests of degree and sparsity: one-sided always, as sure as they say where nothing cancels, and where they are not."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mutations import change, only
from sympy import Rational

from maurey.symbolic.claim import InputError
from maurey.verify.checks import EFFORTS
from maurey.verify.papers.lintilhac2026 import property_testing as testing
from maurey.verify.papers.lintilhac2026.network import property_testing as pt
from maurey.verify.training.tasks import walsh

DOUBT = Fraction(1, 20)


def bits(T):
    return walsh.all_strings(T).astype(int)


def parity(T):
    return bits(T).sum(axis=1) % 2


def known(T):
    """Boolean functions with the degree over GF(2), the Fourier degree and the sparsity that are known for them."""
    z = bits(T)
    return {
        "constant": (z[:, 0] * 0 + 1, 0, 0, 0),
        "one bit": (z[:, 1], 1, 1, 1),
        "parity": (parity(T), 1, T, 1),
        "even parity": (1 - parity(T), 1, T, 1),
        "and": (z.prod(axis=1), T, T, 2**T - 1),
        "majority of 3": ((z[:, :3].sum(axis=1) > 1).astype(int), 2, 3, 4),
        "x1 + x2 x3": (z[:, 0] ^ z[:, 1] & z[:, 2], 2, 3, 4),
        "inner product": (z[:, 0] & z[:, 1] ^ z[:, 2] & z[:, 3], 2, 4, 15),
    }


@pytest.mark.parametrize("name", known(4))
def test_first_accepted_levels_are_fourier_degree_and_sparsity_not_the_degree_over_gf2(name):
    table, algebraic, degree, sparsity = known(4)[name]
    spectrum = walsh.transform(table)
    assert (walsh.algebraic_degree(table), walsh.degree(spectrum), walsh.sparsity(spectrum)) == (
        algebraic, degree, sparsity
    )  # fmt: skip
    rng = np.random.default_rng(1)
    assert pt.degree(pt.of_table(table), Fraction(1, 10**9), rng) == degree  # doubts that no draw will meet
    assert pt.sparsity(pt.of_table(table), 4, Fraction(1, 2), DOUBT, rng, tau=1e-9) == sparsity


@pytest.mark.parametrize(("D", "omega"), [(1, 1), (1, 6), (2, 3), (3, 6), (5, 2)])
def test_functions_with_the_property_are_never_rejected(D, omega):
    rng = np.random.default_rng((D, omega))
    target = walsh.random_target(9, D, omega, rng)
    oracle = pt.of_target(target)
    for k in range(D, 6):
        assert pt.has_degree(oracle, k, DOUBT, rng)
    for r, s in itertools.product((1, 4, 9), range(omega, 8)):
        assert pt.has_sparsity(oracle, s, r, Fraction(1, 10), DOUBT, rng, tau=1e-12)


def test_an_oracle_is_the_target_and_counts_its_queries():
    rng = np.random.default_rng(0)
    target = walsh.random_target(20, 3, 7, rng)
    oracle = pt.of_target(target)
    codes = rng.integers(0, 2**20, size=(5, 40))
    z = (codes[..., None] >> np.arange(20) & 1).reshape(-1, 20)
    assert oracle(codes).ravel() == pytest.approx(walsh.values(target, z))
    assert oracle.queries == 200
    wide = walsh.Target(40, ((0, 20, 39),), (1.0,))
    assert pt.of_target(wide)(np.array([0, 1, 1 | 1 << 39, 1 << 20 | 1 << 39 | 1])).tolist() == [1, 0, 1, 0]


def test_queries_are_those_of_the_formulas_when_a_level_is_accepted():
    rng = np.random.default_rng(0)
    for k in range(4):
        oracle = pt.of_target(walsh.random_target(12, max(k, 1), 5, rng))
        assert pt.has_degree(oracle, max(k, 1), DOUBT, rng)
        assert oracle.queries == pt.queries_of_degree(max(k, 1), DOUBT)
    oracle = pt.of_target(walsh.random_target(12, 2, 3, rng))
    assert pt.has_sparsity(oracle, 3, 6, Fraction(1, 30), DOUBT, rng)
    assert oracle.queries == pt.queries_of_sparsity(6, Fraction(1, 30), DOUBT) == math.ceil(30 * math.log(20)) * 64
    assert [pt.queries_of_degree(k, DOUBT) for k in range(4)] == [12, 56, 256, 1264]


@pytest.mark.parametrize("k", range(4))
def test_the_chance_of_a_hit_by_listing_all_labels(k):
    for n in range(7):
        words = list(itertools.product(range(k + 2), repeat=n))
        odd = sum(all(word.count(i) % 2 for i in range(1, k + 2)) for word in words)
        assert pt.hit(n, k) == Fraction(odd, len(words))
    assert pt.hit(k + 1, k) == Fraction(math.factorial(k + 1), (k + 2) ** (k + 1))
    assert all(pt.hit(n, k) <= pt.hit(n + 1, k) for n in range(k, 40))


def test_a_trial_rejects_one_component_as_often_as_it_is_hit():
    for T, k in ((3, 0), (3, 1), (3, 2), (4, 1), (5, 1), (4, 2)):
        assert pt.rejection(parity(T).tolist(), k) == pt.hit(T, k)
    assert pt.rejection((1 - parity(4)).tolist(), 1) == pt.hit(4, 1)  # the constant does not matter


def test_components_can_cancel_and_a_trial_rejects_more_seldom():
    y = 1 - 2 * bits(4)
    product = (y[:, 0] + y[:, 1]) * (y[:, 2] + y[:, 3])  # four components of degree 2, equal coefficients
    assert pt.seldom(0, 4) <= pt.rejection(product.tolist(), 0) == Fraction(13, 32) < pt.hit(1, 0)
    conjunction = bits(5).prod(axis=1)
    for k in range(5):  # blocks that are not empty, and a cube that holds the one string
        full = sum((-1) ** j * math.comb(k + 1, j) * Fraction(k + 2 - j, k + 2) ** 5 for j in range(k + 2))
        assert pt.rejection(conjunction.tolist(), k) == full * Fraction(2**k, 2**4) >= pt.seldom(k, 31)


def test_rejections_are_as_frequent_as_the_exact_number_says():
    rng = np.random.default_rng(5)
    table = bits(4).prod(axis=1)
    oracle = pt.of_table(table)
    n, k = 20_000, 1
    blocks = pt.blocks_of(rng.integers(0, k + 2, size=(n, 4)), k)
    share = float((pt.alternating(oracle, rng.integers(0, 16, size=n), blocks) != 0).mean())
    p = float(pt.rejection(table.tolist(), k))
    assert abs(share - p) < 5 * math.sqrt(p / n)


def test_restrictions_merge_components():
    assert pt.shows_more([0b01, 0b10], 2, 1, 1) == 0  # one free position has one component
    assert pt.shows_more([0b0001, 0b0010], 4, 2, 1) == Fraction(1, 6)
    assert pt.shows_more([0b0011, 0b0101], 4, 4, 1) == 1
    sums = walsh.Target(8, tuple((j,) for j in range(8)), (1,) * 8)
    rng = np.random.default_rng(0)
    found = [pt.sparsity(pt.of_target(sums), r, Fraction(1, 20), DOUBT, rng, tau=1e-9) for r in (3, 6, 8)]
    assert found == [3, 6, 8]


def test_the_energy_beyond_the_largest_coefficients():
    spectra = np.array([[9.0, 1, -3, 2], [0, 0, 0, 1]])
    assert [pt.tail(spectra, s).tolist() for s in range(5)] == [[14, 1], [5, 0], [1, 0], [0, 0], [0, 0]]
    rng = np.random.default_rng(3)
    target = walsh.random_target(8, 2, 5, rng)
    made = pt.restricted(pt.of_target(target), 8, 3, rng)
    for spectrum in made:  # all positions free, in a drawn order
        assert np.sort(np.abs(spectrum[1:]))[-5:] == pytest.approx(np.sort(target.c) / 2)


def test_larger_eps_reports_lower_levels():
    levels = []
    for eps in (Fraction(1, 50), Fraction(1, 10)):
        target = walsh.random_target(10, 2, 8, np.random.default_rng(4))
        levels.append(pt.sparsity(pt.of_target(target), 10, eps, DOUBT, np.random.default_rng(0)))
    assert levels[1] < levels[0] < 8


def test_trials_are_exact_ceilings():
    assert pt.trials(DOUBT, Fraction(1, 100)) == math.ceil(100 * math.log(20))
    assert pt.trials(Fraction(9, 10), Fraction(1)) == 1
    for p, doubt in itertools.product((Fraction(2, 9), Fraction(5, 324)), (Fraction(1, 7), Fraction(1, 10**12))):
        R = pt.trials(doubt, p)
        assert math.exp(-p * R) <= doubt < math.exp(-p * (R - 1))
        assert (1 - p) ** R <= doubt


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: pt.of_table([1, 2, 3]), "3 values"),
        (lambda: pt.of_target(walsh.Target(63, ((0,),), (1,))), "T = 63"),
        (lambda: pt.trials(Fraction(1), Fraction(1, 2)), "a doubt in"),
        (lambda: pt.trials(DOUBT, Fraction(0)), "a probability in"),
        (lambda: pt.has_sparsity(pt.of_table([0, 1]), 1, 2, DOUBT, DOUBT, np.random.default_rng(0)), "r = 2"),
        (lambda: pt.rejection([0] * 2**12, 3), "too many to list"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InputError, match=says):
        call()


# --- the checks of appendix H ----------------------------------------------------------------------------------------


def run(*checks):
    return [result for one in checks for result in one(EFFORTS["quick"])]


def test_what_is_said_of_one_component_holds_and_what_is_said_of_all_functions_is_refuted():
    found = run(testing.hits, testing.repetitions, testing.one_component, testing.cancellation, testing.slices)
    failing = [one for one in found if one.verdict != "holds"]
    assert {(one.part, one.form, one.verdict) for one in failing} == {
        ("components", "printed", "fails"),
        ("slices", "printed", "fails"),
    }
    (one,) = only(failing, part="components")
    assert (
        Fraction(one.true_value)
        > Fraction(one.printed_value)
        == testing.number("printed", "components", k=one.counterexample["k"], delta=DOUBT)
    )
    assert {(one.part, one.form) for one in found} >= {
        (part, form)
        for part in ("repetitions", "queries", "component", "components", "slices")
        for form in ("printed", "derived", "sharp")
        if (part, form) != ("repetitions", "derived")
    }


@pytest.mark.parametrize(
    ("part", "form", "of", "check"),
    [
        ("hit", "printed", lambda p: p * Rational(101, 100), testing.hits),
        ("hit", "derived", lambda p: p / 2, testing.hits),
        ("repetitions", "printed", lambda R: R - 1, testing.repetitions),
        ("repetitions", "sharp", lambda R: R - 1, testing.repetitions),
        ("queries", "derived", lambda q: q / 2, testing.repetitions),
        ("component", "sharp", lambda q: q / 2, testing.one_component),
        ("components", "derived", lambda q: q / 4, testing.cancellation),
        ("slices", "sharp", lambda q: 2 * q, testing.slices),
    ],
)
def test_a_changed_claim_is_not_proved(monkeypatch, part, form, of, check):
    change(monkeypatch, testing.KEY, part, form, of)
    assert {one.verdict for one in only(run(check), part=part, form=form)} == {"undecided"}


def test_products_by_factors_and_by_listing():
    for d, k in ((1, 0), (2, 0), (2, 1), (3, 1)):
        assert testing.rejects_product(d, k) == pt.rejection(testing.products(d), k)
