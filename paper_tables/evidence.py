"""The evidence matrix, as the ledger has it: verdict, rung, effective instances, tightness and time of every claim of a
paper and of all that they rest on, and where its printed form comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maurey.symbolic import registry
from maurey.verify import ledger
from maurey.verify.evidence import AGAIN
from maurey.verify.rungs import RUNGS, VERDICTS

from .evidence_figure import CONDITION, NONE, draw
from .exhibits import Exhibit, Progress
from .index import papers
from .page import Shown

__all__ = ["draw", "evidence"]

COLUMNS = ["claim", "verdict", "evidence", "derived form", "instances", "tightness", "seconds", "source"]
SHOWN = {
    "what decided": "the strongest rung of evidence, from the strongest on",
    "holds": "",
    "holds*": "holds under a condition that the paper does not state",
    "fails": "a witness is kept",
    "undecided": "the derivation does not give it, and nothing refutes it",
}


VERDICTS_SHOWN = ("holds", f"holds{CONDITION}", *VERDICTS[1:])


def evidence(paper: str, progress: Progress) -> Exhibit:
    used, title = _closure(paper), papers()[paper]["title"]
    stored = ledger.verdicts(used)
    wanted = [claim.key for claim in registry.all_claims() if claim.key in used]
    keys, rows = [key for key in wanted if key in stored], []
    for done, key in enumerate(wanted):
        progress(done, len(wanted))
        rows.append(_row(key, stored.get(key)))
    efforts = sorted({stored[key]["effort"] for key in keys})
    return Exhibit(
        title=f"{title}: what is known of each claim, and how",
        question=f"What is known of the claims of {title}, and how surely?",
        answer=_answer(rows),
        verdict=_verdict(rows),
        caption="A row for each claim: the verdict on it as printed, in the column of what decided it (no mark: there "
        "is nothing to check); on the right, "
        "for those that hold and were tried on instances, the largest left side over right side that was found (1: "
        "the bound is attained). Named: printed forms that are not simply read in the paper.",
        shown=_shown(rows),
        notes=[
            f"Effort {', '.join(efforts) or '-'}; seed 0; seconds on one core, when the ledger was made.",
            "The verdict is on the claim as printed; `derived form` in the CSV is the rung on which Maurey's own form "
            "stands. Instances are those that met the hypotheses; tightness is the largest left side over right side "
            "found, of the printed form if that was tried. The paper gives proofs; it shows no such table.",
        ],
        columns=COLUMNS,
        rows=rows,
        parameters={"effort": efforts, "seed": 0},
    )


def _closure(paper: str) -> set[str]:
    found = {claim.key for claim in registry.all_claims() if claim.paper.startswith(paper)}
    waiting = list(found)
    while waiting:
        new = set(registry.find(waiting.pop()).uses) - found
        found |= new
        waiting += new
    return found


def _row(key: str, verdict: Mapping[str, Any] | None) -> list[str]:
    source = " and ".join(registry.find(key).origins)
    if verdict is None:
        return [key, AGAIN, *[""] * (len(COLUMNS) - 3), source]
    tightness = "" if verdict["tightness"] is None else f"{verdict['tightness']:.3g}"
    shown = f"{verdict['verdict']}{CONDITION}" if verdict["where"] else verdict["verdict"]
    rungs = [verdict["evidence"] or NONE, verdict["derived"] or NONE]
    return [key, shown, *rungs, str(verdict["instances"]), tightness, f"{verdict['seconds']:.1f}", source]


def _shown(rows: Sequence[Sequence[str]]) -> Shown:
    """Counts by rung and verdict, of those that occur."""
    told = [row for row in rows if not _silent(row)]
    verdicts = [verdict for verdict in VERDICTS_SHOWN if any(row[1] == verdict for row in told)]
    found = []
    for rung in (*RUNGS, NONE):
        own = [row for row in told if row[2] == rung]
        if own:
            found.append([rung, *(str(sum(row[1] == verdict for row in own) or "") for verdict in verdicts)])
    return Shown({name: SHOWN[name] for name in ("what decided", *verdicts)}, found)


def _silent(row: Sequence[str]) -> bool:
    """There is nothing to check: that counts as nothing."""
    return row[1] == "holds" and row[2] == NONE


def _number(rows: Sequence[Sequence[str]], *verdicts: str) -> int:
    return sum(row[1] in verdicts and not _silent(row) for row in rows)


def _answer(rows: Sequence[Sequence[str]]) -> str:
    """What is counted, without zeros."""
    under = _number(rows, f"holds{CONDITION}")
    told = [f"{_number(rows, 'holds', f'holds{CONDITION}')} hold"]
    told[0] += f" ({under} of them under a condition that the paper does not state)" if under else ""
    for number, says in (
        (_number(rows, "fails"), "fail"), (_number(rows, "undecided"), "are undecided"),
        (sum(map(_silent, rows)), "have nothing to check"), (_number(rows, AGAIN), "are to be verified again"),
    ):  # fmt: skip
        told += [f"{number} {says}"] if number else []
    return f"Of {len(rows)} claims {', '.join(told)}."


def _verdict(rows: Sequence[Sequence[str]]) -> list[str]:
    told = []
    for word in ("fails", "undecided"):
        keys = [row[0] for row in rows if row[1] == word]
        if keys:
            many = f", and {len(keys) - 8} more" if len(keys) > 8 else ""
            told.append(f"**{word}**: {', '.join(keys[:8])}{many}")
    return told
