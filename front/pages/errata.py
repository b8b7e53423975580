"""A referee's report: where printed forms fail."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.printing import plain
from maurey.verify import evidence, ledger
from maurey.verify.errata.entries import Comparison, Erratum, as_record, in_order
from maurey.verify.errata.sentences import along, words


def replayed(entry: Erratum) -> bool:
    """A gap is replayed whenever the sources have changed; an object that refutes takes its check to build."""
    return entry.status != "refuted" or evidence.standing_of(registry.find(entry.key)).replayed


def records(found: list[Comparison], keys: Collection[str] | None = None) -> list[dict[str, Any]]:
    entries = in_order(found, ledger.refuted(keys))
    return [{**as_record(entry), "replayed": replayed(entry)} for entry in entries]


def report(found: list[Comparison], keys: Collection[str] | None = None) -> list[str]:
    """Entries that say the same of several rays are put together, and what the comparison leaves open but a check
    decides is a remark."""
    entries, verdicts = in_order(found, ledger.refuted(keys)), ledger.verdicts(keys)
    lines: list[str] = []
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for entry in entries:
        start = along(entry.witness) if "ray" in entry.witness else ""
        if entry.status == "refuted":  # its note says what object does it; where, comes after
            at = start.removesuffix(", all else fixed, ") or f"At {words(entry.witness)}"
            said, true = (f"{Decimal(value):.6g}" for value in (entry.printed_value, entry.true_value))
            claim = registry.find(entry.key)
            bound = "at most" if claim.parts and claim.part(entry.part).below else "at least"
            status = "refuted" if replayed(entry) else "refuted, not replayed"
            text = f"{status}. {entry.note} {at}: printed {said}, in truth {bound} {true}."
            grouped.setdefault((entry.key, entry.part, text), [])
        else:
            grouped.setdefault((entry.key, entry.part, entry.note.removeprefix(start)), []).append(start)
    last = ""
    for (key, part, rest), starts in grouped.items():
        if key != last:
            claim = registry.find(key)
            source = "" if claim.origin == "printed" else f"  (what counts as printed was {claim.origin})"
            lines += ["", f"{key}  {plain(claim.title)}{source}"]
        last = key
        where = "; or a".join(start.removesuffix(", all else fixed, ").removeprefix("A") for start in starts)
        name = f"{part}: " if part else ""
        lines.append(f"  {name}{f'A{where}; all else fixed, ' if where else ''}{rest}")
    settled = {key: row["evidence"] for key, row in verdicts.items() if row["verdict"] == "holds"}
    for title, texts in (
        ("Remarks", [text for one in found for text in one.remarks]
         + [f"{text}; but it is {settled[one.key]}." for one in found if one.key in settled for text in one.undecided]),
        ("Undecided", [text for one in found if one.key not in settled for text in one.undecided]),
        ("To be verified again", [k for k in keys or [c.key for c in registry.all_claims()] if k not in verdicts]),
    ):  # fmt: skip
        if texts:
            lines += ["", title, *(f"  {text}" for text in texts)]
    refuted = sum(entry.status == "refuted" for entry in entries)
    silent = sum(not (one.errata or one.remarks or one.undecided) for one in found)
    edges = sum(entry.edge for entry in entries)
    rebuilt = sum(registry.find(entry.key).origin == "reconstructed" for entry in entries)
    lines += [
        "",
        f"{len(found)} claims compared, {silent} without comment: {len(entries)} errata, {refuted} of them refuted, "
        f"{edges} at an edge, {rebuilt} where what counts as printed was reconstructed",
    ]
    return lines[1:]
