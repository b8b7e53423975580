"""From a divergence to a risk: the PAC-Bayes chain.

A prior over networks is fixed before the sample is seen; any posterior may be chosen after. What is bounded is the risk
of a network drawn from the posterior (a Gibbs predictor), never that of its centre. Prior N(0, sigma^2 I) and posterior
N(theta, sigma^2 I) have the divergence |theta|^2/(2 sigma^2).

  * Sub-Gaussian losses: with K = KL + log(1/delta) and a temperature lambda that is fixed before the sample is seen,
    the risk exceeds the mean loss on the sample by at most K/lambda + lambda Sigma^2/(2m), least at lambda =
    sqrt(2mK)/Sigma. Sigma must serve for almost every network of the prior, far ones included; for losses in [0, b],
    b/2 does.
  * Losses in [0, 1]: kl(mean loss || risk) <= (KL + log(2 sqrt(m)/delta))/m, to be inverted, or by Pinsker's inequality
    a square root. There is nothing to be tuned but sigma.

sigma and lambda may be functions of what is known beforehand at no cost. Chosen after the sample is seen, from a grid
of n values that was fixed before, each of the n bounds must hold: delta becomes delta/n. On a geometric grid of
temperatures of ratio r the best is missed by a factor mu between 1/sqrt(r) and sqrt(r), and the sum of the two terms
is larger by (mu + 1/mu)/2.
"""

from __future__ import annotations

from sympy import Expr, Function, Integer, Max, Min, Rational, log, sqrt

from .derivation import Derivation

SUB_GAUSSIAN, SEEGER, HOEFFDING = "alquier2024/sub-gaussian", "maurer2004/5", "hoeffding1963/lemma"
RATIO = Integer(2)  # of neighbouring temperatures on a grid


class inverse_kl(Function):
    """The largest p in [q, 1] whose binary divergence kl(q||p) is at most c."""

    nargs = 2


def gaussian_kl(norm_squared: Expr, sigma: Expr) -> Expr:
    """Of N(theta, sigma^2 I) from N(0, sigma^2 I)."""
    return norm_squared / (2 * sigma**2)


def divergence(D: Derivation, norm_squared: Expr, sigma: Expr) -> Expr:
    reason = r"of two Gaussians of covariance $\sigma^2I$, whose centres are $\|\Theta\|$ apart at most"
    return D.let("divergence", r"\mathrm{KL}_\sigma", gaussian_kl(norm_squared, sigma), reason)


def confidence(D: Derivation, delta: Expr, grid: Expr | None = None) -> Expr:
    """log(1/delta), or what is left of it when each of so many bounds must hold."""
    if grid is None:
        return D.let("log_delta", r"\log\frac1\delta", log(1 / delta), "the probability of failure")
    reason = "each value on the grid gets its share of the probability of failure"
    return D.let("log_delta", r"\log\frac{n_g}\delta", log(grid / delta), reason)


def complexity(D: Derivation, KL: Expr, log_delta: Expr) -> Expr:
    return D.let("complexity", "K", KL + log_delta, "what a temperature divides")


def complexity_of(KL: Expr, delta: Expr) -> Expr:
    return KL + log(1 / delta)


# --- sub-Gaussian losses ----------------------------------------------------------------------------------------------


def hoeffding(b: Expr) -> Expr:
    """The sub-Gaussian constant of what lies in [0, b]."""
    return b / 2


def clipped(D: Derivation, Sigma: Expr) -> tuple[Expr, Expr]:
    """The level at which Sigma serves for the loss of every network, and the constant."""
    b = D.let("clip", "b", 2 * Sigma, "losses are clipped at twice the constant")
    reason = r"of a loss in $[0,b]$, whatever the parameters are"
    return b, D.let("constant", r"\Sigma_b", hoeffding(b), reason, HOEFFDING)


def at_temperature(K: Expr, temperature: Expr, Sigma: Expr, m: Expr) -> Expr:
    """What the risk exceeds the mean loss on the sample by, at one temperature."""
    return K / temperature + temperature * Sigma**2 / (2 * m)


