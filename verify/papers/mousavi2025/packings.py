"""Lower bounds for the blocks of a one-layer Transformer, as functions of its embedded tokens (qSTR).

The tokens are ours to choose within their norm. All 2^D sign vectors of one norm are inputs on which a linear function
v has the largest value |v|_1/sqrt(D): against the Euclidean ball of v, volumes tell how many centres are needed,
wherever these lie. What a claim does not count, the number of prompts, is then as large as is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from flint import arb, ctx, fmpz

from maurey.numeric.exact import PRECISION, log_ball, short, to_ball
from maurey.numeric.types import Point
from maurey.verify.packings.classes import Attack, int_of
from maurey.verify.packings.codes import ball_in_ball
from maurey.verify.packings.euclidean import ball_in_largest
from maurey.verify.packings.linear import columns
from maurey.verify.packings.lower_bounds import NOTHING, Lower, best, spread

THIRD = Fraction(1, 3)


def ball_on_signs(a: Fraction, D: int) -> Lower:
    """v in the Euclidean ball of squared radius a eps^2, on all sign vectors of norm 1 in D dimensions. A set of
    diameter 2 eps in a norm has at most the volume of its ball of radius eps, here that of |v|_1 <= sqrt(D) eps."""
    with ctx.workprec(PRECISION):
        return Lower(log_ball(D, a) - _cross(D, arb(1)), f"volume in {short(D)} dimensions, on all sign vectors")


def _cross(D: int, eps: arb) -> arb:
    """The logarithm of the volume of |v|_1 <= sqrt(D) eps."""
    n = arb(fmpz(D))
    return n * (2 * n.sqrt() * eps).log() - (n + 1).lgamma()


def log2_floor(n: int) -> int:
    return n.bit_length() - 1


# --- the two-layer block ---------------------------------------------------------------------------------------------


def block(eps: Fraction, H: int, D_e: int, R: Fraction) -> Lower:
    """One unit a s(<w, h> + b) for all |h| <= sqrt(H) R, with a^2 = R^2/2.

    Always on, |w| <= rho and b = rho sqrt(H) R, where rho^2 (1 + H R^2) = R^2/2: the output is linear in w. Or without
    a bias, |w|^2 <= R^2/2: for h along w - w' or against it the outputs differ by at least half of a |w - w'| |h|, as
    s(x) - s(-x) = x.
    """
    reach = H * R**2 / eps**2
    linear, kinked = R**2 / 2 * R**2 / (2 * (1 + H * R**2)) * reach, (R**2 / 2) ** 2 / 4 * reach
    return ball_in_ball(max(linear, kinked), H * D_e)


# --- key-query matrices ----------------------------------------------------------------------------------------------


def matrices(eps: Fraction, n: int | None, H: int, D_e: int, r_z: Fraction, B_21: Fraction, B_F: Fraction) -> Lower:
    """Column norms that sum to at most B_21, squares to B_F^2, on n queries: one column with all of it, on orthogonal
    queries or on signs; or some columns alike."""
    scale = (r_z / eps) ** 2
    a, r = scale * min(B_21, B_F) ** 2, D_e if n is None else min(n, D_e)
    found = [ball_in_largest(a, r, proper=False)]
    signs = D_e if n is None else min(D_e, log2_floor(n))
    if signs:
        found.append(ball_on_signs(a, signs))
    for k in spread(2, min(H * D_e, math.ceil(a)), 4):
        found.append(columns(scale * min(B_21**2 / k**2, B_F**2 / k), r, k, proper=False))
    return best(found)


# --- the whole layer -------------------------------------------------------------------------------------------------


class Layer(NamedTuple):
    H: int
    D_e: int
    r_z: Fraction
    B_a: Fraction
    B_W: Fraction
    B_QK: Fraction


def layer(net: Layer, eps: Fraction, n: int | None) -> Lower:
    """Two tokens (r_z/sqrt 3)(+-(e_0 + e_k) + s/sqrt D), s a sign vector in D further dimensions, the first of them the
    query; columns k = 1, ..., K of one W_QK are v_k in those dimensions, of norm rho = B_QK/K. Their scores differ by
    x = (2/3) r_z^2 <s, v_k>/sqrt D, and coordinate 0 of the average is (r_z/sqrt 3) tanh(x/2), which one unit that is
    always on reads. For every k the v_k fill a ball, and x keeps within X = (2/3) r_z^2 rho.
    """
    return best(_copies(net, eps, n))


def gain(net: Layer, rho: Fraction) -> arb:
    """How much the output moves at least with x, for |x| <= X."""
    size = to_ball(net.B_a * net.B_W * net.r_z) / (to_ball(3 + net.r_z**2)).sqrt()
    return size / (2 * (to_ball(THIRD * net.r_z**2 * rho)).cosh() ** 2)


def _copies(net: Layer, eps: Fraction, n: int | None) -> Iterator[Lower]:
    with ctx.workprec(PRECISION):
        flat = to_ball(eps) / (gain(net, Fraction(0)) * to_ball(2 * THIRD * net.r_z**2))
        wanted = int((to_ball(net.B_QK) / (4 * flat)).floor().mid().floor().unique_fmpz())
    most = net.D_e - 2
    for K in {*spread(1, most, 4), min(most, max(1, wanted)), min(most, 2 * wanted + 1)}:
        D = net.D_e - 1 - K if n is None else min(net.D_e - 1 - K, log2_floor(n // K) if n >= K else 0)
        if D < 1 or K < 1:
            continue
        rho = net.B_QK / K
        with ctx.workprec(PRECISION):
            delta = to_ball(eps) / (gain(net, rho) * to_ball(2 * THIRD * net.r_z**2))
            size = (log_ball(D, rho**2) - _cross(D, delta)) * K
        how = f"volume of {short(K)} columns in {short(D)} dimensions each, on sign vectors"
        yield Lower(size, how) if size > 0 else NOTHING


# --- the claims; without a number of prompts there are as many as are asked for ------------------------------------


def _prompts(p: Point) -> int | None:
    return int(p["n"]) if "n" in p else None


TOKEN_BLOCK = Attack(
    lambda p: block(p["eps"], int_of(p, "H"), int_of(p, "D_e"), p["R"]),
    lambda p: p["R"] ** 3 * math.sqrt(p["H"]),
)
TOKEN_MATRICES = Attack(
    lambda p: matrices(
        p["eps"], _prompts(p), H=int_of(p, "H"), D_e=int_of(p, "D_e"), r_z=p["r_z"], B_21=p["B_QK_21"], B_F=p["B_QK_F"]
    ),
    lambda p: p["r_z"] * min(p["B_QK_21"], p["B_QK_F"]),
)


def _token_layer(p: Point) -> Lower:
    net = Layer(int_of(p, "H"), int_of(p, "D_e"), p["r_z"], p["B_a"], p["B_W_F"], p["B_QK_21"])
    return layer(net, p["eps"], _prompts(p))


TOKEN_LAYER = Attack(_token_layer, lambda p: p["r_z"] ** 3 * p["B_a"] * p["B_W_F"] * p["B_QK_21"])

ATTACKS: dict[tuple[str, str], Attack] = {
    ("mousavi2025/14", "log_N"): TOKEN_BLOCK,
    ("mousavi2025/16", "log_N"): TOKEN_MATRICES,
    ("mousavi2025/17", "log_N"): TOKEN_LAYER,
}
