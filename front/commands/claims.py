"""maurey list, show, trace."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import Annotated

import typer

from maurey.symbolic.errors import InputError
from maurey.symbolic.kinds import KINDS

from . import clock
from .clock import SECONDS, Seconds
from .options import FormOption, Json, KeyPart, Layers, check_form, paper_names, say, screen, tinted

WIDE, WIDEST = 100, 140  # columns that show kinds, too; and forms


def register(app: typer.Typer) -> None:
    app.command("list", epilog="$ maurey list --paper trauger2024 --kind lipschitz")(list_claims)
    app.command("show", epilog="$ maurey show edelman2022/4.5 --form sharp")(show)
    app.command("trace", epilog="$ maurey trace edelman2022/4.5 --against sharp")(trace)


def list_claims(
    paper: Annotated[str, typer.Option("--paper", help=f"Only this paper's: {', '.join(paper_names())}.")] = "",
    kind: Annotated[str, typer.Option("--kind", help=f"Only this kind: {', '.join(KINDS)}.")] = "",
    parts: Annotated[bool, typer.Option("--parts", help="The parts of every claim, too.")] = False,
    as_json: Json = False,
) -> None:
    """Every claim, with its verdict and evidence."""
    from maurey.pages.claims import row, verdict_in_brief
    from maurey.pages.columns import columns
    from maurey.symbolic import registry
    from maurey.symbolic.printing import plain
    from maurey.verify.evidence import standing_of

    if kind and kind not in KINDS:
        raise InputError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    found = list(registry.claims_of(paper).values()) if paper else registry.all_claims()
    found = [claim for claim in found if kind in ("", claim.kind)]
    if as_json:
        print(json.dumps([row(claim, standing_of(claim)) for claim in found], indent=1))
        return
    width = screen(sys.maxsize)
    lines: list[tuple[str, ...]] = [("key", "title", "as printed", "known by", "kind", "forms")]
    for claim in found:
        standing = standing_of(claim)
        told = (claim.key, plain(claim.title), verdict_in_brief(claim, standing), standing.rung)
        lines.append((*told, claim.kind, " ".join(claim.forms)))
        if parts:
            lines += [
                ("", f"  :{one.name}  {plain(one.meaning)}", "", "", "", " ".join(one.forms)) for one in claim.parts
            ]
    lines = [line[: 3 if width < WIDE else 5 if width < WIDEST else None] for line in lines]
    print("\n".join(tinted(line) for line in columns(lines, 1, width, textwrap.wrap)))


def show(
    key: KeyPart,
    form: FormOption = "",
    latex: Annotated[bool, typer.Option("--latex", help="LaTeX to paste: displays that fit a line.")] = False,
    whole: Annotated[bool, typer.Option("--document", help="The same as a complete LaTeX file.")] = False,
    layers: Layers = 2,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """A claim: verdict, statement, symbols, constants and its forms."""
    from maurey.pages.claims import page, record
    from maurey.symbolic import registry
    from maurey.symbolic.claim import Setting
    from maurey.verify.evidence import standing_or_problem

    key, _, part = key.partition(":")
    claim, setting = registry.find(key), Setting(default=layers)
    part = part and claim.part(part).name
    clock.reached(f"writing the forms of {claim.key} out for {layers} layers or heads")
    forms = [check_form(form)] if form else list(claim.forms)
    if form:
        claim.part_with(form, part)
    if (latex or whole) and not as_json:
        from maurey.symbolic.displays import document, snippet

        print((document if whole else snippet)(claim, forms, setting, part))
        return
    standing = standing_or_problem(claim)
    if as_json:
        print(json.dumps(record(claim, standing, forms, setting), indent=1))
    else:
        if not form:  # what is printed and, right after it, what it should be; the others are folded
            forms = forms[:1] + [one for one in forms[1:] if one == "repaired"]
        print(tinted(page(claim, standing, forms, setting, part, screen())))


def trace(
    key: KeyPart,
    form: FormOption = "",
    part: Annotated[str, typer.Option("--part", help="A part of the claim.")] = "",
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as aligned LaTeX.")] = False,
    against: Annotated[str, typer.Option("--against", help="Another form, step beside step.")] = "",
    layers: Layers = 2,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """The derivation, step by step. Each step has its reason and the claim that justifies it."""
    from maurey.pages.claims import derivation, side_by_side
    from maurey.symbolic import printing, registry
    from maurey.symbolic.claim import Setting

    key, _, named = key.partition(":")
    claim, setting = registry.find(key), Setting(default=layers)
    clock.reached(f"writing the forms of {claim.key} out for {layers} layers or heads")
    form = check_form(form) or claim.default_form
    chosen = claim.part_with(form, part or named)
    if latex and not (as_json or against):
        print(printing.trace_latex(claim, chosen, form, setting))
        return
    text = (
        side_by_side(claim, chosen, (form, check_form(against)), setting, as_json)
        if against
        else derivation(claim, chosen, form, setting, as_json)
    )
    if as_json:
        print(text)
    else:
        say(*text.split("\n"))
