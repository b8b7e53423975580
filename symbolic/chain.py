"""From entropies to a gap: Dudley's integral, Rademacher complexity, concentration.

Dudley's bound with constants (a, b), for a class bounded by A with log N <= h(eps), is
inf over 0 < tau <= A of  a tau + b int_tau^A sqrt(h(eps)/m) d eps. No complexity exceeds A, since |f| <= A.

For h = p + C/eps^2 split the root and put r = sqrt(p/m), s = sqrt(C/m): the sum a tau + b r (A - tau) + b s log(A/tau)
is smallest at tau = b s / (a - b r), which lies in (0, A] when b s <= (a - b r) A; there it is b s (1 + log(A/tau))
+ b r A. Otherwise the best cut-off is A itself, and the trivial bound is smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sympy import Add, E, Expr, Integer, Integral, Max, Min, Rational, S, Symbol, log, sqrt

from .derivation import Derivation
from .modules import times


@dataclass(frozen=True)
class Dudley:
    """The two constants, and the claim that they are taken from."""

    cut: Expr
    integral: Expr
    key: str


TEXTBOOK = Dudley(Integer(4), Integer(12), "dudley1967/integral")
PROPER = Dudley(Integer(2), 4 * sqrt(Integer(2)), "maurey/dudley")
EXTERNAL = Dudley(Integer(2), 6 * sqrt(Integer(2)), "maurey/dudley")


def root_integral(p: Expr, C: Expr, m: Expr, low: Expr, high: Expr) -> Expr:
    """The integral of sqrt((p + C/eps^2)/m)."""
    u = Symbol("u")
    return Integral(sqrt((p + C / u**2) / m), (u, low, high))


def dudley_at(D: Dudley, tau: Expr, integral: Expr) -> Expr:
    """The bound at one cut-off."""
    return D.cut * tau + D.integral * integral


def complexity(D: Derivation, dudley: Dudley, C: Expr, A: Expr, m: Expr, p: Expr | None = None) -> Expr:
    """Rademacher complexity from log N <= p + C/eps^2, at the best cut-off, and never above A."""
    s = D.let("s", "s", sqrt(C / m), r"the integrand is $s/\varepsilon$, if need be once the root is split")
    r = None if p is None else D.let("r", "r", sqrt(p / m), "what the integrand has at every resolution")
    best = Min(A, dudley.integral * s / dudley.cut)
    if r is not None:  # a larger cut-off also saves b r; where that is more than a, it is best to cut at A
        best = 1 / Max(1 / A, (dudley.cut - dudley.integral * r) / (dudley.integral * s))
    tau = D.let("tau_best", r"\tau^*", best, "where the derivative in the cut-off vanishes, if that is below $A$")
    area = s * log(A / tau)
    area = D.let("area", "I", area if r is None else r * (A - tau) + area, "the integral from the cut-off to $A$")
    value = Min(A, dudley_at(dudley, tau, area))
    return D.let("R", r"\hat{\mathcal R}", value, "the integral, or the trivial bound", dudley.key)


def cut_off(
    D: Derivation,
    dudley: Dudley,
    log_N: Callable[[Expr], Expr],
    A: Expr,
    m: Expr,
    flat: Expr = S.Zero,
    beside: Expr = S.Zero,
) -> Expr:
    """The same where only eps^2 (log N(eps) - flat) is known not to increase with eps (a logarithm may hold eps), for
    log N and something `beside` it: from the cut-off on the entropy is at most p + C/eps^2 with C that product there
    and p what does not change. Any cut-off is allowed."""
    tau = D.let("tau", r"\tau", A / sqrt(m), "a cut-off at which what is left is of the order of the deviation")
    size = log_N(tau)
    growing = size if flat == 0 else size - flat
    C = D.let("C_class", r"C_{\mathcal F}", tau**2 * growing, r"$\varepsilon^2\log\mathcal N$ falls, but for constants")
    area = sqrt(C / m) * log(A / tau)
    constant = [part for part in (flat, beside) if part != 0]
    if constant:
        p = D.name("p_0", "p_0", constant[0] if len(constant) == 1 else Add(*constant), "what does not change")
        area = sqrt(p / m) * (A - tau) + area
    area = D.let("area", "I", area, "the integral from the cut-off to $A$")
    value = Min(A, dudley_at(dudley, tau, area))
    return D.let("R", r"\hat{\mathcal R}", value, "the integral, or the trivial bound", dudley.key)


def chained(
    D: Derivation, C: Expr, A: Expr, m: Expr, p: Expr | None = None, proper: bool = True, name: str = "R"
) -> Expr:
    """The same from maurey/chaining."""
    s = D.let("s", "s", Min(A, sqrt(2 * C / m)), "Massart's lemma at one link; beyond $A$ the bound is trivial")
    levels = (E if proper else 1 + E) * s * (1 + log(A / s))
    if p is not None:
        levels = levels + (2 if proper else 4) * A * sqrt(2 * p / m)
    reason = "levels in the ratio $e$; the trivial bound where it is smaller"
    return D.let(name, r"\hat{\mathcal R}", Min(A, levels), reason, "maurey/chaining")


EXCESS = Rational(853, 10000)  # 4/e - log 4 = 0.08522...: what two levels cost beyond e (A/s) at the worst A/s
SHARES = {True: Rational(9, 5), False: Rational(13, 5)}  # of A, by which all links together are no longer


def levelled(
    D: Derivation, C: Expr, A: Expr, m: Expr, p: Expr | None = None, proper: bool = True, name: str = "R",
    whole: Expr | None = None,
) -> Expr:  # fmt: skip
    """The same with as many levels as serve best (maurey/levels); also for an entropy of at most whole/eps^2."""
    if whole is not None:
        one = levelled(D, C, A, m, p, proper, name=f"{name}_offset")
        link = D.let("s_whole", "s'", Min(A / E, sqrt(2 * whole / m)), "the same without what rounding up adds")
        other = (E if proper else 1 + E) * link * (EXCESS + log(A / link))
        return D.let(
            name, r"\hat{\mathcal R}", Min(one, other), "the smaller of two bounds on the entropy", "maurey/levels"
        )
    s = D.let("s", "s", Min(A / E, sqrt(2 * C / m)), "Massart's lemma at one link; beyond $A/e$ the bound is trivial")
    levels = (E if proper else 1 + E) * s * (EXCESS + log(A / s))
    if p is not None:
        levels = levels + SHARES[proper] * A * sqrt(2 * p / m)
    reason = "as many levels as serve best; the trivial bound where it is smaller"
    latex = r"\hat{\mathcal R}" + (r"_0" if name.endswith("_offset") else "")
    return D.let(name, latex, Min(A, levels), reason, "maurey/levels")


def chained_linear(K: Expr, A: Expr, m: Expr) -> Expr:
    """From log N <= K/eps, centres anywhere: the levels' costs form a geometric series down to zero."""
    return Min(A, (2 + 2 * sqrt(Integer(2))) * sqrt(2 * K * A / m))


