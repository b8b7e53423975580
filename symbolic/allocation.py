"""Allocation: how to split the error among the terms (Lemma A.8 of Edelman et al. 2022, for any number of terms).

Goal: minimise sum_j a_j / x_j^2 subject to sum_j b_j x_j = C. With g = sum_j a_j^(1/3) b_j^(2/3), Hoelder with
exponents 3 and 3/2 applied to a_j^(1/3) b_j^(2/3) = (a_j / x_j^2)^(1/3) (b_j x_j)^(2/3) gives

    g <= (sum_j a_j / x_j^2)^(1/3) (sum_j b_j x_j)^(2/3),

that is, the sum is at least g^3 / C^2, with equality at x_j = (C/g) (a_j/b_j)^(1/3). Any feasible x gives a valid
bound, so an entropy that is not a pure C/eps^2 is evaluated, exactly, at the allocation of its coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sympy import Add, Expr, Rational, S, Symbol, sympify

from .derivation import Derivation
from .entropy import Entropy, quadratic
from .modules import square, times

A8 = "edelman2022/A.8"
THIRD, TWO_THIRDS = Rational(1, 3), Rational(2, 3)


@dataclass(frozen=True)
class Term:
    """One weight: an error of x in it moves the output by beta x, and costs entropy(x)."""

    label: str
    mark: str
    beta: Expr
    entropy: Entropy
    copies: Expr = S.One
    reason: str = ""
    key: str = ""


def allocate(D: Derivation, terms: Sequence[Term], budget: Expr, tag: str = "") -> list[Expr]:
    """The error that each term gets: sum_j copies_j beta_j x_j = budget. A tag tells the steps of two splits apart."""
    name, prime = f"{{}}{tag}_{{}}", "'" * bool(tag)
    betas = [D.name(f"beta_{t.label}", rf"\beta_{{{t.mark}}}", t.beta, t.reason, t.key) for t in terms]
    if len(terms) == 1:
        (t,), spent = terms, times(sympify(terms[0].copies), betas[0])
        share = budget if spent == 1 else budget / spent
        return [D.name(name.format("eps", t.label), rf"\varepsilon{prime}_{{{t.mark}}}", share, "the whole error")]
    alphas = [
        D.name(name.format("alpha", t.label), rf"\alpha{prime}_{{{t.mark}}}", t.entropy.coefficient,
               "the cost of an error of 1, a logarithm that holds the error replaced by 1", A8)
        for t in terms
    ]  # fmt: skip
    summands = [
        times(sympify(t.copies), alpha**THIRD if beta == 1 else alpha**THIRD * beta**TWO_THIRDS)
        for t, alpha, beta in zip(terms, alphas, betas, strict=True)
    ]
    gamma = D.let(f"gamma{tag}", rf"\gamma{prime}", Add(*summands), "Hoelder's inequality", A8)
    shares = [budget / gamma * (a if b == 1 else a / b) ** THIRD for a, b in zip(alphas, betas, strict=True)]
    return [
        D.let(name.format("eps", t.label), rf"\varepsilon{prime}_{{{t.mark}}}", share,
              "the share that makes the sum smallest", A8)
        for t, share in zip(terms, shares, strict=True)
    ]  # fmt: skip


def total(
    D: Derivation, terms: Sequence[Term], budget: Expr, name: str, latex: str, reason: str = "the terms add"
) -> Expr:
    """The sum of the entropies at the allocated errors."""
    sizes = []
    for t, x in zip(terms, allocate(D, terms, budget), strict=True):
        E = t.entropy
        asked = E.resolution(x)
        if asked != x:
            asked = D.let(
                f"delta_{t.label}", rf"\delta_{{{t.mark}}}", asked, E.asked, "edelman2022/2.1" if E.moved else ""
            )
        alone = len(terms) == 1 and t.copies == 1
        size = D.let(
            name if alone else f"E_{t.label}",
            latex if alone else rf"E_{{{t.mark}}}",
            E.log_size(asked),
            E.reason or "its cost at its share",
            E.key,
        )
        sizes.append(times(sympify(t.copies), size))
    if len(sizes) == 1:
        return D.name(name, latex, sizes[0], "as many log-sizes as copies")
    return D.let(name, latex, Add(*sizes), reason)


def quadratic_total(D: Derivation, terms: Sequence[Term], tag: str = "") -> tuple[Expr | None, Expr]:
    """(p, C) with the sum at the allocated errors at most p + C/eps^2 for every eps, where every term has its own such
    bound; no p where none has."""
    allocate(D, terms, Symbol("eps"), tag)
    reason = "every term at its share of the error"
    (first, *more) = terms
    value = Symbol(f"gamma{tag}") ** 3
    if not more:  # c copies have the error eps/(c beta) each, and c times the cost of one
        copies = sympify(first.copies)
        value = times(first.entropy.coefficient, square(times(copies, first.beta)), copies)
    latex = r"C'_{\mathcal F}" if tag else r"C_{\mathcal F}"
    C = D.let(f"C{tag}_class", latex, value, reason, A8 if more else "")
    costs = [times(sympify(t.copies), t.entropy.offset) for t in terms if t.entropy.offset != 0]
    if not costs:
        return None, C
    return D.let("p_0", "p_0", Add(*costs) if len(costs) > 1 else costs[0], "what rounding up adds to each count"), C


def whole_total(D: Derivation, terms: Sequence[Term], tag: str) -> Expr | None:
    """C with the sum at most C/eps^2 for every eps, where terms that have an offset have such a bound as well."""
    wholes = [t.entropy.everywhere for t in terms]
    if None in wholes:
        return None
    pure = [replace(t, entropy=quadratic(C)) for t, C in zip(terms, wholes, strict=True) if C is not None]
    return quadratic_total(D, pure, tag)[1]
