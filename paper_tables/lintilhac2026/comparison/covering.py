"""Edelman et al.'s bound for the network of appendix E.3, from norms: their claim that is nearest to it, and the same
calculus on this very architecture.

A.17 is stated for blocks attention, projection, activation, W_C, projection, without a skip connection, and a read-out.
The construction fits in with V = W_V M + 1 Gamma' (attention weights add up to 1, so that the positions carry the
bias), W_C = F, and a second block that does nothing but attend by W_2; projections and the skip are what it has not, or
has beyond. The composition has no projections and has the skip; of every matrix it is given the Frobenius norm by
Theorem 10, and where a cover wants a (2,1) norm it is turned into one as in E.3.2, by the root of the number of rows.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Expr, Integer, Symbol, evaluate, sqrt

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import value_of
from maurey.symbolic import networks, registry
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Fixed, Linear, Module, Residual, Signal, WithOne, compose
from maurey.symbolic.names import symbols
from maurey.symbolic.norms import Matrix
from maurey.symbolic.route import PAPER, SHARP, Route
from maurey.verify.certificates.gaps import above, upper
from maurey.verify.papers.lintilhac2026.network import construction
from maurey.verify.training.tasks import walsh

NEAREST, CHAIN, NORMS = "edelman2022/A.17", "edelman2022/2.2", "lintilhac2026/10"
LOSS = {"L_loss": Fraction(2), "b": Fraction(1)}  # of min((f - y)^2, 1)
ROUTES = {"derived": PAPER, "sharp": SHARP}
(m,) = symbols("m")


@cache
def norms(target: walsh.Target) -> dict[str, Any]:
    """Of the construction, as A.17 wants them: in doubles, rounded up."""
    net = construction.build(target)
    positions = net.v_2.new_ones(target.T + 2)
    positions[-1] = 0
    one = net.v_2.new_ones(1, 1)
    layers = {
        "V": (net.W_V @ net.M + positions[:, None] * net.Gamma, one),
        "C": (net.F, one),
        "QK": (net.W_1, net.W_2),
    }
    found: dict[str, Any] = {"d": target.T + 2, "k": target.T + 2, "T": target.T + 1, "L": 2}
    found |= {"B_w": above(target.C), "B_X": above(Decimal(2).sqrt())}
    for name, matrices in layers.items():
        found[f"B_{name}"] = [above(float(matrix.svd().S[0])) for matrix in matrices]
        found[f"B_{name}_inf"] = [above(float(matrix.norm(dim=0).max())) for matrix in matrices]
    return found


def nearest(target: walsh.Target, form: str, many: int, delta: Fraction) -> Decimal:
    """A.17's gap; as printed its entropy with C0 = 1, carried to a gap by 2.2 as printed with c = 12."""
    at = norms(target) | {"m": many, "L_sigma": 1}
    claim = registry.find(NEAREST)
    if form != "printed":
        return enclose(claim, form, "gap", 6, **at, **LOSS, delta=delta).upper
    C_F = enclose(claim, form, "log_N", 20, **at, eps=1).upper
    more = {"C_F": Fraction(C_F), "A": at["B_w"], "m": many, "delta": delta}
    return enclose(registry.find(CHAIN), form, "gap", 6, **more, **LOSS).upper


def composed(target: walsh.Target, form: str, many: int, delta: Fraction) -> Decimal:
    """The gap of this architecture."""
    sizes = {"omega": target.omega, "D": target.D, "T": target.T}
    claim = registry.find(NORMS)
    forms = {"W_1": "derived", "W_V": "printed", "F": "derived", "W_2": "derived", "v_2": "sharp"}
    blocks = {
        f"B_{name}": above(enclose(claim, which, name, 20, **sizes).upper.sqrt()) for name, which in forms.items()
    }
    bias = sum((enclose(claim, "derived", name, 20, **sizes).upper for name in ("M", "Gamma")), Decimal(0))
    at = blocks | {"B_M": above(bias.sqrt()), "A": above(target.C), "kappa": Fraction(2), "delta": delta, **LOSS}
    return upper(value_of(_steps(form, target.T, target.D), at | {"m": Fraction(many)}))


@cache
def _steps(form: str, T: int, D: int) -> list[Step]:
    proof, route = Derivation(), ROUTES[form]
    with evaluate(False):
        x = Signal(sqrt(Integer(2)), m, Integer(T + 1))
        return proof.steps_to(networks.network_gap(proof, route, architecture(route, T, D), x, Symbol("A")))


def architecture(route: Route, T: int, D: int) -> Module:
    """Attention, ReLU layer with a bias, skip, and the attention of the last position, whose values are numbers."""
    width, units = T + 2, 4 * (D + 1)

    def matrix(name: str, outputs: int, inputs: int) -> Matrix:
        bound: Expr = Symbol(f"B_{name}")
        return Matrix(name, name, outputs, inputs, frobenius=bound)

    inner = compose(
        route.attention(matrix("W_V", width, width), matrix("W_1", width, width)),
        WithOne(),
        Linear(matrix("M", units, width + 1)),
        Fixed(Integer(1)),
        Linear(matrix("F", width, units)),
    )
    return compose(
        Residual(inner), route.attention(matrix("v_2", 1, width), matrix("W_2", width, width), one_query=True)
    )
