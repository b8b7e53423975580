"""Steps of proofs that several papers share, and the symbols and controls they are written with."""

from __future__ import annotations

from typing import Any

from sympy import (
    E,
    Expr,
    Max,
    Min,
    Rational,
    Symbol,
    binomial,
    ceiling,
    diff,
    exp,
    log,
    simplify,
    sqrt,
    symbols,
)

from maurey.symbolic.chain import EXCESS, SHARES
from maurey.symbolic.covers import online_fine_sum, zhang_scalar
from maurey.verify.checks import Result

from .identities import same
from .polynomials import polynomial
from .proofs import Proof, conclude, formula
from .subdivision import nonnegative

less, more = Rational(999, 1000), Rational(1001, 1000)  # what makes a constant too good
half = Rational(1, 2)


def positive(names: str) -> Any:
    return symbols(names, positive=True)


def finite_move(moved: Expr) -> list[Proof]:
    """An event has mass a and its complement b, before normalization. If no score moves by more than Delta, they become
    a' <= v a and b' >= b/v with v = e^Delta: the logit moves by at most 2 Delta. The l1 distance is twice the largest
    rise of a probability; it is attained where b = v a."""
    a, b, a_, b_, v = positive("a b a' b' v")
    rise, most = a_ / (a_ + b_) - a / (a + b), (v - 1) / (v + 1)
    return [
        polynomial(rise <= most, v >= 1, a_ <= v * a, v * b_ >= b, control=rise <= less * most),
        same(2 * most, moved.subs(positive("Delta"), log(v))),
        same(2 * rise.subs({b: v * a, a_: v * a, b_: a}), 2 * most),
    ]


def two_ends(constant: Expr) -> list[Proof]:
    """By convexity a law on [0, b] has no larger moments e^(tX) than the law on the two ends with its mean bp. There
    log E e^(tX) - tbp vanishes at 0 with its slope, and bends by b^2 x (1 - x), for which the constant must do."""
    t, b, p, x = positive("t b p x")
    moment = log(1 - p + p * exp(t * b)) - t * b * p
    share = p * exp(t * b) / (1 - p + p * exp(t * b))
    return [
        same(simplify(diff(moment, t, 2)), b**2 * share * (1 - share)),
        same(simplify(diff(moment, t).subs(t, 0)), 0),
        polynomial(x * (1 - x) <= (constant / b) ** 2, x <= 1, control=x * (1 - x) <= Rational(249, 1000)),
    ]


def dense_rounding() -> list[Proof]:
    """y >= 0 with sum y <= M + 1, M >= 1, is rounded to integers z >= 0 with sum z <= M at |y - z|^2 <= (M + 1)/2.

    Let f be the fractional parts and n = M - sum floor(y), so that sum f <= n + 1. For n = -1 there are no fractions,
    and one coordinate goes down by 1. If at most n fractions exceed 1/2, all go to the nearest integer and cost at most
    f/2. Else the n largest go up. With t > 1/2 the largest of the others, these cost at most t f each, in sum at most
    t (n + 1 - sum of the n largest), so that the cost is at most t (n + 1) plus (1 - f)^2 - t f for each of the n.
    """
    f, t = positive("f t")
    n, m = symbols("n m", integer=True, nonnegative=True)
    up, cost, most = (1 - f) ** 2 - t * f, n * (1 - 2 * t) + t * (n + 1), Max(1, (n + 1) / 2)
    return [
        polynomial(Min(f, 1 - f) ** 2 <= f / 2, f <= 1, control=Min(f, 1 - f) ** 2 <= less * f / 2),
        polynomial(up <= 1 - 2 * t, f >= t, f <= 1, control=up <= less - 2 * t),
        polynomial(cost <= most, t > half, t <= 1, control=cost <= Max(1, less * (n + 1) / 2)),
        polynomial(most <= (m + 1) / 2, n <= m, m >= 1, control=most <= less * (m + 1) / 2),
    ]


