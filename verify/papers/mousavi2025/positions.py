"""Position vectors (Assumption 3): N unit vectors whose inner products are at most 1/2 in absolute value.

Sign vectors drawn at random: probabilities are exact rationals, or between two of them. The inner products of a forest
of pairs are independent, and so are any two of all pairs. Root systems give vectors that can be written down.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, count
from math import comb, prod
from typing import NamedTuple

from flint import arb, ctx

from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.proofs import Proof, conclude

ONE, HALF = Fraction(1), Fraction(1, 2)
PAPER = 5  # d_e = floor(5 log N) in the experiments
EXPERIMENTS = (2, 4, 6, 8, 10, 12, 25, 27, 29, 31, 33, 100)
COUNTED = 4  # up to so many vectors they are counted one by one, in at most
SMALL = 6  # dimensions

# --- drawn -----------------------------------------------------------------------------------------------------------


def dimension(N: int, factor: int = PAPER) -> int:
    """floor(factor log N)."""
    with ctx.workprec(128):
        return int((factor * arb(N).log()).floor().unique_fmpz())


def violates(d_e: int) -> Fraction:
    """That |<w, w'>| > 1/2 for two drawn vectors: they agree in fewer than a quarter of the places, or differ so."""
    return Fraction(2 * sum(comb(d_e, k) for k in range((d_e + 3) // 4)), 2**d_e)


def counted(N: int, d_e: int) -> Fraction:
    """That all are within 1/2, by trying all: the first may be taken to be all ones."""
    good = [w for w in range(2**d_e) if d_e <= 4 * w.bit_count() <= 3 * d_e]
    near = set(good)

    def extensions(left: list[int], more: int) -> int:
        if more == 1:
            return len(left)
        return sum(extensions([u for u in left if u ^ w in near], more - 1) for w in left)

    return Fraction(extensions(good, N - 1), 2 ** (d_e * (N - 1)))


def all_within(N: int, d_e: int) -> tuple[Fraction, Fraction]:
    """The probability that all N drawn vectors satisfy the assumption, from below and from above.

    Below: one after another, the k-th fails with each of those before with probability p. Above: the pairs of a star
    are independent, (1 - p)^(N - 1); all pairs are so two by two, and Cantelli's inequality bounds the chance of none.
    """
    p, pairs = violates(d_e), comb(N, 2)
    if N <= 2 or (N <= COUNTED and d_e <= SMALL):
        exact = counted(N, d_e) if N > 2 else 1 - pairs * p
        return exact, exact
    below = prod((max(1 - k * p, Fraction(0)) for k in range(1, N)), start=ONE)
    mean, variance = pairs * p, pairs * p * (1 - p)
    return below, min((1 - p) ** (N - 1), variance / (variance + mean**2))


def least_dimension(N: int) -> tuple[int, int]:
    """From where on nothing shows that drawn vectors fail more often than not, and the first dimension in which they
    certainly succeed with probability 1/2."""
    chances = ((d_e, all_within(N, d_e)) for d_e in count(1))
    certain, open_from = 0, 0
    for d_e, (below, above) in chances:
        open_from = open_from or (d_e if above >= HALF else 0)
        if below >= HALF:
            certain = d_e
            break
    return open_from, certain


# --- written down ----------------------------------------------------------------------------------------------------

Root = tuple[int, ...]


def roots(d_e: int) -> list[Root]:
    """e_i + e_j and e_i - e_j: d_e (d_e - 1) vectors of squared norm 2 with inner products 0 and +-1. Those with e_1
    and a plus stand first: any two of them have inner product 1."""
    found = []
    for sign, (i, j) in ((s, pair) for s in (1, -1) for pair in combinations(range(d_e), 2)):
        found.append(tuple(1 if k == i else sign if k == j else 0 for k in range(d_e)))
    return found


def coherence(vectors: list[Root]) -> Fraction:
    """The largest |<v, w>| / (|v| |w|) of two of them, all of one norm."""
    inner = (abs(sum(a * b for a, b in zip(v, w, strict=True))) for v, w in combinations(vectors, 2))
    return Fraction(max(inner, default=0), sum(a * a for a in vectors[0]))


def written_down(N: int, d_e: int) -> list[Root]:
    """N vectors of coherence at most 1/2 in so many dimensions, if the root system has so many; else none."""
    return roots(d_e)[:N] if d_e * (d_e - 1) >= N else []


# --- the audit -------------------------------------------------------------------------------------------------------


class Audit(NamedTuple):
    N: int
    d_e: int
    pair: Fraction  # the chance that two drawn vectors violate the assumption
    expected: Fraction  # number of pairs that do
    below: Fraction  # the chance that none does lies between the two
    above: Fraction
    least: tuple[int, int]  # the least dimension for an even chance lies between the two
    exist: bool  # vectors that satisfy it in d_e dimensions are written down


def audit(N: int, d_e: int | None = None) -> Audit:
    d_e = dimension(N) if d_e is None else d_e
    p = violates(d_e)
    vectors = written_down(N, d_e)
    exist = len(vectors) == N and coherence(vectors) <= HALF
    return Audit(N, d_e, p, comb(N, 2) * p, *all_within(N, d_e), least_dimension(N), exist)


def table(numbers: tuple[int, ...] = EXPERIMENTS) -> list[Audit]:
    """What the experiments' d_e = floor(5 log N) does to the assumption."""
    return [audit(N) for N in numbers]


ENOUGH = 16  # d_e = 16 log N is enough for high probability
CHERNOFF = 300  # dimensions in which the tail is compared, at the least effort


def rate() -> arb:
    """p <= 2 e^(-rate d_e): Chernoff's bound for signs at 1/2, 3/4 log 3 - log 2."""
    return 3 * arb(3).log() / 4 - arb(2).log()


def tail(d_e: int) -> bool:
    """The same in integers: p^4 <= 16 (16/27)^d_e."""
    return violates(d_e) ** 4 <= 16 * Fraction(16, 27) ** d_e


@check("mousavi2025/as3")
def sign_vectors(effort: Effort) -> Result:
    """The suggested vectors: with d_e = c log N they do for c above 2/rate, and do not below."""
    wrong = [d_e for d_e in range(1, CHERNOFF * min(effort.scale, 2)) if not tail(d_e)]
    rows = table()
    with ctx.workprec(128):
        threshold = 2 / rate()
        enough = Proof(bool(threshold < ENOUGH), f"{ENOUGH} > {threshold}")
    missing = [row.N for row in rows if not row.exist]
    last = rows[-1]
    return conclude(
        f"Drawn sign vectors violate it in at most N^2 e^(-rate d_e) pairs on average (integers), which vanishes for "
        f"d_e = c log N with c above 2/rate = {float(threshold):.2f}, and the pairs being independent two by two some "
        f"are violated for c below. At 5 log N, as in the experiments, they are: for N = {last.N}, d_e = {last.d_e} "
        f"on average {float(last.expected):.1f} pairs, and all are within 1/2 with probability at most "
        f"{float(last.above):.3f}; an even chance takes d_e = {last.least[1]}. Vectors that satisfy it in 5 log N "
        f"dimensions exist: roots e_i +- e_j.",
        [Proof(not wrong, f"the tail at d_e = {wrong}"), enough, Proof(not missing, f"roots for N = {missing}")],
        instances=len(rows),
    )  # fmt: skip
