"""How many heads are needed (Propositions 4 and 21), and how often drawn position vectors do (Assumption 3)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.verdicts import Finding
from maurey.verify.checks import EFFORTS
from maurey.verify.papers.mousavi2025 import hard_distribution, positions
from maurey.verify.papers.mousavi2025.hard_distribution import Row
from maurey.verify.papers.mousavi2025.positions import Audit

COLUMNS = [
    "kind",
    "d",
    "H",
    "q",
    "matrices",
    "N",
    "d_e",
    "printed floor",
    "sharp floor",
    "found",
    "standard error",
    "note",
]
ERRORS = 5  # standard errors that a mean may be off
EVEN = 0.5
TINY = 1e-9  # rounding


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    effort = EFFORTS[config["effort"]]
    sizes, lengths = [tuple(size) for size in config["sizes"]], config["N"]
    found: list[Row] = []
    audits: list[Audit] = []
    total = len(sizes) + len(lengths)
    for done, size in enumerate(sizes):
        progress(done, total)
        found += hard_distribution.table(effort, (size,))
    for done, N in enumerate(lengths, len(sizes)):
        progress(done, total)
        audits.append(positions.audit(N))
    findings = [_floors(found), _drawn(audits)]
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025: how many heads are needed, and how often drawn position vectors do",
        notes=[
            "Floors: no layer with H heads has a smaller risk on the law of Propositions 4 (any key-query matrices) "
            "and 21 (matrices that do not mix tokens and encodings): q tokens of dimension d matter, and labels are "
            "scaled so that a constant has risk 1. Found: the risk of a layer with such matrices and the best "
            "predictor from what its heads hand on, the mean over drawn tokens, as N grows.",
            f"Effort {effort.name}, seed {effort.seed}. Floors and the probabilities below are certified; risks are "
            "Monte Carlo.",
            "Assumption 3: unit vectors with inner products of at most 1/2 in absolute value. Drawn: N sign vectors of "
            "d_e = floor(5 log N) entries, as in the experiments; the chance that all pairs are within, exact or "
            "between two exact numbers. Least dimension: an even chance begins between the two numbers.",
            _reached(found),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[*(_floor(row) for row in found), *(_audit(one) for one in audits)],
        draw=lambda figure: _draw(figure, found, audits),
        figure_size=(12.0, 4.6),
        parameters=config | {"seed": effort.seed},
        findings=findings,
    )


def _floors(found: Sequence[Row]) -> Finding:
    """A risk below a printed floor would refute it."""
    below = [row for row in found if row.best + ERRORS * row.error + TINY < row.printed]
    text = "Propositions 4 and 21: no layer is below the printed floors"
    return Finding(
        f"{text}; of {len(found)} here {len(below)} are, by {ERRORS} standard errors",
        not below,
        criterion=f"the paper's floors, and ours: {ERRORS} standard errors",
    )


def _reached(found: Sequence[Row]) -> str:
    free = [row for row in found if not row.law.restricted]
    slack = sum(row.best - ERRORS * row.error > max(0.0, row.printed) + TINY for row in free)
    tight = sum(abs(row.best - row.sharp) <= ERRORS * row.error + TINY for row in found)
    return (
        "Heads needed by the printed floor of Proposition 4: H >= q d / (q + d); by the sharp one: H >= min(q, d). Of "
        f"{len(free)} layers with any matrices {slack} stay above the printed floor by more than {ERRORS} standard "
        f"errors; {tight} of all {len(found)} reach the sharp one within as many."
    )


def _drawn(audits: Sequence[Audit]) -> Finding:
    unlikely = [one for one in audits if one.above < EVEN]
    likely = [one for one in audits if one.below >= EVEN]
    text = (
        "Assumption 3 is said to hold with high probability for drawn sign vectors, with d_e of the order of log N. "
        "With d_e = floor(5 log N), as in the experiments, the chance is below one half for N = "
        f"{', '.join(str(one.N) for one in unlikely) or 'none'}"
    )
    return Finding(
        text,
        True if len(likely) == len(audits) else None,
        criterion="ours: an even chance; the paper leaves the constant in d_e open, so that 5 being too few would not "
        "speak against it",
    )


def _floor(row: Row) -> list[str]:
    law = row.law
    kind = "block-diagonal" if law.restricted else "any"
    floors = [f"{floor:.4f}" for floor in (row.printed, row.sharp)]
    note = "says nothing" if row.printed <= 0 < row.sharp else ""
    return [
        "heads",
        str(law.d),
        str(law.H),
        str(law.q),
        kind,
        "-",
        "-",
        *floors,
        f"{row.best:.4f}",
        f"{row.error:.4f}",
        note,
    ]


def _audit(one: Audit) -> list[str]:
    low, high = f"{float(one.below):.4f}", f"{float(one.above):.4f}"
    chance = low if one.below == one.above else f"{low} to {high}"
    least = " to ".join(dict.fromkeys(map(str, one.least)))
    note = f"{float(one.expected):.3g} pairs too near, or too opposite, on average; least dimension {least}"
    note += "; vectors that satisfy it are written down" if one.exist else ""
    return ["positions", "-", "-", "-", "-", str(one.N), str(one.d_e), "-", "-", chance, "-", note]


def _draw(figure: Any, found: Sequence[Row], audits: Sequence[Audit]) -> None:
    left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1, 1.1))
    for panel, restricted, title in (
        (left, True, "Proposition 21: block-diagonal"),
        (middle, False, "Proposition 4: any"),
    ):
        for n, d in enumerate(sorted({row.law.d for row in found})):
            own = [row for row in found if row.law.restricted == restricted and row.law.d == d]
            H = [row.law.H for row in own]
            panel.plot(H, [max(0.0, row.printed) for row in own], ":", color=PALETTE[n], linewidth=1.5)
            panel.plot(H, [row.sharp for row in own], "--", color=PALETTE[n], linewidth=1.5)
            beside, errors = [h + 0.05 * (n - 1) for h in H], [2 * row.error for row in own]
            panel.errorbar(beside, [row.best for row in own], yerr=errors, fmt="o", color=PALETTE[n], markersize=5,
                           capsize=2, label=f"d = {d}")  # fmt: skip
        panel.set_title(f"{title} key-query matrices, q = {found[0].law.q}", fontsize=9)
        panel.set_xlabel("heads H")
        panel.set_ylim(-0.03, 1)
        panel.set_xticks(sorted({row.law.H for row in found}))
        panel.grid(alpha=0.3)
    left.set_ylabel("risk of a layer")
    styles = [left.plot([], [], style, color="black")[0] for style in (":", "--")]
    handles, labels = left.get_legend_handles_labels()
    left.legend([*handles, *styles], [*labels, "printed floor", "sharp floor"], fontsize=8)
    for n, one in enumerate(audits):
        low, high = float(one.below), float(one.above)
        right.plot([n, n], [low, high], "-", color=PALETTE[1], linewidth=5, solid_capstyle="butt", alpha=0.7)
        right.plot(n, high, "v" if low < high else "o", color=PALETTE[1], markersize=6)
    right.axhline(EVEN, color="black", linewidth=0.8, linestyle=":")
    right.set_xticks(range(len(audits)), [f"{one.N}\n{one.d_e}" for one in audits], fontsize=7)
    right.set_ylim(-0.03, 1)
    right.set_xlabel("number N of vectors, and dimension d_e = floor(5 log N)")
    right.set_title("chance that drawn vectors satisfy Assumption 3", fontsize=9)
    right.grid(alpha=0.3)
