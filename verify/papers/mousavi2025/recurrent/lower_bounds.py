"""Propositions 6 and 35, what 1STR costs a recurrent network: held against the networks of solvers.py.

The bound on the width stands, and none of the networks has less. The bound on the norm does not: words of a code keep
both the read-out's Lipschitz constant and the norm of U fixed as N grows, whatever the error level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np
from flint import arb, ctx, fmpq, fmpz

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, decimal
from maurey.numeric.types import Point, Ray
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.errata.witnesses import on_ray, ray_witness

from .codes import exists, farthest
from .quantisers import quantiser
from .solvers import Exists, by_entropy, small, table

KEYS = ("mousavi2025/35", "mousavi2025/6")
KEY = KEYS[0]
LEVELS = (1, 2, 3, 4, 6, 9)  # bits of the quantisers whose errors a refutation names
WITNESS_BITS = 6


def level() -> Fraction:
    """The risk that the derivation takes to be small."""
    return next(constant.value for constant in registry.find(KEY).constants if constant.name == "c")


def rounded(x: arb, up: bool = True) -> Fraction:
    return Fraction(Decimal(decimal(x, up)))


def at(network: Exists) -> Point:
    """All of the steepness in L_f, and |U| = 1."""
    with ctx.workprec(PRECISION):
        L_f = rounded(network.squared.sqrt())
    return {"N": Fraction(network.N), "d_h": Fraction(network.d_h), "B_U": Fraction(1), "L_f": L_f,
            "c": rounded(network.error)}  # fmt: skip


# --- networks that run ---------------------------------------------------------------------------------------------


def measured(N: int, bits: int, prompts: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Of one network on drawn prompts: the mean error, the exact one, and by how much the read-out's Lipschitz constant
    is exceeded between points that are no states, over it."""
    net = small(N, bits, 3, rng)
    x, t = rng.normal(size=(prompts, N, 3)), rng.integers(N, size=(prompts, N))
    y = np.take_along_axis(x @ net.u, t, axis=1)
    found = float(((net.outputs(x, t) - y) ** 2).mean())
    points = rng.normal(size=(40, net.d_h)) / math.sqrt(net.d_h)
    values = net.read(points, 0, net.lipschitz)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(40)
    steepest = float((np.abs(values[:, None] - values[None]) / apart).max())
    return found, net.error, steepest / net.lipschitz


def forward_passes(effort: Effort) -> Iterator[Result]:
    """The construction as a network that runs: its error is the quantiser's, and its read-out as steep as it says."""
    rng, cases, worst = np.random.default_rng(effort.seed), ((4, 1), (7, 1), (5, 2), (10, 1)), 0.0
    for N, bits in cases:
        prompts = 400 * effort.scale
        found, true, steep = measured(N, bits, prompts, rng)
        worst = max(worst, abs(found / true - 1) * math.sqrt(prompts * N))
        if steep > 1 + 1e-9:
            yield Result(
                "undecided", "tested", f"the read-out is {steep:.3f} times as steep as it should be", part="norm"
            )
            return
    if worst > 12:  # standard deviations, roughly
        yield Result(
            "undecided", "tested", "the networks' errors are not the quantisers'", instances=len(cases), part="norm"
        )
        return
    note = "networks on up to 10 tokens, run forwards and backwards: the errors are those of the quantisers"
    yield Result("holds", "constructed", note, instances=len(cases), part="width", form="derived")


# --- the width, and what the derivation leaves of the norm ---------------------------------------------------------


def networks(effort: Effort) -> Iterator[Exists]:
    for bits in (4, 6):
        yield from table((16, 128, 1024 * math.isqrt(effort.scale)), bits)
    yield from (by_entropy(N, bits) for N in (10**6, 10**9) for bits in (4, 6))


