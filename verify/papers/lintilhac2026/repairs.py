"""Repaired forms: each display is, identically, what the calculus derives block by block; or, of the norms, at least
that for every degree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Integer, Symbol, ceiling

from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import less
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.prove.repairs import same_display

P = "lintilhac2026/"


def derived(key: str, part: str) -> Callable[[Setting], list[Step]]:
    return lambda setting: registry.find(key).part(part).steps("derived", setting)


for number, parts in (("14", ("total",)), ("13", ("bound",)), ("5", ("trace", "order"))):
    check(P + number)(
        same_display(P + number, {part: derived(P + number, part) for part in parts}, how="block by block")
    )

# --- 2: the first term computed ---------------------------------------------------------------------------------------


@check(P + "2")
def computed(effort: Effort) -> Result:
    """The prior is fixed and its divergence bounded before the sample is seen, so that the best temperature is."""
    loss = formula(P + "E.2", "derived", "risk", norm_squared=formula(P + "10", "repaired", "total"))
    note = "E.2 for losses clipped at twice the constant, with the norm as it should read in 10."
    return conclude(note, [same(formula(P + "2", "repaired", "computed"), loss)], rung="identity", part="computed",
                    form="repaired")  # fmt: skip


# --- 10: squared norms ------------------------------------------------------------------------------------------------


def outer() -> list[Proof]:
    """The last of e even numbers from 0 on is 2 (e - 1), at most D."""
    D, e = (Symbol(name, positive=True) for name in ("D", "e"))
    found = formula(P + "10", "derived", "F").replace(ceiling, lambda _: e)
    return [
        polynomial(e <= D / 2 + 1, 2 * (e - 1) <= D, control=e <= D / 2),
        same(found.subs(e, D / 2 + 1), formula(P + "10", "repaired", "F")),
    ]


@check(P + "10")
def norms(effort: Effort) -> Iterator[Result]:
    note = "No more than D/2 + 1 of the numbers 0, ..., D are even (z3)"
    yield conclude(note, outer(), part="F", form="repaired")
    D = Symbol("D", positive=True)
    offsets = formula(P + "10", "derived", "Gamma")
    missing = formula(P + "10", "derived", "total") - offsets - formula(P + "10", "derived", "F")
    shown = formula(P + "10", "repaired", "total") - formula(P + "10", "repaired", "F")
    bounded = polynomial(offsets <= 4 * (D + 1), D >= 1, control=offsets <= less * Integer(5) / 2 * (D + 1))
    yield conclude(f"{note}; the offsets are at most 4 (D + 1) (z3); all other blocks are as derived.",
                   [*outer(), bounded, same(shown, missing + 4 * (D + 1))], part="total", form="repaired")  # fmt: skip
