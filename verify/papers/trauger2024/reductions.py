"""Reductions of covers: basis vectors stand for all inputs (3.2), and rows are put together (A). Finite classes,
decided exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from maurey.numeric.evaluation import value
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.covers.finite_maps import Matrix, Vector, basis, image, smaller, smallest_cover, total
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude, formula

ROUNDING = 1e-9  # of doubles, relative

# --- 3.2 --------------------------------------------------------------------------------------------------------------

QS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), None)
HALF = Fraction(1, 2)


@check("trauger2024/3.2")
def equality(effort: Effort) -> Iterator[Result]:
    """Finite classes: the basis with any other points of the l1 ball, and these alone."""
    rng, count, larger = np.random.default_rng(effort.seed), 0, 0
    for i in range(60 * effort.scale):
        k, d, R = int(rng.integers(1, 4)), int(rng.integers(1, 4)), Fraction(int(rng.integers(1, 4)), 2)
        W = [_matrix(rng.integers(-3, 4, (k, d))) for _ in range(int(rng.integers(2, 7)))]
        eps = int(rng.integers(0, 7)) + Fraction(int(rng.integers(1, 1009)), 1009)  # a prime: no distance equals it
        q = QS[i % len(QS)]
        scaled = basis(d, R)
        others = [_mixture(rng, d, R) for _ in range(d + int(rng.integers(3)))]
        on_basis = len(smallest_cover(W, scaled, q, eps))
        more, fewer = (len(smallest_cover(W, points, q, eps)) for points in (scaled + others, others))
        count, larger = count + 1, max(larger, on_basis)
        if more != on_basis or fewer > on_basis:
            at = {"W": [_text(one) for one in W], "points": _text(tuple(others)), "eps": str(eps), "q": str(q)}
            yield refuted("other points need another cover", at, on_basis, max(more, fewer), part="log_N")
            return
    note = f"for q >= 1, finite classes with smallest covers of up to {larger} members, found by trying all: the same"
    for form in ("printed", "derived"):
        yield Result("holds", "tested", note, instances=count, tightness=1.0, part="log_N", form=form)
    yield without_triangles()


@check("trauger2024/3.2")
def mixtures(effort: Effort) -> Result:
    """The norm s of x_1 D_1 + ... so far is at most (|x_1| + ...) M, M the largest |D_i|; one more term, x D_i."""
    s, sum_, x, norm, M, E_in = positive("s sum x norm M E_in")
    most = (sum_ + x) * M
    step = polynomial(s + x * norm <= most, s <= sum_ * M, norm <= M, control=s + x * norm <= less * most)
    return conclude(
        "For q >= 1 a norm of a mixture is at most the mixture of the norms, term by term (z3), so at most the largest "
        "on the scaled basis: what covers there covers everywhere, and the basis is among the points allowed.",
        [step, same(formula("trauger2024/3.2"), E_in)], part="log_N",
    )  # fmt: skip


def without_triangles() -> Result:
    """q = 1/2: two matrices that one centre serves on the basis, and on a mixture no longer. All roots are rational."""
    zero, unit = _matrix(np.zeros((2, 2))), basis(2, Fraction(1))
    mixture = Fraction(9, 25), Fraction(16, 25)
    for entries, root in product(product((0, 4), repeat=4), (2, 3)):
        D, eps = _matrix(np.reshape(entries, (2, 2))), Fraction(2 * root + 1, 2) ** 2
        points = [mixture, unit[0]]
        numbers = [len(smallest_cover([zero, D], at, HALF, eps)) for at in (unit, points)]
        if numbers[1] <= numbers[0]:
            continue
        witness = {
            "q": "1/2", "eps": str(eps), "B_X_1": "1", "N": 2, "d": 2, "k": 2, "E_in": f"{math.log(numbers[0]):.6g}",
            "W": [_text(zero), _text(D)], "points": _text(tuple(points)),
            "distances on the basis": [str(total(image(D, x), HALF) ** 2) for x in unit],
            "distances on the points": [str(total(image(D, x), HALF) ** 2) for x in points],
            "covering numbers": numbers,
        }  # fmt: skip
        return refuted(
            "Section 2.4 allows q < 1, where the triangle inequality fails: the roots of the entries sum to more at a "
            "mixture of two basis vectors than at either, and there two matrices need two centres",
            witness, *(f"{math.log(n):.6g}" for n in numbers), part="log_N",
        )  # fmt: skip
    return Result("undecided", "refuted", "no example for q = 1/2", part="log_N")


def _matrix(entries: Any) -> Matrix:
    return tuple(tuple(Fraction(int(x)) for x in row) for row in entries)


def _mixture(rng: np.random.Generator, d: int, R: Fraction) -> Vector:
    """A corner, or a rational point of the ball, often on its boundary."""
    parts = rng.multinomial(int(rng.integers(1, 9)), np.full(d, 1 / d)) * rng.choice((-1, 1), d)
    return tuple(R * Fraction(int(x), max(1, int(np.abs(parts).sum()))) for x in parts)


def _text(W: Matrix) -> list[list[str]]:
    return [[str(x) for x in row] for row in W]


# --- A ----------------------------------------------------------------------------------------------------------------


@check("trauger2024/A")
def rows(effort: Effort) -> Iterator[Result]:
    """A smallest cover of a finite scalar class; its k-fold product, each matrix against the centre of its rows."""
    rng, tight, full, count = np.random.default_rng(effort.seed), 0.0, 0.0, 0
    for q, k, _ in product((HALF, Fraction(1), Fraction(2), Fraction(3)), (1, 2, 3), range(2 * effort.scale)):
        d = int(rng.integers(1, 4))
        steps = int(rng.integers(1, 5)) ** 2  # squares have roots: ties at q = 1/2 are decided
        vectors = [(tuple(steps * Fraction(int(x)) for x in row),) for row in rng.integers(-2, 3, (4, d))]
        points = [tuple(Fraction(int(x)) for x in rng.integers(-1, 2, d)) for _ in range(3)]
        eps = steps * int(rng.integers(1, 4)) + Fraction(1, 10**12)
        chosen = smallest_cover(vectors, points, None, eps)
        centre = {v: next(c for c in (vectors[i] for i in chosen) if _near(v, c, points, eps)) for v in vectors}
        size = len({tuple(centre[v] for v in W) for W in product(vectors, repeat=k)})
        count += 1
        for W in product(vectors, repeat=k):
            for x in points:
                off = [image(v, x)[0] - image(centre[v], x)[0] for v in W]
                sum_q, most = total(off, q), total([eps] * k, q)
                if not smaller(sum_q, most):
                    at = {"q": str(q), "rows": [_text(v) for v in W], "point": [str(t) for t in x], "eps": str(eps)}
                    yield refuted("a product of covers of rows is farther", at, most, sum_q, part="eps_map")
                    return
                tight = max(tight, float(sum_q) ** (1 / float(q)) / float(most) ** (1 / float(q)))
        at_forms = {"eps": eps, "k": Fraction(k), "q": q, "E_in": Fraction(math.log(len(chosen)))}
        sizes = [float(value("trauger2024/A", form, "log_N", at_forms)) for form in ("printed", "derived")]
        radii = [float(value("trauger2024/A", form, "eps_map", at_forms)) for form in ("printed", "derived")]
        radius = float(most) ** (1 / float(q))
        if math.log(size) > min(sizes) * (1 + ROUNDING) or any(abs(r / radius - 1) > ROUNDING for r in radii):
            yield Result(
                "undecided", "constructed", f"sizes {sizes}, radii {radii} against {size}, {radius}", instances=count
            )
            return
        full = max(full, math.log(size) / sizes[0] if sizes[0] else 0.0)
    note = "the product of smallest covers of the rows, all matrices with rows of a finite class tried, q from 1/2 to 3"
    for part, form in product(("log_N", "eps_map"), ("printed", "derived")):
        reached = tight if part == "eps_map" else full
        yield Result("holds", "constructed", note, instances=count, tightness=reached, part=part, form=form)


def _near(v: Matrix, centre: Matrix, points: Sequence[Vector], eps: Fraction) -> bool:
    return all(abs(image(v, x)[0] - image(centre, x)[0]) < eps for x in points)
