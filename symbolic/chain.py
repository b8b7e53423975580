"""From entropies to a gap: Dudley's integral, Rademacher complexity, concentration.

Dudley's bound with constants (a, b), for a class bounded by A with log N <= h(eps), is
inf over 0 < tau <= A of  a tau + b int_tau^A sqrt(h(eps)/m) d eps. No complexity exceeds A, since |f| <= A.

For h = C/eps^2 put s = sqrt(C/m): the sum a tau + b s log(A/tau) is smallest at tau = b s / a, which lies in (0, A]
when b s <= a A; there it is b s (1 + log(a A / (b s))). Otherwise the best cut-off is A itself, and the trivial bound
is smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import E, Expr, Integer, Integral, Min, Piecewise, Symbol, log, sqrt

from .derivation import Derivation


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


def complexity(D: Derivation, dudley: Dudley, C: Expr, A: Expr, m: Expr) -> Expr:
    """Rademacher complexity from log N <= C/eps^2, at the best cut-off, and never above A."""
    s = D.let("s", "s", sqrt(C / m), "the integrand is $s/\\varepsilon$")
    tau = D.let("tau_best", r"\tau^*", dudley.integral * s / dudley.cut, "where the derivative in the cut-off vanishes")
    inner = dudley.integral * s * (1 + log(A / tau))
    value = Piecewise((Min(A, inner), tau <= A), (A, True))
    reason = "the integral at that cut-off if it lies below $A$; the trivial bound where it does not or is smaller"
    return D.let("R", r"\hat{\mathcal R}", value, reason, dudley.key)


def chained(D: Derivation, C: Expr, A: Expr, m: Expr) -> Expr:
    """The same from maurey/chaining."""
    s = D.let("s", "s", sqrt(2 * C / m), "Massart's lemma at one link")
    value = Piecewise((Min(A, E * s * (1 + log(A / s))), A**2 * m >= C), (A, True))
    reason = "levels in the ratio $e$; the trivial bound where it is smaller"
    return D.let("R", r"\hat{\mathcal R}", value, reason, "maurey/chaining")


def deviation(b: Expr, delta: Expr, m: Expr) -> Expr:
    """Two-sided, |l| <= b: McDiarmid three times at delta/3, each with differences 2b/m (maurey/deviation)."""
    return 3 * b * sqrt(2 * log(3 / delta) / m)


def gap(D: Derivation, L_loss: Expr, R: Expr, b: Expr, delta: Expr, m: Expr) -> Expr:
    """The gap of an L-Lipschitz loss: symmetrization costs 2, contraction L."""
    dev = D.let("deviation", "D", deviation(b, delta, m), "the sample's deviation, both sides", "maurey/deviation")
    value = 2 * L_loss * R + dev
    return D.let("gap", r"\mathrm{gap}", value, "symmetrization and contraction", "maurey/deviation")
