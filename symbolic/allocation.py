"""Allocation: how to split the error among the terms (Lemma A.8 of Edelman et al. 2022, for any number of terms).

Goal: minimise sum_j a_j / x_j^2 subject to sum_j b_j x_j = C. With g = sum_j a_j^(1/3) b_j^(2/3), Hoelder with
exponents 3 and 3/2 applied to a_j^(1/3) b_j^(2/3) = (a_j / x_j^2)^(1/3) (b_j x_j)^(2/3) gives

    g <= (sum_j a_j / x_j^2)^(1/3) (sum_j b_j x_j)^(2/3),

that is, the sum is at least g^3 / C^2, with equality at x_j = (C/g) (a_j/b_j)^(1/3). Any feasible x gives a valid
bound, so an entropy that is not a pure C/eps^2 is evaluated, exactly, at the allocation of its coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sympy import Add, Expr, Rational, S, Sum, Symbol, sympify

from .derivation import Derivation
from .entropy import Entropy, quadratic
from .modules import square, times

A8, COUNTING = "edelman2022/A.8", "maurey/counting-allocation"
HOELDER = "Hoelder's inequality"
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
    over: tuple[Symbol, Expr] | None = None  # (i, L): one for each layer

    def summed(self, amount: Expr) -> Expr:
        """The amount for one weight, summed over copies and layers."""
        amount = times(sympify(self.copies), amount)
        if self.over is None:
            return amount
        index, number = self.over
        return Sum(amount, (index, 1, number)) if index in amount.free_symbols else times(number, amount)


def effects(D: Derivation, terms: Sequence[Term]) -> list[Expr]:
    """How far an error of one in each weight moves the output."""
    found = []
    for t in terms:
        with D.over(t.over):
            found.append(D.name(f"beta_{t.label}", rf"\beta_{{{t.mark}}}", t.beta, t.reason, t.key))
    return found


def allocate(D: Derivation, terms: Sequence[Term], budget: Expr, tag: str = "") -> list[Expr]:
    """The error that each term gets: sum_j copies_j beta_j x_j = budget. A tag tells the steps of two splits apart."""
    betas, prime = effects(D, terms), "'" * bool(tag)
    if len(terms) == 1 and terms[0].over is None:
        (t,), spent = terms, times(sympify(terms[0].copies), betas[0])
        share = budget if spent == 1 else budget / spent
        return [D.name(_tagged("eps", tag, t), rf"\varepsilon{prime}_{{{t.mark}}}", share, "the whole error")]
    alphas, pieces = hoelder(D, terms, tag)
    spread = Add(*(t.summed(x) for t, x in zip(terms, pieces, strict=True)))
    gamma = D.let(f"gamma{tag}", rf"\gamma{prime}", spread, HOELDER, A8)
    reason, shares = "the share that makes the sum smallest", []
    for t, a, b in zip(terms, alphas, betas, strict=True):
        share = budget / gamma * (a if b == 1 else a / b) ** THIRD
        with D.over(t.over):
            name, latex = _tagged("eps", tag, t), rf"\varepsilon{prime}_{{{t.mark}}}"
            shares.append(D.let(name, latex, share, reason, A8))
    return shares


def _tagged(letter: str, tag: str, t: Term) -> str:
    return f"{letter}{tag}_{t.label}"


def hoelder(D: Derivation, terms: Sequence[Term], tag: str = "") -> tuple[list[Expr], list[Expr]]:
    """What an error of 1 costs in each term, and its piece a^(1/3) b^(2/3) of gamma, one weight's; at the best split
    the costs of weights are to each other as these."""
    alphas, pieces, prime = [], [], "'" * bool(tag)
    for t, beta in zip(terms, effects(D, terms), strict=True):
        with D.over(t.over):
            alpha = D.name(_tagged("alpha", tag, t), rf"\alpha{prime}_{{{t.mark}}}", t.entropy.coefficient,
                           "the cost of an error of 1, a logarithm that holds the error replaced by 1", A8)  # fmt: skip
        alphas.append(alpha)
        pieces.append(alpha**THIRD if beta == 1 else alpha**THIRD * beta**TWO_THIRDS)
    return alphas, pieces


def counts(D: Derivation, terms: Sequence[Term]) -> Expr:
    """How many parameters all terms together count."""
    found = [t.summed(t.entropy.count) for t in terms if t.entropy.count is not None]
    return D.name("p_all", "P", Add(*found) if len(found) > 1 else found[0], "parameters that are counted")


def allocate_counts(D: Derivation, terms: Sequence[Term], budget: Expr) -> list[Expr]:
    """The same where every entropy is p_j log(1 + D_j/x): up to the 1, a weight gets p_j/p of the error's effect
    (maurey/counting-allocation). Cube roots are for C/eps^2."""
    betas, p, shares = effects(D, terms), counts(D, terms), []
    for t, beta in zip(terms, betas, strict=True):
        assert t.entropy.count is not None
        share = budget * (t.entropy.count / p) if beta == 1 else budget * (t.entropy.count / p) / beta
        with D.over(t.over):
            name, latex = f"eps_{t.label}", rf"\varepsilon_{{{t.mark}}}"
            shares.append(D.let(name, latex, share, "as much of the effect as it has of the parameters", COUNTING))
    return shares


Split = Callable[[Derivation, Sequence[Term], Expr], list[Expr]]


def in_parts(parts: Mapping[str, Expr]) -> Split:
    """One part of the error in so many goes to each weight; those of a layer share it with the other layers."""

    def split(D: Derivation, terms: Sequence[Term], budget: Expr) -> list[Expr]:
        shares = []
        for t, beta in zip(terms, effects(D, terms), strict=True):
            number = sympify(t.copies) if t.over is None else times(sympify(t.copies), t.over[1])
            share = budget / times(number, sympify(parts[t.label]), beta)
            with D.over(t.over):
                shares.append(D.let(f"eps_{t.label}", rf"\varepsilon_{{{t.mark}}}", share, "its share of the error"))
        return shares

    return split


def total(
    D: Derivation,
    terms: Sequence[Term],
    budget: Expr,
    name: str,
    latex: str,
    reason: str = "the terms add",
    split: Split = allocate,
) -> Expr:
    """The sum of the entropies at the allocated errors."""
    sizes = []
    for t, x in zip(terms, split(D, terms, budget), strict=True):
        with D.over(t.over):
            alone = len(terms) == 1 and t.copies == 1 and t.over is None
            sizes.append(t.summed(_cost(D, t, x, (name, latex) if alone else (f"E_{t.label}", rf"E_{{{t.mark}}}"))))
    if len(sizes) == 1:
        return D.name(name, latex, sizes[0], "as many log-sizes as copies")
    return D.let(name, latex, Add(*sizes), reason)


def _cost(D: Derivation, t: Term, x: Expr, called: tuple[str, str]) -> Expr:
    """What one weight costs at its share of the error."""
    E = t.entropy
    asked = E.resolution(x)
    if asked != x:
        key = "edelman2022/2.1" if E.moved else ""
        asked = D.let(f"delta_{t.label}", rf"\delta_{{{t.mark}}}", asked, E.asked, key)
    return D.let(*called, E.log_size(asked), E.reason or "its cost at its share", E.key)


def quadratic_total(D: Derivation, terms: Sequence[Term], tag: str = "") -> tuple[Expr | None, Expr]:
    """(p, C) with the sum at the allocated errors at most p + C/eps^2 for every eps, where every term has its own such
    bound; no p where none has."""
    allocate(D, terms, Symbol("eps"), tag)
    reason = "every term at its share of the error"
    (first, *more) = terms
    value = Symbol(f"gamma{tag}") ** 3
    if not more and first.over is None:  # c copies have the error eps/(c beta) each, and c times the cost of one
        copies = sympify(first.copies)
        value = times(first.entropy.coefficient, square(times(copies, first.beta)), copies)
    latex = r"C'_{\mathcal F}" if tag else r"C_{\mathcal F}"
    C = D.let(f"C{tag}_class", latex, value, reason, A8 if more or first.over else "")
    costs = [t.summed(t.entropy.offset) for t in terms if t.entropy.offset != 0]
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
