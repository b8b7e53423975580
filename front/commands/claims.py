"""maurey list, show, trace."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from maurey.symbolic import printing, registry
from maurey.symbolic.claim import HIDES, KINDS, SOURCES, Claim, InputError, Part, Setting
from maurey.symbolic.expressions import text_of
from maurey.symbolic.printing import plain
from maurey.verify.evidence import evidence_of

from .options import FormOption, Json, Key, Layers, check_form


def register(app: typer.Typer) -> None:
    app.command("list")(list_claims)
    app.command("show")(show)
    app.command("trace")(trace)


def row(claim: Claim) -> dict[str, Any]:
    return {
        "key": claim.key,
        "paper": claim.paper,
        "number": claim.number,
        "title": claim.title,
        "kind": claim.kind,
        "uses": list(claim.uses),
        "forms": list(claim.forms),
        "evidence": evidence_of(claim),
    }


def list_claims(
    paper: Annotated[str, typer.Option("--paper", help="Only this paper's.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="Only this kind.")] = "",
    as_json: Json = False,
) -> None:
    """Every claim, with its evidence."""
    if kind and kind not in KINDS:
        raise InputError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    found = list(registry.claims_of(paper).values()) if paper else registry.all_claims()
    found = [claim for claim in found if kind in ("", claim.kind)]
    if as_json:
        print(json.dumps([row(claim) for claim in found], indent=1))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("key", "title", "kind", "forms", "evidence"):
        table.add_column(name, no_wrap=name != "title")
    for claim in found:
        table.add_row(claim.key, plain(claim.title), claim.kind, " ".join(claim.forms), evidence_of(claim) or "-")
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=200)
    console.print(table)


def show(
    key: Key,
    form: FormOption = "",
    latex: Annotated[bool, typer.Option("--latex", help="Print the formulas as LaTeX only.")] = False,
    layers: Layers = 2,
    as_json: Json = False,
) -> None:
    """A claim: statement, symbols, constants and its forms."""
    claim, setting = registry.find(key), Setting(default=layers)
    forms = [check_form(form)] if form else list(claim.forms)
    if form:
        claim.part_with(form)
    if as_json:
        print(json.dumps(_record(claim, forms, setting), indent=1))
    elif latex:
        for name in forms:
            print(printing.latex_of(claim, name, setting))
    else:
        print(_page(claim, forms, setting))


def _record(claim: Claim, forms: list[str], setting: Setting) -> dict[str, Any]:
    return row(claim) | {
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
             "forms": list(p.forms)}
            for p in claim.parts
        ],
        "latex": {name: printing.latex_of(claim, name, setting) for name in forms},
        "reference": claim.reference or None,
        "source": claim.source,
    }  # fmt: skip


def _page(claim: Claim, forms: list[str], setting: Setting) -> str:
    lines = [f"{claim.key}  {plain(claim.title)}  ({claim.kind})", "", plain(claim.statement), ""]
    width = max((len(p.name) for p in claim.names), default=0)
    for p in claim.symbols:
        notes = [p.domain, *([f"one per {p.index}"] if p.index else []), *(["optional"] if p.optional else [])]
        lines.append(f"  {p.name:<{width}}  {plain(p.meaning)} ({', '.join(notes)})")
    for c in claim.constants:
        lines.append(f"  {c.name:<{width}}  {plain(c.meaning)} (= {c.value}; {c.source})")
    lines += [f"  assumes that {assumption.text}" for assumption in claim.assumes]
    if claim.uses:
        lines += ["", f"uses {', '.join(claim.uses)}"]
    if claim.reference:
        lines += ["", f"taken from {claim.reference}"]
    if claim.source != "printed":
        lines += ["", f"{claim.source}: {SOURCES[claim.source]}"]
    for form in forms:
        for part in claim.parts:
            if form in part.forms:
                lines += ["", *_formula(part, form, setting)]
    return "\n".join(lines)


def _formula(part: Part, form: str, setting: Setting) -> list[str]:
    *where, last = part.steps(form, setting)
    relation = part.relation_of(form)
    hides = f", hides {part.hides}" if relation in HIDES and part.hides else ""
    lines = [f"{form} ({plain(part.meaning)}{hides}):", f"  {part.name} {relation} {text_of(last.expr)}"]
    return lines + [f"    where {step.shown} = {text_of(step.expr)}" for step in where]


def trace(
    key: Key,
    form: FormOption = "",
    part: Annotated[str, typer.Option("--part", help="A part of the claim.")] = "",
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as aligned LaTeX.")] = False,
    against: Annotated[str, typer.Option("--against", help="Another form, step beside step.")] = "",
    layers: Layers = 2,
    as_json: Json = False,
) -> None:
    """The derivation, step by step, each step with its reason and the claim that justifies it."""
    claim, setting = registry.find(key), Setting(default=layers)
    form = check_form(form) or claim.default_form
    chosen = claim.part_with(form, part)
    steps = chosen.steps(form, setting)
    if against:
        _side_by_side(claim, chosen, (form, check_form(against)), setting, as_json)
    elif as_json:
        printer = printing.printer_of(claim, steps)
        rows = [
            {"step": i, "name": s.name, "expression": text_of(s.expr),
             "latex": f"{printing.step_latex(s)} = {printer.doprint(s.expr)}", "reason": s.reason, "key": s.key or None,
             "differs": claim.departure(s, form) or None}
            for i, s in enumerate(steps, 1)
        ]  # fmt: skip
        print(json.dumps({"key": claim.key, "part": chosen.name, "form": form, "steps": rows}, indent=1))
    elif latex:
        print(printing.trace_latex(claim, chosen, form, setting))
    else:
        print(f"{claim.key}  {plain(claim.title)}\n{form} form of {chosen.name}: {plain(chosen.meaning)}\n")
        told: set[str] = set()
        for i, s in enumerate(steps, 1):
            print(f"({i}) {s.shown} {chosen.relation_of(form) if s is steps[-1] else '='} {text_of(s.expr)}")
            print(f"      {plain(s.reason)}{f'  [{s.key}]' if s.key not in ('', claim.key) else ''}")
            departure = claim.departure(s, form)
            if departure and departure not in told:
                told.add(departure)
                print(f"      differs from the printed proof: {plain(departure)}")


def _side_by_side(claim: Claim, part: Part, forms: tuple[str, str], setting: Setting, as_json: bool) -> None:
    """Two forms of one part, their steps matched by name; what only one of them has stands alone."""
    left, right = ({s.shown: s for s in claim.part_with(form, part.name).steps(form, setting)} for form in forms)
    names = list(left) + [name for name in right if name not in left]
    rows = []
    for n in names:
        texts = {
            form: text_of(side[n].expr) if n in side else None for form, side in zip(forms, (left, right), strict=True)
        }
        same = n in left and n in right and left[n].expr == right[n].expr
        rows.append({"name": n, **texts, "same": same})
    if as_json:
        print(json.dumps({"key": claim.key, "part": part.name, "forms": list(forms), "steps": rows}, indent=1))
        return
    print(f"{claim.key}  {plain(claim.title)}\n{part.name}: {forms[0]} against {forms[1]}\n")
    for row in rows:
        if row["same"]:
            print(f"{row['name']} = {row[forms[0]]}  (the same)")
            continue
        print(row["name"])
        for form in forms:
            print(f"  {form:<8} {row[form] or '-'}")
