"""A claim in LaTeX: its forms with their "where" clauses, its derivations, its words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sympy import Expr

from .claim import HIDES, RELATIONS, Claim, Part, Setting
from .derivation import Step
from .expressions import Latex, with_index
from .tidying import tidied

# How inline LaTeX reads in a terminal.
_SIGNS = {
    r"\\ell": "l",
    r"\\infty": "inf",
    r"\\varepsilon": "eps",
    r"\\le(?![a-z])": " <= ",
    r"\\ge(?![a-z])": " >= ",
    r"\\ne(?![a-z])": " != ",
    r"\\pm(?![a-z])": "+-",
    r"\\lesssim\b": " <~ ",
    r"\\sim\b": " ~ ",
    r"\\in\b": " in ",
    r"\\(to|mapsto)\b": " -> ",
    r"\\leftarrow\b": " <- ",
    r"\\times\b": " x ",
    r"\\dots": "...",
    r"\\top\b": "T",
    r"\\\|": "|",
    r"\\cdot(?![a-z])": " . ",
    r"\\lfloor": "floor(",
    r"\\rfloor": ")",
    r"\\langle": "<",
    r"\\rangle": ">",
    r"\\[,;!]": " ",
    r"\\(mathrm|mathcal|mathbb|mathfrak|text)\s*": "",
    r"\\(hat|bar|tilde|sum|sup|max|min|log|exp|inf|subset|ni)\b": r"\1 ",
    r"\\([{}])": r"\1",
    r"\\([A-Za-z]+)": r"\1",
    r"\s+(?=[_^])": "",
}


# Fractions, roots and long indices, before braces go; their arguments hold none.
_NESTED = {
    r"(?<=[A-Za-z0-9}])(?=\\[A-Za-z])": " ",
    r"([_^](?:\{[^{}]*\}|[A-Za-z0-9]))(?=[A-Za-z])": r"\1 ",
    r"\\[td]?frac\s*(\\[A-Za-z]+|\w)\s*(\\[A-Za-z]+|\w)": r"\1/\2",
    r"\\[td]?frac\s*(?:\{([^{}]*)\}|(\w))\s*(?:\{([^{}]*)\}|(\w))": r"(\1\2)/(\3\4)",
    r"\\sqrt\s*\{([^{}]*)\}": r"sqrt(\1)",
    r"\\sqrt\s*(\\?\w+)": r"sqrt(\1)",
    r"([\^_])\{([^{}]+(?:[-+/(=<>]|\\(?:le|ge|ne|in)\b)[^{}]*)\}": r"\1(\2)",
}


def plain(text: str) -> str:
    """Titles and statements carry inline LaTeX; this is how they read in a terminal."""

    def formula(match: re.Match[str]) -> str:
        inner = match.group(1)
        for pattern, written in _NESTED.items():
            inner = re.sub(pattern, written, inner)
        inner = re.sub(r"(?<!\\)[{}]", "", inner)
        for pattern, sign in _SIGNS.items():
            inner = re.sub(pattern, sign, inner)
        return " ".join(inner.split())

    return " ".join(re.sub(r"\$([^$]*)\$", formula, text).split())


def printer_of(claim: Claim, steps: Iterable[Step] = (), hidden: str = "") -> Latex:
    names = {p.name: p.latex for p in claim.names}
    names |= {step.name: step.latex for step in steps}
    return Latex(names, {p.name: p.index for p in claim.symbols}, hidden)


def typeset_expr(claim: Claim, part: Part, form: str, expr: Expr) -> Expr:
    """What the paper prints, term by term; all else tidied."""
    as_read = form == "printed" and claim.origin_of(part.name) in ("printed", "damaged")
    return expr if as_read else tidied(expr)


def _rows(claim: Claim, part: Part, form: str, setting: Setting, said: str) -> list[str]:
    *where, last = part.steps(form, setting)
    relation = part.relation_of(form)
    printer = printer_of(claim, where, hidden="C0" if relation in HIDES else "")
    rows = [rf"{part.lhs} &{RELATIONS[relation]} {printer.doprint(typeset_expr(claim, part, form, last.expr))}{said}"]
    for i, step in enumerate(where):
        right = printer.doprint(typeset_expr(claim, part, form, step.expr))
        rows.append((r"\text{where}\quad " if i == 0 else "") + f"{step_latex(step)} &= {right}")
    return rows


def step_latex(step: Step) -> str:
    return step.latex if step.over is None else with_index(step.latex, str(step.over[0]))


def latex_of(claim: Claim, form: str, setting: Setting | None = None, part: str = "") -> str:
    """All parts that have the form, as one display; steps become "where" clauses. Those of one left side are told apart
    by what they are."""
    parts = [p for p in claim.parts if form in p.forms and part in ("", p.name)]
    once = {getattr(p, form): p for p in reversed(parts)}  # parts that differ only in print share what is derived
    parts = [p for p in parts if once[getattr(p, form)] is p]
    rows = []
    for p in parts:
        alike = sum(other.lhs == p.lhs for other in parts) > 1
        said = rf" \quad {_words(f'({p.meaning})')}" if alike else ""
        rows += _rows(claim, p, form, setting or Setting(), said)
    if len(rows) == 1:
        return rows[0].replace("&", "", 1)
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def trace_latex(claim: Claim, part: Part, form: str, setting: Setting) -> str:
    """The derivation as aligned LaTeX, one line per step, in the order in which the steps are made."""
    steps = part.steps(form, setting)
    printer = printer_of(claim, steps)
    rows = []
    for i, step in enumerate(steps, 1):
        reason = f"{step.reason} [{step.key}]" if step.key not in ("", claim.key) else step.reason
        if claim.departure(step, form):
            reason += f"; differs from the printed proof: {claim.departure(step, form)}"
        sign = RELATIONS[part.relation_of(form)] if step is steps[-1] else "="
        right = printer.doprint(typeset_expr(claim, part, form, step.expr))
        rows.append(rf"({i})\quad {step_latex(step)} &{sign} {right} && {_words(reason)}")
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def _words(reason: str) -> str:
    """A reason as LaTeX: words as text, what stands between dollar signs as it is."""
    pieces = [piece if i % 2 else rf"\text{{{piece}}}" for i, piece in enumerate(reason.split("$")) if piece]
    return "".join(pieces)