def levels(external: bool) -> list[Proof]:
    """Levels A rho^-j, j <= n, with n = ceil(x), x = log(A/s) > 0 and rho = e^(x/n), end at s. A link of length e costs
    e sqrt(2 (p + C/a^2)/m) by Massart's lemma, with a its level: rho s and a share of A sqrt(2p/m), e/A.

    In all 1 + n rho <= e (1 + x). Divided by n, with t = 1/n and u = n - x in [0, 1), it is a statement on the square.
    The lengths of proper links are A rho^-j, j < n, and sum to at most 2A: term by term for n <= 3, and as a geometric
    series beyond. External links are longer by their own level: 1 + rho for rho, and n <= 1 + x.
    """
    rho, m, C, p, n, a = positive("rho m C p n a")
    t, u, x = symbols("t u x", real=True)
    length, per_link = (a + rho * a, 1 + rho) if external else (rho * a, rho)
    square = {t: (0, 1), u: (0, 1)}
    room = E * (1 + t - u * t) - t - exp(1 - u * t)
    left, most = 1 + n * per_link.subs(rho, exp(x / n)), (1 + E if external else E) * (1 + x)
    return [
        polynomial(sqrt(p + C) <= sqrt(p) + sqrt(C), control=sqrt(p + C) <= sqrt(p) + less * sqrt(C)),
        same(length * sqrt(2 * C / a**2 / m), per_link * sqrt(2 * C / m)),
        polynomial(length <= (2 if external else 1) * rho * a, rho > 1, control=length <= less * rho * a),
        same(most - left, n * room.subs({t: 1 / n, u: n - x}) + (1 + x - n if external else 0)),
        nonnegative(room, square, tight={t: 0}),
        *(nonnegative(2 - sum(exp(-i * (1 - u / k)) for i in range(k)), {u: (0, 1)}) for k in (1, 2, 3)),
        nonnegative(2 - 1 / (1 - exp(u * t - 1)), {t: (0, Rational(1, 4)), u: (0, 1)}),
    ]


def chained(form: Expr, external: bool = False) -> list[Proof]:
    """C = s^2 m / 2 and A = s e^x, x >= 0. For s >= A the form is that of s = A, at least e A, and so A."""
    A, s, m, p_0 = positive("A s m p_0")
    form = form.subs(positive("C_F"), s**2 * m / 2)
    (e, shares), cut = (1 + E, 4) if external else (E, 2), Min(A, s)
    constant = shares * A * sqrt(2 * p_0 / m) if form.has(p_0) else 0
    return [*levels(external), same(form, Min(A, e * cut * (1 + log(A / cut)) + constant))]


def best_levels(external: bool) -> list[Proof]:
    """A = s e^u. Levels A rho^-j, j < N, with rho = e^(u/N) cost A rho^(1-N) + (N - 1) rho s = N rho s; external ones
    (N - 1) s more. In N they are equal at u_N = N(N+1) log(1 + 1/N), where e^(u/N) is w (1 + 1/N) with w = (1 + 1/N)^N,
    and e^(u/(N+1)) is w. N e^(u/N) - e u is convex in u, so that only the u_N count: there u/N = 1 + y, and
    N (e^y - 1 - y) <= c is to be seen. At N = 1, y = 2 log 2 - 1; from N = 2 on, with t = 1/N, y <= t/2.

    Links: their lengths are A rho^-j, j < N - 1, and sum to 1 at N = 2, and to at most rho/(rho - 1) beyond, where
    rho >= (1 + 1/n)^n, n = N - 1 >= 2, is at least its first three binomial terms. External links are longer by their
    own level. And N - 1 <= u_(N-1).
    """
    N, w, rho, s, u, n, c = positive("N w rho s u n c")
    t = Symbol("t", real=True)
    half_box, c = {t: (0, half)}, EXCESS
    y = (1 + t) * log(1 + t) - t  # times N
    three = 2 + n * (n - 1) / 2 / n**2
    extra = (N - 1) * s if external else 0
    shares = SHARES[not external]
    links = (rho + 1) / (rho - 1) if external else rho / (rho - 1)
    return [
        same(s * w * rho / w + (N - 1) * rho * s + extra, N * rho * s + extra),
        same(N * w * (1 + 1 / N), (N + 1) * w),
        same(diff(N * exp(u / N) - E * u, u, 2), exp(u / N) / N),
        nonnegative(E * (c + 2 * log(2)) - 4 + t, {t: (0, 1)}),
        nonnegative(t**2 / 2 - y, half_box, tight={t: 0}),
        nonnegative(y, half_box, tight={t: 0}),
        nonnegative(c * t - (exp(t / 2) - 1 - t / 2), half_box, tight={t: 0}),
        same(three, Rational(5, 2) - 1 / (2 * n)),
        polynomial(three >= Rational(9, 4), n >= 2, control=three >= Rational(9, 4) * more),
        polynomial(links <= shares, rho >= Rational(9, 4), control=links <= less * shares),
        *([polynomial(1 + 1 / rho <= shares, rho >= 2, control=1 + 1 / rho <= 1),
           nonnegative(log(1 + t) - t / (1 + t), {t: (0, 1)}, tight={t: 0})] if external else []),
    ]  # fmt: skip


