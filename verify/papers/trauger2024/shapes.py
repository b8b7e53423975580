"""The two shapes of 2.5 against exact Rademacher complexities of x -> u.Wx.

For u = e_1 and n inputs that are all B_x e_1 the complexity is B_x B_w E|eps_1 + ... + eps_n| / n, a sum of binomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np
from flint import arb, ctx, fmpz

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, decimal, log_binomial, texts, to_ball
from maurey.numeric.types import Array, Point
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.covers.instances import ROUNDING, inputs
from maurey.verify.packings.attacks import falling

KEY = "trauger2024/S2.5"
SAME = "all inputs are B_x e_1 and u = e_1: (B_x B_w/n) E|sum of n signs|, exactly"
FAR = 10**3, 10**6, 10**9


def mean_walk(n: int) -> arb:
    """E|eps_1 + ... + eps_n| = n binom(n-1, floor((n-1)/2)) / 2^(n-1)."""
    with ctx.workprec(PRECISION):
        return (log_binomial(n - 1, (n - 1) // 2) - (n - 1) * arb(2).log()).exp() * fmpz(n)


def same_inputs(p: Point) -> tuple[arb, str]:
    n = int(p["m"])
    with ctx.workprec(PRECISION):
        return to_ball(p["B_X"] * p["B_W_11"]) * mean_walk(n) / fmpz(n), SAME


@check(KEY)
def printed(effort: Effort) -> Iterator[Result]:
    linear = "the complexity is linear in the norms, and the printed shape has {}"
    falls = {
        "counting": "the root of the logarithm of their product",
        "norms": "the root of their product",
    }
    for part, has in falls.items():
        for name, other in (("B_X", "B_W_11"), ("B_W_11", "B_X")):
            fixed = {"d": "4", "k": "4", "m": "16", other: "2"}
            note = linear.format(has)
            yield falling(KEY, part, at=fixed, ray={name: "1"}, ts=FAR, note=note, truth=same_inputs, by="inputs")
    point = {name: Fraction(x) for name, x in {"d": 1, "k": 1, "B_X": 2, "B_W_11": 1, "m": 1}.items()}
    true, how = same_inputs(point)
    if value(KEY, "printed", "norms", point) == 0 and true > 0:
        note = "its logarithm vanishes, and the functions do not"
        yield refuted(note, {**texts(point), "inputs": how}, 0, decimal(true, up=False), part="norms", edge=True)


@check(KEY)
def derived(effort: Effort) -> Iterator[Result]:
    """The forms that have every constant, against equal inputs in any number, and any few inputs with all signs."""
    for part in ("counting", "norms"):
        for form in registry.find(KEY).part(part).forms:
            if form != "printed":
                yield _not_exceeded(part, form, effort)


def _not_exceeded(part: str, form: str, effort: Effort) -> Result:
    tight, tried = 0.0, 0
    for point, true in (*_equal(), *_few(effort)):
        bound, tried = float(value(KEY, form, part, point)), tried + 1
        if true > bound * (1 + ROUNDING):
            return refuted("a complexity exceeds it", texts(point), bound, true, part=part, form=form)
        tight = max(tight, min(1.0, true / bound))
    note = "exact complexities for equal inputs, and for up to 12 random ones with all signs, stay below it"
    return Result("holds", "tested", note, instances=tried, tightness=tight, part=part, form=form)


def _equal() -> Iterator[tuple[Point, float]]:
    norms = (("1", "1"), ("3", "2"), ("1/100", "1"), ("50", "40"))
    for (d, k), n, (R, B) in product(((1, 1), (3, 2), (1000, 1000)), (1, 2, 5, 100, 10**4, 10**8, 10**12), norms):
        point = {"d": Fraction(d), "k": Fraction(k), "m": Fraction(n), "B_X": Fraction(R), "B_W_11": Fraction(B)}
        yield point, float(same_inputs(point)[0].mid())


def _few(effort: Effort) -> Iterator[tuple[Point, float]]:
    """The supremum over |W|_11 <= B of sum_i eps_i u.Wx_i is B |u|_inf |sum_i eps_i x_i|_inf."""
    rng, R, B = np.random.default_rng(effort.seed), Fraction(3), Fraction(2, 3)

    def supremum(X: Array) -> Callable[[Array], Array]:
        return lambda eps: np.abs(eps @ X).max(1) * float(B)

    for i in range(40 * effort.scale):
        d, n = int(rng.choice((1, 2, 10, 200))), int(rng.integers(1, 13))
        X = float(R) * inputs(rng, n, d, i % 3)
        found = rademacher.complexity(supremum(X), n, float(R * B), 0, rng)
        yield {"d": Fraction(d), "k": Fraction(3), "m": Fraction(n), "B_X": R, "B_W_11": B}, found.value
