"""Figure 5: attention rows of a small trained network beside the Fourier components, and its one-dimensional MLP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.lintilhac2026.runs import account, cells_of, within
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding
from maurey.verify.training.trials.keys import Job, key

from .scores import TURN, USED, Scores, by_chance, score, shown_by_chance, turns

COLUMNS = [
    "degree", "sparsity", "function", "converged", "epochs", "training loss", "test loss", "rows in use",
    "showing a component", "by chance", "read-out on them", "needed ones shown", "largest attention to a component",
    "turns of the MLP", "in the figure",
]  # fmt: skip
SHOWN = 2  # runs in the figure
ABOUT = (
    "One attention layer of which only the data channel is kept, an MLP with 32 hidden units on that one channel, a "
    "linear read-out of all positions; 1,087 parameters at 20 bits; AdamW, rate 0.004, weight decay 0.0001, batches of "
    "128, 8,192 strings, until the training loss is below the threshold of the scale, lower than elsewhere. Ours: the "
    "initial weights, that threshold, that the value map is fixed."
)
plan = partial(in_stages, model="channel", width=32, watch=True)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    runs = [o for cell in cells_of(outcomes) for o in cell.runs]
    known = {id(o): score(o.record, o.config.threshold) for o in runs}
    several = [o for o in runs if min(o.config.D, o.config.omega) > 1 and o.record["converged"]] or runs
    shown = [next(o for o in several if o.config.D == D) for D in sorted({o.config.D for o in several})][:SHOWN]
    fitted, jobs = [(o, known[id(o)]) for o in runs if o.record["converged"]], plan(scale)
    findings = [_rows(fitted, jobs, expected), _curves(fitted, jobs, expected)]
    notes = account(scale, jobs, outcomes)
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figure 5: attention rows, Fourier components and the learned MLP",
        notes=[
            *notes[:2],
            ABOUT,
            notes[-1],
            "Scores: a row (of a query, the mean over 1,024 training strings) is in use if its weight in the read-out "
            f"is at least {USED:g} of the largest; it shows a component if its D largest attention weights are at that "
            "component's positions. A component is needed if a network without it could not come below the threshold "
            "(with coefficient c it has a share c²/4 of the loss). By chance: rows that attend to D positions picked "
            f"blindly. A turn of the MLP counts if it is at least {TURN:g} of the curve's range "
            "on [0, 1]; a parity of D bits, read from a count, needs D - 1. The figure shows the first fitted "
            "function with several components of the two lowest degrees above 1.",
            "Settled after the first networks had been looked at: the threshold of the training loss, that attention "
            "is averaged over strings, which components are needed, and that chance is counted.",
            _told(fitted),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(o, known[id(o)], o in shown) for o in runs],
        draw=lambda figure: _draw(figure, shown),
        figure_size=(12.0, 4.2 * len(shown)),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


def _row(outcome: Outcome, own: Scores, drawn: bool) -> list[str]:
    config, record = outcome.config, outcome.record
    start = [str(config.D), str(config.omega), str(outcome.trial), "yes" if record["converged"] else "no"]
    losses = [str(record["epochs"]), f"{record['train_loss']:.5f}", f"{record['test_loss']:.5f}"]
    rows = [str(own.used), str(own.showing), f"{by_chance(config.T, config.D, config.omega):.4f}", f"{own.mass:.3f}"]
    parts = [f"{own.found} of {own.needed}", f"{own.weight:.3f}", str(own.turns)]
    return [*start, *losses, *rows, *parts, "yes" if drawn else "no"]


Fitted = Sequence[tuple[Outcome, Scores]]


def _rows(runs: Fitted, jobs: Sequence[Job], expected: Mapping[str, Any]) -> Finding:
    """A case is a network; most of its components are shown by rows in use, as in Figure 5."""
    clear = {D: [2 * s.among_all > o.config.omega for o, s in runs if o.config.D == D] for D in _degrees(runs)}
    seen, share = _share([one for own in clear.values() for one in own])
    each = ", ".join(f"{sum(own)} of {len(own)} (degree {D})" for D, own in clear.items())
    return Finding(
        f"{expected['figure']}: {expected['rows']}; here in {seen} most components are shown by a row in use; {each}",
        within(share, 0.5, 1),
        expected["figure"],
        **_size(runs, jobs, expected, 1),
        criterion="section 2.4: in most cases; ours, after looking: when a row shows a component, and that more than "
        "half of them make a case",
        late=True,
    )


def _curves(runs: Fitted, jobs: Sequence[Job], expected: Mapping[str, Any]) -> Finding:
    own = [(o, s) for o, s in runs if o.config.D > 1]
    seen, share = _share([s.turns >= o.config.D - 1 for o, s in own])
    before = sum(turns(_first_curve(o)) >= o.config.D - 1 for o, _ in own)
    one, least = _share([s.turns > 0 for _, s in own])
    answers = within(share, 0.5, 1), within(least, 0.5, 1)
    return Finding(
        f"{expected['figure']}: {expected['curve']}; here with D - 1 turns or more in {seen} of degree 2 and more, in "
        f"{before} before training; with a turn in {one}",
        answers[0] if answers[0] == answers[1] else None,
        expected["figure"],
        **_size(own, jobs, expected, 2),
        criterion="ours: more than half have the D - 1 turns of a parity, and have a turn at all",
    )


def _told(runs: Fitted) -> str:
    """By components and by rows; that most rows in use show a component is not what the paper says."""
    told = []
    for D in _degrees(runs):
        own = [(o, s) for o, s in runs if o.config.D == D]
        showing, used, there, needed = (
            sum(getattr(s, name) for _, s in own) for name in ("showing", "used", "found", "needed")
        )
        blind = sum(by_chance(o.config.T, D, o.config.omega) * s.used for o, s in own)
        blindly = sum(shown_by_chance(o.config.T, D, s.used) * s.needed for o, s in own)
        told.append(
            f"degree {D}: {there} of {needed} ({blindly:.1f} by chance) and {showing} of {used} ({blind:.1f} by chance)"
        )
    return (
        "Needed components that a row in use shows, and rows in use that show a component (the paper says that there "
        f"are such rows, not that all rows are): {'; '.join(told) or 'none'}."
    )


def _degrees(runs: Fitted) -> list[int]:
    return sorted({o.config.D for o, _ in runs})


def _share(answers: Sequence[bool]) -> tuple[str, tuple[float, float]]:
    low, high = wilson(sum(answers), len(answers))
    return f"{sum(answers)} of {len(answers)} fitted networks ({low:.2f} to {high:.2f})", (low, high)


def _size(runs: Fitted, jobs: Sequence[Job], expected: Mapping[str, Any], degree: int) -> dict[str, Any]:
    """Of our plan: the paper does not say how many it has."""
    planned = [job.config for job in jobs if degree <= job.config.D]
    run, caps = sum(expected["T"] == o.config.T for o, _ in runs), sorted({c.cap for c in planned})
    lacks = f"not fitted after {caps[-1]} epochs: {len(planned) - run}" if run < len(planned) else ""
    return {"run": run, "planned": max(len(planned), 1), "what": "networks", "lacks": lacks}


def _first_curve(outcome: Outcome) -> Any:
    """The MLP as it was before training."""
    import torch

    from maurey.verify.training.networks import channel

    start = channel.initial(outcome.config, key(outcome.config, outcome.trial))
    p = {name: torch.from_numpy(np.asarray(value, dtype=np.float64))[None] for name, value in start.items()}
    return channel.curve(p, torch.linspace(0, 1, channel.POINTS, dtype=torch.float64)[None])[0].numpy()


def _draw(figure: Any, shown: Sequence[Outcome]) -> None:
    from matplotlib.patches import Rectangle

    panels = figure.subplots(len(shown), 3, squeeze=False, width_ratios=[1.25, 0.8, 1])
    for (heat, sets, wave), outcome in zip(panels, shown, strict=True):
        config, record = outcome.config, outcome.record
        attention, v = np.array(record["attention"]), np.array(record["read_out"])
        order = np.argsort(-np.abs(v))
        components = [frozenset(each) for each in record["components"]]
        image = heat.imshow(attention[order], cmap="magma_r", vmin=0, aspect="auto", interpolation="nearest")
        figure.colorbar(image, ax=heat, fraction=0.045, pad=0.02)
        for place, t in enumerate(order):
            top = frozenset(np.argsort(-attention[t])[: config.D].tolist())
            for j in top if top in components else ():
                heat.add_patch(Rectangle((j - 0.5, place - 0.5), 1, 1, fill=False, edgecolor=PALETTE[2], linewidth=1.4))
        heat.set_yticks(range(len(order)), [f"{t + 1}: {v[t]:.2f}" for t in order], fontsize=6)
        heat.set_ylabel("query: its weight in the read-out")
        heat.set_title(f"attention, degree {config.D}, sparsity {config.omega}; framed: a component", fontsize=9)
        table = np.zeros((config.omega, config.T + 1))
        for row, each in enumerate(record["components"]):
            table[row, each] = record["coefficients"][row]
        sets.imshow(table, cmap="Greens", vmin=0, aspect="auto", interpolation="nearest")
        sets.set_yticks(range(config.omega), [f"{c:.2f}" for c in record["coefficients"]], fontsize=7)
        sets.set_title("components and coefficients", fontsize=9)
        for panel in (heat, sets):
            panel.set_xticks(range(0, config.T + 1, 5), [str(j + 1) for j in range(0, config.T + 1, 5)])
            panel.set_xlabel("position")
        phi = np.array(record["phi"])
        wave.plot(np.linspace(0, 1, len(phi)), phi, color=PALETTE[0])
        for k in range(config.D + 1):
            wave.axvline(k / config.D, color="gray", linewidth=0.7, linestyle=":")
        wave.set_xlabel("share of ones that a row sees (dotted: k/D)")
        wave.set_title(f"the learned MLP, training loss {record['train_loss']:.4f}", fontsize=9)
        wave.grid(alpha=0.3)
