"""A module of one's own under attack: what it states of radii, distances and weights, beside what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

from sympy import Indexed, Symbol, sympify

from maurey.symbolic.derivation import Derivation
from maurey.symbolic.errors import InputError, cut
from maurey.symbolic.letters import sizes as letters_of_sizes
from maurey.symbolic.modules import Embedding, Signal, matrices_of, parts_of
from maurey.symbolic.modules.activations import CONSTANTS
from maurey.symbolic.modules.widths import ends
from maurey.symbolic.modules.words import KINDS
from maurey.verify.checks import Effort
from maurey.verify.tensors import torch

from .ascent import attack
from .sensitivity import NORM_KINDS, inequality

DECADES = (-1, 1)  # from which bounds are drawn
STARTS, STEPS = 96, 40


@dataclass(frozen=True)
class Attacked:
    """The largest ratios that were found of what a module does to what it states: of how far its output moves, by what
    was moved; of the radius of its output; of the vectors that weights act on. Above 1 it states too little."""

    ratios: Mapping[str, float]
    refuted: bool | None  # certainly; None where balls could not tell
    instances: int

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {ratio:.3f}" for name, ratio in self.ratios.items())
        verdict = {True: "refuted", False: "none above 1", None: "undecided"}[self.refuted]
        return f"<{self.instances} instances, {verdict}: {told}>"


def attacked(module: Any, sizes: Mapping[str, int], effort: Effort) -> Attacked:
    """`sizes` gives values to the letters of sizes, T tokens and d coordinates of the input among them."""
    sizes = _sizes(module, sizes)
    if not callable(getattr(module, "forward", None)) and type(module).__module__.partition(".")[0] != "maurey":
        raise InputError(f"{type(module).__name__} has no forward(x, run), so that nothing can be held against it")
    ends(module)
    for M in matrices_of(module).values():
        if left := [kind for kind in KINDS if getattr(M, kind) is not None and kind not in NORM_KINDS]:
            raise InputError(f"the attack cannot bound {left[0]} of {M.label}; it knows {', '.join(NORM_KINDS)}")
    try:
        whole = inequality(module, Symbol("R"), sizes, _bounds(module, sizes))
    except ValueError as error:
        raise InputError(str(error)) from None
    torch.set_num_threads(1)
    found = attack(whole, STARTS * effort.scale, STEPS, effort.seed)
    ratios: dict[str, float] = {}
    for (target, moved), ratio in found.tightness.items():
        name = moved.rstrip("~").replace("X", "input") if target == "moved" else target
        ratios[name] = max(ratio, ratios.get(name, 0.0))
    verdicts = [one.refuted for one in found.best.values()]
    refuted = True if True in verdicts else None if None in verdicts else False
    return Attacked(ratios, refuted, found.effective["moved"])


def _sizes(module: Any, given: Any) -> dict[str, int]:
    """Of all letters that are sizes; words are as many as the table has."""
    if not isinstance(given, Mapping):
        raise InputError(f"sizes gives numbers to letters, e.g. sizes={{'T': 3, 'd': 4}}, got {cut(repr(given))}")
    for name in ("T", "d", *sorted(letters_of_sizes(module) - {"T", "d"})):
        if name not in given:
            raise InputError(
                f"sizes lacks {name}: an input has T tokens of d coordinates, e.g. sizes={{'T': 3, 'd': 4}}"
            )
    for name, size in given.items():
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise InputError(f"the size {name} is a positive integer, got {cut(repr(size))}")
    found = {name: int(size) for name, size in given.items()}
    for part in parts_of(module):
        if isinstance(part, Embedding):
            found["inputs"] = int(sympify(part.words.inputs).subs(found))
    return found


def _bounds(module: Any, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Decades for all letters that are no sizes."""
    D = Derivation()
    s = module.sensitivity(D, Signal(Symbol("R"), Symbol("m"), Symbol("T")))
    exprs = [s.output.radius, *(x for w in s.weights for x in (w.coefficient, w.radius))]
    norms = (getattr(M, kind) for M in matrices_of(module).values() for kind in NORM_KINDS)
    exprs += [norm for norm in norms if norm is not None]
    with suppress(ValueError):
        exprs.append(s.lipschitz())
    steps = [step for expr in exprs for step in D.steps_to(expr)]
    letters = {x for expr in (*exprs, *(step.expr for step in steps)) for x in expr.free_symbols}
    made = {step.name for step in steps}
    if any(isinstance(x, Indexed) and str(x.base) not in made for x in letters):
        raise InputError("bounds of one layer, e.g. 'B_V', are attacked, not lists of them, 'B_V[i]'")
    constants = {name: float(Fraction(c.value)) for name, c in CONSTANTS.items()}
    names = {str(x) for x in letters if isinstance(x, Symbol)} - made - set(sizes) - {"m", "i"}
    return {"R": DECADES} | {name: constants.get(name, DECADES) for name in sorted(names)}
