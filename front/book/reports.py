"""The errata as referees' reports: a page for each paper, finding by finding, with witnesses that can be tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

from markupsafe import Markup
from sympy.core.relational import Relational

from maurey.numeric.exact import fractions
from maurey.pages.errata import HEADINGS
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.symbolic.printing import printer_of
from maurey.verify.errata.causes import causes, told
from maurey.verify.errata.entries import restates
from maurey.verify.errata.witnesses import on_ray, ray_of
from maurey.verify.rungs import SEVERITIES

from . import cite, formulas, numbers
from .library import Library, Record
from .maths import named
from .page import Page
from .prose import ROOT, address, inline, names_of, prose

TONES = {"false": "bad", "hypothesis": "partly", "misprint": "partly", "proof": "open", None: "none"}
SHORT = {
    "false": "false",
    "hypothesis": "a hypothesis is missing",
    "misprint": "a misprint",
    "proof": "the proof does not give it",
    None: "our reconstruction",
}
DIFFERS = "; the printed proof differs: "  # marked at its step of the derivation
OTHER = re.compile(r"`([a-z-]+)`")  # a cause
SPACED = r",\,"  # between the values of a list
LONGEST = 300  # characters of a command
SENTENCES = ("packing", "class", "inputs", "network", "law")  # fields of a witness that say it in words


def pages(library: Library) -> Iterator[Page]:
    papers = [paper for paper in library.papers if any(entry["cause"] for entry in _entries(library, paper))]
    reports = [{"paper": paper, "short": cite.short(paper), "findings": of_paper(paper, library)} for paper in papers]
    yield Page(
        "errata/index.html", "errata.html", "Errata", "errata", {"reports": reports, "severities": _severities(library)}
    )
    for report in reports:
        yield Page(f"errata/{report['paper']}.html", "report.html", f"Referee's report: {report['short']}", "errata",
                   {"report": report, "bibtex": cite.of_paper(str(report["paper"])), "headings": HEADINGS})  # fmt: skip


def _severities(library: Library) -> list[dict[str, Any]]:
    return [
        {"word": one, "heading": HEADINGS[one], "tone": TONES[one],
         "count": sum(finding["severity"] == one for finding in library.findings)}
        for one in (*SEVERITIES, None)
    ]  # fmt: skip


def _entries(library: Library, paper: str) -> list[Record]:
    return [entry for entry in library.entries if entry["key"].partition("/")[0] == paper]


def of_paper(paper: str, library: Library) -> list[dict[str, Any]]:
    """Its findings, gravest first."""
    return list(_findings(paper, _entries(library, paper), library))


def of_claim(claim: Claim, library: Library) -> list[dict[str, Any]]:
    original = restates(claim) or claim.key
    return list(_findings(original.partition("/")[0], library.entries_of(claim), library))


def _findings(paper: str, entries: list[Record], library: Library) -> Iterator[dict[str, Any]]:
    for finding in library.findings:
        own = [entry for entry in entries if entry["cause"] == finding["cause"]]
        if own:
            with named(f"the finding {finding['cause']}"):
                yield _finding(paper, finding, own, {one["cause"]: one["title"] for one in library.findings})


def _finding(paper: str, finding: Record, own: list[Record], titles: Mapping[str, str]) -> dict[str, Any]:
    """One cause in one paper: what is written of it, and every entry. Another cause is called by its title."""
    written = next((cause for cause in causes(paper) if cause.slug == finding["cause"]), None)
    first, *rest = _in_order(own, written)
    keys = list(dict.fromkeys(entry["key"] for entry in own))
    claims = {key: registry.find(key) for key in keys}
    explained = written.explanation if written else " ".join(entry["note"] for entry in own)
    explained = OTHER.sub(lambda found: f"“{titles.get(found[1], found[1])}”", explained)
    wheres = {key: told_of(claims[key], written.where[key]) for key in keys if written and key in written.where}
    return {
        "slug": finding["cause"],
        "severity": finding["severity"],
        "short": SHORT[finding["severity"]],
        "tone": TONES[finding["severity"]],
        "title": prose(written.title if written else finding["title"], links=False),
        "explanation": prose(explained, claims[first["key"]]),
        "address": f"{ROOT}errata/{paper}.html#{finding['cause']}",
        "keys": [{"key": key, "address": address(key)} for key in keys],
        "where": [{"keys": [k for k, _ in own], "text": text} for text, own in groupby(wheres.items(), itemgetter(1))],
        "repaired": _repaired(own),
        "survives": prose(written.survives, claims[first["key"]]) if written else "",
        "first": _entry(first),
        "rest": [_entry(entry) for entry in rest],
    }  # fmt: skip


def _in_order(own: list[Record], written: Any) -> list[Record]:
    """The one that is told first, objects before what is only not derived."""
    pattern = written.entries[0].split() if written else [""]
    named = [e for e in own if pattern[0] in (e["key"], f"{e['key']}:{e['part']}") and set(pattern[1:]) <= _words(e)]
    first = next(iter(named), own[0])
    return [first, *sorted((e for e in own if e is not first), key=lambda e: e["status"] != "refuted")]


def _words(entry: Record) -> set[str]:
    return {entry["status"], *entry["witness"].get("ray", ()), *(["edge"] if entry["edge"] else []),
            *(["negative"] if entry["printed_value"].startswith("-") else [])}  # fmt: skip


def _repaired(own: list[Record]) -> list[dict[str, Any]]:
    """The corrected displays of the claims that it speaks of, each once."""
    found = {(entry["key"], entry["part"]) for entry in own if entry["repaired"]}
    out = []
    for key, part in sorted(found):
        claim = registry.find(key)
        one = claim.part(part)
        main, where = formulas.right_side(claim, one, "repaired", one.steps("repaired"))
        out.append(
            {"key": key, "part": part, "address": address(key, f"{part}-repaired"), "formula": main, "where": where}
        )
    return out


def told_of(claim: Claim, where: Any) -> Markup:
    """A condition, as it is written in mathematics if it is a relation."""
    if isinstance(where, Relational):
        return inline(str(printer_of(claim).doprint(where)))
    return prose(where, claim)


def relations_of(claim: Claim) -> Mapping[str, Markup]:
    """The conditions on a claim that are relations, by how a terminal has them."""
    wheres = [cause.where[claim.key] for cause in causes(claim.paper) if claim.key in cause.where]
    return {told(where): told_of(claim, where) for where in wheres if isinstance(where, Relational)}


def value(text: str) -> str:
    return numbers.latex_of(text)


# --- entries ----------------------------------------------------------------------------------------------------------


def _entry(entry: Record) -> dict[str, Any]:
    claim = registry.find(entry["key"])
    below = bool(claim.parts) and claim.part(entry["part"]).below
    return {
        "key": entry["key"],
        "part": entry["part"],
        "address": address(entry["key"], entry["part"]),
        "status": entry["status"],
        "refuted": entry["status"] == "refuted" or "packing" in entry["witness"],
        "note": prose(entry["note"].partition(DIFFERS)[0], claim),
        "printed": inline(value(entry["printed_value"])),
        "true": inline(value(entry["true_value"])),
        "bound": "at most" if below else "at least",
        "replayed": entry["replayed"],
        "source": entry["source"],
        **_witness(claim, entry["witness"]),
        "commands": commands(claim, entry),
    }


def _witness(claim: Claim, witness: Mapping[str, Any]) -> dict[str, Any]:
    """Values, what moves, and what is said in words; what is too large for a line is named."""
    names = names_of(claim.key)
    at = witness.get("at", {} if "ray" in witness else witness)
    told = {name: x for name, x in witness.items() if "ray" in witness and isinstance(x, str)}
    values, words, more = [], [], False
    for name, x in (at | told).items():
        latex = _value(x)
        if name in names and latex:
            values += [] if name in witness.get("ray", ()) else [f"{names[name]}={latex}"]
        elif (text := _sentence(name, x)) is not None:
            words.append(prose(text, claim))
        else:
            more = True
    ray = [
        f"{names.get(name, name)}={_value(at[name]) + chr(92) + ',' if name in at else ''}{numbers.power_of(power)}"
        for name, power in witness.get("ray", {}).items()
    ]
    table = [
        (inline(f"t={value(t)}"), inline(value(ratio)))
        for t, ratio in (zip(witness["t"], witness["ratios"], strict=True) if "ray" in witness else ())
    ]
    return {"at": [inline(one) for one in values], "ray": [inline(one) for one in ray], "table": table, "words": words,
            "more": more}  # fmt: skip


def _sentence(name: str, x: Any) -> str | None:
    """What is no symbol's value; nothing of what is nested."""
    if isinstance(x, list):
        return None if any(isinstance(one, (list, dict)) for one in x) else f"{name} = ({', '.join(map(str, x))})"
    return None if isinstance(x, dict) else str(x) if name in SENTENCES else f"{name} = {x}"


