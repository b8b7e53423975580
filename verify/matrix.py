"""The evidence matrix: for every claim how it is known to be true, how tight it is, or how it fails.

The verdict is on the claim as printed, part by part. A part fails if an object violates it, at an edge or anywhere. It
holds if a proof, a derivation or a construction says so, or a test where the derivation leaves no gap. The claim fails
with any of its parts and holds with all of them; else it is undecided.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import active_children, get_context
from typing import Any

from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.verify.errata.entries import Comparison, Erratum, comparable

from . import ledger
from .checks import RUNGS, Effort, Result, exemption_of, results


@dataclass(frozen=True, kw_only=True)
class Row:
    key: str
    verdict: str
    evidence: str | None
    instances: int
    tightness: float | None
    counterexample: dict[str, Any] | None
    seconds: float
    edge: bool  # it fails only where a kept logarithm vanishes
    derived: str | None  # the rung on which the derived or the sharp form stands
    note: str
    trained: dict[str, Any] | None = None  # instances, tightness and note of what trained networks say, if they do


Found = tuple[Row, list[Result]]


def verify(
    keys: list[str], effort: Effort, workers: int = 1, report: Callable[[Row], None] | None = None
) -> list[Found]:
    """One row for each key, with the results behind it; `report` hears of each as it comes. What was found before an
    interruption is kept."""
    sources = {key: ledger.restates(registry.find(key)) or key for key in keys}
    compared = {one.key: one for one in ledger.comparisons(keys=set(sources.values()))}
    found: dict[str, Found] = {}
    try:
        for source, (made, seconds) in _all_results(set(sources.values()), effort, workers):
            for key in (key for key in keys if sources[key] == source):
                found[key] = row(registry.find(key), made, compared.get(source), seconds), made
                if report:
                    report(found[key][0])
    except KeyboardInterrupt:
        pass
    return [found[key] for key in keys if key in found]


def _all_results(keys: set[str], effort: Effort, workers: int) -> Iterator[tuple[str, tuple[list[Result], float]]]:
    """As they come; in processes of their own where there are several workers."""
    if workers == 1:
        yield from ((key, _timed(key, effort)) for key in keys)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _one_thread)
    try:
        tasks = {pool.submit(_timed, key, effort): key for key in keys}
        yield from ((tasks[task], task.result()) for task in as_completed(tasks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in active_children():  # an interruption does not wait for what they are at
            child.terminate()


def _one_thread() -> None:
    """Each process has one core; set before anything that counts them is imported."""
    os.environ["OMP_NUM_THREADS"] = "1"


def _timed(key: str, effort: Effort) -> tuple[list[Result], float]:
    started = time.perf_counter()
    return results(key, effort), time.perf_counter() - started


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
            edge=False,
            derived=None,
            note=reason,
        )
    made = [*made, *_from_the_calculus(claim, compared)]
    gaps = {entry.part for entry in compared.errata if not entry.edge} if compared else set()
    names = [part.name for part in claim.parts if part.printed is not None] or [""]
    parts = [_part(name, made, name in gaps) for name in names]
    verdict, deciding = max(parts, key=lambda part: (SEVERITY[part[0]], RUNGS.index(part[1].rung) if part[1] else 0))
    others = [one for one in made if one.form != "printed"]
    derived = strongest([one for one in others if one.verdict == "holds"])
    note = deciding.note if deciding else _reason(gaps, made)
    for broken in (one for one in others if one.verdict == "fails"):
        note += f"; the {broken.form} form fails: {broken.note}"
    fails = deciding if deciding and verdict.startswith("fails") else None
    return Row(
        key=claim.key,
        verdict=verdict.partition(" ")[0],
        evidence=deciding.rung if deciding else derived,
        instances=sum(one.instances for one in made),
        tightness=_tightness([one for one in made if one.form == "printed"]) or _tightness(others),
        counterexample=dict(fails.counterexample or {}) if fails else None,
        seconds=seconds,
        edge=bool(fails and fails.edge),
        derived=derived,
        note=note,
        trained=_held([one for one in made if one.rung == "trained"]),
    )


def _held(against: list[Result]) -> dict[str, Any] | None:
    if not against:
        return None
    notes = "; ".join(dict.fromkeys(one.note for one in against))
    return {"instances": sum(one.instances for one in against), "tightness": _tightness(against), "note": notes}


SEVERITY = {"holds": 0, "undecided": 1, "fails at an edge": 2, "fails": 3}


def _part(name: str, made: list[Result], gap: bool) -> tuple[str, Result | None]:
    """The verdict on one printed part, and the result that decides it."""
    own = [one for one in made if one.form == "printed" and one.part in ("", name)]
    for one in sorted(
        (one for one in own if one.verdict == "fails"), key=lambda one: (one.edge, one.rung != "refuted")
    ):
        return ("fails at an edge" if one.edge else "fails"), one
    holds = [one for one in own if one.verdict == "holds" and not (gap and one.rung in ("tested", "trained"))]
    if not holds:
        return "undecided", None
    return "holds", min(holds, key=lambda one: RUNGS.index(one.rung))


def _from_the_calculus(claim: Claim, compared: Comparison | None) -> Iterator[Result]:
    """A derived form stands on its parents, and the printed one on it where the comparison finds no gap."""
    if claim.reference:
        yield Result("holds", "axiom", f"taken from {claim.reference}")
    open_parts = {entry.part for entry in compared.errata} if compared else set()
    for part in comparable(claim):
        yield Result("holds", "derived", "by the calculus from its parents", part=part.name, form="derived")
        if compared and part.name not in open_parts and not compared.undecided:
            yield Result("holds", "derived", "the derived or the sharp form gives the printed one", part=part.name)


def _tightness(made: list[Result]) -> float | None:
    return max((one.tightness for one in made if one.tightness is not None), default=None)


def strongest(found: list[Result]) -> str | None:
    return min((one.rung for one in found), key=RUNGS.index, default=None)


def _reason(gaps: set[str], made: list[Result]) -> str:
    if gaps:
        return "the derivation does not give it (see the errata), and no object was found that violates it"
    return "; ".join(one.note for one in made if one.verdict == "undecided") or "nothing decides it"


def record(row: Row, effort: Effort) -> dict[str, Any]:
    """What the ledger keeps of a row."""
    return {**asdict(row), "seconds": round(row.seconds, 1), "effort": effort.name}


def refuted(key: str, made: list[Result]) -> list[Erratum]:
    """What attacks and constructions found against the print, as entries of the errata."""
    claim = registry.find(key)
    if ledger.restates(claim):
        return []
    first = next((part.name for part in claim.parts), "")  # a definition may have none
    return [
        Erratum(
            key=key,
            part=one.part or first,
            status="refuted",
            edge=one.edge,
            witness=dict(one.counterexample or {}),
            printed_value=one.printed_value,
            true_value=one.true_value,
            note=f"{one.note[:1].upper()}{one.note[1:].removesuffix('.')}.",
        )
        for one in made
        if one.verdict == "fails" and one.form == "printed"
    ]
