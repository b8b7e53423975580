"""Table 1 with measured exponents: samples as a power of the number of tokens, beside what the theorems say.

No tick and no cross is derived from a measurement: theorems speak of all N, of other learning rules and of constants
that they do not give. Where a measurement seems to be at odds with a theorem, the table says so.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from maurey.paper_tables import exhibits
from maurey.paper_tables.censored import PowerLaw
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.mousavi2025.samples import (
    MODELS,
    Cell,
    account,
    cells_of,
    counted,
    law,
    of_the_paper,
    place,
    telling,
    without_looking,
)
from maurey.paper_tables.mousavi2025.variants import VARIANTS
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.trained import plan as planned
from maurey.paper_tables.verdicts import Finding, line
from maurey.verify.training.trials.keys import Job
from maurey.verify.training.trials.regression import Regression

from .figure import LOGARITHMS, draw, logarithm

__all__ = ["draw", "plan", "render"]

SHARES = ("mousavi2025/length", "mousavi2025/simple")
TASKS = {"simple": "simple-1STR", "qstr": "1STR"}
SOURCES = {"simple": SHARES[1], "qstr": SHARES[0]}
COLUMNS = [
    "task", "model", "paper", "theorem", "it says", "variant", "exponent", "interval", "upper half", "N",
    "factor", "runs", "not passed", "by the paper's means", "reading",
]  # fmt: skip


def plan(scale: Mapping[str, Any]) -> list[Job]:
    return [job for name in SHARES for job in planned(name, scale["of"])]


@dataclass(frozen=True)
class Entry:
    """One architecture on one task under one variant."""

    task: str
    model: str
    variant: str
    threshold: float
    d: int
    cells: tuple[Cell, ...]
    law: PowerLaw | None  # by the lengths where the test asks for a token to be found
    upper: PowerLaw | None  # by the longer prompts alone, from the middle of the range on
    told: Mapping[str, str]  # mark, theorem, says
    printed: float  # the exponent of the paper's means

    @property
    def name(self) -> str:
        return f"{MODELS[self.model]} on {TASKS[self.task]}"

    @property
    def range(self) -> tuple[int, int]:
        places = self.law.places if self.law else [cell.at for cell in self.cells if cell.runs]
        return min(places), max(places)

    @property
    def both(self) -> tuple[float, float]:
        """Exponents that logarithms and a power can have over the range."""
        one = logarithm(*self.range)
        return one, LOGARITHMS * one

    @property
    def least(self) -> float:
        """The fewest samples of a run that passed, over what Theorem 9 asks for."""
        passed = [(cell.at, n) for cell in self.cells for n in cell.passed]
        return min((n / ((1 - self.threshold) * N * self.d) for N, n in passed), default=math.inf)


def mark(found: PowerLaw | None) -> str:
    """The mark that an exponent would have, whatever the architecture: a tick, if it is at most that of log N over the
    range; a cross, if it is more than that of (log N)^3; none, if its interval allows both."""
    if found is None:
        return ""
    (low, high), one = found.interval, logarithm(found.places[0], found.places[-1])
    return "tick" if high <= one else "cross" if low > LOGARITHMS * one else ""


def reading(entry: Entry) -> tuple[str, bool | None]:
    """What the exponent comes to, and whether the mark is the paper's. The longer prompts alone must not turn it."""
    if entry.law is None:
        return "too few runs", None
    own, upper = mark(entry.law), mark(entry.upper)
    if not own:
        return "logarithms and a power are both possible", None
    text = "at most a logarithm" if own == "tick" else f"more than (log N) to the power {LOGARITHMS}"
    if upper and upper != own:
        return f"{text}, but not by the longer prompts alone", None
    return text, own == entry.told["mark"]


