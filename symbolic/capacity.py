"""The log covering number of a network: architecture x linear cover x allocation."""

from __future__ import annotations

from sympy import Expr

from .allocation import Term, total
from .covers import Cover
from .derivation import Derivation, Step
from .modules import Module, Signal

LOG_N = r"\log\mathcal N_\infty"


def capacity(D: Derivation, module: Module, x: Signal, eps: Expr, cover: Cover) -> Expr:
    """Cover every weight properly on the vectors it acts on, and split eps among them."""
    terms = [
        Term(w.matrix.label, w.matrix.mark, w.coefficient, cover(D, w).made_proper(), w.copies, w.reason, w.key)
        for w in module.sensitivity(D, x).weights
    ]
    return total(D, terms, eps, "log_N", LOG_N, "log-sizes of product covers add")


def capacity_steps(module: Module, x: Signal, eps: Expr, cover: Cover) -> list[Step]:
    D = Derivation()
    return D.steps_to(capacity(D, module, x, eps, cover))
