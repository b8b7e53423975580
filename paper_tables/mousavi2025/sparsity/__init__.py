"""Figure 3: how many training prompts a quadratic link takes, against the number of tokens that a label depends on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean, variance
from typing import Any

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.mousavi2025.samples import (
    COLUMNS,
    MODELS,
    Cell,
    Spread,
    account,
    cells_of,
    counted,
    fitted,
    half,
    law,
    of_the_paper,
    place,
    row,
    spread,
    together,
    without_looking,
)
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import student
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, line

from .figure import draw

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, link="hermite", threshold=0.88, rate=1e-4, decay=0.1)
OTHERS = ("recurrent", "feedforward")


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    cells = cells_of(outcomes, "q")
    planned = plan(scale)
    laws = {("text", m): law(cells, "text", m) for m in MODELS}
    there = [o for o in of_the_paper(outcomes) if expected["N"] == o.config.N]
    figure = [c for c in cells_of(there, "q") if c.variant == "text" and c.at in expected["q"]]
    findings = [*(_gap(figure, other, expected) for other in OTHERS), _inside(figure, expected)]
    every = " or ".join(map(str, sorted({job.config.every for job in planned})))
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Figure 3: samples that a quadratic link takes, against q",
        question="Does the Transformer gain as labels depend on more tokens?",
        answer=_answer(cells, expected),
        verdict=_verdict(findings),
        caption="Prompts until the test error is at most 0.88, means of runs that all passed, with the least and the "
        "most; hollow, with an arrow: a run was given up, and takes more than it has seen. Shaded: the q of the "
        "paper's figure, whose curves are not legible in its text.",
        shown=Shown(SHOWN, _shown(cells)),
        notes=[
            *account(scale, planned, outcomes, "q", partial(place, "q")),
            "Labels are sums of He_2(<u_k, x_k>) over the q tokens that a position asks for, scaled to variance 1; q "
            "heads, states of 500 q numbers (tanh). Samples until the test error is at most "
            f"{expected['threshold']:g}; a test every {every} steps; AdamW, rate 0.0001, weight decay 0.1. The paper "
            "does not say how often it tests, nor how many runs it has (five are planned, as in Figure 1), and the "
            "authors' script has no code for this figure. Its q are probably 3, 4 and 5: the ticks are damaged in our "
            "text. Other q are drawn and tabled, and no finding is of them.",
            "A run that was given up takes more than it has seen, and is no part of a mean. Exponents of q, in the "
            "CSV: by maximum likelihood from all runs, those given up as censored; 95 %, profile likelihood, as in "
            "Figure 1. Samples do not grow with every q, so that a power law says little.",
            *without_looking(outcomes),
        ],
        columns=COLUMNS,
        rows=[
            *(row(cell) for cell in cells),
            *(fitted(*who, found) for who, found in laws.items() if who in {(c.variant, c.model) for c in cells}),
        ],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "q": "tokens that a label depends on; the paper's are 3, 4 and 5",
    **{name: "mean of the runs, and how many runs; > where a run was given up" if m == "transformer" else ""
       for m, name in MODELS.items()},
}  # fmt: skip


def _shown(cells: Sequence[Cell]) -> list[list[str]]:
    places = sorted({cell.at for cell in cells})
    own = {(c.model, c.at): f"{c.text} ({len(c.runs)})" for c in cells if c.runs}
    return [[str(q), *(own.get((m, q), "-") for m in MODELS)] for q in places]


def _answer(cells: Sequence[Cell], expected: Mapping[str, Any]) -> str:
    """The feedforward network's mean over the Transformer's."""
    means = {(c.model, c.at): c.mean for c in cells if c.mean is not None}
    both = [q for q in expected["q"] if {("transformer", q), ("feedforward", q)} <= set(means)]
    ratios = [f"{(means['feedforward', q] or 0) / (means['transformer', q] or 1):.2f} at q = {q}" for q in both]
    given_up = sum(len(c.censored) for c in cells if c.model == "recurrent")
    passed = sum(len(c.passed) for c in cells if c.model == "recurrent")
    text = f"The feedforward network takes {', '.join(ratios)} times the Transformer's prompts" if ratios else ""
    more = f"of {given_up + passed} recurrent networks {given_up} were given up"
    return f"{text}; {more}." if text else f"{more.capitalize()}."


def _verdict(findings: Sequence[Finding]) -> list[str]:
    *gaps, inside = findings
    return [
        *(line(f"the gap between {MODELS[other]} and the Transformer increases with q", one)
          for other, one in zip(OTHERS, gaps, strict=True)),
        line(inside.text.partition(": ")[2], inside),
    ]  # fmt: skip


# --- findings --------------------------------------------------------------------------------------------------------


def _share(cells: Sequence[Cell], number: int, expected: Mapping[str, Any]) -> dict[str, Any]:
    run, what = counted(cells, expected["runs"])
    return {"figure": expected["figure"], "run": run, "planned": number * expected["runs"], "what": what}


def _gap(figure: Sequence[Cell], other: str, expected: Mapping[str, Any]) -> Finding:
    """From the first to the last q of the figure that both were run at."""
    own = [c for c in figure if c.model in (other, "transformer")]
    known = {(c.model, c.at): c for c in own if c.runs}
    common = [q for q in expected["q"] if {(other, q), ("transformer", q)} <= set(known)]
    pairs = [(known[other, q], known["transformer", q]) for q in common]
    told = ", ".join(f"{a.text} against {b.text} at q = {a.at}" for a, b in pairs)
    return Finding(
        f"{expected['figure']}: {expected['shows']}. {MODELS[other]} against the Transformer: {told or 'not both run'}",
        wider(pairs[0], pairs[-1]) if len(pairs) > 1 else None,
        criterion=f'the paper: "{expected["says"]}"; from the first q to the last, by the 95 % interval, in samples '
        "and as a ratio",
        **_share(own, 2 * len(expected["q"]), expected),
    )


def wider(first: tuple[Cell, Cell], last: tuple[Cell, Cell]) -> bool | None:
    """Whether the gap in a pair grows: Student's interval of the change leaves 0 out, in samples, as the axis has them,
    and in logarithms. The paper does not say which is meant; if they differ, it is open."""
    cells = (*last, *first)
    if any(c.mean is None or len(c.passed) < 2 for c in cells):
        return None
    signs: set[bool | None] = set()
    scales: tuple[Callable[[float], float], ...] = (float, math.log)
    for scale in scales:
        values = [[scale(n) for n in c.passed] for c in cells]
        a, b, c, d = map(fmean, values)
        error = student(min(map(len, values)) - 1) * math.sqrt(sum(variance(own) / len(own) for own in values))
        change = (a - b) - (c - d)
        signs.add(True if change > error else False if change < -error else None)
    return signs.pop() if len(signs) == 1 else None


def _inside(figure: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """No mean of the figure is above the end of its axis."""
    known, found = [c for c in figure if c.runs], spread(figure)
    told = "nothing was run"
    if known:
        top = max(known, key=lambda c: c.level)
        told = f"the largest is {top.text} ({MODELS[top.model]}, q = {top.at})"
    return Finding(
        f"{expected['figure']}: no mean is above {expected['axis']} samples; here {told}",
        together(_below(c, expected["axis"], found) for c in known),
        criterion="ours: the last tick of the figure's axis, and the 95 % interval of a mean",
        **_share(figure, len(MODELS) * len(expected["q"]), expected),
    )


def _below(cell: Cell, axis: float, found: Spread) -> bool | None:
    apart, room = math.log(axis) - cell.level, half(found, len(cell.runs))
    if apart < -room:
        return False
    return True if apart > room and not cell.censored else None