def best_temperature(K: Expr, Sigma: Expr, m: Expr) -> Expr:
    return sqrt(2 * m * K) / Sigma


def at_best_temperature(K: Expr, Sigma: Expr, m: Expr) -> Expr:
    return 2 * sqrt(Sigma**2 / (2 * m) * K)


def tuned_before(D: Derivation, K: Expr, Sigma: Expr, m: Expr) -> Expr:
    """K is known before the sample is seen."""
    reason = "where the derivative vanishes; it depends on nothing that the sample decides"
    best = D.let("best_temperature", r"\lambda^*", best_temperature(K, Sigma, m), reason)
    return D.let("excess", r"\Delta", at_temperature(K, best, Sigma, m), "the bound at this temperature", SUB_GAUSSIAN)


def tuned_after(D: Derivation, KL: Expr, Sigma: Expr, m: Expr, delta: Expr, grid: Expr) -> Expr:
    """The divergence is known only after: temperatures lambda_j = lambda_0 r^j, j < grid, from the best for no
    divergence on. Up to the last of them a neighbour is within sqrt(r) of the best; beyond, the last one is taken."""
    log_delta = confidence(D, delta, grid)
    K = complexity(D, KL, log_delta)
    first = D.let("first_temperature", r"\lambda_0", best_temperature(log_delta, Sigma, m), "the best if nothing moved")
    last = D.let("last_temperature", r"\lambda_{n_g-1}", first * RATIO ** (grid - 1), "each is twice the one before")
    best = D.let("best_temperature", r"\lambda^*", best_temperature(K, Sigma, m), "where the derivative vanishes")
    missed = D.let("missed", r"\mu", Max(sqrt(RATIO), best / last), "by what factor a neighbour misses it")
    value = at_temperature(K, best, Sigma, m) * (missed + 1 / missed) / 2
    return D.let("excess", r"\Delta", value, "the bound at the neighbour", SUB_GAUSSIAN)


# --- losses in [0, b] -------------------------------------------------------------------------------------------------


def neyshabur(KL: Expr, delta: Expr, m: Expr) -> Expr:
    return 4 * sqrt(1 / m * (KL + log(2 * m / delta)))


def rate(KL: Expr, delta: Expr, m: Expr) -> Expr:
    """A bound on the divergence of the mean loss from the risk."""
    return (KL + log(2 * sqrt(m) / delta)) / m


def pinsker(c: Expr) -> Expr:
    """p - q if kl(q||p) <= c."""
    return sqrt(c / 2)


def seeger(D: Derivation, mean: Expr, KL: Expr, delta: Expr, m: Expr, b: Expr, name: str = "risk") -> Expr:
    """The risk from a bound on the mean loss on the sample, of losses in [0, b]."""
    c = D.let("rate", "c", rate(KL, delta, m), "a bound on the divergence of the mean loss from the risk", SEEGER)
    share = D.let("mean_share", "q", Min(1, mean / b), r"the mean loss on the sample, as a part of $b$")
    reason = "the divergence inverted, which increases with the mean loss"
    return D.let(name, r"R_{\mathrm{kl}}", b * inverse_kl(share, c), reason, SEEGER)


# --- the best sigma ---------------------------------------------------------------------------------------------------


def best_sigma(slope: Expr, norm_squared: Expr, Sigma: Expr, m: Expr) -> Expr:
    """Where slope sigma^2 + Sigma sqrt(norm^2/m)/sigma is smallest: the bound at the best temperature, but for log(1/
    delta)."""
    return (Sigma**2 * norm_squared / (4 * m * slope**2)) ** Rational(1, 6)


def best_sum(slope: Expr, norm_squared: Expr, Sigma: Expr, m: Expr) -> Expr:
    """The sum there: three times its first term."""
    return 3 * (slope * Sigma**2 * norm_squared / (4 * m)) ** Rational(1, 3)
