"""Position vectors and layers with few heads: chances by enumeration, ranks by hand, and floors that are changed."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from mutations import change, only
from sympy import Rational, Symbol

from maurey.verify.checks import Effort
from maurey.verify.papers.mousavi2025 import hard_distribution, heads, positions

TINY = Effort("tiny", 1, seed=3)


# --- Assumption 3 ---------------------------------------------------------------------------------------------------


def signs(d_e):
    return np.array(list(itertools.product((1, -1), repeat=d_e)))


@pytest.mark.parametrize("d_e", range(1, 11))
def test_the_chance_of_a_pair_by_enumeration(d_e):
    inner = np.abs(signs(d_e).sum(axis=1))  # with all ones
    assert positions.violates(d_e) == F(int((2 * inner > d_e).sum()), 2**d_e)


@pytest.mark.parametrize(("N", "d_e"), [(3, 2), (3, 3), (3, 4), (4, 4), (3, 5)])
def test_the_chance_of_all_by_enumeration(N, d_e):
    w = signs(d_e)
    within = np.abs(w @ w.T) * 2 <= d_e
    good = sum(
        all(within[i, j] for i, j in itertools.combinations(chosen, 2))
        for chosen in itertools.product(range(2**d_e), repeat=N)
    )
    exact = F(good, 2 ** (d_e * N))
    assert positions.counted(N, d_e) == exact
    assert positions.all_within(N, d_e) == (exact, exact)


def test_bounds_on_the_chance_hold_where_it_is_counted(monkeypatch):
    exact = {(N, d_e): positions.counted(N, d_e) for N in (3, 4) for d_e in (3, 4, 5, 6)}
    monkeypatch.setattr(positions, "COUNTED", 0)
    for (N, d_e), true in exact.items():
        below, above = positions.all_within(N, d_e)
        assert below <= true <= above


def test_the_audit_of_the_experiments():
    rows = {row.N: row for row in positions.table()}
    assert [row.d_e for row in rows.values()] == [3, 6, 8, 10, 11, 12, 16, 16, 16, 17, 17, 23]  # as the paper has them
    assert rows[2].below == rows[2].above == F(3, 4)
    assert all(row.above < F(1, 2) for N, row in rows.items() if N > 2)
    rng = np.random.default_rng(0)
    w = rng.choice((-1, 1), size=(3000, 6, 8))
    inner = np.abs(np.einsum("nik,njk->nij", w, w)) * 2 > 8
    share = (inner.sum(axis=(1, 2)) == 6).mean()  # each with itself
    assert rows[6].below - F(3, 100) < share < rows[6].above + F(3, 100)
    assert all(row.exist for row in rows.values())


def test_an_even_chance_needs_more_dimensions():
    first, certain = positions.least_dimension(12)
    assert positions.all_within(12, certain)[0] >= F(1, 2)
    assert all(positions.all_within(12, d_e)[1] < F(1, 2) for d_e in range(1, first))
    assert positions.dimension(12) < first <= certain


def test_roots_are_what_they_seem():
    found = np.array(positions.roots(5))
    assert len({tuple(v) for v in found} | {tuple(-v) for v in found}) == 2 * 5 * 4
    gram = found @ found.T
    assert (np.diag(gram) == 2).all()
    assert np.abs(gram - np.diag(np.diag(gram))).max() == 1
    assert (gram[:4, :4] >= 1).all()  # the first lean towards each other
    assert positions.coherence([(1, 1, 0), (1, 1, 1)]) > F(1, 2)
    assert positions.written_down(7, 3) == []


def test_a_tail_that_is_wrong_is_not_proved(monkeypatch):
    assert positions.sign_vectors(TINY).verdict == "holds"
    right = positions.violates
    monkeypatch.setattr(positions, "violates", lambda d_e: 4 * right(d_e))
    assert positions.sign_vectors(TINY).verdict == "undecided"


# --- what few heads leave -------------------------------------------------------------------------------------------


def test_conditional_variances_by_hand():
    assert heads.conditional_variance(fmpq_mat([[1, 0, 0]])) == 4
    assert heads.conditional_variance(fmpq_mat([[1, 2, 3], [0, 1, fmpq(1, 2)]])) == 2
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200_000, 3))
    v = np.array([1.0, 2.0, 2.0]) / 3
    left = (x**2).sum(axis=1) - (x @ v) ** 2  # of which only the mean is known
    assert float(heads.conditional_variance(fmpq_mat([[1, 2, 2]]))) == pytest.approx(left.var(), rel=0.03)


def test_directions_are_the_two_products():
    a, v = fmpq_mat([[1, 2]]), fmpq_mat([[3, 0, 4]])
    rows = {tuple(map(str, row)) for row in heads.directions(a, v).tolist()}
    assert ("1", "0", "0", "2", "0", "0") in rows
    assert ("0", "0", "0", "3", "0", "4") in rows
    assert heads.directions(a, v).rank() == 6 - (2 - 1) * (3 - 1)


@pytest.mark.parametrize("check", [heads.block_diagonal, heads.unrestricted])
def test_floors_hold_where_tokens_suffice_and_fail_where_there_are_none(check):
    found = list(check(TINY))
    assert not only(found, verdict="undecided")
    (fails,) = only(found, verdict="fails")
    assert (fails.rung, fails.edge, fails.true_value) == ("refuted", False, "0")
    assert fails.counterexample["N"] == 2
    assert float(fails.printed_value) > 0
    assert {one.rung for one in only(found, verdict="holds")} == {"proved", "constructed"}


@pytest.mark.parametrize(("key", "check"), [("21", "block_diagonal"), ("4", "unrestricted")])
def test_a_higher_floor_is_not_proved(key, check, monkeypatch):
    H, q = Symbol("H"), Symbol("q")
    for form in ("printed", "derived"):
        with monkeypatch.context() as m:
            change(m, f"mousavi2025/{key}", "risk", form, lambda e: e + H / (1000 * q))
            assert only(getattr(heads, check)(TINY), form=form, rung="proved", verdict="undecided")


@pytest.mark.parametrize(
    ("key", "check", "form"), [("21", "block_diagonal", "derived"), ("4", "unrestricted", "sharp")]
)
def test_another_floor_is_not_what_predictors_reach(key, check, form, monkeypatch):
    change(monkeypatch, f"mousavi2025/{key}", "risk", form, lambda e: Rational(3, 4) * e)
    assert only(getattr(heads, check)(TINY), form=form, rung="constructed", verdict="undecided")


def test_scores_that_look_at_tokens_need_as_many_heads_as_dimensions():
    for law in (
        hard_distribution.Law(1, 1, 8, False),
        hard_distribution.Law(2, 2, 4, False),
        hard_distribution.Law(4, 4, 8, False),
    ):
        assert hard_distribution.risk(law, TINY)[0] < 1e-9
        assert hard_distribution.heads_needed(law.d, law.q, False, 0.0) == law.d
        assert hard_distribution.heads_needed(law.d, law.q, True, 0.0) == law.q


def test_layers_are_run_as_the_paper_has_them():
    """The softmax of <z_i, W z_j> written out again, and that the predictor sees nothing else."""
    law, rng = hard_distribution.Law(2, 2, 3, False), np.random.default_rng(1)
    made, x = hard_distribution.layer(law, rng), rng.normal(size=(4, 3, 2))
    z = hard_distribution.embedded(law, made.w, x)
    assert np.allclose((z[:, :, 2:] ** 2).sum(axis=2), 2 * (1 + 1 / 3))  # |enc|^2 = d (1 + 1/q)
    assert np.abs(made.w @ made.w.T - np.eye(law.N)).max() <= 0.5 + 1e-12
    for k in range(4):
        for h, W in enumerate(made.W):
            e = np.exp([z[k, -1] @ W @ z[k, j] for j in range(law.N)])
            assert np.allclose(hard_distribution.outputs(made, z)[k, h], (e / e.sum()) @ z[k])
    assert law.q <= law.N // 2 - 1
    assert not np.any(z[:, law.N // 2 - 1 :, :2])


def test_the_table_lists_both_kinds():
    rows = hard_distribution.table(TINY, ((2, 1, 2),))
    assert [row.law.restricted for row in rows] == [True, False]
    assert [round(row.sharp, 6) for row in rows] == [0.5, 0.25]
    assert all(abs(row.best - row.sharp) < 6 * row.error for row in rows)
