"""Figure 1: the gap between test and training loss against the degree, a curve for each sparsity, beside Theorem 2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.lintilhac2026 import bounds, runs
from maurey.paper_tables.lintilhac2026.runs import Cell, Place, gap, mean, plan, size, spread, together, within
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import Z, trend, wilson
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.verdicts import Finding, here, line

from .figure import draw

__all__ = ["draw", "plan", "render"]

FORMS = {  # name: form, and what P is
    "printed, truncated": ("printed", "truncated"),
    "printed, semi-analytic": ("printed", "semi-analytic"),
    "printed, whole": ("printed", "whole"),
    "derived, whole": ("derived", "whole"),
}
DRAWN = list(FORMS)[:3]
HELD = {"printed, semi-analytic": True, "printed, whole": False}  # against gaps, and whether Figure 1 has it
AGAIN = 4000  # times that functions are drawn again
COLUMNS = [
    "variant", "degree", "sparsity", "functions", "unconverged", "failed", "epochs", "training loss", "test loss",
    "gap", "standard error", "largest gap", "Sigma estimated", *FORMS, "note",
]  # fmt: skip
Bounds = Mapping[Place, Mapping[str, float | None]]


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    cells = runs.cells_of(outcomes)
    text = [cell for cell in cells if cell.variant == "text"]
    T = outcomes[0].config.T
    sigmas, Sigma = bounds.mesh(*expected["mesh"]), Fraction(str(expected["Sigma"]))
    stated = {
        _place(cell): {
            name: found[0] if (found := bounds.least(*how, cell.D, cell.omega, T, cell.m, Sigma, sigmas)) else None
            for name, how in FORMS.items()
        }
        for cell in cells
    }
    findings = _findings(cells, stated, expected)
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figure 1: the gap against degree and sparsity",
        question="How far is the bound above the gap that was measured?",
        answer=_answer(text, stated),
        verdict=_verdict(findings),
        caption="Test less training loss, means over the functions that were fitted, with a standard error either way "
        "(cut at the axis), and Theorem 2 as printed, without and with the remainder that perturbations cost. "
        "Diamonds: means of an earlier version of the paper, of other training (20,000 strings); negative ones have "
        "no place.",
        shown=Shown(SHOWN, [_shown(cell, stated[_place(cell)]) for cell in text]),
        notes=[
            *runs.account(scale, plan(scale), outcomes),
            runs.VARIANTS,
            "Gap: mean squared error on fresh strings less that on the training strings, of the network that was "
            "trained; means and standard errors are over functions. A gap within the noise of the test may be "
            "negative.",
            f"Bounds: Theorem 2, Sigma = {expected['Sigma']:g}, delta = {float(bounds.DELTA):g}, the smallest over "
            f"{len(sigmas)} standard deviations from {float(sigmas[0]):g} to {float(sigmas[-1]):g}; truncated: "
            f"P = 0; semi-analytic: the largest rise of the trace in {bounds.MEASURED}, at the next larger deviation "
            "there, which is no bound on the remainder; whole: with P of Theorem 17; derived: with the price of the "
            f"mesh, for a loss clipped at 2 Sigma = {2 * expected['Sigma']:g}, of which {_least(stated)} and more says "
            "nothing. They bound the risk of a perturbed network that fits its sample and is dominated by the "
            "construction; lintilhac2026/domination says whether these are.",
        ],
        columns=COLUMNS,
        rows=[_row(cell, stated[_place(cell)]) for cell in cells],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "degree": "",
    "sparsity": "",
    "fitted": "functions, of those that were run",
    "gap": "test less training loss, the mean over the fitted functions and its standard error",
    "no remainder": "Theorem 2 as printed with P = 0; a constant has the loss 1/4",
    "semi-analytic": "with the rise of the trace that was measured",
    "with remainder": "with P of Theorem 17",
}


def _shown(cell: Cell, stated: Mapping[str, float | None]) -> list[str]:
    told = "-"
    if cell.fitted:
        error = spread(cell.fitted, gap)
        told = f"{mean(cell.fitted, gap):.5f}" + (f" ± {error:.5f}" if math.isfinite(error) else "")
    ends = ["-" if (value := stated[name]) is None else f"{value:.3g}" for name in DRAWN]
    return [str(cell.D), str(cell.omega), f"{len(cell.fitted)} of {len(cell.runs)}", told, *ends]


def _answer(cells: Sequence[Cell], stated: Bounds) -> str:
    ratios = {
        name: [value / middle for c in cells
               if c.fitted and (middle := mean(c.fitted, gap)) > 0 and (value := stated[_place(c)][name])]
        for name in ("printed, truncated", "printed, whole")
    }  # fmt: skip
    if not all(ratios.values()):
        return "No function was fitted."
    small = [c for c in cells if c.fitted and (stated[_place(c)]["printed, truncated"] or math.inf) < 0.25]
    truncated, whole = (f"{min(own):.3g} to {max(own):.3g}" for own in ratios.values())
    return (
        f"By factors of {truncated} without the remainder and {whole} with it, over class means; without it it is "
        f"below the loss of a constant for {len(small)} of {sum(bool(c.fitted) for c in cells)} classes."
    )


def _verdict(findings: Sequence[Finding]) -> list[str]:
    """Whether the bound is above, how the gap grows, and the rest."""
    above = [one for one in findings if "above" in one.text]
    grows = [one for one in findings if "faster than linearly" in one.text]
    steeper = [one for one in findings if "the more so" in one.text]
    rest = [one for one in findings if one not in (*above, *grows, *steeper)]
    lines = [
        (above, "the bound lies above the gap for every fitted function (Figure 1)"),
        (grows, "the gap grows faster than linearly with the degree, sparsity by sparsity"),
        (steeper, "the more so the larger the sparsity"),
        (rest, "Sigma is in [0.01, 0.1] (appendix A); means on a plot of an earlier version"),
    ]
    return [line(text + here(own[0]) * (len(own) == 1), *own) for own, text in lines if own]


# --- findings --------------------------------------------------------------------------------------------------------


def _place(cell: Cell) -> Place:
    return cell.variant, cell.D, cell.omega


def _row(cell: Cell, stated: Mapping[str, float | None]) -> list[str]:
    start = [cell.variant, str(cell.D), str(cell.omega), *cell.counts]
    ends = ["-" if value is None else f"{value:.4g}" for value in stated.values()]
    least = ", ".join(f"{o.record['train_loss']:.4f}" for o in cell.unfitted)
    note = f"training losses of the unconverged: {least}" if cell.unfitted else ""
    if not cell.fitted:
        return [*start, *["-"] * 7, *ends, note]
    epochs = sorted(o.record["epochs"] for o in cell.fitted)
    told = f"{epochs[0]}" if epochs[0] == epochs[-1] else f"{epochs[0]} to {epochs[-1]}"
    kinds = (lambda o: o.record["train_loss"], lambda o: o.record["test_loss"])
    losses = [f"{mean(cell.fitted, of):.5f}" for of in kinds]
    error = spread(cell.fitted, gap)
    values = [f"{mean(cell.fitted, gap):.6f}", f"{error:.6f}" if math.isfinite(error) else "-"]
    sigmas = sorted(o.record["subgaussian"] for o in cell.fitted)
    largest = [f"{max(map(gap, cell.fitted)):.6f}", f"{sigmas[0]:.3f} to {sigmas[-1]:.3f}"]
    return [*start, told, *losses, *values, *largest, *ends, note]


def _findings(cells: Sequence[Cell], stated: Bounds, expected: Mapping[str, Any]) -> list[Finding]:
    own = [cell for cell in cells if cell.variant == "text"]
    fitted = [o for cell in own for o in cell.fitted]
    script = _of_the_plot([cell for cell in cells if cell.variant == "script"], expected)
    if not fitted:
        return [Finding("No function was fitted", None, expected["figure"], **size([], expected)), script]
    found = [_above(own, name, stated, expected) for name in HELD if any(stated[_place(c)][name] for c in own)]
    found += [_growth(own, omega, expected) for omega in sorted({cell.omega for cell in own})]
    return [*found, *_steeper(own, expected), _estimated(fitted, expected), script]


def _above(cells: Sequence[Cell], name: str, stated: Bounds, expected: Mapping[str, Any]) -> Finding:
    """The bound and the 95 % intervals of the test losses."""
    known = [(c, value) for c in cells if c.fitted and (value := stated[_place(c)][name]) is not None]
    each = [(gap(o), Z * o.record["test_error"], value) for c, value in known for o in c.fitted]
    below = [within((x - half, x + half), -math.inf, value) for x, half, value in each]
    ratios = [value / middle for c, value in known if (middle := mean(c.fitted, gap)) > 0]
    factor = f", by a factor of {min(ratios):.3g} to {max(ratios):.3g} over class means" if ratios else ""
    start = f"Theorem 2, {name}, is above the gap"
    if HELD[name]:
        start = f"{expected['figure']}: {expected['shows']}; here {name}, it does"
    return Finding(
        f"{start} for {below.count(True)} of {len(below)} fitted functions{factor}",
        together(below),
        expected["figure"] if HELD[name] else "",
        **size((o for c, _ in known for o in c.fitted), expected, _unfitted(cells)),
        criterion="the paper's: the bound is above the gap; here all of the 95 % interval of a test loss is below",
    )


def _growth(cells: Sequence[Cell], omega: int, expected: Mapping[str, Any]) -> Finding:
    own = [cell for cell in cells if cell.omega == omega]
    power = _slope(own, [c.D for c in own])[0]
    told = ", ".join(f"{c.D} ({len(c.fitted)})" for c in own if c.fitted) or "none"
    how = "no power is fitted: it takes three degrees with a mean gap that is surely positive"
    if power:
        how = f"it grows as the degree to the power {power[0]:.2f} ({power[1]:.2f} to {power[2]:.2f})"
    return Finding(
        f"{expected['figure']}, sparsity {omega}: {expected['grows']}; here, over fitted degrees (functions) {told}, "
        f"{how}",
        within(power, 1, math.inf) if power else None,
        expected["figure"],
        **size((o for c in own for o in c.fitted), {**expected, "sparsities": [omega]}, _unfitted(own)),
        criterion="section 2.1: the gap should increase super-linearly; here a power above 1",
    )


def _steeper(cells: Sequence[Cell], expected: Mapping[str, Any]) -> list[Finding]:
    """At the smallest and the largest sparsity, over the degrees that were fitted at both."""
    fitted = sorted({cell.omega for cell in cells if cell.fitted})
    ends = [fitted[0], fitted[-1]]
    shared = sorted(set.intersection(*({c.D for c in cells if c.omega == omega and c.fitted} for omega in ends)))
    lines = [_slope([c for c in cells if c.omega == omega], shared)[1] for omega in ends]
    if len(fitted) < 2 or not (lines[0] and lines[1]):
        return []
    (a, a_low, a_high), (b, b_low, b_high) = lines[0], lines[1]
    text = (
        f"{expected['figure']}: {expected['steeper']}; here, over degrees {', '.join(map(str, shared))}, the gap "
        f"grows by {a:.2g} ({a_low:.2g} to {a_high:.2g}) a degree at sparsity {ends[0]} and by {b:.2g} ({b_low:.2g} to "
        f"{b_high:.2g}) at {ends[1]}"
    )
    shown = (o for c in cells for o in c.fitted if c.omega in ends and c.D in shared)
    return [
        Finding(
            text, True if b_low > a_high else False if b_high < a_low else None, expected["figure"],
            **size(shown, {**expected, "sparsities": ends}, _unfitted(cells)),
            criterion="section 2.1: one parameter should increase the rate of increase for the other",
        )
    ]  # fmt: skip


def _unfitted(cells: Sequence[Cell]) -> list[Outcome]:
    return [o for cell in cells for o in cell.unfitted]


def _estimated(fitted: Sequence[Outcome], expected: Mapping[str, Any]) -> Finding:
    """Appendix A has networks that are trained to nearly no loss; it does not say how many, nor to what loss."""
    low, high = expected["estimated"]
    near = [o for o in fitted if o.record["train_loss"] < o.config.threshold / 4]
    counts = [(sum(low <= o.record["subgaussian"] <= high for o in own), len(own)) for own in (fitted, near)]
    shares = [wilson(*count) for count in counts]
    text = (
        f"Appendix A: estimated Sigma is in [{low:g}, {high:g}], for networks trained to nearly no loss; here for "
        f"{counts[0][0]} of {counts[0][1]} fitted functions ({shares[0][0]:.2f} to {shares[0][1]:.2f}), of those with "
        f"a quarter of the loss for {counts[1][0]} of {counts[1][1]} ({shares[1][0]:.2f} to {shares[1][1]:.2f})"
    )
    return Finding(
        text,
        together(within(share, 0.5, 1) for share in shares),
        run=len(fitted),
        planned=len(fitted),
        what="functions",
        criterion="ours, after looking: generally (appendix E.2) means more than half of them",
        late=True,
    )


def _of_the_plot(cells: Sequence[Cell], expected: Mapping[str, Any]) -> Finding:
    """Script against mean gaps of an earlier version, at most as far from them as that of the next degree is."""
    earlier = expected["earlier"]
    epochs = {(D, omega): epoch for D, omega, epoch in earlier["fits"]}
    answers, told = [], []
    for cell in cells:
        plot = earlier["gaps"].get(str(cell.omega))
        if not cell.fitted or not plot or cell.m != earlier["strings"]:
            continue
        D, found = cell.D, runs.interval([gap(o) for o in cell.fitted])
        there, neighbour = plot[D - 1], plot[D if len(plot) > D else D - 2]
        answers.append(within(found, there - abs(neighbour - there), there + abs(neighbour - there)))
        ends = ", ".join(map(str, sorted(o.record["epochs"] for o in cell.fitted)))
        log = f" (their log: {epochs[D, cell.omega]})" if (D, cell.omega) in epochs else ""
        told.append(
            f"degree {D}, sparsity {cell.omega}: {runs.words(found, '.4f')}, there {there:.4f}; fitted at epochs "
            f"{ends}{log}"
        )
    return Finding(
        f"Script against mean gaps on a plot of the authors, of an earlier version; here {'; '.join(told) or 'none'}",
        together(answers),
        run=len(answers),
        planned=sum(map(len, earlier["gaps"].values())),
        criterion="ours: nearer to the mean on the plot than the mean of the next degree is",
    )


def _least(stated: Bounds) -> str:
    """What the smallest derived bound is."""
    return f"{min(value for own in stated.values() if (value := own['derived, whole']) is not None):.3g}"


Trend = tuple[float, float, float] | None


def _slope(cells: Sequence[Cell], degrees: Sequence[int]) -> tuple[Trend, Trend]:
    """At one sparsity, of log mean gap against log degree over classes, and of the gap against the degree over
    functions."""
    own = [cell for cell in cells if cell.D in degrees and cell.fitted]
    each = [(c.D, gap(o)) for c in own for o in c.fitted]
    several = len({D for D, _ in each}) > 1
    line = trend(*map(list, zip(*each, strict=True))) if several and len(each) > 2 else None
    return power({c.D: [gap(o) for o in c.fitted] for c in own}), line


def power(gaps: Mapping[int, Sequence[float]]) -> Trend:
    """The slope of log mean gap against log degree, and where 95 % of the slopes are when the functions of each class
    are drawn again with replacement; none where a mean gap is not surely positive."""
    if len(gaps) < 3 or any(len(own) < 2 for own in gaps.values()):
        return None
    rng, x = np.random.default_rng(0), np.log(np.array(list(gaps), dtype=float))
    own = [np.array(values) for values in gaps.values()]
    again = np.stack([g[rng.integers(len(g), size=(AGAIN, len(g)))].mean(1) for g in own], 1)
    means, sure = np.array([g.mean() for g in own]), (again > 0).all(1)
    if (means <= 0).any() or sure.mean() < 0.95:
        return None
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    low, high = np.quantile(np.log(again[sure]) @ weights, (0.025, 0.975))
    return float(np.log(means) @ weights), float(low), float(high)
