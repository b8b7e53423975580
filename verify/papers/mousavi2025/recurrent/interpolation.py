"""Lemmas 36 to 38: networks through given points, in rationals, and how likely Gaussian points are well apart."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import arb, ctx, fmpq, fmpz
from sympy import Rational, Symbol, diff, erf, exp, pi, sqrt

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

from .interpolants import instances, least_gap, point, square, squared_norm, through, worst_small

P36, P37, P38 = (f"mousavi2025/{number}" for number in (36, 37, 38))


@check(P38)
def univariate(effort: Effort) -> Iterator[Result]:
    """Exact equality at every point; the norm against every form."""
    cases = [*instances(effort), worst_small(effort)]
    best, count = dict.fromkeys(("printed", "derived", "sharp"), 0.0), 0
    for points, labels in cases:
        net = through(points, labels)
        if [net(t) for t in points] != list(labels):
            yield refuted(
                "misses a point", {"z": list(map(str, points)), "y": list(map(str, labels))}, 0, 1, part="total"
            )
            return
        if len(net.a) != len(points):
            yield refuted("has another width", {"n": len(points)}, len(points), len(net.a), part="width")
            return
        if not any(labels):
            continue
        at, count = point(points, labels), count + 1
        norm = squared_norm(net, points, labels, at["eps"])
        outer, inner = net.squares
        with ctx.workprec(PRECISION):
            least = 2 * (to_ball(outer) * to_ball(inner)).sqrt()
        for form in best:
            said, true = value(P38, form, "total", at), least if form == "sharp" else norm
            if form != "printed" and true > said:
                where = {"z": list(map(str, points)), "y": list(map(str, labels))}
                note = "a network through points is larger"
                yield refuted(note, where, decimal(said), decimal(true, up=False), part="total", form=form)
                return
            best[form] = max(best[form], float(true / said))
    for form, tight in best.items():
        what = f"; the hidden constant is at least {tight:.4g} for this network" if form == "printed" else ""
        note = f"built in rationals, equal to the labels at every point{what}"
        yield Result(
            "holds", "constructed", note, instances=count, tightness=None if what else tight, part="total", form=form
        )
    yield Result("holds", "constructed", "as many units as points", instances=count, tightness=1.0, part="width")
    yield norms_of_38()


def norms_of_38() -> Result:
    """The steps behind the derived norm: a difference of slopes, a slope, the first knot."""
    s, t, u, v, e = positive("s t u v e")
    z, slope = Symbol("z", real=True), 2 * (u**2 + v**2) / e**2
    return conclude(
        "a difference of slopes has (s - t)^2 <= 2 s^2 + 2 t^2, a slope has the square 2 (u^2 + v^2)/eps^2 at most, "
        "and the first knot 2 z^2 + 2 (z3)",
        [polynomial((s + t) ** 2 <= 2 * s**2 + 2 * t**2, control=(s + t) ** 2 <= less * (2 * s**2 + 2 * t**2)),
         polynomial(((u + v) / e) ** 2 <= slope, control=((u + v) / e) ** 2 <= less * slope),
         polynomial((z - 1) ** 2 <= 2 * z**2 + 2, control=(z - 1) ** 2 <= 2 * z**2 + Rational(19, 10))],
        part="total", form="derived",
    )  # fmt: skip


# --- 37 and 36: Gaussian points ------------------------------------------------------------------------------------


def near_each_other(eps: arb) -> arb:
    """P(|N(0, 2)| <= eps) = erf(eps/2)."""
    return (eps / 2).erf()


def sum_exceeds(n: int, factor: int) -> arb:
    """P(chi^2_n > factor n)."""
    return arb(fmpq(factor * n, 2)).gamma_upper(arb(fmpq(n, 2)), regularized=1)


def fails(n: int, form: str, labels: bool) -> arb:
    """The union bound with exact probabilities: two of n points closer than the gap, or a large sum of squares, or
    large labels, which are dependent on nothing that is used."""
    with ctx.workprec(PRECISION):
        gap = value(P37, form, "gap", {"n": Fraction(n)})
        total = arb(fmpz(n * (n - 1) // 2)) * near_each_other(gap) + sum_exceeds(n, 3)
        return total + (sum_exceeds(n, 6) if labels else 0)


def density_bound() -> list[Proof]:
    """erf(eps/2) <= eps/sqrt(pi): both vanish at 0, and the difference of slopes is (1 - e^(-eps^2/4))/sqrt(pi)."""
    eps, w = positive("eps w")
    difference = eps / sqrt(pi) - erf(eps / 2)
    return [
        same(difference.subs(eps, 0), 0),
        same(diff(difference, eps), (1 - exp(-(eps**2) / 4)) / sqrt(pi)),
        polynomial(1 - w >= 0, w <= 1, control=1 - w >= Rational(1, 1000)),
    ]


@check(P37)
def separating(effort: Effort) -> Iterator[Result]:
    """v^T x^(i) are independent standard normal for every unit v that does not depend on them."""
    n, third = positive("n"), Rational(1, 3)
    for form in ("derived", "sharp"):
        gap, pairs = formula(P37, form, "gap"), n**2 if form == "derived" else n * (n - 1) / 2
        unions = [(pairs * gap / sqrt(pi)).subs(n, size) for size in (2, 3, 7, 1000)]
        yield conclude(
            "erf(eps/2) <= eps/sqrt(pi), and the union over pairs is 1/3 at the stated gap",
            [*density_bound(), *(same(union, third) for union in unions)], part="gap", form=form,
        )  # fmt: skip
    sizes = (1, 2, 3, 10, 100, 10**4, 10**6)
    least = min(float(1 - fails(size, "derived", False)) for size in sizes)
    open_part = [size for size in sizes if not fails(size, "derived", False) <= arb(fmpq(2, 3))]
    note = f"exact probabilities in the union bound, n up to 10^6: at least {least:.4g}"
    for part, form in (
        ("probability", "printed"),
        ("probability", "derived"),
        ("gap", "printed"),
        ("squares", "printed"),
    ):
        if open_part:
            yield Result(
                "undecided", "proved", f"the union bound is too weak at n = {open_part[0]}", part=part, form=form
            )
        else:
            yield Result(
                "holds",
                "proved",
                f"{note}; Markov and the union bound give 1/3 for every n",
                instances=len(sizes),
                part=part,
                form=form,
            )
    yield drawn_directions(effort)


def drawn_directions(effort: Effort) -> Result:
    """How often it happens, in d dimensions, with a direction drawn at random."""
    rng, rates = np.random.default_rng(effort.seed), []
    for n, d in ((2, 1), (5, 3), (20, 10), (60, 2)):
        x = rng.normal(size=(500 * effort.scale, n, d))
        v = rng.normal(size=(len(x), d))
        z = np.sort(np.einsum("bnd,bd->bn", x, v / np.linalg.norm(v, axis=1, keepdims=True)), axis=1)
        gap = float(value(P37, "derived", "gap", {"n": Fraction(n)}))
        good = (np.diff(z, axis=1).min(axis=1) >= gap) & ((z**2).sum(axis=1) <= 3 * n)
        rates.append(float(good.mean()))
    least = min(rates)
    note = f"drawn points and directions: separated in at least {least:.3f} of the draws"
    if least < 1 / 3:
        return refuted(note, {"rates": rates}, 1 / 3, least, part="probability")
    return Result(
        "holds", "tested", note, instances=4 * 500 * effort.scale, tightness=1 / 3 / least, part="probability"
    )


@check(P36)
def gaussian(effort: Effort) -> Iterator[Result]:
    """Networks through drawn points: exact equality in rationals, the norm where the labels and points are as 37 asks,
    and how often that is."""
    rng, worst, good, drawn = np.random.default_rng(effort.seed), dict.fromkeys(("derived", "printed"), 0.0), 0, 0
    for n, d in ((1, 1), (2, 3), (5, 2), (10, 10), (20, 4)):
        for _ in range(10 * effort.scale):
            x, u = rng.normal(size=(n, d)), rng.normal(size=d)
            labels = [Fraction(float(v)) for v in x[rng.integers(n, size=n)] @ (u / np.linalg.norm(u))]
            v = rng.normal(size=d)
            points = [Fraction(float(t)) for t in x @ (v / np.linalg.norm(v))]
            gap = value(P37, "derived", "gap", {"n": Fraction(n)})
            drawn += 1
            if not (
                to_ball(least_gap(points)) >= gap
                and square(points) <= 3 * n
                and square(labels) <= 6 * n
                and any(labels)
            ):
                continue
            good += 1
            net = through(points, labels)
            if [net(t) for t in points] != labels:
                yield refuted("misses a point", {"n": n, "d": d}, 0, 1, part="total")
                return
            eps = Fraction(decimal(gap, up=False))
            norm = squared_norm(net, points, labels, eps)
            for form in worst:
                said = value(P36, form, "total", {"n": Fraction(n)})
                worst[form] = max(worst[form], float(norm / said))
                if form == "derived" and norm > said:
                    yield refuted("a network through points is larger", {"n": n, "d": d}, decimal(said),
                                  decimal(norm, up=False), part="total", form=form)  # fmt: skip
                    return
    note = "networks through drawn points, exact at every point, in up to 10 dimensions"
    yield Result("holds", "constructed", note, instances=good, tightness=worst["derived"], part="total", form="derived")
    yield Result("holds", "constructed", f"{note}; of n^3 at most {worst['printed']:.4g}", instances=good, part="total")
    sizes = (1, 2, 3, 10, 1000, 10**6)
    certified = [1 - fails(size, "derived", True) for size in sizes]
    sixth = value(P36, "derived", "probability", {"n": Fraction(1)})
    enough = all(found >= sixth for found in certified)
    note = (
        f"exact probabilities in the union bound: at least {min(map(float, certified)):.4g} for n up to 10^6; in the "
        f"draws {good / drawn:.3f}"
    )
    for form in ("printed", "derived"):
        yield Result(
            "holds" if enough else "undecided", "proved", note, instances=len(sizes), part="probability", form=form
        )
