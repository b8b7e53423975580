"""Lower bounds for deep networks whose maps share one bound in the norm of a cover, from sub-classes that are written
down: one row of one matrix varies, or the scores of the first layer; the other weights have one entry or are multiples
of the identity.

The activation is sigma(x) = L_sigma x. Centres may lie anywhere. Where all tokens of a sequence are said to be equal,
[CLS] may as well be one fixed vector: among many tokens an average without scores does not see it, and points are
strictly more than 2 eps apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from flint import arb, ctx

from maurey.numeric.exact import PRECISION, below, ceil_root, log_binomial, logarithm, short, to_ball
from maurey.verify.packings.euclidean import ball_in_largest, grid_points, spikes
from maurey.verify.packings.lower_bounds import NOTHING, Lower, best, spread

ONE = Fraction(1)


class Net(NamedTuple):
    """L equal layers. B bounds every map and the read-out: the sum of its absolute entries, or, with `by_column`, the
    sum in each column. Tokens have norm at most B_X in l2, or, with `l1`, in l1."""

    d: int
    k: int
    m: int
    L: int
    L_sigma: Fraction
    B_w: Fraction
    B_C: Fraction
    B_V: Fraction
    B_QK: Fraction
    B: Fraction
    B_X: Fraction
    by_column: bool = False
    l1: bool = False

    def entry(self, bound: Fraction) -> Fraction:
        """The largest entry of a matrix that has no other, `bound` on its spectral norm."""
        return min(bound, self.B)

    def multiple(self, bound: Fraction, n: int) -> Fraction:
        """The largest multiple of the identity on n coordinates."""
        return min(bound, self.B if self.by_column else self.B / n)


class Scalar(NamedTuple):
    """What the rest of a network makes of a number: multiplied by the slope, clipped at the ceiling."""

    slope: Fraction
    ceiling: Fraction

    def after(self, slope: Fraction) -> Scalar:
        """Of a number that is first multiplied and then projected onto [-1, 1]."""
        return Scalar(self.slope * slope, min(self.ceiling, self.slope))


def rest(net: Net, layers: int) -> Scalar:
    """So many layers with one entry each, then the read-out: what comes out of a first coordinate."""
    out = Scalar(net.entry(net.B_w), net.entry(net.B_w))
    for _ in range(layers):
        out = out.after(net.L_sigma * net.entry(net.B_C)).after(net.entry(net.B_V))
    return out


def tokens(net: Net, n: int, layers: int) -> Fraction:
    """The norm of B_X e_i after so many layers that are multiples of the identity."""
    radius = net.B_X
    for _ in range(layers):
        inner = min(ONE, net.multiple(net.B_V, n) * radius)
        radius = min(ONE, net.multiple(net.B_C, n) * net.L_sigma * inner)
    return radius


def row(net: Net, n: int, bound: Fraction, gain: Fraction, ceiling: Fraction | None, eps: Fraction) -> Lower:
    """gain u for rows u of n numbers with |u| <= bound that meet B, in the largest coordinate, clipped at the ceiling.

    Points of the grid 2 eps z with |z|^2 <= Q have l1 norm at most 2 eps Q.
    """
    a, total = (gain * bound / eps) ** 2, gain * net.B / eps
    cap = None if ceiling is None else (ceiling / eps) ** 2
    if net.by_column:
        return ball_in_largest(a, n, False, total**2 if cap is None else min(cap, total**2))
    found = [ball_in_largest(min(a, total**2 / r), r, False, cap) for r in spread(1, n, 10)]
    most = min(a, 2 * total)
    found.append(grid_points(most if cap is None else min(most, cap), n))
    if cap is None or cap > 4:
        found.append(_spikes(below(most / 4), n))
    return best(found)


def _spikes(j: int, n: int) -> Lower:
    j = min(j, 2 * n // 3 + 1, n)
    if j < 1:
        return NOTHING
    with ctx.workprec(PRECISION):
        return Lower(log_binomial(n, j) + j * arb(2).log(), spikes(j, n))


def rows(net: Net, eps: Fraction) -> Iterator[Lower]:
    """All W_QK = 0, all tokens of sequence i equal to B_X e_i; the read-out varies, or one row of W_C or of W_V in one
    layer. Below it are multiples of the identity, above it single entries."""
    n = min(net.m, net.d, net.k)
    for places in {n, 1}:
        last = row(net, places, net.B_w, tokens(net, places, net.L), None, eps)
        yield Lower(last.log, f"read-out: {last.how}")
        for below_it in range(net.L):
            radius, out = tokens(net, places, below_it), rest(net, net.L - 1 - below_it)
            inner = min(ONE, net.multiple(net.B_V, places) * radius)
            found = row(net, places, net.B_C, *out.after(net.L_sigma * inner), eps)
            yield Lower(found.log, f"one row of W_C in layer {below_it + 1}: {found.how}")
            found = row(net, places, net.B_V, *out.after(net.L_sigma * net.entry(net.B_C)).after(radius), eps)
            yield Lower(found.log, f"one row of W_V in layer {below_it + 1}: {found.how}")


def levels(net: Net, eps: Fraction) -> Lower:
    """One row of W_C in the last layer again, where outputs are clipped: an entry u_0 = t beside free ones, |u_j| <= t.

    Sequences of equal tokens in the directions alpha e_j + beta e_0, beta t = -alpha c, see alpha (u_j - c), clipped:
    two levels of u_j are told apart by an input with c half-way between neighbours.
    """
    alpha = Fraction(1, 2) if net.l1 else Fraction(7, 10)  # beta is at most alpha
    found = []
    for n in spread(2, min(net.d, net.k), 8):
        t = min(net.B_C**2 / n, (net.B if net.by_column else net.B / n) ** 2)  # squared
        inner = min(ONE, net.multiple(net.B_V, n) * tokens(net, n, net.L - 1))
        w = net.entry(net.B_w)
        if w <= eps:
            break
        scale = (w * net.L_sigma * inner * alpha / eps) ** 2
        heights = ceil_root(t * scale)
        places = min(n - 1, net.m // max(1, heights - 1))
        if heights > 1 and places >= 1:
            how = f"{short(heights)} levels in each of {short(places)} places"
            found.append(Lower(logarithm(heights), how).times(places, how))
    chosen = best(found)
    return Lower(chosen.log, f"one row of W_C in layer {net.L}, beside a fixed entry: {chosen.how}")


def scores(net: Net, eps: Fraction) -> Lower:
    """One layer, two tokens: [CLS] is B_X e_0 in every sequence, the other one B_X (alpha e_v + beta e_k), k its own.

    W_V and W_C have one entry each, small enough that nothing is projected. The score of the second token is
    s = B_X^2 beta W_QK[0, k], the other is 0: the output is A / (1 + e^-s), and moves by A tanh(|s|/2) / 2 from s = 0.
    Entries 0 and +-w for which that is more than 2 eps are told apart, sequence by sequence. They lie in one row, whose
    sum is within B: so the bounds are met whichever way the columns run.
    """
    places = min(net.m, net.d - 2)
    if net.L > 1 or places < 1:
        return NOTHING
    alpha, beta = (Fraction(1, 2),) * 2 if net.l1 else (Fraction(3, 5), Fraction(4, 5))
    out = rest(net, 1)
    top = min(out.slope * alpha * net.B_X, out.ceiling)  # of the output, W_V scaled down where it would be clipped
    if top <= 4 * eps:
        return NOTHING
    score = moved(4 * eps / top)
    w = score / (net.B_X**2 * beta)
    found = _spikes(math.floor(min(net.B / w, (net.B_QK / w) ** 2)), places)
    return Lower(found.log, f"{found.how} of W_QK, scores moved by {float(score):.3g}")


def answers(net: Net, eps: Fraction) -> Lower:
    """One layer, two tokens, columns bounded: the query is B_X e_j, the other token B_X (alpha e_0 + beta e_i), i != j.

    As above, but with a sample for every pair: W_QK[i, j] = +-w moves the output from A / (1 + e^s) to A / (1 + e^-s),
    s = B_X^2 beta w, by A tanh(s/2). All queries are inputs like others, as the covering number has them.
    """
    if net.L > 1 or not net.by_column or not net.l1:
        return NOTHING
    found, out = [NOTHING], rest(net, 1)
    for beta in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16)):
        top = min(out.slope * (1 - beta) * net.B_X, out.ceiling)
        if top <= 2 * eps:
            continue
        score = moved(2 * eps / top)
        w = score / (net.B_X**2 * beta)
        keys = min(net.d - 2, math.floor(net.B / w))
        pairs = min(keys * (net.d - 1), net.m, math.floor((net.B_QK / w) ** 2))
        if pairs >= 1:
            how = f"a sign for each of {short(pairs)} pairs of a query and a token, scores moved by {float(score):.3g}"
            found.append(Lower(logarithm(2), how).times(pairs, how))
    return best(found)


def moved(share: Fraction) -> Fraction:
    """A score s with tanh(s/2) more than that."""
    with ctx.workprec(PRECISION):
        score = Fraction(str(float((2 * to_ball(share).atanh()).upper()))) * Fraction(1000001, 1000000)
        assert to_ball(score / 2).tanh() > to_ball(share)
    return score


def deep(net: Net, eps: Fraction) -> Lower:
    return best([*rows(net, eps), levels(net, eps), scores(net, eps), answers(net, eps)])
