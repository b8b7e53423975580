"""Repaired norms of appendix B: what they say of a key with equal scores, of bumps and of thresholds is proved, and the
weights are built."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from sympy import Max, Symbol, exp, log, symbols

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import half, less, more, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.tally import Tally

from .appendix_b import B, _cases, _measure
from .appendix_b_networks import _see_network

T, s, gamma, Delta, delta = positive("T s gamma coherence ramp")
REPAIRED: dict[str, Any] = {"form": "repaired"}

# --- B.2 and B.4: a key with equal scores -----------------------------------------------------------------------------


def equal_scores() -> list[Proof]:
    """The largest coefficient c of the key u = sum c_i v_i with u.v_i = 1 has c + sum_j c_j v_i.v_j = 1 in its own
    row: c (1 - (s - 1) Delta) <= 1. So |u|^2 = sum c_i is at most s times that, and |u.v_t| elsewhere s Delta times."""
    c, rest = symbols("c rest", real=True)
    mu = 1 - (s - 1) * Delta
    given = (c + rest <= 1, rest >= -(s - 1) * Delta * c, c >= 0, mu > 0, s >= 1)
    return [polynomial(c <= 1 / mu, *given, control=c <= less / mu)]


def separated(key: str, largest: Any) -> list[Proof]:
    """The score of a relevant position is W_Q, of another at most W_Q s Delta/mu; the gap leaves the others little."""
    mu, even = 1 - (s - 1) * Delta, Symbol("even", positive=True)
    W_Q = formula(key, "repaired", "W_Q").replace(Max, lambda *_: even)
    gap = W_Q * (1 - s * Delta / mu)
    inside, others, X = positive("inside others X")
    moved = largest * 2 * others / (inside + others)
    return [
        same(gap.subs(even, 1 - (2 * s - 1) * Delta), log(8 * T * largest / gamma)),
        same(exp(log(8 * T * largest / gamma)), 8 * T * largest / gamma),
        polynomial(moved <= gamma / 4, inside >= X, 8 * T * largest / gamma <= X, others <= T, T >= 1, gamma <= 1,
                   largest * T >= T, control=moved <= less * gamma / 8),
    ]  # fmt: skip


EQUAL = "equal scores by a dominant diagonal, others below by the gap of B.7 (z3)"


@check(B + "2")
def positions(effort: Effort) -> Iterator[Result]:
    from .weights import heads as c

    key, mu = B + "2", 1 - (s - 1) * Delta
    yield conclude(EQUAL, [*equal_scores(), *separated(key, 1)], part="error", **REPAIRED)
    yield conclude(EQUAL, separated(key, 1), part="W_Q", **REPAIRED)
    yield conclude("the squared norm of the key", [*equal_scores(), same(formula(key, "repaired", "W_K") ** 2, s / mu)],
                   part="W_K", **REPAIRED)  # fmt: skip
    for part, squared in (("W_V", 2), ("W_V_heads", 2), ("W_C", 1)):
        yield conclude("of rank one: the product of two norms", [same(formula(key, "repaired", part) ** 2, squared)],
                       part=part, **REPAIRED)  # fmt: skip
    yield conclude(
        "scores differ by 1 - Delta",
        [same(formula(key, "repaired", "W_Q_heads") * (1 - Delta), log(8 * T / gamma))],
        part="W_Q_heads",
        **REPAIRED,
    )
    built = Tally(key, "repaired")
    for at, vectors, family in _small(effort):
        tokens = c.embed(vectors)
        R, mean = float(value(key, "repaired", "W_Q", at)), partial(c.mean_sign, s=at["s"], turned=True)
        head = c.positions_head(tokens, at["s"], R, dual=True, granted=False)
        _measure(built, tokens, heads=head, at=at, target=mean, bag=False, effort=effort, vectors=family)
        heads = c.positions_heads(tokens, at["s"], float(value(key, "repaired", "W_Q_heads", at)))
        _measure(built, tokens, heads=heads, at=at, target=partial(c.signs, s=at["s"]), bag=False, effort=effort,
                 suffix="_heads", vectors=family)  # fmt: skip
    yield from built.results(BUILT)


BUILT = "weights with these norms, built for vectors of every kind with coherence below 1/(2 s - 1), all inputs"


def _small(effort: Effort) -> Iterator[Any]:
    """T up to 9."""
    return (one for one in _cases(effort, lambda s: 2 * s - 1, below=True) if one[0]["T"] <= 9)


@check(B + "4")
def bags(effort: Effort) -> Iterator[Result]:
    from .weights import heads as c

    key, mu = B + "4", 1 - (s - 1) * Delta
    yield conclude(f"{EQUAL}; values are at most s", [*equal_scores(), *separated(key, s)], part="error", **REPAIRED)
    yield conclude(EQUAL, separated(key, s), part="W_Q", **REPAIRED)
    for part, squared in (("W_K", 1 + s / mu), ("W_V", s * (1 / mu + 1)), ("W_C", s)):
        yield conclude(
            "a sum of squares of orthogonal parts, dual vectors with a dominant diagonal (z3)",
            [*equal_scores(), same(formula(key, "repaired", part) ** 2, squared)],
            part=part,
            **REPAIRED,
        )
    built = Tally(key, "repaired")
    for at, vectors, family in _small(effort):
        tokens, R = c.embed(vectors), float(value(key, "repaired", "W_Q", at))
        for vector in (False, True):
            head = c.bag_head(tokens, at["s"], R, dual=True, vector=vector, granted=False)
            target = partial(c.bag_targets, s=at["s"], vector=vector)
            _measure(built, tokens, heads=head, at=at, target=target, bag=True, effort=effort, vectors=family)
    yield from built.results(BUILT)


# --- B.5, B.6 and B.8: wide bumps, one unit for each point ------------------------------------------------------------


def wide_bumps() -> list[Proof]:
    """1 within delta of the centre, 0 from 3 delta on, where other plateaus begin; of d_f bumps one is 0 there."""
    u, total, d_f = symbols("u total d_f", real=True)
    bump = half * (Max(u + 3, 0) - Max(u + 1, 0) - Max(u - 1, 0) + Max(u - 3, 0))
    return [
        polynomial(bump <= 1, control=bump <= less),
        polynomial(bump >= 0, control=bump >= half),
        polynomial(bump >= 1, u <= 1, u >= -1, control=bump >= more),
        polynomial(bump <= 0, u >= 3, control=bump <= 0 - less),
        polynomial(bump <= 0, u <= -3, control=bump <= 0 - less),
        polynomial(Max(total - d_f + 1, 0) <= 0, total <= d_f - 1, control=Max(total - d_f + 1, 0) <= 0 - less),
    ]


BUMPS = "bumps that fall over 2 delta, and what their sum has beyond d_f - 1 (z3)"
SIZES = {"5": (gamma / 4, 1), "6": (gamma / 4, s), "8": (delta, None)}


def network_norms(number: str) -> Iterator[Result]:
    key, (width, dimension) = f"{B}{number}", SIZES[number]
    size, d_f = positive("B d_f")
    dimension = d_f if dimension is None else dimension
    entries = Max(1 / (2 * width), (size + 3 * width) / (2 * width))
    shown = formula(key, "repaired", "W_1")
    yield conclude(
        f"{BUMPS}; slopes 1/(2 delta), and the bias of the outermost piece of a bump at B",
        [*wide_bumps(), polynomial(entries <= shown, control=entries <= less * shown)],
        part="W_1",
        **REPAIRED,
    )
    yield conclude(
        f"{BUMPS}: weights 1 and the bias d_f - 1",
        [*wide_bumps(), same(formula(key, "repaired", "W_2"), Max(1, dimension - 1))],
        part="W_2",
        **REPAIRED,
    )


def built_networks(number: str, effort: Effort) -> Iterator[Result]:
    import torch

    from .weights import boolean_networks as nets

    key, rng = f"{B}{number}", np.random.default_rng(effort.seed)
    tally = Tally(key, "repaired")
    for s_, power, far in itertools.product((1, 2, 3, 4), (0, 1, 4), (False, True)):
        ramp = Fraction(1, 2**power) / 4
        n, d_f = {"5": (s_ + 1, 1), "6": (2**s_, s_), "8": (2 * s_ + 1, s_)}[number]
        ramp = 16 * ramp if number == "8" else ramp  # wide plateaus too
        points = nets.grid_points(n, d_f, float(ramp), rng) - (4.0 if far else 0.0)
        values = torch.as_tensor(rng.integers(-8, 9, n) / 4)
        values[0] = 2.0
        bound = Fraction(float(points.abs().max())) or Fraction(1)
        at: dict[str, Any] = dict(B=bound, f_max=Fraction(2))
        at |= dict(n=n, d_f=d_f, ramp=ramp) if number == "8" else dict(s=s_, gamma=4 * ramp)
        noise = nets.noises(d_f, float(ramp), 64 * effort.scale, rng)
        net = nets.lean(points, values, float(ramp))
        _see_network(tally, net, points, values, noise, at)
        error = nets.mistakes(net, points, values, noise)[0]
        if error:
            yield Result("fails", "constructed", "a network of these sizes errs", part="W_2", form="repaired",
                         counterexample={name: str(x) for name, x in at.items()} | {"error": error})  # fmt: skip
            return
    note = "networks of these sizes, without error on their plateaus; dyadic numbers, so no rounding"
    yield from tally.results(note, ("W_1", "W_2"))


for number in SIZES:

    @check(f"{B}{number}")
    def networks(effort: Effort, number: str = number) -> Iterator[Result]:
        yield from network_norms(number)
        yield from built_networks(number, effort)
