"""What the calculus says of a module, as an inequality that can be attacked: its sensitivity beside its forward.

Two sets of weights of the class and two inputs: the outputs differ by at most what the Lipschitz constant and the
coefficients say, the output has at most the stated radius, and so have the vectors on which each weight acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import reduce
from typing import Any

import numpy as np
from flint import arb
from sympy import Expr, Integer, Symbol, sympify

from maurey.numeric.types import Either
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import EqualHeads, Module, Offset, Signal
from maurey.symbolic.norms import Matrix
from maurey.verify.tensors import torch

from .forwards import OFFSET, Seen, forward, largest, matrices, parts_of, tokens, turned
from .inequality import Inequality, Sides, Values, Variable, run_steps

INPUT, MOVED = "X", "~"  # the name of the input; the mark of what was moved
NORM_KINDS = ("spectral", "frobenius", "rows", "columns", "row_sum")


def moved_by(change: Either, how: str, x: Either, keys: Either) -> Any:
    """How far a weight moves on the vectors it acts on."""
    if how == "score":
        return largest(abs(x @ change @ turned(keys)), 2)
    if how == "keys":  # a score x . S z, as the vectors S z
        return tokens(keys @ turned(change))
    return tokens(x @ (change if how == "queries" else turned(change)))


def reached(how: str, x: Either, keys: Either) -> Any:
    """The largest norm of the vectors it acts on; of scores, of the outer products."""
    return tokens(x) * tokens(keys) if how == "score" else tokens(keys if how == "keys" else x)


def inequality(
    module: Module, radius: Expr, sizes: Mapping[str, int], bounds: Mapping[str, Any], sigma: str = "identity"
) -> Inequality:
    """Targets: `moved` (the outputs), `radius` (of the output) and `reach` (the vectors that weights act on).

    `sizes` gives values to the symbols of dimensions, T and H among them; `bounds` decades to all others.
    """
    D = Derivation()
    s = module.sensitivity(D, Signal(radius, Integer(1), Integer(sizes["T"])))
    asked = {"radius": s.output.radius}
    with suppress(ValueError):  # scores that nothing bounds: then the input stays where it is
        asked["lipschitz"] = s.lipschitz()
    for w in s.weights:
        asked |= {f"coefficient of {w.matrix.label}": w.coefficient, f"reach of {w.matrix.label}": w.radius}
    steps = {name: D.steps_to(D.let(name, "", expr, "")) for name, expr in asked.items()}
    numbers = {Symbol(name): size for name, size in sizes.items()}
    labels = matrices(module)
    equal = [part for part in parts_of(module) if isinstance(part, EqualHeads)]
    copies = {label: part.number for part in equal for label in matrices(part)}

    def shape(M: Matrix) -> tuple[int, ...]:
        axes = [copies[M.label]] if M.label in copies else []
        return tuple(int(sympify(n).subs(numbers)) for n in (*axes, M.outputs, M.inputs))

    def norms(M: Matrix) -> dict[str, Expr]:
        return {kind: getattr(M, kind) for kind in NORM_KINDS if getattr(M, kind) is not None}

    width = sizes.get("inputs", sizes["d"])
    variables = {INPUT: Variable((sizes["T"], width), {"rows": radius})}
    variables |= {name: Variable(shape(M), norms(M)) for name, M in labels.items()}
    still = set() if "lipschitz" in asked else {INPUT}
    variables |= {n + MOVED: Variable(v.shape, v.norms, near=n) for n, v in variables.items() if n not in still}
    for part in parts_of(module):
        if isinstance(part, Offset):
            variables[OFFSET] = Variable((sizes["T"], width), {"rows": part.bound})

    def given(bounds: Values) -> dict[str, Any]:
        some = next(b for v in bounds.values() for b in (v if isinstance(v, list) else [v]))
        sized = {name: some * 0 + size for name, size in sizes.items()}
        return sized | {name: run_steps(own, {**sized, **bounds}) for name, own in steps.items()}

    def sides(v: Values) -> Sides:
        here = {name: v[name] for name in labels} | {OFFSET: v.get(OFFSET)}
        there = {name: v[name + MOVED] for name in labels} | {OFFSET: v.get(OFFSET)}
        seen: Seen = []
        X, Y, reach = v[INPUT], v.get(INPUT + MOVED, v[INPUT]), []
        # movements are measured on the vectors of the moved network, as in A.15
        before, after = forward(module, here, X, v, sigma), forward(module, there, Y, v, sigma, seen)
        allowed = v.get("lipschitz", 0) * tokens(X - Y)
        for i, (label, how, x, keys) in enumerate(seen):
            change = here[label] - there[label]
            if label in copies:
                change = change[..., [entry[0] for entry in seen[:i]].count(label), :, :]
            allowed = allowed + v[f"coefficient of {label}"] * moved_by(change, how, x, keys)
            reach.append(reached(how, x, keys) / v[f"reach of {label}"])
        size = tokens(before)
        found = {"moved": (tokens(before - after), allowed, size), "radius": (size, v["radius"], size)}
        if reach:
            worst = reduce(arb.max, reach) if isinstance(X, np.ndarray) else torch.stack(reach).amax(0)
            found["reach"] = (worst, worst * 0 + 1, worst)
        return found

    return Inequality(variables, bounds, sides, given, still=("radius", "reach"))
