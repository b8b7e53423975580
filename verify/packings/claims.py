"""Each covering claim from below: a certified lower bound on its log N as a function of its parameters, and points to
try it at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from sympy import Rational, Symbol, false

from maurey.symbolic.claim import Claim
from maurey.verify.papers.mousavi2025 import packings as tokens

from . import heads, linear
from .codes import l1_ball
from .euclidean import Lower, ball_in_largest, best

Point = dict[str, Any]  # Fractions by name, lists of them per head or layer
ONE = Fraction(1)


class Attack(NamedTuple):
    lower: Callable[[Point], Lower]
    radius: Callable[[dict[str, Any]], float]  # about the resolution from which on one centre is enough


def _square(p: Point, *names: str) -> Fraction:
    product = ONE
    for name in names:
        product *= p[name]
    return (product / p["eps"]) ** 2


def _int(p: Point, name: str) -> int:
    return int(p[name])


def _scalar(number: str, proper: bool) -> Attack:
    """|v| <= B_w on N orthogonal inputs of norm B_X."""
    return Attack(
        lambda p: ball_in_largest(_square(p, "B_w", "B_X"), _int(p, number), proper), lambda p: p["B_w"] * p["B_X"]
    )


def _score(p: Point) -> Lower:
    """Queries e_i and keys e_t, all different: the mT outer products are orthogonal."""
    return ball_in_largest(_square(p, "B_QK_F", "B_X", "B_X"), _int(p, "m") * _int(p, "T"), proper=True)


def _rows(p: Point) -> int:
    return min(_int(p, "N"), _int(p, "d_1"))


COLUMNS = Attack(
    lambda p: linear.columns(_square(p, "B_W_inf", "B_X"), _rows(p), _int(p, "d_2")),
    lambda p: math.sqrt(p["d_2"]) * p["B_W_inf"] * p["B_X"],
)
MIXED = Attack(
    lambda p: linear.row_sum(_square(p, "B_W_21", "B_X"), _rows(p), _int(p, "d_2"), _square(p, "B_W_inf", "B_X")),
    lambda p: min(p["B_W_21"], math.sqrt(p["d_2"]) * p["B_W_inf"]) * p["B_X"],
)
ROW_SUM = Attack(
    lambda p: linear.row_sum(_square(p, "B_W_21", "B_X"), _rows(p), _int(p, "d_2")), lambda p: p["B_W_21"] * p["B_X"]
)
FROBENIUS = Attack(
    lambda p: linear.frobenius(_square(p, "B_W_F", "B_X"), _rows(p), _int(p, "d_2")),
    lambda p: p["B_W_F"] * p["B_X"],
)
EVERYWHERE = Attack(
    lambda p: linear.everywhere(_square(p, "B_W_F", "B_X"), _int(p, "d_1"), _int(p, "d_2")), FROBENIUS.radius
)
IN_COLUMNS = Attack(  # x -> Wx with the columns of W in l1 balls: on basis vectors a product
    lambda p: l1_ball(_square(p, "B_W_1inf", "B_X_1"), _int(p, "k")).times(min(_int(p, "N"), _int(p, "d"))),
    lambda p: p["B_W_1inf"] * p["B_X_1"],
)


def _entries(number: str) -> Attack:
    """x -> Wx with the absolute entries of W summed."""
    return Attack(
        lambda p: linear.entries(_square(p, "B_W_11", "B_X"), min(_int(p, number), _int(p, "d")), _int(p, "k")),
        lambda p: p["B_W_11"] * p["B_X"],
    )


def _column_sum(radius: str) -> Attack:
    """x -> Wx with the norms of the columns of W summed."""
    return Attack(
        lambda p: linear.row_norms(_square(p, "B_W_21", radius), min(_int(p, "N"), _int(p, "d")), _int(p, "k")),
        lambda p: p["B_W_21"] * p[radius],
    )


LATTICE = Attack(lambda p: l1_ball(_square(p, "rho"), _int(p, "n")), lambda p: p["rho"])


def _head(p: Point, B_X: Fraction, scale: Fraction = ONE) -> heads.Head:
    d, m, T = (_int(p, name) for name in ("d", "m", "T"))
    return heads.Head(d, m, T, p["L_sigma"], B_X, scale * p["B_V"], scale * p["B_V_inf"], p["B_QK_inf"])


def _positions(p: Point) -> Lower:
    """No positions, or one input with its position along it."""
    aligned = _head(p, p["B_X"] + p["B_P"])._replace(m=1)
    return best([heads.head(_head(p, p["B_X"]), p["eps"]), heads.values(aligned, p["eps"])])


def _several(p: Point) -> Lower:
    """One head alone, the others zero; or all with a common W_V, each with its share of it."""
    each = [
        _head(p | {"B_V": V, "B_V_inf": rows, "B_QK_inf": QK}, p["B_X"])
        for V, rows, QK in zip(p["B_V"], p["B_V_inf"], p["B_QK_inf"], strict=True)
    ]
    total = sum(p["B_V_inf"], Fraction(0))
    spectral = total * min(V / rows for V, rows in zip(p["B_V"], p["B_V_inf"], strict=True))
    together = each[0]._replace(B_V=spectral, B_V_inf=total)
    return best([*(heads.scores(one, p["eps"]) for one in each), *(heads.values(one, p["eps"]) for one in each),
                 heads.values(together, p["eps"])])  # fmt: skip


def _output(p: dict[str, Any]) -> float:
    bounds = [(p["B_V"], p["B_V_inf"])] if not isinstance(p["B_V"], list) else zip(p["B_V"], p["B_V_inf"], strict=True)
    widest = sum(min(V, math.sqrt(p["d"]) * rows) for V, rows in bounds)
    copies = p["H"] if not isinstance(p["B_V"], list) and "H" in p else 1
    return copies * widest * p["L_sigma"] * (p["B_X"] + p.get("B_P", 0))


HEAD = Attack(lambda p: heads.head(_head(p, p["B_X"]), p["eps"]), _output)
POSITIONS = Attack(_positions, _output)
SEVERAL = Attack(_several, _output)
EQUAL = Attack(lambda p: heads.head(_head(p, p["B_X"], p["H"]), p["eps"]), _output)


def _deep(p: Point) -> Lower:
    """A.17: tokens in the unit ball. The token that is read is one of the input's."""
    layers = [
        heads.Layer(*norms) for norms in zip(*(p[name] for name in ("B_V", "B_V_inf", "B_C", "B_C_inf")), strict=True)
    ]
    d, k, m = (_int(p, name) for name in ("d", "k", "m"))
    return heads.deep(heads.Deep(d, k, m, p["L_sigma"], p["B_w"], ONE, layers), p["eps"])


