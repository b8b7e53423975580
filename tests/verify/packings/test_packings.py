"""Lower bounds: counts against brute force, packings that are as far apart as they say, what they may not exceed."""

import itertools
import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from independent import FORMS

from maurey.numeric.exact import below, decimal, log_ball, log_binomial, to_ball
from maurey.symbolic import registry
from maurey.verify.checks import Effort
from maurey.verify.covers import enumeration
from maurey.verify.packings import attacks, codes, heads, linear
from maurey.verify.packings import euclidean as p
from maurey.verify.packings.classes import COLUMNS, ROW_SUM, points, scalar
from maurey.verify.papers.edelman2022 import covering_rays
from maurey.verify.papers.edelman2022 import packings as edelman
from maurey.verify.papers.maurey import packings as ours
from maurey.verify.papers.mousavi2025 import packings as mousavi
from maurey.verify.papers.trauger2024 import covering as trauger

TINY = Effort("tiny", 1, seed=77)


def count(lower):
    return math.exp(float(lower.log))


# --- points that are written out ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "Q"), [(1, 10), (2, 5), (3, 9), (4, 7), (6, 2)])
def test_grid_points_are_counted_and_separated(n, Q):
    a = F(4 * Q) + F(1, 100)  # Q is the largest integer below a/4
    brute = [z for z in itertools.product(range(-4, 5), repeat=n) if sum(x * x for x in z) <= Q]
    assert len(codes.integer_points(n, Q)) == len(brute) == round(count(p.grid_points(a, n)))
    eps, c = 1.0, math.sqrt(float(a) / Q)
    points = c * np.array(brute)
    gaps = np.abs(points[:, None] - points).max(-1)
    assert gaps[~np.eye(len(points), dtype=bool)].min() > 2 * eps
    assert np.linalg.norm(points, axis=1).max() <= math.sqrt(float(a)) * (1 + 1e-12)
    assert round(count(p.grid_points(F(4 * Q), n))) == sum(sum(x * x for x in z) <= Q - 1 for z in brute)  # strictly


def test_long_spikes_are_the_same_without_exact_integers(monkeypatch):
    exact = log_binomial(500, 60)
    monkeypatch.setattr(p, "EXACT", 5)
    assert exact.overlaps(log_binomial(500, 60))


@pytest.mark.parametrize(("a", "n"), [(F(101, 100), 1), (F(5), 3), (F(5), 9), (F(17), 2), (F(400), 1)])
def test_levels_fit_in_the_ball_and_are_separated(a, n):
    """k levels more than 2 apart in each of r places reach beyond k - 1 on either side: r (k-1)^2 < a."""
    best = max(k**r for r in range(1, n + 1) for k in range(1, 30) if k == 1 or r * (k - 1) ** 2 < a)
    assert round(count(p.cube_points(a, n))) == best
    if n == 1:
        assert best == math.ceil(math.sqrt(a))  # exact in one dimension


@pytest.mark.parametrize(("d", "distance"), [(4, 2), (6, 3), (8, 4), (9, 3)])
def test_codes_keep_their_distance_and_reach_gilbert_varshamov(d, distance):
    code = codes.lexicode(d, distance)
    for u, v in itertools.combinations(code, 2):
        assert sum(x != y for x, y in zip(u, v, strict=True)) >= distance
    assert len(code) >= 2**d / sum(math.comb(d, i) for i in range(distance))


def test_volumes():
    for n, a in ((1, F(9)), (2, F(4)), (7, F(3, 2)), (100, F(50))):
        with mpmath.workdps(30):
            volume = mpmath.log(mpmath.pi ** (mpmath.mpf(n) / 2) / mpmath.gamma(mpmath.mpf(n) / 2 + 1))
            volume += mpmath.mpf(n) / 2 * mpmath.log(mpmath.mpf(a.numerator) / a.denominator)
            assert abs(float(log_ball(n, a)) - float(volume)) < 1e-9
    assert count(p.ball_volume(F(16), 1)) == pytest.approx(4)  # an interval of 8 by intervals of 2


# --- counting: how many points one ball can hold -------------------------------------------------------------------


