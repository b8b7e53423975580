"""Linear covers that do not count their inputs (3.3 to 3.6), and the covers of l1 balls under them: built, attacked
from below, and where the print leaves out a ceiling, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sympy import Expr, Max, Symbol, floor, log

from maurey.symbolic.entropy import lattice_terms
from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers import l1_balls as run
from maurey.verify.covers.constructions import Built, Construction, both_sides
from maurey.verify.covers.instances import Instance
from maurey.verify.covers.linear import column_sum
from maurey.verify.packings.attacks import ONE_INPUT, along, at_edge
from maurey.verify.packings.classes import IN_COLUMNS, Attack, in_entries, norms_of_columns, norms_of_rows
from maurey.verify.prove.arguments import dense_rounding, lattice_choices, less, more, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

POINTS = 250  # for each form, at the least effort

# --- 3.3 and 3.6 as printed, without the ceiling --------------------------------------------------------------------


def no_ceiling() -> list[Proof]:
    """With a = (radius/eps)^2 a lattice of M <= a steps is enough, M log(2n + 1) bounds its log-size, and one centre is
    enough for a <= 1. So it is if errors must stay strictly below eps, as Section 2.4 has it: for a >= 1 with
    M = max(1, floor(a/2)), for a < 1 with zero alone."""
    a = Symbol("a", positive=True)
    M, strict = lattice_terms(a)[0], Max(1, floor(a / 2))
    return [
        *dense_rounding(),
        *lattice_choices(),
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


def _columns_and_entries(cover: Callable[..., Iterator[Instance]], by_columns: bool) -> list[Construction]:
    tiny = partial(run.whole, by_columns=by_columns)
    return [
        Construction(AVERAGES, partial(cover, lattice=False), ("derived",)),
        Construction(LATTICES, partial(cover, lattice=True), ("printed",)),
        Construction(LATTICES, partial(cover, lattice=True, least=True), ("sharp",)),
        Construction(WHOLE, partial(tiny, lattice=False), ("derived",)),
        Construction(WHOLE, partial(tiny, lattice=True), ("printed",)),
        Construction(WHOLE, partial(tiny, lattice=True, least=True), ("sharp",)),
    ]


def _sums(in_l1: bool) -> list[Construction]:
    return [
        Construction(BEST, partial(column_sum, in_l1=in_l1, best=True), ("derived", "sharp")),
        Construction(CORRECTIONS, partial(column_sum, in_l1=in_l1, best=False), ("derived",)),
    ]


BUILT: Built = {
    ("trauger2024/3.3", "log_N"): _columns_and_entries(run.columns, True),
    ("trauger2024/3.6", "log_N"): _columns_and_entries(run.entries, False),
    ("trauger2024/3.4", "log_N"): _sums(True),
    ("trauger2024/3.5", "log_N"): _sums(False),
    ("trauger2024/3.4", "log_N_rows"): [],
    ("trauger2024/3.5", "log_N_rows"): [],
    ("trauger2024/S2.5", "log_N_counting"): [Construction(NETS, run.volume_nets, ("derived",))],
    ("trauger2024/S2.5", "log_N_norms"): [
        Construction(AVERAGES, partial(run.entries, lattice=False, number="m"), ("derived",)),
        Construction(LATTICES, partial(run.entries, lattice=True, number="m", least=True), ("sharp",)),
        Construction(WHOLE, partial(run.whole, lattice=True, by_columns=False, number="m", least=True), ("sharp",)),
    ],
}
ATTACKS: dict[tuple[str, str], Attack] = {
    ("trauger2024/3.3", "log_N"): IN_COLUMNS,
    ("trauger2024/3.4", "log_N"): norms_of_columns("B_X_1"),
    ("trauger2024/3.5", "log_N"): norms_of_columns("B_X"),
    ("trauger2024/3.4", "log_N_rows"): norms_of_rows("B_X_1"),
    ("trauger2024/3.5", "log_N_rows"): norms_of_rows("B_X"),
    ("trauger2024/3.6", "log_N"): in_entries("N"),
    ("trauger2024/S2.5", "log_N_counting"): in_entries("m"),
    ("trauger2024/S2.5", "log_N_norms"): in_entries("m"),
}


def covering(effort: Effort, key: str) -> Iterator[Result]:
    for (of, part), constructions in BUILT.items():
        if of == key:
            yield from both_sides(key, part, constructions, ATTACKS[key, part], effort, POINTS)


for _key in dict.fromkeys(key for key, _ in BUILT):
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

FAR = 10**2, 10**4, 10**6
BALL = (
    "the class holds u e_1^T for every u in R^k with |u| <= B_w, whose values at B_x e_1 fill a ball of radius B_w B_x "
    "in k dimensions: log N at half that radius is at least k log 2, and the printed bound {}. The norms that the "
    "lemma bounds are those of columns, where its source bounds the rows that are dotted with x"
)


SHORT = {  # key: radius, inputs, what the printed bound does along k, and what vanishes at the edge
    "trauger2024/3.4": ("B_X_1", ("5", "2"), "is of order log k", "d = k"),
    "trauger2024/3.5": ("B_X", ("4", "1"), "does not have k at all", "d = n"),
}


def sums(effort: Effort, key: str) -> Iterator[Result]:
    radius, (inputs, fewest), growth, vanishing = SHORT[key]
    at = {"eps": "1/2", "N": inputs, "d": "4", radius: "1", "B_W_21": "1"}
    attack, edge = ATTACKS[key, "log_N"], at | {"N": fewest, "d": "1", "k": "1"}
    yield along(key, "log_N", at=at, ray={"k": "1"}, ts=FAR, note=BALL.format(growth), attack=attack)
    for part in ("log_N", "log_N_rows"):
        yield at_edge(key, part, edge, ONE_INPUT.format(vanishing), ATTACKS[key, part])


for _key in SHORT:
    check(_key)(partial(sums, key=_key))