def entries(outcomes: Sequence[Outcome], expected: Mapping[str, Any]) -> Iterator[Entry]:
    for task, model in product(TASKS, reversed(MODELS)):
        own = [o for o in outcomes if (o.config.task, o.config.model) == (task, model)]
        cells = cells_of(own, "N")
        paper = tomllib.loads((exhibits.ROOT / SOURCES[task] / "expected.toml").read_text())
        for variant in dict.fromkeys(cell.variant for cell in cells):
            mine = tuple(cell for cell in cells if cell.variant == variant)
            if any(cell.runs for cell in mine):
                fit = telling(mine, paper["threshold"])
                found, upper = law(fit, variant, model), law(_upper(fit), variant, model)
                told, d = expected[task][model], own[0].config.d
                slope = _printed(paper["printed"], model)
                yield Entry(
                    task=task,
                    model=model,
                    variant=variant,
                    threshold=paper["threshold"],
                    d=d,
                    cells=mine,
                    law=found,
                    upper=upper,
                    told=told,
                    printed=slope,
                )


def _upper(cells: Sequence[Cell]) -> list[Cell]:
    """From the geometric mean of the range on."""
    places = [cell.at for cell in cells if cell.runs]
    return [cell for cell in cells if places and cell.at**2 >= min(places) * max(places)]


def _printed(means: Mapping[str, Sequence[int]], model: str) -> float:
    found = trend([math.log(N) for N in means["N"]], [math.log(n) for n in means[model]])
    assert found is not None
    return found[0]


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    found = list(entries(outcomes, expected))
    findings = [
        *(
            _finding(task, model, variant, found, outcomes, expected)
            for task, model, variant in product(TASKS, reversed(MODELS), VARIANTS)
        ),
        _floor(found),
    ]
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Table 1 with measured exponents",
        question="Do measured exponents read as the ticks and crosses of Table 1?",
        answer=_answer(found),
        verdict=_verdict(findings),
        caption="Points: the exponent of a power law in N with its 95 % interval, by all runs. Grey: exponents that "
        "both log N and its third power can have over the range; left of it an interval reads as a tick (samples grow "
        "with no more than logarithms), right of it as a cross. Diamonds: the slope of the means in the authors' "
        "plots.",
        shown=Shown(SHOWN, [_shown(entry) for entry in found]),
        notes=[
            *account(scale, plan(scale), outcomes, "N", _place, " and ".join(SHARES)),
            f"The runs are those of {' and '.join(SHARES)}. Exponents: log samples = log c + p log N + normal error, "
            "by maximum likelihood, runs that were given up as censored, at all N where the test asks for a token to "
            "be found; 95 %, profile likelihood with as many degrees of freedom as N allow, for runs at one N share "
            "their position vectors. Upper half, in the CSV: the same by the prompts from the geometric middle of the "
            "range on, which differs where the law is bent. By the paper's means: the exponent of the least-squares "
            "line through the means in the authors' plots, on their range of N.",
            "No tick or cross is derived from these numbers. The theorems are about other learning rules (3 and 5: "
            "least squares over a class that is bounded in norm; 7: the network of least norm; 9: stationary points "
            "with weight decay, for the worst direction), about all N and with constants that they do not give; the "
            "runs are AdamW with fresh samples, one direction, one threshold and the N of the table. A number that "
            "seems at odds with a theorem does not refute it. Marks are as printed; the proof of Theorem 7 takes up "
            "the bound on the norm of Proposition 6, for which see mousavi2025/recurrent.",
            "Readings, one rule for all architectures. Over a range of N a logarithm looks like a small power. An "
            "exponent reads as a tick if its interval is at most that of log N, and as a cross if it is above that of "
            f"(log N) to the power {LOGARITHMS}, which is what Theorem 10 has (two by r_z to the fourth, one by the "
            "width of a token); between them both are possible. The longer prompts alone must not read otherwise.",
            *without_looking(outcomes),
        ],
        columns=COLUMNS,
        rows=[_row(entry) for entry in found],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "task": "",
    "model": "",
    "paper": "the mark of Table 1: a tick has no more than logarithms of N, a cross a power",
    "theorem": "",
    "variant": "of the training: the paper's text, or the authors' script",
    "N": "tokens of a prompt, where the test asks for a token",
    "runs": "",
    "exponent": "of N, and its 95 % interval",
    "by the paper's means": "",
    "reading": "",
}


def _shown(entry: Entry) -> list[str]:
    own = dict(zip(COLUMNS, _row(entry), strict=True))
    value = f"{own['exponent']} ({own['interval']})" if entry.law else "-"
    return [own[name] if name != "exponent" else value for name in SHOWN]


