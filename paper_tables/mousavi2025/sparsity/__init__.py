"""Figure 3: how many training prompts a quadratic link takes, against the number of tokens that a label depends on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.mousavi2025.figure import draw
from maurey.paper_tables.mousavi2025.samples import (
    COLUMNS,
    MODELS,
    Cell,
    account,
    cells_of,
    fitted,
    law,
    place,
    row,
    without_looking,
)
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding

plan = partial(in_stages, link="hermite", threshold=0.88, rate=1e-4, decay=0.1)
OTHERS = ("recurrent", "feedforward")


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    cells = cells_of(outcomes, "q")
    planned = plan(scale)
    laws = {("text", m): law(cells, "text", m) for m in MODELS}
    findings = [*(_gap(cells, other, expected) for other in OTHERS), _inside(cells, expected)]
    every = " or ".join(map(str, sorted({job.config.every for job in planned})))
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Figure 3: samples that a quadratic link takes, against q",
        notes=[
            *account(scale, planned, outcomes, "q", partial(place, "q")),
            "Labels are sums of He_2(<u_k, x_k>) over the q tokens that a position asks for, scaled to variance 1; q "
            "heads, states of 500 q numbers (tanh). Samples until the test error is at most "
            f"{expected['threshold']:g}; a test every {every} steps; AdamW, rate 0.0001, weight decay 0.1. The paper "
            "does not say how often it tests, nor which q it has, and the authors' script has no code for this figure.",
            "A run that was given up takes more than it has seen. Exponents of q: by maximum likelihood from all runs, "
            "those given up as censored; 95 %, profile likelihood.",
            *without_looking(outcomes),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[
            *(row(cell) for cell in cells),
            *(fitted(*who, found) for who, found in laws.items() if who in {(c.variant, c.model) for c in cells}),
        ],
        draw=lambda figure: draw(
            figure,
            cells,
            laws=laws,
            printed={},
            axis="q",
            meaning="tokens q that a label depends on",
            threshold=expected["threshold"],
        ),
        figure_size=(7.0, 5.4),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


def _gap(cells: Sequence[Cell], other: str, expected: Mapping[str, Any]) -> Finding:
    """In samples, from the first to the last q that both were run at: a difference, as the figure's axis is linear."""
    own = {(c.model, c.at): c for c in cells if c.runs}
    common = sorted(q for model, q in own if model == other and ("transformer", q) in own)
    start = f"{expected['figure']}: {expected['shows']}; {MODELS[other]}"
    if len(common) < 2:
        return Finding(f"{start}: fewer than two q were run", None)
    ends = [(own[other, q], own["transformer", q]) for q in (common[0], common[-1])]
    told = "; ".join(f"q = {a.at}: {a.text} against {b.text}" for a, b in ends)
    (a, b), (c, d) = ends
    text = f"{start} against the Transformer, {told}"
    if a.censored or b.censored or d.censored:
        return Finding(text, None)
    widening = (c.mean - d.mean) - (a.mean - b.mean)
    if widening > 0:
        return Finding(text, True)
    return Finding(text, None if c.censored or -widening <= 2 * math.sqrt(sum(map(_variance, (a, b, c, d)))) else False)


def _variance(cell: Cell) -> float:
    """Of the mean of the runs."""
    n = len(cell.passed)
    return sum((x - cell.mean) ** 2 for x in cell.passed) / (n - 1) / n if n > 1 else 0.0


def _inside(cells: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """Whatever q the figure has, 1 and 2 are among them."""
    text = f"{expected['figure']}: no mean is above {expected['axis']} samples"
    known = [c for c in cells if c.runs]
    if not known:
        return Finding(f"{text}; nothing was run", None)
    above = [c for c in known if c.mean > expected["axis"]]
    top = max(known, key=lambda c: c.mean)
    text += f"; here the largest is {top.text} ({MODELS[top.model]}, q = {top.at})"
    open_ = above or any(c.censored for c in known) or {c.model for c in known} != set(MODELS)
    return Finding(text, False if any(c.at <= 2 for c in above) else None if open_ else True)
