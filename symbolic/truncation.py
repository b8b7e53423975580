"""The squared loss, truncated: min((f - y)^2, tau).

In the prediction f it is 2 sqrt(tau)-Lipschitz (its derivative is 2|f - y| while that is below 2 sqrt(tau), and zero
beyond), and its values lie in [0, tau]: a cover of the predictions at eps/(2 sqrt(tau)) is a cover of the losses at
eps. Complexities do not change when a constant is taken off, so the range that counts is tau/2.

What truncation takes off the risk is E[(D^2 - tau)_+] for the error D, at most E[D^4]^(1/2) P(D > sqrt(tau))^(1/2) by
Cauchy-Schwarz; and D > sqrt(tau) only if the label or the prediction is above sqrt(tau)/2.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Max, Min, S, sqrt

from .chain import one_sided, one_step, side
from .derivation import Derivation

ROOT = r"the loss is $2\sqrt\tau$-Lipschitz in the prediction"
DEVIATION, SIDES, ONE_STEP = "maurey/deviation", "maurey/sides", "maurey/one-step"


def resolution(D: Derivation, eps: Expr, tau: Expr, label: str = "f", mark: str = "f") -> Expr:
    """What a cover of the predictions is asked for, so that the losses are covered at eps."""
    return D.let(f"eps_{label}", rf"\varepsilon_{{{mark}}}", eps / (2 * sqrt(tau)), ROOT)


def loss_range(D: Derivation, tau: Expr, centred: bool = False) -> Expr:
    """A bound on the losses, or on them less half their range."""
    if not centred:
        return tau
    return D.let("half_range", "A", tau / 2, "the losses less a constant: complexities do not change")


def cut_off(D: Derivation, A: Expr, n: Expr, centred: bool = False) -> Expr:
    """Where covers end: at 1/sqrt(n) as the paper has it, or at that share of the range."""
    if centred:
        return D.let("cut", r"\alpha_0", 2 * A / sqrt(n), "a share of the range of the order of the deviation")
    return D.let("cut", r"\alpha_0", Min(A, 1 / sqrt(n)), "of the order of the deviation, and no more than the range")


def counted_complexity(
    D: Derivation, log_N: Callable[[Expr], Expr], tau: Expr, n: Expr, centred: bool = False, name: str = "Rad"
) -> Expr:
    """From one cover of the predictions, at one resolution: its error, and Massart's lemma for its centres."""
    A = loss_range(D, tau, centred)
    cut = cut_off(D, A, n, centred)
    size = log_N(resolution(D, cut, tau))
    value = Min(A, one_step(size, cut, tau if centred else 2 * tau, n))
    return D.let(name, r"\hat{\mathfrak R}_n", value, "the error, and Massart's lemma for the centres", ONE_STEP)


def truncated_gap(D: Derivation, complexity: Expr, tau: Expr, delta: Expr, n: Expr, best: bool = False) -> Expr:
    """By how much the truncated risk exceeds the truncated empirical risk, for all predictors at once; the latter is at
    most the empirical risk. The complexity is that of the sample, for tokens may be long in others."""
    value, key = (side(tau, 1 / delta, n, False), SIDES) if best else (one_sided(tau, delta, n), DEVIATION)
    dev = D.let("deviation", r"\mathrm{dev}", value, "the sample's deviation, one side", key)
    return D.let("gap", r"\mathrm{gap}", 2 * complexity + dev, "symmetrization; truncation lowers losses", key)


def error_moment(D: Derivation, label: Expr, prediction: Expr, exact: bool = False) -> Expr:
    """E[D^4]^(1/2) from those of label and prediction: the triangle inequality in L^4, squared, or twice the sum."""
    if exact:
        value = (sqrt(label) + sqrt(prediction)) ** 2
        return D.let("moment", "M_4", value, "the triangle inequality in $L^4$, squared")
    return D.let(
        "moment", "M_4", 2 * label + 2 * prediction, r"the triangle inequality in $L^4$; $(a+b)^2\le2a^2+2b^2$"
    )


def allowed_tail(D: Derivation, moment: Expr, n: Expr) -> Expr:
    """The probability that label and prediction may each have of being large."""
    reason = r"so that $M_4\sqrt{2p_0}$ is $1/\sqrt n$"
    return D.let("tail", "p_0", 1 / (2 * n * moment**2), reason)


def level(D: Derivation, label: Expr, prediction: Expr) -> Expr:
    """tau, from squares that label and prediction reach with no more than the allowed probability."""
    reason = r"above it label or prediction exceeds $\sqrt\tau/2$"
    return D.let("level", r"\tau", 4 * Max(label, prediction), reason)


def cost(D: Derivation, moment: Expr, tail: Expr, name: str = "cost") -> Expr:
    """What truncation takes off the risk."""
    return D.let(name, r"\Delta_\tau", moment * sqrt(S(2) * tail), "Cauchy-Schwarz")
