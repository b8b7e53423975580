"""Classes of linear maps from below: certified lower bounds on log N as functions of a claim's parameters, and points
of its domain to try them at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from sympy import Rational, Symbol, false

from maurey.numeric.types import Point
from maurey.symbolic.claim import Claim

from . import linear
from .codes import l1_ball
from .euclidean import ball_in_largest
from .lower_bounds import Lower

ONE = Fraction(1)


class Attack(NamedTuple):
    lower: Callable[[Point], Lower]
    radius: Callable[[dict[str, Any]], float]  # about the resolution from which on one centre is enough


def square_of(p: Point, *names: str) -> Fraction:
    product = ONE
    for name in names:
        product *= p[name]
    return (product / p["eps"]) ** 2


def int_of(p: Point, name: str) -> int:
    return int(p[name])


def scalar(number: str, proper: bool) -> Attack:
    """|v| <= B_w on N orthogonal inputs of norm B_X."""
    return Attack(
        lambda p: ball_in_largest(square_of(p, "B_w", "B_X"), int_of(p, number), proper), lambda p: p["B_w"] * p["B_X"]
    )


def _rows(p: Point) -> int:
    return min(int_of(p, "N"), int_of(p, "d_1"))


COLUMNS = Attack(
    lambda p: linear.columns(square_of(p, "B_W_inf", "B_X"), _rows(p), int_of(p, "d_2")),
    lambda p: math.sqrt(p["d_2"]) * p["B_W_inf"] * p["B_X"],
)
MIXED = Attack(
    lambda p: linear.row_sum(square_of(p, "B_W_21", "B_X"), _rows(p), int_of(p, "d_2"), square_of(p, "B_W_inf", "B_X")),
    lambda p: min(p["B_W_21"], math.sqrt(p["d_2"]) * p["B_W_inf"]) * p["B_X"],
)
ROW_SUM = Attack(
    lambda p: linear.row_sum(square_of(p, "B_W_21", "B_X"), _rows(p), int_of(p, "d_2")),
    lambda p: p["B_W_21"] * p["B_X"],
)
FROBENIUS = Attack(
    lambda p: linear.frobenius(square_of(p, "B_W_F", "B_X"), _rows(p), int_of(p, "d_2")),
    lambda p: p["B_W_F"] * p["B_X"],
)
EVERYWHERE = Attack(
    lambda p: linear.everywhere(square_of(p, "B_W_F", "B_X"), int_of(p, "d_1"), int_of(p, "d_2")), FROBENIUS.radius
)
IN_COLUMNS = Attack(  # x -> Wx with the columns of W in l1 balls: on basis vectors a product
    lambda p: l1_ball(square_of(p, "B_W_1inf", "B_X_1"), int_of(p, "k")).times(min(int_of(p, "N"), int_of(p, "d"))),
    lambda p: p["B_W_1inf"] * p["B_X_1"],
)


def in_entries(number: str) -> Attack:
    """x -> Wx with the absolute entries of W summed."""
    return Attack(
        lambda p: linear.entries(square_of(p, "B_W_11", "B_X"), min(int_of(p, number), int_of(p, "d")), int_of(p, "k")),
        lambda p: p["B_W_11"] * p["B_X"],
    )


def norms_of_columns(radius: str) -> Attack:
    """x -> Wx with the norms of the columns of W summed."""
    return Attack(
        lambda p: linear.row_norms(square_of(p, "B_W_21", radius), min(int_of(p, "N"), int_of(p, "d")), int_of(p, "k")),
        lambda p: p["B_W_21"] * p[radius],
    )


def norms_of_rows(radius: str) -> Attack:
    """x -> Wx with the norms of the rows of W summed."""
    return Attack(
        lambda p: linear.row_sum(square_of(p, "B_W_21", radius), min(int_of(p, "N"), int_of(p, "d")), int_of(p, "k")),
        lambda p: p["B_W_21"] * p[radius],
    )


LATTICE = Attack(lambda p: l1_ball(square_of(p, "rho"), int_of(p, "n")), lambda p: p["rho"])


# --- points: natural ones, and the corners of the domain -----------------------------------------------------------

SIZES = {
    "d": (1, 2, 3, 4, 8, 32, 100, 1000),
    "k": (1, 2, 3, 8, 100, 1000),
    "d_1": (1, 2, 3, 10, 64, 1000, 10**9, 10**40),
    "d_2": (1, 2, 3, 4, 10, 64, 500),
    "n": (1, 2, 3, 5, 30, 10**4, 10**12, 10**40),
    "H": (1, 2, 3),
    "L": (1, 2, 3),
    "T": (1, 2, 3, 10, 1000, 10**9),
    "m": (1, 2, 3, 10, 100, 10**4, 10**6, 10**40),
    "N": (1, 2, 3, 10, 100, 10**4, 10**9, 10**40),
    "D_e": (3, 4, 5, 10, 64, 1000),
}
NORMS = ("1", "1", "1", "1/2", "2", "3/7", "1/10", "10", "1/1000", "1000")
SCORES = ("1/10", "1", "10", "1000", "1000000")  # the scores only tell where they are large
RESOLUTIONS = (2, 1, 1 - 1e-6, 0.99, 0.9, 0.75, 0.70, 0.5, 0.4, 0.33, 0.2, 0.1, 0.03, 0.001)


def points(claim: Claim, attack: Attack, number: int, seed: int) -> Iterator[Point]:
    """Points of the whole stated domain: sizes from 1 up, and resolutions around the radius of the class and below."""
    rng = np.random.default_rng(seed)
    indices = {p.index for p in claim.symbols if p.index} | set(claim.unrolled)
    while number:
        sizes = {name: int(rng.choice(SIZES[name])) for name in indices}
        at: Point = {}
        for p in claim.symbols:
            if p.optional or p.name in ("eps", "L_loss", "b", "delta"):
                continue
            if p.domain == "positive integer":
                at[p.name] = Fraction(sizes.get(p.name) or int(rng.choice(np.array(SIZES[p.name], dtype=object))))
                continue
            choices = SCORES if p.name.startswith("B_QK_inf") else NORMS
            drawn = [Fraction(str(rng.choice(choices))) for _ in range(sizes[p.index] if p.index else 1)]
            at[p.name] = drawn if p.index else drawn[0]
        if not assumed(claim, at):
            continue
        number -= 1
        plain = {n: [float(x) for x in v] if isinstance(v, list) else float(v) for n, v in at.items()}
        eps = attack.radius(plain) * float(rng.choice(RESOLUTIONS))
        yield at | {"eps": Fraction(f"{eps:.12g}")}


def assumed(claim: Claim, at: Point) -> bool:
    """Whether the claim's assumptions hold, as far as the point says."""
    numbers = {Symbol(name): Rational(x.numerator, x.denominator) for name, x in at.items() if isinstance(x, Fraction)}
    return all(one.relation.subs(numbers) is not false for one in claim.assumes)
