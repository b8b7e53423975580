"""The log covering number of a network: architecture x linear cover x allocation."""

from __future__ import annotations

from sympy import Expr

from .allocation import Term, quadratic_total, total
from .covers import Cover
from .derivation import Derivation, Step
from .entropy import Entropy
from .modules import Module, Signal, Weight

LOG_N = r"\log\mathcal N_\infty"


def term(w: Weight, entropy: Entropy) -> Term:
    return Term(
        label=w.matrix.label,
        mark=w.matrix.mark,
        beta=w.coefficient,
        entropy=entropy,
        copies=w.copies,
        reason=w.reason,
        key=w.key,
        over=w.over,
    )


def covered(D: Derivation, module: Module, x: Signal, cover: Cover) -> list[Term]:
    """Every weight, covered properly on the vectors it acts on."""
    found = []
    for w in module.sensitivity(D, x).weights:
        with D.over(w.over):
            found.append(term(w, cover(D, w).made_proper()))
    return found


def capacity(D: Derivation, module: Module, x: Signal, eps: Expr, cover: Cover) -> Expr:
    """Cover every weight, and split eps among them."""
    return total(D, covered(D, module, x, cover), eps, "log_N", LOG_N, "log-sizes of product covers add")


def closed_capacity_steps(module: Module, x: Signal, eps: Expr, cover: Cover) -> list[Step]:
    """The same where every cost is C/eps^2: the best split has a closed value."""
    D = Derivation()
    _, C = quadratic_total(D, covered(D, module, x, cover))
    return D.steps_to(D.let("log_N", LOG_N, C / eps**2, "the value of the best split", "edelman2022/A.8"))


def capacity_steps(module: Module, x: Signal, eps: Expr, cover: Cover) -> list[Step]:
    D = Derivation()
    return D.steps_to(capacity(D, module, x, eps, cover))
