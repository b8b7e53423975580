"""What the calculus says of a module, as an inequality that can be attacked: its sensitivity beside its forward.

Two sets of weights of the class and two inputs: the outputs differ by at most what the Lipschitz constant and the
coefficients say, the output has at most the stated radius, and so have the vectors on which each weight acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from flint import arb, fmpq
from sympy import Expr, Integer, Symbol, sympify

from maurey.numeric.types import Either
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import (
    EqualHeads,
    Layers,
    Module,
    Offset,
    Sensitivity,
    Sequence,
    Signal,
    matrices_of,
    parts_of,
)
from maurey.symbolic.modules.layers import written_out
from maurey.symbolic.norms import Matrix
from maurey.verify.tensors import torch

from .forwards import OFFSET, Seen, forward, largest, lengths, tokens, turned
from .inequality import Inequality, Sides, Values, Variable, bound_of, run_steps

INPUT, MOVED = "X", "~"  # the name of the input; the mark of what was moved
NORM_KINDS = ("spectral", "frobenius", "rows", "columns", "row_sum", "column_sum")


def moved_by(change: Either, how: str, x: Either, keys: Either) -> Any:
    """How far a weight moves on the vectors it acts on."""
    if how == "score":
        return largest(abs(x @ change @ turned(keys)), 2)
    if how == "keys":  # a score x . S z, as the vectors S z
        return tokens(keys @ turned(change))
    if how == "entry":
        return largest(abs(change), 2)
    if how == "columns":
        return tokens(turned(change))
    if how == "scale":
        return tokens(x * turned(change))
    if how == "largest":
        return largest(abs(x @ turned(change)), 2)
    return tokens(x @ (change if how == "queries" else turned(change)))


def reached(how: str, x: Either, keys: Either) -> Any:
    """The largest norm of the vectors it acts on; of scores, of the outer products; of a table, of one-hot vectors."""
    if how == "columns":
        return largest(x, 2) * 0 + 1
    return tokens(x) * tokens(keys) if how == "score" else tokens(keys if how == "keys" else x)


def asked_of(D: Derivation, s: Sensitivity, sizes: Mapping[str, int]) -> dict[str, Expr]:
    """All that a sensitivity states, by name; of layers, one by one."""
    asked = {"radius": s.output.radius}
    with suppress(ValueError):  # scores that nothing bounds, or words: then the input stays where it is
        asked["lipschitz"] = s.lipschitz()
    for w in s.weights:
        label, stated = w.matrix.label, {"coefficient": w.coefficient, "reach": w.radius}
        if w.over is None:
            asked |= {f"{what} of {label}": expr for what, expr in stated.items()}
            continue
        index, number = w.over
        for n in range(1, int(number.subs({Symbol(name): size for name, size in sizes.items()})) + 1):
            here = {index: Integer(n)}
            asked |= {f"{what} of {label}_{n}": expr.xreplace(here) for what, expr in stated.items()}
    return asked


def laid_out(module: Any, sizes: Mapping[str, int]) -> Any:
    """With its layers one after the other."""
    if isinstance(module, Layers):
        return written_out(module, int(module.number.subs({Symbol(name): size for name, size in sizes.items()})))
    return replace(module, modules=tuple(laid_out(part, sizes) for part in module.modules)) if isinstance(
        module, Sequence
    ) else module  # fmt: skip


def far_enough(module: Module, X: Either, v: Values) -> Any:
    """1 where a norm's tokens vary as much as it assumes, else 0."""
    least = getattr(module, "least", None)
    if least is None:
        return 1
    x = X - X.sum(-1)[..., None] / X.shape[-1] if getattr(module, "centred", False) else X
    short = largest(-lengths(x)[..., None, :], 2) + bound_of(least, v)
    return int(short <= 0) if isinstance(X, np.ndarray) else (short <= 0).to(X.dtype)


def inequality(
    module: Module, radius: Expr, sizes: Mapping[str, int], bounds: Mapping[str, Any], sigma: str = "identity"
) -> Inequality:
    """Targets: `moved` (the outputs), `radius` (of the output) and `reach` (the vectors that weights act on).

    `sizes` gives values to the symbols of dimensions, T, H and L among them, and what the input has that is not T x d
    (`tokens`, `inputs`); `bounds` gives decades to all others.
    """
    D = Derivation()
    count = sizes.get("tokens", sizes["T"])
    s = module.sensitivity(D, Signal(radius, Integer(1), Integer(count)))
    steps = {name: D.steps_to(D.let(name, "", expr, "")) for name, expr in asked_of(D, s, sizes).items()}
    module = laid_out(module, sizes)
    numbers = {Symbol(name): size for name, size in sizes.items()}
    labels = matrices_of(module)
    equal = [part for part in parts_of(module) if isinstance(part, EqualHeads)]
    copies = {label: part.number for part in equal for label in matrices_of(part)}

    def shape(M: Matrix) -> tuple[int, ...]:
        axes = [copies[M.label]] if M.label in copies else []
        return tuple(int(sympify(n).subs(numbers)) for n in (*axes, M.outputs, M.inputs))

    def norms(M: Matrix) -> dict[str, Expr]:
        return {kind: getattr(M, kind) for kind in NORM_KINDS if getattr(M, kind) is not None}

    width = sizes.get("inputs", sizes["d"])
    variables = {INPUT: Variable((count, width), {"rows": radius})}
    variables |= {name: Variable(shape(M), norms(M)) for name, M in labels.items()}
    still = set() if "lipschitz" in steps else {INPUT}
    variables |= {n + MOVED: Variable(v.shape, v.norms, near=n) for n, v in variables.items() if n not in still}
    for part in parts_of(module):
        if isinstance(part, Offset):
            variables[OFFSET] = Variable((count, width), {"rows": part.bound})

    def given(bounds: Values) -> dict[str, Any]:
        some = next(b for v in bounds.values() for b in (v if isinstance(v, list) else [v]))
        sized = {name: fmpq(size) if isinstance(some, arb) else some * 0 + size for name, size in sizes.items()}
        return sized | {name: run_steps(own, {**sized, **bounds}) for name, own in steps.items()}

    def size_of(output: Either) -> Any:
        return largest(abs(output), 2) if s.output.largest else tokens(output)

    def sides(v: Values) -> Sides:
        fixed: dict[str, Any] = {OFFSET: v.get(OFFSET)}
        here, there = (fixed | {name: v[name + mark] for name in labels} for mark in ("", MOVED))
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
        size, met = size_of(before), far_enough(module, X, v) * far_enough(module, Y, v)
        found = {"moved": (size_of(before - after) * met, allowed * met, size), "radius": (size, v["radius"], size)}
        if reach:
            worst = reduce(arb.max, reach) if isinstance(X, np.ndarray) else torch.stack(reach).amax(0)
            found["reach"] = (worst, worst * 0 + 1, worst)
        return found

    return Inequality(variables, bounds, sides, given, still=("radius", "reach"))