@check(*KEYS)
def respected(effort: Effort) -> Iterator[Result]:
    """The derived bounds at each network's own error level; it has |U| = 1."""
    yield from forward_passes(effort)
    worst = {(part, form): 0.0 for part in ("width", "norm") for form in ("derived", "sharp")}
    count, least = 0, math.inf
    for network in networks(effort):
        point, count = at(network), count + 1
        for part, form in worst:
            said, true = value(KEY, form, part, point), network.d_h if part == "width" else 1
            if said > true:
                witness = {name: str(x) for name, x in point.items()} | {"network": network.how}
                yield refuted("a network has less", witness, decimal(said), true, part=part, form=form)
                return
            if part == "norm" or said > 1:  # any network has one coordinate
                worst[part, form] = max(worst[part, form], float(said / true))
        with ctx.workprec(PRECISION):
            least = min(least, float((1 + network.squared).log() * network.d_h / network.N))
    note = "networks with codes or grids as states, from one coordinate to 24 for each token, N up to 10^9"
    for (part, form), tight in worst.items():
        yield Result("holds", "tested", note, instances=count, tightness=tight, part=part, form=form)
    note += f"; d_h is at least {least:.3g} times the printed width among them, and no hidden constant may be larger"
    yield Result("holds", "tested", note, instances=count, part="width")


# --- the norm ------------------------------------------------------------------------------------------------------


def outgrown(
    key: str, part: str, fixed: Mapping[str, Fraction], ray: Mapping[str, str], ts: tuple[int, int, int], note: str,
    truth: Callable[[Point], tuple[arb, str]], by: str,
) -> Result:  # fmt: skip
    """True over printed along a ray, for a printed lower bound: certified at three t, and falling to 0."""
    powers: Ray = {name: Fraction(power) for name, power in ray.items()}
    ratios, values = [], []
    for t in ts:
        point = on_ray({**fixed, **dict.fromkeys(powers, Fraction(1))}, powers, t)
        said, (true, how) = value(key, "printed", part, point), truth(point)
        with ctx.workprec(PRECISION):
            ratios.append(true / said)
        values.append((said, true, how))
    if not (ratios[2] < ratios[1] / 10 and ratios[1] < ratios[0] / 10 and ratios[2] < 1):
        return Result("undecided", "refuted", "the ratio does not fall as it should", instances=3, part=part)
    said, true, how = values[-1]
    witness = {**ray_witness(dict(fixed), powers, ts, [decimal(ratio) for ratio in ratios]), by: how}
    return refuted(note, witness, decimal(said, up=False), decimal(true), part=part, instances=3)


def steepness(bits: int) -> arb:
    """L_f of the network of this quantiser at any N."""
    with ctx.workprec(PRECISION):
        return by_entropy(2, bits).squared.sqrt()


@check(*KEYS)
def codes_beat_the_norm(effort: Effort) -> Result:
    """|U| = 1 and L_f fixed, states of dimension t^2 >= 24 (t - 1), N = t tokens; and the same at other levels."""
    assert quantiser(WITNESS_BITS).error <= arb(fmpq(level().numerator, level().denominator))
    in_integers = [(N, 24 * (N - 1), farthest(24 * (N - 1), WITNESS_BITS * (N - 1))) for N in (10, 100, 1000)]
    assert all(5 * apart >= length for _, length, apart in in_integers)
    assert all(exists(length, WITNESS_BITS * (N - 1), apart) for N, length, apart in in_integers)
    errors = ", ".join(f"{decimal(quantiser(bits).error)} ({decimal(steepness(bits))})" for bits in LEVELS)

    def norm(point: Point) -> tuple[arb, str]:
        N, d_h = int(point["N"]), int(point["d_h"])
        assert d_h >= by_entropy(N, WITNESS_BITS).d_h
        how = (
            "states are words, padded with zeros, a fifth of whose first 24 (N - 1) places differ, which exist by "
            "Gilbert and Varshamov's count; the read-out is the quantised value at each, continued by McShane's formula"
        )
        return arb(fmpz(1)), how

    note = (
        f"a network with |U| = 1, a fixed Lipschitz constant and the risk {decimal(quantiser(WITNESS_BITS).error)} at "
        "every N: the hidden state is a word of a code that stands for the quantised tokens, and words are far apart "
        f"whatever N is. The same with risks and Lipschitz constants {errors}: there is a network for every level c, "
        "and no constant helps"
    )
    return outgrown(
        "mousavi2025/35",
        "norm",
        fixed={"L_f": rounded(steepness(WITNESS_BITS))},
        ray={"N": "1", "d_h": "2"},
        ts=(10**4, 10**8, 10**12),
        note=note,
        truth=norm,
        by="network",
    )
