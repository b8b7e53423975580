"""Repaired covering bounds: each display is, identically, what the calculus gives with covers in closed form.

The covers count corrections along coordinates (maurey/online), with one logarithm for all weights: log(2N + 1) and
ceilings only grow on the way. With costs of C/eps^2 the best split of the error has a closed value (A.8).
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Max, sqrt

from maurey.symbolic.capacity import closed_capacity_steps
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import closed
from maurey.symbolic.derivation import Step
from maurey.symbolic.modules import EqualHeads, Heads, Linear, Module, Offset, Signal, compose
from maurey.symbolic.names import symbols
from maurey.symbolic.networks import network
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.edelman2022 import section_4, section_a3_deep
from maurey.symbolic.route import Route
from maurey.verify.checks import check
from maurey.verify.prove.repairs import same_display

eps, d, k, m, T, N, d_1, d_2, H, B_X, B_P, B_inf, B_1 = symbols("eps d k m T N d_1 d_2 H B_X B_P B_W_inf B_W_21")
C_2, C_inf = symbols("C_2 C_inf")
HEAD, DEEP = Route(kappa=Integer(1)), Route(kappa=Integer(2))

Calculus = Callable[[Setting], list[Step]]


def _on_tokens(module: Module, width: Expr, radius: Expr = B_X) -> list[Step]:
    return closed_capacity_steps(module, Signal(radius, m, T), eps, closed(width, m * T))


def _head(setting: Setting, h: int | None = None) -> Module:
    return section_4.head(setting, HEAD, h)


def _heads(setting: Setting) -> list[Step]:
    return _on_tokens(Heads(tuple(_head(setting, h) for h in range(1, setting.size("H") + 1))), d)


def _linear(**norms: Expr) -> list[Step]:
    W = Matrix("W", "W", d_2, d_1, **norms)
    return closed_capacity_steps(Linear(W), Signal(B_X, N, Integer(1)), eps, closed(d_2, N))


def _deep(setting: Setting, rows: bool = False) -> list[Step]:
    """The maps are W_V^T and W_C^T: rows of the matrices are their columns."""
    layers = section_a3_deep.layers(setting, DEEP)
    if rows:
        layers = [{name.replace("_inf", "_col"): bound for name, bound in layer.items()} for layer in layers]
    return _on_tokens(network(DEEP, layers), Max(d, k), setting.optional("B_X") or Integer(1))


def _equal_layers(setting: Setting) -> list[Step]:
    layer = dict.fromkeys(("V", "QK", "C"), C_2) | {f"{name}_inf": C_inf for name in ("V", "QK", "C")}
    return _on_tokens(network(DEEP, [layer] * setting.size("L"), d), d)


CALCULUS: dict[str, Calculus | dict[str, Calculus]] = {
    "edelman2022/4.4": lambda setting: _on_tokens(_head(setting), d),
    "edelman2022/4.5": lambda _: _linear(rows=B_inf),
    "edelman2022/4.5-stronger": lambda _: _linear(frobenius=sqrt(B_inf * B_1)),  # the squares of the columns' norms
    "edelman2022/4.6": _equal_layers,
    "edelman2022/A.11": lambda setting: _on_tokens(compose(Offset(B_P), _head(setting)), d),
    "edelman2022/A.12": _heads,
    "edelman2022/A.12-equal-heads": lambda setting: _on_tokens(EqualHeads(H, _head(setting)), d),
    "edelman2022/A.17": {"log_N": _deep, "log_N_rows": lambda setting: _deep(setting, rows=True)},
}


for key, calculus in CALCULUS.items():
    check(key)(same_display(key, calculus))
