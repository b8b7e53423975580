"""Section 3 of Trauger and Tewari: covers against brute force, witnesses looked at again, and broken steps caught."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb

from maurey.numeric.evaluation import value
from maurey.numeric.walk import Undefined
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, checks_of, exemption_of
from maurey.verify.covers import finite_maps, l1_balls, linear, rounding
from maurey.verify.covers.finite_maps import basis
from maurey.verify.covers.instances import built
from maurey.verify.packings import linear as packed
from maurey.verify.packings.classes import assumed, points
from maurey.verify.papers.trauger2024 import covering, reductions, shapes, sparsification

TINY = Effort("tiny", 1, seed=3)
S2_5 = shapes.KEY


def only(results, **wanted):
    return [one for one in results if all(getattr(one, name) == x for name, x in wanted.items())]


def run(check):
    made = check(TINY)
    return [made] if isinstance(made, Result) else list(made)


# --- 3.1 ------------------------------------------------------------------------------------------------------------


def test_the_printed_error_of_maurey_is_refuted_by_all_tuples():
    (found,) = only(run(sparsification.error), verdict="fails")
    at = found.counterexample
    V, alpha, k = (np.array(at["V"], dtype=float), np.array([float(F(x)) for x in at["alpha"]]), at["k"])
    f, b, gamma = alpha @ V, np.linalg.norm(V, axis=1).max(), alpha.sum()
    assert float(F(at["b"])) == b
    assert float(F(at["f_norm"])) == pytest.approx(np.linalg.norm(f))
    best = min(
        ((f - np.array(t) @ V / k) ** 2).sum() for t in itertools.product(range(k + 1), repeat=len(V)) if sum(t) <= k
    )
    assert best > (gamma**2 * b**2 - f @ f) / k + 0.1
    assert float(F(found.true_value)) == pytest.approx(best)
    assert float(F(found.printed_value)) == pytest.approx((gamma**2 * b**2 - f @ f) / k)
    assert best <= (gamma * b**2 - f @ f) / k + 1e-12  # the derived form


def test_the_mean_over_draws_is_the_variance_of_one_term():
    half = F(1, 2)
    f = sparsification.Mixture(((F(1), F(0)), (F(0), F(1))), (half, F(1, 4)), 2)
    # by hand: E|V|^2 = 3/4 and |f|^2 = 5/16
    assert sparsification.mean_error(f) == (F(3, 4) - F(5, 16)) / 2


def test_a_bound_that_is_too_good_is_refuted(monkeypatch):
    good = sparsification.bound("derived")
    monkeypatch.setattr(sparsification, "bound", lambda form: lambda *a, **at: good(*a, **at) * F(99, 100))
    assert only(run(sparsification.error), verdict="fails", form="derived")


@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 5), (3, 2), (4, 4)])
def test_tuples_are_counted(d, k):
    assert len(sparsification.tuples(d, k)) == math.comb(d + k, k)


def test_the_printed_count_is_refuted_where_it_is_too_small():
    proved, full, fails = run(sparsification.count)
    assert (proved.verdict, proved.rung, proved.form) == ("holds", "proved", "derived")
    assert (full.verdict, full.rung, full.form) == ("holds", "proved", "printed")  # tuples that sum to k
    d, k = fails.counterexample["d"], fails.counterexample["k"]
    assert len({tuple(t) for t in fails.counterexample["tuples"]}) > d**k == int(fails.printed_value)


# --- finite classes, exactly ----------------------------------------------------------------------------------------


def test_powers_are_rational_where_they_are():
    assert finite_maps.power(F(-9, 4), F(1, 2)) == F(3, 2)
    assert finite_maps.power(F(-3), F(3)) == 27
    assert finite_maps.power(F(0), F(1, 2)) == 0
    ball = finite_maps.power(F(2), F(1, 2))
    assert isinstance(ball, arb)
    assert ball.overlaps(arb(2).sqrt())


def test_what_balls_do_not_decide_is_undefined():
    root = finite_maps.power(F(2), F(1, 2))
    assert finite_maps.smaller(root, F(3, 2))
    assert not finite_maps.smaller(F(3, 2), root)
    with pytest.raises(Undefined):
        finite_maps.smaller(root, root)


def test_smallest_covers_by_hand():
    line = [((F(x),),) for x in range(7)]  # 0, ..., 6 on the line, one input
    for eps, number in ((F(1), 7), (F(3, 2), 3), (F(5, 2), 2), (F(7, 2), 1)):
        assert len(finite_maps.smallest_cover(line, [(F(1),)], F(2), eps)) == number


@pytest.mark.parametrize("q", [F(1, 2), F(1), F(3, 2), F(2), F(3)])
def test_distances_are_norms(q):
    rng = np.random.default_rng(1)
    for _ in range(50):
        v = [F(int(x), 7) for x in rng.integers(-20, 20, 3)]
        norm = float(sum(abs(float(x)) ** float(q) for x in v) ** (1 / float(q)))
        for eps in (F(1, 3), F(2), F(9)):
            if abs(norm - eps) > 1e-9:
                assert finite_maps.within(v, q, eps) == (norm < eps)


# --- 3.2 and A ------------------------------------------------------------------------------------------------------


def test_the_basis_is_not_enough_without_the_triangle_inequality():
    holds, _, fails = run(reductions.equality)
    assert (holds.verdict, holds.form) == ("holds", "printed")
    at = fails.counterexample
    zero, D = (np.array([[float(F(x)) for x in row] for row in W]) for W in at["W"])
    eps = float(F(at["eps"]))
    inputs = np.array([[float(F(x)) for x in row] for row in at["points"]])
    assert np.abs(inputs).sum(1).max() <= 1
    assert len(inputs) >= at["d"]
    assert not zero.any()

    def distance(x):
        return np.sqrt(np.abs(D @ x)).sum() ** 2

    assert max(distance(e) for e in np.eye(2)) < eps < max(distance(x) for x in inputs)
    assert (fails.printed_value, fails.true_value) == ("0", "0.693147")


def test_a_basis_with_too_few_vectors_is_caught(monkeypatch):
    whole = basis
    monkeypatch.setattr(reductions, "basis", lambda d, R: whole(d, R)[: max(1, d - 1)])
    assert next(reductions.equality(TINY)).verdict == "fails"


def test_rows_put_together_reach_the_stated_resolution():
    found = run(reductions.rows)
    assert {(one.part, one.form, one.verdict) for one in found} == set(
        itertools.product(("log_N", "eps_map"), ("printed", "derived"), ("holds",))
    )
    assert all(one.tightness > 0.99 for one in found)


# --- covers of l1 balls ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("a", ["1/2", "3/2", "4", "5", "9"])
def test_covers_are_counted_as_enumerated(n, a):
    a, side = F(a), range(-10, 11)
    integer = [z for z in itertools.product(side, repeat=n) if sum(map(abs, z)) <= 10]
    averages = sum(sum(map(abs, z)) <= math.ceil(a) for z in integer)
    assert l1_balls.log_count(n, a, lattice=False) == pytest.approx(math.log(averages))
    M, S = rounding.dense_steps(a), rounding.sparse_support(a)
    dense = sum(sum(map(abs, z)) <= M for z in integer)
    sparse = sum(sum(map(abs, z)) <= 2 * S and sum(map(bool, z)) <= S for z in integer)
    expected = math.log(min(dense, sparse)) if a > 1 else 0
    assert l1_balls.log_count(n, a, lattice=True) == pytest.approx(expected)


@pytest.mark.parametrize("kind", range(4))
def test_members_lie_in_the_ball(kind):
    rng = np.random.default_rng(kind)
    for n in (1, 2, 7, 1000):
        assert np.abs(l1_balls.member(rng, n, kind, 5)).sum() <= 1 + 1e-12


def test_too_few_atoms_are_caught(monkeypatch):
    """With half the atoms the error is too large somewhere."""
    kept = l1_balls.averaged
    monkeypatch.setattr(l1_balls, "averaged", lambda u, a: kept(u, max(F(1), a / 4))._replace(allowed=math.ceil(a)))
    (found,) = built("trauger2024/3.6", "log_N", l1_balls.entries(TINY, lattice=False), "it", ("derived",))
    assert found.verdict == "fails"


def test_a_form_below_the_cover_is_caught(monkeypatch):
    from maurey.verify.covers import instances

    exact = instances.size
    monkeypatch.setattr(instances, "size", lambda *at: exact(*at) / 3)
    (found,) = built("trauger2024/3.3", "log_N", l1_balls.columns(TINY, lattice=True), "it", ("sharp",))
    assert found.verdict == "undecided"


def test_halves_are_rounded_towards_zero():
    x = np.array([0, 1, 2, 3, -3, 4, 9, -9, 10])
    assert l1_balls.rounded(x, 1).tolist() == [0, 0, 1, 1, -1, 2, 4, -4, 5]
    assert l1_balls.rounded(np.array([3, 4, -9, -10, 15, 16]), 3).tolist() == [0, 1, -1, -2, 2, 3]


def test_rounded_entries_are_few():
    for power in (1, 2):
        for one in (*l1_balls.entrywise(TINY, power), *l1_balls.entrywise_whole(TINY, power)):
            assert one.error <= 1
            assert one.used <= one.allowed


def test_the_larger_ball_has_centres_in_the_class():
    """The column norms of a lattice point of the l1 ball may sum to more than B; projecting mends that."""
    found = [one for one in linear.column_sum(TINY, in_l1=True, best=True) if one.allowed == 0 and one.log_size]
    assert found
    assert all(one.inside and one.error <= 1 + 1e-9 for one in found)


# --- lower bounds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("a", ["3/2", "3", "9/2", "13/2", "18"])
def test_lower_bounds_stay_below_enumerated_covers(k, d, a):
    """A cover of all entries in the Frobenius norm covers the columns too."""
    a = F(a)
    size = l1_balls.log_count(k * d, a, lattice=True)
    assert float(packed.entries(a, d, k).whole().log) <= size + 1e-9


def test_grid_points_are_apart_in_some_column():
    a, k, d, steps = F(37), 2, 2, 3  # 4 * 3^2 < 37
    points = np.array(rounding.lattice_points(k * d, steps)).reshape(-1, k, d) * math.sqrt(a) / steps
    gaps = np.linalg.norm(points[:, None] - points, axis=2).max(-1)
    assert gaps[~np.eye(len(points), dtype=bool)].min() > 2
    assert float(packed.entries(a, d, k, proper=False).log) >= math.log(len(points)) - 1e-9


def test_balls_in_some_columns():
    """One column may have the whole norm, two half of it each."""
    one = 50 * math.log(100) / 2
    two = 2 * 50 * math.log(100 / 4) / 2
    assert float(packed.row_norms(F(100), 1, 50).log) == pytest.approx(one)
    assert float(packed.row_norms(F(100), 2, 50).log) >= max(one, two) - 1e-9
    assert float(packed.row_norms(F(99, 100), 4, 50).log) == 0


def test_points_keep_the_assumptions():
    for number in ("3.3", "3.4", "3.6"):
        claim = registry.find(f"trauger2024/{number}")
        for at in points(claim, covering.ATTACKS[claim.key, "log_N"], 50, 0):
            assert at["N"] > at["d"] if number == "3.4" else at["N"] >= at["d"]
    assert not assumed(registry.find("trauger2024/3.4"), {"N": F(3), "d": F(3)})


# --- 3.3 to 3.6 -----------------------------------------------------------------------------------------------------


def test_no_ceiling_is_needed():
    assert all(step.verdict is True for step in covering.no_ceiling())


@pytest.mark.parametrize("check", [covering.columns, covering.entries])
def test_the_printed_covers_are_proved_and_nothing_better_is(check, monkeypatch):
    assert (check(TINY).verdict, check(TINY).rung) == ("holds", "proved")
    monkeypatch.setattr(covering, "formula", lambda *a, true=covering.formula: true(*a) * covering.less)
    assert check(TINY).verdict == "undecided"


@pytest.mark.parametrize(("key", "radius"), [("trauger2024/3.4", "B_X_1"), ("trauger2024/3.5", "B_X")])
def test_sums_of_columns_fall_behind_the_ball(key, radius):
    ray, edge, rows_edge = covering.sums(TINY, key)
    at = ray.counterexample["at"]
    a = (F(at[radius]) * F(at["B_W_21"]) / F(at["eps"])) ** 2
    for t, ratio in zip(ray.counterexample["t"], ray.counterexample["ratios"], strict=True):
        k = int(float(t))
        inside = k * int(at["d"]) if radius == "B_X_1" else int(at["N"]) * int(at["d"])
        printed, true = float(a) * math.log(inside), k * math.log(2)
        assert float(ratio) == pytest.approx(printed / true, rel=1e-4)
    assert (edge.part, rows_edge.part) == ("log_N", "log_N_rows")
    assert edge.edge
    assert rows_edge.edge
    assert edge.printed_value == rows_edge.printed_value == "0"


def test_forms_hold_and_constructions_are_made():
    for key in ("trauger2024/3.4", "trauger2024/3.5"):
        found = list(covering.covering(TINY, key))
        assert {one.verdict for one in found} == {"holds"}
        assert "constructed" in {one.rung for one in found}


# --- 2.5 and 3.4 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 6, 11])
def test_the_mean_of_a_walk(n):
    walks = [abs(sum(s)) for s in itertools.product((-1, 1), repeat=n)]
    assert shapes.mean_walk(n).overlaps(arb(sum(walks)) / 2**n)


def test_both_shapes_are_refuted_along_the_norms():
    found = run(shapes.printed)
    for part in ("counting", "norms"):
        rays = [set(one.counterexample["ray"]) for one in found if one.part == part and not one.edge]
        assert rays == [{"B_X"}, {"B_W_11"}]
    true = 2 * 1000 * 3.14208984375 / 16  # E|S_16|
    printed = math.sqrt(16 * math.log(2000) / 16)
    assert float(found[0].counterexample["ratios"][0]) == pytest.approx(printed / true, rel=1e-4)


def test_a_shape_that_is_too_small_is_caught(monkeypatch):
    monkeypatch.setattr(shapes, "value", lambda *at: value(*at) * 9 / 10)
    assert {one.verdict for one in run(shapes.derived)} == {"fails"}


def test_the_ratio_of_two_covers_is_an_identity(monkeypatch):
    rungs = {(one.part, one.rung, one.verdict) for one in run(sparsification.comparison)}
    assert rungs == {("sum", "proved", "holds"), ("ratio", "identity", "holds")}
    kept = sparsification.formula
    monkeypatch.setattr(
        sparsification, "formula", lambda key, *a, **at: kept(key, *a, **at) * (2 if key.endswith("3.6") else 1)
    )
    assert "undecided" in {one.verdict for one in run(sparsification.comparison)}


def test_every_claim_of_the_section_has_a_check():
    for number in ("3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "S3.4", "A", "S2.5"):
        assert checks_of(f"trauger2024/{number}")
    assert all(exemption_of(f"trauger2024/{number}") for number in ("S2.6", "S6"))
