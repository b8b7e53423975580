"""The covers that are ours from both sides: lattices, corrections, scores, and the token that is read; counts of
lattice points in closed form, and rounding of entries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sympy import Min, Piecewise, Symbol, ceiling, log, symbols

from maurey.symbolic.entropy import lattice_terms
from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers import enumeration as whole
from maurey.verify.covers import instances as run
from maurey.verify.covers import l1_balls, networks, rounding
from maurey.verify.covers.constructions import ONLINE, WHOLE, Built, Construction, both_sides, kept, of_kind
from maurey.verify.prove.arguments import half, lattice_choices, less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

from .packings import ATTACKS

RANGE = 40  # of dimensions and of steps, in which counts are compared with their closed bounds
BUILT: Built = {
    ("maurey/lattice", "lattice"): [
        Construction("both roundings, in up to 10^5 dimensions", run.lattice),
        Construction("the lattice written out in tiny dimensions, its points counted", whole.lattices),
    ],
    ("maurey/online", "scalar"): [Construction(ONLINE, run.scalar), Construction(WHOLE, whole.scalars)],
    ("maurey/online", "coordinates"): [
        *of_kind("coordinates", "F"), Construction(WHOLE, partial(whole.matrices, norms="F")),
    ],
    ("maurey/online", "net"): [
        *of_kind("net", "F"), Construction(WHOLE, partial(whole.matrices, norms="F", kind="net")),
    ],
    ("maurey/online", "everywhere"): of_kind("everywhere", "F"),
    ("maurey/online", "columns"): of_kind("columns", "21"),
    ("maurey/online", "fine"): of_kind("fine", "21"),
    ("maurey/score", "score"): [Construction("corrections along pairs of query and key", networks.scores)],
}  # fmt: skip


ROUNDED = "entries rounded to even multiples of eps, halves towards 0, in up to 10^5 dimensions"
CENTRES = "every point of a tiny ball rounded, its centres counted"

ENTRYWISE = {
    part: [
        Construction(what, partial(instances, power=power), ("printed",))
        for what, instances in ((ROUNDED, l1_balls.entrywise), (CENTRES, l1_balls.entrywise_whole))
    ]
    for part, power in (("l1", 1), ("l2", 2))
}


def covering(effort: Effort, key: str) -> Iterator[Result]:
    for (of, part), attack in ATTACKS.items():
        if of == key:
            yield from both_sides(key, part, BUILT.get((key, part), []), attack, effort)


for _key in dict.fromkeys(key for key, _ in ATTACKS):
    check(_key)(partial(covering, key=_key))


@check("maurey/read")
def read(effort: Effort) -> Result:
    """Networks whose last layer is covered on the token that is read only: the output is as near as is promised."""
    found = [*networks.deep(effort), *networks.deep(effort, "edelman2022/4.6")]
    for one in found:
        if one.error > 1 + run.ROUNDING or not one.inside:
            at = {name: str(x) for name, x in one.at.items()} | {"error": str(one.error)}
            return Result(
                "fails", "refuted", "the output is off by more than eps", instances=len(found), counterexample=at
            )
    farthest = max(one.error for one in found)
    note = f"covers of the last layer on m vectors and mT pairs only: outputs within {farthest:.2f} eps"
    return Result("holds", "constructed", note, instances=len(found))


# --- counts of lattice points ---------------------------------------------------------------------------------------


def counted(n: int, M: int) -> bool:
    """The closed bounds on both counts, and the symmetry, in integers."""
    dense, sparse = rounding.dense_count(n, M), rounding.sparse_count(n, M)
    return dense == rounding.dense_count(M, n) and dense <= (2 * n + 1) ** M and sparse <= (4 * n + 1) ** M


@check("maurey/lattice")
def closed(effort: Effort) -> Result:
    n, a = positive("n a")
    ((first, few), (M, _)), S = lattice_terms(a)[0].args, lattice_terms(a)[1]
    bounds = Min(M * log(2 * n + 1), n * log(2 * M + 1), S * log(4 * n + 1))
    form = formula("maurey/lattice", part="closed", rho=a, eps=1).subs(a, Symbol("root", positive=True))
    cases = Piecewise((0, a <= 1), (first * log(2 * n + 1), few), (bounds, True))
    expected = cases.subs(a, Symbol("root", positive=True) ** 2)
    top = RANGE * effort.scale
    wrong = [(i, j) for i in range(1, top) for j in range(1, RANGE) if not counted(i, j)]
    return conclude(
        f"binom(n, j) is at most n^j and what the sparse count has beyond binom(S, j) at most j! 2^j (z3, factor by "
        f"factor), so that both sums are below binomial expansions; in integers for n < {top} and up to {RANGE} steps.",
        [*lattice_choices(), Proof(form == expected, f"{form} = {expected}"),
         Proof(not wrong, f"counts for n, M = {wrong}")],
        part="closed", instances=(top - 1) * (RANGE - 1),
    )  # fmt: skip


# --- rounding the entries -------------------------------------------------------------------------------------------


def entry_rounding() -> list[Proof]:
    """y = |x|/(2 eps) goes to z = ceil(y - 1/2): off by at most 1/2, and where z >= 1, |x| = 2 y eps > z eps. So the z
    sum to less than |x|_1/eps; and, as z <= z^2, to less than |x|_2^2/eps^2."""
    y, a = positive("y a")
    z, k = ceiling(y - half), Symbol("k", integer=True)
    return [
        polynomial(y - z <= half, control=y - z <= less * half),
        polynomial(z - y <= half, control=z - y <= less * half),
        polynomial(z < 2 * y, control=z < less * y),
        polynomial(z <= z**2, control=z <= less * z**2),
        polynomial(k <= ceiling(a) - 1, k < a, control=k <= ceiling(a) - 2),
        polynomial(ceiling(a) - 1 <= a, control=ceiling(a) - 1 <= less * a),
        *lattice_choices(),
    ]


@check("maurey/entrywise")
def rounded(effort: Effort) -> Iterator[Result]:
    for part, constructions in ENTRYWISE.items():
        yield from kept("maurey/entrywise", part, constructions, effort)


@check("maurey/entrywise")
def entrywise(effort: Effort) -> Iterator[Result]:
    """|x^T D y| is largest at corners of the l1 balls, where it is an entry times B_X^2."""
    eps, rho, n, B, Delta, p, q = positive("eps rho n B_X_1 Delta p q")
    s, t, x, w, y = symbols("s t x w y", real=True)
    term = polynomial(
        x * w * y <= p * q * Delta, x <= p, -x <= p, y <= q, -y <= q, w <= Delta, -w <= Delta,
        control=x * w * y <= less * p * q * Delta,
    )  # fmt: skip
    joined = polynomial(
        s + t <= (p + q) * Delta, s <= p * Delta, t <= q * Delta, control=s + t <= less * (p + q) * Delta
    )
    form = formula("maurey/entrywise", part="moved")
    most = polynomial(p * q * Delta <= form, p <= B, q <= B, control=p * q * Delta <= less * form)
    yield conclude(
        "Each of its terms is at most |x_i| |y_j| Delta, sums of such are at most the sums of these, and these sum to "
        "|x|_1 |y|_1 Delta (z3); attained at x = y = B_X e_1.",
        [term, joined, most, same(B * Delta * B, form)], part="moved", tightness=1.0,
    )  # fmt: skip
    sizes = {"l1": rho / eps, "l2": ceiling((rho / eps) ** 2) - 1}
    for part, steps in sizes.items():
        yield conclude(
            "Rounding moves an entry by at most eps and gives integers that sum to less than |x|_1/eps and "
            "(|x|_2/eps)^2 (z3); so many signed steps in n places, or none, are at most (2n+1) choices each.",
            [*entry_rounding(), same(formula("maurey/entrywise", part=part), steps * log(2 * n + 1))], part=part,
        )  # fmt: skip