def _answer(found: Sequence[Entry]) -> str:
    told = [(entry, *reading(entry)) for entry in found]
    same = [f"{entry.name} ({entry.variant})" for entry, _, agrees in told if agrees]
    other = [f"{entry.name} ({entry.variant})" for entry, _, agrees in told if agrees is False]
    between = len(told) - len(same) - len(other)
    text = f"{len(same)} of {len(told)} do{': ' if same else ''}{', '.join(same)}"
    text += f"; {len(other)} read otherwise: {', '.join(other)}" if other else ""
    return f"{text}; {between} are open: logarithms and a power are both possible, or there are too few runs."


def _verdict(findings: Sequence[Finding]) -> list[str]:
    *marks, floor = findings
    told = []
    for mark, sign in (("tick", "a tick, no more than logarithms"), ("cross", "a cross, a power of N")):
        own = [one for one in marks if f", a {mark}:" in one.text]
        told.append(line(f"where Table 1 has {sign}", *own))
    return [*told, line(floor.text, floor)]


# --- findings --------------------------------------------------------------------------------------------------------


def _place(config: Regression) -> tuple[str, str, int]:
    variant, model, N = place("N", config)
    return f"{variant} on {TASKS[config.task]}", model, N


def _finding(
    task: str,
    model: str,
    variant: str,
    found: Sequence[Entry],
    outcomes: Sequence[Outcome],
    expected: Mapping[str, Any],
) -> Finding:
    """Counted are the runs at the N of the figure for this task, which is what the paper has beside its theorems."""
    entry = next((e for e in found if (e.task, e.model, e.variant) == (task, model, variant)), None)
    told, figure = expected[task][model], tomllib.loads((exhibits.ROOT / SOURCES[task] / "expected.toml").read_text())
    own = [o for o in of_the_paper(outcomes) if (o.config.task, o.config.model) == (task, model)]
    cells = [c for c in cells_of(own, "N") if c.variant == variant and c.at in figure["printed"]["N"]]
    run, what = counted(cells, figure["runs"])
    text, agrees = reading(entry) if entry else ("no runs", None)
    if entry and entry.law:
        text = f"exponent {entry.law.p:.2f} ({entry.law.told}) for N = {_span(entry)}: {text}"
    sign = "no more than logarithms" if told["mark"] == "tick" else "a power of N"
    return Finding(
        f"{expected['table']}, {MODELS[model]} on {TASKS[task]}, a {told['mark']}: {sign} (Theorem {told['theorem']}). "
        f"Variant {variant}: {text}",
        agrees,
        figure=expected["table"],
        run=run,
        planned=figure["runs"] * len(figure["printed"]["N"]),
        what=what.replace("runs", f"runs of {figure['figure']}", 1),
        criterion=f"ours: at most log N over the range reads as a tick, more than (log N)^{LOGARITHMS} as a cross, "
        "whatever the architecture",
    )


def _floor(found: Sequence[Entry]) -> Finding:
    """Of stationary points and networks of least norm: a run of AdamW that needs less decides nothing."""
    least = min((e.least for e in found if e.told["theorem"] == "9"), default=math.inf)
    known = math.isfinite(least)
    return Finding(
        "Theorem 9: FFN need at least (1 - loss) N d samples; here "
        + (f"the fewest of a run are {least:.3g} times as many" if known else "no run passed"),
        True if known and least >= 1 else None,
        criterion="the paper: 1 - n/(N d) is a floor of the loss",
    )


def _span(entry: Entry) -> str:
    low, high = entry.range
    return f"{low} to {high}"


def _row(entry: Entry) -> list[str]:
    found, (low, high) = entry.law, entry.range
    runs = [run for cell in entry.cells for run in cell.runs]
    value = [f"{found.p:.2f}", found.told] if found else ["-", "-"]
    value.append(f"{entry.upper.p:.2f} ({entry.upper.told})" if entry.upper else "-")
    counts = [str(len(runs)), str(sum(run.samples is None for run in runs))]
    told = [entry.told["mark"], entry.told["theorem"], entry.told["says"].replace("^", " to the power ")]
    return [
        TASKS[entry.task], MODELS[entry.model], *told, entry.variant, *value, _span(entry), f"{high / low:.3g}",
        *counts, f"{entry.printed:.2f}", reading(entry)[0],
    ]  # fmt: skip