def _value(x: Any) -> str:
    """In LaTeX; nothing, if it is no number."""
    if isinstance(x, list) and len(x) > 1:
        return rf"({SPACED.join(map(_value, x))})" if all(_value(one) for one in x) else ""
    text = str(x[0] if isinstance(x, list) and x else x)
    return numbers.latex_of(text) if numbers.is_number(text) else ""


def commands(claim: Claim, entry: Record) -> list[str]:
    """What shows it again: the printed form where it fails, and the derived one beside it."""
    if not claim.parts:
        return []
    part, witness = claim.part(entry["part"]), entry["witness"]
    known = {p.name for p in claim.names}
    given = {n: x for n, x in witness.get("at", witness).items() if n in known}
    try:
        at = fractions(given)
        if "ray" in witness:
            start = dict.fromkeys((name for name in ray_of(witness) if "[" not in name), Fraction(1)) | at
            at = on_ray(start, ray_of(witness), int(Decimal(witness["t"][-1])))
    except (ValueError, ArithmeticError):
        return []
    words = " ".join(f"{name}={_typed(x)}" for name, x in at.items())
    forms = (
        ["printed"] if entry["status"] == "refuted" else [form for form in ("printed", "derived") if form in part.forms]
    )
    called = [f"maurey eval {claim.key}:{part.name} --form {form} {words}" for form in forms]
    return [one for one in called if len(one) <= LONGEST]


def _typed(x: Any) -> str:
    if isinstance(x, list):
        return ",".join(map(_typed, x))
    if x.denominator != 1:
        return (
            f"{_typed(Fraction(x.numerator))}/{_typed(Fraction(x.denominator))}" if x.denominator < 10**6 else _tiny(x)
        )
    digits = str(x.numerator)
    zeros = len(digits) - len(digits.rstrip("0"))
    return f"{digits[:-zeros]}e{zeros}" if zeros > 5 else digits


def _tiny(x: Fraction) -> str:
    """A power of ten below one, times a few digits; else as a fraction."""
    power = len(str(x.denominator)) - 1
    head = x * 10**power
    return f"{head.numerator}e-{power}" if head.denominator == 1 else f"{x.numerator}/{x.denominator}"