def enclosing_radii(sets):
    """For many sets of points, (sets, points, dimensions): at least this is the radius of any ball around one, whatever
    the weights, and nearly so much for those that are found by moving to the farthest point."""
    weights = np.full(sets.shape[:2], 1 / sets.shape[1])
    best = np.zeros(len(sets))
    for i in range(sets.shape[1], 300 + sets.shape[1]):
        centres = (weights[:, :, None] * sets).sum(1, keepdims=True)
        squares = ((sets - centres) ** 2).sum(-1)
        best = np.maximum(best, np.sqrt((weights * squares).sum(1)))
        weights *= i / (i + 1)
        weights[np.arange(len(sets)), squares.argmax(1)] += 1 / (i + 1)
    return best


def one_more(points, most):
    """All sets of one point more than a ball is said to hold, among them the first point: they are all alike."""
    return points[[(0, *rest) for rest in itertools.combinations(range(1, len(points)), most)]]


@pytest.mark.parametrize("a", [F(11, 10), F(3, 2), F(2), F(3), F(5)])
@pytest.mark.parametrize(("n", "j"), [(2, 1), (3, 1), (3, 2), (4, 1)])
def test_no_ball_holds_more_sparse_signs(n, j, a):
    points = [z for z in itertools.product((-1, 0, 1), repeat=n) if sum(map(abs, z)) == j]
    most = round(len(points) / count(codes.sparse_signs(a, n, j)))
    assert (most == len(points)) == (a <= j)  # then the ball around zero holds them all
    if most < len(points):
        assert enclosing_radii(one_more(np.array(points) / j, most)).min() > 0.999 / math.sqrt(a)


@pytest.mark.parametrize("q", [F(1, 3), F(1, 2), F(3, 4), F(11, 10)])
def test_no_ball_holds_more_signs(q):
    d = 4
    words = np.array(list(itertools.product((1.0, -1.0), repeat=d))) * math.sqrt(q)
    most = round(2**d / count(codes.sign_code(d, q)))
    assert enclosing_radii(one_more(words, most)).min() > 0.999
    neighbours = words[[[0, 1, 2, 4, 8]]]  # a word and those that differ from it in one place
    assert enclosing_radii(neighbours)[0] > 0.999 or most >= 5


@pytest.mark.parametrize(("a", "n"), [(F(3, 2), 6), (F(2), 30), (F(5), 12), (F(9, 2), 8)])
def test_spikes_served_by_one_centre_of_the_class(a, n):
    """The best centre has c - eps in as many places as its norm allows: count what it serves, by enumeration."""
    rho = math.sqrt(a)
    found = 0.0
    for j in range(1, min(n, below(a)) + 1):
        c = rho / math.sqrt(j)
        places = min(n, math.floor(a / (c - 1) ** 2 * (1 + 1e-12)))
        served = sum(
            all(places > i for i in support) for support in itertools.combinations(range(n), j)
        )  # their signs are the centre's
        found = max(found, math.comb(n, j) * 2**j / max(1, served))
    assert count(p.spikes_in_class(a, n)) == pytest.approx(found, rel=1e-9)


def test_centres_in_the_class_are_what_makes_spikes_costly():
    """An external cover (as Zhang's) with fewer centres than a cover by members of the class (as in 2.1) must have.

    At radius 1.2 eps no more than two coordinates exceed 0.8 eps, so signs of size 0.2 eps that show every pattern in
    every two places are enough: of the order of log n, where the class itself needs n/18.
    """
    n, family, a = 2000, 80, F(144, 100)
    s = np.random.default_rng(5).choice((-1, 1), (family, n)).astype(np.int64)
    for x, y in itertools.product((1, -1), repeat=2):
        together = (s == x).T.astype(np.float32) @ (s == y).astype(np.float32)
        np.fill_diagonal(together, 1)
        assert (together > 0).all()
    rng = np.random.default_rng(6)
    for k in range(200):
        v = np.zeros(n)
        v[rng.choice(n, 1 + k % 4, replace=False)] = rng.normal(size=1 + k % 4)
        v = v / np.linalg.norm(v) * 1.2 + 0.001 * rng.choice((-1, 1), n) * (k % 2)
        v *= 1.2 / max(1.2, np.linalg.norm(v))
        assert np.abs(v - 0.2 * s).max(1).min() <= 1
    assert count(p.ball_in_largest(a, n, proper=False).whole()) <= family < count(p.ball_in_largest(a, n, proper=True))


