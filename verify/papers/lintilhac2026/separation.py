"""Theorem 16: what is printed for degree T against T times the same for degree 2, and where a chain has the smaller
bound. Inequalities in T, its root and its logarithm are proved for all T by their coefficients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from math import comb, prod
from typing import Any

from flint import arb, ctx, fmpq
from sympy import QQ, Expr, Poly, Pow, Rational, Symbol, factor_list, log, ring, sqrt, symbols

from maurey.numeric.balls import enclose
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import half
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import least_at
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.prove.subdivision import ball

KEY = "lintilhac2026/16"
T, sigma = Symbol("T", positive=True), Symbol("sigma", positive=True)
r, s, l = symbols("r s l", positive=True)  # noqa: E741
PRECISION = 128  # bits
START = 4  # squared: up to there one by one


def _rooted(power: Pow) -> Expr:
    """A root in letters r = sqrt(T), s = sqrt(T + 1); of any other polynomial the root of its first term, which is
    less."""
    c, factors = factor_list(power.base)
    if all(factor in (T, T + 1) for factor, _ in factors):
        made: Expr = Pow(c, power.exp)
        for factor, n in factors:
            made *= (r if factor == T else s) ** (2 * n * power.exp)
        return made
    poly = Poly(power.base, T)
    if power.exp != half or any(k <= 0 for k in poly.coeffs()):
        raise ValueError(f"no bound from below for {power}")
    return sqrt(poly.LC()) * r ** poly.degree()


def lettered(expr: Expr) -> Expr:
    expr = expr.xreplace({log(T): l})
    roots = {p: _rooted(p) for p in expr.atoms(Pow) if p.has(T) and p.exp.is_Rational and p.exp.q == 2}
    return expr.xreplace(roots).subs(T, r**2)


Terms = dict[tuple[int, ...], arb]  # a polynomial: powers, and coefficients as balls


def _terms(expr: Expr) -> Terms:
    """In r, s, log T and sigma; roots of numbers become balls at the end."""
    numbers = {p: Symbol(f"q_{n}") for n, p in enumerate(sorted((p for p in expr.atoms(Pow) if p.is_number), key=str))}
    poly = ring((r, s, l, sigma, *numbers.values()), QQ)[0].from_expr(expr.xreplace(numbers))
    roots, made = [ball(p, {}) for p in numbers], defaultdict[tuple[int, ...], arb](arb)
    for powers, k in poly.terms():
        made[powers[:4]] += prod(
            (root**n for root, n in zip(roots, powers[4:], strict=True)), start=arb(fmpq(k.p, k.q))
        )
    return made


def beyond(low: Expr, high: Expr, start: int = 2) -> Proof:
    """low <= high for all T >= start^2 >= 3 and sigma > 0. In r = sqrt(T), log T and sigma: s^2 = T + 1 is r^2 + 1, and
    what is added counts with s >= r, what is taken away with s <= r + 1 and log T <= r. With r = start + u and log T =
    1 + v no coefficient is negative."""
    with ctx.workprec(PRECISION):
        even, least, moved = (defaultdict[tuple[int, ...], arb](arb) for _ in range(3))
        for (a, b, c, e), k in _terms(lettered(high) - lettered(low)).items():
            for j in range(b // 2 + 1):
                even[a + 2 * j, b % 2, c, e] += k * comb(b // 2, j)
        for (a, b, c, e), k in even.items():
            added = bool(k > 0)
            least[a + b + (0 if added else c), c if added else 0, e] += k
            if b and not added:
                least[a + c, 0, e] += k
        for (a, c, e), k in least.items():
            for i, j in product(range(a + 1), range(c + 1)):
                moved[i, j, e] += k * comb(a, i) * start ** (a - i) * comb(c, j)
        proved = all(k >= 0 for k in moved.values())
    return Proof(proved or None, f"{low} <= {high} for T >= {start**2}")


def logarithms() -> list[Proof]:
    """log T <= sqrt(T), least apart at T = 4, and log T >= 1 from T = 3 on."""
    apart = sqrt(T) - log(T)
    return [
        least_at(apart, T, 4),
        Proof(bool(ball(apart.subs(T, 4), {}) > 0), "log 4 < 2"),
        Proof(bool(ball(log(Rational(3)), {}) > 1), "log 3 > 1"),
    ]


@cache
def from_four_on(part: str) -> tuple[Proof, ...]:
    low, high = (formula(KEY, form, part) for form in ("printed", "derived"))
    return (beyond(low, high), *logarithms())


def first_failures(part: str, at: Mapping[str, Any]) -> list[int]:
    """T < 4 at which T times the value at degree 2 is above that at degree T: certified."""
    claim = replace(registry.find(KEY), assumes=())
    pairs = {bits: [enclose(claim, form, part, T=bits, **at) for form in ("printed", "derived")] for bits in (2, 3)}
    return [bits for bits, (said, true) in pairs.items() if said.lower > true.upper]


@check(KEY)
def superlinear(effort: Effort) -> Iterator[Result]:
    """False for the two smallest T; proved from there on."""
    core = [
        same(
            formula(KEY, form, "log_core"),
            Symbol("m", positive=True) * sigma**2 / (4 * Symbol("Sigma", positive=True) ** 2)
            * (2 * formula(KEY, form, "gradient") + formula(KEY, form, "cost"))
            + formula(KEY, form, "norm") / (2 * sigma**2),
        )
        for form in ("printed", "derived")
    ]  # fmt: skip
    points: dict[str, dict[str, Any]] = {
        "gradient": {},
        "norm": {},
        "cost": {"sigma": "1/1000"},
        "log_core": {"sigma": "1/100000", "m": 1000, "Sigma": "1/10"},
    }
    for part, at in points.items():
        parents = ("gradient", "norm", "cost") if part == "log_core" else (part,)
        proofs = [
            *(proof for parent in parents for proof in from_four_on(parent)),
            *(core if part == "log_core" else ()),
        ]
        where = " and ".join(f"T = {n}" for n in first_failures(part, at))
        note = (
            "proved for all T >= 4: in sqrt(T), log T and sigma, moved to T = 4, no coefficient of the difference is "
            f"negative. It fails at {where}"
        )
        yield conclude(note, proofs, part=part)


def crossing() -> tuple[int, Proof]:
    """The T from which 4T times the best bound of a step is below 4 times that of a single pass, and that it is above
    for smaller ones: both are proportional to (G_u L)^(1/3), so that T^3 G_u(1,2) L(1,2,T) counts against G_u(1,T)
    L(1,T,T), whatever m and Sigma are."""
    part = {(name, form): formula(KEY, form, name) for name in ("gradient", "norm") for form in ("printed", "derived")}
    chain = T * part["gradient", "printed"] * part["norm", "printed"]  # each is T times that of a step
    single = part["gradient", "derived"] * part["norm", "derived"]
    signs = {bits: ball((single - chain).subs(T, bits), {}) for bits in range(2, START**2)}
    first = min((bits for bits in signs if all(signs[n] > 0 for n in range(bits, START**2))), default=START**2)
    before = all(bool(signs[n] < 0) for n in range(2, first))
    later = beyond(chain, single, START)
    return first, Proof((before and later.verdict) or None, f"{chain} <= {single} exactly from T = {first} on")
