"""maurey eval."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from maurey.symbolic import registry
from maurey.symbolic.claim import InputError
from maurey.symbolic.commands import FormOption, Json, check_form

MOST_DIGITS = 10_000


def register(app: typer.Typer) -> None:
    app.command("eval")(evaluate)


def assignments(words: list[str]) -> dict[str, str]:
    """NAME=VALUE words as a dictionary; the values are checked where the claim's domains are known."""
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(f"parameters are given as NAME=VALUE, got {word!r}")
        if name in values:
            raise InputError(f"{name} is given twice")
        values[name] = value
    return values


def evaluate(
    key: Annotated[str, typer.Argument(metavar="KEY[:PART]", help="A claim, or one part of it.")],
    values: Annotated[list[str] | None, typer.Argument(metavar="NAME=VALUE...")] = None,
    form: FormOption = "",
    digits: Annotated[int, typer.Option("--digits", help="Certified significant digits.")] = 15,
    as_json: Json = False,
) -> None:
    """Value and a rigorous enclosure."""
    from .balls import enclose_bound
    from .binding import bind

    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(f"--digits must be an integer from 1 to {MOST_DIGITS}, got {digits}")
    name, _, part = key.partition(":")
    claim = registry.find(name)
    given = assignments(values or [])
    bound = bind(claim, given, check_form(form), part)
    enclosure, _ = enclose_bound(bound, digits)
    parameters = {n: shown(v) for n, v in bound.used.items()}
    if as_json:
        print(json.dumps({
            "key": claim.key, "part": bound.part.name, "form": bound.form, "value": str(enclosure.value),
            "lower": str(enclosure.lower), "upper": str(enclosure.upper), "digits": digits,
            "parameters": parameters, "unused": list(bound.unused),
        }, indent=1))  # fmt: skip
        return
    print(f"{claim.key} {bound.part.name}, {bound.form}: {enclosure.value}")
    print(f"  lower {enclosure.lower}\n  upper {enclosure.upper}")
    defaults = [f"{c.name} = {c.value}" for c in claim.constants if c.name in bound.used and c.name not in given]
    if defaults:
        print(f"  with {', '.join(defaults)}")
    if bound.unused:
        print(f"  not used by this form: {', '.join(bound.unused)}")


def shown(value: Any) -> Any:
    return [shown(v) for v in value] if isinstance(value, list) else str(value)
