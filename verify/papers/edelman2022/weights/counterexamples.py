"""Witnesses against heads, in exact and in ball arithmetic.

With one printed head everything depends on inner products: the score of position t is R sum_{i in I} v_t.v_i, so a Gram
matrix of fractions and a ball around R give the output as a ball, for every input. And where the mean of the other
vectors is the mean of the relevant ones, no head at all can attend to these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from .unit_vectors import Gram, coherence_of

Bits = Sequence[int]
Error = Callable[[Bits, Any], Any]  # |output - target| at an input, for a scale R
PRECISION = 128  # bits


def ball(x: Fraction | int) -> Any:
    return arb(fmpq(Fraction(x).numerator, Fraction(x).denominator))


def positions_error(gram: Gram, s: int) -> Error:
    """B.2, one head as printed: [CLS] has score and value 0."""
    products = [ball(sum(row[:s])) for row in gram]

    def error(b: Bits, R: Any) -> Any:
        weights = [(R * c).exp() for c in products]
        signs = [1 - 2 * bit for bit in b]
        found = sum(w * x for w, x in zip(weights, signs, strict=True)) / (sum(weights) + 1)
        return abs(found - ball(Fraction(sum(signs[:s]), s)))

    return error


def bag_error(gram: Gram, s: int) -> Error:
    """B.4, scalar output: [CLS] has score R and value -s, an absent token score and value 0."""
    products = [ball(sum(row[:s])) for row in gram]

    def error(b: Bits, R: Any) -> Any:
        seen = [c for c, bit in zip(products, b, strict=True) if bit]
        weights, own = [(R * c).exp() for c in seen], R.exp()
        total = sum(weights) + own + (len(b) - len(seen))
        found = (sum(w * c for w, c in zip(weights, seen, strict=True)) - s * own) / total
        r = sum(b[:s])
        return abs(found - ball(Fraction(r - s, r + 1)))

    return error


def worst_input(error: Error, T: int, R: Any) -> tuple[tuple[int, ...], Any]:
    """Over all 2^T inputs the one whose error is certainly the largest found, with its ball."""
    with ctx.workprec(PRECISION):
        balls = {b: error(b, R) for b in itertools.product((0, 1), repeat=T)}
    at = max(balls, key=lambda b: float(balls[b].lower()))
    return at, balls[at]


def fails_at_every_scale(error: Error, tried: Iterable[Bits], bound: Fraction, largest: int) -> bool:
    """For each R from 0 to `largest` one of the inputs certainly errs by more than the bound: by subdivision."""
    inputs, limit = list(tried), ball(bound)
    cells = [(Fraction(k, 4), Fraction(k + 1, 4)) for k in range(4 * largest)]
    for _ in range(100 * len(cells)):
        if not cells:
            return True
        low, high = cells.pop()
        middle = (low + high) / 2
        with ctx.workprec(PRECISION):
            R = arb(fmpq(middle.numerator, middle.denominator), fmpq(1, (2 / (high - low)).__ceil__()))
            if not any(error(b, R) > limit for b in inputs):
                cells += [(low, middle), (middle, high)]
    return False


# --- no head at all -----------------------------------------------------------------------------------------------
#
# Scores are u.x_t for some u, and values a.x_t for some a. Let the mean of v_t over the others be the mean of v_i over
# the relevant positions. By convexity sum_others exp(u.v_t) >= (number of others) * min_i exp(u.v_i): the relevant
# position with the least weight is outweighed by all the others, by that factor. Turning its bit moves the output by no
# more than a constant over the number of others, while the target moves by its margin.


def is_surrounded(gram: Gram, s: int) -> bool:
    """Exactly: unit vectors exist with these products, and the two means are the same vector."""
    T, c = len(gram), coherence_of(gram)
    others = T - s
    spread = (1 - gram[0][s]) * others / (others - 1)  # the others around their mean: spread * (1 - J/others)
    inner = [row[:s] for row in gram[:s]]
    # the relevant ones alone: (1 + c) 1 - c J, positive definite because (s - 1) c < 1
    definite = (s - 1) * c < 1 and all(x == (1 if i == j else -c) for i, r in enumerate(inner) for j, x in enumerate(r))
    mean = [Fraction(sum(row), s) for row in inner]  # products of their mean with each of them
    square = Fraction(sum(mean), s)  # and with itself
    corner = lambda t, u: spread * ((t == u) - Fraction(1, others))  # noqa: E731
    splits = all(gram[i][t] == gram[t][i] == mean[i] for i in range(s) for t in range(s, T)) and all(
        gram[t][u] == square + corner(t, u) for t in range(s, T) for u in range(s, T)
    )
    # the difference of the means is orthogonal to every vector, itself included
    same = all(Fraction(sum(row[:s]), s) == Fraction(sum(row[s:]), others) for row in gram)
    return definite and spread >= 0 and splits and same


def least_error(moves: Any, others: int, margin: Fraction) -> Any:
    """If every output is within e of its target, turning the bit moves it by margin - 2 e at least, and by
    (moves + 2 e)/others at most; so e is at least this."""
    with ctx.workprec(PRECISION):
        return (ball(margin) - moves / others) / (2 + ball(Fraction(2, others)))


def positions_moves() -> Any:
    """B.2 with |W_V| <= 2, |W_C| <= 1: what the output moves by when the weakest relevant bit turns, but for e.

    Weights are p_t q_{b_t}; with the others all at the bit of the larger q, the movement is at most
    (|A - f| + |B - f|)/others for its two values |A|, |B| <= |W_V| |W_C| sqrt(2) and an output |f| <= 1 + e.
    """
    with ctx.workprec(PRECISION):
        return 2 * (2 * arb(2).sqrt() + 1)


def product_needed(others: int, margin: Fraction, error: Fraction) -> Any:
    """The same the other way round: |W_V| |W_C| is at least this if every output is within the error."""
    with ctx.workprec(PRECISION):
        moves = others * ball(margin) - ball(2 * error) * (others + 1)
        return (moves / 2 - 1) / arb(2).sqrt()


def bag_moves(s: int) -> Any:
    """B.4 with |W_V| <= 2 s, |W_C| <= s: the same.

    A token that appears with weight p and value |a| <= 2 s^2 takes the place of a zero of weight 1; the others are all
    present if p > 1 and all absent if not: (p (|a| + |f|) + |f|)/(others max(1, p)) with |f| <= s + e.
    """
    return ball(2 * s * s + 2 * s)
