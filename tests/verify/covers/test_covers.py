"""Covers that are built: counts against brute force, bounds that are met, and broken covers that are caught."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from maurey.numeric.binding import bind
from maurey.symbolic import registry
from maurey.verify.checks import Effort, checks_of, effort
from maurey.verify.covers import enumeration, heads, instances, linear, networks, online, rounding
from maurey.verify.papers import zhang2002
from maurey.verify.papers.edelman2022 import covering
from maurey.verify.papers.maurey import covering as ours

TINY = Effort("tiny", 1, seed=5)


def sphere(rng, shape, radius):
    x = rng.normal(size=shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True) * radius


def corner(n):
    x = np.zeros(n)
    x[0] = 1.0
    return x


# --- Maurey ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 2), (50, 7), (1000, 100), (20_000, 30)])
def test_sparsification_meets_its_bound(n, k):
    rng = np.random.default_rng(n)
    for i in range(12):
        u = rng.dirichlet(np.full(n, 0.2)) if i % 3 else corner(n)
        u = 2.0 * u * rng.choice((-1, 1), n) * rng.choice((1.0, 0.6))
        z = rounding.sparsify(u, 2.0, k)
        assert z.dtype.kind == "i"
        assert np.abs(z).sum() <= k
        bound = (2.0 * np.abs(u).sum() - u @ u) / k
        assert ((u - 2.0 * z / k) ** 2).sum() <= bound * (1 + 1e-9) + 1e-18


def test_the_sparsification_is_tight():
    """Between two atoms and zero, k = 1: each is as far as the bound says."""
    u = np.array([0.5, -0.5])
    z = rounding.sparsify(u, 1.0, 1)
    assert ((u - z) ** 2).sum() == 1 - u @ u
    assert rounding.sparsify(corner(4), 1.0, 3).tolist() == [3, 0, 0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_sparsification_with_atoms_of_rank_one_on_the_inputs(seed):
    """W = sum of c_{ni} x_n e_i^T: an average of k of its atoms, on matrices."""
    rng = np.random.default_rng(seed)
    N, d_1, d_2, k = 12, 6, 4, int(rng.integers(1, 40))
    X, C = sphere(rng, (N, d_1), 1.0), rng.dirichlet(np.full(N * d_2, 0.3))
    atoms = np.array([np.outer(x, e).ravel() for x in X for e in np.eye(d_2)])
    times = rounding.sparsify_among(atoms, C, k)
    assert times.sum() == k
    target = C @ atoms
    assert ((target - times @ atoms / k) ** 2).sum() <= (1 - target @ target) / k * (1 + 1e-9)
    other = np.roll(times, 1)
    assert ((target - other @ atoms / k) ** 2).sum() > ((target - times @ atoms / k) ** 2).sum()


# --- lattices --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "total", "support"), [(1, 4, None), (2, 3, None), (3, 3, None), (4, 2, None), (3, 4, 2)])
def test_lattices_are_counted(n, total, support):
    most = support or n
    brute = {
        z
        for z in itertools.product(range(-total, total + 1), repeat=n)
        if sum(map(abs, z)) <= total and sum(v != 0 for v in z) <= most
    }
    points = rounding.lattice_points(n, total, support)
    assert set(points) == brute
    assert len(points) == len(brute)
    counted = rounding.sparse_count(n, support) if support else rounding.dense_count(n, total)
    assert counted == len(brute)


@pytest.mark.parametrize("n", [1, 2, 5, 100, 10_000])
def test_roundings_land_in_their_lattice_within_the_error(n):
    rng, worst = np.random.default_rng(n), [0.0, 0.0]
    for i in range(150):
        M, S = int(rng.integers(1, 30)), int(rng.integers(1, 20))
        x = [rng.dirichlet(np.full(n, 0.5)), corner(n), np.floor(3 * rng.exponential(size=n)) / 2 + 1e-12][i % 3]
        x = x * rng.choice((-1, 1), n) / x.sum()
        z, y = rounding.dense(x, 1.0, M), rounding.sparse(x, 1.0, S)
        assert np.abs(z).sum() <= M
        assert np.abs(y).sum() <= 2 * S
        assert np.count_nonzero(y) <= S
        worst[0] = max(worst[0], np.linalg.norm(x - z / (M + 1)) * math.sqrt(2 * (M + 1)))
        worst[1] = max(worst[1], np.linalg.norm(x - y / (2 * S)) * 2 * math.sqrt(S))
    assert max(worst) <= 1 + 1e-9
    assert max(worst) > 0.5


def test_the_dense_lattice_is_tight_and_each_centre_counts():
    """n = 5, a = 4: the origin and +-e_i/2. The corner e_1 is at eps from e_1/2, and at twice that from all others."""
    rng = np.random.default_rng(0)
    whole = enumeration.lattice_cover(5, F(4), False, rng, 100)
    assert len(whole.centres) == whole.allowed == 11
    assert whole.radius <= 1 + 1e-9

    def radius(centres):
        corners = (s * e for e in np.eye(5) for s in (1, -1))
        inside = lambda x: x / max(1.0, np.abs(x).sum())  # noqa: E731
        return rounding.worst_target(centres, corners, lambda x: x[None], inside, np.random.default_rng(1), 20) / 0.5

    assert radius(whole.centres) == pytest.approx(1)
    for i in range(11):
        without = np.delete(whole.centres, i, axis=0)
        assert (radius(without) > 1 + 1e-9) == bool(np.abs(whole.centres[i]).any())


@pytest.mark.parametrize("change", ["eps", "centre", "count", "outside"])
def test_a_broken_cover_is_caught(change):
    """What `built` says of an instance whose eps is shrunk, or that is off, too long or outside the class."""
    found = [enumeration.as_instance(enumeration.online_cover("F", 4, 1, F(1, 2), np.random.default_rng(0), 60))]
    assert found[0].error == pytest.approx(1)
    where = "edelman2022/A.10", "log_N"
    assert {r.verdict for r in instances.built(*where, found, "as it is")} == {"holds"}
    changed = {
        "eps": found[0]._replace(error=found[0].error / 0.999),
        "centre": found[0]._replace(error=2.0),
        "count": found[0]._replace(allowed=found[0].used - 1),
        "outside": found[0]._replace(inside=False),
    }[change]
    (result,) = instances.built(*where, [changed], "broken")
    assert (result.verdict, result.rung) == ("fails", "refuted")


def test_a_cover_larger_than_the_form_is_not_evidence():
    found = [one._replace(log_size=1e9) for one in enumeration.scalars(TINY)]
    results = list(instances.built("edelman2022/A.10", "log_N", found, "too large"))
    assert {r.verdict for r in results} == {"undecided"}


def test_a_centre_removed_from_the_online_cover_is_caught():
    rng = np.random.default_rng(0)
    whole = enumeration.online_cover("F", 2, 1, F(3, 4), rng, 60)
    eps = float(whole.at["eps"])
    assert len(whole.centres) == 5
    inside = online.in_frobenius(1.5)
    for i in range(5):
        without = np.delete(whole.centres, i, axis=0)
        members = (inside(1e6 * rng.normal(size=(2, 1))) for _ in range(200))
        radius = rounding.worst_target(without, members, lambda W: W, inside, rng, 60)
        assert (radius > eps * (1 + 1e-9)) == bool(np.abs(whole.centres[i]).any())  # only the origin is not needed


# --- Zhang -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_zhang(seed):
    rng = np.random.default_rng(seed)
    N, d, B, R = int(rng.integers(1, 60)), int(rng.integers(1, 40)), 1.5, 0.7
    eps = float(rng.uniform(0.15, 2)) * B * R
    X = np.eye(N, max(N, d)) * R if seed % 2 else sphere(rng, (N, d), R)
    v = sphere(rng, X.shape[1], B)
    mistakes = rounding.zhang_list(v, X, B, R, eps)
    assert len(mistakes) <= 36 * (B * R / eps) ** 2
    assert len(rounding.thresholds(B, R, eps)) <= math.ceil(4 * B * R / eps + 2)
    assert np.abs(rounding.zhang_values(mistakes, X, B, R, eps) - X @ v).max() <= eps


def test_a_cut_list_misses():
    """The list, all of it, is what makes Zhang's centre."""
    X, v, eps = np.eye(30), np.full(30, 30**-0.5), 0.15
    mistakes = rounding.zhang_list(v, X, 1.0, 1.0, eps)
    assert np.abs(rounding.zhang_values(mistakes, X, 1.0, 1.0, eps) - X @ v).max() <= eps
    assert np.abs(rounding.zhang_values(mistakes[: len(mistakes) // 2], X, 1.0, 1.0, eps) - X @ v).max() > eps


def test_zhang_needs_its_margin(monkeypatch):
    """With thresholds twice as far apart and four times the margin, some value is off by more than eps."""
    monkeypatch.setattr(rounding, "SPACING", 2.0)
    monkeypatch.setattr(rounding, "MARGIN", 4 / 3)
    assert max(one.error for one in instances.zhang(TINY)) > 1


# --- corrections -----------------------------------------------------------------------------------------------------

KINDS = [("coordinates", "F"), ("coordinates", "inf"), ("net", "F"), ("net", "21"), ("everywhere", "F"),
         ("everywhere", "mixed"), ("columns", "21"), ("columns", "mixed"), ("best", "inf")]  # fmt: skip


@pytest.mark.parametrize(("kind", "norms"), KINDS)
def test_corrections(kind, norms):
    found = list(linear.linear(TINY, kind, norms))
    assert all(one.error <= 1 + 1e-9 and one.used <= one.allowed and one.inside for one in found)
    assert sum(one.used > 2 for one in found) > 4  # not all trivial
    assert max(one.used / max(1, one.allowed) for one in found) > 0.04


def test_the_scalar_cover_needs_all_its_corrections():
    found = list(instances.scalar(TINY))
    assert all(one.error <= 1 + 1e-9 and one.used <= one.allowed and one.inside for one in found)
    assert any(one.used == one.allowed > 1 for one in found)


def test_a_flat_target_takes_every_correction():
    """Just above eps in each of k places: nothing less than k corrections will do."""
    k = 9
    X, v = np.eye(k), np.full((k, 1), 1.01)
    project, signs = online.in_frobenius(float(np.linalg.norm(v))), online.coordinates(1)
    run = online.correct(v, X, 1.0, 1.0, project, signs, 1.0)
    assert len(run.corrections) == math.ceil(np.linalg.norm(v) ** 2) - 1 == k
    for i in range(k):
        fewer = [one for j, one in enumerate(run.corrections) if j != i]
        assert np.abs(X @ (v - online.follow(fewer, X, signs, 1.0, project))).max() > 1


def test_the_centre_is_a_function_of_the_list():
    rng = np.random.default_rng(3)
    X, target = sphere(rng, (9, 5), 1.0), rng.normal(size=(5, 3))
    target *= 2 / np.linalg.norm(target, axis=0).sum()
    run = online.correct_columns(target, X, 1.0, 0.3, 2.0)
    again = online.follow_columns(run.corrections, target.shape, X, 1.0, 0.3, 2.0)
    assert np.array_equal(run.centre, again)
    assert len(run.corrections) > 3
    shorter = online.follow_columns(run.corrections[:-1], target.shape, X, 1.0, 0.3, 2.0)
    assert np.linalg.norm(X @ (target - shorter), axis=1).max() > 0.3
    mirrored = [(n, i, -s, j) for n, i, s, j in run.corrections]
    assert not np.allclose(again, online.follow_columns(mirrored, target.shape, X, 1.0, 0.3, 2.0))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_nets(d):
    U = online.net(d)
    assert len(U) <= 5**d
    assert np.allclose(np.linalg.norm(U, axis=1), 1)
    y = sphere(np.random.default_rng(d), (20_000, d), 1.0)
    nearest = (y @ U.T).max(1)
    assert nearest.min() >= 7 / 8
    if d > 1:  # each is needed, by about as much as a maximal set needs it
        alone = [(U @ np.delete(U, i, axis=0).T).max(1)[i] for i in range(len(U))]
        assert max(alone) < 1


@pytest.mark.parametrize("seed", range(6))
def test_projections_are_projections(seed):
    """No member is nearer than the projection, and no member gets farther from it."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.2, 2, 4)
    cases = [
        (online.in_frobenius(1.0), np.ones(4)),
        (online.in_columns(0.7), np.ones(4)),
        (online.in_rows(0.7), np.ones(4)),
        (online.in_spectral(0.8), np.ones(4)),
        (lambda W: online.weighted_columns(W, weights, 1.5, 0.6), weights),
    ]
    for project, scale in cases:
        W = 2 * rng.normal(size=(3, 4))
        P = project(W)
        assert np.allclose(project(P), P, atol=1e-9)
        for _ in range(50):
            V = project(rng.normal(size=(3, 4)) * rng.choice((0.3, 1, 5)))
            near = V + 0.9 * (P - V)
            assert (((W - P) ** 2).sum(0) / scale).sum() <= (((W - near) ** 2).sum(0) / scale).sum() + 1e-12
            assert (((V - P) ** 2).sum(0) / scale).sum() <= (((V - W) ** 2).sum(0) / scale).sum() + 1e-12


def test_projecting_in_turn_ends_inside_and_no_farther():
    rng = np.random.default_rng(0)
    for rows in (False, True):
        project = heads.bounded(0.6, 0.9, rows)
        for _ in range(20):
            W, V = 3 * rng.normal(size=(4, 5)), project(rng.normal(size=(4, 5)))
            P = project(W)
            assert np.linalg.norm(P, axis=1 if rows else 0).max() <= 0.6 * (1 + 1e-12)
            assert np.linalg.norm(P, 2) <= 0.9 * (1 + 1e-12)
            assert np.linalg.norm(P - V) <= np.linalg.norm(W - V) + 1e-9


# --- heads and networks ----------------------------------------------------------------------------------------------


def test_forwards_against_plain_loops():
    rng = np.random.default_rng(0)
    X, V, QK = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
    found = heads.heads_output(X, 0, [(V, QK)], np.tanh)
    C, w = rng.normal(size=(4, 4)), rng.normal(size=4)
    deep = heads.deep_output(X, [heads.Block(V, QK, C)], w, np.tanh)
    for i in range(2):
        scores = np.array([X[i, 0] @ QK @ X[i, t] for t in range(3)])  # x_tau^T W_QK x_t
        p = np.exp(scores) / np.exp(scores).sum()
        assert np.allclose(found[i], np.tanh(sum(p[t] * V.T @ X[i, t] for t in range(3))))
        scores = np.array([X[i, t] @ QK @ X[i, 0] for t in range(3)])  # z_t^T W_K W_Q^T z_tau
        p = np.exp(scores) / np.exp(scores).sum()
        z = sum(p[t] * X[i, t] for t in range(3)) @ V
        z = np.tanh(z / max(1, np.linalg.norm(z))) @ C
        assert deep[i] == pytest.approx(z / max(1, np.linalg.norm(z)) @ w)


@pytest.mark.parametrize(
    "key", ["edelman2022/4.4", "edelman2022/A.11", "edelman2022/A.12", "edelman2022/A.12-equal-heads"]
)
def test_heads_are_covered(key):
    found = list(networks.heads(TINY, key))
    assert all(one.error <= 1 + 1e-9 and one.inside for one in found)
    assert max(one.error for one in found) > 0.1
    assert sum(one.used > 20 for one in found) > 4


def test_a_share_that_is_too_large_is_caught(monkeypatch):
    """Values covered at thirty times their share: the head is off by more than eps."""
    plain = heads.quantities

    def large(bound, *prefixes):
        return {name: x * (30 if name.startswith("eps") else 1) for name, x in plain(bound, *prefixes).items()}

    monkeypatch.setattr(heads, "quantities", large)
    assert max(one.error for one in networks.heads(TINY, "edelman2022/4.4")) > 1


def test_networks_are_covered():
    found = [*networks.deep(TINY), *networks.deep(TINY, "edelman2022/4.6")]
    assert all(one.error <= 1 + 1e-9 and one.inside for one in found)
    assert max(one.error for one in found) > 0.05


def test_shares_are_those_of_the_form():
    claim = registry.find("edelman2022/4.4")
    at = dict(eps="1/2", d=3, m=4, T=2, L_sigma=1, B_X=1, B_V=1, B_V_inf=1, B_QK_inf=1)
    shares = heads.quantities(bind(claim, "sharp", "log_N", at), "eps_", "beta_", "E_", "log_N")
    assert shares["beta_QK"] * shares["eps_QK"] + shares["eps_V"] == pytest.approx(0.5)
    assert shares["E_QK"] + shares["E_V"] == pytest.approx(shares["log_N"])


# --- the checks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["maurey/lattice", "maurey/score", "maurey/read", "zhang2002/4", "edelman2022/4.5"])
def test_checks_hold_and_are_of_both_kinds(key):
    made = []
    for function in checks_of(key):
        found = function(replace(effort("quick"), seed=9))
        made += list(found) if not hasattr(found, "verdict") else [found]
    held = {one.rung for one in made if one.verdict == "holds"}
    assert held >= ({"constructed", "tested"} if key != "maurey/read" else {"constructed"})
    assert all(one.edge for one in made if one.verdict == "fails")
    readings = sum(one.verdict == "undecided" for one in made)  # of the index set of 4.5, and of its orientation
    assert readings == (2 if key == "edelman2022/4.5" else 0)


def test_every_covering_claim_is_attacked_and_built():
    keys = {key for key, _ in (*covering.BUILT, *ours.BUILT)} | {"edelman2022icml/4.6"}
    assert zhang2002.theorem_4 in checks_of("zhang2002/4")
    own = {c.key for c in registry.all_claims() if c.kind == "covering" and c.parts and not c.key.startswith("zhang")}
    restated = {"edelman2022icml/4.5", "edelman2022icml/4.7", "edelman2022/4.2", "edelman2022/4.2-scalar"}
    elsewhere = {key for key in own if key.startswith(("trauger2024/", "mousavi2025/"))}
    elsewhere |= {f"maurey/{name}" for name in ("entrywise", "columns", "l1-ball", "few-columns", "packing")}
    assert keys == own - restated - elsewhere
    assert all(checks_of(key) for key in elsewhere - {"trauger2024/B"})
