"""Figures 1a and 1b: samples until the test error is at most a threshold, against the number of tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from maurey.paper_tables.censored import PowerLaw
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.page import Shown
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.verdicts import Finding, of_variants
from maurey.verify.training.trials.keys import Job

from .samples import (
    COLUMNS,
    MODELS,
    Cell,
    Spread,
    account,
    cells_of,
    counted,
    fewer,
    fitted,
    half,
    law,
    of_the_paper,
    place,
    row,
    spread,
    telling,
    together,
    without_looking,
)
from .variants import VARIANTS

FACTOR = 2.0  # within which a mean is as in the plots: their vectors and directions are other draws
Laws = Mapping[tuple[str, str], PowerLaw | None]  # by variant and model
METHOD = (
    "Samples are training prompts, fresh ones in every step of 64, until the test error is at most {threshold:g} for "
    "the first time; a test every {every} steps. A run that was given up takes more than it has seen: an arrow in the "
    "figure, and no part of a mean. The authors give up after 1,000,000 samples; the table says where a run was given "
    "up here.",
    "The paper prints no numbers: means are read off the plots in the authors' repository, to a few per cent.",
    "Variants. text: weight decay 0.1, test of 10,000 prompts of the same task, RNN with tanh. script (as the authors "
    "published it): weight decay 0.01, test of 5000 prompts, RNN with GRU cells, and 1STR tested on prompts in which "
    "all positions ask for one token. Tests of another size are noted in the table. The script as it stands tests "
    "every 200 steps, and then counts are multiples of 12,800; some of the printed means are far below, so that both "
    "variants test here as often as the authors' plots have it.",
    "Exponents: log samples = log c + p log N + normal error, by maximum likelihood from all runs at all N where the "
    "test asks for a token to be found, those given up as censored and the others as known to the step between tests; "
    "interval of p: 95 %, profile likelihood with as many degrees of freedom as N allow, for runs at one N share their "
    "position vectors. It does not say that the law holds.",
)


def exhibit(
    title: str,
    plan: Callable[[Mapping[str, Any]], list[Job]],
    scale: Mapping[str, Any],
    expected: Mapping[str, Any],
    outcomes: Sequence[Outcome],
) -> Exhibit:
    cells = cells_of(outcomes, "N")
    variants = list(dict.fromkeys(cell.variant for cell in cells))
    laws: Laws = {(v, m): law(telling(cells, expected["threshold"]), v, m) for v, m in product(variants, MODELS)}
    printed = _printed(expected)
    figure = [c for c in cells_of(of_the_paper(outcomes), "N") if (c.model, c.at) in printed]
    findings = [finding for v in VARIANTS for finding in findings_of(v, figure, expected)]
    planned = plan(scale)
    every = sorted({job.config.every for job in planned})
    tests = {(o.config.held_out, o.config.model, o.config.N) for o in outcomes}
    return Exhibit(
        title=title,
        question=f"How many prompts does {expected['task']} take as they get longer?",
        answer=_answer(cells, expected),
        verdict=_verdict(findings),
        caption="Prompts until the test is passed for the first time, means of runs that all passed, with the least "
        "and the most; hollow, with an arrow: a run was given up, and takes more than it has seen. Hollow diamonds: "
        "the means in the authors' plots, read to a few per cent.",
        shown=Shown(SHOWN, _shown(cells, expected)),
        notes=[
            *account(scale, planned, outcomes, "N", partial(place, "N")),
            METHOD[0].format(threshold=expected["threshold"], every=" or ".join(map(str, every))),
            *METHOD[1:],
            *without_looking(outcomes),
            nearness(cells, printed, expected["figure"]),
        ],
        columns=COLUMNS,
        rows=[
            *(row(cell, str(printed.get((cell.model, cell.at), "")), _tested(cell, tests)) for cell in cells),
            *(
                fitted(v, m, found)
                for (v, m), found in laws.items()
                if any((c.variant, c.model) == (v, m) for c in cells)
            ),
        ],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "model": "",
    "N": "tokens of a prompt",
    "paper": "the mean in the authors' plots",
    "text": "mean of the runs, as the paper's text trains, and how many runs; > where a run was given up",
    "script": "the same, as the authors' script trains",
}


def _shown(cells: Sequence[Cell], expected: Mapping[str, Any]) -> list[list[str]]:
    """At the lengths of the figure."""
    rows = []
    for (model, N), mean in _printed(expected).items():
        own = {c.variant: f"{c.text} ({len(c.runs)})" for c in cells if (c.model, c.at) == (model, N) and c.runs}
        rows.append([MODELS[model], str(N), str(mean), *(own.get(v, "-") for v in VARIANTS)])
    return rows


def _answer(cells: Sequence[Cell], expected: Mapping[str, Any]) -> str:
    """From the shortest to the longest prompts of the figure, by the variant with more cells there."""
    lengths = expected["printed"]["N"]
    there = {v: [c for c in cells if c.variant == v and c.at in lengths and c.runs] for v in VARIANTS}
    variant = max(there, key=lambda v: (len(there[v]), v))
    told = []
    for m in MODELS:
        own = [c for c in there[variant] if c.model == m]
        if own:
            told.append(f"{MODELS[m]} {own[0].text} at N = {own[0].at}"
                        + (f" and {own[-1].text} at N = {own[-1].at}" if own[1:] else ""))  # fmt: skip
    return f"Variant {variant}: {'; '.join(told)}." if told else "No run at the paper's lengths is there yet."


def _verdict(findings: Sequence[Finding]) -> list[str]:
    """A line for each criterion, with a word for each variant."""
    starts: dict[str, list[Finding]] = {}
    for one in findings:
        what = one.text.partition(": ")[2].partition("; ")[0]
        starts.setdefault(what, []).append(one)
    names = [f"variant {variant}" for variant in VARIANTS]
    return [of_variants(what, dict(zip(names, own, strict=True))) for what, own in starts.items()]


# --- findings --------------------------------------------------------------------------------------------------------


def _tested(cell: Cell, tests: set[tuple[int, str, int]]) -> str:
    """Where a test has another size than the variant's."""
    usual = VARIANTS.get(cell.variant, {}).get("held_out")
    own = {number for number, model, N in tests if (model, N) == (cell.model, cell.at)} - {
        one["held_out"] for one in VARIANTS.values()
    }
    return f"tests of {' or '.join(map(str, sorted(own)))} prompts instead of {usual}" if own else ""


