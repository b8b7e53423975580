"""maurey eval, samples, blame."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated

import typer

from maurey.symbolic.errors import InputError

from .clock import SECONDS, Seconds
from .options import FormOption, Json, KeyPart, Values, assignments, check_form, patience, say


def register(app: typer.Typer) -> None:
    app.command("eval", epilog="$ maurey eval edelman2022/A.10 eps=1/10 N=100 B_w=1 B_X=1")(evaluate)
    app.command("samples", epilog="$ maurey samples edelman2022/2.2 --gap 0.1 L_loss=1 C_F=1 A=1 b=1 delta=0.05")(
        samples
    )
    app.command("blame", epilog="$ maurey blame edelman2022/A.10 eps=1/10 N=100 B_w=1 B_X=1")(blame)


def evaluate(
    key: KeyPart,
    values: Values = None,
    form: FormOption = "",
    digits: Annotated[int, typer.Option("--digits", help="Certified significant digits.")] = 15,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """The value of a bound, with a rigorous enclosure."""
    from maurey.numeric.balls import enclose_steps
    from maurey.numeric.binding import bind
    from maurey.numeric.exact import plain_number
    from maurey.numeric.slack import slack
    from maurey.numeric.vacuous import remarks
    from maurey.pages.claims import as_printed, warning
    from maurey.symbolic import registry
    from maurey.verify.evidence import standing_or_problem

    name, _, part = key.partition(":")
    claim = registry.find(name)
    given = assignments(values or [])
    with patience(f"evaluating to {digits} digits"):
        bound = bind(claim, check_form(form), part, given)
        enclosure, _ = enclose_steps(bound.steps, bound.values, digits)
    parameters = {n: plain_number(v) for n, v in bound.used.items()}
    standing = standing_or_problem(claim)
    fails = warning(claim, standing, bound.form)
    notes = [*([fails] if fails else []), *remarks(bound), *slack({name: bound.values[name] for name in given})]
    if as_json:
        print(json.dumps({
            "key": claim.key, "part": bound.part.name, "form": bound.form, "value": str(enclosure.value),
            "lower": str(enclosure.lower), "upper": str(enclosure.upper), "digits": digits,
            "parameters": parameters, "unused": list(bound.unused), "notes": notes, "verdict": standing.verdict,
            "evidence": standing.evidence, "replayed": standing.replayed, "problem": standing.problem or None,
        }, indent=1))  # fmt: skip
        return
    say(f"{claim.key} {bound.part.name}, {bound.form}: {enclosure.value}")
    say(f"  lower {enclosure.lower}", f"  upper {enclosure.upper}")
    defaults = [f"{c.name} = {c.value}" for c in claim.constants if c.name in bound.used and c.name not in given]
    if defaults:
        say(f"  with {', '.join(defaults)}")
    if bound.unused:
        say(f"  not used by this form: {', '.join(bound.unused)}")
    for note in notes:
        say(f"  note: {note}")
    say(f"  the claim as printed: {as_printed(claim, standing)}")


def samples(
    key: KeyPart,
    values: Values = None,
    gap: Annotated[str, typer.Option("--gap", help="The gap that the bound shall not exceed.")] = "",
    form: FormOption = "",
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """How many samples a bound asks for. From there on it stays at or below the gap, certified."""
    from maurey.numeric.samples import BEYOND, LIMIT, certified, smallest
    from maurey.numeric.vacuous import no_gap
    from maurey.pages.claims import warning
    from maurey.symbolic import registry
    from maurey.verify.evidence import standing_or_problem

    if not gap:
        raise InputError("missing option --gap: the gap that the bound shall not exceed, a positive real")
    name, _, part = key.partition(":")
    claim = registry.find(name)
    given = assignments(values or [])
    with patience("writing the form out") as report:
        found = smallest(claim, gap, check_form(form), part, given, report=report)
    used = form or claim.default_form
    told = (warning(claim, standing_or_problem(claim), used), no_gap(claim.part_with(used, part)))
    notes = [note for note in told if note]
    if found is None:
        most = f"{claim.samples} up to 2^{LIMIT.bit_length() - 1}"
        line = f"no {most} was found from which the bound certainly stays at or below {gap}"
        nothing = {"key": claim.key, "m": None, "bound_at_m": None, "bound_before": None, "note": line, "notes": notes}
        if as_json:
            print(json.dumps(nothing, indent=1))
        else:
            say(f"{claim.key}: {line}", *(f"  note: {note}" for note in notes))
        return
    at_m, before = certified(found.at_m, above=False), certified(found.before, above=True)
    if as_json:
        sides = {"bound_at_m": str(at_m), "bound_before": None if before is None else str(before)}
        sides |= {"checked_to": str(found.checked_to)}
        print(json.dumps({"key": claim.key, "m": found.m, **sides, "notes": notes}, indent=1))
        return
    say(f"{claim.key}: {claim.samples} = {found.m}")
    say(f"  bound at {found.m} is at most {at_m}")
    if found.m == 1:
        say(f"  the smallest {claim.samples} there is")
    else:
        say(f"  bound at {found.m - 1} is " + ("undefined or not allowed" if before is None else f"at least {before}"))
    far = f"{claim.samples} = {Decimal(found.checked_to):.3g}"
    say(f"  and it stays at or below {gap} up to {far} at least, {BEYOND} doublings on")
    for note in notes:
        say(f"  note: {note}")


def blame(
    key: KeyPart,
    values: Values = None,
    form: FormOption = "",
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """What makes a bound large. Each factor, layer and constant has its share of the logarithm."""
    from dataclasses import asdict

    from maurey.numeric.binding import bind
    from maurey.numeric.blame import shares_of
    from maurey.numeric.vacuous import remarks
    from maurey.pages.claims import warning
    from maurey.symbolic import registry
    from maurey.verify.evidence import standing_or_problem

    name, _, part = key.partition(":")
    claim = registry.find(name)
    given = assignments(values or [])
    with patience("writing the form out") as report:
        found = shares_of(claim, check_form(form), part, given, report)
        bound = bind(claim, form, part, given)
        fails = warning(claim, standing_or_problem(claim), bound.form)
        notes = [*([fails] if fails else []), *remarks(bound)]
    if as_json:
        print(json.dumps({"key": claim.key, **asdict(found), "notes": notes}, indent=1))
        return
    say(f"{claim.key}: log of the bound {found.log:.6g} (the bound is about 10^{found.log / 2.302585092994046:.4g})")
    width = max(len(row.name) for row in found.shares)
    for row in found.shares:
        value = f"  = {row.value}" if row.value else ""
        halved = "" if row.halved is None else f"; halving it multiplies the bound by {row.halved:.4g}"
        part_of = f"{100 * row.share / found.log:>6.1f} %" if found.log else " " * 8  # the bound may be 1
        say(f"  {row.name:<{width}}  {row.share:>10.4f}  {part_of}{value}{halved}")
    for layer, share in found.layers.items():
        say(f"  all of {layer}: {share:.4f}")
    for note in notes:
        say(f"  note: {note}")
