"""What statements of Edelman et al. 2022 leave to the reader, and the smallest cases in which it matters."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb, fmpq
from sympy import Integer, log

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, besides, check, refuted

PAPER = "edelman2022/"

# --- 4.2-scalar: as many centres --------------------------------------------------------------------------------------


@check(PAPER + "4.2-scalar")
def read_out(effort: Effort) -> Iterator[Result]:
    """On one input and a line the read-out only scales, and both numbers are known: n members, each further than the
    resolution from the next, need n centres."""
    key = PAPER + "4.2-scalar"
    for n in (1, 2, 7, 100 * effort.scale):
        said = value(key, "printed", "log_N", {"eps": 1, "B_w": 3, "E_head": log(Integer(n)).evalf(40)})
        members = [Fraction(7 * i, 3) * Fraction(1, 3) for i in range(n)]  # of the head, on a line; w = B_w = 3
        centres = centres_on_a_line([3 * x for x in members], Fraction(1))
        if arb(centres).log() > said + arb("1e-30"):
            yield refuted("more centres are needed", {"members": n}, said, float(arb(centres).log()), part="log_N")
            return
    note = "the centres of the head's cover, read out by the fixed w, are as many; on a line no fewer will do"
    yield Result("holds", "constructed", note, instances=4, tightness=1.0, part="log_N")


def centres_on_a_line(members: list[Fraction], eps: Fraction) -> int:
    """The least number of members within eps of one of which every member is: from the left, each as far as may be."""
    left, number = sorted(members), 0
    while left:
        centre = max(x for x in left if x <= left[0] + eps)
        left, number = [x for x in left if x > centre + eps], number + 1
    return number


# --- A.8: shares that are negative ------------------------------------------------------------------------------------


@check(PAPER + "A.8")
def negative_share(effort: Effort) -> Result:
    """A term may be cheap at the expense of another that is negative."""
    alpha, beta, x, C = (1, 1), (1, 1), (2, -1), 1
    at = {"alpha": list(map(str, alpha)), "beta": list(map(str, beta)), "C": str(C), "n": "2", "i": "1"}
    said = value(PAPER + "A.8", "printed", "minimum", at)
    cost = sum(Fraction(a, y**2) for a, y in zip(alpha, x, strict=True))
    assert sum(b * y for b, y in zip(beta, x, strict=True)) == C
    assert said > arb(fmpq(cost.numerator, cost.denominator))
    note = "the lemma does not say that the x_i are positive, and with one of them negative the sum is less"
    return refuted(note, at | {"x": list(x)}, said.mid().str(12, radius=False), cost, part="minimum", instances=1)


# --- 4.5: what its statement and its proof leave to the reader --------------------------------------------------------


@check(PAPER + "4.5")
def readings(effort: Effort) -> Iterator[Result]:
    """Neither decides the lemma: it is true as read, by another proof."""
    d_2 = 2
    counts = [int(d_2 * norm) for norm in [Fraction(1)] * d_2]  # of columns as long as they may be, in units of B_inf
    assert sum(counts) > d_2
    note = f"its proof indexes covers by counts that add up to at most d_2; at d_2 = {d_2} columns of norm B_inf have "
    yield besides(note + f"counts that add up to {sum(counts)}. With equal resolutions no index is needed")
    at = {"eps": "9/10", "N": 64, "d_1": 64, "d_2": 1, "B_X": 1, "B_W_inf": 1}
    said, signs = value(PAPER + "4.5", "printed", "log_N", at), 64 * arb(2).log()  # unit vectors tell all signs apart
    note = "W is d_1 x d_2 and x has d_1 entries, so that Wx is not defined: read as the products of the columns of W "
    note += "with x, as the proof has it. Were rows multiplied and columns bounded, it would be false: one row of 64 "
    note += (
        f"entries in [-1, 1] has log N of at least {float(signs):.3g} at eps = 9/10, against {float(said):.3g} (times "
    )
    note += "a constant), and the one grows as d_1, the other as its logarithm"
    assert said < signs
    yield besides(note)