# --- against covers that were built, and against every form --------------------------------------------------------


@pytest.mark.parametrize(("norms", "N", "d_2", "ratio"), [
    ("F", 1, 1, "1/4"), ("F", 2, 1, "1/2"), ("F", 4, 1, "1/2"), ("F", 2, 2, "7/10"),
    ("inf", 1, 2, "1/2"), ("inf", 2, 2, "7/10"), ("21", 2, 2, "3/5"), ("mixed", 2, 4, "9/10"),
])  # fmt: skip
def test_no_lower_bound_exceeds_a_cover(norms, N, d_2, ratio):
    whole = enumeration.online_cover(norms, N, d_2, F(ratio), np.random.default_rng(0), 5)
    squared = {name: (x / whole.at["eps"]) ** 2 for name, x in whole.at.items() if name.startswith("B_")}
    lower = {
        "F": lambda: linear.frobenius(squared["B_W_F"], N, d_2),
        "inf": lambda: linear.columns(squared["B_W_inf"], N, d_2),
        "21": lambda: linear.row_sum(squared["B_W_21"], N, d_2),
        "mixed": lambda: linear.row_sum(squared["B_W_21"], N, d_2, squared["B_W_inf"]),
    }[norms]().whole()
    assert 1 < count(lower) <= len(whole.centres) * (1 + 1e-9)


ATTACKS = edelman.ATTACKS | ours.ATTACKS | mousavi.ATTACKS | trauger.ATTACKS
ATTACKS |= {("zhang2002/4", "log_N"): scalar("N", proper=False), ("edelman2022icml/4.6", "log_N"): ROW_SUM}
CERTAIN = [
    (key, part, form)
    for (key, part) in ATTACKS
    for form in registry.find(key).part(part).forms
    if not attacks.hidden(key, form, part)
]


@pytest.mark.parametrize(("key", "part", "form"), CERTAIN)
def test_no_lower_bound_exceeds_a_form(key, part, form):
    result = attacks.survives(key, form, part, TINY, 80, ATTACKS[key, part])
    assert (result.verdict, result.rung) == ("holds", "tested")
    assert result.instances > 60
    assert 0 < result.tightness <= 1


HALVES = [
    ("edelman2022/A.10", "log_N", "sharp"), ("edelman2022/sec2-linear-cover", "N_inf", "sharp"),
    ("edelman2022/4.5", "log_N", "sharp"), ("edelman2022/4.5-stronger", "log_N", "sharp"),
    ("edelman2022icml/4.6", "log_N", "sharp"), ("maurey/lattice", "lattice", "printed"),
    ("maurey/online", "scalar", "printed"), ("maurey/online", "coordinates", "printed"),
    ("maurey/online", "net", "printed"), ("maurey/score", "score", "printed"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "part", "form"), HALVES)
def test_a_halved_form_is_caught(key, part, form, monkeypatch):
    whole = attacks.size
    monkeypatch.setattr(attacks, "size", lambda *at: whole(*at) / 2)
    result = attacks.survives(key, form, part, TINY, 200, ATTACKS[key, part])
    assert (result.verdict, result.rung, result.form) == ("fails", "refuted", form)
    assert float(result.printed_value) < float(result.true_value)
    assert "packing" in result.counterexample


def test_points_reach_the_corners():
    claim = registry.find("edelman2022/4.5")
    found = list(points(claim, COLUMNS, 200, 0))
    for name in ("N", "d_1", "d_2"):
        assert {1, 2} <= {int(at[name]) for at in found}
    shares = {round(float(at["eps"] ** 2 / (at["d_2"] * (at["B_W_inf"] * at["B_X"]) ** 2)) ** 0.5, 3) for at in found}
    assert {1.0, 0.99, 2.0} <= shares
    assert min(shares) <= 0.001


