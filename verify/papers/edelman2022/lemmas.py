"""The lemmas of Edelman et al. 2022 that are proved outright: Lipschitz constants, allocation, projection, cut-off."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Abs, Eq, Max, Min, Rational, Symbol, cbrt, diff, exp, log, sqrt, symbols

from maurey.symbolic import registry
from maurey.symbolic.chain import TEXTBOOK, dudley_at
from maurey.symbolic.softmax import finite_shift
from maurey.verify.checks import Check, Effort, Result, check
from maurey.verify.prove.arguments import finite_move, less, levelled, more, positive, row_norm_grid
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import least_at, polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.prove.subdivision import nonnegative

PAPER = "edelman2022/"

# --- printed = derived --------------------------------------------------------------------------------------------


def equal_forms(key: str) -> Check:
    def compare(effort: Effort) -> Iterator[Result]:
        for part in registry.find(key).parts:
            forms = same(formula(key, part=part.name), formula(key, "derived", part.name))
            note = "The printed form and the derived one, its steps put into one another, are the same expression."
            yield conclude(note, [forms], rung="identity", part=part.name)

    return compare


for number in ("4.2", "4.3", "A.13", "A.14", "A.15", "A.16"):
    check(PAPER + number)(equal_forms(PAPER + number))

# --- 4.2-scalar: a cover, read out ----------------------------------------------------------------------------------


@check(PAPER + "4.2-scalar")
def read_out(effort: Effort) -> Iterator[Result]:
    """Of f - f^ only its norm r enters, and of w."""
    key = PAPER + "4.2-scalar"
    eps, B_w, r, w, moved = positive("eps B_w r w moved")
    head = formula(key, part="eps_head")
    yield conclude(
        "Cauchy-Schwarz: a centre within eps_head of a member, read out by a fixed w, is within eps of it (z3).",
        [polynomial(moved <= eps, moved <= w * r, w <= B_w, r <= head, control=moved <= less * eps)],
        part="eps_head", tightness=1.0,
    )  # fmt: skip


# --- A.6: Jacobians -------------------------------------------------------------------------------------------------


@check(PAPER + "A.6")
def jacobian(effort: Effort) -> Iterator[Result]:
    """Printed: c_f Delta. |J(theta_1 - theta_2)|_1 is at most the sum of |J_ij| |x_j|, each at most |J_ij| Delta; the
    mean of J along the segment has no larger norm (Jensen)."""
    J, x = symbols("J x", real=True)
    c_f, Delta, total = positive("c_f Delta total")
    bound = formula(PAPER + "A.6")
    yield conclude(
        "The mean value along the segment: each entry of the Jacobian adds at most |J_ij| Delta (z3), their sum is at "
        "most c_f; attained by two classes.",
        [polynomial(Abs(J * x) <= Abs(J) * Delta, x <= Delta, x >= -Delta, control=Abs(J * x) <= less * Abs(J) * Delta),
         polynomial(total * Delta <= bound, total <= c_f, control=total * Delta <= less * bound)], tightness=1.0,
    )  # fmt: skip


# --- A.4: losses in [0, b], samples that are not tiny -----------------------------------------------------------------


GIVEN = (
    "For losses in [0, b], delta <= 1/4 and m >= 53 log(1/delta), given McDiarmid's inequality and that of Boucheron, "
    "Lugosi and Massart for self-bounding functions"
)


def not_tiny() -> list[Proof]:
    """Losses in [0, 1], E the expected complexity of the losses, R the empirical one, l = log(1/delta) >= log 4.

    McDiarmid on both sides: the gap is at most 2E + sqrt((l + log 4)/2m), but with probability delta/2. 2mR is
    self-bounding, for deleting a point takes at most 1 off it, and all of them together no more than it is: R >= E -
    sqrt(E x), x = (l + log 2)/m, but with probability delta/2. So 2E <= 4R + 2x, and what is left is to compare
    sqrt((l + log 4)/2m) + 2x with the printed deviation. Multiplied by sqrt(m), only x falls with m: at m = 52.5 l, a
    little less than is given, with u = log(4)/l.
    """
    E, x, u, ell, m, delta = positive("E x u l m delta")
    printed = formula(PAPER + "A.4", part="gap", L_loss=1, b=1)
    complexity = printed.diff(positive("R_F")) * (E - sqrt(E * x))
    least = Rational(105, 2)
    deviation = printed.subs(positive("R_F"), 0).subs({delta: exp(-ell), m: least * ell})
    left = sqrt((1 + u) / (2 * least)) + 2 * (1 + u / 2) / least
    return [
        polynomial(complexity + 2 * x >= 2 * E, control=complexity + less * 2 * x >= 2 * E),
        nonnegative(deviation - left, {u: (0, 1)}),
    ]


@check(PAPER + "A.4")
def gap(effort: Effort) -> Result:
    return conclude(f"{GIVEN}.", not_tiny(), part="gap")


@check(PAPER + "2.2")
def gap_of_entropy(effort: Effort) -> Result:
    """A.4 at the complexity that A.3 prints."""
    joined = formula(PAPER + "A.4", part="gap", R_F=formula(PAPER + "A.3"))
    steps = [same(formula(PAPER + "2.2", part="gap"), joined), *not_tiny()]
    return conclude(f"{GIVEN}, and A.3 for every sample.", steps, part="gap")


# --- A.7: the softmax ---------------------------------------------------------------------------------------------


@check(PAPER + "A.7")
def softmax(effort: Effort) -> Iterator[Result]:
    """Printed: 2 Delta. Derived: |J|_{1,1} = 2 sum s_i (1 - s_i), where s^2 >= 2 s/p - 1/p^2, summed over p classes."""
    Delta, p, s = positive("Delta p s")
    printed, derived, sharp = (formula(PAPER + "A.7", form) for form in ("printed", "derived", "sharp"))
    tangent = 2 * (s - 2 * s / p + p**-2)
    yield conclude(
        "2 Delta exceeds 2 tanh(Delta/2), which is the exact movement, for all Delta: equal at 0, and the difference "
        "grows. At best it is twice what is true.",
        [*finite_move(sharp), same((printed - sharp).subs(Delta, 0), 0), least_at(printed - sharp, Delta, 0)],
        tightness=0.5,
    )  # fmt: skip
    yield conclude(
        "2 sum s(1-s) is at most 2(1 - 1/p), by the tangents of s^2 at 1/p (z3), added up; with A.6. Below 2 Delta.",
        [polynomial(2 * s * (1 - s) <= tangent, control=2 * s * (1 - s) <= less * tangent),
         same((2 * (1 - 2 / p + p * p**-2)) * Delta, derived),
         polynomial(derived <= printed, control=derived <= printed / 2)], form="derived", tightness=1.0,
    )  # fmt: skip
    yield conclude(
        "The finite form of maurey/softmax: a logit that moves by at most 2 Delta moves its probability by at most "
        "tanh(Delta/2) (z3), which is attained.",
        [*finite_move(sharp), same(sharp, finite_shift(Delta))], form="sharp", tightness=1.0,
    )  # fmt: skip


# --- A.8: allocation ----------------------------------------------------------------------------------------------


def minimum() -> list[Proof]:
    """Any number of terms. At x = (C/gamma) (alpha/beta)^(1/3) a term spends beta x = (C/gamma) g and costs
    alpha/x^2 = (gamma/C)^2 g with g = alpha^(1/3) beta^(2/3), and the g add up to gamma. With x u in the place of x it
    costs u^-2 >= 3 - 2u times as much, while the g u still add up to gamma: in sum 3 gamma - 2 gamma."""
    alpha, beta, C, gamma, u = positive("alpha beta C gamma u")
    x, g = C / gamma * cbrt(alpha / beta), cbrt(alpha) * cbrt(beta) ** 2
    return [
        same(beta * x, C / gamma * g),
        same(alpha / x**2, (gamma / C) ** 2 * g),
        polynomial(u**-2 >= 3 - 2 * u, control=u**-2 >= Rational(3001, 1000) - 2 * u),
    ]


def merged() -> Proof:
    """Outright, in y = beta x and g: two terms cost at least what they cost merged into one, g^3/y^2 of the sums, which
    gives any number by induction."""
    y_1, y_2, g_1, g_2 = positive("y1 y2 g1 g2")
    two, one = g_1**3 / y_1**2 + g_2**3 / y_2**2, (g_1 + g_2) ** 3 / (y_1 + y_2) ** 2
    return polynomial(two >= one, control=two >= more * one)


@check(PAPER + "A.8")
def allocation(effort: Effort) -> Iterator[Result]:
    terms, forms, least = (1, 2, 3), ("printed", "derived"), minimum()
    values = [same(*(formula(PAPER + "A.8", form, "minimum", n=n) for form in forms)) for n in terms]
    places = [
        same(*(formula(PAPER + "A.8", form, "minimizer", n=n, i=i) for form in forms))
        for n in terms
        for i in range(1, n + 1)
    ]
    yield conclude(
        "The least value over x_i > 0, for any number of terms: the tangent u^-2 >= 3 - 2u, and again by merging two "
        "terms into one (z3); printed = derived for up to three.",
        [*least, merged(), *values], part="minimum", tightness=1.0,
    )  # fmt: skip
    yield conclude(
        "The printed point spends C and costs the least value, identically, for any number of terms with alpha_i and "
        "beta_i positive; printed = derived for up to three.",
        [*least, *places], part="minimizer", tightness=1.0,
    )  # fmt: skip


# --- A.9: projection ----------------------------------------------------------------------------------------------


@check(PAPER + "A.9")
def projection(effort: Effort) -> Iterator[Result]:
    """Of u and v only their norms a, b and their inner product c enter, and |c| <= ab."""
    a, b = symbols("a b", nonnegative=True)
    c, Delta = Symbol("c", real=True), Symbol("Delta", nonnegative=True)
    alpha, beta = Max(1, a), Max(1, b)
    moved = (a / alpha) ** 2 + (b / beta) ** 2 - 2 * c / (alpha * beta)
    given = (Eq(Delta**2, a**2 + b**2 - 2 * c), c <= a * b, c >= -a * b)
    for form in ("printed", "derived"):
        bound = formula(PAPER + "A.9", form).subs(positive("Delta"), Delta)
        yield conclude(
            "In terms of |u|, |v| and their inner product, wherever the two lie (z3); an equality inside the ball.",
            [polynomial(moved <= bound**2, *given, control=moved <= less * bound**2)], form=form, tightness=1.0,
        )  # fmt: skip


# --- 4.5-stronger: the grid of row norms ----------------------------------------------------------------------------


@check(PAPER + "4.5-stronger")
def grid(effort: Effort) -> Result:
    return row_norm_grid(PAPER + "4.5-stronger")


# --- A.3: the cut-off of Dudley's integral ----------------------------------------------------------------------------


@check(PAPER + "A.3")
def cut_off(effort: Effort) -> Iterator[Result]:
    """With C = s^2 m the integrand is s/tau and the bound at a cut-off is a tau + b s log(A/tau). It is least at b s/a;
    where that lies beyond A it falls up to tau = A, where it is a A >= A. And A is a bound whatever the covers are."""
    A, tau, s, m = positive("A tau s m")
    bound, best = dudley_at(TEXTBOOK, tau, s * log(A / tau)), TEXTBOOK.integral * s / TEXTBOOK.cut
    form = formula(PAPER + "A.3", "derived").subs(positive("C_F"), s**2 * m)
    yield conclude(
        "Given Dudley's integral: its integrand, the cut-off where its derivative changes sign, for all parameters "
        "(z3), the value there or, where it lies beyond A, at A; and the trivial bound A.",
        [same(sqrt(s**2 * m / tau**2 / m), -diff(s * log(A / tau), tau)), least_at(bound, tau, best),
         same(form, Min(A, bound.subs(tau, Min(A, best)))),
         polynomial(bound.subs(tau, A) >= A, control=bound.subs(tau, A) >= 5 * A)], form="derived",
    )  # fmt: skip
    yield conclude(
        "The form of maurey/levels: as many levels as serve best, given Massart's lemma.",
        levelled(formula(PAPER + "A.3", "sharp")), form="sharp",
    )  # fmt: skip
