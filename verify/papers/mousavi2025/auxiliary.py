"""Lemmas 39 and 40: mixed norms of a product, by Hoelder's inequality; the variance of a Gaussian squared norm, from
its moment generating function."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import sympy
from sympy import Expr, Matrix, Symbol, exp, expand

from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, exempt, refuted
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

exempt(
    "a definition: it says what words mean, and there is nothing to check",
    "mousavi2025/2", "mousavi2025/8", *(f"mousavi2025/eq2.{i}" for i in range(1, 5)),
)  # fmt: skip
exempt(
    "an assumption on the link, which holds with error 0 for every network and is used as it stands", "mousavi2025/as2"
)

ROUNDING = 1e-9

# --- 39 --------------------------------------------------------------------------------------------------------------


def mixed(A: Array, p: float, q: float) -> float:
    """The l_q norm of the columns' l_p norms."""
    return float(np.linalg.norm(np.linalg.norm(A, ord=p, axis=0), ord=q))


def young() -> list[Proof]:
    """h(a) = T e^a + (1 - T) - e^(T a) >= 0 for 0 < T < 1, which is Young's inequality and sums to Hoelder's: h(0) = 0,
    and h' = T e^(Ta) (e^((1-T)a) - 1) has the sign of a, because the exponential increases."""
    T, a = Symbol("T", positive=True), Symbol("a", real=True)
    v, w = positive("v w")
    h = T * exp(a) + 1 - T - exp(T * a)
    slope = T * exp(T * a) * (exp((1 - T) * a) - 1)
    return [
        Proof(h.subs(a, 0) == 0, "h(0) = 0"),
        Proof(sympy.simplify(sympy.diff(h, a) - slope) == 0, f"h' = {slope}"),
        polynomial(a * T * v * (w - 1) >= 0, a * (w - 1) >= 0, control=a * T * v * (w - less) >= 0),
    ]


def exponents() -> Iterator[tuple[float, float, float, float]]:
    for p, r, s in product((1.0, 1.5, 2.0, 5.0, math.inf), (1.0, 2.0, 3.0, math.inf), (1.0, 1.5, 4.0)):
        q = math.inf if p == 1 else 1.0 if p == math.inf else p / (p - 1)
        yield p, q, r, s


@check("mousavi2025/39")
def products(effort: Effort) -> Iterator[Result]:
    """Drawn matrices, and those at which Hoelder's inequality is an equality: columns of A alike but for lengths."""
    rng, tight, count = np.random.default_rng(effort.seed), 0.0, 0
    for p, q, r, s in exponents():
        for _ in range(2 * effort.scale):
            k, inner, n = (int(x) for x in rng.integers(1, 5, size=3))
            A, B = rng.normal(size=(k, inner)), rng.normal(size=(inner, n))
            lengths = np.abs(rng.normal(size=inner))
            extreme = lengths ** (p - 1) if 1 < p < math.inf else (lengths == lengths.max()) if p == 1 else lengths**0
            aligned = np.outer(rng.normal(size=k), lengths), np.outer(extreme, rng.normal(size=n))
            for M, K in ((A, B), aligned):
                columns = [float(x) for x in np.linalg.norm(K, ord=q, axis=0)]
                at = {"n": n, "A_norm": mixed(M, r, p), "column_norm": columns, "s": s}
                said, true = float(value("mousavi2025/39", "printed", "norm", at)), mixed(M @ K, r, s)
                count += 1
                if true > said * (1 + ROUNDING):
                    where = {"A": M.tolist(), "B": K.tolist(), "p": p, "r": r, "s": s}
                    yield refuted("a product is larger", where, said, true, part="norm")
                    return
                tight = max(tight, true / said)
    note = "p from 1 to infinity, drawn matrices and those at which Hoelder's inequality is an equality"
    yield Result("holds", "tested", note, instances=count, tightness=min(tight, 1.0), part="norm")
    yield conclude(
        "Young's inequality for any exponent (a derivative whose sign is that of its argument, z3), which sums to "
        "Hoelder's for every column; l_s norms of columns that are at most c times others are at most c times theirs.",
        [*young(), *columnwise()], part="norm", form="derived",
    )  # fmt: skip


