"""Figure 1: the gap between test and training loss against the degree, a curve for each sparsity, beside Theorem 2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.lintilhac2026 import bounds
from maurey.paper_tables.lintilhac2026.runs import Cell, account, cells_of, gap, look, mean, plan, spread
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.verdicts import Finding

__all__ = ["plan", "render"]

STYLES = {"truncated": "--", "semi-analytic": "-.", "whole": ":"}
FORMS = {  # name: form, and what P is
    "printed, truncated": ("printed", "truncated"),
    "printed, semi-analytic": ("printed", "semi-analytic"),
    "printed, whole": ("printed", "whole"),
    "derived, whole": ("derived", "whole"),
}
DRAWN = list(FORMS)[:3]
AGAIN = 4000  # times that functions are drawn again
COLUMNS = [
    "degree", "sparsity", "functions", "unconverged", "failed", "epochs", "training loss", "test loss", "gap",
    "standard error", "largest gap", "Sigma estimated", *FORMS, "note",
]  # fmt: skip
Bounds = Mapping[tuple[int, int], Mapping[str, float | None]]


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    cells = cells_of(outcomes)
    T, m = outcomes[0].config.T, outcomes[0].config.m
    sigmas, Sigma = bounds.mesh(*expected["mesh"]), Fraction(str(expected["Sigma"]))
    stated = {
        (cell.D, cell.omega): {
            name: found[0] if (found := bounds.least(*how, cell.D, cell.omega, T, m, Sigma, sigmas)) else None
            for name, how in FORMS.items()
        }
        for cell in cells
    }
    findings = _findings(cells, stated, expected)
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figure 1: the gap against degree and sparsity",
        notes=[
            *account(scale, plan(scale), outcomes),
            f"Gap: mean squared error on fresh strings less that on the {m} training strings, of the network that was "
            "trained; means and standard errors are over functions. A gap within the noise of the test may be "
            "negative.",
            f"Bounds: Theorem 2, Sigma = {expected['Sigma']:g}, delta = {float(bounds.DELTA):g}, the smallest over "
            f"{len(sigmas)} standard deviations from {float(sigmas[0]):g} to {float(sigmas[-1]):g}; truncated: "
            f"P = 0; semi-analytic: the largest rise of the trace in {bounds.MEASURED}, at the next larger deviation "
            "there, which is no bound on the remainder; whole: with P of Theorem 17; derived: with the price of the "
            f"mesh, for a loss clipped at 2 Sigma = {2 * expected['Sigma']:g}, of which {_least(stated)} and more says "
            "nothing. They bound the risk of a perturbed network that fits its sample and is dominated by the "
            "construction; lintilhac2026/domination says whether these are.",
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(cell, stated[cell.D, cell.omega]) for cell in cells],
        draw=lambda figure: _draw(figure, cells, stated),
        figure_size=(12.0, 5.0),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


def _row(cell: Cell, stated: Mapping[str, float | None]) -> list[str]:
    start = [str(cell.D), str(cell.omega), *cell.counts]
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
    fitted = [o for cell in cells for o in cell.fitted]
    figure = expected["figure"]
    if not fitted:
        return [Finding(f"{figure}: no function was fitted", None)]
    found = []
    classes = ", ".join(
        f"{omega}: {', '.join(str(c.D) for c in cells if c.omega == omega and c.fitted)}"
        for omega in sorted({cell.omega for cell in cells})
    )
    for name in DRAWN:
        known = [(o, value) for o in fitted if (value := stated[o.config.D, o.config.omega][name]) is not None]
        if not known:
            continue
        above = [gap(o) <= value for o, value in known]
        means = [(stated[c.D, c.omega][name], mean(c.fitted, gap)) for c in cells if c.fitted]
        ratios = [value / middle for value, middle in means if value is not None and middle > 0]
        factor = f", by a factor of {min(ratios):.3g} to {max(ratios):.3g} over class means" if ratios else ""
        text = (
            f"{figure}: {expected['shows']}; here {name}: in {sum(above)} of {len(above)} fitted functions{factor} "
            f"(fitted degrees by sparsity, {classes})"
        )
        found.append(Finding(text, all(above)))
    slopes = {omega: _slope(cells, omega) for omega in sorted({cell.omega for cell in cells})}
    for omega, (growth, _) in slopes.items():
        own = ", ".join(f"{c.D} ({len(c.fitted)})" for c in cells if c.omega == omega and c.fitted)
        text = (
            f"{figure}, sparsity {omega}: {expected['grows']}; here over the fitted degrees, with their numbers of "
            f"functions, {own or 'none'}, "
        )
        if growth is None:
            why = "no power of the degree is fitted: it takes three classes, and all with a mean gap surely positive"
            found.append(Finding(text + why, None))
        else:
            low, high = growth[1:]
            told = f"{text}the gap grows as the degree to the power {growth[0]:.2f} ({low:.2f} to {high:.2f})"
            found.append(Finding(told, True if low > 1 else False if high < 1 else None))
    lines = {omega: line for omega, (_, line) in slopes.items() if line}
    if len(lines) > 1:
        first, last = lines[min(lines)], lines[max(lines)]
        text = (
            f"{figure}: {expected['steeper']}; here the gap grows by {first[0]:.2g} ({first[1]:.2g} to {first[2]:.2g}) "
            f"a degree at sparsity {min(lines)} and by {last[0]:.2g} ({last[1]:.2g} to {last[2]:.2g}) at {max(lines)}"
        )
        found.append(Finding(text, True if last[1] > first[2] else False if last[2] < first[1] else None))
    sigmas = [o.record["subgaussian"] for o in fitted]
    low, high = expected["estimated"]
    text = f"Appendix A: estimated Sigma is from {low:g} to {high:g}; here from {min(sigmas):.3g} to {max(sigmas):.3g}"
    found.append(Finding(text, low <= min(sigmas) and max(sigmas) <= high))
    return found


def _least(stated: Bounds) -> str:
    """What the smallest derived bound is."""
    return f"{min(value for own in stated.values() if (value := own['derived, whole']) is not None):.3g}"


Trend = tuple[float, float, float] | None


def _slope(cells: Sequence[Cell], omega: int) -> tuple[Trend, Trend]:
    """Of log mean gap against log degree over classes, and of the gap against the degree over functions."""
    own = [cell for cell in cells if cell.omega == omega and cell.fitted]
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


def _draw(figure: Any, cells: Sequence[Cell], stated: Bounds) -> None:
    left, right = figure.subplots(1, 2)
    known = sorted({cell.omega for cell in cells})
    for omega in known:
        color, marker = look(omega, known)
        own = [cell for cell in cells if cell.omega == omega]
        there = [cell for cell in own if cell.fitted]
        at, means = [c.D for c in there], [mean(c.fitted, gap) for c in there]
        errors = [e if math.isfinite(e := spread(c.fitted, gap)) else 0.0 for c in there]
        shift = 0.05 * (known.index(omega) - (len(known) - 1) / 2)
        moved = [D + shift for D in at]
        left.errorbar(moved, means, errors, color=color, marker=marker, markersize=5, capsize=3, linewidth=1.3,
                      label=f"sparsity {omega}")  # fmt: skip
        each = [(c.D + shift, gap(o)) for c in own for o in c.fitted]
        left.plot([x for x, _ in each], [y for _, y in each], ".", color=color, alpha=0.35, markeredgewidth=0)
        late = [(c.D + shift, gap(o)) for c in own for o in c.unfitted]
        left.plot([x for x, _ in late], [y for _, y in late], "x", color=color, markersize=6)
        positive = [(D, y) for D, y in zip(at, means, strict=True) if y > 0]
        right.plot([D for D, _ in positive], [y for _, y in positive], "-", marker=marker, color=color, markersize=5)
        for name in DRAWN:
            values = [(c.D, value) for c in own if (value := stated[c.D, c.omega][name]) is not None]
            style = STYLES[FORMS[name][1]]
            right.plot([x for x, _ in values], [y for _, y in values], style, color=color, linewidth=1)
    if any(cell.unfitted for cell in cells):
        left.plot([], [], "x", color="gray", label="not fitted within its epochs")
    left.axhline(0, color="gray", linewidth=0.6)
    left.set_ylabel("test loss less training loss")
    left.legend(fontsize=8, frameon=False)
    right.set_yscale("log")
    right.set_ylabel("gap (solid) and bounds")
    for name in DRAWN:
        right.plot([], [], STYLES[FORMS[name][1]], color="gray", label=f"Theorem 2, {name}")
    right.axhline(0.25, color="black", linewidth=0.8, label="loss of a constant")
    right.legend(fontsize=8, frameon=False, loc="center right", bbox_to_anchor=(1, 0.42))
    for panel in (left, right):
        panel.set_xticks(sorted({cell.D for cell in cells}))
        panel.set_xlabel("degree")
        panel.grid(alpha=0.3)
