"""Formulas of claims as MathML: one line of LaTeX, or several where it is too wide for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from maurey.symbolic.claim import HIDES, Claim, Part, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.expressions import Latex
from maurey.symbolic.printing import printer_of, step_latex
from maurey.symbolic.typesetting import Broken, width

from .maths import breakable, mathml

TWO = Setting()  # lists per layer and per head are shown for two
SIGNS = {"<=": "≤", ">=": "≥", "=": "=", "<~": "≲", ">~": "≳"}
ROOM = 60.0  # what a line of the page holds, in widths of a letter


@dataclass(frozen=True)
class Formula:
    """A left side, a relation, and the lines of the right side."""

    left: Markup
    relation: str
    lines: tuple[Markup, ...]
    wide: bool = False  # its left side stands on a line of its own


def lines_of(printer: Latex, expr: Any, room: float) -> tuple[Markup, ...]:
    """Broken at its sums and products where it is wider than that; a narrow screen may break it further."""
    text = printer.doprint(expr)
    pieces = [text] if width(text) <= room else Broken(printer).lines(expr, room)
    return tuple(breakable(f"{{}}{one}" if n else one) for n, one in enumerate(pieces))


def formula(printer: Latex, left: str, relation: str, expr: Any, room: float = ROOM) -> Formula:
    wide = width(left) > room / 4
    lines = lines_of(printer, expr, room if wide else room - width(left) - 2)
    return Formula(mathml(left, display=True), SIGNS[relation], lines, wide)


def right_side(claim: Claim, part: Part, form: str, steps: list[Step]) -> tuple[Formula, list[Formula]]:
    """The last step against what is bounded, and before it what its letters stand for."""
    *where, last = steps
    relation = part.relation_of(form)
    printer = printer_of(claim, where, hidden="C0" if relation in HIDES else "")
    main = Formula(mathml(part.lhs, display=True), SIGNS[relation], lines_of(printer, last.expr, ROOM))
    return main, [formula(printer, step_latex(step), "=", step.expr) for step in where]


def derived(claim: Claim, part: Part, form: str, steps: list[Step], step: Step) -> Formula:
    """One step of a derivation, in the letters of the others."""
    relation = part.relation_of(form) if step is steps[-1] else "="
    return formula(printer_of(claim, steps), step_latex(step), relation, step.expr)
