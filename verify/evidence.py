"""What the ledger says of each claim, read without loading what made it.

An entry stands if the claim still says what it said, and its check is the one that made the entry; else the claim is to
be verified again. While the digest of the sources agrees, both are taken as they are; when it does not, they are
computed again. An entry that was made with other sources was not replayed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.claim import HIDES, Claim, InputError

from . import digests
from .rungs import EFFORTS, RUNGS, VERDICTS

PATH = Path(__file__).with_name("ledger.json")
AGAIN = "to be verified again"
Entry = Mapping[str, Any]
FIRST = '{{"digest": "{}",\n'  # the first line of the file; the digest is of all that follows

TEXT, FLAG, WHOLE, NUMBER, TABLE, LIST, NOTHING = (str,), (bool,), (int,), (int, float), (dict,), (list,), (type(None),)
Shape = Mapping[str, tuple[type, ...]]
ENTRY: Shape = {
    "key": TEXT, "sources": TEXT, "check": TABLE, "verdict": TABLE, "refuted": LIST, "comparison": TABLE + NOTHING,
}  # fmt: skip
CHECK: Shape = {"modules": LIST, "digest": TEXT}
VERDICT: Shape = {
    "key": TEXT, "verdict": TEXT, "evidence": TEXT + NOTHING, "instances": WHOLE, "tightness": NUMBER + NOTHING,
    "counterexample": TABLE + NOTHING, "seconds": NUMBER, "derived": TEXT + NOTHING, "notes": LIST,
    "where": TEXT, "trained": TABLE + NOTHING, "effort": TEXT,
}  # fmt: skip
TRAINED: Shape = {"instances": WHOLE, "tightness": NUMBER + NOTHING, "note": TEXT}
COMPARISON: Shape = {"errata": LIST, "remarks": LIST, "undecided": LIST}
ERRATUM: Shape = {
    "key": TEXT, "part": TEXT, "status": TEXT, "edge": FLAG, "witness": TABLE, "printed_value": TEXT,
    "true_value": TEXT, "note": TEXT,
}  # fmt: skip
RAY: Shape = {"at": TABLE, "ray": TABLE, "t": LIST, "ratios": LIST}
WORDS = {"verdict": VERDICTS, "evidence": (None, *RUNGS), "derived": (None, *RUNGS), "effort": EFFORTS,
         "status": ("gap", "refuted")}  # fmt: skip


class Damaged(InputError):
    """The ledger cannot be believed."""


@dataclass(frozen=True)
class Ledger:
    sources: str
    entries: Mapping[str, Entry]  # by the fingerprint of the claim

    @property
    def agrees(self) -> bool:
        """Its hashes, and which checks stand, were found with these very sources."""
        return self.sources == digests.sources()


@cache
def ledger() -> Ledger:
    """Nothing, where there is no file; one that is cut, empty or altered is not used."""
    if not os.path.lexists(PATH):
        return Ledger("", {})
    try:
        first, _, rest = PATH.read_bytes().partition(b"\n")
        if first + b"\n" != FIRST.format(_digest(rest)).encode():
            raise Damaged("it is not what was written")
        content = json.loads(b"{" + rest, parse_constant=_no_number)
        json.dumps(content, ensure_ascii=False).encode()  # no half characters
        _check(content, {"sources": TEXT, "claims": TABLE}, "the file")
        for mark, entry in content["claims"].items():
            _check_entry(mark, entry)
    except (ValueError, OSError, RecursionError) as error:
        raise Damaged(
            f"the ledger {PATH.name} is damaged: {error}; restore it, or remove it and run `maurey verify --commit`"
        ) from None
    return Ledger(content["sources"], content["claims"])


def _no_number(text: str) -> float:
    raise Damaged(f"{text} is no number")


def _digest(rest: bytes) -> str:
    return hashlib.sha256(rest).hexdigest()


def written(sources: str, entries: Mapping[str, Entry]) -> str:
    """The text of a ledger."""
    rest = json.dumps({"sources": sources, "claims": entries}, indent=1)[1:].lstrip("\n") + "\n"
    return FIRST.format(_digest(rest.encode())) + rest


def _check_entry(mark: str, entry: Any) -> None:
    """Types, words of closed lists, and what numbers must be."""
    _check(entry, ENTRY, mark)
    key = entry["key"]
    _check(entry["check"], CHECK, f"the check of {key}")
    _check(entry["verdict"], VERDICT, f"the verdict on {key}")
    if entry["verdict"]["trained"] is not None:
        _check(entry["verdict"]["trained"], TRAINED, f"the verdict on {key}, trained")
    compared = entry["comparison"] or {"errata": [], "remarks": [], "undecided": []}
    _check(compared, COMPARISON, f"the comparison of {key}")
    texts = [*compared["remarks"], *compared["undecided"], *entry["check"]["modules"], *entry["verdict"]["notes"]]
    if any(not isinstance(text, str) for text in texts) or entry["verdict"]["key"] != key:
        raise Damaged(f"the entry of {key} has other things than texts, or is another's")
    for erratum in [*entry["refuted"], *compared["errata"]]:
        _check(erratum, ERRATUM, f"an erratum of {key}")
        _check_erratum(erratum, key)


def _check_erratum(erratum: Any, key: str) -> None:
    numbers = [erratum["printed_value"], erratum["true_value"]]
    witness = erratum["witness"]
    if "ray" in witness:
        _check({name: witness.get(name) for name in RAY}, RAY, f"a ray of {key}")
        numbers += [*witness["t"], *witness["ratios"]]
        if not witness["t"] or not all(isinstance(power, (int, float)) for power in witness["ray"].values()):
            raise Damaged(f"a ray of {key} goes nowhere")
    if erratum["key"] != key or not all(isinstance(x, str) and _is_number(x) for x in numbers):
        raise Damaged(f"an erratum of {key} is another's, or has no numbers")


def _is_number(text: str) -> bool:
    try:
        return not Decimal(text).is_nan()
    except InvalidOperation:
        return False


def _check(found: Any, wanted: Shape, what: str) -> None:
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise Damaged(f"{what} has not the fields {', '.join(wanted)}")
    for name, kinds in wanted.items():
        value = found[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise Damaged(f"{name} of {what} is {value!r:.60}")
        if name in WORDS and not isinstance(value, dict) and value not in WORDS[name]:
            raise Damaged(f"{name} of {what} is {value!r:.60}")


@cache
def _by_key() -> Mapping[str, Entry]:
    return {entry["key"]: entry for entry in ledger().entries.values()}


def forget() -> None:
    """After the file was written."""
    ledger.cache_clear()
    _by_key.cache_clear()


def modules_of(key: str) -> list[str]:
    """The modules of papers' checks that speak of the key, if the ledger knows them."""
    known = _by_key()[key]["check"]["modules"] if ledger().agrees and key in _by_key() else []
    own = [module for module in known if module.startswith("papers.")]
    return own if all(map(digests.exists, own)) else []


