"""From growing moments to tails, and back: what moments of every order from 1 on say of large values.

Tokens: E[|x|^r]^(1/r) <= sqrt(C d r) for all r >= 1. Markov's inequality at r = p gives P(|x| >= rho) <=
(C d p/rho^2)^(p/2), smallest at p = rho^2/(C e d), where it is e^(-p/2); no p below 1 may be used. Labels:
E[|y|^r]^(1/r) <= sqrt(C r^s); at u^2 = C (e p)^s Markov's inequality at r = p gives P(|y| >= u) <= e^(-s p/2).
"""

from __future__ import annotations

from sympy import E, Expr, Integer, Max, log, sqrt

from .derivation import Derivation
from .modules import times


def token_tail(D: Derivation, squared: Expr, number: Expr) -> Expr:
    """P(some of so many tokens is at least as long as the radius), from its square in units of C e d."""
    order = D.let(
        "order", r"\varrho", Max(1, squared), "the order that serves best; moments are bounded from order 1 on"
    )
    reach = D.let("reach", r"\Gamma", (E * squared / order) ** (order / 2), "one over what Markov's inequality gives")
    return number / Max(number, reach)


def token_square(D: Derivation, C: Expr, d: Expr, number: Expr, probability: Expr, above: bool = False) -> Expr:
    """A squared radius that some of so many tokens reach with no more than the probability; with `above` the order is
    known to be at least 1."""
    reason = r"with Markov's inequality at this order so many tokens are too long with probability at most "
    reason += r"$Ne^{-p/2}$"
    order = 2 * log(number / probability)
    order = D.let("order_x", "p_x", order if above else Max(1, order), reason)
    return D.let("square_x", r"\rho_x^2", C * E * d * order, "the squared radius for which this order serves best")


def longest_moment(D: Derivation, C: Expr, d: Expr, number: Expr) -> Expr:
    """E[max |x|^4]^(1/2) over so many tokens: by moments of order 4 r, N^(1/(2r)) 4 r C d with N^(1/r) <= e at
    r = max(1, log N)."""
    order = Integer(1) if number == 1 else Max(1, log(number))
    value = 4 * times(C, d) if number == 1 else 4 * times(C, d) * order * sqrt(E)
    reason = r"moments of order $4\max(1,\log N)$ of all tokens together"
    return D.let("moment_x", r"\mu_x", value, reason if number != 1 else "the fourth moment of one token")


def label_moment(D: Derivation, C: Expr, s: Expr) -> Expr:
    """E[y^4]^(1/2)."""
    return D.let("moment_y", r"\mu_y", C * 4**s, "the fourth moment of the label")


def label_square(D: Derivation, C: Expr, s: Expr, probability: Expr, above: bool = False) -> Expr:
    """A square that the squared label reaches with no more than the probability; `above` as for tokens."""
    order = 2 / s * log(1 / probability)
    order = D.let("order_y", "p_y", order if above else Max(1, order),
                  r"with Markov's inequality at this order the label is too large with probability at most "
                  r"$e^{-sp/2}$")  # fmt: skip
    return D.let("square_y", "u^2", C * (E * order) ** s, "the square for which this order serves best")
