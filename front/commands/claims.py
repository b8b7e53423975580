"""maurey list, show, trace."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Annotated

import typer

from maurey.symbolic.errors import InputError

from . import clock
from .clock import SECONDS, Seconds
from .options import FormOption, Json, Key, Layers, check_form


def register(app: typer.Typer) -> None:
    app.command("list")(list_claims)
    app.command("show")(show)
    app.command("trace")(trace)


def list_claims(
    paper: Annotated[str, typer.Option("--paper", help="Only this paper's.")] = "",
    kind: Annotated[str, typer.Option("--kind", help="Only this kind.")] = "",
    as_json: Json = False,
) -> None:
    """Every claim, with its verdict and evidence."""
    from maurey.pages.claims import row
    from maurey.pages.columns import columns, cut
    from maurey.symbolic import registry
    from maurey.symbolic.claim import KINDS
    from maurey.symbolic.printing import plain
    from maurey.verify.evidence import standing_of

    if kind and kind not in KINDS:
        raise InputError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    found = list(registry.claims_of(paper).values()) if paper else registry.all_claims()
    found = [claim for claim in found if kind in ("", claim.kind)]
    if as_json:
        print(json.dumps([row(claim, standing_of(claim)) for claim in found], indent=1))
        return
    lines: list[tuple[str, ...]] = [("key", "title", "kind", "forms", "as printed, and how it is known")]
    for claim in found:
        forms = " ".join(claim.forms)
        lines.append((claim.key, plain(claim.title), claim.kind, forms, standing_of(claim).words))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    print("\n".join(columns(lines, 1, width, cut)))


def show(
    key: Key,
    form: FormOption = "",
    latex: Annotated[bool, typer.Option("--latex", help="Print the formulas as LaTeX only.")] = False,
    layers: Layers = 2,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """A claim: verdict, statement, symbols, constants and its forms."""
    from maurey.pages.claims import page, record
    from maurey.symbolic import printing, registry
    from maurey.symbolic.claim import Setting
    from maurey.verify.evidence import standing_or_problem

    claim, setting = registry.find(key), Setting(default=layers)
    clock.reached(f"writing the forms of {claim.key} out for {layers} layers or heads")
    forms = [check_form(form)] if form else list(claim.forms)
    if form:
        claim.part_with(form)
    if latex and not as_json:
        for name in forms:
            print(printing.latex_of(claim, name, setting))
        return
    standing = standing_or_problem(claim)
    if as_json:
        print(json.dumps(record(claim, standing, forms, setting), indent=1))
    else:
        print(page(claim, standing, forms, setting))


def trace(
    key: Key,
    form: FormOption = "",
    part: Annotated[str, typer.Option("--part", help="A part of the claim.")] = "",
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as aligned LaTeX.")] = False,
    against: Annotated[str, typer.Option("--against", help="Another form, step beside step.")] = "",
    layers: Layers = 2,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """The derivation, step by step, each step with its reason and the claim that justifies it."""
    from maurey.pages.claims import derivation, side_by_side
    from maurey.symbolic import printing, registry
    from maurey.symbolic.claim import Setting

    claim, setting = registry.find(key), Setting(default=layers)
    clock.reached(f"writing the forms of {claim.key} out for {layers} layers or heads")
    form = check_form(form) or claim.default_form
    chosen = claim.part_with(form, part)
    if against:
        print(side_by_side(claim, chosen, (form, check_form(against)), setting, as_json))
    elif latex and not as_json:
        print(printing.trace_latex(claim, chosen, form, setting))
    else:
        print(derivation(claim, chosen, form, setting, as_json))
