"""Several layers: Theorem 4.2, its corollaries and the lemma under it (Section 4.3, appendices E and F).

The block is attacked as edelman2022/A.15 is; covering numbers are held from below by packings, from above by covers
that are built weight by weight; gaps by the complexity of the read-out alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from maurey.numeric.binding import bind
from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, fractions, to_ball
from maurey.numeric.types import Point
from maurey.symbolic import networks, registry
from maurey.symbolic.route import LENGTH_FREE, PAPER
from maurey.verify.attack.inequality import Inequality
from maurey.verify.attack.layers import BLOCKS, under
from maurey.verify.attack.layers import block as one_block
from maurey.verify.attack.sensitivity import inequality
from maurey.verify.attack.statements import Statement, examine
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.covers import networks as build
from maurey.verify.covers.heads import quantities
from maurey.verify.covers.instances import built
from maurey.verify.packings.attacks import along, at_edge, exceeded, survives
from maurey.verify.packings.classes import Attack
from maurey.verify.packings.lower_bounds import Lower, best

from . import packings

POINTS = 60  # for each form, at the least effort
FAR = 10, 10**2, 10**3

# --- E.2, and the network under 4.2: what moves when weights move ---------------------------------------------------

BLOCK = Statement(
    partial(one_block, key="trauger2024/E.2"),
    tuple({**BLOCKS[i], "first": first} for i, first in ((0, None), (0, (-1, 1)), (3, None), (3, (-1, 1)))),
    "weights and tokens of one block",
)


@check("trauger2024/E.2")
def block(effort: Effort) -> list[Result]:
    return examine("trauger2024/E.2", effort, BLOCK)


def _perturbed(sharp: bool, sigma: str, L: int, **sizes: int) -> Inequality:
    """The network with tokens of norm at most B_X, above and below 1."""
    route, form = (LENGTH_FREE, "sharp") if sharp else (PAPER, "derived")
    layer = {name: Symbol(f"B_{name}") for name in ("V", "QK", "C")}
    bounds: dict[str, Any] = dict.fromkeys(("B_V", "B_C", "B_w", "L_sigma", "B_X"), (-0.6, 0.7))
    bounds |= {"B_QK": (-2, 1)} | ({} if sharp else {"kappa": 2})
    whole = inequality(networks.network(route, [layer] * L), Symbol("B_X"), sizes, bounds, sigma)
    return under(form, whole)


NETWORK = Statement(
    _perturbed,
    tuple(
        {"T": T, "d": d, "k": k, "L": L, "sigma": sigma, "sharp": sharp}
        for T, d, k, L, sigma in ((2, 1, 1, 1, "identity"), (2, 2, 2, 2, "relu"))
        for sharp in (False, True)
    ),
    "weights and tokens of a network",
)


@check("trauger2024/4.2")
def network(effort: Effort) -> list[Result]:
    return examine("trauger2024/4.2", effort, NETWORK)


# --- covering numbers from below -------------------------------------------------------------------------------------


def _net(p: Point, bound: Fraction, radius: Fraction, **kind: Any) -> packings.Net:
    """Where the claim has no m, any number of inputs will do."""
    d, k = int(p["d"]), int(p["k"])
    norms = {name: p[name] for name in ("L_sigma", "B_w", "B_C", "B_V", "B_QK")}
    sizes: dict[str, Any] = {"d": d, "k": k, "m": int(p.get("m", 10**40)), "L": int(p["L"])}
    return packings.Net(**sizes, **norms, B=bound, B_X=radius, **kind)


def _given(p: Point) -> Lower:
    """4.2 for maps whose entries sum to at most B. By maurey/lattice, with centres projected into the class, their log
    covering numbers are at most (BR/eps)^2 log(2n + 1) for n entries: no more than is given if B is small enough."""

    def entries(d: int) -> Fraction:
        squared = min(p["C_1"], p["C_X"] / p["B_X"] ** 2) / Fraction(math.ceil(10**6 * math.log(2 * d * d + 1)), 10**6)
        return Fraction(math.isqrt(math.floor(squared * 10**40)), 10**20)

    found = []
    for d in (1, 2, 4, 32, 1000, 30000, 10**6):
        one = packings.deep(_net(p | {"d": d, "k": d}, entries(d), p["B_X"]), p["eps"])
        found.append(Lower(one.log, f"d = k = {d}, entries sum to at most {float(entries(d)):.6g}; {one.how}"))
    return best(found)


def _attack(name: str, radius: str, **kind: bool) -> Attack:
    return Attack(
        lambda p: packings.deep(_net(p, p[name], p[radius], **kind), p["eps"]), lambda p: min(p["B_w"], p[name])
    )


ATTACKS = {
    "4.2": Attack(_given, lambda p: p["B_w"]),
    "4.2.1": _attack("B_W_11", "B_X"),
    "4.2.1-simplified": _attack("B_W_11", "B_X"),
    "F.0.1": _attack("B_W_1inf", "B_X_1", l1=True, by_column=True),
    "F.0.2": _attack("B_W_21", "B_X_1", l1=True),
}

SCORES = (
    "in the first layer scores go with B_x^2, and the printed coefficient of its W_QK has one B_x, that of the cover. "
    "With values scaled to norm 1 (B_v2 of order 1/B_x) its other factors do not make up for that"
)
LONG = {"L": "1", "L_sigma": "1", "B_w": "1", "B_C": "1", "B_V": "1/240", "B_QK": "1", "eps": "1/5"}
SQUARE = {"d": "4096", "m": "16777216", "B_X_1": "512", "B_w": "7/10", "B_C": "7/10", "B_V": "1/500"}
EXCEEDED: dict[str, dict[str, str]] = {
    "4.2": LONG | {"B_X": "600", "B_V": "1/600", "C_1": "30", "C_X": "10800000", "eps": "1/10"},
    "4.2.1": LONG | {"d": "100000", "k": "64", "m": "100000", "B_X": "400", "B_W_11": "1"},
    "F.0.1": LONG | SQUARE | {"k": "64", "B_W_1inf": "7/10"},
}
HIDDEN = {"L": "1", "L_sigma": "1", "B_w": "1", "B_C": "1", "B_QK": "1", "k": "64", "B_W_21": "1", "eps": "1/10"}
LONGER = {"B_X_1": "1", "B_V": "-1", "d": "2", "m": "2"}  # powers of t: F.0.2 has the hidden constant of 3.4
COVERS = {"4.2.1": ("trauger2024/3.6", "B_X"), "F.0.1": ("trauger2024/3.3", "B_X_1")}  # of linear maps


def restored(number: str, at: Mapping[str, Any]) -> arb:
    """The print for one layer, with the terms of its own proof that it leaves out: (alpha_1 B_w)^(2/3) for W_C, and
    B_C where it has B_V for W_V."""
    p = fractions(at)
    if number in COVERS:
        key, radius = COVERS[number]
        known = {name: p[name] for name in ("d", "k", "B_W_11", "B_W_1inf") if name in p}
        C_1 = value(key, "printed", "log_N", known | {radius: Fraction(1), "eps": Fraction(1), "N": p["d"]})
    else:
        C_1 = to_ball(p["C_1"])
    said = value(f"trauger2024/{number}", "printed", "log_N", p)
    with ctx.workprec(PRECISION):
        eps, w, c, v = (to_ball(x) for x in (p["eps"], p["B_w"], p["L_sigma"] * p["B_C"], p["L_sigma"] * p["B_V"]))
        lost = _two_thirds(w) + _two_thirds(w * c) - _two_thirds(w * v)
        return ((said * eps**2).root(3) + C_1.root(3) * lost) ** 3 / eps**2


def _two_thirds(x: arb) -> arb:
    return (x**2).root(3)


def long_tokens(key: str, number: str) -> Result:
    """A witness against the print counts only if it is one against the terms of its proof too."""
    at, attack = EXCEEDED[number], ATTACKS[number]
    mended = restored(number, at)
    if not attack.lower(fractions(at)).whole().log > mended:
        return Result("undecided", "refuted", "the terms of the proof make up for it", instances=1, part="log_N")
    note = f"{SCORES}; with the terms that its proof has and the display lacks it is {float(mended):.6g}"
    return exceeded(key, "log_N", at, attack, note)


EDGE = {
    "eps": "1/16", "L": "1", "d": "1", "k": "1", "m": "1", "L_sigma": "1", "B_w": "1", "B_C": "1", "B_V": "1",
    "B_QK": "1", "B_X_1": "1", "B_W_21": "1",
}  # fmt: skip
SMALL = {"eps": "1/16", "d": "1", "k": "1", "L": "2", "B_w": "1", "B_C": "1", "B_V": "1", "B_W_11": "1"}
RAYS: list[tuple[dict[str, str], dict[str, str], str]] = [
    (SMALL, {"B_X": "-1", "L_sigma": "1", "B_QK": "-1"},
     "the activation lifts short tokens up to the unit ball, where the read-out alone needs a fixed number of centres; "
     "the printed power is one of L_sigma B_c2 B_v2 B_QK2 = 1, whatever its exponent is, and the rest goes with B_x^2"),
    (SMALL | {"B_X": "1", "L_sigma": "1"}, {"B_QK": "-1"},
     "without scores attention is an average, and the read-out alone needs a fixed number of centres; the printed "
     "product vanishes with B_QK2, for every exponent above 0"),
]  # fmt: skip


LATTICE = "every weight rounded to a lattice at its share of the error, B_X above and below 1, up to three layers"
HALF = "columns rounded to lattices at half the share, any member of the class near the centre in its place"
NOT_PROPER = (
    "columns rounded to lattices at their share of the error leave the ball of the spectral norm ({} of {} networks): "
    "this cover has centres outside of the class; outputs were within {:.3f} eps"
)


def _built(effort: Effort, key: str) -> Iterator[Result]:
    if not key.endswith("F.0.1"):
        yield from built(key, "log_N", build.lattices(effort, key), LATTICE, ("derived", "sharp"))
        return
    yield from built(key, "log_N", build.lattices(effort, key, share=0.5), HALF, ("derived",))
    found = list(build.lattices(effort, key))
    outside = sum(not one.inside for one in found)
    note = NOT_PROPER.format(outside, len(found), max(one.error for one in found))
    yield Result("undecided", "constructed", note, instances=len(found), part="log_N", form="sharp")


def covering(effort: Effort, key: str) -> Iterator[Result]:
    number = key.rpartition("/")[2]
    attack = ATTACKS[number]
    if number in build.NORMS:
        yield from _built(effort, key)
    for form in ("derived", "sharp"):
        yield survives(key, form, "log_N", effort, POINTS, attack)
    if number in EXCEEDED:
        yield long_tokens(key, number)
    if number == "F.0.2":
        note = f"{SCORES}; the print is of order log t, also with the terms that its proof has and the display lacks"
        yield along(key, "log_N", at=HIDDEN, ray=LONGER, ts=FAR, note=note, attack=attack)
        yield at_edge(key, "log_N", EDGE, "at d = k = 1 the printed logarithm vanishes, and read-outs differ", attack)


for _number in ATTACKS:
    check(f"trauger2024/{_number}")(partial(covering, key=f"trauger2024/{_number}"))


@check("trauger2024/4.2.1-simplified")
def simplified(effort: Effort) -> Iterator[Result]:
    for at, ray, note in RAYS:
        yield along(
            "trauger2024/4.2.1-simplified",
            "log_N",
            at=at,
            ray=ray,
            ts=FAR,
            note=note,
            attack=ATTACKS["4.2.1-simplified"],
        )


# --- gaps ------------------------------------------------------------------------------------------------------------

TRAINED = {
    "L_loss": "1",
    "b": "1",
    "delta": "1/10",
    "L_sigma": "11/10",
    "B_w": "1",
    "B_C": "1",
    "B_V": "1",
    "B_QK": "1/2",
}
GAPS = {"4.2.1": {"B_W_11": "2"}, "F.0.1": {"B_W_1inf": "2"}, "F.0.2": {"B_W_21": "2"}, "S2.5": {}}


def _read_out(m: int, radius: float, effort: Effort) -> float:
    """A lower bound on the complexity of the read-out on tokens of that radius, in turn along two directions: exact for
    few samples, else by Szarek's form of Khintchine's inequality, E |sum eps_i x_i| >= (sum |x_i|^2)^(1/2) / sqrt 2."""
    if m > rademacher.ALL_SIGNS:
        return radius / math.sqrt(2 * m)
    points = radius * np.eye(2)[np.arange(m) % 2]
    return rademacher.linear(points, 1.0, 1, np.random.default_rng(effort.seed)).lower


def gaps(effort: Effort, key: str) -> Iterator[Result]:
    """W_QK = 0 and multiples of the identity in every layer, so that only the read-out is left."""
    claim, own = registry.find(key), GAPS[key.rpartition("/")[2]]
    part = "gap_network" if key.endswith("S2.5") else "gap"
    radius_name = "B_X_1" if key.startswith("trauger2024/F") else "B_X"
    for form in ("derived", "sharp"):
        tight, count = 0.0, 0
        for L in (1, 2, 3):
            for m in (1, 2, 7, 12, 10**3, 10**6, 10**9, 10**12):
                for B_X in ("1/2", "2"):
                    at = {**TRAINED, **own, "d": "2", "k": "2", "m": str(m), "L": str(L), radius_name: B_X}
                    said = quantities(bind(claim, form, part, at), "R")["R"]
                    radius = float(Fraction(B_X))
                    for _ in range(L):
                        radius = min(1.0, 1.1 * min(1.0, radius))
                    true = _read_out(m, radius, effort)
                    count += 1
                    if true > said * (1 + 1e-9):
                        note = "the read-out alone has a larger complexity"
                        yield refuted(note, dict(at), f"{said:.6g}", f"{true:.6g}", instances=count, part=part,
                                      form=form)  # fmt: skip
                        return
                    tight = max(tight, true / said)
        note = "its complexity is at least that of the read-out alone, for m from 1 to 10^12 and up to three layers"
        yield Result("holds", "tested", note, instances=count, tightness=tight, part=part, form=form)


for _number in GAPS:
    check(f"trauger2024/{_number}")(partial(gaps, key=f"trauger2024/{_number}"))
