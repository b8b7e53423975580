"""Boolean functions and their spectra."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from maurey.symbolic.claim import InputError
from maurey.verify.training.tasks import walsh
from maurey.verify.training.tasks.walsh import Target


def slow(table):
    """The definition, in fractions."""
    n = len(table)
    signs = [[(-1) ** (i & j).bit_count() for i in range(n)] for j in range(n)]
    return [Fraction(sum(s * Fraction(v) for s, v in zip(row, table, strict=True)), n) for row in signs]


def test_transform_is_exact():
    rng = np.random.default_rng(0)
    whole = rng.integers(-(10**6), 10**6, 64)
    assert [Fraction(v) for v in walsh.transform(whole)] == slow(whole.tolist())
    parts = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 99, (32, 2))]
    assert walsh.transform(parts).tolist() == slow(parts)
    big = np.full(4, 2**60)  # the sum is beyond what doubles hold
    big[0] += 1
    assert walsh.transform(big)[3] == Fraction(1, 4)
    assert walsh.transform(-big)[3] == Fraction(-1, 4)
    assert walsh.transform([2**90 + 1, 0])[1] == Fraction(2**90 + 1, 2)  # beyond 64 bits
    assert walsh.transform([1, Fraction(1, 3)]).tolist() == [Fraction(2, 3), Fraction(1, 3)]
    assert walsh.transform(np.array([True, False])).tolist() == [0.5, 0.5]
    real = rng.standard_normal(256)
    spectrum = walsh.transform(real)
    assert np.allclose(walsh.transform(spectrum) * 256, real)
    assert math.isclose((spectrum**2).sum(), (real**2).mean())  # Parseval


def test_spectrum_of_a_target():
    target = Target(6, ((0, 2, 5), (1, 2, 3)), (Fraction(3), Fraction(4)))
    spectrum = walsh.transform(walsh.values(target, walsh.all_strings(6)))
    expected = np.zeros(64)
    expected[0], expected[0b100101], expected[0b001110] = 0.7, 0.3, 0.4
    assert np.allclose(spectrum, expected, atol=1e-15)
    assert (walsh.degree(spectrum, 1e-12), walsh.sparsity(spectrum, 1e-12)) == (3, 2)
    assert (walsh.degree(np.ones(1)), walsh.sparsity(np.array([5, 0, 0, 0]))) == (0, 0)


def test_strings_and_counts():
    strings = walsh.all_strings(3)
    assert strings.tolist()[:4] == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    target = Target(3, ((0, 1), (1, 2)), (1, 1))
    assert walsh.counts(target, strings).tolist() == [[a + b, b + c] for a, b, c in strings.astype(int).tolist()]
    assert np.allclose(walsh.values(target, strings[:2]), [math.sqrt(2), math.sqrt(0.5)])


@pytest.mark.parametrize(("T", "k"), [(6, 2), (7, 3), (5, 1), (4, 4)])
def test_tiling(T, k):
    target = walsh.tiling(T, k)
    assert sorted(itertools.chain(*target.components)) == list(range(T // k * k))
    assert (target.D, target.omega) == (k, T // k)
    assert math.isclose(target.C, math.sqrt(T // k))


def test_random_targets():
    rng = np.random.default_rng(1)
    for T, D, omega in ((20, 5, 20), (6, 6, 1), (4, 2, 4), (5, 4, 5), (100, 50, 3)):
        target = walsh.random_target(T, D, omega, rng)
        assert (target.T, target.D, target.omega) == (T, D, omega)
        assert math.isclose(sum(c**2 for c in target.coefficients), 1)
    seen = {frozenset(walsh.random_target(4, 2, 1, rng).components[0]) for _ in range(100)}
    assert len(seen) == 6  # all pairs come up


def test_algebraic_and_fourier_degree():
    bits = walsh.all_strings(6)
    parity = bits.sum(axis=1) % 2
    both = bits[:, 0] & bits[:, 1]
    inner = (bits[:, ::2] & bits[:, 1::2]).sum(axis=1) % 2  # x0 x1 + x2 x3 + x4 x5
    degrees = [(walsh.algebraic_degree(f), walsh.degree(walsh.transform(f))) for f in (parity, both, inner)]
    assert degrees == [(1, 6), (2, 2), (2, 6)]
    assert walsh.sparsity(walsh.transform(1 - 2 * inner)) == 63
    assert walsh.algebraic_degree(np.zeros(8)) == walsh.algebraic_degree(np.ones(8)) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Target(4, ((0, 1),), (0.0,)), "must be positive"),
        (lambda: Target(4, ((0, 1), (1, 2)), (1.0, -1.0)), "must be positive"),
        (lambda: Target(4, ((0, 1),), (math.nan,)), "must be positive"),
        (lambda: Target(4, ((0, 1),), (math.inf,)), "must be positive"),
        (lambda: Target(2, ((0,), (1,), (0,)), (1, 1, 1)), "the sparsity is 3: it must be from 1 to T = 2"),
        (lambda: Target(2, (), ()), "the sparsity is 0"),
        (lambda: Target(4, ((),), (1,)), "the degree is 0"),
        (lambda: Target(2, ((0, 1, 2),), (1,)), "the degree is 3"),
        (lambda: Target(4, ((0, 1), (2,)), (1, 1)), "of one degree"),
        (lambda: Target(4, ((0, 1), (1, 0)), (1, 1)), "repeated"),
        (lambda: Target(4, ((0, 0),), (1,)), "repeated"),
        (lambda: Target(4, ((0, 4),), (1,)), "positions run from 0"),
        (lambda: Target(4, ((0, 1),), (1, 1)), "as many coefficients"),
        (lambda: walsh.all_strings(21), "for T from 1 to 20"),
        (lambda: walsh.all_strings(0), "for T from 1 to 20"),
        (lambda: walsh.random_target(5, 0, 1, np.random.default_rng(0)), "the degree is 0"),
        (lambda: walsh.random_target(5, 5, 2, np.random.default_rng(0)), "allow 1 to 1"),
        (lambda: walsh.random_target(5, 2, 6, np.random.default_rng(0)), "allow 1 to 5"),
        (lambda: walsh.tiling(5, 0), "the degree is 0"),
        (lambda: walsh.transform(np.ones(6)), "2^T"),
        (lambda: walsh.algebraic_degree(np.array([0, 2])), "values 0 and 1"),
    ],
)  # fmt: skip
def test_bad_input(make, said):
    with pytest.raises(InputError) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