def _deep_equal(p: Point) -> Lower:
    layer = heads.Layer(p["C_2"], p["C_inf"], p["C_2"], p["C_inf"])
    d, m = _int(p, "d"), _int(p, "m")
    return heads.deep(heads.Deep(d, d, m, p["L_sigma"], p["B_w"], p["B_X"], [layer] * _int(p, "L")), p["eps"])


# --- the blocks of a one-layer Transformer; without a number of prompts there are as many as are asked for ---------


def _prompts(p: Point) -> int | None:
    return int(p["n"]) if "n" in p else None


TOKEN_BLOCK = Attack(
    lambda p: tokens.block(p["eps"], _int(p, "H"), _int(p, "D_e"), p["R"]),
    lambda p: p["R"] ** 3 * math.sqrt(p["H"]),
)
TOKEN_MATRICES = Attack(
    lambda p: tokens.matrices(p["eps"], _prompts(p), _int(p, "H"), _int(p, "D_e"), p["r_z"], p["B_QK_21"], p["B_QK_F"]),
    lambda p: p["r_z"] * min(p["B_QK_21"], p["B_QK_F"]),
)


def _token_layer(p: Point) -> Lower:
    net = tokens.Layer(_int(p, "H"), _int(p, "D_e"), p["r_z"], p["B_a"], p["B_W_F"], p["B_QK_21"])
    return tokens.layer(net, p["eps"], _prompts(p))


TOKEN_LAYER = Attack(_token_layer, lambda p: p["r_z"] ** 3 * p["B_a"] * p["B_W_F"] * p["B_QK_21"])

ATTACKS: dict[tuple[str, str], Attack] = {
    ("zhang2002/4", "log_N"): _scalar("N", proper=False),
    ("edelman2022/sec2-linear-cover", "N_inf"): _scalar("m", proper=True),
    ("edelman2022/A.10", "log_N"): _scalar("N", proper=True),
    ("edelman2022/4.5", "log_N"): COLUMNS,
    ("edelman2022/4.5-stronger", "log_N"): MIXED,
    ("edelman2022icml/4.6", "log_N"): ROW_SUM,
    ("edelman2022/4.4", "log_N"): HEAD,
    ("edelman2022/4.4", "log_N_appendix"): HEAD,
    ("edelman2022/A.11", "log_N"): POSITIONS,
    ("edelman2022/A.12", "log_N"): SEVERAL,
    ("edelman2022/A.12-equal-heads", "log_N"): EQUAL,
    ("edelman2022/A.17", "log_N"): Attack(_deep, lambda p: p["B_w"]),
    ("edelman2022/4.6", "log_N"): Attack(_deep_equal, lambda p: p["B_w"] * min(1, p["B_X"])),
    ("trauger2024/3.3", "log_N"): IN_COLUMNS,
    ("trauger2024/3.4", "log_N"): _column_sum("B_X_1"),
    ("trauger2024/3.5", "log_N"): _column_sum("B_X"),
    ("trauger2024/3.6", "log_N"): _entries("N"),
    ("trauger2024/S2.5", "log_N_counting"): _entries("m"),
    ("trauger2024/S2.5", "log_N_norms"): _entries("m"),
    ("maurey/lattice", "lattice"): LATTICE,
    ("maurey/lattice", "closed"): LATTICE,
    ("maurey/online", "scalar"): _scalar("N", proper=True),
    ("maurey/online", "coordinates"): FROBENIUS,
    ("maurey/online", "net"): FROBENIUS,
    ("maurey/online", "everywhere"): EVERYWHERE,
    ("maurey/online", "columns"): ROW_SUM,
    ("maurey/score", "score"): Attack(_score, lambda p: p["B_QK_F"] * p["B_X"] ** 2),
    ("mousavi2025/14", "log_N"): TOKEN_BLOCK,
    ("mousavi2025/16", "log_N"): TOKEN_MATRICES,
    ("mousavi2025/17", "log_N"): TOKEN_LAYER,
}

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
