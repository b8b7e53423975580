"""Inequalities that the claims of several papers share: softmaxes, one attention layer, one block, whole networks.

Each is built for given sizes; its targets are the forms of the claim that is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Integer, Symbol

from maurey.symbolic import networks
from maurey.symbolic.names import symbols
from maurey.symbolic.route import PAPER

from .forwards import attention, forward, largest, softmax, tokens, turned
from .inequality import Inequality, Sides, Values, Variable
from .sensitivity import inequality, moved_by
from .statements import sized, stated

CLASSES = sized("p", (1,), (2,), (5,), (64,))
# two tokens, one feature and many tokens, one token, more features than tokens, wide values
LAYERS = sized("T d k", (2, 1, 1), (64, 1, 1), (1, 3, 2), (4, 2, 2), (3, 12, 2), (4, 2, 12))
UNIT = sized("T d k unit", (2, 2, 2, True), (6, 2, 2, True), (128, 2, 2, True))
BLOCKS = sized("T d k sigma", (2, 1, 1, "identity"), (24, 1, 2, "relu"), (1, 3, 2, "abs"), (4, 2, 3, "tanh"))

# --- softmaxes ---------------------------------------------------------------------------------------------------


def l1(x: Any) -> Any:
    """Of one row, or the largest of several."""
    return largest(abs(x).sum(-1))


def softmax_pair(p: int, key: str) -> Inequality:
    variables = {"theta": Variable((1, p), {"entries": "B"}), "theta~": Variable((1, p), near="theta")}

    def sides(v: Values) -> Sides:
        lhs = l1(softmax(v["theta"]) - softmax(v["theta~"]))
        Delta = largest(abs(v["theta"] - v["theta~"]), 2)
        return stated(key, lhs, lhs * 0 + 1, {"Delta": Delta, "p": lhs * 0 + p})

    return Inequality(variables, {"B": (-2, 3)}, sides)


# --- one layer ---------------------------------------------------------------------------------------------------


def layer(Z: Any, V: Any, S: Any) -> Any:
    """Attention with every token a query."""
    return attention(Z, V, lambda q, z: q @ S @ turned(z), Z)


def layer_input(T: int, d: int, k: int, key: str, free: bool = False, unit: bool = False) -> Inequality:
    """Two inputs of one layer: tokens of the unit ball or, with `free`, of norm at most B_X. With `unit`, all bounds
    are 1, where neither part of the constant is negligible."""
    radius: Any = {"rows": "B_X" if free else 1.0}
    variables = {
        "Z": Variable((T, d), radius),
        "V": Variable((k, d), {"spectral": "B_V"}),
        "S": Variable((d, d), {"spectral": "B_QK"}),
        "Z~": Variable((T, d), radius, near="Z"),
    }
    bounds: dict[str, Any] = {"B_V": (-2, 2), "B_QK": (-3, 3), **({"B_X": (-1, 1)} if free else {})}

    def sides(v: Values) -> Sides:
        lhs = tokens(layer(v["Z"], v["V"], v["S"]) - layer(v["Z~"], v["V"], v["S"]))
        at = {**{name: v[name] for name in bounds}, "Delta": tokens(v["Z"] - v["Z~"])}
        return stated(key, lhs, v["B_V"] * (v["B_X"] if free else 1), at)

    if not unit:
        return Inequality(variables, bounds, sides)
    return Inequality(variables, dict.fromkeys(bounds, 1), sides, hint=_extreme(T) if (d, k) == (2, 2) else None)


def _extreme(T: int, step: float = 2**-12) -> Mapping[str, Any]:
    """Where the proof of maurey/attention is tight as T grows: keys at plus and minus y, a query a across them, every
    key moving along y plus or minus a, the query along y; all a step inside the ball."""
    keys = [1.0 if t % 2 else -1.0 for t in range(1, T)]
    Z = [[0.0, 1 - step], *([(1 - step) * x, 0.0] for x in keys)]
    moves = [[1.0, 0.0], *([0.5**0.5, x * 0.5**0.5] for x in keys)]
    moved = [[z + step * m / 2 for z, m in zip(*pair, strict=True)] for pair in zip(Z, moves, strict=True)]
    eye = [[1.0, 0.0], [0.0, 1.0]]
    return {"Z": Z, "Z~": moved, "V": eye, "S": eye}


# --- one block ---------------------------------------------------------------------------------------------------


def block(T: int, d: int, k: int, sigma: str, key: str, first: tuple[float, float] | None = None) -> Inequality:
    """Both blocks in the class, movements measured on the vectors of the moved one. With `first`, a first block: tokens
    of norm at most B_X, drawn from these decades, which stay where they are."""
    B_V, B_QK, B_C = symbols("B_V B_QK B_C")
    module = networks.block(PAPER, {"V": B_V, "QK": B_QK, "C": B_C, "QK_inf": B_QK})
    bounds: dict[str, Any] = {**dict.fromkeys(("B_V", "B_QK", "B_C", "L_sigma"), (-2, 2)), "kappa": 2}
    part = "moved" if first is None else "moved_first"
    bounds |= {} if first is None else {"B_X": tuple(first)}
    radius = Integer(1) if first is None else Symbol("B_X")
    both = inequality(module, radius, {"T": T, "d": d, "k": k}, bounds, sigma)
    variables = {name: v for name, v in both.variables.items() if first is None or name != "X~"}

    def moves(v: Values) -> tuple[Any, Any, dict[str, Any]]:
        """Both outputs, and the claim's symbols."""
        seen: Any = []
        moved = v.get("X~", v["X"])
        a = forward(module, v, v["X"], v, sigma)
        b = forward(module, {name: v[name + "~"] for name in ("V", "QK", "C")}, moved, v, sigma, seen)
        at = {name: v[name] for name in bounds if name != "kappa"}
        at |= {"B_X": tokens(a) * 0 + 1} if first is None else {}
        at["Delta_g"] = tokens(v["X"] - moved)
        for label, how, x, keys in seen:
            at[f"Delta_{label}"] = moved_by(v[label] - v[label + "~"], how, x, keys)
        return a, b, at

    def sides(v: Values) -> Sides:
        a, b, at = moves(v)
        found = stated(key, tokens(a - b), tokens(a), at)
        return {target: side for target, side in found.items() if target.split()[0] == part}

    return Inequality(variables, bounds, sides, point=lambda v: moves(v)[2])


# --- whole networks ----------------------------------------------------------------------------------------------

TARGETS = {"moved": "log_N {}", "radius": "radius {}", "reach": "reach {}"}


def under(form: str, whole: Inequality) -> Inequality:
    """What the calculus says of a network, as what stands under that form of a covering claim."""

    def sides(v: Values) -> Sides:
        return {TARGETS[target].format(form): side for target, side in whole.sides(v).items()}

    return replace(whole, sides=sides, still=tuple(TARGETS[target].format(form) for target in whole.still))
