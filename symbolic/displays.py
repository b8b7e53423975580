"""A claim as LaTeX to paste: displays that fit an article's line, and a whole document."""

from __future__ import annotations

from collections.abc import Sequence

from .claim import HIDES, RELATIONS, Claim, Part, Setting
from .printing import printer_of, step_latex, typeset_expr
from .typesetting import rows

WORDS = {"printed": "As printed", "repaired": "As it should read", "derived": "Derived", "sharp": "Best proved"}
PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\allowdisplaybreaks
\sloppy
\begin{document}"""


def display(claim: Claim, part: Part, form: str, setting: Setting) -> str:
    """One form of one part: what is bounded first, then what its letters stand for, one to a line."""
    *where, last = part.steps(form, setting)
    relation = part.relation_of(form)
    printer = printer_of(claim, where, hidden="C0" if relation in HIDES else "")
    lines = [(part.lhs, RELATIONS[relation], last.expr), *((step_latex(step), "=", step.expr) for step in where)]
    fit = [(left, relation, typeset_expr(claim, part, form, expr)) for left, relation, expr in lines]
    body = " \\\\\n".join(rows(printer, fit))
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def constants(claim: Claim, part: Part, form: str, setting: Setting) -> list[str]:
    """What the constants stand for that are shown: not the one that a form hides."""
    used = {symbol.name for step in part.steps(form, setting) for symbol in step.expr.free_symbols}
    hides = "C0" if part.relation_of(form) in HIDES else ""
    found = [c for c in claim.constants if c.name in used and c.name != hides]
    said = [f"${c.latex}={c.value}$, {_escaped(c.meaning)}" for c in found]
    return [f"\\noindent Here {'; '.join(said)}."] if said else []


def reasons(claim: Claim, part: Part, form: str, setting: Setting) -> str:
    """Why the steps of a derivation hold, as text below it, once for all that hold for the same reason; where the
    printed proof does otherwise, that too."""
    alike: dict[str, list[str]] = {}
    for step in part.steps(form, setting):
        cited = f" [{step.key}]" if step.key not in ("", claim.key) else ""
        departs = claim.departure(step, form)
        differs = f" The printed proof differs: {departs}." if departs else ""
        letter = step_latex(step) if step_latex(step) != part.lhs else ""
        said = f"{_escaped(step.reason + cited)}.{_escaped(differs)}"
        alike.setdefault(said, []).append(f"${letter}$" if letter else "In all")
    items = [f"\\item {', '.join(letters)}: {said}" for said, letters in alike.items()]
    return "\\begin{itemize}\n" + "\n".join(items) + "\n\\end{itemize}"


def snippet(claim: Claim, forms: Sequence[str], setting: Setting, part: str = "") -> str:
    """What can be pasted: each form of each part, told apart by what it is; derivations with their reasons."""
    pieces = []
    for form in forms:
        found = [p for p in claim.parts if form in p.forms and part in ("", p.name)]
        once = {getattr(p, form): p for p in reversed(found)}  # parts that differ only in print share the rest
        for one in (p for p in found if once[getattr(p, form)] is p):
            hides = f"; it hides {one.hides}" if form == "printed" and one.hides else ""
            pieces.append(f"\\noindent\\textit{{{WORDS[form]}: {_escaped(one.meaning + hides)}.}}")
            pieces.append(display(claim, one, form, setting))
            pieces += constants(claim, one, form, setting)
            if form in ("derived", "sharp") and len(one.steps(form, setting)) > 1:
                pieces.append(reasons(claim, one, form, setting))
    return "\n".join(pieces)


def document(claim: Claim, forms: Sequence[str], setting: Setting, part: str = "") -> str:
    """A complete file."""
    title = rf"\section*{{{_escaped(claim.key)}: {_escaped(claim.title)}}}"
    body = snippet(claim, forms, setting, part)
    return "\n".join([PREAMBLE, title, _escaped(" ".join(claim.statement.split())), "", body, r"\end{document}"])


def _escaped(text: str) -> str:
    """Words as LaTeX; what stands between dollar signs is LaTeX already."""
    pieces = text.split("$")
    for n in range(0, len(pieces), 2):
        for sign in ("_", "%", "#", "&"):
            pieces[n] = pieces[n].replace(sign, f"\\{sign}")
        pieces[n] = (
            pieces[n].replace("^", r"\^{}").replace("<=", r"$\le$").replace(">=", r"$\ge$").replace("->", r"$\to$")
        )
    return "$".join(pieces)