def entry_of(claim: Claim) -> Entry | None:
    """What the ledger holds of the claim as it is, whoever found it."""
    if not ledger().entries:
        return None
    if ledger().agrees and registry.claims_of(claim.paper).get(claim.key) is claim:
        return _by_key().get(claim.key)
    from maurey.symbolic.fingerprint import fingerprint

    return ledger().entries.get(fingerprint(claim))


def verdict_of(claim: Claim) -> Mapping[str, Any] | None:
    """The verdict, if it stands."""
    entry = entry_of(claim)
    return entry["verdict"] if entry and stands(entry) else None


def stands(entry: Entry) -> bool:
    """The check that made it is the one that there is."""
    made = entry["check"]
    return ledger().agrees or digests.of_check(tuple(made["modules"])) == made["digest"]


def replayed(entry: Entry) -> bool:
    """It was made, or made again, with the sources as they are."""
    return bool(entry["sources"] == digests.sources())


@dataclass(frozen=True)
class Standing:
    """What can be told of a claim in a word or two."""

    verdict: str | None = None  # on the claim as printed
    evidence: str | None = None  # the rung that decides it; none where there is nothing to check
    where: str = ""  # under which condition it holds, if the paper does not state it
    replayed: bool = False  # with the sources as they are
    problem: str = ""  # why there is no verdict

    @property
    def words(self) -> str:
        """The verdict and what it stands on."""
        if self.verdict == "holds" and self.evidence is None:
            return "nothing to check"
        where = f" where {self.where}" if self.where else ""
        rung = f" ({self.rung})" if self.rung else ""
        return f"{self.verdict}{where}{rung}" if self.verdict else self.problem

    @property
    def rung(self) -> str:
        """What the verdict stands on."""
        known = [self.evidence or "", "" if self.replayed or not self.verdict else "not replayed"]
        return ", ".join(word for word in known if word)


def standing_of(claim: Claim) -> Standing:
    entry = entry_of(claim)
    if entry is None or not stands(entry):
        return Standing(problem=AGAIN)
    told = {name: entry["verdict"][name] for name in ("verdict", "evidence", "where")}
    return Standing(**told, replayed=replayed(entry))


def standing_or_problem(claim: Claim) -> Standing:
    """For what can be told without a ledger."""
    try:
        return standing_of(claim)
    except Damaged as error:
        return Standing(problem=str(error))


def shortest_erratum(claim: Claim) -> str:
    """What it says first: of the errata on it that stand, the note of fewest words."""
    entry = entry_of(claim)
    if entry is None or not stands(entry):
        return ""
    notes = [one["note"] for one in (*entry["refuted"], *(entry["comparison"] or {"errata": []})["errata"])]
    return min(notes, key=len, default="")


def reason(claim: Claim) -> str:
    """What is said first of its verdict."""
    verdict = verdict_of(claim)
    return str(verdict["notes"][0]) if verdict and verdict["notes"] else ""


def proved_form(claim: Claim) -> str:
    """The form to use: the sharp or the derived one, if it stands on something."""
    verdict = verdict_of(claim)
    forms = [form for form in ("sharp", "derived", "repaired") if form in claim.forms]
    return forms[0] if forms and verdict and verdict["derived"] else ""


def form_stands(claim: Claim, part: str, form: str) -> bool:
    """Whether it is known to hold, with nothing hidden."""
    verdict = verdict_of(claim)
    if verdict is None:
        return registry.is_registered(claim)  # one's own counts as its author says
    if form == "printed":
        return bool(verdict["verdict"] == "holds" and claim.part(part).relation not in HIDES)
    return verdict["derived"] is not None
