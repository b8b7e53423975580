"""Risks of Transformers (18, 19, 10, 3): the truncated loss, classes whose complexity is known, and labels that live on
tokens longer than the radius, which no bound without a term for them survives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from flint import arb, ctx
from sympy import Min, symbols

from maurey.numeric.evaluation import value
from maurey.numeric.exact import decimal, fractions, texts, to_ball
from maurey.numeric.types import Point
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity.rademacher import mean_absolute
from maurey.verify.errata.witnesses import on_ray
from maurey.verify.packings.attacks import falling
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude

COMPLEXITY, GAP, PRODUCT, BALL = "mousavi2025/18", "mousavi2025/19", "mousavi2025/10", "mousavi2025/3"
PRECISION = 256  # bits

# --- 18 --------------------------------------------------------------------------------------------------------------


def lipschitz() -> Proof:
    """min((f - y)^2, tau) moves by at most 2 sqrt(tau) times f; u and v are f - y before and after, root is
    sqrt(tau)."""
    u, v = symbols("u v", real=True)
    root, move = positive("root move")
    moved, most = Min(u**2, root**2) - Min(v**2, root**2), 2 * root * move
    return polynomial(moved <= most, u - v <= move, v - u <= move, control=moved <= less * most)


def known(D: int, share: int, tau: Fraction) -> tuple[dict[str, Any], Fraction]:
    """Prompts of one token e_k, k < D, each `share` times, with label 0, and one unit: <w, e_k> takes the values 0 and
    sqrt(tau) for every k on its own, so that the losses are 0 or tau. Their complexity is D/n tau E[max(0, S)], S the
    sum of `share` signs."""
    n = D * share
    at = {"n": n, "m": 1, "H": 1, "D_e": D, "r_z": 1, "B_a": 1, "B_QK_21": Fraction(1, 10), "tau": tau}
    norm = math.isqrt(D * tau.numerator * tau.denominator - 1) + 1  # at least sqrt(D tau) times the denominator
    return at | {"B_W_F": Fraction(norm, tau.denominator)}, tau * D * mean_absolute(share) / (2 * n)


@check(COMPLEXITY)
def complexity(effort: Effort) -> Iterator[Result]:
    step = lipschitz()
    if step.verdict is not True:
        yield conclude("", [step], part="Rad", form="derived")
        return
    for form in ("printed", "derived", "sharp"):
        tight, count = 0.0, 0
        for D, share, tau in product((3, 10, 100), (1, 2, 50, 1000 * effort.scale), (Fraction(1, 4), Fraction(4))):
            at, true = known(D, share, tau)
            said, count = float(value(COMPLEXITY, form, "Rad", at)), count + 1
            if float(true) > said:
                yield refuted("a class of units exceeds it", texts(at), said, float(true), part="Rad", form=form)
                return
            tight = max(tight, float(true) / said)
        note = (
            "the truncated loss is 2 sqrt(tau)-Lipschitz (z3); units on orthogonal prompts, whose losses are 0 or tau "
            f"independently, have an exact complexity that is within it{' with C0 = 1' if form == 'printed' else ''}"
        )
        yield Result("holds", "tested", note, instances=count, tightness=tight, part="Rad", form=form)


# --- 19 --------------------------------------------------------------------------------------------------------------


def binomial(n: int, p: Fraction) -> list[float]:
    return [float(math.comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1)]


@check(GAP)
def deviations(effort: Effort) -> Iterator[Result]:
    """Weights so small that the prediction is 0, and labels sqrt(tau) or 0: the gap is tau (p - k/n) for k of n."""
    small: dict[str, Any] = {"N": 4, "m": 1, "d": 1, "q": 1, "H": 1, "d_e": 2, "C_x": 1, "tau": 1}
    small |= {name: Fraction(1, 10**6) for name in ("B_a", "B_W_F", "B_QK_21")}
    for form in ("printed", "derived", "sharp"):
        tight, count = 0.0, 0
        for n, p, delta in product((4, 60, 100 * effort.scale), (Fraction(1, 2), Fraction(1, 20)), ("1/10", "9/10")):
            at = small | {"n": n, "delta": Fraction(delta)}
            said = float(value(GAP, form, "gap", at))
            failure = float(value(GAP, "printed" if form == "printed" else "derived", "failure", at))
            weights, count = binomial(n, p), count + 1
            often = sum(w for k, w in enumerate(weights) if float(p) - k / n > said)
            if often > failure:
                yield refuted("it fails more often", texts(at) | {"p": str(p)}, failure, often, part="gap", form=form)
                return
            above, quantile = 0.0, 0.0
            for k, w in enumerate(weights):  # the largest gap that is exceeded more often than allowed, or equalled
                above += w
                if above > failure:
                    quantile = max(0.0, float(p) - k / n)
                    break
            tight = max(tight, quantile / said)
        note = "labels 0 or sqrt(tau) and predictions 0: exact binomial probabilities"
        yield Result("holds", "tested", note, instances=count, tightness=tight, part="gap", form=form)


# --- 10 and 3 --------------------------------------------------------------------------------------------------------

LABELS = (
    "as the weights of the link's network and its error shrink, so does the bound; but labels may live on tokens "
    "longer than r_x, of which Assumption 2 says nothing: their risk stays, and the bound has no term for it, as it "
    "keeps of the truncation level only what the network asks for"
)
LAW = (
    "|x| = rho with probability (nN)^-2, else 0, rho^2 = 4 C_x e d log(nN), and g = M where |x| = rho, else 0, with "
    "M^2 = 4 e C_y log(nN): all moments are as Assumption 1 has them, and g = 0 on the ball of Assumption 2"
)


def long_tokens(point: Point, largest: Any) -> tuple[arb, str]:
    """E[(y - f)^2] >= P(|x| = rho) (M - |f|)^2 for every prediction f, which is at most `largest` times the length of
    the heads' outputs and a bias. With mass p at rho, moments of order r ask for p rho^r <= (C_x d r)^(r/2), which
    holds for p = e^(-rho^2/(2 C_x e d)), rho^2 >= C_x e d; and of the label (s = 1) for M^2 <= r C_y p^(-2/r), least at
    r = 2 log(1/p) >= 1."""
    with ctx.workprec(PRECISION):
        number = to_ball(point["n"] * point["N"])
        log = number.log()
        chance, M = number**-2, (4 * arb.const_e() * to_ball(point["C_y"]) * log).sqrt()
        rho = 4 * to_ball(point["C_x"]) * arb.const_e() * to_ball(point["d"]) * log
        token = rho + to_ball(point["d"] * (1 + 1 / point["q"]))
        most = largest(point) * (1 + to_ball(point["q"]) * token).sqrt()
        if not (number >= 2 and most < M):
            return arb(0), LAW
        return chance * (M - most) ** 2, LAW


def in_product(point: Point) -> arb:
    """|a| |(W, b)|."""
    return to_ball(point["r_a"] * point["r_w"])


def in_ball(point: Point) -> arb:
    """The same, at most half the squared radius; a thousand times that, for what the radius hides."""
    return 1000 * value(BALL, "printed", "squared_radius", {name: x for name, x in point.items() if name != "C0"}) / 2


AT = {"n": "100", "N": "2", "m": "1", "q": "1", "d_e": "2", "C_x": "1", "C_y": "1", "s": "1"}


RAYS: dict[str, tuple[Any, dict[str, str], dict[str, str], tuple[int, int, int]]] = {  # the scale of Lemma 11 stays
    PRODUCT: (in_product, {"d": "1", "r_w": "1"}, {"r_a": "-1", "eps_2NN": "-2"}, (10**2, 10**3, 10**4)),
    BALL: (in_ball, {}, {"d": "1", "r_a": "-1", "r_w": "-1", "eps_2NN": "-3"}, (10**3, 10**4, 10**5)),
}


def labels_beyond(key: str, effort: Effort) -> Iterator[Result]:
    largest, more, ray, ts = RAYS[key]
    yield falling(
        key, "risk", at=AT | more, ray=ray, ts=ts, note=LABELS, truth=partial(long_tokens, largest=largest), by="law"
    )
    fixed, powers = fractions({**AT, **more}), {name: Fraction(power) for name, power in ray.items()}
    start = fixed | dict.fromkeys(powers, Fraction(1))
    for form in ("derived", "sharp"):
        tight, count = 0.0, 0
        for t, n in product((1, 10**6, 10**12), (2, 100, 10**8)):
            point = on_ray(start, powers, t) | {"n": Fraction(n)}
            (true, _), said = long_tokens(point, largest), value(key, form, "risk", point)
            count += 1
            if true > said:
                yield refuted("labels on long tokens exceed it", texts(point), decimal(said), decimal(true, False),
                              part="risk", form=form)  # fmt: skip
                return
            tight = max(tight, float(true / said))
        note = "labels that live on tokens beyond the radius of Assumption 2, as large as moments allow, stay within it"
        yield Result("holds", "tested", note, instances=count, tightness=tight, part="risk", form=form)


for _key in RAYS:
    check(_key)(partial(labels_beyond, _key))