def levelled(form: Expr, external: bool = False) -> list[Proof]:
    """C = s^2 m / 2. From s = A/e on the form is that of s = A/e, above A, and so A."""
    A, s, m, p_0 = positive("A s m p_0")
    form = form.subs(positive("C_F"), s**2 * m / 2)
    e, cut = 1 + E if external else E, Min(A / E, s)
    constant = SHARES[not external] * A * sqrt(2 * p_0 / m) if form.has(p_0) else 0
    return [*best_levels(external), same(form, Min(A, e * cut * (EXCESS + log(A / cut)) + constant))]


def moved_by_parameters() -> list[Proof]:
    """f = a.u, u = s(W h + b). With S^2 = 1 + |h|^2, |u| <= S x for x = |(W, b)|_F, and u moves by at most S w where
    (W, b) moves by w. If a moves by p, then 2|f - f'| <= p S X + Y S w with X = x + x' and Y = y + y', y = |a|; by
    Cauchy-Schwarz this is at most S |vec - vec'| sqrt(X^2 + Y^2), and X^2 + Y^2 <= 4 R^2 in the ball of radius R."""
    a, a_, u, u_, p, w, X, Y, x, x_, y, y_, r = positive("a a' u u' p w X Y x x' y y' R")
    both = (x + x_) ** 2 + (y + y_) ** 2
    ball = (x**2 + y**2 <= r**2, x_**2 + y_**2 <= r**2)
    return [
        same(2 * (a * u - a_ * u_), (a - a_) * (u + u_) + (a + a_) * (u - u_)),
        polynomial((p * X + Y * w) ** 2 <= (p**2 + w**2) * (X**2 + Y**2),
                   control=(p * X + Y * w) ** 2 <= less * (p**2 + w**2) * (X**2 + Y**2)),
        polynomial(both <= 4 * r**2, *ball, control=both <= less * 4 * r**2),
    ]  # fmt: skip


def lattice_choices() -> list[Proof]:
    """Term by term in (1 + 2n)^M and (1 + 4n)^S, expanded: binom(n, j) j! <= n^j and, for the sparse lattice,
    binom(2S, j) <= j! 2^j binom(S, j), factor by factor. In n and M the dense count is symmetric."""
    i = Symbol("i", integer=True, nonnegative=True)
    n, S = symbols("n S", integer=True, positive=True)
    few, many = 2 * S - i, 2 * (i + 1) * (S - i)
    return [
        polynomial(n - i <= n, control=n - i <= less * n),
        polynomial(few <= many, i + 1 <= S, control=few <= less * many),
    ]


def row_norm_grid(key: str) -> Result:
    """A row of norm v with k <= d v / B < k + 1 lies in the ball of radius b = B (k + 1)/d and is covered at
    e^2 = eps^2 (k + 1)/(2d). The k sum to at most d, so that the k + 1 sum to at most 2d: the e^2 to eps^2 and the
    (b/e)^2 to (2B/eps)^2, which no single one exceeds."""
    v, B, R, N, d, eps = positive("v B R N d eps")
    k = Symbol("k", integer=True, nonnegative=True)
    b, squared = B * (k + 1) / d, eps**2 * (k + 1) / (2 * d)
    total = (2 * B / eps) ** 2
    size = log(binomial(2 * d, d)) + zhang_scalar(2 * B, R, N).at(eps / 2)  # half of eps moves centres into the class
    return conclude(
        "Given Zhang's theorem: rounding the norms of the rows to a grid loses no row, and all rows together cost what "
        "one row of twice the sum would (z3, integers).",
        [polynomial(v <= b, d * v < (k + 1) * B, control=v <= less * b),
         polynomial(b**2 / squared <= total, k + 1 <= 2 * d, control=b**2 / squared <= less * total),
         same(squared.subs(k, 2 * d - 1), eps**2), same((b**2 / squared).subs(k, 2 * d - 1), total),
         same(formula(key, "derived", B_W_21=B, B_X=R, d_2=d), size)],
        rung="derived", form="derived",
    )  # fmt: skip


