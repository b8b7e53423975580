"""Seeger's bound with Maurer's constant: for all posteriors of finite classes, and its root by Pinsker's inequality."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Rational, Symbol, diff, log, simplify, sqrt

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.posteriors import all_posteriors
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude, formula

KEY = "maurer2004/5"


@check(KEY)
def seeger(effort: Effort) -> Iterator[Result]:
    yield from (all_posteriors(KEY, "printed", part, effort) for part in ("risk", "root"))
    q, p = Symbol("q", positive=True), Symbol("p", positive=True)
    divergence = q * log(q / p) + (1 - q) * log((1 - q) / (1 - p))
    c = formula(KEY, "printed", "rate")
    kl_at = diff(divergence - 2 * (p - q) ** 2, p)
    yield conclude(
        "Pinsker's inequality: the derivative of kl(q||p) - 2(p-q)^2 in p is (p-q)(1/(p(1-p)) - 4), of the sign of p-q",
        [same(simplify(kl_at * p * (1 - p)), (p - q) * (1 - 4 * p * (1 - p))),
         polynomial(4 * p * (1 - p) <= 1, p < 1, control=Rational(401, 100) * p * (1 - p) <= 1),
         same(formula(KEY, "printed", "root") - Symbol("loss_hat", positive=True), sqrt(c / 2))],
        part="root",
    )  # fmt: skip
