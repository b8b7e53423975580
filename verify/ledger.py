"""The ledger: what was found about each claim, under the fingerprint of what the claim says.

As long as a claim stays as it is, its witnesses are replayed, not searched again. `differences` holds every field
against what the checks find when they are run once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, InputError
from maurey.symbolic.fingerprint import fingerprint
from maurey.verify.errata.entries import Comparison, Erratum, comparable, restates
from maurey.verify.errata.witnesses import printed_again, replay

from . import checks, digests, evidence, files
from .evidence import AGAIN, Entry, entry_of, ledger, replayed, stands, verdict_of
from .prove.clock import Halt

Report = Callable[[int, int], None]
# with which sources, how long and how hard it was tried: not what was found
NOT_REPLAYED = ("sources", "verdict.seconds", "verdict.effort")
DECIMAL = re.compile(r"\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+")
NOISE = Decimal("1e-12")  # below it, what doubles give is how they were rounded


def _among(keys: Collection[str] | None) -> list[Claim]:
    """All claims, or these, in order; only their papers are loaded."""
    if keys is None:
        return registry.all_claims()
    papers = sorted({key.partition("/")[0] for key in keys})
    return [claim for paper in papers for claim in registry.claims_of(paper).values() if claim.key in keys]


def comparisons(
    report: Report = lambda done, total: None,
    afresh: bool = False,
    keys: Collection[str] | None = None,
    standing: bool = False,
) -> list[Comparison]:
    """Every claim, or every one of these, that has something to compare, in order: from the ledger where it knows the
    claim, replayed unless it was made with these very sources. That nothing was found counts only while what compared
    is `standing`."""
    claims = [claim for claim in _among(keys) if comparable(claim)]
    found = []
    for number, claim in enumerate(claims):
        report(number, len(claims))
        if original := restates(claim):
            found.append(Comparison(claim.key, remarks=[f"{claim.key}: states {original} again: see there."]))
        else:
            found.append((None if afresh else _stored(claim, standing)) or _compared(claim))
    return found


def _stored(claim: Claim, standing: bool) -> Comparison | None:
    entry = entry_of(claim)
    if entry is None or entry["comparison"] is None or (standing and not stands(entry)):
        return None
    stored = dict(entry["comparison"])
    found = Comparison(claim.key, [Erratum(**e) for e in stored.pop("errata")], **stored)
    return found if replayed(entry) or all(_shows(replay, claim, e) for e in found.errata) else None


def _shows(how: Callable[[Claim, Erratum], bool], claim: Claim, erratum: Erratum) -> bool:
    """Whatever a witness that was tampered with leads to, it does not show what it says."""
    try:
        return how(claim, erratum)
    except Halt:
        raise
    except Exception:
        return False


def _compared(claim: Claim) -> Comparison:
    from maurey.verify.errata.comparison import compare  # with NumPy, which a ledger that knows the claim does without

    return compare(claim)


def refuted(keys: Collection[str] | None = None) -> list[Erratum]:
    """What attacks and constructions found against claims, by checks that still stand."""
    entries = (entry_of(claim) for claim in _among(keys))
    return [Erratum(**one) for entry in entries if entry and stands(entry) for one in entry["refuted"]]


def verdicts(keys: Collection[str] | None = None) -> dict[str, Mapping[str, Any]]:
    """The verdicts that stand, on all claims or on these, by key."""
    found = {claim.key: verdict_of(claim) for claim in _among(keys)}
    return {key: verdict for key, verdict in found.items() if verdict}


def effort_of(key: str, otherwise: str) -> str:
    """How hard it was tried when its entry was made."""
    known = entry_of(registry.find(key))
    return known["verdict"]["effort"] if known else otherwise


def modules(claim: Claim) -> list[str]:
    """Those of the checks of a claim, of what compares its forms, and of what judges; within verify."""
    speaking = {module.removeprefix(f"{__package__}.") for module in checks.modules_of(restates(claim) or claim.key)}
    return sorted(speaking | {"matrix"} | ({"errata.comparison"} if comparable(claim) else set()))


def keep(found: Mapping[str, Entry]) -> None:
    """These entries, by key, in place of what there was. What the ledger holds of other claims stays as it is, if it
    stands, if no other check speaks of the claim, and if its witnesses still show what they showed; as long as it was
    not made again, it counts as not replayed."""
    if digests.changed():
        raise InputError("the sources were changed while their claims were verified: nothing is kept; verify again")
    entries = {}
    for claim in registry.all_claims():
        old = entry_of(claim)
        if claim.key in found:
            entries[fingerprint(claim)] = found[claim.key]
        elif (
            old
            and stands(old)
            and (replayed(old) or (modules(claim) == old["check"]["modules"] and _holds(claim, old)))
        ):
            entries[fingerprint(claim)] = old
    files.replace(evidence.PATH, evidence.written(digests.sources(), entries))
    evidence.forget()


def _holds(claim: Claim, old: Entry) -> bool:
    gaps = (old["comparison"] or {}).get("errata", [])
    ways = [(replay, e) for e in gaps] + [(printed_again, e) for e in old["refuted"]]
    return all(_shows(how, claim, Erratum(**e)) for how, e in ways)


def differences(found: Mapping[str, Entry]) -> Iterator[str]:
    """Where the ledger is not what these entries, found afresh, say."""
    known = {fingerprint(claim): claim.key for claim in registry.all_claims()}
    for mark, stored in ledger().entries.items():
        key = stored["key"]
        if known.get(mark) != key:
            yield f"{key}: the entry {mark} is of no claim"
        elif key in found:
            yield from (f"{key}: {line}" for line in _unlike(dict(stored), dict(found[key]), ""))
    for key in found:
        if key not in (stored["key"] for stored in ledger().entries.values()):
            yield f"{key}: {AGAIN}"


def _unlike(old: Any, new: Any, where: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict) and set(old) == set(new):
        for field in old:
            place = f"{where}.{field}".lstrip(".")
            if place not in NOT_REPLAYED:
                yield from _unlike(old[field], new[field], place)
    elif isinstance(old, list) and isinstance(new, (list, tuple)) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True), 1):
            yield from _unlike(one, other, f"{where}[{number}]")
    elif type(old) is not type(new) or not _alike(str(old), str(new)):
        yield f"{where} is {_brief(old)}, replayed {_brief(new)}"


def _alike(old: str, new: str) -> bool:
    """The same to the letter, but for decimals: from one machine to another the last digit may differ by one, and what
    a sentence says of rounding errors by more."""
    if DECIMAL.sub("0.", old) != DECIMAL.sub("0.", new):
        return False
    noise = NOISE if " " in old else Decimal(0)
    pairs = zip(DECIMAL.findall(old), DECIMAL.findall(new), strict=True)
    return all(_close(Decimal(x), Decimal(y), noise) for x, y in pairs)


def _close(x: Decimal, y: Decimal, noise: Decimal) -> bool:
    last = max(Decimal((0, (1,), int(z.as_tuple().exponent))) for z in (x, y))
    return abs(x - y) <= last or max(x, y) <= noise


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."
