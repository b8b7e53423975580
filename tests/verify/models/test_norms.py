"""Norms of stored matrices against exact rational arithmetic, at the ends of every format, and with wrong guesses."""

from fractions import Fraction

import numpy as np
import pytest

from maurey.symbolic.errors import InputError
from maurey.verify.models.numbers import enclosures, norms, spectral, tensors
from maurey.verify.models.numbers.tensors import Stored

RNG = np.random.default_rng(3)


def stored(values, kind="F64", name="layer.0.weight"):
    values = np.asarray(values)
    if kind == "BF16":
        return Stored(name, kind, (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
    return Stored(name, kind, values.astype(tensors.KINDS[kind]))


def exact(A):
    """The entries as fractions, read off the stored bits."""
    if A.kind == "BF16":
        floats = [np.array([int(bits) << 16], np.uint32).view(np.float32)[0] for bits in A.array.ravel()]
    else:
        floats = A.array.ravel()
    values = iter([Fraction(int(x)) if A.kind[0] in "IU" else Fraction(float(x)) for x in floats])
    return [[next(values) for _ in range(A.shape[1])] for _ in range(A.shape[0])]


def definite(S):
    """Whether a symmetric matrix of fractions is positive definite: every pivot of its elimination is."""
    S = [list(row) for row in S]
    for k in range(len(S)):
        if S[k][k] <= 0:
            return False
        for i in range(k + 1, len(S)):
            factor = S[i][k] / S[k][k]
            for j in range(k, len(S)):
                S[i][j] -= factor * S[k][j]
    return True


def eigenvalues_below(rows, t):
    """Whether those of A A^T are all below t."""
    G = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in rows] for a in rows]
    return definite([[t * (i == j) - G[i][j] for j in range(len(G))] for i in range(len(G))])


def root_holds(found, square):
    return found.lower**2 <= square <= found.upper**2


def roots_sum_between(found, squares):
    """Whether a sum of roots lies there: each root by its floor at 400 bits."""
    from math import isqrt

    low = sum(Fraction(isqrt(int(s * 2**800)), 2**400) for s in squares)
    return found.lower <= low + Fraction(len(squares), 2**400) and low <= found.upper


def check(A, close=1e-8):
    rows = exact(A)
    columns = list(map(list, zip(*rows, strict=True)))
    found = norms.norms(A)
    squares, turned = ([sum(x * x for x in row) for row in M] for M in (rows, columns))
    assert root_holds(found.frobenius, sum(squares))
    assert root_holds(found.rows, max(squares))
    assert root_holds(found.columns, max(turned))
    assert roots_sum_between(found.row_sum, squares)
    assert roots_sum_between(found.column_sum, turned)
    for end, value in (
        (found.row_l1, max(sum(map(abs, row)) for row in rows)),
        (found.column_l1, max(sum(map(abs, column)) for column in columns)),
        (found.entries, sum(abs(x) for row in rows for x in row)),
    ):
        assert end.lower <= value <= end.upper
    short = rows if len(rows) <= len(columns) else columns
    slack = Fraction(1, 10**18)  # what is definite is so strictly
    assert eigenvalues_below(short, found.spectral.upper**2 * (1 + slack))
    assert not eigenvalues_below(short, found.spectral.lower**2 * (1 - slack))
    for name in norms.Norms.__dataclass_fields__:
        end = getattr(found, name)
        assert end.upper <= end.lower * (1 + Fraction(close)), name
    loose = norms.norms(A, one_pass=True).spectral
    assert loose.lower <= found.spectral.upper
    assert found.spectral.lower <= loose.upper
    return found


@pytest.mark.parametrize("kind", ["F64", "F32", "F16", "BF16", "I8", "I32", "U8"])
@pytest.mark.parametrize("shape", [(5, 8), (7, 3), (4, 4), (1, 6), (6, 1), (1, 1)])
def test_every_kind_and_shape(kind, shape):
    values = RNG.normal(size=shape) if kind[0] in "FB" else RNG.integers(1, 100, size=shape)
    check(stored(values, kind))


@pytest.mark.parametrize(
    "values",
    [
        [[1e308, 1e308, 0], [1e308, -1e308, 5e-324]],
        [[5e-324, 5e-324], [1e-323, 0]],
        [[1e-320, 1.0], [1e308, 1e-300]],
        [[1e-170, 1e-175], [3e-170, 2e-180]],
        [[2.0**-200, 2.0**-199], [0, 2.0**-500]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[1, 1 + 2**-52], [1 + 2**-52, 1]],
        [[1, 1e-9], [1e-9, 1]],
        [[3, 0], [0, 0]],
    ],
    ids=lambda v: str(v)[:24],
)
def test_the_ends_of_the_doubles(values):
    check(stored(values))


@pytest.mark.parametrize(("kind", "values"), [
    ("F16", [[6e-8, 65504], [0, 6e-8]]), ("F16", [[6e-8, 0], [0, 6e-8]]),
    ("F32", [[1e-45, 3.4e38], [1, 1]]), ("F32", [[1e-45, 0], [1e-45, 1e-45]]), ("BF16", [[1e-40, 3e38], [1e-40, 1]]),
    ("I8", [[-128, -128], [127, -128]]),
])  # fmt: skip
def test_the_ends_of_the_short_formats(kind, values):
    check(stored(values, kind))


