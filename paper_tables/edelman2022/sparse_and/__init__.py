"""Figures 2 and 4: how many samples the AND of three hidden bits takes, against the context length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from maurey.paper_tables.accounts import PROTOCOLS, account
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import difference
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, here, line

from .figure import draw
from .thresholds import RESAMPLES, SEED, Cell, Threshold, against_linear, cells_of, law, thresholds

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, function="and", s=3)
COLUMNS = ["kind", "T", "m", "protocol", "trials", "failed", "successes", "zero errors", "value", "interval", "note"]
DEFINITIONS = ("arXiv", "ICML")
INSIDE = (0.1, 0.9)  # fractions inside a transition
OUTSIDE = 0.025  # of the resamples


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
    findings = [_sharpness(own, expected), *_sizes(found["arXiv"], own, expected), *_icml(found["ICML"], own, expected)]
    if not pairs or any(
        _differ(*pair) for pair in pairs
    ):  # dropout is the paper's: it may be what makes the difference
        findings = [replace(one, agrees=one.agrees or None) for one in findings]
    few = expected["critical"]["resamples"]
    return Exhibit(
        title="Edelman et al. 2022, Figures 2 and 4 (ICML: Figure 2): samples for the AND of three hidden bits against "
        "the context length",
        question="How many samples does AND need as the context grows?",
        answer=_answer(found),
        verdict=_verdict(findings),
        caption="Squares: the stronger the blue, the more of the trials with this T and m learn (held-out accuracy "
        f"above 0.99; {PROTOCOLS[main]}). Marks: the smallest m that does, by two rules of the paper, more than half "
        "of the trials learn (arXiv) or 80 % of them make no held-out error (ICML), hollow where trials of some m are "
        "missing; bars: a standard error; lines: power laws. Diamond and dashed lines: the paper's.",
        shown=Shown(SHOWN, _sizes_shown(found, expected, few)),
        notes=[
            *account(scale, planned, outcomes),
            "A trial succeeds if its largest held-out accuracy in training is above 0.99. Intervals of "
            "fractions are Wilson's, 95 %. The critical size is the smallest m of the grid at which the fraction of "
            "successes exceeds 0.5 (arXiv), or at which at least 80 % of the trials make no held-out error (ICML); "
            f"from the {main} trials. If no m of the grid does it is reported as > the largest, if the smallest does "
            "as <= it: sizes are known to one step of the grid.",
            f"Standard errors from {few} resamples of the trials, intervals of p and of sizes (95 %) from {RESAMPLES}: "
            f"Philox, seed ({SEED}, T). A cell in which all trials agree has no spread in resamples. A limit pulls a "
            "fit only where the fit is on its wrong side.",
            "Trials without dropout, which the paper has, speak against it only if no difference between the protocols "
            "is seen. This, and that a logarithm must be nearer than a line, was set when results were known.",
            *(_compared(pair) for pair in pairs),
        ],
        columns=COLUMNS,
        rows=[
            *(_cell(cell) for cell in cells),
            *(_difference(a, b) for a, b in pairs),
            *(_critical(name, one, few) for name in DEFINITIONS for one in found[name]),
            *(row for name in DEFINITIONS for row in _fits(name, found[name])),
        ],
        parameters={**scale, "seed": SEED, "resamples": {"standard errors": few, "exponent": RESAMPLES}},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "context length T": "",
    "m, arXiv": "the smallest m at which more than half of the trials have a held-out accuracy above 0.99, and its "
    "standard error",
    "m, ICML": "the smallest m at which 80 % of the trials make no held-out error, and its standard error",
    "trials": "of each m",
    "paper": "what the paper has; of the rest it prints no numbers",
}


def _answer(found: Mapping[str, Sequence[Threshold]]) -> str:
    own = [one for one in found["arXiv"] if one.complete]
    if not own:
        return "No context has trials of every m yet."
    first, last = own[0], own[-1]
    times = "" if len(own) < 2 else f": {last.T / first.T:.3g} times the context takes {last.size / first.size:.2g}"
    more = " times the samples" if times else ""
    text = f"From {first.text} at T = {first.T} to {last.text} at T = {last.T}{times}{more}"
    fit = law(found["arXiv"])
    return text + (f"; about T to the power {fit.p:.2f} (95 %: {_range(fit.interval)})." if fit else ".")


def _verdict(findings: Sequence[Finding]) -> list[str]:
    sharp, sublinear, axis, logarithmic, level = findings
    return [
        line(f"there is no sharp transition in m (Figure 4, left){here(sharp)}", sharp),
        line("the critical size grows sublinearly (Figure 4, right), and is within the figure's axis", sublinear, axis),
        line(f"it grows as a logarithm of T (ICML Figure 2){here(logarithmic)}", logarithmic),
        line(f"at T = 300 it is about 70 (ICML){here(level)}", level),
    ]


def _range(ends: Sequence[float], digits: int = 2) -> str:
    return " to ".join(f"{end:.{digits}f}" for end in ends)


def _sizes_shown(found: Mapping[str, Sequence[Threshold]], expected: Mapping[str, Any], few: int) -> list[list[str]]:
    at, rows = expected["ICML"]["threshold"], []
    for arxiv, icml in zip(found["arXiv"], found["ICML"], strict=True):
        own = [f"{one.text} ± {one.error(few):.0f}" for one in (arxiv, icml)]
        paper = f"about {at['m']} (ICML)" if at["T"] == arxiv.T else ""
        rows.append([str(arxiv.T), *own, arxiv.trials + ("" if arxiv.complete else ", not of all m"), paper])
    return rows


# --- findings --------------------------------------------------------------------------------------------------------


def _trials(cells: Sequence[Cell], expected: Mapping[str, Any], contexts: Sequence[int]) -> dict[str, Any]:
    """How many of the paper's trials there are at these T: 50 of every m."""
    most, sizes = expected["curves"]["trials"], expected["critical"]["m"]
    run = sum(min(most, cell.done) for cell in cells if cell.T in contexts and cell.m in sizes)
    return {"run": run, "planned": most * len(sizes) * len(contexts), "what": "trials"}


