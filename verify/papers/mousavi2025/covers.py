"""Covers of the Transformer and of its blocks (13 to 17): compositions of finite classes decided exactly, attention
attacked, and covering numbers held against volumes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from flint import arb, ctx
from sympy import log, symbols

from maurey.numeric.exact import PRECISION, to_ball
from maurey.numeric.types import Point
from maurey.symbolic import registry
from maurey.symbolic.derivation import Step
from maurey.verify.attack.forwards import joined, softmax, tokens, turned
from maurey.verify.attack.inequality import Inequality, Sides, Values, Variable, run_steps
from maurey.verify.attack.statements import Statement, constants, examine
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.covers.finite_maps import Matrix, basis, smallest_cover
from maurey.verify.packings.attacks import along, constant_needed, falling, survives
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude, formula

from .packings import ATTACKS

COMPOSED, BLOCK, ATTENTION, MATRICES, TRANSFORMER = (f"mousavi2025/{number}" for number in range(13, 18))
POINTS = 60  # for each form, at the least effort

# --- 13 --------------------------------------------------------------------------------------------------------------


@check(COMPOSED)
def triangle(effort: Effort) -> Iterator[Result]:
    """|f(g) - f'(g')| <= |f(g) - f(g')| + |f(g') - f'(g')|, and averages of tokens side by side."""
    Delta_2NN, Delta_attn, L_f, H, r_z, c, s, k = positive("Delta_2NN Delta_attn L_f H r_z c s k")
    x, y, z = symbols("x y z", real=True)
    moved, radius = (formula(COMPOSED, part=part) for part in ("moved", "radius"))
    given = [x - y <= L_f * Delta_attn, y - z <= Delta_2NN]
    one_more = (k + 1) * r_z**2
    for form in ("printed", "derived"):
        yield conclude(
            "One block is moved after the other (z3); equality where both move the output the same way.",
            [polynomial(x - z <= moved, *given, control=x - z <= less * moved),
             same(formula(COMPOSED, form, "moved"), moved)],
            part="moved", form=form, tightness=1.0,
        )  # fmt: skip
        yield conclude(
            "An average of tokens is no longer than the longest; one head more adds at most r_z^2 to the square (z3).",
            [polynomial(s + c**2 <= one_more, s <= k * r_z**2, c <= r_z, control=s + c**2 <= less * one_more),
             same(radius**2, H * r_z**2), same(formula(COMPOSED, form, "radius"), radius)],
            part="radius", form=form, tightness=1.0,
        )  # fmt: skip
    K_2NN, K_attn, E_2NN, E_attn = positive("K_2NN K_attn E_2NN E_attn")
    yield conclude(
        "A centre for each pair of centres: as many as the product of the two (identity), and as near as the movement "
        "says.",
        [same(formula(COMPOSED, part="log_N").subs({E_2NN: log(K_2NN), E_attn: log(K_attn)}), log(K_2NN * K_attn))],
        part="log_N",
    )  # fmt: skip
    yield composed(effort)


def size_of(members: list[tuple[int, ...]], eps: Fraction) -> int:
    """The least number of members within eps of all, in the largest deviation."""
    values: list[Matrix] = [(tuple(map(Fraction, member)),) for member in dict.fromkeys(members)]
    return len(smallest_cover(values, basis(len(members[0]), Fraction(1)), None, eps))


def composed(effort: Effort) -> Result:
    """g takes n pairs to a grid of integers; f, a table on it that moves by at most L from one to the next, is
    L-Lipschitz; exact covering numbers."""
    rng, tight, count = np.random.default_rng(effort.seed), 0.0, 0
    for _ in range(30 * effort.scale):
        grid, n, L = int(rng.integers(2, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
        inner = [tuple(int(v) for v in rng.integers(grid, size=n)) for _ in range(int(rng.integers(2, 4)))]
        tables = [np.cumsum([int(rng.integers(-4, 5)), *rng.integers(-L, L + 1, size=grid - 1)]) for _ in range(3)]
        outer = [tuple(int(v) for v in table) for table in tables]
        both = [tuple(f[v] for v in g) for f in outer for g in inner]
        eps_f, eps_g = (int(rng.integers(0, 4)) + Fraction(1, 2) for _ in range(2))
        most = size_of(outer, eps_f) * size_of(inner, eps_g)
        least, count = size_of(both, eps_f + L * eps_g), count + 1
        if least > most:
            at = {"f": outer, "g": inner, "eps_2NN": str(eps_f), "eps_attn": str(eps_g), "L_f": L}
            return refuted("a composition needs more", at, most, least, part="log_N")
        tight = max(tight, least / most)
    note = "finite classes: smallest covers of both blocks and of their composition, by trying all"
    return Result("holds", "tested", note, instances=count, tightness=tight, part="log_N")


# --- 15 --------------------------------------------------------------------------------------------------------------


@cache
def _forms(part: str) -> dict[str, list[Step]]:
    own = registry.find(ATTENTION).part(part)
    return {form: own.steps(form) for form in own.forms}


def heads(T: int, D: int, H: int) -> Inequality:
    """The first token is the query; W and W~ are key-query matrices of H heads."""
    names = [f"W_{h}" for h in range(1, H + 1)]
    variables = {"Z": Variable((T, D), {"rows": "r_z"})}
    variables |= {name: Variable((D, D), {"frobenius": "B"}) for name in names}
    variables |= {f"{name}~": Variable((D, D), near=name) for name in names}

    def attended(v: Values, mark: str) -> Any:
        Z = v["Z"]
        query = Z[..., :1, :]
        return joined([softmax(query @ v[name + mark] @ turned(Z)) @ Z for name in names])

    def sides(v: Values) -> Sides:
        query, a, b = v["Z"][..., :1, :], attended(v, ""), attended(v, "~")
        lhs, Delta = tokens(a - b), tokens(joined([query @ (v[name] - v[f"{name}~"]) for name in names]))
        at = constants(ATTENTION, lhs) | {"r_z": v["r_z"], "Delta_QK": Delta, "eps": lhs * 0 + 1}
        found = {f"moved {form}": (lhs, run_steps(steps, at), v["r_z"]) for form, steps in _forms("moved").items()}
        for form, steps in _forms("eps_QK").items():  # linear in eps: the eps whose resolution is this movement
            found[f"eps_QK {form}"] = (lhs, Delta / run_steps(steps, at), v["r_z"])
        return found

    return Inequality(variables, {"r_z": (-0.5, 1), "B": (-2, 1)}, sides)


CASES = tuple(dict(zip(("T", "D", "H"), case, strict=True)) for case in ((2, 1, 1), (2, 3, 2), (8, 2, 1)))
ATTACKED = Statement(heads, CASES, "key-query matrices of one query")
check(ATTENTION)(partial(examine, ATTENTION, statement=ATTACKED))


@check(ATTENTION)
def softmaxed(effort: Effort) -> Iterator[Result]:
    """Tokens times a change of weights of l1 norm at most kappa times the largest change of a score, which is at most
    r_z times the movement of the query: heads add in squares."""
    r_z, Delta, eps, w, s = positive("r_z Delta_QK eps w s")
    for form, kappa in (("printed", 2), ("derived", 2), ("sharp", 1)):
        moved, resolution = (formula(ATTENTION, form, part) for part in ("moved", "eps_QK"))
        steps = [
            polynomial(r_z * w <= moved, w <= kappa * s, s <= r_z * Delta, control=r_z * w <= less * moved),
            same(moved.subs(Delta, resolution), eps),
        ]
        note = (
            f"Outputs move by r_z times the l1 change of the weights, at most {kappa} times that of a score "
            f"({'maurey/softmax' if kappa == 1 else 'edelman2022/A.7'}), and that by r_z times the query's (z3)."
        )
        for part in ("moved", "eps_QK"):
            yield conclude(note, steps, part=part, form=form)


# --- 14, 16, 17: volumes ---------------------------------------------------------------------------------------------

FALLING: dict[str, tuple[dict[str, str], dict[str, str], tuple[int, int, int], str]] = {
    BLOCK: (
        {"m": "1", "D_e": "4", "R": "2"}, {"H": "1", "eps": "1/2"}, (10**2, 10**6, 10**10),
        "the inputs of the block are as long as sqrt(H) R, which no power of R bounds: the outputs of one unit are "
        "spread over that length in H D_e dimensions, and at a resolution of the order of sqrt(H) the log covering "
        "number is of order H, the printed bound of order sqrt(H), whatever its degree in R",
    ),
    MATRICES: (
        {"eps": "1", "H": "1", "r_z": "1", "B_QK_21": "4", "B_QK_F": "4"}, {"D_e": "1"}, (10**3, 10**5, 10**7),
        "one column of norm R_{2,1} has values on all 2^D_e sign vectors that no fewer than e^(c D_e) centres serve; "
        "the printed bound is of order log D_e and does not know how many queries there are. Maurey's lemma covers for "
        "the sum over n queries, not for the largest of them",
    ),
    TRANSFORMER: (
        {"eps": "1/8", "H": "1", "m": "1", "r_z": "1", "B_a": "1", "B_W_F": "1"}, {"D_e": "1", "B_QK_21": "1/2"},
        (10**10, 10**14, 10**18),
        "the scores of two tokens carry of the order of r_QK columns in D_e dimensions each to the output, on as many "
        "prompts as there are sign vectors: the log covering number is of order D_e^(3/2), the printed bound of order "
        "D_e log D_e",
    ),
}  # fmt: skip


def interval(point: Point) -> tuple[arb, str]:
    """One prompt of one token, which attention hands on: a s(w z) takes all values up to r_{m,a} R_{m,w} r_z, and a
    centre serves those within eps."""
    with ctx.workprec(PRECISION):
        length = to_ball(point["B_a"] * point["B_W_F"] * point["r_z"])
        return (length / (2 * to_ball(point["eps"]))).log(), "an interval of outputs at one token"


def without_degree() -> Result:
    """R is the largest of the bounds; Lemma 14 has a polynomial of R where 17 has R."""
    ray = {"r_z": "1", "B_a": "1", "B_W_F": "1", "eps": "2", "B_QK_21": "-4"}
    note = (
        "outputs of one unit are as large as r_{m,a} R_{m,w} r_z = R^3, and at the resolution R^2 the log covering "
        "number is log(R/2) at least, where the printed bound is of order 1/R: its first logarithm has R where that "
        "of Lemma 14 has a polynomial of R"
    )
    return falling(TRANSFORMER, "log_N", at={"m": "1", "H": "1", "D_e": "2"}, ray=ray, ts=(10, 100, 1000), note=note,
                   truth=interval, by="outputs")  # fmt: skip


def by_volume(key: str, effort: Effort) -> Iterator[Result]:
    at, ray, ts, note = FALLING[key]
    attack = ATTACKS[key, "log_N"]
    yield along(key, "log_N", at=at, ray=ray, ts=ts, note=note, attack=attack)
    if key == TRANSFORMER:
        yield without_degree()
    for form in ("derived", "sharp"):
        yield survives(key, form, "log_N", effort, POINTS, attack)
    yield constant_needed(key, "log_N", effort, POINTS, attack)


for _key in FALLING:
    check(_key)(partial(by_volume, _key))
