"""The ledger: what was found about each claim, under the hash of what the claim says.

As long as a claim stays as it is, its witnesses are replayed, not searched again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container
from dataclasses import asdict
from functools import cache
from typing import Any

from sympy import srepr

from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.verify.errata.entries import Comparison, Erratum, comparable
from maurey.verify.errata.witnesses import replay

from .evidence import PATH

Report = Callable[[int, int], None]
_text = cache(srepr)  # claims share steps
_hashes: dict[int, tuple[Claim, str]] = {}  # by identity: a claim never changes, but has no hash of its own


def hash_of(claim: Claim) -> str:
    if id(claim) not in _hashes:
        _hashes[id(claim)] = claim, _hash_of(claim)
    return _hashes[id(claim)][1]


def _hash_of(claim: Claim) -> str:
    """Of all that a comparison depends on: symbols, assumptions, constants and the steps of every form."""
    content = [
        claim.key,
        [(p.name, p.domain, p.index, p.optional) for p in claim.symbols],
        [_text(assumption.relation) for assumption in claim.assumes],
        [(c.name, str(c.value), c.left_open) for c in claim.constants],
        claim.unrolled,
        *([claim.samples] if claim.samples != "m" else []),
        dict(claim.differs),
        [
            [part.name, part.relation, part.keeps]
            + [(form, s.name, _text(s.expr), str(s.over)) for form in part.forms for s in part.steps(form)]
            for part in claim.parts
        ],
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def restates(claim: Claim) -> str:
    """The claim, if there is one, whose formulas this one states again under another number."""
    used = (registry.find(key) for key in claim.uses)
    return next((other.key for other in used if claim.parts and other.parts is claim.parts), "")


def _among(keys: Container[str] | None) -> list[Claim]:
    return [claim for claim in registry.all_claims() if keys is None or claim.key in keys]


def _read() -> dict[str, Any]:
    return json.loads(PATH.read_text()) if PATH.exists() else {}


def comparisons(
    report: Report = lambda done, total: None, afresh: bool = False, keys: Container[str] | None = None
) -> list[Comparison]:
    """Every claim, or every one of these, that has something to compare, in order: from the ledger where it knows the
    claim."""
    known = {} if afresh else _read()
    claims = [claim for claim in _among(keys) if comparable(claim)]
    found = []
    for number, claim in enumerate(claims):
        report(number, len(claims))
        if original := restates(claim):
            found.append(Comparison(claim.key, remarks=[f"{claim.key} states {original} again: see there."]))
            continue
        record = known.get(hash_of(claim), {}).get("comparison")
        stored = record and Comparison(claim.key, [Erratum(**e) for e in record["errata"]], *_lines(record))
        found.append(stored if stored and all(replay(claim, e) for e in stored.errata) else _compared(claim))
    return found


def _compared(claim: Claim) -> Comparison:
    from maurey.verify.errata.comparison import compare  # with NumPy, which a ledger that knows the claim does without

    return compare(claim)


def _lines(record: dict[str, Any]) -> tuple[list[str], list[str]]:
    return record["remarks"], record["undecided"]


def refuted() -> list[Erratum]:
    """What attacks and constructions found against claims that still say the same."""
    known = _read()
    records = (known.get(hash_of(claim), {}) for claim in registry.all_claims())
    return [Erratum(**entry) for record in records for entry in record.get("refuted", [])]


def verdicts(keys: Container[str] | None = None) -> dict[str, dict[str, Any]]:
    """The verdicts that the ledger holds, on all claims or on these, by key."""
    known = _read()
    found = {claim.key: known.get(hash_of(claim), {}).get("verdict") for claim in _among(keys)}
    return {key: verdict for key, verdict in found.items() if verdict}


def keep(name: str, entries: dict[str, Any]) -> None:
    """Put an entry of that name into the record of each key, and drop records of claims that have changed."""
    known, records = _read(), {}
    for claim in registry.all_claims():
        mark = hash_of(claim)
        record = known.get(mark, {"key": claim.key}) | ({name: entries[claim.key]} if claim.key in entries else {})
        if len(record) > 1:
            records[mark] = record
    PATH.write_text(json.dumps(records, indent=1) + "\n")


def commit(found: list[Comparison]) -> None:
    own = [one for one in found if not restates(registry.find(one.key))]
    keep("comparison", {one.key: {n: v for n, v in asdict(one).items() if n != "key"} for one in own})
