"""Hypothesis strategies for what the claims speak of: matrices in norm balls, probabilities, tokens, weights.

Entries are drawn as small integers, so that a counterexample shrinks to one that can be read, and then scaled into the
ball. That is done exactly: no matrix leaves its ball, not even by a rounding, and those on the sphere come within 1e-12
of it. Norms are those of the papers: `(p,q)` is the q-norm of the p-norms of the columns, `(p,q)T` that of the rows.
The convex ones, and spheres, say how what lies outside is brought into them (`CLASSES`), so that they can be attacked.

    @given(matrices((3, 4), "(2,inf)", bound=2), tokens(5, 3))
    def test(W, X): ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError

Strategy = st.SearchStrategy
Instance = TypeVar("Instance")
Into = Callable[[Any], Any]  # brings what has the shape of an instance into the class, and leaves alone what is there
CLASSES: WeakKeyDictionary[Strategy[Any], Into] = WeakKeyDictionary()


def _known(strategy: Strategy[Instance], into: Into) -> Strategy[Instance]:
    CLASSES[strategy] = into
    return strategy


# --- norms, rounded up --------------------------------------------------------------------------------------------

Vector = list[Fraction]


def _root(x: Fraction) -> Fraction:
    """At least the square root, and that itself where it is rational."""
    scale = 1 << max(0, 160 - x.numerator.bit_length() // 2)
    n = x.numerator * x.denominator * scale**2
    r = isqrt(n)
    return Fraction(r + (r * r < n), x.denominator * scale)


def _l2(v: Vector) -> Fraction:
    return _root(sum((x * x for x in v), Fraction(0)))


def _l1(v: Vector) -> Fraction:
    return sum(v, Fraction(0))


def _columns(inner: Callable[[Vector], Fraction], outer: Callable[[Vector], Fraction]) -> Callable[[Array], Fraction]:
    return lambda M: outer([inner([Fraction(x) for x in column]) for column in abs(M).T.tolist()])


def _spectral(M: Array) -> Fraction:
    """The largest entry where no two share a row or a column; else what the singular values say, and a little."""
    if max(np.count_nonzero(M, axis=0).max(), np.count_nonzero(M, axis=1).max()) <= 1:
        return Fraction(float(abs(M).max()))
    return Fraction(float(np.linalg.norm(M, 2)) * (1 + 1e-13))


def _both_ways(name: str, norm: Callable[[Array], Fraction]) -> dict[str, Callable[[Array], Fraction]]:
    return {name: norm, f"{name}T": lambda M: norm(M.T)}


NORMS: dict[str, Callable[[Array], Fraction]] = {  # each at least the norm, by less than 1e-12 of it
    **_both_ways("(2,1)", _columns(_l2, _l1)),
    **_both_ways("(2,inf)", _columns(_l2, max)),
    **_both_ways("(1,1)", _columns(_l1, _l1)),
    **_both_ways("(1,inf)", _columns(_l1, max)),
    "spectral": _spectral,
    "frobenius": lambda M: _columns(_l2, max)(M.reshape(-1, 1)),
    "l1": _columns(_l1, _l1),
    "linf": lambda M: Fraction(float(abs(M).max())),
}

# --- matrices -----------------------------------------------------------------------------------------------------

SMALL = st.integers(-3, 3)
SIMPLE = st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(1, 8), Fraction(0)])


def _integers(*shape: int) -> Strategy[Array]:
    return arrays(np.float64, shape, elements=SMALL.map(float), fill=st.just(0.0))


@st.composite
def _one_hot(draw: st.DrawFn, rows: int, columns: int) -> Array:
    M = np.zeros((rows, columns))
    M[draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))] = draw(st.sampled_from([1.0, -1.0]))
    return M


@st.composite
def _low_rank(draw: st.DrawFn, rows: int, columns: int, rank: int) -> Array:
    product: Array = draw(_integers(rows, rank)) @ draw(_integers(rank, columns))
    return product


@st.composite
def orthogonal(draw: st.DrawFn, rows: int, columns: int) -> Array:
    """Orthonormal rows or columns, whichever are fewer: a signed permutation, reflected or not."""
    n = max(rows, columns)
    order = draw(st.permutations(range(n)))
    signs = draw(arrays(np.float64, n, elements=st.sampled_from([1.0, -1.0]), fill=st.just(1.0)))
    Q = np.eye(n)[list(order)] * signs
    v = draw(_integers(n))
    if v.any():
        Q = Q - 2 * np.outer(v, v @ Q) / (v @ v)
    return np.asarray(Q[:rows, :columns])


def _any(rows: int, columns: int) -> Strategy[Array]:
    """Small integers of every kind; counterexamples shrink to the first."""
    return st.one_of(
        _integers(rows, columns),
        _one_hot(rows, columns),
        _low_rank(rows, columns, 1),
        _low_rank(rows, columns, 2),
        arrays(np.float64, (rows, columns), elements=SMALL.map(float)),  # dense
        orthogonal(rows, columns),
    )


def _scaled(M: Array, bounds: Mapping[str, float], radius: Fraction) -> Array:
    """M times what brings it to so large a part of the balls, a rounding below where rounding would leave them."""
    ratio = max(NORMS[norm](M) / Fraction(bound) if bound else Fraction(0) for norm, bound in bounds.items())
    if ratio == 0 or 0 in bounds.values():
        return np.zeros_like(M)
    scaled = M * float(radius / ratio)
    while any(NORMS[norm](scaled) > Fraction(bound) for norm, bound in bounds.items()):
        scaled = scaled * (1 - 2.0**-46)
    return scaled


def within(shape: tuple[int, int], bounds: Mapping[str, float], on_sphere: bool | None = None) -> Strategy[Array]:
    """Matrices within several norm balls at once: bounds by the names of NORMS. On the sphere means that one of the
    bounds is attained; if it is left open, about half of them are."""
    unknown = [norm for norm in bounds if norm not in NORMS]
    if unknown or not bounds:
        raise InputError(f"no norm {', '.join(unknown)!r}; there are {', '.join(NORMS)}")
    if np.shape(shape) != (2,) or not all(isinstance(n, (int, np.integer)) and n > 0 for n in shape):
        raise InputError(f"the shape of matrices is two positive integers, e.g. (3, 4), got {shape!r}")
    if not all(bound == 0 or 1e-100 <= bound <= 1e100 for bound in bounds.values()):
        raise InputError(f"bounds are 0 or from 1e-100 to 1e100, got {dict(bounds)}")
    fixed = dict(bounds)
    return _known(_within(*shape, fixed, on_sphere), lambda M: _into_balls(M, fixed, on_sphere))


def _into_balls(M: Array, bounds: Mapping[str, float], on_sphere: bool | None = None) -> Array:
    """Scaled into all balls at once, which is a point of each of them; to a sphere where only that is drawn."""
    if on_sphere:
        return _scaled(M if M.any() else np.eye(*M.shape), bounds, Fraction(1))
    most = Fraction(1) if on_sphere is None else Fraction(1023, 1024)
    outside = any(NORMS[norm](M) > most * Fraction(bound) for norm, bound in bounds.items())
    return _scaled(M, bounds, most) if outside else M


@st.composite
def _within(draw: st.DrawFn, rows: int, columns: int, bounds: dict[str, float], on_sphere: bool | None) -> Array:
    M = draw(_any(rows, columns))
    inside = draw(st.booleans()) if on_sphere is None else not on_sphere
    if not inside and not M.any():
        M[0, 0] = 1.0
    return _scaled(M, bounds, draw(SIMPLE) if inside else Fraction(1))


def matrices(
    shape: tuple[int, int], norm: str = "frobenius", bound: float = 1.0, on_sphere: bool | None = None
) -> Strategy[Array]:
    """Matrices of the ball of one norm: dense, sparse, one-hot, of rank one and two, orthogonal."""
    return within(shape, {norm: bound}, on_sphere)


# --- inputs -------------------------------------------------------------------------------------------------------


def probability_rows(rows: int, n: int) -> Strategy[Array]:
    """Each row a probability vector: simple fractions, certainty among them."""
    return _known(_probability_rows(rows, n), lambda M: np.array([_nearest_probability(row) for row in M]))


def _nearest_probability(v: Array) -> Array:
    """All entries are lowered by the same amount, those below it to zero, so that the rest sum to one."""
    falling = np.sort(v)[::-1]
    amounts = (np.cumsum(falling) - 1) / np.arange(1, len(v) + 1)
    p = np.maximum(v - amounts[np.flatnonzero(falling > amounts)[-1]], 0.0)
    return np.asarray(p / p.sum())


@st.composite
def _probability_rows(draw: st.DrawFn, rows: int, n: int) -> Array:
    M = draw(arrays(np.float64, (rows, n), elements=st.integers(0, 4).map(float), fill=st.just(0.0)))
    M[~M.any(axis=1), 0] = 1.0
    return M / M.sum(axis=1, keepdims=True)


def tokens(T: int, d: int, bound: float = 1.0) -> Strategy[Array]:
    """A sequence of T tokens as rows, each of l2 norm at most the bound: on the sphere or inside, some sequences all of
    one token."""
    ball = {"frobenius": bound}
    return _known(_tokens(T, d, bound), lambda X: np.vstack([_into_balls(x[None], ball) for x in X]))


@st.composite
def _tokens(draw: st.DrawFn, T: int, d: int, bound: float) -> Array:
    token = matrices((1, d), "frobenius", bound)
    if draw(st.booleans()):
        return np.repeat(draw(token), T, axis=0)
    return np.vstack([draw(token) for _ in range(T)])


def boolean_inputs(T: int) -> Strategy[Array]:
    """Points of {0, 1}^T."""
    return arrays(np.float64, T, elements=st.sampled_from([0.0, 1.0]), fill=st.just(0.0))


@st.composite
def nearly_orthonormal(draw: st.DrawFn, k: int, d: int, coherence: float = 0.0) -> Array:
    """k unit vectors of R^d, as rows, with inner products of at most the coherence in absolute value; all up to 1e-15.

    Up to d of them have all their inner products equal, to the coherence or a simple part of it, up to signs. More are
    sign vectors found one by one; a family that is not soon found is not tried again.
    """
    if not 0 <= coherence < 1:
        raise InputError(f"coherence must lie in [0, 1), got {coherence}")
    if k > d:
        return _sign_vectors(k, d, coherence, draw(st.integers(0, 2**16)))
    part = coherence * float(draw(st.one_of(st.just(Fraction(1)), SIMPLE))) * (1 - 2.0**-44)
    a = sqrt(1 - part)
    b = (sqrt(a * a + k * part) - a) / k  # then (a I + b 1 1^T)^2 has ones on the diagonal and the part beside it
    signs = draw(arrays(np.float64, (k, 1), elements=st.sampled_from([1.0, -1.0]), fill=st.just(1.0)))
    return np.asarray(signs * ((a * np.eye(k) + b) @ draw(orthogonal(k, d))))


def _sign_vectors(k: int, d: int, coherence: float, seed: int) -> Array:
    random, found = np.random.default_rng(seed), np.empty((0, d))
    for _ in range(200 * k):
        v = random.choice([-1.0, 1.0], d)
        if (abs(found @ v) <= coherence * d).all():
            found = np.vstack([found, v])
        if len(found) == k:
            return np.asarray(found / sqrt(d))
    reject()


# --- weights ------------------------------------------------------------------------------------------------------

Bounds = Mapping[str, float]


def heads(d: int, k: int, *, V: Bounds, QK: Bounds) -> Strategy[dict[str, Array]]:
    """One attention head: W_V (d x k) and the collapsed W_QK (d x d), each within its bounds, `{"spectral": 1}`."""
    return _named(V=within((d, k), V), QK=within((d, d), QK))


def layers(L: int, d: int, k: int, *, V: Bounds, QK: Bounds, C: Bounds) -> Strategy[list[dict[str, Array]]]:
    """L layers, each a head and its W_C (k x d), all within the same bounds."""
    layer = _named(V=within((d, k), V), QK=within((d, d), QK), C=within((k, d), C))
    into = CLASSES[layer]
    return _known(st.lists(layer, min_size=L, max_size=L), lambda all_layers: [into(one) for one in all_layers])


def _named(**matrices: Strategy[Array]) -> Strategy[dict[str, Array]]:
    into = {name: CLASSES[strategy] for name, strategy in matrices.items()}
    return _known(st.fixed_dictionaries(matrices), lambda head: {name: into[name](M) for name, M in head.items()})
