"""The evidence matrix, as the ledger has it: verdict, rung, effective instances, tightness and time of every claim of a
paper and of all that they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maurey.symbolic import registry
from maurey.verify import ledger
from maurey.verify.evidence import AGAIN

from .exhibits import Exhibit, Progress

COLUMNS = ["claim", "verdict", "evidence", "derived form", "instances", "tightness", "seconds"]
COLOURS = {"holds": "tab:blue", "undecided": "tab:orange", "fails": "tab:red"}


def evidence(paper: str, progress: Progress) -> Exhibit:
    used = _closure(paper)
    stored = ledger.verdicts(used)
    wanted = [claim.key for claim in registry.all_claims() if claim.key in used]
    keys, rows = [key for key in wanted if key in stored], []
    for done, key in enumerate(wanted):
        progress(done, len(wanted))
        rows.append(_row(key, stored[key]) if key in stored else [key, AGAIN, *[""] * (len(COLUMNS) - 2)])
    verdicts = [stored[key]["verdict"] for key in keys]
    counts = {verdict: verdicts.count(verdict) for verdict in COLOURS}
    cut = sum(bool(stored[key]["where"]) for key in keys)
    efforts = sorted({stored[key]["effort"] for key in keys})
    return Exhibit(
        title="What is known of each claim, and how",
        notes=[
            f"Effort {', '.join(efforts)}; seed 0; seconds on one core, when the ledger was made.",
            "The verdict is on the claim as printed; `derived form` is the rung on which Maurey's own form stands. "
            "Instances are those that met the hypotheses; tightness is the largest lhs/rhs found, of the printed form "
            "if that was tried.",
            "The paper gives proofs; it shows no such table. "
            f"{counts['holds']} hold ({cut} of them, marked *, under a condition that it does not state), "
            f"{counts['fails']} fail, "
            f"{counts['undecided']} are undecided: the derivation does not give them and nothing refutes them. "
            f"{sum(stored[key]['evidence'] is None for key in keys)} of those that hold are definitions, assumptions "
            "or overviews, with nothing to check.",
        ],
        columns=COLUMNS,
        rows=rows,
        draw=lambda figure: _draw(figure, {key: stored[key] for key in keys}),
        figure_size=(9.0, 11.0),
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


def _row(key: str, verdict: Mapping[str, Any]) -> list[str]:
    tightness = "" if verdict["tightness"] is None else f"{verdict['tightness']:.3g}"
    shown = f"{verdict['verdict']}*" if verdict["where"] else verdict["verdict"]
    rungs = [verdict["evidence"] or "-", verdict["derived"] or "-"]
    return [key, shown, *rungs, str(verdict["instances"]), tightness, f"{verdict['seconds']:.1f}"]


def _draw(figure: Any, stored: Mapping[str, Mapping[str, Any]]) -> None:
    """Tightness of every claim that was tried on instances."""
    tried = {key: one for key, one in stored.items() if one["tightness"] is not None}
    axes = figure.subplots()
    for verdict, colour in COLOURS.items():
        at = [(one["tightness"], n) for n, one in enumerate(tried.values()) if one["verdict"] == verdict]
        if at:
            axes.plot(*zip(*at, strict=True), "o", color=colour, label=verdict)
    axes.set_yticks(range(len(tried)), [f"{key} ({one['evidence']})" for key, one in tried.items()], fontsize=7)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("tightness: the largest lhs/rhs that was found")
    axes.grid(alpha=0.3)
    axes.legend(title="as printed")
    figure.suptitle("Tightness of the claims that were tried on instances", fontsize=9)
