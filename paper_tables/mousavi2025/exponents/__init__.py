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
from maurey.paper_tables.mousavi2025.samples import MODELS, Cell, account, cells_of, law, place, without_looking
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.trained import plan as planned
from maurey.paper_tables.verdicts import Finding
from maurey.verify.training.trials.keys import Job
from maurey.verify.training.trials.regression import Regression

from .figure import draw

SHARES = ("mousavi2025/length", "mousavi2025/simple")
TASKS = {"simple": "simple-1STR", "qstr": "1STR"}
SOURCES = {"simple": SHARES[1], "qstr": SHARES[0]}
LOGARITHMS = 3  # in Theorem 10: two of r_z^4 and one of the width of a token
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
    law: PowerLaw | None
    upper: PowerLaw | None  # by the longer prompts alone, from the middle of the range on
    told: Mapping[str, str]  # mark, theorem, says
    printed: float  # the exponent of the paper's means

    @property
    def name(self) -> str:
        return f"{MODELS[self.model]} on {TASKS[self.task]}"

    @property
    def range(self) -> tuple[int, int]:
        places = [cell.at for cell in self.cells if cell.runs]
        return min(places), max(places)

    @property
    def logarithm(self) -> float:
        """The power of N as which log N grows, on the average over the range."""
        low, high = self.range
        return math.log(math.log(high) / math.log(low)) / math.log(high / low)

    @property
    def least(self) -> float:
        """The fewest samples of a run that passed, over what Theorem 9 asks for."""
        passed = [(cell.at, n) for cell in self.cells for n in cell.passed]
        return min((n / ((1 - self.threshold) * N * self.d) for N, n in passed), default=math.inf)


def reading(entry: Entry) -> tuple[str, bool | None]:
    """What the exponent comes to beside the theorem, and whether it is in line with it."""
    found, mark, theorem = entry.law, entry.told["mark"], entry.told["theorem"]
    if found is None:
        return "too few runs", None
    low, high = found.interval
    if mark == "tick":
        if low <= 0:
            narrow = high <= LOGARITHMS * entry.logarithm
            return ("no growth is seen" if high >= 0 else "it falls with N"), True if narrow else None
        powers = f"{low / entry.logarithm:.1f} to {high / entry.logarithm:.1f}"
        text = f"it grows; as (log N) to the power {powers}, if by logarithms"
        beyond = low > LOGARITHMS * entry.logarithm
        return (f"{text}, more than {LOGARITHMS}: seems at odds" if beyond else text), not beyond
    if theorem == "9":
        if entry.least < 1:
            return "a run passed with fewer samples than the theorem asks for: seems at odds", False
        text = f"all runs take more than the theorem asks for, {entry.least:.3g} times at least"
        return (f"{text}, but grow slower than N: seems at odds", False) if high < 1 else (text, low >= 1 or None)
    if low > 0:
        return "it grows as a power", True
    return ("no growth is decided", None) if high > 0 else ("no growth is seen: seems at odds", False)


def entries(outcomes: Sequence[Outcome], expected: Mapping[str, Any]) -> Iterator[Entry]:
    for task, model in product(TASKS, reversed(MODELS)):
        own = [o for o in outcomes if (o.config.task, o.config.model) == (task, model)]
        cells = cells_of(own, "N")
        paper = tomllib.loads((exhibits.ROOT / SOURCES[task] / "expected.toml").read_text())
        for variant in dict.fromkeys(cell.variant for cell in cells):
            mine = tuple(cell for cell in cells if cell.variant == variant)
            if any(cell.runs for cell in mine):
                found, upper = law(mine, variant, model), law(_upper(mine), variant, model)
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
    return [cell for cell in cells if cell.at**2 >= min(places) * max(places)]


def _printed(means: Mapping[str, Sequence[int]], model: str) -> float:
    found = trend([math.log(N) for N in means["N"]], [math.log(n) for n in means[model]])
    assert found is not None
    return found[0]


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    found = list(entries(outcomes, expected))
    findings = [_finding(entry, expected["table"]) for entry in found]
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Table 1 with measured exponents",
        notes=[
            *account(scale, plan(scale), outcomes, "N", _place),
            f"The runs are those of {' and '.join(SHARES)}. Exponents: log samples = log c + p log N + normal error, "
            "by maximum likelihood, runs that were given up as censored; 95 %, profile likelihood. Upper half: the "
            "same by the prompts from the geometric middle of the range on, which differs where the law is bent. Last "
            "but one column: the exponent of the least-squares line through the paper's own means, on its range of N.",
            "No tick or cross is derived from these numbers. The theorems are about other learning rules (3 and 5: "
            "least squares over a class that is bounded in norm; 7: the network of least norm; 9: stationary points "
            "with weight decay, for the worst direction), about all N and with constants that they do not give; the "
            "runs are AdamW with fresh samples, one direction, one threshold and the N of the table. A number that "
            "seems at odds with a theorem does not refute it. Marks are as printed; the proof of Theorem 7 takes up "
            "the bound on the norm of Proposition 6, for which see mousavi2025/recurrent.",
            "Readings. A tick allows logarithms: over the range of N a logarithm looks like a small power, and growth "
            f"seems at odds from more than (log N) to the power {LOGARITHMS} on, which is what Theorem 10 has (two by "
            "r_z to the fourth, one by the width of a token). The cross of Theorem 9 asks for (1 - threshold) N d "
            "samples; that of Theorem 7 for a power, however small.",
            *without_looking(outcomes),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(entry) for entry in found],
        draw=lambda figure: draw(figure, found),
        figure_size=(10.0, 1.6 + 0.42 * max(4, len(found))),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


def _place(config: Regression) -> tuple[str, str, int]:
    variant, model, N = place("N", config)
    return f"{variant} on {TASKS[config.task]}", model, N


def _finding(entry: Entry, table: str) -> Finding:
    text, agrees = reading(entry)
    start = (
        f"{table}, {entry.name}: a {entry.told['mark']} by Theorem {entry.told['theorem']}. Variant {entry.variant}: "
    )
    number = f"exponent {entry.law.p:.2f} ({entry.law.told}) for N = {_span(entry)}, " if entry.law else ""
    return Finding(f"{start}{number}{text}", agrees)


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
