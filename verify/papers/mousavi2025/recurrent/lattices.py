"""Packings of the unit ball with integer coordinates: what Lemma 41 is held against.

The origin and the shortest vectors of a lattice, divided by their length, lie at least 1 apart: a difference of two is
a vector of the lattice. In low dimensions all distances are computed; in Leech's lattice they follow from the weights
of Golay's code, all of whose words are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.int64]


class Packing(NamedTuple):
    what: str
    d: int
    points: int
    squared: Fraction  # the least squared distance of two, over the squared radius


def measured(what: str, points: Points) -> Packing:
    """All distances; the radius is the largest norm. Small integers are exact as doubles, and multiply faster."""
    exact, least = points.astype(float), []
    norms = (exact**2).sum(axis=1)
    for start in range(0, len(exact), 512):
        block = np.arange(start, min(start + 512, len(exact)))
        apart = norms[block, None] + norms[None, :] - 2 * exact[block] @ exact.T
        apart[block - start, block] = np.inf
        least.append(apart.min())
    return Packing(what, points.shape[1], len(points), Fraction(int(min(least)), int(norms.max())))


def with_origin(vectors: Points) -> Points:
    return np.vstack([np.zeros((1, vectors.shape[1]), np.int64), vectors])


def two_places(d: int, size: int) -> Points:
    """Two entries +-size, the others 0."""
    made = np.zeros((2 * d * (d - 1), d), np.int64)
    rows = product(combinations(range(d), 2), product((size, -size), repeat=2))
    for row, (places, values) in enumerate(rows):
        made[row, list(places)] = values
    return made


def even_signs(places: NDArray[np.int64], d: int, size: int = 1) -> Points:
    """Entries +-size in these places, an even number of them negative."""
    n = len(places)
    signs = 1 - 2 * ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1)
    made = np.zeros((1 << (n - 1), d), np.int64)
    made[:, places] = size * signs[signs.prod(axis=1) == 1]
    return made


def cross_polytope(d: int) -> Packing:
    return measured(f"the {2 * d} vectors +-e_i", np.vstack([np.eye(d, dtype=np.int64), -np.eye(d, dtype=np.int64)]))


def simplex(d: int) -> Packing:
    """d + 1 vectors of the hyperplane sum = 0 in one dimension more."""
    made = measured(f"a simplex of {d + 1} points", (d + 1) * np.eye(d + 1, dtype=np.int64) - 1)
    return made._replace(d=d)


def root_systems() -> Iterator[Packing]:
    for d in (3, 4, 5):
        yield measured(f"the roots of D_{d} and the origin", with_origin(two_places(d, 1)))
    e8 = np.vstack([two_places(8, 2), even_signs(np.arange(8), 8)])
    yield measured("the roots of E8 and the origin", with_origin(e8))


def barnes_wall() -> Packing:
    """Two entries +-2, or eight +-1 on an affine hyperplane of the 16 points of F_2^4, an even number negative."""
    points = (np.arange(16)[:, None] >> np.arange(4)) & 1
    halves = [np.flatnonzero((points @ normal + shift) % 2) for normal in points[1:] for shift in (0, 1)]
    vectors = np.vstack([two_places(16, 2), *(even_signs(places, 16) for places in halves)])
    return measured("the shortest vectors of the Barnes-Wall lattice and the origin", with_origin(vectors))


# --- Leech ---------------------------------------------------------------------------------------------------------


def golay() -> NDArray[np.int64]:
    """All 4096 words: squares modulo 11 make the cyclic code of length 23, and a parity bit makes it even."""
    generator = [1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1]  # 1 + x^2 + x^4 + x^5 + x^6 + x^10 + x^11, a factor of x^23 - 1
    rows = np.zeros((12, 24), np.int64)
    for shift in range(12):
        rows[shift, shift : shift + 12] = generator
    rows[:, 23] = rows.sum(axis=1) % 2
    return ((np.arange(4096)[:, None] >> np.arange(12)) & 1) @ rows % 2


@cache
def leech_vectors() -> Points:
    """Entries +-4 in two places, +-2 on an octad with an even number negative, and -+3, +-1 everywhere."""
    words = golay()
    octads = words[words.sum(axis=1) == 8]
    odd = np.repeat(1 - 2 * words, 24, axis=0)  # -1 on the word
    odd[np.arange(len(odd)), np.tile(np.arange(24), len(words))] *= -3
    return np.vstack([two_places(24, 4), *(even_signs(np.flatnonzero(o), 24, 2) for o in octads), odd])


def leech() -> Packing:
    """Vectors of Z^24 with entries of one parity m and sum 4m modulo 8, whose entries that are m modulo 4 or not make a
    word: a lattice. Its shortest have squared norm 32, and the weights 0, 8, 12, 16, 24 of the words say so:
    - even, word 0: entries in 4Z with sum 0 modulo 8, so at least two are not 0: 32;
    - even, another word: at least 8 entries with absolute value 2 or more: 32;
    - odd: all entries +-1 would make the sum 24 less twice a weight, which is never 4 modulo 8: one is 3 or more, 32.
    """
    words, vectors = golay(), leech_vectors()
    weights = set(words.sum(axis=1).tolist())
    assert weights == {0, 8, 12, 16, 24}
    assert all((24 - 2 * weight) % 8 != 4 for weight in weights)
    assert inside_leech(vectors, words)
    assert ((vectors**2).sum(axis=1) == 32).all()
    assert len(np.unique(vectors @ 9 ** np.arange(24, dtype=np.int64))) == len(vectors)  # modulo 2^64
    return Packing("the shortest vectors of Leech's lattice and the origin", 24, 1 + len(vectors), Fraction(1))


def inside_leech(vectors: Points, words: NDArray[np.int64]) -> bool:
    parity = vectors[:, 0] % 2
    patterns = ((vectors - parity[:, None]) % 4) // 2
    known = set(words @ (1 << np.arange(24)))
    return bool(
        ((vectors - parity[:, None]) % 2 == 0).all()
        and ((vectors.sum(axis=1) - 4 * parity) % 8 == 0).all()
        and set(np.unique(patterns @ (1 << np.arange(24))).tolist()) <= {int(word) for word in known}
    )


def all_packings() -> Iterator[Packing]:
    yield from (simplex(d) for d in (1, 2, 3, 8))
    yield from (cross_polytope(d) for d in (2, 3, 4, 16, 100))
    yield from root_systems()
    yield barnes_wall()
    yield leech()