def correction() -> list[Proof]:
    """One step eta = kappa eps / R^2 in a direction in which the target is off by y > kappa eps lowers the squared
    distance by more than (kappa eps / R)^2. Projecting back onto a convex set that holds the target does not raise it:
    the step's end and the target have squared distances p and q from the projection, and there the angle is obtuse."""
    y, r, kappa, p, q, eps, R = positive("y r kappa p q eps R")
    c = Symbol("c", real=True)
    eta, drop = kappa * eps / R**2, (kappa * eps / R) ** 2
    gained = 2 * eta * y - eta**2 * r**2
    return [
        polynomial(gained > drop, y > kappa * eps, r <= R, control=gained > more * drop),
        polynomial(q <= p - 2 * c + q, c <= 0, control=more * q <= p - 2 * c + q),
    ]


def lists() -> list[Proof]:
    """Fewer than a corrections are at most ceil(a) - 1, which is at most a. There are at most (n + 1)^k lists of up to
    k choices out of n: by induction, as 1 + n l <= (n + 1) p where l <= p and p = (n + 1)^(k-1)."""
    a, n, l_, p = positive("a n l p")
    k = Symbol("k", integer=True)
    return [
        polynomial(k <= ceiling(a) - 1, k < a, control=k <= ceiling(a) - 2),
        polynomial(ceiling(a) - 1 <= a, control=ceiling(a) - 1 <= less * a),
        polynomial(1 + n * l_ <= (n + 1) * p, l_ <= p, p >= 1, control=1 + n * l_ <= less * (n + 1) * p),
    ]


def fine_columns() -> list[Proof]:
    """The sum of the columns' norms |v| is at most B. A target column has the weight b, the smallest B (4/5)^j >= |v|
    with j <= J = 8d - 1, and (5/4)^J >= 4d by induction. The potential, the sum of the squared distances over b, starts
    at the sum of |v|, at most B; and b <= 5/4 |v| + B/(4d), so that the weights sum to at most 3/2 B. So some column is
    off by more than kappa eps, kappa^2 = b/(3/2 B): a drop of (kappa eps / R)^2 / b. A choice is a column, an input, a
    sign and a weight. The projection is on the members whose untouched columns are zero, with the weights of the
    touched ones, which the list knows; the target with the other columns zeroed is such a member."""
    v, b, q, d, N, B, R, eps = positive("v b q d N B R eps")
    weight = Rational(5, 4) * v + B / (4 * d)
    return [
        polynomial(v**2 / b <= v, v <= b, control=v**2 / b <= less * v),
        polynomial(b <= weight, b < Rational(5, 4) * v, control=b <= less * Rational(5, 4) * v),
        polynomial(b <= weight, b <= B / q, q >= 4 * d, control=b <= less * B / (4 * d)),
        Proof(bool(Rational(5, 4) ** 7 >= 4), "(5/4)^7 >= 4"),
        polynomial(Rational(5, 4) ** 8 * q >= 4 * (d + 1), q >= 4 * d, d >= 1, control=q >= 4 * (d + 1)),
        same(Rational(5, 4) * B + d * B / (4 * d), Rational(3, 2) * B),
        same(B / (b / (Rational(3, 2) * B) * (eps / R) ** 2 / b), Rational(3, 2) * (B * R / eps) ** 2),
        same(online_fine_sum(B, R, N, d).at(eps), Rational(3, 2) * (B * R / eps) ** 2 * log(2 * d * N * (8 * d) + 1)),
    ]