def one_step(log_N: Expr, tau: Expr, length: Expr, m: Expr) -> Expr:
    """From one cover, of values in an interval of this length (maurey/one-step)."""
    return tau + length * sqrt(log_N / (2 * m))


def one_scale(D: Derivation, log_N: Expr, tau: Expr, A: Expr, m: Expr) -> Expr:
    """One cover, at one resolution: Massart's lemma for its centres, |f| <= A."""
    value = Min(A, one_step(log_N, tau, 2 * A, m))
    return D.let("R", r"\hat{\mathcal R}", value, "the error, and Massart's lemma for the centres", "maurey/one-step")


def half_range(D: Derivation, c: Expr) -> Expr:
    """Of losses in [0, c], once half their range is taken off, which changes no complexity."""
    return D.name("half_range", r"\bar A", c / 2, "the losses less half their range: complexities do not change")


def net_gap(eps: Expr, log_N: Expr, c: Expr, delta: Expr, m: Expr) -> Expr:
    """Hoeffding's inequality for so many functions with values in [0, c], each within eps of others."""
    deviation = times(c, sqrt((log_N + log(1 / delta)) / (2 * m)))
    return deviation if eps == 0 else 2 * eps + deviation


def net(D: Derivation, eps: Expr, log_N: Expr, c: Expr, delta: Expr, m: Expr) -> Expr:
    """One side, losses in [0, c], covered at eps for all inputs: every centre's losses have the sample's deviation, and
    a network's risk and empirical risk are each within eps of its centre's (maurey/net)."""
    value = net_gap(eps, log_N, c, delta, m)
    reason = "Hoeffding's inequality for each centre, a union, and the way to the centre, twice"
    return D.let("gap", r"\mathrm{risk}-\widehat{\mathrm{risk}}", value, reason, "maurey/net")


def union_cost(number: Expr, A: Expr, m: Expr) -> Expr:
    """What the largest of so many classes costs beyond the worst of them (maurey/union)."""
    return A * sqrt(2 * log(number) / m)


def deviation(b: Expr, delta: Expr, m: Expr) -> Expr:
    """Two-sided, |l| <= b: McDiarmid three times at delta/3, each with differences 2b/m (maurey/deviation)."""
    return 3 * b * sqrt(2 * log(3 / delta) / m)


def one_sided(b: Expr, delta: Expr, m: Expr) -> Expr:
    """One side, losses in [0, b]: McDiarmid twice at delta/2, each with differences b/m, the complexity counted twice
    (maurey/deviation)."""
    return 3 * b * sqrt(log(2 / delta) / (2 * m))


def side(length: Expr, odds: Expr, m: Expr, every: bool) -> Expr:
    """One side that fails once in `odds`, losses in an interval of this length: McDiarmid once, with differences of
    length/m for the supremum, and as much again for the complexity of the sample where it is not bounded for `every`
    sample (maurey/sides)."""
    return times(Integer(1 if every else 2), length, sqrt(log(odds) / (2 * m)))


def best_gap(D: Derivation, L_loss: Expr, R: Expr, b: Expr, delta: Expr, m: Expr, every: bool = True) -> Expr:
    """The gap of an L-Lipschitz loss with |l| <= b, each side at half of delta; R bounds the complexity of `every`
    sample, or that of this one."""
    reason = "the sample's deviation, each side at half of the probability of failure"
    dev = D.let("deviation", "D", side(2 * b, 2 / delta, m, every), reason, "maurey/sides")
    value = times(Integer(2), L_loss, R) + dev
    return D.let("gap", r"\mathrm{gap}", value, "symmetrization and contraction", "maurey/sides")


def gap(D: Derivation, L_loss: Expr, R: Expr, b: Expr, delta: Expr, m: Expr) -> Expr:
    """The gap of an L-Lipschitz loss: symmetrization costs 2, contraction L."""
    dev = D.let("deviation", "D", deviation(b, delta, m), "the sample's deviation, both sides", "maurey/deviation")
    value = times(Integer(2), L_loss, R) + dev
    return D.let("gap", r"\mathrm{gap}", value, "symmetrization and contraction", "maurey/deviation")
