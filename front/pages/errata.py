"""A referee's report: where printed forms fail, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from functools import cache
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.claim import UNREAD, Setting
from maurey.symbolic.printing import latex_of, plain
from maurey.verify import evidence, ledger
from maurey.verify.errata.causes import Cause, cause_of, severity_of, told, where_of
from maurey.verify.errata.causes import causes as causes_of
from maurey.verify.errata.entries import Comparison, Erratum, in_order, restates
from maurey.verify.errata.sentences import along, words
from maurey.verify.rungs import BESIDES, SEVERITIES

from .claims import formula

UNEXPLAINED = "not-explained"
HEADINGS = {
    "false": "False: no reading that its authors could have meant is true",
    "hypothesis": "A hypothesis is missing: true under a condition that is not stated",
    "misprint": "Misprints: another display or the paper's own proof has it right",
    "proof": "Proofs: the printed one does not give it; another does, or it is open whether it is true",
    None: "Of forms that no text shows: what fails is how they were reconstructed",
}
FEW = 3  # rays that are named where all claims are told
Record = dict[str, Any]


def replayed(entry: Erratum) -> bool:
    """A gap is replayed whenever the sources have changed; an object that refutes takes its check to build."""
    return entry.status != "refuted" or evidence.standing_of(registry.find(entry.key)).replayed


def records(found: list[Comparison], keys: Collection[str] | None = None, typeset: bool = True) -> list[Record]:
    """All entries, with their formulas if they are to be typeset; then what is remarked, and what is left undecided."""
    entries = [_record(entry) for entry in in_order(found, ledger.refuted(keys))]
    if typeset:
        entries = [row | _formulas(row["key"], row["part"]) for row in entries]
    verdicts = ledger.verdicts(keys)
    settled = {key for key, row in verdicts.items() if row["verdict"] == "holds"}
    texts = [("remark", text) for one in found for text in one.remarks]
    texts += [("remark" if one.key in settled else "undecided", text) for one in found for text in one.undecided]
    texts += [("remark", f"{key}: {text}") for key, row in verdicts.items() for text in _besides(key, row)]
    return [*entries, *(_remark(status, text) for status, text in texts)]


def _record(entry: Erratum) -> Record:
    """An entry, where the print is from, how grave it is and why."""
    claim, cause = registry.find(entry.key), cause_of(entry)
    unread = claim.origin_of(entry.part) in UNREAD
    return {
        **asdict(entry),
        "status": "remark" if unread else entry.status,
        "severity": severity_of(claim, entry),
        "cause": cause.slug if cause else None if unread else UNEXPLAINED,
        "where": where_of(entry) or None,
        "source": claim.origin_of(entry.part),
        "replayed": replayed(entry),
    }


@cache
def _formulas(key: str, part: str) -> Record:
    """Of a part that has many entries once; a definition may have none."""
    claim = registry.find(key)
    forms = claim.part(part).forms if claim.parts else {}
    absent = {"printed": "", "derived": "", "repaired": None}
    return absent | {form: latex_of(claim, form, part=part) for form in absent if form in forms}


def _besides(key: str, row: Mapping[str, Any]) -> list[str]:
    """What its checks say that decides nothing; a claim that restates another has that one's checks."""
    own = () if restates(registry.find(key)) else row["notes"]
    return [note.removeprefix(BESIDES) for note in own if note.startswith(BESIDES)]


def _remark(status: str, text: str) -> Record:
    place, _, rest = text.partition(" ")  # "key:part: what is remarked", or a sentence that begins with the key
    key, _, part = place.removesuffix(":").partition(":")
    rest = rest if place.endswith(":") else f"it {rest}"
    blank = dict.fromkeys(("severity", "cause", "where", "repaired", "printed_value", "true_value"))
    formulas = dict.fromkeys(("printed", "derived"), "")
    source = registry.find(key).origin_of(part)
    return blank | formulas | {"key": key, "part": part, "status": status, "edge": False, "source": source,
                               "witness": {}, "note": rest, "replayed": True}  # fmt: skip


def by_cause(rows: list[Record]) -> list[Record]:
    """The findings behind the entries, gravest first."""
    groups: dict[str, list[Record]] = {}
    for row in rows:
        if row["cause"]:
            groups.setdefault(row["cause"], []).append(row)
    found = [_finding(slug, own) for slug, own in groups.items()]
    return sorted(found, key=lambda one: [*SEVERITIES, None].index(one["severity"]))


def _finding(slug: str, rows: list[Record]) -> Record:
    """One cause; or the same one in several papers, each with its own paragraph."""
    papers = dict.fromkeys(row["key"].partition("/")[0] for row in rows)
    each = {paper: cause for paper in papers for cause in causes_of(paper) if cause.slug == slug}
    causes = list(each.values())
    first = next((row for row in rows if causes and causes[0].names_first(_entry(row))), rows[0])
    graves = [row["severity"] for row in rows if row["severity"]]
    severity = causes[0].severity or None if causes else min(graves, key=SEVERITIES.index, default=None)
    return {
        "cause": slug,
        "severity": severity,
        "title": causes[0].title if causes else "Found by the machine, and not explained yet",
        "explanation": _paragraphs(each, "explanation") or " ".join(row["note"] for row in rows),
        "keys": list(dict.fromkeys(row["key"] for row in rows)),
        "where": {key: told(where) for cause in causes for key, where in cause.where.items()},
        "witness": first["witness"],
        "printed_value": first["printed_value"],
        "true_value": first["true_value"],
        "shown": _place(first),
        "repaired": first.get("repaired"),
        "replayed": first["replayed"],
        "survives": _paragraphs(each, "survives"),
        "entries": len(rows),
    }


