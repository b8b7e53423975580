"""How many heads are needed (Propositions 4 and 21), and how often drawn position vectors do (Assumption 3)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.page import Shown
from maurey.paper_tables.verdicts import Finding, line
from maurey.verify.checks import EFFORTS
from maurey.verify.papers.mousavi2025 import hard_distribution, positions
from maurey.verify.papers.mousavi2025.hard_distribution import Row
from maurey.verify.papers.mousavi2025.positions import Audit

from .figure import draw

__all__ = ["draw", "make"]

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
        question="How many heads does a layer need?",
        answer=_answer(found),
        verdict=[line(findings[0].text, findings[0]), _reached(found), line(_positions(audits), findings[1])],
        caption="On the law of Propositions 4 and 21 no layer with H heads has a smaller risk than the floors; marks: "
        "the risk of a layer that was built, with two standard errors either way. Printed floors below 0 are drawn at "
        f"0. q = {found[0].law.q} tokens matter.",
        shown=Shown(SHOWN, [_shown(row) for row in found]),
        notes=[
            "Floors: no layer with H heads has a smaller risk on the law of Propositions 4 (any key-query matrices) "
            "and 21 (matrices that do not mix tokens and encodings): q tokens of dimension d matter, and labels are "
            "scaled so that a constant has risk 1. Found: the risk of a layer with such matrices and the best "
            "predictor from what its heads hand on, the mean over drawn tokens, as N grows.",
            f"Effort {effort.name}, seed {effort.seed}. Floors and the probabilities below are certified; risks are "
            "Monte Carlo.",
            "Assumption 3: unit vectors with inner products of at most 1/2 in absolute value. Drawn: N sign vectors of "
            "d_e = floor(5 log N) entries, as in the experiments; the chance that all pairs are within, exact or "
            "between two exact numbers, is in the CSV, with the least dimension from which it is even.",
        ],
        columns=COLUMNS,
        rows=[*(_floor(row) for row in found), *(_audit(one) for one in audits)],
        parameters=config | {"seed": effort.seed},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "matrices": "of keys and queries",
    "d": "dimension of a token",
    "H": "heads",
    "printed floor": "of the risk; below 0 it says nothing",
    "sharp floor": "",
    "built": "the risk of a layer that was built, and a standard error",
}


def _shown(row: Row) -> list[str]:
    _, d, H, _, matrices, _, _, printed, sharp, found, error, _ = _floor(row)
    return [matrices, d, H, printed, sharp, f"{found} ± {error}"]


def _answer(found: Sequence[Row]) -> str:
    """The fewest heads with which a layer that was built has no risk, by dimension."""
    enough: dict[int, int] = {}
    for row in found:
        if not row.law.restricted and row.best <= TINY:
            enough[row.law.d] = min(row.law.H, enough.get(row.law.d, row.law.H))
    told = ", ".join(f"{H} at d = {d}" for d, H in sorted(enough.items())) or "more than were built"
    return f"For a risk of 0 with q = {found[0].law.q} tokens that matter: {told}; in general the smaller of q and d."


def _positions(audits: Sequence[Audit]) -> str:
    worst = min(audits, key=lambda one: one.above)
    return (
        "drawn sign vectors satisfy Assumption 3 with high probability for d_e of the order of log N; with floor(5 log "
        f"N) the chance is below one half for {sum(one.above < EVEN for one in audits)} of {len(audits)} N, and at "
        f"most {float(worst.above):.2g} at N = {worst.N}"
    )


# --- findings --------------------------------------------------------------------------------------------------------


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
        "Heads needed: H >= q d / (q + d) by the printed floor of Proposition 4, H >= min(q, d) by the sharp one, "
        f"which {tight} of {len(found)} layers that were built reach (within {ERRORS} standard errors); {slack} of "
        f"{len(free)} stay above the printed one"
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
