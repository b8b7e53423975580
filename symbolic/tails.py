"""Bounds on a mean, from what was seen of it: counts of errors, mean losses, capital won by betting against a mean.

Each is a test that is turned round: a mean that a test at level delta would reject is not believed.

  * Errors are counted: no p with P(Bin(m, p) <= errors) < delta is believed (binomial_inverse). Drawn without
    replacement from N of which M are errors, no M with P(Hyp(N, M, m) <= errors) < delta (hypergeometric_inverse).
  * Losses in [0, 1] with conditional means mu_t: E[exp(-s X_t) | past] <= 1 - mu_t (1 - exp(-s)), by convexity, and the
    logarithm of the right-hand side is concave in mu_t. So with mu their mean and S the sum of the losses,
    u^S/(1 - mu + mu u)^m, u = exp(-s), is at least 1/delta with probability at most delta, for one u or for a mean over
    u. The mean over the uniform u in (0, 1) is increasing in mu, and for whole S

      int_0^1 u^S/(1 - mu + mu u)^m du = sum_(j = S+1)^(m-1) prod_(i = S+1)^(j-1) (m-1-i)/(i+1) mu/(1-mu)
                                         divided by (S + 1)(1 - mu),

    which mixture_inverse turns round: no mu is believed where this is 1/delta or more.
  * For x >= -1 and 0 < s < 1: s x - psi(s) x^2 <= log(1 + s x), psi(s) = -log(1 - s) - s, since (log(1 + y) - y)/y^2
    increases in y. With x = v - X, v known before X: E[exp(s (mu - X) - psi(s) (X - v)^2)] <= 1.
"""

from __future__ import annotations

from sympy import Expr, Function, Integer, exp, log, sqrt

from .pacbayes import inverse_kl

HOEFFDING, CLOPPER = "hoeffding1963/1", "clopper1934/upper"


class binomial_inverse(Function):
    """Of (k, m, delta): the largest p with P(Bin(m, p) <= k) >= delta."""

    nargs = 3


class hypergeometric_inverse(Function):
    """Of (k, m, N, delta): M/N for the largest M with P(Hyp(N, M, m) <= k) >= delta."""

    nargs = 4


class mixture_inverse(Function):
    """Of (S, m, delta): the largest mu with int_0^1 u^S/(1 - mu + mu u)^m du <= 1/delta, S whole; 1 for S > m - 2."""

    nargs = 3


def rate(delta: Expr, m: Expr) -> Expr:
    """A bound on the divergence of a mean loss from its mean."""
    return log(1 / delta) / m


def chernoff(mean: Expr, delta: Expr, m: Expr) -> Expr:
    return inverse_kl(mean, rate(delta, m))


def hoeffding(mean: Expr, delta: Expr, m: Expr) -> Expr:
    return mean + sqrt(log(1 / delta) / (2 * m))


def bernstein(mean: Expr, variance: Expr, delta: Expr, m: Expr) -> Expr:
    """From the variance of the sample, with m - 1 below its sum."""
    return mean + sqrt(2 * variance * log(2 / delta) / m) + Integer(7) * log(2 / delta) / (3 * (m - 1))


def psi(s: Expr) -> Expr:
    return -log(1 - s) - s


def martingale(mean: Expr, squares: Expr, s: Expr, delta: Expr, m: Expr) -> Expr:
    """At one s; squares: the mean of (X_t - v_t)^2."""
    return mean + (log(1 / delta) / m + psi(s) * squares) / s


def at_one_slope(mean: Expr, s: Expr, delta: Expr, m: Expr) -> Expr:
    """u = exp(-s), turned round."""
    return (1 - exp(-s * mean - log(1 / delta) / m)) / (1 - exp(-s))