def _sharpness(cells: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """Not sharp: at two m or more some trials succeed and some do not, surely. Sharp: at one m at most this may be."""
    seen, texts, contexts = [], [], expected["curves"]["T"]
    low, high = INSIDE
    for T in contexts:
        own = [cell for cell in cells if cell.T == T and cell.done]
        ends = [cell.interval for cell in own]
        surely, maybe = sum(low <= a and b <= high for a, b in ends), sum(a <= high and low <= b for a, b in ends)
        whole = [cell.m for cell in own] == expected["critical"]["m"]
        seen.append(True if surely > 1 else False if whole and maybe <= 1 else None)
        texts += [f"{surely} of {len(own)} m at T = {T}"] if own else []
    return Finding(
        f"Figure 4, left: there is no sharp transition; {_here(cells)} the interval of the success probability is in "
        f"{low} to {high} at {', '.join(texts) or 'no m'}",
        False if False in seen else None if None in seen else True,
        figure="Figure 4, left",
        criterion=f'C.1: no sharp "phase transition"; ours: intervals in {low} to {high} at two m or more',
        **_trials(cells, expected, contexts),
    )


def _sizes(found: Sequence[Threshold], cells: Sequence[Cell], expected: Mapping[str, Any]) -> list[Finding]:
    """Figure 4, right: how the sizes grow, and where they are."""
    contexts, axis = expected["critical"]["T"], expected["critical"]["axis"]
    much = {"figure": "Figure 4, right", **_trials(cells, expected, contexts)}
    fit, text = law(found), "Figure 4, right: the critical size grows sublinearly with T"
    if fit is None:
        text += f"; {_few(found)}"
    else:
        low, high = fit.interval
        text += f"; {_here(cells)} as T to the {fit.p:.2f} ({low:.2f} to {high:.2f}){_contexts(found)}"
    rule = 'C.1: "sublinear scaling"; ours: the exponent of a power law is below 1'
    growth = Finding(text, fit.sublinear if fit else None, criterion=rule, **much)
    known = [one for one in found if one.complete and one.T in contexts]
    inside = [axis[0] <= one.interval[0] and one.interval[1] <= axis[1] and one.beyond <= OUTSIDE for one in known]
    over = [one.size >= axis[1] and one.beyond >= 1 - OUTSIDE for one in known]
    text = f"Figure 4, right: the axis has sizes from {axis[0]} to {axis[1]}"
    text += f"; {_here(cells)} {', '.join(map(_told, known))}" if known else ""
    agrees = False if any(over) else True if known and all(inside) else None
    rule = "ours: the sizes of the figure are within the ticks of its axis"
    return [growth, Finding(text, agrees, criterion=rule, **much)]


def _icml(found: Sequence[Threshold], cells: Sequence[Cell], expected: Mapping[str, Any]) -> list[Finding]:
    """ICML Figure 2: logarithmic growth, and one size. How the networks of that version were trained is not in our text
    of it, so a size of ours that is another does not speak against it."""
    text, fit, agrees = "ICML Figure 2: the critical size grows logarithmically with T", law(found), None
    if fit is None:
        text += f"; {_few(found)}"
    else:
        logarithm, linear, (low, high) = against_linear(found)
        text += (
            f"; {_here(cells)} a + b log T is off by {logarithm:.1f} samples and a + b T by {linear:.1f} (difference "
        )
        text += f"{low:.1f} to {high:.1f}){_contexts(found)}"
        agrees = fit.sublinear and (True if high < 0 else False if low > 0 else None)
    growth = Finding(
        text,
        agrees,
        figure="ICML Figure 2",
        criterion='the caption: "scales logarithmically"; ours: a + b log T is nearer to the sizes than a + b T',
        **_trials(cells, expected, expected["critical"]["T"]),
    )
    at = expected["ICML"]["threshold"]
    text, agrees = f"ICML Figure 2: at T = {at['T']} the critical size is about {at['m']}", None
    for one in (one for one in found if at["T"] == one.T):
        if not one.complete:
            text += f"; {_here(cells)} {one.text} by {one.trials} trials of an m, and none of m = {_list(one.missing)}"
            continue
        low, high = (end - at["m"] for end in one.interval)
        agrees = True if -one.step <= low and high <= one.step and one.beyond <= OUTSIDE else None
        larger = "larger" if low > one.step else "smaller" if high < -one.step else ""
        text += f"; {_here(cells)} {_told(one)}"
        text += f", which is {larger}; how the ICML version trains is not in our text" if larger else ""
    level = Finding(
        text,
        agrees,
        figure="ICML Figure 2",
        criterion='the caption of ICML Figure 3: "≈ 70"; ours: a step of the grid is allowed',
        **_trials(cells, expected, [at["T"]]),
    )
    return [growth, level]


def _here(cells: Sequence[Cell]) -> str:
    return "here, without dropout," if all(cell.protocol == "fast" for cell in cells) else "here"


def _few(found: Sequence[Threshold]) -> str:
    return f"a fit needs 3 contexts of known size, here are {sum(not one.side for one in found if one.complete)}"


def _list(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def _contexts(found: Sequence[Threshold]) -> str:
    return f" over T = {', '.join(str(one.T) for one in found if one.complete)}"


def _told(one: Threshold) -> str:
    return f"{one.text} ({one.interval[0]:.0f} to {one.interval[1]:.0f}) at T = {one.T}"


def _differ(a: Cell, b: Cell) -> bool:
    low, high = difference((b.success, b.done), (a.success, a.done))[1:] if a.done and b.done else (0.0, 0.0)
    return not low <= 0 <= high


def _compared(pair: tuple[Cell, Cell]) -> str:
    a, b = pair
    if not a.done or not b.done:
        return f"T = {a.T}, m = {a.m}: {a.protocol} and {b.protocol} are not compared, all trials of one failed."
    gap, low, high = difference((b.success, b.done), (a.success, a.done))
    seen = "they DIFFER" if _differ(a, b) else "no difference is seen"
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
    note += "" if one.complete else f"; not fitted: no trials at m = {_list(one.missing)}"
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