# --- heads and networks: the sub-classes, run ------------------------------------------------------------------------


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def test_scores_tell_heads_apart():
    """The weights of `scores`, on their inputs: within the bounds, and more than 2 eps apart where a level differs."""
    d, T, L, R, B_V, B_inf, B_QK, eps = 9, 4, 1.5, 2.0, 1.0, 0.7, 3.0, F(1, 4)
    one = heads.Head(d, 6, T, F(3, 2), F(2), F(1), F(7, 10), F(3))
    split = heads.Split(3, 3, 3, F(1, 2))
    room = float(heads._levels(one, split, eps))
    levels = math.ceil(room)
    assert levels >= 3
    rng = np.random.default_rng(0)
    B = min(B_V, math.sqrt(3) * B_inf)
    V = np.zeros((d, d))
    V[6:, 0] = B / math.sqrt(3)
    assert np.linalg.norm(V, 2) <= B_V + 1e-12
    assert np.linalg.norm(V, axis=1).max() <= B_inf + 1e-12
    pairs = list(itertools.product(range(3), range(3, 6)))[:6]
    w = B_QK / math.sqrt(3)

    def outputs(QK):
        assert np.linalg.norm(QK, axis=0).max() <= B_QK + 1e-12
        found = []
        for q, k in pairs:
            X = np.zeros((T, d))
            X[0, q] = R
            X[1:, 6:], X[1:, k] = R * math.sqrt(0.5 / 3), R * math.sqrt(0.5)
            assert np.linalg.norm(X, axis=1).max() <= R + 1e-12
            found.append(L * V.T @ X.T @ softmax(X @ QK.T @ X[0]))
        return np.array(found)

    def entry(q, k, height):
        """By bisection: the mass that is `height` of the way from lowest to highest."""
        low, high = -w, w
        for _ in range(80):
            QK = np.zeros((d, d))
            QK[q, k] = (low + high) / 2
            ends = []
            for x in (-w, w):
                QK_end = np.zeros((d, d))
                QK_end[q, k] = x
                ends.append(outputs(QK_end)[pairs.index((q, k)), 0])
            here = outputs(QK)[pairs.index((q, k)), 0]
            low, high = ((low + high) / 2, high) if here < ends[0] + height * (ends[1] - ends[0]) else (low, QK[q, k])
        return (low + high) / 2

    heights = {pair: [entry(*pair, i / (levels - 1)) for i in range(levels)] for pair in pairs[:2]}
    for _ in range(20):
        words = [rng.integers(levels, size=len(pairs)) for _ in range(2)]
        if (words[0][:2] == words[1][:2]).all():
            continue
        made = []
        for word in words:
            QK = np.zeros((d, d))
            for (q, k), i in list(zip(pairs, word, strict=True))[:2]:
                QK[q, k] = heights[q, k][i]
            made.append(outputs(QK))
        assert np.linalg.norm(made[0] - made[1], axis=1).max() > 2 * float(eps)
    best = heads.scores(one, eps)
    assert float(best.log) >= min(6, 9) * math.log(levels) - 1e-9


def test_values_fill_a_product_of_balls():
    d, r, R, B_V, B_inf = 7, 3, 2.0, 1.1, 0.8
    s = d // r
    b = min(math.sqrt(s) * B_inf, B_V / math.sqrt(r)) * R
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(r, d))
    Y *= b / np.linalg.norm(Y, axis=1, keepdims=True)
    X, W = np.zeros((r, d)), np.zeros((d, d))
    for n in range(r):
        X[n, n * s : (n + 1) * s] = R / math.sqrt(s)
        W[n * s : (n + 1) * s] = Y[n] / (R * math.sqrt(s))
    assert np.allclose(X @ W, Y)
    assert np.linalg.norm(X, axis=1).max() <= R + 1e-12
    assert np.linalg.norm(W, 2) <= B_V + 1e-12
    assert np.linalg.norm(W, axis=1).max() <= B_inf + 1e-12
    head = heads.Head(d, r, 1, F(1), F(2), F(11, 10), F(8, 10), F(1))
    assert float(heads.values(head, F(1, 10)).log) >= r * d * math.log(b / 0.1) - 1e-9


def project(z):
    return z / max(1.0, np.linalg.norm(z))


