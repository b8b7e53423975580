"""Strategies: bounds hold to the last digit, spheres and extremes come up, counterexamples can be read."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from mpmath import matrix, mp, mpf, svd_r

from maurey.verify.attack.strategies import (
    NORMS,
    boolean_inputs,
    heads,
    layers,
    matrices,
    nearly_orthonormal,
    orthogonal,
    probability_rows,
    tokens,
    within,
)

SHAPE, BOUND = (3, 2), 0.7  # not a number that floats have
FEW = settings(
    max_examples=40, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
SEARCH = settings(max_examples=500, database=None, derandomize=True)


def drawn(strategy, how_many=FEW) -> list:
    seen = []

    @how_many
    @given(strategy)
    def collect(x):
        seen.append(x)

    collect()
    return seen


def size(M, norm: str):
    """Independently: fifty digits, from the definition."""
    mp.dps = 50
    if norm == "spectral":
        return max(svd_r(matrix(M.tolist()), compute_uv=False))
    rows = [[abs(mpf(x)) for x in row] for row in M.tolist()]
    if norm in ("frobenius", "l1", "linf"):
        flat = [x for row in rows for x in row]
        return {"frobenius": mp.sqrt(sum(x * x for x in flat)), "l1": sum(flat), "linf": max(flat)}[norm]
    lines = rows if norm.endswith("T") else list(map(list, zip(*rows, strict=True)))
    inner, outer = norm.removesuffix("T").strip("()").split(",")
    lengths = [sum(line) if inner == "1" else mp.sqrt(sum(x * x for x in line)) for line in lines]
    return sum(lengths) if outer == "1" else max(lengths)


@pytest.mark.parametrize("norm", NORMS)
def test_every_matrix_is_in_its_ball_and_many_on_the_sphere(norm):
    sizes = [size(M, norm) for M in drawn(matrices(SHAPE, norm, BOUND))]
    assert max(sizes) <= mpf(BOUND) * (1 + mpf(10) ** -40)  # of fifty digits
    on_sphere = sum(s >= mpf(BOUND) * (1 - mpf(10) ** -12) for s in sizes)
    assert 0.3 * len(sizes) <= on_sphere < len(sizes)


@pytest.mark.parametrize("norm", ["(2,1)", "(1,inf)T", "spectral"])
def test_only_the_sphere_or_only_the_inside(norm):
    assert all(size(M, norm) >= mpf(BOUND) * (1 - mpf(10) ** -12) for M in drawn(matrices(SHAPE, norm, BOUND, True)))
    assert all(size(M, norm) <= mpf(BOUND) * mpf("0.8") for M in drawn(matrices(SHAPE, norm, BOUND, False)))


def test_several_bounds_at_once():
    bounds = {"spectral": 1.0, "(2,inf)": 0.9, "(2,1)T": 2.5}
    attained = Counter()
    for M in drawn(within((3, 3), bounds, on_sphere=True)):
        ratios = {norm: size(M, norm) / mpf(bound) for norm, bound in bounds.items()}
        assert max(ratios.values()) <= 1 + mpf(10) ** -40
        attained[max(ratios, key=ratios.get)] += 1
        assert max(ratios.values()) >= 1 - mpf(10) ** -12
    assert set(attained) == set(bounds)


def is_orthogonal(M) -> bool:
    return M.any() and np.allclose(M.T @ M, (M.T @ M)[0, 0] * np.eye(len(M)))


EXTREMES = {
    "zero": lambda M: not M.any(),
    "one-hot": lambda M: np.count_nonzero(M) == 1,
    "rank one, dense": lambda M: M.all() and np.linalg.matrix_rank(M) == 1,
    "rank two": lambda M: np.linalg.matrix_rank(M) == 2,
    "full rank, dense": lambda M: M.all() and np.linalg.matrix_rank(M) == 3,
    "sparse": lambda M: 2 <= np.count_nonzero(M) <= 3,
    "permutation": lambda M: np.count_nonzero(M) == 3 and is_orthogonal(M),
    "reflection": lambda M: M.all() and is_orthogonal(M),
}


def test_extremes_come_up():
    seen = drawn(matrices((3, 3), "spectral"), settings(FEW, max_examples=250))
    assert [name for name, is_one in EXTREMES.items() if not any(is_one(M) for M in seen)] == []


@pytest.mark.parametrize(
    ("norm", "false"),
    [
        ("frobenius", lambda M: abs(M).sum() <= 1.2),
        ("(2,1)", lambda M: abs(M).sum() <= 1.2),
        ("spectral", lambda M: np.linalg.norm(M) <= 1.2),
        ("(2,inf)", lambda M: np.linalg.norm(M, axis=1).max() <= 1.2),
        ("linf", lambda M: np.linalg.norm(M) <= 1.2),
    ],
)
def test_a_false_claim_shrinks_to_few_equal_entries(norm, false):
    M = find(matrices((3, 4), norm), lambda M: not false(M), settings=SEARCH)
    entries = np.sort(abs(M[M != 0]))
    assert len(entries) <= (3 if norm == "spectral" else 2)  # a permutation is the smallest of its kind
    assert np.ptp(entries) == 0
    assert (entries[0] == 1.0) == (norm not in ("frobenius", "(2,1)"))


def test_what_is_simple_stays_simple():
    """One-hot, with the bound itself as its entry: nothing was lost to rounding."""
    for norm in ("(2,1)", "(1,inf)T", "frobenius", "spectral"):
        assert find(matrices((2, 2), norm, BOUND), lambda M: M.any(), settings=SEARCH).tolist() == [[BOUND, 0], [0, 0]]


def test_probability_rows():
    seen = drawn(probability_rows(3, 4))
    assert all((p >= 0).all() and abs(p.sum(axis=1) - 1).max() <= 1e-15 for p in seen)
    rows = np.vstack(seen)
    assert (rows == 1.0).any()
    assert ((rows > 0).sum(axis=1) > 2).any()
    p = find(probability_rows(2, 3), lambda p: 0 < p[1, 2] < 1, settings=SEARCH)
    assert p.tolist() == [[1, 0, 0], [0.5, 0, 0.5]]


def test_tokens():
    seen = drawn(tokens(4, 3, BOUND))
    lengths = np.array([[float(size(row[None], "frobenius") / mpf(BOUND)) for row in X] for X in seen])
    assert all(size(row[None], "frobenius") <= mpf(BOUND) * (1 + mpf(10) ** -40) for X in seen for row in X)
    assert (lengths >= 1 - 1e-12).mean() >= 0.3
    assert any(np.ptp(row) > 0.1 for row in lengths)  # of different lengths
    assert any(np.ptp(X, axis=0).max() == 0 and X.any() for X in seen)
    assert find(tokens(3, 2), lambda X: X[0] @ X[1] < 0, settings=SEARCH).any(axis=1).sum() <= 3


def test_boolean_inputs():
    seen = drawn(boolean_inputs(6))
    assert {x for b in seen for x in b.tolist()} == {0.0, 1.0}
    assert find(boolean_inputs(6), lambda b: b.sum() >= 2, settings=SEARCH).sum() == 2


@pytest.mark.parametrize(("k", "d", "coherence"), [(3, 5, 0.0), (3, 5, 0.3), (4, 4, 0.3), (1, 3, 0.2), (10, 8, 0.5)])
def test_nearly_orthonormal(k, d, coherence):
    seen = drawn(nearly_orthonormal(k, d, coherence), settings(FEW, max_examples=30))
    off = [abs(V @ V.T - np.eye(k)) for V in seen]
    assert all(V.shape == (k, d) for V in seen)
    assert all(abs(np.linalg.norm(V, axis=1) - 1).max() <= 1e-14 for V in seen)
    assert max(G.max() for G in off) <= coherence + 1e-15
    if 1 < k <= d and coherence:  # and attained
        assert sum(G.max() >= coherence * (1 - 1e-12) for G in off) >= 0.3 * len(off)


def test_orthogonal():
    for Q in drawn(orthogonal(2, 4)):
        assert np.allclose(Q @ Q.T, np.eye(2), atol=1e-14)


def test_weights_keep_their_budget():
    V, QK, C = {"spectral": 2.0, "(2,inf)T": 1.0}, {"(2,inf)": 0.5}, {"spectral": 1.5, "(2,inf)": 1.0}
    for head in drawn(heads(3, 2, V=V, QK=QK), settings(FEW, max_examples=20)):
        assert [head[name].shape for name in ("V", "QK")] == [(3, 2), (3, 3)]
        assert all(NORMS[norm](head["V"]) <= bound for norm, bound in V.items())
        assert size(head["QK"], "(2,inf)") <= mpf("0.5")
    for stack in drawn(layers(2, 3, 2, V=V, QK=QK, C=C), settings(FEW, max_examples=20)):
        assert [layer["C"].shape for layer in stack] == [(2, 3), (2, 3)]
        for layer in stack:
            assert all(size(layer["C"], norm) <= mpf(bound) * (1 + mpf(10) ** -40) for norm, bound in C.items())


def test_zero_bounds_and_bad_ones():
    assert not any(M.any() for M in drawn(within((2, 2), {"spectral": 0.0, "l1": 1.0})))
    for bound in (1e-100, 1e100):
        assert all(NORMS["spectral"](M) <= Fraction(bound) for M in drawn(matrices((2, 2), "spectral", bound)))
    bad = [
        ((2, 2), "(3,1)", 1.0),
        ((2, 2), "l1", float("nan")),
        ((2, 2), "l1", -1.0),
        ((2, 2), "l1", float("inf")),
        ((0, 2), "l1", 1.0),
        (4, "l1", 1.0),
    ]
    for shape, norm, bound in bad:
        with pytest.raises(ValueError, match=r"norm|bounds|shape"):
            matrices(shape, norm, bound)
    with pytest.raises(ValueError, match="coherence"):
        drawn(nearly_orthonormal(2, 2, 1.5))


def test_norms_are_rounded_up_and_exact_where_they_can_be():
    M = np.array([[3.0, 0.0], [4.0, 1.0]])
    assert NORMS["(2,1)"](M) == 6
    assert NORMS["(2,inf)"](M) == 5
    assert NORMS["(1,inf)T"](M) == 5
    assert 0 < NORMS["frobenius"](M) ** 2 - 26 < Fraction(1, 2**100)