def columnwise() -> Iterator[Proof]:
    """Both forms are A_norm times the l_s norm of the columns' norms, here for one and two columns and s = 2."""
    A = positive("A_norm")
    for n in (1, 2):
        forms = [formula("mousavi2025/39", form, "norm", n=n, s=2) for form in ("printed", "derived")]
        letters = sorted(forms[0].free_symbols - {A}, key=str)
        yield Proof(len(letters) == n, f"{n} columns")
        yield from (same(form, A * sympy.sqrt(sum((b**2 for b in letters), sympy.S.Zero))) for form in forms)


# --- 40 --------------------------------------------------------------------------------------------------------------


def covariance(i: int, j: int) -> Expr:
    """Cov(x_i^2, x_j^2) of a Gaussian vector with any mean and covariance, by derivatives of its moment generating
    function."""
    own = sorted({i, j})
    t = {k: Symbol(f"t{k}") for k in own}
    power = sum((t[k] * mean(k) for k in own), sympy.S.Zero)
    power += sum((t[k] * t[m] * entry(k, m) for k in own for m in own), sympy.S.Zero) / 2

    def moment(*indices: int) -> Expr:
        """The exponential's series, its coefficient of the monomial times factorials."""
        series = sum((power**n / math.factorial(n) for n in range(len(indices) + 1)), sympy.S.Zero)
        degrees = tuple(indices.count(k) for k in own)
        poly = sympy.Poly(expand(series), *t.values())
        return poly.coeff_monomial(degrees) * math.prod(math.factorial(n) for n in degrees)

    return expand(moment(i, i, j, j) - moment(i, i) * moment(j, j))


def mean(i: int) -> Symbol:
    return Symbol(f"mu{i}")


def entry(i: int, j: int) -> Symbol:
    return Symbol(f"S{min(i, j)}{max(i, j)}")


@check("mousavi2025/40")
def squared_norm(effort: Effort) -> Iterator[Result]:
    """The variance is the sum of the covariances of pairs: one coordinate, and two, are enough for every dimension."""
    pairs = {(0, 0): covariance(0, 0), (0, 1): covariance(0, 1)}
    right = [
        Proof(expand(value - 2 * entry(i, j) ** 2 - 4 * mean(i) * mean(j) * entry(i, j)) == 0, f"Cov(x_{i}^2, x_{j}^2)")
        for (i, j), value in pairs.items()
    ]
    sizes = (1, 2, 3 + (effort.scale > 1))
    for n in sizes:
        S, mu = Matrix(n, n, entry), Matrix(n, 1, lambda i, _: mean(i))
        total = sum((2 * S[i, j] ** 2 + 4 * mu[i] * mu[j] * S[i, j] for i in range(n) for j in range(n)), sympy.S.Zero)
        traces = 2 * (S.T * S).trace() + 4 * (mu.T * S * mu)[0]
        right.append(Proof(expand(total - traces) == 0, f"the sum over pairs in {n} dimensions"))
    for form in ("printed", "derived"):
        steps = [*right, *(diagonal(form, n, pairs[0, 0]) for n in sizes)]
        yield conclude(
            "Cov(x_i^2, x_j^2) = 2 S_ij^2 + 4 mu_i mu_j S_ij for any mean and covariance, i = j or not (the moment "
            "generating function, letters in all places), which sums to the traces; in the eigenbasis to the form.",
            steps, part="variance", form=form, instances=len(sizes),
        )  # fmt: skip


def diagonal(form: str, n: int, one: Expr) -> Proof:
    """Coordinates along eigenvectors are independent: the sum of their variances."""
    said = formula("mousavi2025/40", form, "variance", n=n)
    letters = sorted(said.free_symbols, key=str)
    values, means = letters[:n], letters[n:]
    total = sum((one.subs({entry(0, 0): x, mean(0): m}) for x, m in zip(values, means, strict=True)), sympy.S.Zero)
    return Proof(expand(said - total) == 0, f"the form in {n} dimensions")
