"""The tools behind the sharp and the repaired forms: proved step by step, built, and held against classes whose
complexities, gaps and covering numbers are known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
from sympy import Min, Symbol, ceiling, floor, log, sqrt

from maurey.numeric.exact import texts
from maurey.symbolic.covers import ceil_log2
from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity import known_classes, rademacher
from maurey.verify.complexity.deviations import deviations
from maurey.verify.complexity.known_classes import Instance, comparison
from maurey.verify.covers import instances as run
from maurey.verify.covers.constructions import ONLINE, Construction, both_sides
from maurey.verify.covers.linear import linear
from maurey.verify.packings import linear as packings
from maurey.verify.packings.classes import LATTICE, ROW_SUM, Attack, int_of, square_of
from maurey.verify.prove.arguments import correction, less, levelled, lists, moved_by_parameters, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import least_at, polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

from .proofs import columns as weighted

LEVELS, STEP, SIDES, UNITS, COLUMNS, BALL, FEW, BLOCK = (
    f"maurey/{name}" for name in ("levels", "one-step", "sides", "units", "columns", "l1-ball", "few-columns", "block")
)

# --- chains -----------------------------------------------------------------------------------------------------------


@check(LEVELS)
def levels(effort: Effort) -> Iterator[Result]:
    note = (
        "Given Massart's lemma: with the best number of levels the cost exceeds e u by the most between one and two, "
        "by e times the stated constant at most (subdivision, z3); lengths of links by three binomial terms."
    )
    for part, external in (("R", False), ("external", True)):
        yield conclude(note, levelled(formula(LEVELS, part=part), external), part=part)
    yield known_classes.chain(LEVELS, "printed", "R", effort)
    for part in ("R", "external"):
        signs = "finite classes of sign vectors: all signs, or drawn ones"
        yield comparison(LEVELS, "printed", part, known_classes.sign_vectors(part, effort), signs)


def intervals(effort: Effort) -> Iterator[Instance]:
    """Finite classes with values in an interval that does not hold zero, themselves their cover."""
    rng = np.random.default_rng(effort.seed)
    for (m, size), low in product(((1, 2), (6, 20), (12, 4), (300, 50 * effort.scale)), (-1.0, 0.0, 5.0)):
        values = low + 2 * rng.integers(0, 2, size=(size, m)).astype(float)
        found = rademacher.finite(values, 2000 * effort.scale, rng)
        at = {"eps": "1e-9", "b": 2.0, "m": m, "size": math.log(size)}
        yield Instance(at, found.value, found.lower, texts(at), "a finite class exceeds it")


@check(STEP)
def one_step(effort: Effort) -> Iterator[Result]:
    eps, b, m, h = positive("eps b m size")
    yield conclude(
        "Given Massart's lemma for values of at most half the interval, and the error of the nearest centre.",
        [same(formula(STEP), eps + b / 2 * sqrt(2 * h / m))], part="R",
    )  # fmt: skip
    yield comparison(STEP, "printed", "R", intervals(effort), "finite classes, values at both ends of an interval")


@check(SIDES)
def one_deviation(effort: Effort) -> Iterator[Result]:
    """With the other signs fixed, h = (sup(A + a) + sup(A - a))/2 for one sample's values a, |a| <= q = r/2 less their
    middle: x + a and x - a have the mean x, and neither exceeds S + q where x <= S."""
    x, a, S = (Symbol(name, real=True) for name in ("x", "a", "S"))
    q, r, m, R, delta, odds = positive("q b m R_F delta odds")
    share = [
        same(((x + a) + (x - a)) / 2, x),
        polynomial(x + a <= S + q, x <= S, a <= q, control=x + a <= S + less * q),
    ]
    note = (
        "Given symmetrization and McDiarmid's lemma: one sample moves the supremum by r/m and twice the complexity by "
        "as much, for of the two suprema with either sign the mean lies between sup A and sup A + r/2 (z3)."
    )
    for name, fails in (("gap", 2 / delta), ("above", 1 / delta)):
        for end, moves in (("", 2), ("_every", 1)):
            term = formula(SIDES, part=f"{name}{end}") - 2 * R
            moved = moves * r / m
            exponent = 2 * term**2 / (m * moved**2)
            yield conclude(note, [*share, same(exponent.subs(log(fails), odds), odds)], part=f"{name}{end}")
            yield from deviations(SIDES, ("printed",), name == "gap", effort, f"{name}{end}", 2, every=bool(end))


# --- units ------------------------------------------------------------------------------------------------------------


def clipped(x: np.ndarray) -> np.ndarray:
    """An activation for which many small units do more than one large one."""
    return np.clip(x, -1, 1)


def layers_of_units(effort: Effort) -> Iterator[Instance]:
    """So many units of equal norms, along the best direction for each sign pattern; all signs."""
    rng = np.random.default_rng(effort.seed)
    for m, d, k, S in product((2, 6, 10), (1, 2, 4), (1, 2, 5, 16), (0.3, 2.0, 30.0)):
        z = rng.normal(size=(m, d)) * rng.choice((0.1, 1.0, 5.0), size=(m, 1))
        signs, _ = rademacher.signs(m, 0, rng)
        directions = rng.dirichlet(np.ones(d), 30) * rng.choice((-1, 1), size=(30, d))
        directions = np.vstack([np.eye(d), -np.eye(d), directions])
        best = np.zeros(len(signs))
        for used in range(1, k + 1):
            outputs = clipped(z @ (S / used * directions).T)
            best = np.maximum(best, used * np.abs(signs @ outputs).max(axis=1))
        true = float(best.mean()) / m
        R = float(np.abs(signs @ z).max(axis=1).mean()) / m
        at = {"k": k, "L_sigma": 1, "R_F": R, "weight": 1, "total": S}
        yield Instance(at, true, true, texts(at), "a layer of units exceeds it")


@check(UNITS)
def units(effort: Effort) -> Iterator[Result]:
    """Of norms above S/q there are fewer than q. Levels j = 0, ..., c - 1 add 4 L S R each, and k units below 2^-c S
    add 2 L (k 2^-c) S R, k <= 2^c."""
    q, S, n, k, L, U, R, c, p = positive("q total n k L_sigma weight R_F c p")
    level = 2 * (1 / n) * 2 * L * (n * S) * R  # 2^(j+1) units, n = 2^-j
    last = k * 2 * L * (S / p) * R
    whole = U * (c * 4 * L * S * R + 2 * L * S * R)
    yield conclude(
        "Given contraction and duality for one unit: fewer than q norms exceed S/q, every halving adds the same, and "
        "the rest no more than half of it (z3).",
        [polynomial(n < q, n * (S / q) < S, control=n < less * q), same(level, 4 * L * S * R),
         polynomial(last <= 2 * L * S * R, k <= p, control=last <= less * 2 * L * S * R),
         same(whole, 2 * U * L * S * R * (2 * c + 1)),
         same(formula(UNITS), 2 * U * L * S * R * Min(k, 2 * ceil_log2(k) + 1))], part="R",
    )  # fmt: skip
    note = "layers of up to 16 equal units with a clipped activation, all signs"
    yield comparison(UNITS, "printed", "R", layers_of_units(effort), note)


# --- classes ----------------------------------------------------------------------------------------------------------

eps, B, R, d, N, k = positive("eps B R d N k")


def narrow_columns(effort: Effort) -> Iterator[run.Instance]:
    for one in linear(effort, "narrow", "21"):
        yield one._replace(at=one.at | {"ratio": Fraction(17, 16), "share": Fraction(1, 16)})


@check(COLUMNS)
def columns(effort: Effort) -> Iterator[Result]:
    """J + 1 levels, J = ceil(x) and x = log(d/tau)/log(rho): rho^J is at least d/tau."""
    ratio, share, x = positive("ratio share x")
    size = formula(COLUMNS, B_X=R, B_W_21=B, d_2=d)
    counted = (ratio + share) * (B * R / eps) ** 2
    total = log(2 * d * N * (2 + log(d / share) / log(ratio)) + 1)
    yield conclude(
        "Each correction lowers the weighted distance by its share, projections do not raise it, and there are so many "
        "lists of corrections (z3); weights in powers of the ratio sum to at most that and the share.",
        [*correction(), *lists(), *weighted(ratio, share),
         polynomial(ceiling(x) + 1 <= x + 2, control=ceiling(x) + 1 <= x + 1), same(size, counted * total)],
        part="columns",
    )  # fmt: skip
    yield from both_sides(COLUMNS, "columns", [Construction(ONLINE, narrow_columns)], ROW_SUM, effort)


@check(BALL)
def ball(effort: Effort) -> Iterator[Result]:
    """floor(a) steps of the dense lattice err by rho^2/(2 (floor(a) + 1)) at most, a = (rho/eps)^2 >= 1; below 1 none
    are taken, and the origin is near enough."""
    a, n = positive("a n")
    yield conclude(
        "floor(a) steps are enough and at most a (z3); each is one of 2n or none.",
        [polynomial(2 * (floor(a) + 1) >= a, control=floor(a) >= a),
         polynomial(floor(a) <= a, control=floor(a) <= less * a),
         same(formula(BALL, rho=a, eps=1, n=n), a**2 * log(2 * n + 1))], part="log_N",
    )  # fmt: skip
    yield from both_sides(BALL, "log_N", [Construction("both roundings, in up to 10^5 dimensions", run.lattice)],
                          LATTICE, effort)  # fmt: skip


SUMMED = Attack(
    lambda p: packings.row_norms(square_of(p, "B_W_21", "B_X_1"), int_of(p, "d"), int_of(p, "k")),
    lambda p: p["B_W_21"] * p["B_X_1"],
)
MOST = 9  # columns and outputs up to which multinomial coefficients are compared with their mean


def few(q: int, k: int) -> bool:
    """The largest multinomial coefficient is at least their mean, and there are at most (e (k + 1))^q of them."""
    largest = math.factorial(k * q) // math.factorial(k) ** q
    number = math.comb(k * q + q - 1, q - 1)
    return largest * number >= q ** (k * q) and number <= (2 * (k + 1)) ** q * Fraction(3, 2) ** q


@check(FEW)
def few_columns(effort: Effort) -> Iterator[Result]:
    q, rho, x, kk = positive("q rho x k")
    B_1, B_X, dd, e = positive("B_W_21 B_X_1 d eps")
    wrong = [(i, j) for i, j in product(range(1, MOST), repeat=2) if not few(i, j)]
    grows = log(1 + x) - x / (1 + x)  # the slope of q log(1 + 2 rho/q), x = 2 rho/q
    size = B_1 * B_X / e * (1 + log(dd) + log(kk + 1) + kk * log(3))
    yield conclude(
        f"Given the volume of a ball of norms that are summed: its ratio to a product of balls is below a multinomial "
        f"mean (integers up to {MOST - 1}); all factors grow with the number of columns, which is below rho (z3).",
        [polynomial(q < rho, q * (1 / rho) < 1, control=q < less * rho), least_at(grows, x, 0),
         Proof(not wrong, f"multinomial coefficients for {wrong}"), same(formula(FEW), size)], part="log_N",
    )  # fmt: skip
    yield from both_sides(FEW, "log_N", [], SUMMED, effort)


@check(BLOCK)
def block(effort: Effort) -> Iterator[Result]:
    a, b, r, x, Delta = positive("a b R B_X Delta")
    moved, largest = formula(BLOCK), formula(BLOCK, part="product")
    yield conclude(
        "Halves of a product move crosswise (CAS); Cauchy-Schwarz, and two vectors of a ball have a sum of at most "
        "twice its radius (z3).",
        [*moved_by_parameters(), same(moved, r * sqrt(1 + x**2) * Delta)], part="moved",
    )  # fmt: skip
    yield conclude(
        "2 a b <= a^2 + b^2 (z3).",
        [polynomial(a * b <= largest, a**2 + b**2 <= r**2, control=a * b <= less * largest)], part="product",
        tightness=1.0,
    )  # fmt: skip
    yield comparison(BLOCK, "printed", "moved", moved_blocks(effort), "two-layer networks, random and aligned moves")


def moved_blocks(effort: Effort) -> Iterator[Instance]:
    """Networks of one unit along the input come near to it."""
    rng = np.random.default_rng(effort.seed)
    for p, size, step, aligned in product((1, 3, 20), (1, 4), (1e-3, 0.3), (False, True)):
        h = rng.normal(size=size)
        one = np.append(h, 1.0) / math.sqrt(1 + h @ h)
        parameters = []
        for sign in (-1, 1):
            W, a = rng.normal(size=(p, size + 1)), rng.normal(size=p)
            if aligned:  # |a| = |(W, b)|, both moved alike
                W, a = np.zeros((p, size + 1)), np.zeros(p)
                W[0], a[0] = one, 1.0
            scale = (1 + sign * step) / math.sqrt((W**2).sum() + a @ a)
            parameters.append((W * scale, a * scale))
        (W, a), (V, c) = parameters
        bound = max(math.sqrt((M**2).sum() + v @ v) for M, v in parameters)
        far = math.sqrt(((W - V) ** 2).sum() + (a - c) @ (a - c))
        point = np.append(h, 1.0)
        true = abs(float(a @ np.maximum(W @ point, 0) - c @ np.maximum(V @ point, 0)))
        at = {"R": bound, "B_X": float(np.linalg.norm(h)), "Delta": far}
        yield Instance(at, true, true, texts(at), "a network moves further")
