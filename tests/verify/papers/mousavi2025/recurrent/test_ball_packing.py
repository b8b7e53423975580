"""Packings of the ball, codes and quantisers, by brute force; and what wrong constants come to."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb
from sympy import Rational

from maurey.verify.checks import EFFORTS
from maurey.verify.papers.mousavi2025.recurrent import ball_packing, codes, lattices, quantisers

QUICK = EFFORTS["quick"]


def second_branch(d, eps):
    return (1 + math.log(1 + 2 * d * eps**2)) / eps**2


# --- packings ------------------------------------------------------------------------------------------------------


def test_distances_by_hand():
    square = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    assert lattices.measured("a square", square) == ("a square", 2, 4, F(2))
    assert lattices.simplex(3)[1:] == (3, 4, F(8, 3))
    assert lattices.cross_polytope(5)[1:] == (5, 10, F(2))
    counts = {p.d: p.points for p in ball_packing.packings() if "origin" in p.what}
    assert counts == {3: 13, 4: 25, 5: 41, 8: 241, 16: 4321, 24: 196561}
    assert all(p.squared == 1 for p in ball_packing.packings() if "origin" in p.what)


def test_leech_again_by_all_inner_products_with_some():
    vectors = lattices.leech_vectors()
    rows = vectors[:: len(vectors) // 40]
    products = rows.astype(float) @ vectors.T.astype(float)
    assert ((products == 32).sum(axis=1) == 1).all()  # itself alone
    assert np.unique(products[products < 32]).tolist() == [-32, -16, -8, 0, 8, 16]  # so that |u - v|^2 >= 32


def test_a_vector_outside_leech_is_noticed():
    words, vectors = lattices.golay(), lattices.leech_vectors()[:5].copy()
    assert lattices.inside_leech(vectors, words)
    vectors[0] = 2 * np.eye(24, dtype=int)[0]
    assert not lattices.inside_leech(vectors, words)


def test_what_is_refuted_in_41():
    *held, smallest, along = ball_packing.ball(QUICK)
    assert {one.verdict for one in held} == {"holds"}
    assert smallest.counterexample["d"] == "3"
    eps = float(F(smallest.counterexample["eps"]))
    assert eps < math.sqrt(2)
    assert float(smallest.printed_value) == pytest.approx(second_branch(3, eps), rel=1e-5)
    assert second_branch(3, eps) < math.log(6) == pytest.approx(float(smallest.true_value), rel=1e-5)
    ratios = [float(r) for r in along.counterexample["ratios"]]
    for t, ratio in zip((1e3, 1e6, 1e9), ratios, strict=True):
        assert ratio == pytest.approx(second_branch(t, 0.5) / (t * math.log(2)), rel=1e-4)
    assert along.verdict == "fails"


def test_no_smaller_dimension_has_one():
    """On the line P = 1 + floor(2/eps); in the plane the best of 2, 3, 4, 5, 7 points, and volumes below 1."""
    for eps in np.linspace(0.05, 2, 400):
        assert math.log(1 + math.floor(2 / eps + 1e-12)) < second_branch(1, eps)
    known = [(2.0, 2), (math.sqrt(3), 3), (math.sqrt(2), 4), (2 * math.sin(math.pi / 5), 5), (1.0, 7)]
    assert all(math.log(points) < second_branch(2, eps) for eps, points in known)  # which falls with eps
    assert all(2 * math.log(1 + 2 / eps) < second_branch(2, eps) for eps in np.linspace(0.05, 0.8, 400))
    # between 0.8 and 1 by volume as well: no more than at 0.8, where the second branch is no less than at 1
    assert 2 * math.log(1 + 2 / 0.8) < second_branch(2, 1)


@pytest.mark.parametrize("part", ["volume", "log_P"])
def test_a_smaller_count_is_caught(part, monkeypatch):
    form = "printed" if part == "volume" else "derived"
    exact = ball_packing.value
    monkeypatch.setattr(
        ball_packing, "value", lambda key, f, p, at: exact(key, f, p, at) * (arb("0.99") if p == part else 1)
    )
    assert "fails" in [one.verdict for one in ball_packing.ball(QUICK) if (one.part, one.form) == (part, form)]


def test_a_better_volume_is_not_proved(monkeypatch):
    exact = ball_packing.formula
    monkeypatch.setattr(ball_packing, "formula", lambda *a, **at: exact(*a, **at) * Rational(99, 100))
    assert {one.verdict for one in ball_packing.disjoint_balls()} == {"undecided"}


# --- codes ---------------------------------------------------------------------------------------------------------


def test_counts_of_words():
    assert [codes.hamming_ball(5, r) for r in (0, 1, 2, 5, 9)] == [1, 6, 16, 32, 32]
    assert codes.farthest(7, 7) == 1
    assert codes.farthest(3, 7) == 0
    for D, k in ((10, 3), (24, 6), (60, 11)):
        best = codes.farthest(D, k)
        assert codes.exists(D, k, best)
        assert not codes.exists(D, k, best + 1)


@pytest.mark.parametrize(("D", "k"), [(8, 2), (10, 3), (12, 4)])
def test_greedy_codes_are_as_large_as_counted(D, k):
    distance, kept = codes.farthest(D, k), []
    for word in itertools.product((0, 1), repeat=D):
        if all(sum(a != b for a, b in zip(word, other, strict=True)) >= distance for other in kept):
            kept.append(word)
    assert len(kept) >= 2**k


def test_linear_codes_have_the_distance_they_say():
    words, distance = codes.linear_code(14, 5, np.random.default_rng(3))
    apart = (words[:, None, :] != words[None, :, :]).sum(axis=2)
    assert apart[~np.eye(len(words), dtype=bool)].min() == distance
    points = codes.on_sphere(words)
    assert np.linalg.norm(points, axis=1) == pytest.approx(1)
    assert np.linalg.norm(points[0] - points[7]) == pytest.approx(2 * math.sqrt(apart[0, 7] / 14))


def test_entropy_says_at_every_length():
    assert codes.at_every_length(F(1, 4), F(1, 5))
    assert not codes.at_every_length(F(1, 4), F(11, 50))
    for k in (1, 7, 50, 400):
        assert 5 * codes.farthest(4 * k, k) >= 4 * k


# --- quantisers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 2, 3, 5])
def test_errors_of_quantisers(bits):
    q = quantisers.quantiser(bits)
    x = np.linspace(-9, 9, 400_001)
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    off = ((x - q.values[q.cells(x)]) ** 2 * density).sum() * (x[1] - x[0])
    assert float(q.error) == pytest.approx(off, rel=1e-4)
    assert float(q.width) == pytest.approx(q.values[-1] - q.values[0])
    assert len(q.values) == 2**bits


def test_the_error_of_one_bit_is_known():
    assert float(quantisers.quantiser(1).error) == pytest.approx(1 - 2 / math.pi, rel=1e-12)
