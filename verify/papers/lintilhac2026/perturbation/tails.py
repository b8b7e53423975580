"""Lemmas 19 to 21: norms of Gaussian vectors and the largest of many Gaussians, proved, and exact tails in balls."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from flint import arb, ctx
from sympy import Expr, Symbol, diff, erf, exp, pi, sqrt

from maurey.numeric.evaluation import BITS, value
from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity.gaussian_tails import DIMENSIONS, FAILING, beyond, chernoff, longer, quantile
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

CHI, UNION, FIRST = (f"lintilhac2026/{number}" for number in (19, 20, 21))
DRAWS = 400


def two_sided() -> list[Proof]:
    """P(|g| > s) <= exp(-s^2/2): the difference is 0 at 0 and at infinity, and its slope changes its sign once."""
    s = Symbol("s", positive=True)
    gap = exp(-(s**2) / 2) - (1 - erf(s / sqrt(2)))
    return [
        same(gap.subs(s, 0), 0),
        Proof(gap.limit(s, "oo") == 0, "the difference vanishes at infinity"),
        same(diff(gap, s), exp(-(s**2) / 2) * (sqrt(2 / pi) - s)),
    ]


# --- 19, 20 ----------------------------------------------------------------------------------------------------------


@check(CHI)
def one_vector(effort: Effort) -> Iterator[Result]:
    for form in ("printed", "derived"):
        tight, count = 0.0, 0
        with ctx.workprec(BITS):
            for n, failing in product(DIMENSIONS, FAILING):
                at = {"n": n, "sigma": 1, "delta": failing}
                said, count = value(CHI, form, "norm", at), count + 1
                if longer(n, said) > to_ball(failing):
                    yield _often(form, at, failing, longer(n, said))
                    return
                tight = max(tight, quantile(partial(longer, n), failing, float(said)) / float(said))
        yield conclude(
            "Chernoff's bound with the exact moment generating function; exact tails in balls beside it, and the "
            "quantile against the bound",
            chernoff(partial(_stated, form)),
            instances=count, tightness=tight, part="norm", form=form,
        )  # fmt: skip


def _stated(form: str, n: Expr, failing: Expr) -> Expr:
    return formula(CHI, form, "norm", n=n, sigma=1, delta=failing)


def _often(form: str, at: dict[str, object], failing: Fraction, true: arb) -> Result:
    note = "it is exceeded more often than with the stated probability, which is the first value"
    return refuted(
        note, {name: str(x) for name, x in at.items()}, failing, decimal(true, False), part="norm", form=form
    )


@check(UNION)
def many_vectors(effort: Effort) -> Iterator[Result]:
    """The union; and with x^2 = log(N/delta)/d, which is eps^2 log(N/delta)/(c log T), kappa is at most
    1 + x + x^2/2."""
    N, d, failing, x = positive("N d delta x")
    near = [
        polynomial((1 + x + x**2 / 2) ** 2 >= 1 + 2 * x + 2 * x**2, control=(1 + less * x) ** 2 >= 1 + 2 * x + 2 * x**2)
    ]
    for form in ("printed", "derived"):
        tight, count = 0.0, 0
        with ctx.workprec(BITS):
            for n, copies, chance in product((1, 10, 100), (1, 10, 10**4), FAILING):
                at = {"N": copies, "d": n, "sigma": 1, "delta": chance}
                said, count = value(UNION, form, "norm", at), count + 1

                def any_of(level: arb, n: int = n, copies: int = copies) -> arb:
                    return 1 - (1 - longer(n, level)) ** copies  # of independent vectors

                if any_of(said) > to_ball(chance):
                    yield _often(form, at, chance, any_of(said))
                    return
                tight = max(tight, quantile(any_of, chance, float(said)) / float(said))
        one = formula(CHI, "printed", "norm", n=d, sigma=1, delta=failing / N)
        kappa = formula(UNION, form, "norm", sigma=1, N=N, d=d, delta=N * exp(-d * x**2)) / sqrt(d)
        yield conclude(
            "Lemma 19 for each vector at its share of the probability; with x^2 = log(N/delta)/d, which is of order "
            "eps^2 for N polynomial in T and d = c log(T)/eps^2, kappa lies between 1 and 1 + x + x^2/2",
            [same(formula(UNION, form, "norm", sigma=1, N=N, d=d, delta=failing), one),
             same(kappa**2, 1 + 2 * x + 2 * x**2), *near],
            instances=count, tightness=tight, part="norm", form=form,
        )  # fmt: skip


# --- 21: the sizes of a random perturbation --------------------------------------------------------------------------


def drawn(T: int, effort: Effort) -> tuple[np.ndarray, np.ndarray]:
    """eta_1 and eta_V of many perturbations, at the string of ones, where tokens are longest."""
    rng = np.random.default_rng(effort.seed)
    bits = np.append(np.ones(T), 0.0)
    X = np.hstack([np.eye(T + 1), bits[:, None]])
    E = rng.standard_normal((DRAWS * effort.scale, 2, T + 2, T + 2))
    scores, rows = np.abs(X @ E[:, 0] @ X.T).max(axis=(1, 2)), np.linalg.norm(X @ E[:, 1], axis=2).max(axis=1)
    return scores, rows


@check(FIRST)
def random_sizes(effort: Effort) -> Iterator[Result]:
    (bits, share), tenth = positive("T delta"), Fraction(1, 10)
    found = {size: drawn(size, effort) for size in (2, 6, 12)}
    for i, (part, forms) in enumerate((("eta_1", ("printed", "derived", "sharp")), ("eta_V", ("printed", "derived")))):
        for form in forms:
            count = 0
            with ctx.workprec(BITS):
                for size, chance in product((1, 2, 20, 1000), FAILING):
                    at = {"T": size, "sigma": 1, "delta": chance}
                    said, count = value(FIRST, form, part, at), count + 1
                    root = arb(2).sqrt()
                    true = (size + 1) ** 2 * beyond(said / 2) if i == 0 else (size + 1) * longer(size + 2, said / root)
                    if true > to_ball(chance):
                        yield Result("undecided", "tested", f"the union gives {true} at {at}", part=part, form=form)
                        return
            tight = max(
                float(np.quantile(pair[i], 0.9))
                / float(value(FIRST, form, part, {"T": size, "sigma": 1, "delta": tenth}))
                for size, pair in found.items()
            )
            level = formula(FIRST, form, part, T=bits, sigma=1, delta=share)
            if i == 0:
                union = (exp(-((level / 2) ** 2) / 2) * (bits + 1) ** 2 / share).simplify()
                fits = bool(union <= 1) if union.is_number else None
                proofs = [*two_sided(), Proof(fits, f"the union is {union} times delta")]
            else:
                one = formula(CHI, "printed", "norm", n=bits + 2, sigma=sqrt(2), delta=share / (bits + 1))
                proofs = [same(level, one)]
            yield conclude(
                "Gaussians of deviation at most 2 sigma for pairs of tokens, sqrt(2) sigma for rows, and a union; the "
                "union of exact tails in balls beside it, and the 0.9 quantile of draws against the bound",
                proofs, instances=count, tightness=tight, part=part, form=form,
            )  # fmt: skip
