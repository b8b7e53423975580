"""The evidence matrix: for every claim how it is known to be true, how tight it is, or how it fails.

The verdict is on the claim as printed, part by part. A part fails if an object violates it. If it does so only outside
a condition that the paper does not state, the part holds where the condition does. If no text was read, what fails is
our reconstruction, and the part is undecided. An object built as the printed proof says may miss what another does:
that is a gap of the proof. A part holds if a proof, derivation or construction says so, or a test where the derivation
leaves no gap. The claim fails with any of its parts and holds with all of them; else it is undecided.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from decimal import Decimal
from multiprocessing import active_children, get_context
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.claim import UNREAD, Claim
from maurey.verify.errata.causes import severity_of, where_of, within
from maurey.verify.errata.entries import Comparison, Erratum, comparable, restates

from . import digests, ledger
from .checks import Effort, Result, exemption_of, results
from .evidence import Entry
from .rungs import BESIDES, RUNGS


@dataclass(frozen=True, kw_only=True)
class Row:
    key: str
    verdict: str
    evidence: str | None
    instances: int
    tightness: float | None
    counterexample: dict[str, Any] | None
    seconds: float
    derived: str | None  # the rung on which the derived or the sharp form stands
    notes: list[str]  # what decided it comes first; then all else that was found
    where: str = ""  # under which condition it holds, if the paper does not state it
    trained: dict[str, Any] | None = None  # instances, tightness and note of what trained networks say, if they do


@dataclass(frozen=True)
class Found:
    """A row, and what is behind it."""

    row: Row
    made: list[Result]
    compared: Comparison | None


def verify(
    keys: list[str],
    effort: Effort,
    workers: int = 1,
    report: Callable[[Row], None] | None = None,
    afresh: bool = False,
) -> list[Found]:
    """Each key, in order; `report` hears of each as it comes. What was found before an interruption is kept. `afresh`
    compares again what the ledger has compared."""
    sources = {key: restates(registry.find(key)) or key for key in keys}
    compared = {one.key: one for one in ledger.comparisons(keys=set(sources.values()), afresh=afresh, standing=True)}
    found: dict[str, Found] = {}
    try:
        for source, (made, seconds) in _all_results(set(sources.values()), effort, workers, afresh):
            for key in (key for key in keys if sources[key] == source):
                by = compared.get(source)
                found[key] = Found(row(registry.find(key), made, by, seconds), made, by if key == source else None)
                if report:
                    report(found[key].row)
    except KeyboardInterrupt:
        pass
    return [found[key] for key in keys if key in found]


def _all_results(
    keys: set[str], effort: Effort, workers: int, afresh: bool
) -> Iterator[tuple[str, tuple[list[Result], float]]]:
    """As they come; in processes of their own where there are several workers."""
    if workers == 1:
        yield from ((key, _timed(key, effort, afresh)) for key in keys)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _one_thread)
    try:
        tasks = {pool.submit(_timed, key, effort, afresh): key for key in keys}
        yield from ((tasks[task], task.result()) for task in as_completed(tasks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in active_children():  # an interruption does not wait for what they are at
            child.terminate()


def _one_thread() -> None:
    """Each process has one core; set before anything that counts them is imported."""
    os.environ["OMP_NUM_THREADS"] = "1"


def _timed(key: str, effort: Effort, afresh: bool) -> tuple[list[Result], float]:
    started = time.perf_counter()
    return results(key, effort, whole=afresh), time.perf_counter() - started


def row(claim: Claim, made: list[Result], compared: Comparison | None, seconds: float) -> Row:
    if reason := exemption_of(claim.key):
        return Row(
            key=claim.key,
            verdict="holds",
            evidence="axiom" if claim.reference else None,
            instances=0,
            tightness=None,
            counterexample=None,
            seconds=seconds,
            derived=None,
            notes=[reason],
        )
    original = registry.find(restates(claim)) if restates(claim) else claim
    broken = [_erratum(original, one) for one in made if one.verdict == "fails" and one.form == "printed"]
    entries = [*broken, *(compared.errata if compared else [])]
    where = dict.fromkeys(text for text in map(where_of, entries) if text)
    inside = _inside(original, compared) if where else compared
    made = [*made, *_from_the_calculus(claim, inside)]
    gaps = {entry.part for entry in inside.errata if not entry.edge} if inside else set()
    names = [part.name for part in claim.parts if part.printed is not None] or [""]
    parts = [_part(original, name, made, name in gaps) for name in names]
    verdict, deciding, reason = max(parts, key=lambda p: (ORDER.index(p[0]), RUNGS.index(p[1].rung) if p[1] else 0))
    others = [one for one in made if one.form != "printed"]
    derived = strongest([one for one in others if one.verdict == "holds"])
    first = [deciding.note if deciding else reason or _reason(gaps, made, names != [""])]
    first += [f"the {one.form} form fails: {one.note}" for one in others if one.verdict == "fails"]
    rest = [one.note for one in made if one.note not in BY_THE_CALCULUS]
    rest += [*inside.remarks, *inside.undecided] if inside else []
    fails = deciding if deciding and verdict == "fails" else None
    return Row(
        key=claim.key,
        verdict=verdict,
        evidence=deciding.rung if deciding else None,
        instances=sum(one.instances for one in made),
        tightness=_tightness([one for one in made if one.form == "printed"]) or _tightness(others),
        counterexample=dict(fails.counterexample or {}) if fails else None,
        seconds=seconds,
        derived=derived,
        notes=list(dict.fromkeys([*first, *rest])),
        where="; ".join(where) if verdict == "holds" else "",
        trained=_held([one for one in made if one.rung == "trained"]),
    )


def _held(against: list[Result]) -> dict[str, Any] | None:
    if not against:
        return None
    notes = "; ".join(dict.fromkeys(one.note for one in against))
    return {"instances": sum(one.instances for one in against), "tightness": _tightness(against), "note": notes}


TIGHTNESS = 3  # digits: an ascent in doubles does not give the same further ones on every machine
ORDER = ("holds", "undecided", "fails")  # the worst of its parts decides a claim


def _part(claim: Claim, name: str, made: list[Result], gap: bool) -> tuple[str, Result | None, str]:
    """The verdict on one printed part, the result that decides it, and the reason where none does."""
    own = [one for one in made if one.form == "printed" and one.part in ("", name)]
    broken = [one for one in own if one.verdict == "fails" and not one.proof]
    if broken and claim.origin_of(name) in UNREAD:
        return "undecided", None, f"what fails is the form that was {claim.origin_of(name)}: {broken[0].note}"
    for one in sorted(broken, key=lambda one: one.rung != "refuted"):  # what is certified decides
        if severity_of(claim, _erratum(claim, one)) != "hypothesis":
            return "fails", one, ""
    holds = [one for one in own if one.verdict == "holds" and not (gap and one.rung in ("tested", "trained"))]
    if not holds:
        made_so = next((one.note for one in own if one.proof), "")
        return "undecided", None, made_so and f"the printed proof does not give it: {made_so}"
    return "holds", min(holds, key=lambda one: RUNGS.index(one.rung)), ""


BY_THE_CALCULUS = ("by the calculus from its parents", "the derived or the sharp form gives the printed one")


def _inside(claim: Claim, compared: Comparison | None) -> Comparison | None:
    """What the comparison finds under the conditions that the claim lacks."""
    cut = within(claim)
    if compared is None or cut is claim:
        return compared
    from maurey.verify.errata.comparison import compare

    return compare(cut)


def _from_the_calculus(claim: Claim, compared: Comparison | None) -> Iterator[Result]:
    """A derived form stands on its parents, and the printed one on it where the comparison finds no gap."""
    if claim.reference:
        yield Result("holds", "axiom", f"taken from {claim.reference}")
    open_parts = {entry.part for entry in compared.errata} if compared else set()
    for part in comparable(claim):
        yield Result("holds", "derived", BY_THE_CALCULUS[0], part=part.name, form="derived")
        if compared and part.name not in open_parts and not compared.undecided:
            yield Result("holds", "derived", BY_THE_CALCULUS[1], part=part.name)


def _tightness(made: list[Result]) -> float | None:
    return max((one.tightness for one in made if one.tightness is not None), default=None)


def strongest(found: list[Result]) -> str | None:
    return min((one.rung for one in found), key=RUNGS.index, default=None)


def _reason(gaps: set[str], made: list[Result], printed: bool) -> str:
    if gaps:
        return "the derivation does not give it (see the errata), and no object was found that violates it"
    told = (one.note for one in made if one.verdict == "undecided")
    notes = "; ".join(note for note in told if not note.startswith(BESIDES))
    return notes or ("nothing decides it" if printed else "there is no printed form, and nothing else decides it")


def entry(found: Found, effort: Effort) -> Entry:
    """What the ledger keeps."""
    row = found.row
    told = {"seconds": round(row.seconds, 1), "tightness": _rounded(row.tightness), "trained": _rounded_in(row.trained)}
    compared = asdict(found.compared) if found.compared else None
    modules = ledger.modules(registry.find(row.key))
    made = {
        "key": row.key,
        "sources": digests.sources(),
        "check": {"modules": modules, "digest": digests.of_check(tuple(modules))},
        "verdict": {**asdict(row), **told, "effort": effort.name},
        "refuted": [asdict(one) for one in refuted(row.key, found.made)],
        "comparison": compared and {name: value for name, value in compared.items() if name != "key"},
    }
    return json.loads(json.dumps(made))  # as it will be read again


def _rounded(x: float | None) -> float | None:
    return None if x is None else float(f"{x:.{TIGHTNESS}g}")


def _rounded_in(held: dict[str, Any] | None) -> dict[str, Any] | None:
    return held and held | {"tightness": _rounded(held["tightness"])}


def refuted(key: str, made: list[Result]) -> list[Erratum]:
    """What attacks and constructions found against the print, as entries of the errata."""
    claim = registry.find(key)
    if restates(claim):
        return []
    return [_erratum(claim, one) for one in made if one.verdict == "fails" and one.form == "printed"]


def _erratum(claim: Claim, one: Result) -> Erratum:
    first = next((part.name for part in claim.parts), "")  # a definition may have none
    return Erratum(
        key=claim.key,
        part=one.part or first,
        status="gap" if one.proof else "refuted",
        edge=one.edge,
        witness=dict(one.counterexample or {}),
        printed_value=_without_noise(one.printed_value),
        true_value=_without_noise(one.true_value),
        note=f"{one.note[:1].upper()}{one.note[1:].removesuffix('.')}.",
    )


def _without_noise(value: str) -> str:
    """Digits of a double beyond the fifteenth are not the same on every machine."""
    return f"{Decimal(value):.12g}" if len(Decimal(value).as_tuple().digits) > 15 else value
