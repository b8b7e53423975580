"""What the explorer knows: claims, their forms as step lists, what stands behind each, ranges and presets."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from maurey.symbolic.claim import Claim, Constant, Parameter, Part
from maurey.symbolic.export import node
from maurey.symbolic.printing import plain
from maurey.verify.evidence import Standing, form_stands, standing_or_problem

from .. import cite
from .forms import MOST, OTHERS, Table, variants
from .presets import presets
from .quantities import QUANTITIES, quantity, subject

Tell = Callable[[str], None]
RANGES = Path(__file__).with_name("ranges.toml")


def data(claims: Iterable[Claim], tell: Tell = lambda text: None) -> dict[str, Any]:
    table, records, parts = Table(), {}, []
    own = [claim for claim in claims if claim.parts]
    for number, claim in enumerate(own):
        tell(f"explorer: {number} of {len(own)} claims")
        standing = standing_or_problem(claim)
        records[claim.key] = _claim(table, claim, standing)
        parts += [_part(table, claim, part, standing) for part in claim.parts]
    return {
        **table.data,
        "claims": records,
        "parts": parts,
        "quantities": QUANTITIES,
        "ranges": tomllib.loads(RANGES.read_text()),
        "most": {**MOST, "": OTHERS},
        "presets": presets(),
        "papers": {claim.paper: cite.short(claim.paper) for claim in own},
    }


def script(claims: Iterable[Claim], tell: Tell = lambda text: None) -> str:
    """As a classic script, which opens from disk too. A text is parsed in a third of the time that a literal takes."""
    text = json.dumps(data(claims, tell), separators=(",", ":"), ensure_ascii=False)
    return f"var maureyData = JSON.parse({json.dumps(text, ensure_ascii=False)});\n"


def _claim(table: Table, claim: Claim, standing: Standing) -> dict[str, Any]:
    return {
        "title": claim.title,
        "symbols": [_symbol(p) for p in claim.symbols],
        "constants": [_constant(c) for c in claim.constants],
        "assumes": [[table.node(node(a.relation)), a.text] for a in claim.assumes],
        "unrolled": claim.unrolled,
        "samples": claim.samples,
        "verdict": standing.words,
    }


def _symbol(p: Parameter) -> list[Any]:
    """Only as much as there is to say: name, LaTeX, meaning, domain, index, optional, meaning without formulas."""
    row = [p.name, p.latex, p.meaning, p.domain, p.index, int(p.optional), _plain(p.meaning)]
    while not row[-1]:
        row.pop()
    return row


def _constant(c: Constant) -> list[str]:
    return [c.name, c.latex, c.meaning, str(c.value), _plain(c.meaning)]


def _plain(text: str) -> str:
    return plain(text) if "$" in text else ""


def _part(table: Table, claim: Claim, part: Part, standing: Standing) -> dict[str, Any]:
    return {
        "key": claim.key,
        "name": part.name,
        "lhs": part.lhs,
        "meaning": part.meaning,
        "below": part.below,
        "quantity": quantity(claim, part),
        "subject": subject(claim, part),
        "forms": {form: _form(table, claim, part, form, standing) for form in part.forms},
    }


def _form(table: Table, claim: Claim, part: Part, form: str, standing: Standing) -> dict[str, Any]:
    return {
        "relation": part.relation_of(form),
        "state": state(claim, part, form, standing),
        "lists": variants(table, claim, part, form),
    }


def state(claim: Claim, part: Part, form: str, standing: Standing) -> str:
    """Whether it may be called the smallest: only if it is known to hold, with nothing hidden."""
    if form_stands(claim, part.name, form):
        return "proved"
    if form == "printed" and standing.verdict == "fails":
        return "fails"
    if form == "printed" and standing.verdict == "holds":
        return "hides"
    return "open"
