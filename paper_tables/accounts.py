"""What the notes of every trained exhibit say: what was run, what is missing, and what of the paper it bears out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job

from .statistics import difference
from .trained import Outcome

PROTOCOLS = {"fast": "fast (no dropout)", "paper": "paper (dropout)"}
SEEDS = (
    "Seeds: every draw of a trial (hidden positions, strings, initial weights, dropout) is keyed by the hash of its "
    "configuration and number; training has no other seed, and no trial depends on which others are run, but for the "
    "rounding of float32, which depends on machine and batch and can turn a trial that is near the edge."
)
FAIR = (
    "Counts are held against the paper's: as many agree, fewer are undecided unless Newcombe's 95 % interval of the "
    "difference is below 0. Trials without dropout, which the paper has, do not speak against it. Both rules were set "
    "when results were known."
)
Place = tuple[int, int, str]  # T, m, protocol


def finished(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those that came to an end. A trial whose loss is no longer a number has failed: it is no evidence of anything."""
    return [o for o in outcomes if o.record["status"] == "done"]


def succeeded(outcome: Outcome) -> bool:
    """The largest held-out accuracy in training is above 0.99 (C.1)."""
    return bool(outcome.record["errors"] * 100 < outcome.config.held_out)


def accuracy(outcome: Outcome, errors: int | None = None) -> float:
    """On held-out strings, with these errors or the fewest."""
    return 1 - (outcome.record["errors"] if errors is None else errors) / outcome.config.held_out


def place(config: Config) -> Place:
    return config.T, config.m, config.protocol


def by_place(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return sorted(outcomes, key=lambda outcome: (place(outcome.config), outcome.trial))


def judged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those with dropout, as the paper trains, unless there are more without it: the two are never counted together."""
    own = [[o for o in outcomes if o.config.protocol == protocol] for protocol in ("paper", "fast")]
    return max(own, key=len)


def without(outcomes: Iterable[Outcome]) -> str:
    return ", without dropout," if all(o.config.protocol == "fast" for o in outcomes) else ""


def similar(own: tuple[int, int], paper: tuple[int, int]) -> bool | None:
    """Whether as many (successes, trials) as in the paper: not if Newcombe's interval of the difference is below 0."""
    gap, _, high = difference(own, paper)
    return True if gap >= 0 else False if high < 0 else None


def fair(agrees: bool | None, outcomes: Iterable[Outcome]) -> bool | None:
    """What was trained without dropout, which the paper has, does not speak against it."""
    return None if agrees is False and without(outcomes) else agrees


def excused(agrees: bool | None, outcomes: Iterable[Outcome]) -> str:
    """Why it does not, where it would."""
    excuse = agrees is False and fair(agrees, outcomes) is None
    return "; the paper has dropout, so that this does not speak against it" if excuse else ""


def _missing(wanted: Mapping[Place, int], there: Mapping[Place, int]) -> str:
    """Trials of each T and protocol."""
    own: dict[tuple[int, str], list[int]] = {}
    for where, number in wanted.items():
        counts = own.setdefault((where[0], where[2]), [0, 0])
        counts[0] += max(0, number - there.get(where, 0))
        counts[1] += number
    texts = [f"T = {T}, {name}: {lost} of {n}" for (T, name), (lost, n) in own.items() if lost]
    return "; ".join(texts) or "none"


def account(scale: Mapping[str, Any], planned: Sequence[Job], outcomes: Sequence[Outcome]) -> list[str]:
    """Scale, protocols, trials of a cell, missing trials, failures and seeds."""
    wanted = Counter(place(job.config) for job in planned)
    there = Counter(place(o.config) for o in outcomes)
    notes = []
    for protocol in dict.fromkeys(where[2] for where in there):
        counts = [n for where, n in there.items() if where[2] == protocol]
        most = max((n for where, n in wanted.items() if where[2] == protocol), default=max(counts))
        few = f"{counts[0]}" if min(counts) == max(counts) else f"{min(counts)}..{max(counts)}"
        notes.append(
            f"Scale {scale['scale']}, protocol {PROTOCOLS[protocol]}; cells: {len(counts)}; trials in each: {few} "
            f"(planned: up to {most})."
        )
    failed = len(outcomes) - len(finished(outcomes))
    notes.append(f"Missing trials of this scale: {_missing(wanted, there)}.")
    notes.append(
        f"Failed trials (a loss that is no longer a number): {failed}. They are listed, and counted neither as "
        "successful nor as unsuccessful."
    )
    return [*notes, SEEDS]
