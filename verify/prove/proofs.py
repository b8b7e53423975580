"""Proofs by machine: their steps, what follows from them, and the formulas that they are about.

A prover that decides nothing says so, and a false step refutes a proof, not the claim that it was to prove.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Indexed, Integer, Rational, Symbol, sympify

from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.verify.checks import Result


@dataclass(frozen=True)
class Proof:
    """Whether a statement was proved (True), is false at the witness (False), or was not decided (None)."""

    verdict: bool | None
    text: str
    witness: Mapping[str, str] = field(default_factory=dict)


def conclude(note: str, proofs: Iterable[Proof], **fields: Any) -> Result:
    """A claim holds if every step of its proof does. A step that does not leaves the claim open."""
    fields = {"rung": "proved", **fields}
    for proof in proofs:
        if proof.verdict is not True:
            at = f", false at {dict(proof.witness)}" if proof.witness else ""
            return Result("undecided", note=f"a step is not proved: {proof.text}{at}", **fields)
    return Result("holds", note=note, **fields)


def formula(key: str, form: str = "printed", part: str = "", **values: Expr | int) -> Expr:
    """A form of a claim as one expression, its constants and whatever is given put in."""
    claim = registry.find(key)
    constants = {c.name: Rational(c.value.numerator, c.value.denominator) for c in claim.constants}
    sizes = {name: value for name, value in values.items() if isinstance(value, int)}
    return nested(claim.part(part).steps(form, Setting(sizes)), **{**constants, **values})


def _entries(step: Step, given: Mapping[Symbol, Expr]) -> Iterator[tuple[Expr, dict[Symbol, Expr]]]:
    """What a step gives a value to: a name, or each entry of a list."""
    if step.over is None:
        yield Symbol(step.name), {}
        return
    index, count = step.over
    for n in range(1, int(count.subs(given)) + 1):
        yield Indexed(step.name, n), {index: Integer(n)}


def nested(steps: Sequence[Step], **values: Expr | int) -> Expr:
    """Steps as one expression in positive symbols."""
    given = {Symbol(name): sympify(value) for name, value in values.items()}
    made: dict[Expr, Expr] = {}
    for step in steps:
        for place, at in _entries(step, given):
            made[place] = step.expr.subs(given | at).doit(integrals=False).xreplace(made).doit(integrals=False)
    expr = made[Symbol(steps[-1].name)]
    letters = {entry: Symbol(str(entry), positive=True) for entry in expr.atoms(Indexed)}
    expr = expr.xreplace(letters)
    return expr.xreplace({s: Symbol(s.name, positive=True) for s in expr.free_symbols if isinstance(s, Symbol)})