def test_networks_do_what_their_lower_bound_says():
    """Three layers of partial identities, all scores zero: tokens stay multiples of e_i, the last map is clipped."""
    d, k, m, L_sigma, B_w, B_X = 6, 5, 4, 0.6, 2.0, 0.9
    layers = [heads.Layer(F(3, 2), F(5, 4), F(2), F(9, 5)), heads.Layer(F(4, 5), F(1), F(3), F(2)),
              heads.Layer(F(2), F(3, 2), F(3, 2), F(1))]  # fmt: skip
    net = heads.Deep(d, k, m, F(3, 5), F(2), F(9, 10), layers)
    u = np.array([1.0, -0.2, 0.5, 0.1, 0.0])
    u *= min(float(layers[-1].B_C), math.sqrt(d) * float(layers[-1].B_C_inf)) / np.linalg.norm(u)
    last = np.outer(u, np.ones(d)) / math.sqrt(d)
    assert np.linalg.norm(last, 2) <= float(layers[-1].B_C) + 1e-9
    assert np.linalg.norm(last, axis=0).max() <= float(layers[-1].B_C_inf) + 1e-9
    radius = F(9, 10)
    for layer in layers:
        radius = heads._after(net, layer, radius)
    for i in range(m):
        z = B_X * np.eye(d)[i]
        for number, layer in enumerate(layers):
            V = min(float(layer.B_V), float(layer.B_V_inf)) * np.eye(d, k)
            C = min(float(layer.B_C), float(layer.B_C_inf)) * np.eye(k, d)
            inner = L_sigma * project(z @ V)
            if number == 2:
                mapped = project(inner @ last) @ (B_w * np.ones(d) / math.sqrt(d))
                assert mapped == pytest.approx(B_w * np.clip(inner @ u, -1, 1))
            z = project(inner @ C)
        assert np.allclose(z, float(radius) * np.eye(d)[i])


# --- what is refuted ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "part"), covering_rays.REFUTED)
def test_rays_fall(key, part):
    for fall in covering_rays.REFUTED[key, part]:
        result = attacks.along(key, part, fall.at, fall.ray, fall.ts, fall.note, ATTACKS[key, part])
        assert (result.verdict, result.rung, result.edge) == ("fails", "refuted", False)
        witness = result.counterexample
        ratios = [mpmath.mpf(r) for r in witness["ratios"]]
        assert ratios[2] < ratios[1] / 10 < ratios[0] / 100
        with mpmath.workdps(50):  # the printed form again, from the second computation
            ray = {n: mpmath.mpf(witness["t"][2]) ** mpmath.mpf(power) for n, power in witness["ray"].items()}
            at = {n: x for n, x in ray.items() if "[" not in n}
            for n, x in witness["at"].items():
                entries = x if isinstance(x, list) else [x]
                numbers = [ray.get(f"{n}[{i}]", mpmath.mpf(F(v).numerator) / F(v).denominator) for i, v in
                           enumerate(entries, 1)]  # fmt: skip
                at[n] = numbers if isinstance(x, list) else numbers[0]
            printed = FORMS[key, part, "printed"](**at)
            assert abs(printed / mpmath.mpf(result.printed_value) - 1) < 1e-4
            assert abs(printed / mpmath.mpf(result.true_value) / ratios[2] - 1) < 1e-4


@pytest.mark.parametrize("key", covering_rays.EDGES)
def test_edges(key):
    at, names = covering_rays.EDGES[key]
    for part in registry.find(key).parts:
        if (key, part.name) in ATTACKS:
            result = attacks.at_edge(key, part.name, at, names, ATTACKS[key, part.name])
            assert (result.verdict, result.edge, result.printed_value) == ("fails", True, "0")
            assert float(result.true_value) > 0.69


def test_a_true_bound_is_not_refuted():
    """A ray along which the printed form is no worse, and an edge that is none."""
    at = {"eps": "1/16", "d_1": "4", "d_2": "4", "B_X": "1", "B_W_inf": "1"}
    assert (
        attacks.along("edelman2022/4.5", "log_N", at, {"N": "1"}, covering_rays.FAR, "", COLUMNS).verdict == "undecided"
    )
    assert attacks.at_edge("edelman2022/4.5", "log_N", at | {"N": "2"}, "", COLUMNS).verdict == "undecided"


def test_decimals_are_rounded_to_their_side():
    third = to_ball(F(1, 3))
    assert decimal(third) == "0.333334"
    assert decimal(third, up=False) == "0.333333"
    assert decimal(to_ball(F(5, 2))) == "2.5"
