"""Lower bounds for attention heads and deep networks, from sub-classes in which everything can be written down.

The activation is ours to choose among the L_sigma-Lipschitz ones with sigma(0) = 0: sigma(x) = L_sigma x. Where
W_QK = 0 or all tokens of a sequence are equal, attention is an average, and what is left is linear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import arb, ctx, fmpz

from maurey.numeric.exact import PRECISION, logarithm, short, to_ball

from .codes import ball_in_ball
from .euclidean import ball_in_largest
from .lower_bounds import NOTHING, Lower, best, spread

SATURATED = 1000  # scores beyond this are not needed: smaller weights are in the class too


class Head(NamedTuple):
    """A head of 4.4, or the sum of heads with a common direction: W_V has rows of norm at most B_V_inf."""

    d: int
    m: int
    T: int
    L_sigma: Fraction
    B_X: Fraction
    B_V: Fraction
    B_V_inf: Fraction
    B_QK_inf: Fraction


def values(head: Head, eps: Fraction) -> Lower:
    """Sequences of equal tokens: x -> L_sigma W_V^T x on m inputs.

    Take r inputs B_X 1_S / sqrt(s) with disjoint sets S of s = d // r coordinates, and W_V with equal rows w on each S.
    The outputs are any r vectors of norm at most b = min(sqrt(s) B_V_inf, B_V / sqrt(r)) B_X, for then the Frobenius
    norm of W_V is at most B_V: a product of r balls.
    """
    scale = (head.L_sigma * head.B_X / eps) ** 2

    def balls(r: int) -> Lower:
        b = scale * min(head.d // r * head.B_V_inf**2, head.B_V**2 / r)
        return ball_in_ball(b, head.d).times(r)

    return best(balls(r) for r in spread(1, min(head.m, head.d), 10))


class Split(NamedTuple):
    """How the coordinates of a token are shared among queries, keys and values, and a token among key and value."""

    queries: int
    keys: int
    values: int
    value_share: Fraction  # of the squared norm


def scores(head: Head, eps: Fraction) -> Lower:
    """One entry of W_QK for every sequence.

    Sequence i has the query x_tau = B_X e_q and T - 1 further tokens B_X (alpha 1_V / sqrt(|V|) + beta e_k), alpha^2 +
    beta^2 = 1, with its own pair (q, k). W_V = (B / sqrt(|V|)) 1_V e_1^T has spectral norm B = min(B_V, sqrt(|V|)
    B_V_inf) and rows within B_V_inf; W_QK lives on queries x keys with entries at most w = B_QK_inf / sqrt(|Q|), and so
    has its columns within B_QK_inf. The output is L_sigma B B_X alpha times the mass on the further tokens, which is
    increasing in W_QK[q, k] and does not depend on its other entries: so many levels more than 2 eps apart for each
    sequence, independently.
    """
    if head.T < 2 or head.d < 3:
        return NOTHING
    split = max(_splits(head.d), key=lambda one: _guess(head, one, eps))
    with ctx.workprec(PRECISION):
        room = _levels(head, split, eps)
        levels = int(room.lower().ceil().unique_fmpz()) if room > 1 else 1
    number = min(head.m, split.queries * split.keys)
    return Lower(logarithm(levels), "").times(
        number, f"{levels} levels of the mass on one token, for each of {short(number)} entries of W_QK"
    )


def _splits(d: int) -> list[Split]:
    return [
        Split(q, d - q - v, v, share)
        for q in {*spread(1, d - 2, 6), max(1, d // 3)}
        for v in {*spread(1, d - 1 - q, 4), max(1, (d - q) // 2)}
        for share in (Fraction(1, 2), Fraction(9, 10))
    ]


def _levels(head: Head, split: Split, eps: Fraction) -> arb:
    """The range of the output over 2 eps."""
    beta = to_ball(1 - split.value_share).sqrt()
    w = to_ball(head.B_QK_inf) / arb(fmpz(split.queries)).sqrt()
    score = (to_ball(head.B_X**2) * beta * w).min(arb(SATURATED))
    B = to_ball(head.B_V).min(arb(fmpz(split.values)).sqrt() * to_ball(head.B_V_inf))
    gain = to_ball(head.L_sigma * head.B_X / (2 * eps)) * B * to_ball(split.value_share).sqrt()
    others = arb(fmpz(head.T - 1))
    return gain * (1 / (1 + (-score).exp() / others) - 1 / (1 + score.exp() / others))


def _guess(head: Head, split: Split, eps: Fraction) -> float:
    """The same in doubles, where only the order of several candidates matters."""
    score = min(math.sqrt(1 - split.value_share) * float(head.B_X) ** 2 * float(head.B_QK_inf), 1e30)
    score = min(score / math.sqrt(split.queries), 500.0)
    B = min(float(head.B_V), math.sqrt(split.values) * float(head.B_V_inf))
    gain = float(head.L_sigma * head.B_X / (2 * eps)) * B * math.sqrt(split.value_share)
    room = gain * (1 / (1 + math.exp(-score) / (head.T - 1)) - 1 / (1 + math.exp(score) / (head.T - 1)))
    return min(head.m, split.queries * split.keys) * math.log(max(1, math.ceil(room)))


def head(one: Head, eps: Fraction) -> Lower:
    return best([values(one, eps), scores(one, eps)])


# --- deep networks ----------------------------------------------------------------------------------------------


class Layer(NamedTuple):
    B_V: Fraction
    B_V_inf: Fraction
    B_C: Fraction
    B_C_inf: Fraction


class Deep(NamedTuple):
    d: int
    k: int
    m: int
    L_sigma: Fraction
    B_w: Fraction
    B_X: Fraction
    layers: Sequence[Layer]


def deep(net: Deep, eps: Fraction) -> Lower:
    """All W_QK = 0, all tokens of sequence i equal to B_X e_i, i <= n = min(m, d, k), and W_V, W_C partial identities
    times min(spectral bound, column bound): layer by layer the tokens stay multiples of e_i.

    Read-out: w in the ball, on n orthogonal vectors. Last map: w = B_w 1/sqrt(d) fixed and W_C = u 1^T / sqrt(d), whose
    spectral norm is |u| and whose columns are |u| / sqrt(d): the output is B_w times L_sigma z u_i, clipped to [-1, 1]
    by the projection, z the radius before W_C. Centres may lie anywhere: other weights of the class are not bounded on
    these inputs as these are.
    """
    n = min(net.m, net.d, net.k)
    before = net.B_X
    for layer in net.layers[:-1]:
        before = _after(net, layer, before)
    last = net.layers[-1]
    scale = (net.B_w / eps) ** 2
    z = min(Fraction(1), before * min(last.B_V, last.B_V_inf))
    readout = ball_in_largest(scale * _after(net, last, before) ** 2, n, proper=False)
    widest = min(last.B_C**2, net.d * last.B_C_inf**2)
    mapped = ball_in_largest(scale * (net.L_sigma * z) ** 2 * widest, n, proper=False, cap=scale)
    return best([
        Lower(readout.log, f"read-out: {readout.how}"), Lower(mapped.log, f"last linear map: {mapped.how}"),
    ])  # fmt: skip


def _after(net: Deep, layer: Layer, radius: Fraction) -> Fraction:
    z = min(Fraction(1), radius * min(layer.B_V, layer.B_V_inf))
    return min(Fraction(1), z * net.L_sigma * min(layer.B_C, layer.B_C_inf))