def _printed(expected: Mapping[str, Any]) -> dict[tuple[str, int], int]:
    """The means in the authors' plots, by architecture and N."""
    means = expected["printed"]
    return {(m, N): mean for m in MODELS for N, mean in zip(means["N"], means[m], strict=True)}


def findings_of(variant: str, figure: Sequence[Cell], expected: Mapping[str, Any]) -> list[Finding]:
    """By the cells of the figure, of both variants."""
    return [make(variant, figure, expected) for make in (_growth, _end, _levels)]


def _share(cells: Sequence[Cell], number: int, expected: Mapping[str, Any]) -> dict[str, Any]:
    """What a finding counts, of so many cells that the figure has."""
    run, what = counted(cells, expected["runs"])
    return {"figure": expected["figure"], "run": run, "planned": number * expected["runs"], "what": what}


def _growth(variant: str, figure: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """Fast and slow: the intervals of the exponents are apart, by the lengths of the figure alone."""
    own = [c for c in figure if c.variant == variant]
    found = {m: law(telling(own, expected["threshold"]), variant, m) for m in MODELS}
    told = ", ".join(
        f"{MODELS[m]} {one.p:.2f} ({one.told})" if one else f"{MODELS[m]} not known" for m, one in found.items()
    )
    return Finding(
        f"{expected['figure']}, variant {variant}: {expected['shows']}; here exponents of N: {told}",
        together(_slower(found[slow], found[fast]) for slow, fast in product(expected["slow"], expected["fast"])),
        criterion=f'the paper: "{expected["says"]}"; ours: the 95 % intervals of the exponents are apart',
        **_share(own, len(MODELS) * len(expected["printed"]["N"]), expected),
    )


def _slower(slow: PowerLaw | None, fast: PowerLaw | None) -> bool | None:
    if slow is None or fast is None:
        return None
    if slow.interval[1] < fast.interval[0]:
        return True
    return False if slow.interval[0] > fast.interval[1] else None


def _end(variant: str, figure: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """At the longest prompts of the figure."""
    N, printed = expected["printed"]["N"][-1], _printed(expected)
    own = [c for c in figure if c.variant == variant]
    last = {c.model: c for c in own if c.at == N and c.runs}
    told = ", ".join(f"{MODELS[m]} {c.text} (plot: {printed[m, N]})" for m, c in last.items()) or "nothing"
    slow, fast = (" and ".join(MODELS[m] for m in expected[name]) for name in ("slow", "fast"))
    pairs = product(expected["slow"], expected["fast"])
    found = spread(own)
    return Finding(
        f"{expected['figure']}, variant {variant}: at N = {N} fewer samples for {slow} than for {fast}; here {told}",
        together(fewer(last[a], last[b], found) if a in last and b in last else None for a, b in pairs),
        criterion=f'the paper: "{expected["says"]}"; the 95 % interval of a ratio leaves 1 out',
        **_share(list(last.values()), len(MODELS), expected),
    )


def near(cell: Cell, printed: float, found: Spread, runs: int) -> bool | None:
    """Whether its mean is within the factor of one printed of so many runs, by the 95 % interval of their ratio."""
    room, error = math.log(FACTOR), half(found, len(cell.runs), runs)
    off = (cell.level if cell.mean is None else math.log(cell.mean)) - math.log(printed)
    if off - error > room:
        return False
    if cell.mean is None:
        return None
    return False if off + error < -room else True if abs(off) + error <= room else None


def _levels(variant: str, figure: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """Which variant made the plots is not known: only a cell that is far in both speaks against them."""
    printed = _printed(expected)
    close = {
        v: {(c.model, c.at): near(c, printed[c.model, c.at], spread(cells), expected["runs"]) for c in cells if c.runs}
        for v, cells in ((v, [c for c in figure if c.variant == v]) for v in VARIANTS)
    }
    other = next(v for v in VARIANTS if v != variant)
    mine = close[variant]
    far = [at for at, verdict in mine.items() if verdict is False]
    text = f"{expected['figure']}, variant {variant}: the means are within a factor of {FACTOR:g} of the authors' plots"
    text += f"; of {len(mine)} cells {list(mine.values()).count(True)} are, {len(far)} are not"
    if far:
        text += f" ({', '.join(f'{MODELS[m]} at N = {N}' for m, N in far)})"
    text += f", {list(mine.values()).count(None)} are open"
    both = any(close[other].get(at) is False for at in far)
    if far and not both:
        text += f"; which variant made the plots is not known, and in variant {other} no such cell is far"
    return Finding(
        text,
        False if both else True if mine and all(mine.values()) else None,
        criterion=f"ours: the 95 % interval of the ratio is within a factor of {FACTOR:g}; a cell speaks against the "
        "plots only if it is far in both variants, since which made them is not known",
        **_share([c for c in figure if c.variant == variant], len(printed), expected),
    )


def _off(cells: Sequence[Cell], printed: Mapping[tuple[str, int], int], variant: str) -> dict[tuple[str, int], float]:
    """log of mean over printed mean, where all runs passed."""
    own = (c for c in cells if c.variant == variant and (c.model, c.at) in printed)
    return {(c.model, c.at): math.log(c.mean / printed[c.model, c.at]) for c in own if c.mean is not None}


def nearness(cells: Sequence[Cell], printed: Mapping[tuple[str, int], int], figure: str) -> str:
    """Which variant is nearer to the authors' plots, by the cells that both have."""
    off = {variant: _off(cells, printed, variant) for variant in VARIANTS}
    common = set.intersection(*(set(own) for own in off.values()))
    criterion = (
        "Which variant is nearer to the authors' plots: the smaller root mean square of log(mean / mean in the plot) "
        "over the cells in which all runs of both passed"
    )
    if not common:
        return f"{criterion}. There is no such cell."
    told = []
    for m in [None, *MODELS]:
        places = [place for place in common if m is None or place[0] == m]
        if places:
            size = {v: math.sqrt(sum(own[place] ** 2 for place in places) / len(places)) for v, own in off.items()}
            nearer = min(size, key=lambda v: size[v])
            values = ", ".join(f"{v} {value:.2f}" for v, value in size.items())
            told.append(f"{MODELS[m] if m else f'{figure}, all {len(places)} cells'}: {values}, so {nearer}")
    return f"{criterion}. {'; '.join(told)}."