def _paragraphs(causes: Mapping[str, Cause], field: str) -> str:
    """Of several papers each begins with the paper."""
    texts = {paper: " ".join(getattr(cause, field).split()) for paper, cause in causes.items()}
    return "\n\n".join(f"{paper}: {text}" if len(texts) > 1 else text for paper, text in texts.items())


def _entry(row: Record) -> Erratum:
    fields = {name: row[name] for name in Erratum.__dataclass_fields__}
    return Erratum(**fields)


def report(rows: list[Record], detailed: bool = False, unknown: Collection[str] = ()) -> list[str]:
    """Cause by cause; with every entry, where one claim is asked for. Of the unknown the ledger says nothing."""
    lines: list[str] = []
    last: str | None = ""
    for finding in by_cause(rows):
        if finding["severity"] != last:
            last = finding["severity"]
            lines += ["", HEADINGS[last]]
        own = [row for row in rows if row["cause"] == finding["cause"]]
        lines += ["", f"[{finding['cause']}] {plain(finding['title'])}"]
        lines += [f"  {plain(text)}" for text in finding["explanation"].split("\n\n")]
        lines += [f"  in: {_places(own)}"]
        lines += [f"  {where}" for where in _conditions(finding, {row["key"] for row in own})]
        if finding["survives"]:
            lines += [f"  what rests on it: {plain(text)}" for text in finding["survives"].split("\n\n")]
        lines += [f"  {_told(row)}" for row in own] if detailed else [f"  {_witness(finding)}"]
        if detailed:
            lines += [f"  {text}" for row in {_place(row): row for row in own}.values() for text in _corrected(row)]
    for status, title in (("remark", "Remarks"), ("undecided", "Undecided")):
        own = [row for row in rows if row["status"] == status and not row["cause"]]
        texts = [f"  {_place(row)}: {row['note'] if detailed else shortened(row['note'])}" for row in own]
        lines += ["", title, *texts] if texts else []
    again = [f"  {key}" for key in unknown]
    lines += ["", "To be verified again", *again] if again else []
    return [*lines[1:], "", _counts(rows)]


def _corrected(row: Record) -> list[str]:
    """What stands in the place of the printed form."""
    claim = registry.find(row["key"])
    part = claim.part(row["part"]) if claim.parts else None
    if part is None or "repaired" not in part.forms:
        return []
    first, *rest = formula(part, "repaired", Setting())
    return [f"{_place(row)}, {first}", *rest]


def shortened(note: str) -> str:
    """Of many rays a few; the errata of a claim have all of them."""
    first, *others = note.split("; ")
    if " along " not in first or len(others) <= FEW + 1:
        return note
    return "; ".join([first, *others[: FEW - 1], f"along {len(others) - FEW} more such rays", others[-1]])


def _place(row: Record) -> str:
    return f"{row['key']}:{row['part']}" if row["part"] else row["key"]


def _conditions(finding: Record, keys: Collection[str]) -> list[str]:
    """Under which claims hold, each with those it is for."""
    each: dict[str, list[str]] = {}
    for key, where in finding["where"].items():
        if key in keys:
            each.setdefault(where, []).append(key)
    return [f"true where {where}: {', '.join(own)}" for where, own in each.items()]


def _places(rows: Iterable[Record]) -> str:
    """Claims, with what was not simply read in the paper marked."""
    marks = {_place(row): "" if row["source"] == "printed" else f" ({row['source']})" for row in rows}
    return ", ".join(place + mark for place, mark in marks.items())


def _witness(finding: Record) -> str:
    witness = finding["witness"]
    start = along(witness).removesuffix(", all else fixed, ") if "ray" in witness else f"At {words(witness)}"
    said, true = (f"{Decimal(finding[name]):.6g}" for name in ("printed_value", "true_value"))
    again = "" if finding["replayed"] else ", not replayed"
    return f"witness ({finding['shown']}{again}): {start}: printed {said}, against {true}."


def _told(row: Record) -> str:
    """One entry."""
    start = along(row["witness"]) if "ray" in row["witness"] else ""
    if row["status"] == "gap":
        return f"{_place(row)}, gap: {row['note']}"
    at = start.removesuffix(", all else fixed, ") or f"At {words(row['witness'])}"
    said, true = (f"{Decimal(row[name]):.6g}" for name in ("printed_value", "true_value"))
    claim = registry.find(row["key"])
    bound = "at most" if claim.parts and claim.part(row["part"]).below else "at least"
    status = row["status"] if row["replayed"] else f"{row['status']}, not replayed"
    return f"{_place(row)}, {status}: {row['note']} {at}: printed {said}, in truth {bound} {true}."


def _counts(rows: list[Record]) -> str:
    entries = [row for row in rows if row["cause"]]
    findings = by_cause(rows)
    grave = Counter(finding["severity"] for finding in findings)
    each = [f"{grave[one]} {one or 'reconstructed'}" for one in HEADINGS if grave[one]]
    claims = _several(len({row["key"] for row in entries}), "claim")
    inside = f" ({', '.join(each)}) in {_several(len(entries), 'entry', 'entries')} on {claims}" if each else ""
    undecided = _several(sum(row["status"] == "undecided" for row in rows), "comparison")
    return f"{_several(len(findings), 'finding')}{inside}; {undecided} undecided"


def _several(number: int, noun: str, more: str = "") -> str:
    return f"{number} {noun if number == 1 else more or noun + 's'}"
