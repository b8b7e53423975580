"""Theorem 10 with numbers: the risk that it promises after the samples that Transformers took, and the samples that it
asks for, against the number of tokens."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from maurey.numeric.balls import enclose
from maurey.numeric.samples import samples
from maurey.paper_tables import trained
from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.mousavi2025.samples import cells_of
from maurey.paper_tables.verdicts import Finding
from maurey.symbolic import registry
from maurey.verify.training.trials.regression import Regression

KEY, PART, MEASURED = "mousavi2025/10", "risk", "mousavi2025/length"
FORMS = ("printed", "derived", "sharp")
LOOKS = {"printed": (":", "x"), "derived": ("-", "o"), "sharp": ("--", "^")}
COLUMNS = ["N", "d_e", "form", "measured samples", "risk by the theorem then", "samples for risk 0.7",
           "samples for risk 1", "eps_2NN", "log10 of samples over measured"]  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A form at one length: for every risk the samples, and the eps_2NN that takes the fewest."""

    N: int
    form: str
    samples: Mapping[str, tuple[int, str]]
    then: Decimal | None  # the risk after the measured samples


def measured() -> dict[int, float]:
    """The mean of what Transformers took in Figure 1a, variant text, by the committed runs, where all passed."""
    outcomes = [trained.Outcome(job.config, job.trial, record) for job, record in trained.committed(MEASURED)]
    cells = cells_of([o for o in outcomes if o.config.model == "transformer"], "N")
    return {cell.at: cell.mean for cell in cells if cell.variant == "text" and cell.mean is not None}


def width(N: int) -> int:
    """Of the position vectors in the experiments."""
    return Regression(model="transformer", N=N).d_e


def value(config: Mapping[str, Any], N: int, form: str, took: float | None) -> Value:
    claim = registry.find(KEY)
    at = config["at"] | {"N": N, "d_e": width(N)}
    found = {}
    for risk in config["risks"]:
        options = []
        for eps in config["eps_2NN"]:
            enough = samples(claim, risk, form, PART, **at, eps_2NN=eps)
            if enough is not None:
                options.append((enough.m, eps))
        found[risk] = min(options)
    then = None
    if took:
        n, digits = round(took), config["digits"]
        then = min(enclose(claim, form, PART, digits, **at, n=n, eps_2NN=eps).upper for eps in config["eps_2NN"])
    return Value(N, form, found, then)


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    took = measured()
    work = list(product(config["N"], FORMS))
    values = []
    for done, (N, form) in enumerate(work):
        progress(done, len(work))
        values.append(value(config, N, form, took.get(N)))
    findings = [_above(values, took)]
    fixed = ", ".join(f"{name} = {number}" for name, number in config["at"].items())
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Theorem 10 with numbers, for 1STR with Gaussian tokens",
        notes=[
            f"Parameters: {fixed}; d_e = floor(5 log N), as in the experiments; H = q heads. The link is linear: "
            "<u, x> = relu(<u, x>) - relu(-<u, x>), hence m, r_a and r_w. It is exact, so that Assumption 2 holds with "
            f"every eps_2NN > 0; {' or '.join(config['eps_2NN'])} is taken. Assumption "
            "1: tokens of N(0, I) have E|x|^r of at most (d r)^(r/2), and labels of N(0, 1) have at most r^(r/2), so "
            "C_x = C_y = s = 1. Assumption 3 is taken as given; the exhibit mousavi2025/heads says how often it holds.",
            "Deterministic: no seed. Numbers are certified; samples are the least n from which the form stays at or "
            "below the risk. Printed forms with C0 = 1, and without the logarithms that they hide.",
            f"Measured: means of the Transformers of {MEASURED}, variant text, until the test error is at most 0.7. "
            "Theirs is another learning rule: wider networks, AdamW, fresh samples. The paper shows no numbers for its "
            "theorem.",
            _lengths(values, config["N"]),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(one, took.get(one.N)) for one in values],
        draw=lambda figure: _draw(figure, values, took, config["risks"][0]),
        figure_size=(11.0, 4.8),
        parameters=config,
        findings=findings,
    )


def _above(values: Sequence[Value], took: Mapping[int, float]) -> Finding:
    """What is proved asks for no fewer samples than were enough: no contradiction, and how far it is."""
    text = "The forms that are proved (derived, sharp) ask for more samples than the Transformers took"
    compared = [(v, took[v.N]) for v in values if v.N in took and v.form != "printed"]
    ours = "ours: a bound that asks for fewer samples than were enough would say more than it may"
    if not compared:
        return Finding(f"{text}; no run is there", None, criterion=ours)
    factors = [v.samples["7/10"][0] / mean for v, mean in compared]
    text += f"; here by factors of {min(factors):.1e} to {max(factors):.1e}"
    return Finding(text, min(factors) >= 1, criterion=ours)


def _lengths(values: Sequence[Value], lengths: Sequence[int]) -> str:
    first, last = lengths[0], lengths[-1]
    told = []
    for form in FORMS:
        ends = {v.N: v.samples["7/10"][0] for v in values if v.form == form}
        told.append(f"{form} {ends[last] / ends[first]:.3g}")
    return (
        "The paper: N enters by logarithms only, of N itself and in d_e, which printed forms hide. From N = "
        f"{first} to {last} the samples for risk 0.7 grow by factors of {', '.join(told)}."
    )


def _row(one: Value, mean: float | None) -> list[str]:
    few = one.samples["7/10"]
    numbers = [f"{Decimal(one.samples[risk][0]):.3E}" for risk in ("7/10", "1")]
    then = f"{one.then:.3E}" if one.then is not None else "-"
    took = f"{mean:.0f}" if mean else "-"
    ratio = f"{float((Decimal(few[0]) / Decimal(mean)).log10()):.1f}" if mean else "-"
    return [str(one.N), str(width(one.N)), one.form, took, then, *numbers, few[1], ratio]


def _draw(figure: Any, values: Sequence[Value], took: Mapping[int, float], risk: str) -> None:
    left, right = figure.subplots(1, 2)
    for n, form in enumerate(FORMS):
        style, marker = LOOKS[form]
        own = [v for v in values if v.form == form]
        look = {"color": PALETTE[n], "linestyle": style, "marker": marker, "markersize": 5, "markerfacecolor": "none"}
        left.plot([v.N for v in own], [float(v.samples[risk][0]) for v in own], label=f"Theorem 10, {form}", **look)
        then = [(v.N, float(v.then)) for v in own if v.then is not None]
        right.plot([N for N, _ in then], [y for _, y in then], label=f"Theorem 10, {form}", **look)
    means = {N: mean for N, mean in took.items() if N in {v.N for v in values}}
    left.plot(list(means), list(means.values()), "D-", color="black", markersize=5, label="measured")
    right.axhline(0.7, color="black", linewidth=1, label="measured: test error 0.7")
    right.axhline(1, color="gray", linewidth=1, linestyle="--", label="risk of a constant")
    left.set_ylabel("samples for risk 0.7")
    right.set_ylabel("risk after the measured samples")
    for panel, places in ((left, [N for N in sorted({v.N for v in values}) if N not in means or N in (2, 4, 8)]),
                          (right, sorted(means))):  # fmt: skip
        panel.set_yscale("log")
        panel.set_xlabel("tokens N of a prompt")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8, loc="lower right", bbox_to_anchor=(1, 0.12 if panel is right else 0))
        if places:
            panel.set_xscale("log")
            panel.set_xticks(places, [f"{N:.0e}" if N > 1000 else str(N) for N in places])
            panel.set_xticks([], minor=True)