@pytest.mark.parametrize("shape", [(3, 1200), (1200, 3), (24, 30)])
def test_sums_that_are_split(shape, monkeypatch):
    """And Lanczos' method in the place of all eigenvectors, with blocks of a few cells."""
    monkeypatch.setattr(spectral, "TERMS", 7)
    monkeypatch.setattr(spectral, "SMALL", 2)
    A = stored(RNG.integers(-9, 9, size=shape).astype(float))
    if min(shape) < 9:
        check(A)
    else:
        G = [[Fraction(int(x)) for x in row] for row in (A.array @ A.array.T)]
        found = norms.norms(A).spectral
        values = [[found.upper**2 * (i == j) - G[i][j] for j in range(24)] for i in range(24)]
        assert definite(values)
        assert found.upper <= found.lower * (1 + Fraction(1e-8))


def test_zeros_and_nothing():
    for shape in ((3, 4), (0, 4), (4, 0)):
        found = norms.norms(stored(np.zeros(shape)))
        assert {getattr(found, name) for name in norms.Norms.__dataclass_fields__} == {enclosures.ZERO}


def test_a_kernel_is_a_matrix_and_a_vector_a_column():
    kernel = RNG.normal(size=(4, 3, 2, 2))
    assert norms.norms(stored(kernel)) == norms.norms(stored(kernel.reshape(4, 12)))
    v = norms.norms(stored([3.0, 4.0]))
    assert v.spectral == v.frobenius
    assert v.spectral.lower <= 5 <= v.spectral.upper
    assert v.rows.lower <= 4 <= v.rows.upper < 5


def test_transposing_swaps_the_names():
    A = stored(RNG.normal(size=(3, 5)))
    one, other = norms.norms(A).turned(), norms.norms(A.turned())
    for name in norms.Norms.__dataclass_fields__:
        a, b = getattr(one, name), getattr(other, name)
        assert max(a.lower, b.lower) <= min(a.upper, b.upper)


# --- what must not go unnoticed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 40, 130])
def test_a_planted_value_that_is_too_small_is_rejected(n):
    A = RNG.normal(size=(n, 2 * n))
    G = spectral.mirrored(A @ A.T)
    true = float(np.linalg.eigvalsh(G)[-1])
    for short in (1e-9, 1e-6, 0.1, 1):
        assert spectral.eigenvalues_below(G, true * (1 - short)) is None
    above = spectral.eigenvalues_below(G, true * (1 + 1e-9))
    assert true < above < true * (1 + 2e-9)


@pytest.mark.parametrize("guess", [0.0, 0.9, 0.999999, 1.5, -1.0, float("nan"), float("inf")])
def test_a_wrong_guess_costs_accuracy_alone(guess, monkeypatch):
    A = stored(RNG.normal(size=(80, 90)))
    honest = norms.norms(A).spectral
    values, vectors = np.linalg.eigh(A.array @ A.array.T)
    for vector in (vectors[:, -1], vectors[:, 0], np.full(80, np.nan), np.zeros(80)):
        monkeypatch.setattr(spectral, "top", lambda G, vector=vector: (guess * values[-1], vector))
        with np.errstate(all="ignore"):
            found = norms.norms(A).spectral
        assert found.lower <= honest.upper
        assert honest.lower <= found.upper


def test_a_factor_that_is_wrong_is_paid_for(monkeypatch):
    """Cholesky's method may err: what is left over is measured, whatever it gave."""
    G = spectral.mirrored((A := RNG.normal(size=(6, 6))) @ A.T)
    true = float(np.linalg.eigvalsh(G)[-1])
    cholesky = np.linalg.cholesky
    for spoil in (lambda R: 1.01 * R, lambda R: R + 1e-3, lambda R: 0 * R):
        monkeypatch.setattr(np.linalg, "cholesky", lambda S, spoil=spoil: spoil(cholesky(S)))
        found = spectral.eigenvalues_below(G, 1.1 * true)
        assert found is None or found > true


def test_rounding_is_in_the_ends(monkeypatch):
    """Without the error of the Gram matrix the ends would be wrong: a sum in which all that is small is lost."""
    A = np.full((1, 1 << 20), 2.0**-13)
    A[0, 0] = 2.0**14  # the squares of the others are lost one by one, in a sum from the left
    total = Fraction(2) ** 28 + Fraction((1 << 20) - 1, 1 << 26)
    G = np.array([[float(np.cumsum(A[0] * A[0])[-1])]])
    assert Fraction(G[0, 0]) < total * (1 - Fraction(2) ** -43)
    monkeypatch.setattr(spectral, "gram", lambda A, exponent=0: (G, 1 << 20))
    assert root_holds(spectral.spectral(stored(A)), total)
    monkeypatch.setattr(spectral, "gamma", lambda n: 0.0)
    assert not root_holds(spectral.spectral(stored(A)), total)


@pytest.mark.parametrize("kind", ["F64", "F32", "F16", "BF16"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_name(kind, bad):
    values = RNG.normal(size=(70, 900))
    values[69, 899] = bad
    with pytest.raises(InputError, match=r"^layer\.0\.weight holds NaN or infinity$"):
        norms.norms(stored(values, kind))


def test_integers_that_are_no_doubles_are_no_weights():
    with pytest.raises(InputError, match="not I64"):
        norms.norms(stored([[1, 2]], "I64"))


def test_a_processor_that_flushes_is_refused(monkeypatch):
    tensors.check_subnormals()
    monkeypatch.setattr(tensors, "doubles", lambda array, kind: np.zeros(array.shape))
    with pytest.raises(InputError, match="subnormal"):
        norms.norms(stored([[1.0]]))
