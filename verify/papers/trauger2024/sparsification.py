"""Maurey's lemma (3.1): small cases decided exactly, in rationals, over all draws and tuples; and the norms of 3.4."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sympy import Symbol, binomial, combsimp, lambdify, sqrt, symbols

from maurey.verify.checks import Effort, Result, check, exempt, refuted
from maurey.verify.covers import rounding
from maurey.verify.covers.finite_maps import Vector, power
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

ROUNDING = 1e-9  # of doubles, relative
FORMS = ("printed", "derived")

exempt("a definition: it says what words mean, and there is nothing to check", "trauger2024/S2.6")
exempt("an experiment: what it reports is measured again with the tables", "trauger2024/S6")

# --- 3.1: the error ---------------------------------------------------------------------------------------------------


class Mixture(NamedTuple):
    """f = sum alpha_i V_i, to be approximated by k terms."""

    V: tuple[Vector, ...]
    alpha: Vector
    k: int

    def combination(self, weights: Sequence[Fraction | int]) -> Vector:
        return tuple(sum(w * v[c] for w, v in zip(weights, self.V, strict=True)) for c in range(len(self.V[0])))  # type: ignore[misc]

    def error(self, counts: Sequence[int]) -> Fraction:
        """|f - (1/k) sum k_i V_i|^2."""
        f, near = self.combination(self.alpha), self.combination(counts)
        return sum(((a - b / self.k) ** 2 for a, b in zip(f, near, strict=True)), Fraction(0))

    def variance(self) -> Fraction:
        """Of one term: sum alpha_i |V_i|^2 - |f|^2."""
        sizes = (sum((x * x for x in v), Fraction(0)) for v in self.V)
        return sum((w * size for w, size in zip(self.alpha, sizes, strict=True)), -self.squares()["f_norm"])

    def squares(self) -> dict[str, Fraction]:
        """gamma, b^2 for the least b, and |f|^2."""
        return {
            "gamma": sum(self.alpha, Fraction(0)),
            "b": max(sum((x * x for x in v), Fraction(0)) for v in self.V),
            "f_norm": sum((x * x for x in self.combination(self.alpha)), Fraction(0)),
        }


def tuples(d: int, k: int) -> list[tuple[int, ...]]:
    """All (k_1, ..., k_d) that sum to at most k."""
    return [t for t in product(range(k + 1), repeat=d) if sum(t) <= k]


def mean_error(f: Mixture) -> Fraction:
    """Over all draws of k terms, V_i with probability alpha_i and 0 else."""
    chances = (*f.alpha, 1 - sum(f.alpha, Fraction(0)))
    total = Fraction(0)
    for draw in product(range(len(chances)), repeat=f.k):
        counts = [draw.count(i) for i in range(len(f.alpha))]
        total += math.prod(chances[i] for i in draw) * f.error(counts)
    return total


def mixtures() -> Iterator[Mixture]:
    """One or two vectors in one or two dimensions, weights in quarters, up to three terms."""
    quarters = [Fraction(i, 4) for i in range(5)]
    vectors: list[tuple[Vector, ...]] = [
        tuple(tuple(map(Fraction, v)) for v in vs)
        for vs in (((1,),), ((2,),), ((1,), (-1,)), ((1,), (2,)), ((1, 0), (0, 1)), ((1, 0), (1, 1)), ((3, 4), (-5, 0)))
    ]
    for V, k in product(vectors, (1, 2, 3)):
        for alpha in product(quarters, repeat=len(V)):
            if 0 < sum(alpha) <= 1:
                yield Mixture(V, alpha, k)


def bound(form: str) -> Any:
    """The form as a function of gamma, b^2, |f|^2 and k, exact on rationals."""
    gamma, b, f_norm, k = positive("gamma b f_norm k")
    expr = formula("trauger2024/3.1", form, "error").subs({b: sqrt(b), f_norm: sqrt(f_norm)})
    return lambdify((gamma, b, f_norm, k), expr, "math")


@check("trauger2024/3.1")
def error(effort: Effort) -> Iterator[Result]:
    printed, derived = bound("printed"), bound("derived")
    worst, tight, count, broken = Fraction(0), Fraction(0), 0, None
    for f in mixtures():
        at = f.squares()
        best = min(map(f.error, tuples(len(f.V), f.k)))
        said, right, count = printed(**at, k=f.k), derived(**at, k=f.k), count + 1
        mean = mean_error(f)
        if mean != f.variance() / f.k or max(mean, best) > right:
            yield refuted("a mixture is farther", _shown(f), right, best, part="error", form="derived")
            return
        tight = max(tight, best / right if right else Fraction(0))
        if (best - said) / at["b"] > worst:
            worst, broken = (best - said) / at["b"], (f, said, best)
    note = (
        "over all draws the mean error is the variance of one term over k; the best tuple does no worse; in rationals"
    )
    yield Result("holds", "tested", note, instances=count, tightness=float(tight), part="error", form="derived")
    if broken:
        f, said, best = broken
        yield refuted(
            "the weights left to 1 are drawn as zeros, so that one term has mean square gamma b^2, not gamma^2 b^2: "
            "every tuple leaves a larger error",
            _shown(f), said, best, part="error",
        )  # fmt: skip
    yield large(effort)
    yield conclude(
        "Where the weights sum to 1 (gamma = 1) the printed error is the derived one.",
        [same(*(formula("trauger2024/3.1", form, "error").subs(positive("gamma"), 1) for form in FORMS))],
        part="error", rung="derived",
    )  # fmt: skip


def _shown(f: Mixture) -> dict[str, Any]:
    """A mixture to be looked at, with the errors of all its tuples."""
    at = f.squares()
    return {
        "d": len(f.V), "k": f.k, "gamma": str(at["gamma"]), "b": str(power(at["b"], Fraction(1, 2))),
        "f_norm": str(power(at["f_norm"], Fraction(1, 2))),
        "V": [[str(x) for x in v] for v in f.V], "alpha": [str(x) for x in f.alpha],
        "errors": {str(t): str(f.error(t)) for t in tuples(len(f.V), f.k)},
    }  # fmt: skip


def large(effort: Effort) -> Result:
    """The best next term, in up to 3,000 dimensions: random atoms, near copies, a basis; weights equal, or few."""
    rng, right, tight = np.random.default_rng(effort.seed), bound("derived"), 0.0
    cases = list(product((2, 40, 300), (1, 30, 3000), (1, 5, 60))) * effort.scale
    for i, (d, dimension, k) in enumerate(cases):
        atoms = rng.normal(size=(d, dimension)) if i % 3 else np.eye(d, dimension)
        atoms = atoms + 3 * rng.normal(size=dimension) if i % 3 == 2 else atoms
        alpha = rng.dirichlet(np.full(d, rng.choice((1.0, 0.05)))) * rng.choice((1.0, 0.5, 0.9))
        gamma, f = float(alpha.sum()), alpha @ atoms
        counts = rounding.sparsify_among(np.vstack([atoms, np.zeros(dimension)]), np.append(alpha, 1 - gamma), k)[:d]
        far, most = ((f - counts @ atoms / k) ** 2).sum(), right(gamma, (atoms**2).sum(1).max(), f @ f, k)
        if counts.sum() > k or far > most + ROUNDING * (f @ f + 1):
            at = {"d": d, "dimension": dimension, "k": k, "seed": effort.seed}
            return refuted("the best next term leaves more", at, most, far, part="error", form="derived")
        tight = max(tight, far / most if most > 0 else 0.0)
    note = "the best next term k times, among up to 300 atoms in up to 3,000 dimensions"
    return Result("holds", "constructed", note, instances=len(cases), tightness=tight, part="error", form="derived")


# --- 3.1: the number of tuples ----------------------------------------------------------------------------------------


@check("trauger2024/3.1")
def count(effort: Effort) -> Iterator[Result]:
    """A tuple has k_d = 0, or loses one from k_d: T(d, k) = T(d-1, k) + T(d, k-1), and T(0, k) = T(d, 0) = 1."""
    d, k = symbols("d k", integer=True, positive=True)
    printed, derived = (formula("trauger2024/3.1", form, "count").subs({positive("d"): d, positive("k"): k})
                        for form in ("printed", "derived"))  # fmt: skip
    numbers = {(i, j): len(tuples(i, j)) for i, j in product(range(1, 6), range(1, 5 + (effort.scale > 1)))}
    wrong = {where: n for where, n in numbers.items() if derived.subs({d: where[0], k: where[1]}) != n}
    pascal = combsimp(derived - derived.subs(d, d - 1) - derived.subs(k, k - 1))
    ends = derived.subs(d, 0), derived.subs(k, 0)
    yield conclude(
        "The recursion of the tuples is Pascal's rule, with the same ends; counted one by one for d <= 5.",
        [same(pascal, 0), *(Proof(end == 1, f"{end} = 1") for end in ends), Proof(not wrong, f"counts: {wrong}")],
        part="count", form="derived", instances=len(numbers),
    )  # fmt: skip
    yield full(printed, d, k)
    above = {(i, j): n for (i, j), n in numbers.items() if n > printed.subs({d: i, k: j})}
    if above:
        (i, j), n = min(above.items())
        yield refuted(
            f"the printed d^k counts ordered draws that fill all k terms; more tuples sum to at most k for "
            f"(d, k) = {', '.join(map(str, sorted(above)))}",
            {"d": i, "k": j, "tuples": [list(t) for t in tuples(i, j)]}, printed.subs({d: i, k: j}), n, part="count",
        )  # fmt: skip


def full(printed: Any, d: Any, k: Any) -> Result:
    """Tuples that sum to k are those of d - 1 numbers that sum to at most k: binomial(d + k - 1, k). One term more
    multiplies this by (d + k)/(k + 1), and the printed d^k by d; for k = 1 both are d."""
    number = binomial(d + k - 1, k)
    n, j = positive("d k")
    counted = {(a, b): sum(sum(t) == b for t in tuples(a, b)) for a, b in product(range(1, 5), repeat=2)}
    wrong = {where: c for where, c in counted.items() if number.subs({d: where[0], k: where[1]}) != c}
    return conclude(
        "Tuples that sum to k: one term more multiplies their number by (d + k)/(k + 1) <= d (z3), and the printed one "
        "by d; counted one by one for d, k <= 4.",
        [
            same(combsimp(number.subs(k, k + 1) / number), (d + k) / (k + 1)),
            same(combsimp(printed.subs(k, k + 1) / printed), d),
            *(same(expr.subs(k, 1), d) for expr in (number, printed)),
            polynomial(n + j <= n * (j + 1), n >= 1, control=n + j <= less * n * (j + 1)),
            Proof(not wrong, f"counts: {wrong}"),
        ],
        part="count", instances=len(counted),
    )  # fmt: skip


# --- the norms of 3.4 -------------------------------------------------------------------------------------------------


@check("trauger2024/S3.4")
def comparison(effort: Effort) -> Iterator[Result]:
    """The sum of n numbers that are at most B is at most n B, by induction; all equal, it is."""
    d, B, s, c, n = positive("d B_W_1inf s c n")
    step = polynomial(s + c <= (n + 1) * B, s <= n * B, c <= B, control=s + c <= less * (n + 1) * B)
    for name in ("printed", "derived"):
        yield conclude(
            "One column more adds at most B to the sum (z3); equal columns attain it.",
            [step, same(formula("trauger2024/S3.4", name, "sum"), d * B)], part="sum", form=name, tightness=1.0,
        )  # fmt: skip
    entries = formula("trauger2024/3.6", B_X=Symbol("B_X_1"), B_W_11=Symbol("d") * Symbol("B_W_1inf"))
    ratio = entries / formula("trauger2024/3.3")
    for name in ("printed", "derived"):
        yield conclude(
            "The printed bound of 3.6 with d B_w in the place of B_w, over that of 3.3.",
            [same(ratio, formula("trauger2024/S3.4", name, "ratio"))], part="ratio", form=name, rung="identity",
        )  # fmt: skip
