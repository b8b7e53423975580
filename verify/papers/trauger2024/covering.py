"""Linear covers that do not count their inputs (3.3 to 3.6), and the covers of l1 balls under them: built, attacked
from below, and where the print leaves out a ceiling, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from sympy import Expr, Max, Min, Piecewise, Symbol, ceiling, floor, log, symbols

from maurey.symbolic import registry
from maurey.symbolic.entropy import lattice_terms
from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers import l1_balls as run
from maurey.verify.covers import rounding
from maurey.verify.covers.instances import Instance, built
from maurey.verify.covers.linear import column_sum
from maurey.verify.packings.attacks import along, at_edge, hidden, survives
from maurey.verify.papers.maurey.proofs import dense_rounding, half, less, more, positive
from maurey.verify.prove.proofs import Proof, conclude, formula, polynomial, same

POINTS = 250  # for each form, at the least effort
RANGE = 40  # of dimensions and of steps, in which counts are compared with their closed bounds

# --- counts of lattice points ---------------------------------------------------------------------------------------


def choices() -> list[Proof]:
    """Term by term in (1 + 2n)^M and (1 + 4n)^S, expanded: binom(n, j) j! <= n^j and, for the sparse lattice,
    binom(2S, j) <= j! 2^j binom(S, j), factor by factor. In n and M the dense count is symmetric."""
    i = Symbol("i", integer=True, nonnegative=True)
    n, S = symbols("n S", integer=True, positive=True)
    few, many = 2 * S - i, 2 * (i + 1) * (S - i)
    return [
        polynomial(n - i <= n, control=n - i <= less * n),
        polynomial(few <= many, i + 1 <= S, control=few <= less * many),
    ]


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
        [*choices(), Proof(form == expected, f"{form} = {expected}"), Proof(not wrong, f"counts for n, M = {wrong}")],
        part="closed", instances=(top - 1) * (RANGE - 1),
    )  # fmt: skip


# --- 3.3 and 3.6 as printed, without the ceiling --------------------------------------------------------------------


def no_ceiling() -> list[Proof]:
    """With a = (radius/eps)^2 a lattice of M <= a steps is enough, M log(2n + 1) bounds its log-size, and one centre is
    enough for a <= 1. So it is if errors must stay strictly below eps, as Section 2.4 has it: for a >= 1 with
    M = max(1, floor(a/2)), for a < 1 with zero alone."""
    a = Symbol("a", positive=True)
    M, strict = lattice_terms(a)[0], Max(1, floor(a / 2))
    return [
        *dense_rounding(),
        *choices(),
        polynomial(a <= 2 * (M + 1), a > 1, control=more * a <= 2 * (M + 1)),
        polynomial(M >= 1, a > 1, control=M >= 2),
        polynomial(a >= M, a > 1, control=less * a >= M),
        polynomial(2 * (strict + 1) > a, a >= 1, control=2 * (strict + 1) > more * a),
        polynomial(strict <= a, a >= 1, control=strict <= less * a),
    ]


def printed(key: str, dimension: Expr, copies: Expr, radius: Expr) -> Result:
    eps = positive("eps")
    most = copies * (radius / eps) ** 2 * log(2 * dimension + 1)
    return conclude(
        "With a = (B_w B_x/eps)^2 the dense lattice takes M <= a steps, which costs (M+1)/2 at most (z3), and has at "
        "most (2n+1)^M points: no ceiling is needed, though Lemma 3.1 with a terms asks for one.",
        [*no_ceiling(), same(formula(key), most)], part="log_N",
    )  # fmt: skip


# --- what is built --------------------------------------------------------------------------------------------------

AVERAGES = "Maurey's averages of ceil(a) atoms, in up to 5,000 dimensions"
LATTICES = "the smaller lattice, in up to 5,000 dimensions"
WHOLE = "the cover written out in tiny dimensions, all its centres against the worst members found"
CORRECTIONS = "corrections of W^T, in up to 300 x 20 dimensions"
BEST = "the smallest of the covers, nets written out"
NETS = "maximal packings of a fine grid, in tiny dimensions"
ROUNDED = "entries rounded to even multiples of eps, halves towards 0, in up to 10^5 dimensions"
CENTRES = "every point of a tiny ball rounded, its centres counted"


class Construction(NamedTuple):
    part: str
    what: str
    instances: Callable[[Effort], Iterator[Instance]]
    forms: tuple[str, ...]


def _columns_and_entries(cover: Callable[..., Iterator[Instance]], by_columns: bool) -> list[Construction]:
    lattice_forms = "printed", "sharp"
    return [
        Construction("log_N", AVERAGES, partial(cover, lattice=False), ("derived",)),
        Construction("log_N", LATTICES, partial(cover, lattice=True), lattice_forms),
        Construction("log_N", WHOLE, partial(run.whole, lattice=False, by_columns=by_columns), ("derived",)),
        Construction("log_N", WHOLE, partial(run.whole, lattice=True, by_columns=by_columns), lattice_forms),
    ]


def _sums(in_l1: bool) -> list[Construction]:
    return [
        Construction("log_N", BEST, partial(column_sum, in_l1=in_l1, best=True), ("derived", "sharp")),
        Construction("log_N", CORRECTIONS, partial(column_sum, in_l1=in_l1, best=False), ("derived",)),
    ]


BUILT: dict[str, list[Construction]] = {
    "trauger2024/3.3": _columns_and_entries(run.columns, True),
    "trauger2024/3.6": _columns_and_entries(run.entries, False),
    "trauger2024/3.4": _sums(True),
    "trauger2024/3.5": _sums(False),
    "trauger2024/S2.5": [
        Construction("log_N_counting", NETS, run.volume_nets, ("derived",)),
        Construction("log_N_norms", AVERAGES, partial(run.entries, lattice=False, number="m"), ("derived",)),
        Construction("log_N_norms", LATTICES, partial(run.entries, lattice=True, number="m"), ("sharp",)),
        Construction("log_N_norms", WHOLE, partial(run.whole, lattice=True, by_columns=False, number="m"), ("sharp",)),
    ],
    "maurey/entrywise": [
        Construction(part, what, partial(instances, power=power), ("printed",))
        for part, power in (("l1", 1), ("l2", 2))
        for what, instances in ((ROUNDED, run.entrywise), (CENTRES, run.entrywise_whole))
    ],
}


def covering(effort: Effort, key: str) -> Iterator[Result]:
    for one in BUILT[key]:
        yield from built(key, one.part, one.instances(effort), one.what, one.forms)
    for part in dict.fromkeys(one.part for one in BUILT[key] if key.startswith("trauger")):
        for form in registry.find(key).part(part).forms:
            if not hidden(key, part, form):
                yield survives(key, part, form, effort, POINTS)


for _key in BUILT:
    check(_key)(partial(covering, key=_key))


@check("trauger2024/3.3")
def columns(effort: Effort) -> Result:
    d, k, B, R = positive("d k B_W_1inf B_X_1")
    return printed("trauger2024/3.3", k, d, B * R)


@check("trauger2024/3.6")
def entries(effort: Effort) -> Result:
    d, k, B, R = positive("d k B_W_11 B_X")
    return printed("trauger2024/3.6", d * k, 1, B * R)


# --- 3.4 and 3.5 as printed: no factor for the outputs --------------------------------------------------------------

FAR = 10**12, 10**24, 10**36
BALL = (
    "the class holds u e_1^T for every u in R^k with |u| <= B_w, whose values at B_x e_1 fill a ball of radius B_w B_x "
    "in k dimensions: log N at half that radius is at least k log 2, and the printed bound {}. The norms that the "
    "lemma bounds are those of columns, where its source bounds the rows that are dotted with x"
)
EDGE = "at {} = 1 the printed logarithm vanishes, and one input is enough to tell members apart"


@check("trauger2024/3.4")
def sums_on_basis(effort: Effort) -> Iterator[Result]:
    at = {"eps": "1/2", "N": "5", "d": "4", "B_X_1": "1", "B_W_21": "1"}
    yield along("trauger2024/3.4", "log_N", at, {"k": "1"}, FAR, BALL.format("is of order log k"))
    yield at_edge("trauger2024/3.4", "log_N", at | {"N": "2", "d": "1", "k": "1"}, EDGE.format("d = k"))


@check("trauger2024/3.5")
def sums(effort: Effort) -> Iterator[Result]:
    at = {"eps": "1/2", "N": "4", "d": "4", "B_X": "1", "B_W_21": "1"}
    yield along("trauger2024/3.5", "log_N", at, {"k": "1"}, FAR, BALL.format("does not have k at all"))
    yield at_edge("trauger2024/3.5", "log_N", at | {"N": "1", "d": "1", "k": "1"}, EDGE.format("d = n"))


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
        *choices(),
    ]


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
