"""How things show themselves in a notebook: plain text, HTML with formulas between dollar signs, and LaTeX.

The rooms know nothing of this: `with_display` teaches the class of what one of them returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from html import escape
from typing import Any, TypeVar

from maurey.symbolic.errors import cut
from maurey.symbolic.printing import latex_of, plain, printer_of, step_latex

Bundle = dict[str, str]
Thing = TypeVar("Thing")
COLORS = {"holds": "#1a7f37", "fails": "#cf222e", "undecided": "#9a6700"}
DIGITS = 30  # of a number, beyond which it is cut
LONGEST = 4000  # characters of a formula
MOST = 40  # rows of a table


def with_display(found: Thing) -> Thing:
    """The same thing; its class knows from now on how to show itself, in a notebook and when it is printed."""
    kind: Any = type(found)
    if not hasattr(kind, "_repr_mimebundle_"):
        kind._repr_mimebundle_ = lambda self, include=None, exclude=None: bundle(self)
        if kind.__str__ is object.__str__:
            kind.__str__ = lambda self: bundle(self)["text/plain"]
    return found


def bundle(found: Any) -> Bundle:
    """What IPython asks for: a text for each type of display."""
    for kind in type(found).__mro__:
        if kind.__name__ in RENDERERS:
            return RENDERERS[kind.__name__](found)
    return {"text/plain": repr(found)}


def _claim(view: Any) -> Bundle:
    from maurey.pages.claims import as_printed
    from maurey.verify.evidence import standing_or_problem

    claim, standing = view.record, standing_or_problem(view.record)
    form = "printed" if "printed" in claim.forms else claim.default_form
    formula = latex_of(claim, form) if claim.parts else ""
    names, known = ", ".join(p.name for p in claim.names), as_printed(claim, standing)
    lines = [f"{claim.key}  {plain(claim.title)}  ({claim.kind})", f"as printed: {known}"]
    lines += [cut(plain(claim.statement), 400), *([f"takes {names}"] if names else [])]
    pieces = [
        f"<p><b>{_text(claim.key)}</b> {_text(claim.title)} <i>({claim.kind})</i><br>"
        f"as printed: {_colored(standing.verdict, known)}</p>",
        f"<p>{_text(' '.join(claim.statement.split()))}</p>",
        f"<p>{_text(_math(formula, '$$'))}</p>",
        *([f"<p>takes {', '.join(_symbol(p) for p in claim.names)}</p>"] if names else []),
    ]
    found = {"text/plain": "\n".join(lines), "text/html": _block(pieces)}
    if len(formula) <= LONGEST:
        found["text/latex"] = f"$\\displaystyle {formula}$" if formula else " ".join(claim.statement.split())
    return found


def _symbol(p: Any) -> str:
    return f'<code title="{escape(plain(p.meaning))}">{p.name}</code> {_text(f"${p.latex}$")}'


def _enclosure(found: Any) -> Bundle:
    formula = (
        rf"{_number(found.value)} \in [{_number(found.lower, ROUND_FLOOR)}, {_number(found.upper, ROUND_CEILING)}]"
    )
    return _with_formula(repr(found), formula, f"certified to {found.digits} digits")


def _samples(found: Any) -> Bundle:
    before = f", and ${_number(found.before.value)}$ one before" if found.before else ""
    words = f"samples; the bound is ${_number(found.at_m.value)}$ there{before}"
    return _with_formula(repr(found), _number(found.m), words)


def _blame(found: Any) -> Bundle:
    rows = [
        (row.name, row.value, f"{row.share:.4f}", f"{100 * row.share / found.log:.1f} %" if found.log else "",
         "" if row.halved is None else f"{row.halved:.4g}")
        for row in found.shares
    ]  # fmt: skip
    head = ("quantity", "value", "share of the logarithm", "in percent", "bound after halving it, divided by the bound")
    total = f"<p>log of the bound: {found.log:.6g}</p>"
    return {"text/plain": repr(found), "text/html": _block([total, _table(head, rows)])}


def _comparison(found: Any) -> Bundle:
    from maurey.pages.comparison import page
    from maurey.symbolic import registry

    text = "\n".join(page(found, found.notes, "")).rstrip()
    formulas = [(c.label, _math(latex_of(registry.find(c.key), c.form, part=c.part))) for c in found.curves]
    pieces = [f"<p>{_text(repr(found)[1:-1])}</p>", _table(("curve", "formula"), formulas), f"<pre>{_text(text)}</pre>"]
    return {"text/plain": text, "text/html": _block(pieces)}


def _verdict(found: Any) -> Bundle:
    """Of a page: its text, the verdict in color."""
    text, verdict = str(found), str(found.verdict)
    return {"text/plain": text, "text/html": _block([f"<p>{_colored(verdict, verdict)}</p><pre>{_text(text)}</pre>"])}


def _row(found: Any) -> Bundle:
    from maurey.symbolic import registry

    claim = registry.find(found.key)
    formula = latex_of(claim, "printed") if "printed" in claim.forms else ""
    pieces = [f"<p><b>{_text(found.key)}</b> {_text(claim.title)}: {_colored(found.verdict, found.words)}</p>"]
    pieces += [f"<p>{_text(_math(formula, '$$'))}</p>", f"<pre>{_text(str(found))}</pre>"]
    return {"text/plain": str(found), "text/html": _block(pieces)}


def _claims(found: Any) -> Bundle:
    from maurey.pages.claims import as_printed
    from maurey.verify.evidence import standing_or_problem

    rows = [(c.key, c.title, c.kind, as_printed(c.record, standing_or_problem(c.record))) for c in found[:MOST]]
    head = ("key", "title", "kind", "as printed")
    return {"text/plain": str(found), "text/html": _block([f"<p>{_text(repr(found)[1:-1])}</p>", _table(head, rows)])}


def _errata(found: Any) -> Bundle:
    rows = [_told(entry) for entry in found[:MOST]]
    table = _table(("claim", "part", "status", "what is wrong", "as printed"), rows) if rows else ""
    return {"text/plain": str(found), "text/html": _block([f"<p>{_text(repr(found)[1:-1])}</p>", table])}


def _erratum(entry: Any) -> Bundle:
    return {"text/plain": repr(entry)[1:-1], "text/html": _block([_table((), [_told(entry)])])}


def _told(entry: Any) -> tuple[str, ...]:
    formula = _math(entry.get("printed") or "")
    return entry["key"], entry["part"], entry["status"], cut(entry["note"], 500), formula


def _steps(found: Any) -> Bundle:
    printer = printer_of(found.claim, found)
    rows = [
        (str(n), _math(f"{step_latex(step)} = {printer.doprint(step.expr)}"), step.reason, step.key)
        for n, step in enumerate(found[:MOST], 1)
    ]
    return {"text/plain": str(found), "text/html": _block([_table(("", "step", "reason", "claim"), rows)])}


def _report(found: Any) -> Bundle:
    head = ("route", "gap", "below the range from m =", "speaks of", "claim")
    rows = [
        (row["route"], "refused" if row["refused"] else (row["gap"] or {}).get("upper", ""), row["m_least"] or "",
         row["speaks_of"], row["key"])
        for row in found.routes
    ]  # fmt: skip
    short = [(r, g[:10], m if len(m) < 16 else f"about 10^{len(m) - 1}", *more) for r, g, m, *more in rows]
    pieces = [f"<p>{_text(repr(found)[1:-1])}</p>", _table(head, short)]
    return {"text/plain": str(found), "text/html": _block(pieces)}


RENDERERS: dict[str, Callable[[Any], Bundle]] = {
    "ClaimView": _claim,
    "Enclosure": _enclosure,
    "Samples": _samples,
    "Blame": _blame,
    "Comparison": _comparison,
    "Page": _verdict,
    "Verdict": _row,
    "Claims": _claims,
    "Errata": _errata,
    "Entry": _erratum,
    "Steps": _steps,
    "BoundReport": _report,
}


# --- pieces -----------------------------------------------------------------------------------------------------------


def _math(formula: str, mark: str = "$") -> str:
    """Between dollar signs; not cut, for half a formula is none."""
    long = f"a formula of {len(formula)} characters: ask for .latex()"
    return "" if not formula else f"{mark}{formula}{mark}" if len(formula) <= LONGEST else long


def _text(text: str) -> str:
    """Formulas stand in it as they are: MathJax reads what a browser has unescaped."""
    return escape(text, quote=False)


def _colored(verdict: str | None, words: str) -> str:
    return f'<b style="color: {COLORS.get(verdict or "", "inherit")}">{_text(words)}</b>'


def _block(pieces: Iterable[str]) -> str:
    return f"<div>{''.join(pieces)}</div>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["".join(f"<th>{_text(name)}</th>" for name in head)]
    lines += ["".join(f'<td style="text-align: left">{_text(cell)}</td>' for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines if line)}</table>"


def _with_formula(text: str, formula: str, words: str) -> Bundle:
    return {
        "text/plain": text,
        "text/html": _block([f"<p>{_text(f'${formula}$ {words}')}</p>"]),
        "text/latex": f"${formula}$",
    }


def _number(value: Decimal | int, rounding: str = "ROUND_HALF_EVEN") -> str:
    """In LaTeX; of a long one the first digits, rounded as asked for."""
    from maurey.numeric.exact import context

    value = Decimal(value)
    if len(value.as_tuple().digits) > DIGITS:
        value = context(DIGITS, rounding).plus(value)
    mantissa, _, exponent = str(value).partition("E")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa
