"""What is told of a claim: a row of the list, its page, its record, and its derivation."""

from __future__ import annotations

import json
from typing import Any

from maurey.symbolic import printing
from maurey.symbolic.claim import HIDES, SOURCES, Claim, Part, Setting
from maurey.symbolic.expressions import text_of
from maurey.symbolic.printing import plain
from maurey.verify.evidence import Standing, proved_form, reason, shortest_erratum

from .columns import fitted


def source_mark(claim: Claim) -> str:
    """Where its printed forms come from, in brackets, if not all were simply read in the paper."""
    unlike = [origin for origin in claim.origins if origin != "printed"]
    return f" ({', '.join(unlike)})" if unlike else ""


def as_printed(claim: Claim, standing: Standing) -> str:
    """The verdict in words, what it stands on, and where the text is from."""
    return f"{standing.words}{source_mark(claim) if standing.verdict else ''}"


def verdict_in_brief(claim: Claim, standing: Standing) -> str:
    """For a list. A star: under a condition that the paper does not state."""
    if standing.verdict == "holds" and standing.evidence is None:
        return "nothing to check"
    return (
        f"{standing.verdict}{'*' if standing.where else ''}{source_mark(claim)}"
        if standing.verdict
        else standing.problem
    )


def row(claim: Claim, standing: Standing) -> dict[str, Any]:
    return {
        "key": claim.key,
        "paper": claim.paper,
        "number": claim.number,
        "title": claim.title,
        "kind": claim.kind,
        "uses": list(claim.uses),
        "forms": list(claim.forms),
        "verdict": standing.verdict,
        "where": standing.where or None,
        "evidence": standing.evidence,
        "replayed": standing.replayed,
        "problem": standing.problem or None,
    }


def record(claim: Claim, standing: Standing, forms: list[str], setting: Setting) -> dict[str, Any]:
    return row(claim, standing) | {
        "statement": " ".join(claim.statement.split()),
        "symbols": [
            {"name": p.name, "latex": p.latex, "meaning": p.meaning, "domain": p.domain,
             "index": p.index or None, "optional": p.optional}
            for p in claim.symbols
        ],
        "assumes": [assumption.text for assumption in claim.assumes],
        "constants": [
            {"name": c.name, "value": str(c.value), "meaning": c.meaning, "source": c.source} for c in claim.constants
        ],
        "parts": [
            {"name": p.name, "lhs": p.lhs, "meaning": p.meaning, "relation": p.relation, "hides": p.hides or None,
             "forms": list(p.forms), "source": claim.origin_of(p.name)}
            for p in claim.parts
        ],
        "latex": {name: printing.latex_of(claim, name, setting) for name in forms},
        "reference": claim.reference or None,
        "source": claim.source,
    }  # fmt: skip


def page(claim: Claim, standing: Standing, forms: list[str], setting: Setting, part: str = "", width: int = 100) -> str:
    """Verdict first; then what is stated, in which symbols, and the forms that are asked for."""
    lines = fitted(f"{claim.key}  {plain(claim.title)}  ({claim.kind})", width, "  ")
    lines += fitted(f"as printed: {as_printed(claim, standing)}", width, "  ")
    if standing.verdict == "fails":
        lines += fitted(f"erratum: {plain(shortest_erratum(claim))}", width, "  ")
        use = proved_form(claim)
        lines += [f"use --form {use} instead" if use else "no form of it is proved"]
    if standing.verdict == "undecided":
        lines += fitted(f"why: {plain(reason(claim))}", width, "  ")
    lines += ["", *fitted(plain(claim.statement), width), ""]
    across = max((len(p.name) for p in claim.names), default=0)
    for p in claim.symbols:
        notes = [p.domain, *([f"one per {p.index}"] if p.index else []), *(["optional"] if p.optional else [])]
        lines += fitted(f"  {p.name:<{across}}  {plain(p.meaning)} ({', '.join(notes)})", width, " " * (across + 2))
    for c in claim.constants:
        told = f"  {c.name:<{across}}  {plain(c.meaning)} (= {c.value}; {c.source})"
        lines += fitted(told, width, " " * (across + 2))
    for assumption in claim.assumes:
        lines += fitted(f"  assumes that {assumption.text}", width, "    ")
    if claim.uses:
        lines += ["", *fitted(f"uses {', '.join(claim.uses)}", width, "  ")]
    if claim.reference:
        lines += ["", *fitted(f"taken from {claim.reference}", width, "  ")]
    for told in _sources(claim):
        lines += ["", *fitted(told, width, "  ")]
    parts = [one for one in claim.parts if part in ("", one.name)]
    for one in parts:
        for form in forms:
            if form in one.forms:
                shown = formula(one, form, setting)
                first = next(other for other in parts if getattr(other, form) is getattr(one, form))
                if first is not one and form != "printed":  # parts that differ only in print share the rest
                    shown = [shown[0], f"  as of {first.name}"]
                lines += ["", *(line for text in shown for line in fitted(text, width, "      "))]
    folded = [form for form in claim.forms if form not in forms and any(form in one.forms for one in parts)]
    if folded:
        lines += [
            "",
            *fitted(f"more: {', '.join(f'--form {form}' for form in folded)}; maurey trace {claim.key}", width),
        ]
    return "\n".join(lines)


def _sources(claim: Claim) -> list[str]:
    """Where its printed forms come from; part by part, where that differs."""
    named = {part.name: claim.source_of(part.name) for part in claim.parts} or {"": claim.source}
    told = []
    for source in dict.fromkeys(named.values()):
        word, _, more = source.partition(": ")
        own = [name for name, one in named.items() if one == source]
        which = f"{', '.join(own)}: " if len(own) < len(named) else ""
        told += [f"{which}{word}: {SOURCES[word]}{f'; {more}' if more else ''}"] if word != "printed" else []
    return told


def warning(claim: Claim, standing: Standing, form: str) -> str:
    """That a form fails, and which to take instead; nothing if it does not."""
    if form != "printed" or standing.verdict != "fails":
        return ""
    use = proved_form(claim)
    instead = f"take --form {use}" if use else "no form of it is proved"
    return f"the printed form fails ({standing.evidence}): {instead}"


def formula(part: Part, form: str, setting: Setting) -> list[str]:
    *where, last = part.steps(form, setting)
    relation = part.relation_of(form)
    hides = f", hides {part.hides}" if relation in HIDES and part.hides else ""
    lines = [f"{form} ({plain(part.meaning)}{hides}):", f"  {part.name} {relation} {text_of(last.expr)}"]
    return lines + [f"    where {step.shown} = {text_of(step.expr)}" for step in where]


def derivation(claim: Claim, part: Part, form: str, setting: Setting, as_json: bool) -> str:
    """Step by step, each with its reason and the claim that justifies it."""
    steps = part.steps(form, setting)
    if as_json:
        printer = printing.printer_of(claim, steps)
        rows = [
            {"step": i, "name": s.name, "expression": text_of(s.expr),
             "latex": f"{printing.step_latex(s)} = {printer.doprint(s.expr)}", "reason": s.reason, "key": s.key or None,
             "differs": claim.departure(s, form) or None}
            for i, s in enumerate(steps, 1)
        ]  # fmt: skip
        return json.dumps({"key": claim.key, "part": part.name, "form": form, "steps": rows}, indent=1)
    lines = [f"{claim.key}  {plain(claim.title)}", f"{form} form of {part.name}: {plain(part.meaning)}", ""]
    told: set[str] = set()
    for i, s in enumerate(steps, 1):
        lines.append(f"({i}) {s.shown} {part.relation_of(form) if s is steps[-1] else '='} {text_of(s.expr)}")
        lines.append(f"      {plain(s.reason)}{f'  [{s.key}]' if s.key not in ('', claim.key) else ''}")
        departure = claim.departure(s, form)
        if departure and departure not in told:
            told.add(departure)
            lines.append(f"      differs from the printed proof: {plain(departure)}")
    return "\n".join(lines)


def side_by_side(claim: Claim, part: Part, forms: tuple[str, str], setting: Setting, as_json: bool) -> str:
    """Two forms of one part, their steps matched by name; what only one of them has stands alone."""
    left, right = ({s.shown: s for s in claim.part_with(form, part.name).steps(form, setting)} for form in forms)
    rows = []
    for n in list(left) + [name for name in right if name not in left]:
        texts = {
            form: text_of(side[n].expr) if n in side else None for form, side in zip(forms, (left, right), strict=True)
        }
        same = n in left and n in right and left[n].expr == right[n].expr
        rows.append({"name": n, **texts, "same": same})
    if as_json:
        return json.dumps({"key": claim.key, "part": part.name, "forms": list(forms), "steps": rows}, indent=1)
    lines = [f"{claim.key}  {plain(claim.title)}", f"{part.name}: {forms[0]} against {forms[1]}", ""]
    for one in rows:
        if one["same"]:
            lines.append(f"{one['name']} = {one[forms[0]]}  (the same)")
        else:
            lines += [str(one["name"]), *(f"  {form:<8} {one[form] or '-'}" for form in forms)]
    return "\n".join(lines)
