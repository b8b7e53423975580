"""The sharper constants and covers, proved step by step as their statements argue.

Each check takes the claim's own formula, so that a claim with a better constant is not proved. What a proof takes from
textbooks (Massart's lemma, the volume of a net), its note says.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sympy import Expr, Integer, Max, Min, Rational, Symbol, ceiling, exp, log, simplify, sqrt, symbols

from maurey.symbolic import registry
from maurey.symbolic.chain import EXTERNAL, PROPER
from maurey.symbolic.covers import ceil_log2
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import (
    chained,
    correction,
    dense_rounding,
    finite_move,
    half,
    less,
    lists,
    more,
    positive,
)
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import least_at, polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula, nested

# --- maurey/softmax -----------------------------------------------------------------------------------------------


@check("maurey/softmax")
def softmax(effort: Effort) -> Iterator[Result]:
    Delta, p = Symbol("Delta", positive=True), Symbol("p", real=True)
    linear, finite = (formula("maurey/softmax", part=part) for part in ("linear", "finite"))
    constant, at_signs = linear.subs(Delta, 1), 4 * p * (1 - p)  # |Jh|_1 at a sign vector, p the mass of {h = 1}
    yield conclude(
        "A probability whose logit moves by at most 2 Delta rises by at most tanh(Delta/2) (z3), and does so from "
        "1/(1 + e^Delta) to e^Delta/(1 + e^Delta).",
        finite_move(finite), part="finite", tightness=1.0,
    )  # fmt: skip
    yield conclude(
        "4P(1-P) <= 1 at every sign vector (z3); and 2 tanh(Delta/2) <= Delta for all Delta, since both are 0 at 0 and "
        "their difference has the derivative tanh^2. The constant 1 is approached as Delta goes to 0.",
        [polynomial(at_signs <= constant, control=at_signs <= less * constant), *finite_move(finite),
         same((linear - finite).subs(Delta, 0), 0), least_at(linear - finite, Delta, 0)], part="linear", tightness=1.0,
    )  # fmt: skip


# --- maurey/lattice -----------------------------------------------------------------------------------------------


def sparse_rounding() -> list[Proof]:
    """y >= 0 with sum y <= 2S is rounded to integers z >= 0, at most S of them not 0, sum z <= 2S, at |y - z|^2 <= S.

    The S largest are kept; of these y >= 1 goes down to an integer k, 1/2 <= y < 1 up to 1, the others to 0. Let t be
    the largest not kept. If t <= 1/2, every y costs at most y/2. Else what is not kept costs at most t y, in sum
    t (2S - sum of what is kept), and what is kept at most 1 + t (y - 2) each: together S.
    If sum z > 2S, the p that went up go to 0. As the integers k sum to at least 2S + 1 - p, t < 1 (else p = 0), and the
    fractional parts, which cost no more than themselves, sum to at most p - 1 < S.
    """
    y, t, f = positive("y t f")
    k = Symbol("k", integer=True, positive=True)
    up, share = (1 - y) ** 2, t * (y - 2)
    return [
        polynomial(y**2 <= y / 2, y <= half, control=y**2 <= less * y / 2),
        polynomial(up <= y / 2, y >= half, y <= 1, control=up <= less * y / 2),
        polynomial(f**2 <= (k + f) / 2, f < 1, control=f**2 <= less * (k + f) / 2),
        polynomial(up <= 1 + share, y >= t, y >= half, y <= 1, control=up <= less + share),
        polynomial(up <= 1 + share, y >= t, y >= 1, y < 2, control=up <= less + share),
        polynomial(f**2 <= 1 + share, f < 1, y >= 2, control=f**2 <= less + share),
        polynomial(f**2 <= f, f <= 1, control=f**2 <= less * f),
    ]


def lattice_points(n: int, largest: int, support: int) -> Integer:
    """How many integer points have l1 norm at most `largest` and so small a support, one by one."""
    points = product(range(-largest, largest + 1), repeat=n)
    return Integer(sum(sum(map(abs, z)) <= largest and sum(map(bool, z)) <= support for z in points))


@check("maurey/lattice")
def lattice(effort: Effort) -> Result:
    a = Symbol("a", positive=True)
    _, first, second, size = registry.find("maurey/lattice").part().steps("printed")
    dense, sparse = 2 * (nested([first]) + 1), 4 * nested([second])  # rho^2 over the squared errors; a is rho^2 / eps^2
    enough = [
        polynomial(dense >= a, a > 1, control=dense >= more * a),
        polynomial(dense >= 4, a > 1, control=dense >= 5),
        polynomial(sparse >= a, control=sparse >= more * a),
    ]
    counted = [
        same(exp(nested([size], a=2, n=n, M=most, S=few)),
             Min(lattice_points(n, most, n), lattice_points(n, 2 * few, few)))
        for n, (most, few) in product((1, 2, 3), ((1, 1), (2, 2), (4, 1)))
    ]  # fmt: skip
    return conclude(
        "Rounding costs at most (M+1)/2 and S in any dimension: inequalities for one coordinate by z3, added up; M and "
        "S are large enough for every ratio of radius and resolution (z3, integers); the count by support, signs and "
        "sums agrees with enumeration for n <= 3.",
        [*dense_rounding(), *sparse_rounding(), *enough, *counted], part="lattice",
    )  # fmt: skip


# --- maurey/online ------------------------------------------------------------------------------------------------

eps, B, R, d, d_1, N = positive("eps B R d d_1 N")


def net() -> list[Proof]:
    """Unit vectors at distance t have the inner product 1 - t^2/2."""
    t = Symbol("t", positive=True)
    return [polynomial(1 - t**2 / 2 >= Rational(7, 8), t <= half, control=1 - t**2 / 2 >= Rational(7, 8) * more)]


def columns(ratio: Expr, left: Expr) -> list[Proof]:
    """A target column v has the weight b, the smallest B/ratio^j >= |v| with j <= J, where q = ratio^J >= d/left. The
    potential, the sum of the squared distances over b, starts at the sum of |v|, at most B; and b <= ratio |v| + left
    B/d, so that the weights sum to at most c B, c = ratio + left. So some column is off by more than kappa eps,
    kappa^2 = b/(c B): a drop of (kappa eps / R)^2 / b."""
    v, b, q = positive("v b q")
    c, most = ratio + left, ratio * v + left * B / d
    return [
        polynomial(v**2 / b <= v, v <= b, control=v**2 / b <= less * v),
        polynomial(b <= most, b < ratio * v, control=b <= less * ratio * v),
        polynomial(b <= most, b <= B / q, q >= d / left, control=b <= less * left * B / d),
        same(B / (b / (c * B) * (eps / R) ** 2 / b), c * (B * R / eps) ** 2),
    ]


def fine() -> list[Proof]:
    """J = 8d - 1 levels reach (5/4)^J >= 4d: they do for d = 1, and eight more make it more than twice as large."""
    ratio, q = Rational(5, 4), positive("q")
    step = ratio**8 * q >= 4 * (d + 1)
    return [
        *columns(ratio, Rational(1, 4)),
        polynomial(ratio**7 * d >= 4, d >= 1, control=ratio**6 * d >= 4),
        polynomial(step, q >= 4 * d, d >= 1, control=q * 3 / 2 >= 4 * (d + 1)),
    ]


@check("maurey/online")
def online(effort: Effort) -> Iterator[Result]:
    seven, most = Rational(7, 8), (B * R / eps) ** 2
    nets = "a 1/2-net of a sphere has at most 5^d points (volume), one at an inner product of at least 7/8"
    weights = "dyadic weights sum to at most 3B, and the weighted potential starts at B at most"
    table: tuple[tuple[str, Expr, Expr, list[Proof], str], ...] = (  # part, corrections, choices for each, why
        ("scalar", ceiling(most) - 1, 2 * N, [], "the input itself is the direction"),
        ("coordinates", d * most, 2 * d * N, [], "some coordinate has a d-th of the squared error"),
        ("net", most / seven**2, 5**d * N, net(), nets),
        ("everywhere", most / seven**4, 5 ** (d_1 + d), net(), f"{nets}, twice"),
        ("columns", 3 * most, 2 * d * N * (ceil_log2(d) + 1), columns(Integer(2), Integer(1)), weights),
        ("fine", Rational(3, 2) * most, 2 * d * N * 8 * d, fine(), "weights in powers of 4/5 sum to at most 3B/2"),
    )
    shared = [*correction(), *lists()]
    for part, corrections, choices, own, words in table:
        size = formula("maurey/online", part=part, B_X=R, B_w=B, B_W_F=B, B_W_21=B, d_2=d)
        yield conclude(
            f"Each correction lowers the squared distance by its share, projections do not raise it, and there are so "
            f"many lists of corrections (z3); {words}.",
            [*shared, *own, same(size, corrections * log(choices + 1))], part=part,
        )  # fmt: skip


# --- maurey/dudley and maurey/chaining ----------------------------------------------------------------------------


@check("maurey/dudley")
def dudley(effort: Effort) -> Iterator[Result]:
    """By Massart's lemma the links of a level e cost their length, 2e (external: e + 2e), times sqrt(2 h(e)/m), and the
    next level is e/2; below the last level, which is 2 tau, nothing is linked."""
    e, tau = positive("e tau")
    area = formula("edelman2022/A.2", c=1) - tau
    for part, length, gaps, of in (("proper", 2 * e, 4, PROPER), ("external", 3 * e, 6, EXTERNAL)):
        printed = formula("maurey/dudley", part=part)
        yield conclude(
            f"Given Massart's lemma: a link is {gaps} times as long as the gap below its level, so that the sum over "
            "levels is below the integral of the entropy, which does not increase with the resolution.",
            [same(length, gaps * (e - e / 2)), same(of.integral, gaps * sqrt(2)),
             same(printed, 2 * tau + of.integral * area)], part=part,
        )  # fmt: skip


def geometric() -> list[Proof]:
    """Levels A u^-2j, j >= 1, u > 1. With centres anywhere a link from a u^2 to a = A u^-2j costs (a + a u^2) times
    sqrt(2 K/(a m)), that is (1 + u^2) u^-j of sqrt(2 K A/m), in all (1 + u^2)/(u - 1). Level 0 is the zero function."""
    A, K, m, a, u = positive("A K m a u")
    total, best = (u**2 + 1) / (u - 1), 1 + sqrt(Integer(2))
    least = simplify(total.subs(u, best)) * sqrt(2 * K * A / m)
    return [
        same((a + a * u**2) * sqrt(2 * K / (a * m)), (1 + u**2) * sqrt(a / A) * sqrt(2 * K * A / m)),
        same((1 + u**2) * (1 / u) / (1 - 1 / u), total),
        least_at(total, u, best, u > 1),
        same(formula("maurey/chaining", part="linear", K_F=K), Min(A, least)),
    ]


@check("maurey/chaining")
def chaining(effort: Effort) -> Iterator[Result]:
    note = (
        "Given Massart's lemma: n = ceil(x) links in the ratio e^(x/n), x = log(A/s), cost at most the stated form, by "
        "subdivision of the square of 1/n and n - x; the shares of the constant part sum to at most 2; for x <= 0 "
        "the trivial bound is smaller."
    )
    for part, external in (("R", False), ("external", True)):
        yield conclude(note, chained(formula("maurey/chaining", part=part), external), part=part)
    yield conclude(
        "Given Massart's lemma: the levels' costs are a geometric series in the ratio of the levels' roots, least at "
        "1 + sqrt 2.",
        geometric(), part="linear",
    )  # fmt: skip


# --- maurey/union, maurey/peeling and maurey/vocabulary -----------------------------------------------------------


@check("maurey/union")
def union(effort: Effort) -> Result:
    """A deviation Z with E e^(q Z) <= e^(q^2 v/2): the mean of the largest of n is at most log(n)/q + q v/2."""
    A, m, n, q, v, l_, R = positive("A m n q v l R_F")
    largest = l_ / q + q * v / 2
    return conclude(
        "Given the lemma on bounded differences, which makes the deviations sub-Gaussian with variance A^2/m: the mean "
        "of the largest of n is at most log(n)/q + q v/2, least at q = sqrt(2 log(n)/v).",
        [same(m * (2 * A / m) ** 2 / 4, A**2 / m), least_at(largest, q, sqrt(2 * l_ / v)),
         same(largest.subs(q, sqrt(2 * l_ / v)), sqrt(2 * l_ * v)),
         same(formula("maurey/union"), R + sqrt(2 * log(n) * A**2 / m))],
    )  # fmt: skip


@check("maurey/peeling")
def peeling(effort: Effort) -> Iterator[Result]:
    u, v = symbols("u v", real=True)
    size, B, Delta, a, b, R = positive("size B_w_1 Delta a b R_F")
    yield conclude(
        "A coordinate gives at most its share of the ball times the largest one (z3), and all of the ball at the "
        "largest one gives equality.",
        [polynomial(u * v <= size * Delta, u <= Delta, -u <= Delta, v <= size, -v <= size,
                    control=u * v <= less * size * Delta),
         same(formula("maurey/peeling", part="duality"), (u * v).subs({u: -Delta, v: -B}))], part="duality",
    )  # fmt: skip
    yield conclude(
        "With zero in the class both suprema are nonnegative, so the larger is at most their sum (z3), and they have "
        "the same mean, since -eps is distributed as eps.",
        [polynomial(Max(a, b) <= a + b, control=Max(a, b) <= less * (a + b)),
         same(formula("maurey/peeling", part="sign"), (a + b).subs({a: R, b: R}))], part="sign",
    )  # fmt: skip


@check("maurey/vocabulary")
def vocabulary(effort: Effort) -> Result:
    a, b = symbols("a b", real=True)
    B, Delta_g, Delta_w = positive("B_w Delta_g Delta_w")
    form = formula("maurey/vocabulary")
    return conclude(
        "Given Cauchy's inequality for one row, W_s.(g - g'), and what the row itself moves on g': their sum (z3).",
        [polynomial(a + b <= form, a <= B * Delta_g, b <= Delta_w, control=a + b <= less * form)], part="moved",
    )  # fmt: skip
