"""Figures 2 and 4: how many samples the AND of three hidden bits takes, against the context length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import account
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.statistics import difference
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding

from .figure import draw
from .thresholds import RESAMPLES, SEED, Cell, Threshold, cells_of, law, thresholds

plan = partial(in_stages, function="and", s=3)
COLUMNS = ["kind", "T", "m", "protocol", "trials", "failed", "successes", "zero errors", "value", "interval", "note"]
DEFINITIONS = ("arXiv", "ICML")
INSIDE = (0.1, 0.9)  # fractions inside a transition


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    planned = plan(scale)
    cells = cells_of(outcomes)
    main = cells[0].protocol  # fast, if there is any
    grid: dict[int, list[int]] = {}
    for T, m in sorted({(job.config.T, job.config.m) for job in planned if job.config.protocol == "fast"}):
        grid.setdefault(T, []).append(m)
    own = [cell for cell in cells if cell.protocol == main and cell.m in grid.get(cell.T, [])]
    found = {name: thresholds(own, grid, name, expected[name]["fraction"]) for name in DEFINITIONS}
    pairs = [(a, b) for a in own for b in cells if b.protocol != main and (a.T, a.m) == (b.T, b.m)]
    findings = [*_growth(found, expected), *_levels(found, own, expected)]
    few = expected["critical"]["resamples"]
    return Exhibit(
        title="Edelman et al. 2022, Figures 2 and 4 (ICML: Figure 2): samples for the AND of three hidden bits against "
        "the context length",
        notes=[
            *account(scale, planned, outcomes),
            "A trial succeeds if its largest held-out accuracy in training is above 0.99. Bars and intervals of "
            "fractions are Wilson's, 95 %. The critical size is the smallest m of the grid at which the fraction of "
            "successes exceeds 0.5 (arXiv), or at which at least 80 % of the trials make no held-out error (ICML); "
            f"from the {main} trials. If no m of the grid does it is reported as > the largest, if the smallest does "
            "as <= it: sizes are known to one step of the grid.",
            f"Standard errors from {few} resamples of the trials, the interval of p (95 %) from {RESAMPLES}: Philox, "
            f"seed ({SEED}, T). A cell in which all trials agree has no spread in resamples. A limit pulls a fit only "
            "where the fit is on its wrong side. The left panel has the T of the paper's, the table has all.",
            *(_compared(pair) for pair in pairs),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[
            *(_cell(cell) for cell in cells),
            *(_difference(a, b) for a, b in pairs),
            *(_critical(name, one, few) for name in DEFINITIONS for one in found[name]),
            *(row for name in DEFINITIONS for row in _fits(name, found[name])),
        ],
        draw=lambda figure: draw(figure, cells, main, found, expected["curves"]["T"], few),
        figure_size=(12.0, 6.0),
        parameters={**scale, "seed": SEED, "resamples": {"standard errors": few, "exponent": RESAMPLES}},
        findings=findings,
    )


def _growth(found: Mapping[str, list[Threshold]], expected: Mapping[str, Any]) -> list[Finding]:
    """Sublinear: the interval of p is below 1. Logarithmic: moreover a + b log T is off by at most a step of m."""
    findings = []
    for name, own in found.items():
        fit, paper = law(own), f"{name}: the paper finds {expected[name]['growth']} growth of the critical size with T"
        if fit is None:
            known = sum(not one.side for one in own if one.complete)
            findings.append(Finding(f"{paper}; a fit needs 3 contexts of known size, here are {known}", None))
            continue
        low, high = fit.interval
        text = (
            f"{paper}. Here, for T = {', '.join(str(one.T) for one in own if one.complete)}, a power law has p = "
            f"{fit.p:.3f} ({low:.3f} to {high:.3f}), off by {fit.residuals[1]:.1f} samples (root mean square), "
            f"and a + b log T is off by {fit.residuals[0]:.1f}; sublinear means that the interval is below 1"
        )
        agrees = fit.sublinear
        if expected[name]["growth"] == "logarithmic":
            step = expected["critical"]["m"][1] - expected["critical"]["m"][0]
            text += f", logarithmic moreover that a + b log T is off by at most {step}"
            agrees = agrees and fit.residuals[0] <= step
        findings.append(Finding(text, agrees))
    return findings


def _levels(found: Mapping[str, list[Threshold]], cells: Sequence[Cell], expected: Mapping[str, Any]) -> list[Finding]:
    """What else can be read off the figures: the range of the sizes, one size, and how sharp the transition is."""
    findings, axis = [], expected["critical"]["axis"]
    known = [one for one in found["arXiv"] if one.complete and one.T in expected["critical"]["T"]]
    if known:
        text = ", ".join(f"{one.text} at T = {one.T}" for one in known)
        inside = all(axis[0] <= one.size <= axis[1] and one.side <= 0 for one in known)
        findings.append(Finding(f"Figure 4 has critical sizes from {axis[0]} to {axis[1]}; here {text}", inside))
    few, at = expected["critical"]["resamples"], expected["ICML"]["threshold"]
    for one in found["ICML"]:
        if one.complete and at["T"] == one.T:
            room = one.step + 2 * one.error(few)
            text = f"ICML Figure 3 puts the size at T = {one.T} at about {at['m']}; here {one.text} (protocol "
            text += f"{one.protocol}), where {room:.0f} "
            text += "(a step of the grid and two standard errors) is allowed"
            findings.append(Finding(text, one.side <= 0 and abs(one.size - at["m"]) <= room))
    return [*findings, *_sharpness(cells, expected)]


def _sharpness(cells: Sequence[Cell], expected: Mapping[str, Any]) -> list[Finding]:
    """Not sharp: at two m or more some trials succeed and some do not. Sharp: all of the grid is there, and jumps."""
    seen, texts = [], []
    for T in expected["curves"]["T"]:
        own = [cell for cell in cells if cell.T == T and cell.done]
        within = sum(INSIDE[0] <= cell.fraction <= INSIDE[1] for cell in own)
        jumps = [cell.m for cell in own] == expected["critical"]["m"] and own[-1].fraction > INSIDE[1]
        if own:
            seen.append(True if within > 1 else False if jumps else None)
            texts.append(f"{within} of {len(own)} m at T = {T}")
    text = f"Figure 4 shows no sharp transition; here from {INSIDE[0]} to {INSIDE[1]} of the trials succeed at "
    agrees = False if False in seen else None if None in seen else True
    return [Finding(text + ", ".join(texts), agrees)] if seen else []


def _compared(pair: tuple[Cell, Cell]) -> str:
    a, b = pair
    if not a.done or not b.done:
        return f"T = {a.T}, m = {a.m}: {a.protocol} and {b.protocol} are not compared, all trials of one failed."
    gap, low, high = difference((b.success, b.done), (a.success, a.done))
    seen = "no difference is seen" if low <= 0 <= high else "they DIFFER"
    return (
        f"T = {a.T}, m = {a.m}: the fraction of successes under {b.protocol} less that under {a.protocol} is "
        f"{gap:+.2f} ({low:+.2f} to {high:+.2f}, Newcombe): {seen}."
    )


def _cell(cell: Cell) -> list[str]:
    low, high = cell.interval
    seen = [f"{cell.fraction:.3f}", f"{low:.3f} to {high:.3f}"] if cell.done else ["-", "-"]
    counts = [str(n) for n in (cell.done, cell.failed, cell.success, cell.zero)]
    return ["cell", str(cell.T), str(cell.m), cell.protocol, *counts, *seen, ""]


def _difference(a: Cell, b: Cell) -> list[str]:
    protocols = [f"{b.protocol} - {a.protocol}", f"{b.done} and {a.done}", f"{b.failed} and {a.failed}"]
    counts = [f"{b.success} and {a.success}", f"{b.zero} and {a.zero}"]
    gap = difference((b.success, b.done), (a.success, a.done)) if a.done and b.done else None
    seen = ["-", "-"] if gap is None else [f"{gap[0]:+.3f}", f"{gap[1]:+.3f} to {gap[2]:+.3f}"]
    return ["protocols", str(a.T), str(a.m), *protocols, *counts, *seen, "difference of the fractions"]


def _critical(name: str, one: Threshold, few: int) -> list[str]:
    lost = one.limits(few)
    note = f"standard error {'at least ' if lost else ''}{one.error(few):.1f}"
    note += f"; {lost} of {few} resamples at a limit of the grid" if lost else ""
    note += "" if one.complete else f"; not fitted: no trials at m = {', '.join(map(str, one.missing))}"
    return [f"critical size, {name}", str(one.T), "", one.protocol, one.trials, "", "", "", one.text, "", note]


def _fits(name: str, own: Sequence[Threshold]) -> list[list[str]]:
    fit = law(own)
    if fit is None:
        return [[f"fit, {name}", *[""] * 7, "-", "", "needs 3 contexts of known size"]]
    words = {True: "sublinear", False: "not sublinear", None: "undecided whether sublinear"}[fit.sublinear]
    power = f"exponent p of c T to the p with c = {fit.c:.4g}; residual {fit.residuals[1]:.2f}; {words}"
    logarithm = f"slope b of a + b log T with a = {fit.a:.4g}; residual {fit.residuals[0]:.2f}"
    interval = "{:.3f} to {:.3f}".format(*fit.interval)
    return [
        [f"power law, {name}", *[""] * 7, f"{fit.p:.3f}", interval, power],
        [f"logarithm, {name}", *[""] * 7, f"{fit.b:.4g}", "", logarithm],
    ]
